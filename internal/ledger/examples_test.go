package ledger_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestExamplesOfRealDocuments counts the examples that documents get wrong.
func TestExamplesOfRealDocuments(t *testing.T) {
	names, dir := manifest(t)
	for _, name := range names {
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			d := read(t, filepath.Join(dir, filepath.FromSlash(name)))
			start := time.Now()
			found := d.Examples()
			t.Logf("%d invalid, %v", len(found), time.Since(start))
			for i, f := range found {
				if i < 3 {
					t.Log(show(f))
				}
			}
		})
	}
}
