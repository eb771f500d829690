package schema

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// says returns what the document says of the values of an enumeration, by their
// JSON: in extensions, or in a oneOf of constants with titles.
func (w *walker) says(s *openapi3.Schema) map[string]string {
	out := map[string]string{}
	add := func(v *Value, text string) {
		if text = strings.TrimSpace(text); text == "" || squash(text) == squash(v.Text()) {
			return
		}
		if key := v.Compact(); out[key] == "" {
			out[key] = text
		}
	}
	if len(s.Extensions) > 0 {
		for _, key := range [...]string{"x-enumDescriptions", "x-enum-descriptions", "x-enum-varnames", "x-enumNames"} {
			switch said := s.Extensions[key].(type) {
			case map[string]any:
				for _, e := range s.Enum {
					v := ValueOf(e)
					if text, ok := said[v.Text()].(string); ok {
						add(v, text)
					}
				}
			case []any:
				if len(said) != len(s.Enum) && s.Extensions[OmittedKey] == nil {
					continue // whose they are is not known
				}
				for i, e := range s.Enum {
					if i < len(said) {
						if text, ok := said[i].(string); ok {
							add(ValueOf(e), text)
						}
					}
				}
			}
		}
	}
	if s.Const != nil {
		add(ValueOf(s.Const), s.Description)
		add(ValueOf(s.Const), s.Title)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// constants returns the values of options that are constants each, and what the
// document says of them, if it says something of one at least.
func (w *walker) constants(g group) (values []*Value, says map[string]string) {
	says = map[string]string{}
	for _, o := range g.options {
		core, ann := w.unwrap(o)
		if core.Value == nil || ann.null || !w.spend() {
			return nil, nil
		}
		sh := w.shape(core.Value)
		if len(sh.enum) != 1 || sh.omitted > 0 || sh.null || !sh.rules.empty() || len(sh.parts) > 0 || ann.def != nil || ann.deprecated {
			return nil, nil
		}
		v := sh.enum[0]
		if slices.ContainsFunc(values, v.equal) {
			return nil, nil
		}
		values = append(values, v)
		for _, text := range []string{ann.desc, ann.title, sh.says[v.Compact()]} {
			if text = strings.TrimSpace(text); text != "" && squash(text) != squash(v.Text()) {
				says[v.Compact()] = text
				break
			}
		}
	}
	if len(says) == 0 {
		return nil, nil
	}
	return values, says
}

// meanings are the lines of the values of which the document says something,
// where the schema is met for the first time.
func (x *describer) meanings(sh *shape, of any) *body {
	if len(sh.says) == 0 || len(sh.enum) < 2 || x.told[of] {
		return nil // of a single one the member's own words tell
	}
	x.told[of] = true
	shown := sh.enum
	if len(shown) > enumLimit {
		shown = shown[:enumShown]
	}
	b := &body{}
	for _, v := range shown {
		lit := v.Line()
		if text := x.opts.comment(sh.says[v.Compact()]); text != "" && len(lit) <= maxLiteral {
			x.built++
			b.values = append(b.values, lit+"  # "+text)
		}
	}
	return b
}
