package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// TestTableHasEveryRow runs one round with few requests, for the shape of the
// table alone: no figure is judged but those that no clock decides.
func TestTableHasEveryRow(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("starts several processes, and reads their memory and processor time from /proc")
	}
	b, err := prepare(t.Context(), "../../examples/bookshop/openapi.yaml", "no-such-nginx", 0.01, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	// What row 15 edits is JSON.
	wanted := groups()
	document := b.document
	for _, g := range wanted {
		if measure := g.measure; g.rows[0].number == "15" {
			g.measure = func(ctx context.Context, b *bench) ([]sample, error) {
				b.document = ""
				defer func() { b.document = document }()
				return measure(ctx, b)
			}
		}
	}
	results, err := b.measure(t.Context(), wanted, 1)
	if err != nil {
		t.Fatal(err)
	}
	var table, data bytes.Buffer
	if err := b.writeTable(&table, results, 1); err != nil {
		t.Fatal(err)
	}
	if err := writeJSON(&data, results); err != nil {
		t.Fatal(err)
	}
	var decoded struct {
		Rows []struct{ Row, Name, Goal, Stretch string }
	}
	if err := json.Unmarshal(data.Bytes(), &decoded); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= lastRow; n++ {
		if !strings.Contains(table.String(), fmt.Sprintf("\n%d ", n)) {
			t.Errorf("the table has no row %d:\n%s", n, table.String())
		}
	}
	if len(decoded.Rows) != len(results) {
		t.Errorf("%d rows in JSON, %d in the table", len(decoded.Rows), len(results))
	}
	judged := 0
	for _, r := range results {
		counted := r.number == "13" || r.number == "15" && r.anchor == ""
		if counted && !r.reported {
			judged++
		}
		if counted && !r.meets(r.judged(), r.goal) {
			t.Errorf("row %s, %s: %v, want %s", r.number, r.name, r.judged(), r.bound(r.goal))
		}
	}
	if judged != 3 {
		t.Errorf("%d of the 3 figures that are counted are there", judged)
	}
}

func TestRowsThatNeedADocumentAreSkippedWithAMessage(t *testing.T) {
	var log bytes.Buffer
	b := &bench{log: &log}
	results, err := b.measure(t.Context(), []*group{{rows: []row{{number: "4"}}, needsDocument: true}}, 1)
	if err != nil || len(results) != 0 || !strings.Contains(log.String(), "row 4") || !strings.Contains(log.String(), "-doc") {
		t.Errorf("%v, %v, %q", results, err, log.String())
	}
}

func TestRowsAreNumbersOfTheTable(t *testing.T) {
	var l rowList
	if err := l.Set("1, 15"); err != nil || l.String() != "1,15" {
		t.Errorf("%v, %v", l, err)
	}
	for _, bad := range []string{"", "0", "16", "1,,2", "x"} {
		if new(rowList).Set(bad) == nil {
			t.Errorf("%q is taken for rows", bad)
		}
	}
}

func TestResultIsJudgedByItsMedianInTheDirectionOfItsGoal(t *testing.T) {
	up := result{row: row{anchor: "x", goal: 4, stretch: 8, atLeast: true}, samples: []sample{under(1, 3), under(1, 5), under(1, 9)}}
	down := result{row: row{anchor: "x", goal: 0.5, stretch: 0.1}, samples: []sample{over(1, 4), over(3, 4)}}
	alone := result{row: row{goal: 40, stretch: 25, unit: "MB"}, samples: []sample{{value: 41}}}
	for i, tt := range []struct {
		r      *result
		judged float64
		met    bool
		goal   string
	}{{&up, 5, true, "≥ 4 ×"}, {&down, 0.5, true, "≤ 0.5 ×"}, {&alone, 41, false, "≤ 40 MB"}} {
		if v := tt.r.judged(); v != tt.judged || tt.r.meets(v, tt.r.goal) != tt.met || tt.r.bound(tt.r.goal) != tt.goal {
			t.Errorf("%d: %v, met %v, %s", i, v, tt.r.meets(v, tt.r.goal), tt.r.bound(tt.r.goal))
		}
	}
}

func TestSpreadIsMedianAndRange(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		unit   string
		want   string
	}{
		{[]float64{3, 1, 2}, "ms", "2.00 (1.00–3.00) ms"},
		{[]float64{40, 10, 20, 300}, "MB", "30.0 (10.0–300) MB"},
		{[]float64{0.25}, "×", "0.250 (0.250–0.250) ×"},
		{[]float64{0}, "", "0 (0–0)"},
	} {
		if got := spread(tt.values, tt.unit); got != tt.want {
			t.Errorf("spread(%v) = %q, want %q", tt.values, got, tt.want)
		}
	}
}
