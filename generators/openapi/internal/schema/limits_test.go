package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

// hostile are documents made to keep a walk busy. A test that does not end is
// the failure.
var hostile = map[string]string{
	"each allOf the next one twice":     doubling(60, `{"allOf": [{"$ref": "#/components/schemas/S%[1]d"}, {"$ref": "#/components/schemas/S%[1]d"}]}`),
	"each oneOf the next one twice":     doubling(60, `{"oneOf": [{"$ref": "#/components/schemas/S%[1]d"}, {"$ref": "#/components/schemas/S%[1]d"}]}`),
	"each anyOf the next, and not it":   doubling(60, `{"anyOf": [{"$ref": "#/components/schemas/S%[1]d"}, {"not": {"$ref": "#/components/schemas/S%[1]d"}}]}`),
	"each has the next one twice":       doubling(60, `{"type": "object", "required": ["a", "b"], "properties": {"a": {"$ref": "#/components/schemas/S%[1]d"}, "b": {"$ref": "#/components/schemas/S%[1]d"}}}`),
	"each lists the next one ten times": doubling(12, `{"type": "array", "minItems": 10, "items": {"$ref": "#/components/schemas/S%[1]d"}}`),
	"all know all":                      complete(25),
	"a cycle of allOf":                  `{"S0": {"allOf": [{"$ref": "#/components/schemas/S1"}]}, "S1": {"allOf": [{"$ref": "#/components/schemas/S0"}], "type": "object"}}`,
	"a cycle of oneOf":                  `{"S0": {"oneOf": [{"$ref": "#/components/schemas/S1"}, {"type": "string"}]}, "S1": {"anyOf": [{"$ref": "#/components/schemas/S0"}, {"type": "object"}]}}`,
	"allOf of itself":                   `{"S0": {"allOf": [{"$ref": "#/components/schemas/S0"}, {"type": "object", "properties": {"x": {"$ref": "#/components/schemas/S0"}}}]}}`,
	"each if, then and else the next":   doubling(40, `{"if": {"$ref": "#/components/schemas/S%[1]d"}, "then": {"$ref": "#/components/schemas/S%[1]d"}, "else": {"$ref": "#/components/schemas/S%[1]d"}, "type": "object"}`),
	"each not the next one":             doubling(60, `{"not": {"allOf": [{"$ref": "#/components/schemas/S%[1]d"}, {"$ref": "#/components/schemas/S%[1]d"}]}, "type": "object"}`),
	"each depends on the next one":      doubling(40, `{"type": "object", "required": ["a"], "properties": {"a": {}}, "dependentSchemas": {"a": {"$ref": "#/components/schemas/S%[1]d"}, "b": {"$ref": "#/components/schemas/S%[1]d"}}}`),
	"each contains the next one twice":  doubling(40, `{"type": "array", "contains": {"$ref": "#/components/schemas/S%[1]d"}, "minContains": 2, "items": {"$ref": "#/components/schemas/S%[1]d"}, "unevaluatedItems": {"$ref": "#/components/schemas/S%[1]d"}}`),
	"unevaluated all the way":           doubling(40, `{"type": "object", "anyOf": [{"$ref": "#/components/schemas/S%[1]d"}, {"$ref": "#/components/schemas/S%[1]d"}], "unevaluatedProperties": {"$ref": "#/components/schemas/S%[1]d"}, "propertyNames": {"$ref": "#/components/schemas/S%[1]d"}}`),
	"a base of itself":                  `{"S0": {"type": "object", "discriminator": {"propertyName": "k"}, "allOf": [{"$ref": "#/components/schemas/S1"}]}, "S1": {"discriminator": {"propertyName": "k"}, "allOf": [{"$ref": "#/components/schemas/S0"}]}}`,
	"contradictions all the way":        doubling(40, `{"allOf": [{"type": "string"}, {"type": "integer"}, {"$ref": "#/components/schemas/S%[1]d"}, {"$ref": "#/components/schemas/S%[1]d"}]}`),
	"nested 400 deep":                   `{"S0": ` + strings.Repeat(`{"type": "array", "items": `, 400) + `{}` + strings.Repeat("}", 400) + `}`,
	"objects 400 deep":                  `{"S0": ` + strings.Repeat(`{"type": "object", "required": ["p"], "properties": {"p": `, 400) + `{}` + strings.Repeat("}}", 400) + `}`,
	"wide":                              wide(5000),
	"huge lengths":                      `{"S0": {"type": "object", "properties": {"a": {"type": "string", "minLength": 18446744073709551615}, "b": {"type": "array", "minItems": 9223372036854775807, "items": {}}, "c": {"type": "object", "minProperties": 1000000000, "additionalProperties": true}, "d": {"type": "string", "pattern": "^(a{1000}){1000}$"}, "e": {"type": "string", "pattern": "((((a*)*)*)*)*b", "minLength": 100}}}}`,
	"odd numbers":                       `{"S0": {"type": "object", "properties": {"a": {"type": "number", "minimum": 1e308, "exclusiveMinimum": true}, "b": {"type": "integer", "multipleOf": 0}, "c": {"type": "number", "multipleOf": -3, "minimum": 5}, "d": {"type": "integer", "minimum": 5, "maximum": 3}}}}`,
	"variants of variants": `{"S0": {"oneOf": [{"$ref": "#/components/schemas/S1"}, {"$ref": "#/components/schemas/S0"}], "discriminator": {"propertyName": "k"}},
		"S1": {"oneOf": [{"$ref": "#/components/schemas/S0"}, {"$ref": "#/components/schemas/S2"}], "discriminator": {"propertyName": "k"}},
		"S2": {"type": "object", "properties": {"k": {"type": "string"}, "s": {"$ref": "#/components/schemas/S0"}}}}`,
}

