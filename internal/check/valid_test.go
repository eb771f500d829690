package check

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

// TestValidDocumentsOfEachVersionAreNotFaulted has documents that use what is
// odd and allowed in their version. An error, a finding on the renderer's side,
// or the claim that the document is not valid would be false.
func TestValidDocumentsOfEachVersionAreNotFaulted(t *testing.T) {
	files, err := filepath.Glob("testdata/valid/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r := checked(t, string(data), nil, Options{Strict: true, Replay: CanReplay() == nil})
			for f := range r.Findings() {
				if f.side() == Renderer || f.Severity == framework.Error || slices.Contains([]string{"openapi-invalid", "ref", "type"}, f.Rule) {
					t.Errorf("%s %s:%d: %s", f.Rule, f.Pointer, f.Line, f.Message)
				}
			}
		})
	}
}
