package replay

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// valid returns why a schema refuses a value as part of a request, or nil.
func (o *operation) valid(ref *openapi3.SchemaRef, v any) (err error) {
	if ref == nil || ref.Value == nil {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the validator panics: %v", r)
		}
	}()
	opts := []openapi3.SchemaValidationOption{openapi3.VisitAsRequest(), openapi3.MultiErrors()}
	if !o.doc.IsOpenAPI31OrLater() {
		return ref.Value.VisitJSON(v, opts...)
	}
	opts = append(opts, openapi3.EnableJSONSchema2020())
	if err = ref.Value.VisitJSON(v, opts...); err == nil {
		return nil
	}
	// The validator of JSON Schema asks for required members that are the
	// server's to give (OpenAPI 3.1.1, 4.8.24.4.1). With them the value has to be
	// right.
	if full, added := given(ref, v, 0); added && ref.Value.VisitJSON(full, opts...) == nil {
		return nil
	}
	return err
}

// given returns a value with the required members that are read-only, and
// whether there are any.
func given(ref *openapi3.SchemaRef, v any, depth int) (any, bool) {
	if depth > 32 {
		return v, false
	}
	refs := []*openapi3.SchemaRef{ref}
	added := false
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for name, e := range v {
			for _, p := range property(refs, name) {
				if full, ok := given(p, e, depth+1); ok {
					out[name], added = full, true
					break
				}
			}
		}
		for _, s := range alternatives(ref) {
			for _, name := range s.Required {
				if _, has := out[name]; has {
					continue
				}
				for _, p := range property(refs, name) {
					if p.Value == nil || !p.Value.ReadOnly {
						continue
					}
					for _, c := range append(candidates(p), []any{}, map[string]any{}) {
						if p.Value.VisitJSON(c, openapi3.EnableJSONSchema2020()) == nil {
							out[name], added = c, true
							break
						}
					}
				}
			}
		}
		return out, added
	case []any:
		out := slices.Clone(v)
		for i, e := range v {
			for _, p := range items(refs) {
				if full, ok := given(p, e, depth+1); ok {
					out[i], added = full, true
					break
				}
			}
		}
		return out, added
	}
	return v, false
}

// alternatives returns a schema and all that it is composed of.
func alternatives(ref *openapi3.SchemaRef) []*openapi3.Schema {
	var out []*openapi3.Schema
	seen := map[*openapi3.Schema]bool{}
	var add func(ref *openapi3.SchemaRef)
	add = func(ref *openapi3.SchemaRef) {
		if ref == nil || ref.Value == nil || seen[ref.Value] || len(out) > 500 {
			return
		}
		seen[ref.Value] = true
		out = append(out, ref.Value)
		for _, list := range []openapi3.SchemaRefs{ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf} {
			for _, r := range list {
				add(r)
			}
		}
		add(ref.Value.If)
		add(ref.Value.Then)
		add(ref.Value.Else)
	}
	add(ref)
	return out
}

// items returns the schemas that the items of an array may have.
func items(refs []*openapi3.SchemaRef) []*openapi3.SchemaRef {
	var out []*openapi3.SchemaRef
	for _, ref := range refs {
		for _, s := range alternatives(ref) {
			if s.Items != nil {
				out = append(out, s.Items)
			}
			out = append(out, s.PrefixItems...)
		}
	}
	return out
}

// property returns the schemas that a member of an object may have.
func property(refs []*openapi3.SchemaRef, name string) []*openapi3.SchemaRef {
	var out, other []*openapi3.SchemaRef
	for _, ref := range refs {
		for _, s := range alternatives(ref) {
			if p := s.Properties[name]; p != nil {
				out = append(out, p)
			} else if s.AdditionalProperties.Schema != nil {
				other = append(other, s.AdditionalProperties.Schema)
			}
		}
	}
	if len(out) == 0 {
		return other
	}
	return out
}

