package skilltest

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

var update = flag.Bool("update", false, "rewrite the table of rules in doc.go")

// TestDocumentationHasTheRules keeps the table in doc.go that of the code.
func TestDocumentationHasTheRules(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	const heading, end = "// # Rules\n//\n", "package skilltest\n"
	before, _, ok := strings.Cut(string(text), heading)
	if !ok {
		t.Fatalf("doc.go has no heading %q", heading)
	}
	var b strings.Builder
	for _, r := range rules {
		line := "//   - " + r.id + ":"
		for _, word := range strings.Fields(r.text) {
			if len(line)+1+len(word) > 84 {
				b.WriteString(line + "\n")
				line = "//    "
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	want := before + heading + b.String() + end
	if *update {
		if err := os.WriteFile("doc.go", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Error("the table of rules in doc.go is not that of rules.go; run this test with -update")
	}
}

// TestRulesAreNamedOnce keeps ids what a catalog takes for the id of a rule, and
// each explained in sentences.
func TestRulesAreNamedOnce(t *testing.T) {
	for i, r := range rules {
		if !framework.ValidName(r.id) || !strings.HasSuffix(r.text, ".") {
			t.Errorf("the rule %q is explained by %q", r.id, r.text)
		}
		if slices.ContainsFunc(rules[:i], func(other rule) bool { return other.id == r.id }) {
			t.Errorf("the rule %q is there twice", r.id)
		}
	}
}
