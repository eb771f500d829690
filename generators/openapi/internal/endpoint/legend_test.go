package endpoint

import (
	"strings"
	"testing"
)

func TestAMarkIsExplainedWhereItOccurs(t *testing.T) {
	for notation, want := range map[string]bool{
		"query\n  page: integer 1..100":             true,
		"query\n  page: integer 1..":                true,
		"body: object\n  t: number ..<5":            true,
		"body: object\n  t: string | null len ..80": true,
		"body: object\n  t: number -1.5..1.5":       true,
		"body: any[]\n  <contains 2..3>: integer":   true,
		"query\n  page: integer  # The page ...":    false,
		"query\n  page: integer  # From 1..100":     false,
		"body: object\n  \"a..1\": string":          false,
		"body: object\n  \"...\": string":           false,
		"body: object\n  ...: string":               false,
	} {
		if got := strings.Contains(string(legend(notation, "required")), "a..b"); got != want {
			t.Errorf("%q: %t", notation, got)
		}
	}
}