// readings returns the values that a text can stand for, where everything is
// text: the text itself last, since a schema of numbers takes nothing else.
func readings(s string) []any {
	var out []any
	switch s {
	case "true":
		out = append(out, true)
	case "false":
		out = append(out, false)
	case "null", "":
		defer func() { out = append(out, nil) }()
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && json.Valid([]byte(s)) {
		out = append(out, f)
	}
	return append(out, s)
}

// read returns the value of a text by the schemas, one of which should take it.
func (o *operation) read(s string, refs []*openapi3.SchemaRef) any {
	all := readings(s)
	for _, v := range all {
		for _, ref := range refs {
			if o.valid(ref, v) == nil {
				return v
			}
		}
	}
	if len(refs) == 0 && len(all) > 0 {
		return all[0]
	}
	return s
}

// sampleText returns a text that a parameter accepts as one value.
func (o *operation) sampleText(p *openapi3.Parameter) string {
	if p == nil {
		return "x1"
	}
	if s := text(p.Example); s != "" && o.valid(p.Schema, s) == nil {
		return s
	}
	refs := []*openapi3.SchemaRef{p.Schema}
	if p.Schema != nil && p.Schema.Value != nil && p.Schema.Value.Type.Is("array") {
		refs = items(refs)
	}
	return sample(o, refs)
}

// sample returns a text that is a scalar of one of the schemas.
func sample(o *operation, refs []*openapi3.SchemaRef) string {
	for _, ref := range refs {
		for _, v := range candidates(ref) {
			if o.valid(ref, v) != nil {
				continue
			}
			if s := plain(v); s != "" {
				return s
			}
		}
	}
	return "x1"
}

// plain returns a scalar as it is sent.
func plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int:
		return strconv.Itoa(v)
	}
	return ""
}

var formats = map[string]string{
	"date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "uuid": "6f1b1a2e-0c4d-4c5e-8f60-718293a4b5c6", "email": "ada@example.org",
	"uri": "https://example.org/a", "url": "https://example.org/a", "ipv4": "192.0.2.7", "ipv6": "2001:db8::7", "hostname": "example.org", "time": "12:00:00Z", "byte": "YWJj",
}

// candidates returns scalars that a schema might accept.
func candidates(ref *openapi3.SchemaRef) []any {
	var out []any
	for _, s := range alternatives(ref) {
		out = append(out, s.Enum...)
		if s.Const != nil {
			out = append(out, s.Const)
		}
		if s.Example != nil {
			out = append(out, s.Example)
		}
		out = append(out, s.Examples...)
		if s.Default != nil {
			out = append(out, s.Default)
		}
		if f := formats[s.Format]; f != "" {
			out = append(out, f)
		}
		if s.Pattern != "" {
			if re, err := syntax.Parse(s.Pattern, syntax.Perl); err == nil {
				out = append(out, match(re))
			}
		}
		if s.MinLength > 0 && s.MinLength < 4096 {
			out = append(out, strings.Repeat("a", int(s.MinLength)))
		}
		if s.Min != nil {
			out = append(out, *s.Min, *s.Min+1)
		}
		if s.Max != nil {
			out = append(out, *s.Max)
		}
		if s.MultipleOf != nil {
			out = append(out, *s.MultipleOf)
		}
	}
	return append(out, "x1", 1.0, 7.0, 0.0, true, "a", "1")
}

// match returns a text that a regular expression without look-around matches.
func match(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		for _, want := range []rune{'a', '1', 'A'} {
			for i := 0; i+1 < len(re.Rune); i += 2 {
				if re.Rune[i] <= want && want <= re.Rune[i+1] {
					return string(want)
				}
			}
		}
		if len(re.Rune) > 0 {
			return string(re.Rune[0])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "a"
	case syntax.OpCapture:
		return match(re.Sub[0])
	case syntax.OpPlus:
		return match(re.Sub[0])
	case syntax.OpStar, syntax.OpQuest:
		return ""
	case syntax.OpRepeat:
		return strings.Repeat(match(re.Sub[0]), re.Min)
	case syntax.OpConcat:
		var b strings.Builder
		for _, s := range re.Sub {
			b.WriteString(match(s))
		}
		return b.String()
	case syntax.OpAlternate:
		return match(re.Sub[0])
	}
	return ""
}
