package schema

import (
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestSample has a document per rule; the sample is one of its schema X.
func TestSample(t *testing.T) {
	tests := []struct {
		name    string // the rule
		doc     string
		dir     Direction
		opts    SampleOptions
		old     bool // OpenAPI 3.0
		want    string
		origin  Origin
		invalid bool
		fault   string // part of one
	}{
		{name: "required members only", doc: `
    X: {type: object, required: [b], properties: {a: {type: string}, b: {type: integer}}}
`, want: `{"b": 0}`},
		{name: "all members if asked", opts: SampleOptions{Full: true}, doc: `
    X: {type: object, required: [b], properties: {a: {type: string}, b: {type: integer}}}
`, want: `{"b": 0, "a": "A"}`},
		{name: "one member where none would say nothing", opts: SampleOptions{NonEmpty: true}, doc: `
    X: {type: object, properties: {a: {type: object, properties: {n: {type: string}}}, b: {type: string}}}
`, want: `{"b": "B"}`},
		{name: "minProperties is met", doc: `
    X: {type: object, minProperties: 2, properties: {a: {type: string}, b: {type: string}, c: {type: string}}}
`, want: `{"a": "A", "b": "B"}`},
		{name: "the document's example, in the order of the notation", origin: FromDocument, doc: `
    X:
      type: object
      required: [z]
      properties: {a: {type: string}, z: {type: integer}}
      example: {a: hello, z: 7}
`, want: `{"z": 7, "a": "hello"}`},
		{name: "an example reduced to what is required is made", opts: SampleOptions{Minimal: true}, doc: `
    X:
      type: object
      required: [z]
      properties: {a: {type: string}, z: {type: integer}}
      example: {a: hello, z: 7}
`, want: `{"z": 7}`},
		{name: "an example with all that is asked for stays the document's", opts: SampleOptions{Minimal: true}, origin: FromDocument, doc: `
    X:
      type: object
      required: [z]
      properties: {a: {type: string}, z: {type: integer}}
      example: {z: 7}
`, want: `{"z": 7}`},
		{name: "an example is completed", opts: SampleOptions{Full: true}, doc: `
    X:
      type: object
      required: [z]
      properties: {a: {type: string}, z: {type: integer}}
      example: {z: 7}
`, want: `{"z": 7, "a": "A"}`},
		{name: "an invalid example is not used, and reported", doc: `
    X: {type: object, required: [z], properties: {z: {type: integer, example: seven}}, example: {z: eight}}
`, want: `{"z": 0}`, fault: "string where integer is expected"},
		{name: "an example loses what does not travel", origin: FromDocument, doc: `
    X:
      type: object
      required: [id, name]
      properties: {id: {type: string, readOnly: true}, name: {type: string}}
      example: {id: x1, name: n}
`, want: `{"name": "n"}`},
		{name: "an example that is JSON in a string is read", origin: FromDocument, doc: `
    X: {type: object, required: [z], properties: {z: {type: integer}}, example: '{"z": 3}'}
`, want: `{"z": 3}`},
		{name: "examples of 3.1, first valid one", origin: FromDocument, doc: `
    X: {type: string, maxLength: 3, examples: [much too long, abc]}
`, want: `"abc"`, fault: "13 characters"},
		{name: "enum, const, default", doc: `
    X:
      type: object
      required: [a, b, c, d]
      properties: {a: {enum: [x, y]}, b: {const: 5}, c: {type: integer, default: 50}, d: {type: array, default: [], items: {type: string}}}
`, want: `{"a": "x", "b": 5, "c": 50, "d": ["D"]}`},
		{name: "formats", opts: SampleOptions{Full: true}, doc: `
    X:
      type: object
      properties:
        a: {type: string, format: date-time}
        b: {type: string, format: email}
        c: {type: string, format: uuid}
        d: {type: string, format: uri}
        e: {type: string, format: date}
        f: {type: string, format: no-such}
        g: {type: string, format: ipv4}
`, want: `{
  "a": "2026-01-01T00:00:00Z",
  "b": "user@example.com",
  "c": "00000000-0000-4000-8000-000000000000",
  "d": "https://example.com/",
  "e": "2026-01-01",
  "f": "F",
  "g": "192.0.2.1"
}`},
		{name: "patterns", opts: SampleOptions{Full: true}, doc: `
    X:
      type: object
      properties:
        a: {type: string, pattern: '^smp_[a-z0-9]{10}$'}
        b: {type: string, pattern: '^-?[0-9.]+,-?[0-9.]+;[0-9]+m$'}
        c: {type: string, pattern: '^[A-Z]+$', minLength: 3}
        d: {type: string, pattern: '^(long|or|other)$'}
        e: {type: string, pattern: '\S'}
        f: {type: string, pattern: '[0-9]', minLength: 4}
        g: {type: string, pattern: '^\u00e9$'}
`, want: `{"a": "smp_aaaaaaaaaa", "b": "0,0;0m", "c": "AAA", "d": "or", "e": "a", "f": "0000", "g": "é"}`},
		{name: "a pattern of another dialect is reported", doc: `
    X: {type: string, pattern: '^(?=a)b$'}
`, opts: SampleOptions{Name: "code"}, want: `"CODE"`, fault: "no text could be made"},
		{name: "numbers keep their bounds", opts: SampleOptions{Full: true}, doc: `
    X:
      type: object
      properties:
        a: {type: integer, minimum: 1, maximum: 9}
        b: {type: number, exclusiveMinimum: 0}
        c: {type: number, exclusiveMinimum: 0, exclusiveMaximum: 1}
        d: {type: integer, minimum: 7, multipleOf: 5}
        e: {type: number, maximum: -2}
        f: {type: integer, minimum: -10, maximum: 10}
        g: {type: integer, exclusiveMaximum: 0}
        h: {type: integer, minimum: 0.5}
`, want: `{"a": 1, "b": 1, "c": 0.5, "d": 10, "e": -2, "f": 0, "g": -1, "h": 1}`},
		{name: "strings are the name, cut or padded", opts: SampleOptions{Full: true}, doc: `
    X:
      type: object
      properties: {labelText: {type: string}, id: {type: string, minLength: 5}, long-name: {type: string, maxLength: 4}, "ß!": {type: string}}
`, want: `{"id": "IDXXX", "labelText": "LABEL_TEXT", "long-name": "LONG", "ß!": "VALUE"}`},
		{name: "one item, or minItems, and different ones if they must be unique", opts: SampleOptions{Full: true}, doc: `
    X:
      type: object
      properties:
        tags: {type: array, items: {type: string}}
        b: {type: array, minItems: 2, items: {type: integer}}
        c: {type: array, minItems: 3, uniqueItems: true, items: {enum: [p, q, r]}}
        d: {type: array, minItems: 2, uniqueItems: true, items: {type: string, pattern: '^(0|[1-9][0-9]*)$'}}
        e: {type: array, maxItems: 0, items: {type: string}}
        f: {type: array, prefixItems: [{type: string}, {type: integer}]}
`, want: `{"b": [0, 1], "c": ["p", "q", "r"], "d": ["0", "1"], "e": [], "f": ["F", 0], "tags": ["TAG"]}`},
		{name: "a map has one entry", opts: SampleOptions{Full: true}, doc: `
    X: {type: object, properties: {m: {type: object, additionalProperties: {type: string}}}}
`, want: `{"m": {"KEY": "VALUE"}}`},
		{name: "readOnly in answers, writeOnly in requests", dir: Response, opts: SampleOptions{Full: true}, doc: readWrite,
			want: `{"id": "ID", "name": "NAME"}`},
		{name: "readOnly members are not required of a request", opts: SampleOptions{Full: true}, doc: readWrite,
			want: `{"name": "NAME", "secret": "SECRET"}`},
		{name: "a cycle ends at null, or without the member", opts: SampleOptions{Full: true}, doc: `
    X:
      type: object
      properties:
        name: {type: string}
        a: {anyOf: [{$ref: '#/components/schemas/X'}, {type: "null"}]}
        b: {$ref: '#/components/schemas/X'}
        c: {type: array, items: {$ref: '#/components/schemas/X'}}
        d: {type: object, additionalProperties: {$ref: '#/components/schemas/X'}}
`, want: `{"a": null, "c": [], "d": {}, "name": "NAME"}`},
		{name: "a cycle without an end has no value", invalid: true, doc: `
    X: {type: object, required: [x], properties: {x: {$ref: '#/components/schemas/X'}}}
`, want: `null`, fault: "no value can be made"},
		{name: "oneOf takes the first variant", doc: shapes, want: `{"kind": "circle", "id": "ID", "radius": 0}`},
		{name: "or the one asked for", opts: SampleOptions{Variant: "square", Full: true}, doc: shapes,
			want: `{"kind": "square", "id": "ID", "label": "LABEL", "side": 0, "colour": "COLOUR"}`},
		{name: "an option is taken that is not the others as well", doc: `
    X: {oneOf: [{type: object, properties: {a: {type: string}}}, {type: object, properties: {b: {type: string}}}, {type: array, items: {type: string}}]}
`, opts: SampleOptions{Name: "things"}, want: `["THING"]`},
		{name: "options that only require members", doc: `
    X: {type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}
`, want: `{"a": "A"}`},
		{name: "what another member asks for comes with it", doc: `
    X: {type: object, required: [card], properties: {card: {type: string}, cvc: {type: string}}, dependentRequired: {card: [cvc]}}
`, want: `{"card": "CARD", "cvc": "CVC"}`},
		{name: "allOf narrows a value", doc: `
    X:
      allOf:
        - {type: object, required: [n], properties: {n: {type: integer, minimum: 5}}}
        - {type: object, properties: {n: {type: integer, multipleOf: 4}}}
`, want: `{"n": 8}`},
		{name: "3.0 nullable is not null", old: true, doc: `
    X: {type: object, required: [a], properties: {a: {type: string, nullable: true}}}
`, want: `{"a": "A"}`},
		{name: "contradictions are said", invalid: true, doc: `
    X: {type: string, minLength: 5, maxLength: 2}
`, want: `null`, fault: "no sample fits"},
		{name: "the seed's members are used", opts: SampleOptions{Full: true, Seed: ValueOf(map[string]any{"a": "given", "b": "no number"})}, doc: `
    X: {type: object, properties: {a: {type: string}, b: {type: integer}}}
`, want: `{"a": "given", "b": 0}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			version := "3.1.0"
			if tt.old {
				version = "3.0.3"
			}
			comps := load(t, version, strings.TrimPrefix(tt.doc, "\n"))
			tt.opts.Schemas = comps
			e := Sample(refTo(comps, "X"), tt.dir, &tt.opts)
			if got := e.Value.String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if e.Origin != tt.origin || e.Valid == tt.invalid {
				t.Errorf("origin %d, valid %t; faults %v", e.Origin, e.Valid, e.Faults)
			}
			found := tt.fault == "" && len(e.Faults) == 0
			for _, f := range e.Faults {
				found = found || tt.fault != "" && strings.Contains(f.Message, tt.fault)
			}
			if !found {
				t.Errorf("faults %v, want %q", e.Faults, tt.fault)
			}
		})
	}
}

func TestMediaTypeSampleTakesTheFirstValidExample(t *testing.T) {
	comps := load(t, "3.1.0", `
    X: {type: object, required: [n], properties: {n: {type: integer}, m: {type: string}}}
`)
	example := func(v any) *openapi3.ExampleRef { return &openapi3.ExampleRef{Value: openapi3.NewExample(v)} }
	mt := &openapi3.MediaType{Schema: refTo(comps, "X"), Examples: openapi3.Examples{
		"b": example(map[string]any{"n": 2.0}),
		"a": example(map[string]any{"n": "two"}),
		"c": example(map[string]any{"n": 3.0}),
	}}
	e := MediaTypeSample(mt, Request, nil)
	if e.Value.Line() != `{"n": 2}` || e.Name != "b" || e.Origin != FromDocument || len(e.Faults) != 1 {
		t.Errorf("got %s, %+v", e.Value, e)
	}
	mt = &openapi3.MediaType{Example: "as it is"}
	if e := MediaTypeSample(mt, Response, nil); e.Value.Line() != `"as it is"` || e.Origin != FromDocument {
		t.Errorf("without a schema: %s, %+v", e.Value, e)
	}
	if e := MediaTypeSample(nil, Response, nil); !e.Value.IsNull() {
		t.Errorf("of nothing: %s", e.Value)
	}
}

func TestParameterSampleIsOfItsContentToo(t *testing.T) {
	p := openapi3.NewQueryParameter("filter")
	p.Content = openapi3.Content{"application/json": {
		Schema:  openapi3.NewObjectSchema().WithProperty("kind", openapi3.NewStringSchema()).NewRef(),
		Example: map[string]any{"kind": "soil"},
	}}
	if e := ParameterSample(p, nil); e.Value.Line() != `{"kind": "soil"}` || e.Origin != FromDocument {
		t.Errorf("got %s, %+v", e.Value, e)
	}
	p = openapi3.NewQueryParameter("sites")
	p.Schema = openapi3.NewArraySchema().WithItems(openapi3.NewStringSchema()).NewRef()
	if e := ParameterSample(p, &SampleOptions{Items: 2}); e.Value.Line() != `["SITE", "SITE2"]` {
		t.Errorf("got %s", e.Value)
	}
}
