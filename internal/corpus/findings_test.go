package main

import (
	"flag"
	"os"
	"slices"
	"testing"

	rules "github.com/apiskills/apiskills/internal/check"
)

var everyDocument = flag.Bool("every-document", false, "look for faults in the skills of all documents, not of one of a kind")

// alike are large documents of a kind of which a smaller one is looked at.
var alike = []string{"kubernetes-swagger2.json", "aws-ec2.yaml", "google-compute-v1.yaml", "azure-webapps-swagger2.yaml"}

// TestNothingIsFoundThatADocumentCannotMend runs the rules of check over every
// document but those that are alike: what the skills lack or have wrong is a fault of this program.
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
			if slices.Contains(alike, d.name) && !*everyDocument {
				t.Skip("it is like a smaller one; with -every-document")
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
