package main

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestTableHasEveryRow runs one round on the example, for the shape of the
// table alone: no figure is judged.
func TestTableHasEveryRow(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("starts several processes, and reads their memory from /proc")
	}
	b, err := prepare(t.Context(), "../../examples/bookshop/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(b.dir)
	b.reads = 100
	var out bytes.Buffer
	if err := b.table(t.Context(), 1, &out); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if !strings.Contains(out.String(), r.what) {
			t.Errorf("the table has no row %s, %q:\n%s", r.number, r.what, out.String())
		}
	}
}

func TestSpreadIsMedianAndRange(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		in     quantity
		want   string
	}{
		{[]float64{3, 1, 2}, milliseconds, "2.0 (1.0–3.0) ms"},
		{[]float64{4, 1, 2, 3}, megabytes, "2.5 (1.0–4.0) MB"},
		{[]float64{0.25}, ratio, "0.250 (0.250–0.250) ×"},
	} {
		if got := spread(tt.values, tt.in); got != tt.want {
			t.Errorf("spread(%v) = %q, want %q", tt.values, got, tt.want)
		}
	}
}
