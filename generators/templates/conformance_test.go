package templates

import (
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skilltest"
)

// TestGeneratorKeepsTheRules runs the conformance kit over a folder of templates
// and records.
func TestGeneratorKeepsTheRules(t *testing.T) {
	skilltest.Run(t, func(t testing.TB) framework.Generator {
		return load(t, map[string]string{
			"r.ndjson":                "{\"name\": \"Mail\"}\n{\"name\": \"Wiki\"}\n{\"name\": \"Chat: \\\"new\\\"\"}\n",
			"SKILL.md.tmpl":           "# {{.name}}\n\nSee [more](references/more.md).\n",
			"references/more.md.tmpl": "Back to [{{.name}}](../SKILL.md).\n",
		})
	}, "mail", "wiki")
}

// TestRunbooksKeepTheRules runs the conformance kit over the example.
func TestRunbooksKeepTheRules(t *testing.T) {
	skilltest.Run(t, func(t testing.TB) framework.Generator {
		g, err := Load(t.Context(), "../../examples/runbooks", nil)
		if err != nil {
			t.Fatal(err)
		}
		return g
	})
}
