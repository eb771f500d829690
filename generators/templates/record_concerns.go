package templates

import (
	"fmt"
	"maps"
	"slices"

	"github.com/apiskills/apiskills/framework"
)

const (
	maxConcerning = 20       // diagnostics of one record
	maxInspected  = 64 << 10 // bytes of the texts of one record
)

// concerns reports what [Inspect] finds in the texts of a record. The skill has
// them in a safe form all the same.
func (g *Generator) concerns(e *entry, fields map[string]any) []framework.Diagnostic {
	var out []framework.Diagnostic
	left := maxInspected
	var look func(field string, v any)
	look = func(field string, v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				look(field, item)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				look(field, v[name])
			}
		case string:
			if left -= len(v); left < 0 {
				return
			}
			seen := map[ConcernKind]bool{}
			for _, c := range Inspect(v) {
				rule, what := "", ""
				switch c.Kind {
				case HiddenCharacters:
					rule, what = "prose-hidden-characters", "has characters that cannot be seen, which are left out: %s"
				case Instruction:
					rule, what = "prose-instructions", "seems to instruct its reader: %q"
				case HTMLComment:
					rule, what = "prose-html-comment", "has an HTML comment, which is left out where it is read as Markdown: %q"
				}
				if rule == "" || seen[c.Kind] || len(out) == maxConcerning {
					continue
				}
				seen[c.Kind] = true
				out = append(out, framework.Diagnostic{
					Severity: framework.Warning, Rule: rule, Skill: e.path, File: g.file(g.sources[e.source].name),
					Line: int(e.line), Message: fmt.Sprintf("the text of %.80q "+what, field, c.Text),
				})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		look(name, fields[name])
	}
	return out
}