func doubling(n int, body string) string {
	var b strings.Builder
	b.WriteString("{")
	for i := range n {
		fmt.Fprintf(&b, `"S%d": `, i)
		fmt.Fprintf(&b, body, i+1)
		b.WriteString(", ")
	}
	fmt.Fprintf(&b, `"S%d": {"type": "object"}}`, n)
	return b.String()
}

func complete(n int) string {
	all := map[string]any{}
	for i := range n {
		props := map[string]any{}
		for j := range n {
			props[fmt.Sprintf("p%d", j)] = map[string]any{"anyOf": []any{
				map[string]any{"$ref": fmt.Sprintf("#/components/schemas/S%d", j)},
				map[string]any{"type": "object", "properties": map[string]any{fmt.Sprintf("q%d", i): map[string]any{"$ref": fmt.Sprintf("#/components/schemas/S%d", j)}}},
			}}
		}
		all[fmt.Sprintf("S%d", i)] = map[string]any{"type": "object", "properties": props}
	}
	b, _ := json.Marshal(all)
	return string(b)
}

func wide(n int) string {
	props := map[string]any{}
	for i := range n {
		props[fmt.Sprintf("p%d", i)] = map[string]any{"type": "string", "description": strings.Repeat("x ", 200)}
	}
	b, _ := json.Marshal(map[string]any{"S0": map[string]any{"type": "object", "properties": props}})
	return string(b)
}

func TestHostileSchemasEndWithinTheirBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("one thing after the other, and slow under the race detector")
	}
	for name, schemas := range hostile {
		t.Run(name, func(t *testing.T) {
			comps, err := loadJSON("3.1.0", schemas)
			if err != nil {
				t.Fatal(err)
			}
			exercise(t, comps, "S0")
		})
	}
}

func loadJSON(version, schemas string) (comps openapi3.Schemas, err error) {
	defer func() { // the loader's own faults are not what is tested here
		if p := recover(); p != nil {
			err = fmt.Errorf("the loader panicked: %v", p)
		}
	}()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(`{"openapi": "` + version + `", "info": {"title": "T", "version": "1"}, "paths": {}, "components": {"schemas": ` + schemas + `}}`))
	if err != nil || doc.Components == nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	return doc.Components.Schemas, nil
}

