package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestKeywords has a schema X for each keyword: the lines that show it, and the
// least and the full sample.
func TestKeywords(t *testing.T) {
	tests := []struct {
		name    string
		version string // "" is 3.1.1
		doc     string
		want    string
		least   string
		full    string
	}{
		{name: "not", doc: `
    X: {type: string, not: {enum: [A, admin]}}
`, want: `
body: string
  <not>: "A" | "admin"
`, least: `"VALUE"`},
		{name: "not of an enumeration takes the values away", doc: `
    X: {enum: [a, b, c], not: {enum: [a]}}
`, want: `
body: "b" | "c"
`, least: `"b"`},
		{name: "not asks for a member to be absent", doc: `
    X: {type: object, required: [a], properties: {a: {type: string}, b: {type: string}}, not: {required: [b]}}
`, want: `
body: object
  a*: string
  b: string
  <not>: object  required: b
`, least: `{"a":"A"}`, full: `{"a":"A"}`},
		{name: "if, then and else by a constant", doc: `
    X:
      type: object
      required: [kind]
      properties: {kind: {enum: [card, cash]}, number: {type: string}}
      if: {properties: {kind: {const: card}}}
      then: {required: [number]}
      else: {properties: {number: false}}
`, want: `
body: object
  kind*: "card" | "cash"
  number: string
  when kind = "card":
    number*: string
  otherwise:
    number: never
`, least: `{"kind":"card","number":"NUMBER"}`},
		{name: "if of more than constants is shown part by part", doc: `
    X:
      type: object
      properties: {n: {type: integer}, why: {type: string}}
      if: {required: [n], properties: {n: {minimum: 10}}}
      then: {required: [why]}
`, want: `
body: object
  n: integer
  why: string
  <if>: object
    n*: number 10..
  <then>: object  required: why
`, least: `{}`, full: `{"n":0,"why":"WHY"}`},
		{name: "if with not", doc: `
    X:
      type: object
      properties: {a: {type: string}, b: {type: string}}
      if: {not: {required: [a]}}
      then: {required: [b]}
`, want: `
body: object
  a: string
  b: string
  when a:
    <other>: any
  otherwise:
    b*: string
`, least: `{"b":"B"}`},
		{name: "contains, minContains and maxContains", doc: `
    X:
      type: object
      required: [a, b, c]
      properties:
        a: {type: array, items: {type: string}, contains: {const: x}}
        b: {type: array, contains: {type: integer, minimum: 3}, minContains: 2, maxContains: 3}
        c: {type: array, items: {type: integer}, contains: {minimum: 3}, minContains: 0}
`, want: `
body: object
  a*: array
    <other>: string
    <contains>: "x"
  b*: array
    <contains 2..3>: integer 3..
  c*: integer[]
`, least: `{"a":["x"],"b":[3,4],"c":[0]}`},
		{name: "propertyNames", doc: `
    X: {type: object, additionalProperties: {type: integer}, propertyNames: {pattern: '^x-[a-z]+$', maxLength: 9}, minProperties: 2}
`, want: `
body: object size 2..
  <other>: integer
  <propertyNames>: string len ..9 /^x-[a-z]+$/
`, least: `{"x-a":0,"x-b":0}`},
		{name: "dependentRequired and dependentSchemas", doc: `
    X:
      type: object
      properties: {a: {type: string}, b: {type: string}, c: {type: string}}
      dependentRequired: {a: [b]}
      dependentSchemas:
        c: {properties: {d: {type: integer}}, required: [d]}
`, want: `
body: object
  a: string
  b: string
  c: string
  when a:
    b*: string
  when c:
    d*: integer
`, least: `{}`, full: `{"d":0,"a":"A","b":"B","c":"C"}`},
		{name: "a dependent schema that is more than members", doc: `
    X: {type: object, properties: {a: {type: string}, b: {type: integer}}, dependentSchemas: {a: {maxProperties: 1}}}
`, want: `
body: object
  a: string
  b: integer
  when a:
    <then>: object size ..1
`, least: `{}`, full: `{}`},
		{name: "unevaluatedProperties sees the parts of allOf", doc: `
    X:
      allOf: [{$ref: '#/components/schemas/P'}]
      properties: {b: {type: integer}}
      unevaluatedProperties: false
    P: {type: object, required: [a], properties: {a: {type: string}}}
`, want: `
body: object closed
  a*: string
  b: integer
`, least: `{"a":"A"}`, full: `{"a":"A","b":0}`},
		{name: "unevaluatedProperties sees the options of oneOf", doc: `
    X:
      type: object
      oneOf: [{required: [a], properties: {a: {type: string}}}, {required: [c], properties: {c: {type: string}}}]
      properties: {b: {type: integer}}
      unevaluatedProperties: false
`, want: `
body: object closed
  b: integer
  one of:
    option 1: object
      a*: string
    option 2: object
      c*: string
`, least: `{"a":"A"}`, full: `{"a":"A","b":0}`},
		{name: "unevaluatedProperties with a schema", doc: `
    X: {type: object, properties: {b: {type: integer}}, unevaluatedProperties: {type: string}, minProperties: 2}
`, want: `
body: object size 2..
  b: integer
  <other>: string
`, least: `{"b":0,"KEY":"VALUE"}`},
		{name: "additionalProperties sees only its own", doc: `
    X:
      allOf: [{type: object, properties: {a: {type: string}}}]
      properties: {b: {type: integer}}
      additionalProperties: false
`, want: `
body: object closed
  b: integer
`, least: `{}`, full: `{"b":0}`},
		{name: "prefixItems, items and unevaluatedItems", doc: `
    X:
      type: object
      required: [a, b, c, d]
      properties:
        a: {type: array, prefixItems: [{type: string}], items: false}
        b: {type: array, prefixItems: [{type: string}], unevaluatedItems: {type: integer}}
        c: {type: array, prefixItems: [{type: string}], contains: {type: integer}, unevaluatedItems: false}
        d: {type: array, prefixItems: [{type: string}]}
`, want: `
body: object
  a*: array closed
    item 1: string
  b*: array
    item 1: string
    <other>: integer
  c*: array
    item 1: string
    <contains>: integer
    <unevaluatedItems>: never
  d*: array
    item 1: string
`, least: `{"a":["A"],"b":["B"],"c":["C",0],"d":["D"]}`},
		{name: "contentMediaType, contentEncoding and contentSchema", doc: `
    X:
      type: object
      required: [a, b, c, d]
      properties:
        a: {type: string, contentMediaType: application/json, contentSchema: {type: object, required: [n], properties: {n: {type: integer}}}}
        b: {type: string, contentMediaType: image/png, contentEncoding: base64}
        c: {type: string, contentMediaType: application/octet-stream}
        d: {type: string, contentEncoding: base64}
`, want: `
body: object
  a*: string(application/json)
    <contentSchema>: object
      n*: integer
  b*: string(base64 image/png)
  c*: file(application/octet-stream)
  d*: string(base64)
`, least: `{"a":"{\"n\":0}","b":"AAAA","c":"C","d":"AAAA"}`},
		{name: "what is said of the values of an enumeration", doc: `
    X:
      type: object
      required: [a, b, c, d, e]
      properties:
        a: {enum: [open, done], x-enumDescriptions: {open: Waiting for someone, done: Done}}
        b: {type: integer, enum: [1, 2], x-enum-varnames: [ACTIVE, OFF]}
        c: {type: string, enum: [x, z], x-enum-descriptions: [The first, '']}
        d: {oneOf: [{const: l, title: Low, description: Not urgent}, {const: h, title: High}]}
        e: {type: array, items: {enum: [p, q], x-enumDescriptions: {q: 'Queue, waiting'}}}
`, want: `
body: object
  a*: "open" | "done"
    = "open"  # Waiting for someone
  b*: 1 | 2
    = 1  # ACTIVE
    = 2  # OFF
  c*: "x" | "z"
    = "x"  # The first
  d*: "l" | "h"
    = "l"  # Not urgent
    = "h"  # High
  e*: ("p" | "q")[]
    = "q"  # Queue, waiting
`, least: `{"a":"open","b":1,"c":"x","d":"l","e":["p"]}`},
		{name: "parts of an allOf that exclude each other are shown as they are", doc: `
    X:
      type: object
      properties:
        a: {allOf: [{type: string}, {type: integer}]}
        b: {allOf: [{enum: [x, y]}, {enum: [z]}]}
        c: {type: string, minLength: 1, allOf: [{type: object, required: [n]}]}
`, want: `
body: object
  a: any
    all of:
      part 1: string
      part 2: integer
  b: any
    all of:
      part 1: "x" | "y"
      part 2: "z"
  c: any
    all of:
      part 1: string len 1..
      part 2: object  required: n
`, least: `{}`, full: `{}`},
		{name: "a schema that allows nothing", doc: `
    X: {type: object, properties: {a: false, b: {not: {}}, c: {type: string}}}
`, want: `
body: object
  a: never
  b: never
  c: string
`, least: `{}`, full: `{"c":"C"}`},
		{name: "siblings of $ref apply since 3.1", doc: `
    X: {$ref: '#/components/schemas/P', required: [b], properties: {b: {type: integer}}}
    P: {type: object, required: [a], properties: {a: {type: string}}}
`, want: `
body: object
  a*: string
  b*: integer
`, least: `{"a":"A","b":0}`},
		{name: "siblings of $ref are ignored before 3.1", version: "3.0.3", doc: `
    X: {type: object, required: [p], properties: {p: {$ref: '#/components/schemas/P', maxLength: 1, nullable: true}}}
    P: {type: string}
`, want: `
body: object
  p*: string
`, least: `{"p":"P"}`},
		{name: "a base with subtypes and no mapping", doc: `
    X: {type: object, required: [p], properties: {p: {$ref: '#/components/schemas/Pet'}}}
    Pet: {type: object, required: [kind], properties: {kind: {type: string}}, discriminator: {propertyName: kind}}
    Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, required: [lives], properties: {lives: {type: integer}}}]}
    Lion: {allOf: [{$ref: '#/components/schemas/Cat'}, {type: object, properties: {mane: {type: boolean}}}]}
    Dog: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, properties: {tricks: {type: integer}}}]}
`, want: `
body: object
  p*: object
    kind*: "Cat" | "Dog" | "Lion"
    when kind = "Cat":
      lives*: integer
    when kind = "Dog":
      tricks: integer
    when kind = "Lion":
      lives*: integer
      mane: boolean
`, least: `{"p":{"kind":"Cat","lives":0}}`},
		{name: "3.0 nullable and exclusive bounds", version: "3.0.3", doc: `
    X: {type: object, required: [a], properties: {a: {type: integer, nullable: true, minimum: 1, exclusiveMinimum: true}}}
`, want: `
body: object
  a*: integer | null >1
`, least: `{"a":2}`},
		{name: "a variant that asks for something is worth more as a sample", doc: `
    X:
      oneOf: [{$ref: '#/components/schemas/Assistant'}, {$ref: '#/components/schemas/User'}]
      discriminator: {propertyName: role}
    Assistant: {type: object, required: [role], properties: {role: {const: assistant}, content: {type: string}}}
    User: {type: object, required: [role, content], properties: {role: {const: user}, content: {type: string}}}
`, want: `
body: object
  role*: "assistant" | "user"
  when role = "assistant":
    content: string
  when role = "user":
    content*: string
`, least: `{"role":"user","content":"CONTENT"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			version := tt.version
			if version == "" {
				version = "3.1.1"
			}
			comps := load(t, version, tt.doc)
			x := refTo(comps, "X")
			b := Describe(x, Request, &Options{Schemas: comps})
			if got := text(b); got != strings.TrimPrefix(tt.want, "\n") {
				t.Errorf("got:\n%s\nwant:%s", got, tt.want)
			}
			for _, l := range append([]string{"  body: " + b.Type}, b.Lines...) {
				if err := checkLine(l); err != nil {
					t.Errorf("%q is not in the grammar: %v", l, err)
				}
			}
			for _, s := range []struct {
				full bool
				want string
			}{{false, tt.least}, {true, tt.full}} {
				e := Sample(x, Request, &SampleOptions{Full: s.full, Schemas: comps})
				if !e.Valid {
					t.Errorf("full %t: %s is not valid: %v", s.full, e.Value.Compact(), e.Faults)
				}
				if got := e.Value.Compact(); s.want != "" && got != s.want {
					t.Errorf("full %t: %s, want %s", s.full, got, s.want)
				}
				if version == "3.1.1" {
					if err := referee(t, comps, "X", e.Value); err != nil {
						t.Errorf("full %t: %s: %v", s.full, e.Value.Compact(), err)
					}
				}
			}
		})
	}
}

// referee checks a value with a validator of JSON Schema that others wrote.
func referee(t testing.TB, comps openapi3.Schemas, name string, v *Value) error {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"components": map[string]any{"schemas": comps}})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("mem:///doc.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///doc.json#/components/schemas/" + name)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(v.Compact()))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(value)
}
