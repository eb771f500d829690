package ledger_test

import (
	"fmt"
	"testing"

	"github.com/apiskills/apiskills/internal/ledger"
)

// checkAll requires that each part of each operation of a document stands in its
// skill, and that nothing there contradicts the document. What check does runs
// the same over real documents.
func checkAll(t *testing.T, file, refRoot string) {
	l := ledger.New(read(t, file))
	var findings []ledger.Finding
	skills(t, file, refRoot, func(s ledger.Skill) { findings = append(findings, l.Add(s)...) })
	findings = append(findings, l.Holes()...)
	n := 0
	for range l.Entries() {
		n++
	}
	if n == 0 {
		t.Error("nothing was found at all")
	}
	byRule := map[string]int{}
	for _, f := range findings {
		if byRule[f.Rule]++; byRule[f.Rule] <= 12 {
			t.Error(show(f))
		}
	}
	t.Logf("%d entries, %v", n, byRule)
}

func show(f ledger.Finding) string {
	return fmt.Sprintf("%s: %s %s:%d: %s (%s)", f.Rule, f.Skill, f.File, f.Line, f.Message, f.Pointer)
}