// exercise does all that can be done with a schema and checks what must hold of
// every result, whatever the schema says.
func exercise(t *testing.T, comps openapi3.Schemas, name string) {
	if comps[name] == nil {
		return
	}
	ref := &openapi3.SchemaRef{Ref: "#/components/schemas/" + name, Value: comps[name].Value}
	for _, d := range []Direction{Request, Response} {
		for _, opts := range []*Options{nil, {MaxLines: 5}, {TopOnly: true}, {SkipVariants: true, Multipart: true, XML: true, Schemas: comps}} {
			b := Describe(ref, d, opts)
			if again := Describe(ref, d, opts); text(again) != text(b) {
				t.Fatalf("described twice:\n%s\n%s", text(b), text(again))
			}
			limit := defaultLines
			if opts != nil && opts.MaxLines > 0 {
				limit = opts.MaxLines
			}
			if len(b.Lines) > limit {
				t.Fatalf("%d lines, want at most %d", len(b.Lines), limit)
			}
			if b.Truncated != (b.Omitted > 0) {
				t.Errorf("truncated %t, omitted %d", b.Truncated, b.Omitted)
			}
			for _, l := range append([]string{"  body: " + b.Type}, b.Lines...) {
				if !utf8.ValidString(l) || len(l) > 100000 {
					t.Fatalf("bad line %.200q", l)
				}
				if err := checkLine(l); err != nil {
					t.Errorf("%.300q is not in the grammar: %v", l, err)
				}
			}
		}
		for _, opts := range []*SampleOptions{nil, {Full: true, Name: "x"}, {Minimal: true, NonEmpty: true, Items: 3, Schemas: comps}} {
			e := Sample(ref, d, opts)
			if again := Sample(ref, d, opts); !reflect.DeepEqual(again, e) {
				t.Fatalf("sampled twice: %s %v, %s %v", e.Value, e.Faults, again.Value, again.Faults)
			}
			for _, s := range []string{e.Value.String(), e.Value.Compact(), e.Value.Line()} {
				if !json.Valid([]byte(s)) || len(s) > 4<<20 {
					t.Fatalf("%d bytes of no JSON: %.200s", len(s), s)
				}
			}
			for _, f := range e.Faults {
				if f.Message != oneLine(f.Message) && utf8.RuneCountInString(f.Message) <= maxComment {
					t.Errorf("fault %q is not one safe line", f.Message)
				}
			}
			for _, in := range []string{"query", "path", "header", "cookie"} {
				for _, style := range []string{"", "deepObject", "matrix"} {
					_, _ = serialize(&openapi3.Parameter{Name: "p", In: in, Style: style}, e.Value)
				}
			}
			_, _ = SerializeForm(nil, e.Value)
			_ = XML(ref, e.Value, comps)
		}
	}
	Added(ref, nil)
}

// FuzzSchemas feeds schema documents through the loader and all of this
// package. The input is the value of components.schemas.
func FuzzSchemas(f *testing.F) {
	for _, s := range hostile {
		if len(s) < 4000 {
			f.Add(s)
		}
	}
	for _, s := range []string{
		`{"A": {"type": "object", "required": ["a"], "properties": {"a": {"type": ["string", "null"], "pattern": "^[a-z]+$", "default": "x"}, "b\n": {"$ref": "#/components/schemas/A"}}}}`,
		`{"A": {"oneOf": [{"$ref": "#/components/schemas/B"}, {"$ref": "#/components/schemas/C"}], "discriminator": {"propertyName": "t", "mapping": {"b": "B", "c": "#/components/schemas/C"}}}, "B": {"type": "object", "properties": {"t": {"const": "b"}}}, "C": {"allOf": [{"$ref": "#/components/schemas/B"}, {"required": ["z"]}]}}`,
		`{"A": {"enum": ["` + "`````" + `", 1, null, {"a": [1]}], "description": "# x\n~~~\n\u202e"}}`,
		`{"A": {"x-apiskills-stub": "B", "type": "object", "required": ["p", "q r"]}, "C": {"allOf": [{"$ref": "#/components/schemas/A"}], "nullable": true, "title": "T"}}`,
		`{"A": {"type": "array", "uniqueItems": true, "minItems": 3, "maxItems": 2, "items": {"type": "integer", "minimum": 1, "exclusiveMaximum": 3}, "example": "[1,2]"}}`,
		`{"A": {"type": "object", "additionalProperties": {"not": {}}, "minProperties": 2, "patternProperties": {"^x": true}, "propertyNames": {"maxLength": 1}, "if": {"required": ["a"]}, "then": {"required": ["b"]}, "dependentRequired": {"a": ["c"]}}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, schemas string) {
		if len(schemas) > 4096 {
			return
		}
		for _, version := range []string{"3.0.3", "3.1.0"} {
			comps, err := loadJSON(version, schemas)
			if err != nil {
				return
			}
			n := 0
			for name := range comps {
				if n++; n > 4 {
					break
				}
				exercise(t, comps, name)
			}
		}
	})
}
