package main

import (
	"os"
	"testing"

	rules "github.com/apiskills/apiskills/internal/check"
)

// TestNothingIsFoundThatADocumentCannotMend runs the rules of check over every
// document: what the skills lack or have wrong is a fault of this program.
func TestNothingIsFoundThatADocumentCannotMend(t *testing.T) {
	dir := os.Getenv("APISKILLS_CORPUS")
	if dir == "" {
		t.Skip("APISKILLS_CORPUS names no directory of documents")
	}
	docs, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		t.Run(d.name, func(t *testing.T) {
			if testing.Short() && d.bytes > 600_000 {
				t.Skip("large, left out with -short")
			}
			report, err := findings(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for f := range report.Findings() {
				if r, _ := rules.Find(f.Rule); r.Side != rules.Renderer {
					continue
				}
				if n++; n <= 20 {
					t.Errorf("%s: %s, %s %s:%d: %s", f.Rule, f.Pointer, f.Skill, f.File, f.Line, f.Message)
				}
			}
			if n > 20 {
				t.Errorf("and %d more", n-20)
			}
		})
	}
}
