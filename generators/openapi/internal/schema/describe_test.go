package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestDescribe has a document per rule; what is described is its schema X.
func TestDescribe(t *testing.T) {
	tests := []struct {
		name string // the rule
		doc  string
		dir  Direction
		opts Options
		old  bool // OpenAPI 3.0
		want string
	}{
		{name: "members are sorted required first, then by name", doc: `
    X:
      type: object
      required: [zeta, alpha]
      properties:
        mu: {type: boolean}
        zeta: {type: string}
        beta: {type: integer, format: int64}
        alpha: {type: number}
`, want: `
body: object
  alpha*: number
  zeta*: string
  beta: integer(int64)
  mu: boolean
`},
		{name: "bounds, lengths, sizes, steps and patterns", doc: `
    X:
      type: object
      properties:
        a: {type: integer, minimum: 1, maximum: 10}
        b: {type: integer, minimum: 1}
        c: {type: number, exclusiveMinimum: 0, maximum: 5}
        d: {type: number, minimum: 0, exclusiveMaximum: 45}
        e: {type: number, maximum: -0.5, multipleOf: 0.25}
        f: {type: string, minLength: 1, maxLength: 80}
        g: {type: string, maxLength: 9, pattern: '^a/b\d+$'}
        h: {type: array, minItems: 1, uniqueItems: true, items: {type: string}}
        i: {type: object, additionalProperties: {type: integer}, maxProperties: 3}
        j: {type: integer, format: int64, maximum: 9223372036854775807}
`, want: `
body: object
  a: integer 1..10
  b: integer 1..
  c: number >0 ..5
  d: number 0..<45
  e: number ..-0.5 step 0.25
  f: string len 1..80
  g: string len ..9 /^a\/b\d+$/
  h: string[] unique size 1..
  i: map of integer size ..3
  j: integer(int64) ..9223372036854775807
`},
		{name: "3.0 exclusive bounds and nullable", old: true, doc: `
    X:
      type: object
      properties:
        a: {type: number, minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true}
        b: {type: string, nullable: true, maxLength: 5}
        c: {type: string, nullable: true, enum: [x, y, null]}
        d: {nullable: true, allOf: [{$ref: '#/components/schemas/P'}]}
        e: {type: object, nullable: true, allOf: [{$ref: '#/components/schemas/P'}], description: the e}
    P: {type: object, required: [n], properties: {n: {type: string}}}
`, want: `
body: object
  a: number >0 ..<1
  b: string | null len ..5
  c: "x" | "y" | null
  d: (object as @P) | null
    n*: string
  e: @P | null  # the e
`},
		{name: "3.1 type arrays, const, null and type null", doc: `
    X:
      type: object
      properties:
        a: {type: [string, "null"], maxLength: 5}
        b: {type: [string, integer]}
        c: {const: respond-async}
        d: {const: 7}
        e: {type: "null"}
        f: {oneOf: [{$ref: '#/components/schemas/P'}, {type: "null"}]}
        g: {enum: [1, 2.5, true, null, a]}
    P: {type: object, required: [n], properties: {n: {type: string}}}
`, want: `
body: object
  a: string | null len ..5
  b: string | integer
  c: "respond-async"
  d: 7
  e: null
  f: object | null
    n*: string
  g: 1 | 2.5 | true | "a" | null
`},
		{name: "arrays of anything but a plain type stand in parentheses", doc: `
    X:
      type: object
      properties:
        a: {type: array, items: {type: string, maxLength: 3}}
        b: {type: array, items: {enum: [x, y]}, default: []}
        c: {type: array, items: {type: [string, "null"], default: x}}
        d: {type: array, items: {type: array, items: {type: integer}}}
        e: {type: array, items: {type: object, additionalProperties: false, properties: {n: {type: string}}}}
        f: {type: array}
        g: {type: [array, "null"], items: {type: string, minLength: 1}, maxItems: 2}
`, want: `
body: object
  a: (string len ..3)[]
  b: ("x" | "y")[] default []
  c: (string | null)[]
  d: integer[][]
  e: (object closed)[]
    n: string
  f: any[]
  g: (string len 1..)[] | null size ..2
`},
		{name: "objects: maps, other members, closed", doc: `
    X:
      type: object
      minProperties: 1
      additionalProperties: {type: string, maxLength: 9}
      properties:
        a: {type: object}
        b: {type: object, additionalProperties: true}
        c: {type: object, additionalProperties: {type: [string, "null"]}}
        d: {type: object, additionalProperties: {$ref: '#/components/schemas/P'}}
        e: {type: object, additionalProperties: false}
        f: {type: object, additionalProperties: true, properties: {n: {type: string}}}
    P: {type: object, required: [n], properties: {n: {type: string}}}
`, want: `
body: object size 1..
  a: object
  b: map of any
  c: map of (string | null)
  d: map of object
    n*: string
  e: object closed
  f: object
    n: string
    <other>: any
  <other>: string len ..9
`},
		{name: "readOnly members are not in a request", doc: readWrite, want: `
body: object
  name*: string
  secret*: string writeOnly
`},
		{name: "writeOnly members are not in an answer", dir: Response, doc: readWrite, want: `
body: object
  id*: string
  name*: string
`},
		{name: "default and deprecated", doc: `
    X:
      type: object
      properties:
        a: {type: string, default: "say \"hi\" <b>", deprecated: true}
        b: {type: integer, default: 0}
        c: {type: boolean, default: false}
        d: {type: object, default: {k: [1]}, additionalProperties: {type: array, items: {type: integer}}}
`, want: `
body: object
  a: string default "say \"hi\" <b>" deprecated
  b: integer default 0
  c: boolean default false
  d: map of integer[] default {"k": [1]}
`},
		{name: "descriptions are comments, titles only if they say more than the name", doc: `
    X:
      type: object
      description: |-
        The
        whole.
      properties:
        owner: {$ref: '#/components/schemas/simple-user', description: Who has it}
        user: {$ref: '#/components/schemas/simple-user'}
        size: {type: integer, title: Size in bytes}
        code: {type: integer, title: error_code}
    simple-user: {type: string, title: Simple User}
`, want: `
body: object  # The whole.
  code: integer
  owner: string  # Who has it
  size: integer  # Size in bytes
  user: string
`},
		{name: "allOf is merged, and a member said twice is narrowed", doc: `
    X:
      allOf:
        - $ref: '#/components/schemas/Base'
        - type: object
          required: [b]
          properties:
            kind: {const: soil}
            b: {type: integer, maximum: 10}
            c: {type: string, minLength: 1}
    Base:
      type: object
      required: [kind]
      properties:
        kind: {type: string, enum: [soil, water]}
        b: {type: number, minimum: 1}
        c: {type: string, maxLength: 5}
`, want: `
body: object
  b*: integer 1..10
  kind*: "soil"
  c: string len 1..5
`},
		{name: "a name is given only where it is used again", doc: `
    X:
      type: object
      properties:
        first: {$ref: '#/components/schemas/Person'}
        second: {$ref: '#/components/schemas/Person'}
        third: {$ref: '#/components/schemas/Place'}
        list: {type: array, items: {$ref: '#/components/schemas/Person'}}
        id1: {$ref: '#/components/schemas/Id'}
        id2: {$ref: '#/components/schemas/Id'}
    Person: {type: object, properties: {name: {type: string}}}
    Place: {type: object, properties: {name: {type: string}}}
    Id: {type: string, pattern: '^[a-z]$'}
`, want: `
body: object
  first: object as @Person
    name: string
  id1: string /^[a-z]$/
  id2: string /^[a-z]$/
  list: @Person[]
  second: @Person
  third: object
    name: string
`},
		{name: "recursion is named", doc: `
    X:
      type: object
      required: [name]
      properties:
        name: {type: string}
        parent: {anyOf: [{$ref: '#/components/schemas/X'}, {type: "null"}]}
        children: {type: array, items: {$ref: '#/components/schemas/X'}}
        inline:
          type: object
          properties:
            back: {$ref: '#/components/schemas/X'}
`, want: `
body: object as @X
  name*: string
  children: @X[]
  inline: object
    back: @X
  parent: @X | null
`},
		{name: "recursion without an object between is cut and marked", doc: `
    X:
      oneOf:
        - type: string
        - type: array
          items: {$ref: '#/components/schemas/X'}
`, want: `
body: string | (any (X, not expanded))[]
`},
		{name: "a name that is not plain is a JSON string", doc: `
    X:
      type: object
      required: ["a b"]
      properties:
        "a b": {type: string}
        "x\ny": {type: string}
        "q\"": {$ref: '#/components/schemas/X'}
        "\u202Eevil\u200B": {type: string}
        "@id": {type: string}
        "ß": {type: string}
`, want: `
body: object as @X
  "a b"*: string
  "@id": string
  "q\"": @X
  "x\ny": string
  "ß": string
  "\u202eevil\u200b": string
`},
		{name: "a discriminator splits members into common ones and those of a value", doc: shapes, want: `
body: object
  kind*: "circle" | "round" | "square"
  id*: string
  label: string
  when kind = "circle" | "round":
    radius*: number
  when kind = "square":
    side*: number
    colour: string
`},
		{name: "without a mapping the values are constants, else component names", doc: `
    X:
      oneOf:
        - $ref: '#/components/schemas/Cat'
        - $ref: '#/components/schemas/Dog'
      discriminator: {propertyName: pet}
    Cat: {type: object, required: [pet], properties: {pet: {type: string}, lives: {type: integer}}}
    Dog: {type: object, required: [pet], properties: {pet: {enum: [hound]}, tricks: {type: integer}}}
`, want: `
body: object
  pet*: "Cat" | "hound"
  when pet = "Cat":
    lives: integer
  when pet = "hound":
    tricks: integer
`},
		{name: "a constant that each option requires is as good as a discriminator", doc: `
    X:
      anyOf:
        - {type: object, required: [type, a], properties: {type: {const: 1}, a: {type: string}}}
        - {type: object, required: [type], properties: {type: {const: 2}, b: {type: string}}}
`, want: `
body: object
  type*: 1 | 2
  when type = 1:
    a*: string
  when type = 2:
    b: string
`},
		{name: "a base schema with a mapping finds its subtypes among the components", doc: `
    X:
      type: object
      required: [kind]
      properties: {kind: {type: string}, id: {type: string}}
      discriminator: {propertyName: kind, mapping: {a: A, b: '#/components/schemas/B'}}
    A: {allOf: [{$ref: '#/components/schemas/X'}, {type: object, properties: {left: {type: string}}}]}
    B: {allOf: [{$ref: '#/components/schemas/X'}, {type: object, properties: {right: {type: string}}}]}
`, want: `
body: object
  kind*: "a" | "b"
  id: string
  when kind = "a":
    left: string
  when kind = "b":
    right: string
`},
		{name: "a subtype does not show its siblings", doc: `
    X: {allOf: [{$ref: '#/components/schemas/Base'}, {type: object, properties: {left: {type: string}}}]}
    Base:
      type: object
      required: [kind]
      properties: {kind: {type: string}}
      discriminator: {propertyName: kind, mapping: {x: X}}
`, want: `
body: object
  kind*: string
  left: string
`},
		{name: "oneOf of shapes that nothing tells apart", doc: `
    X:
      type: object
      properties:
        pay:
          oneOf:
            - {type: object, required: [card], properties: {card: {type: string}}}
            - {type: object, required: [iban], properties: {iban: {type: string}}, description: By bank}
            - {type: string}
        either:
          anyOf:
            - {type: string, format: uri}
            - {type: array, items: {type: object, properties: {n: {type: string}}}}
        small: {anyOf: [{type: string, maxLength: 3}, {type: integer, minimum: 1}, {enum: [x]}]}
`, want: `
body: object
  either: string(uri) | object[]
    n: string
  pay: object | string
    one of:
      option 1: object
        card*: string
      option 2: object  # By bank
        iban*: string
      option 3: string
  small: (string len ..3) | (integer 1..) | "x"
`},
		{name: "a choice that is used again is any, and its options say the rest", doc: `
    X: {type: object, properties: {a: {$ref: '#/components/schemas/U'}, b: {$ref: '#/components/schemas/U'}}}
    U:
      oneOf:
        - {type: object, properties: {p: {type: string}}}
        - {type: array, items: {type: object, properties: {q: {type: string}}}}
`, want: `
body: object
  a: any as @U
    one of:
      option 1: object
        p: string
      option 2: object[]
        q: string
  b: @U
`},
		{name: "options that only require members name them", doc: `
    X:
      type: object
      properties: {a: {type: string}, b: {type: string}}
      anyOf: [{required: [a]}, {required: [b, a]}]
`, want: `
body: object
  a: string
  b: string
  any of:
    option 1: object  required: a
    option 2: object  required: a, b
`},
		{name: "members that another one asks for", doc: `
    X:
      type: object
      properties: {card: {type: string}, cvc: {type: string}}
      dependentRequired: {card: [cvc]}
`, want: `
body: object
  card: string
  cvc: string
  when card:
    cvc*: string
`},
		{name: "a long enumeration shows twelve values", doc: `
    X: {enum: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]}
`, want: `
body: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | ... 9 more
`},
		{name: "a stub keeps its kind, its name and what is required", doc: `
    X:
      type: object
      properties:
        a: {$ref: '#/components/schemas/Big'}
        b: {type: array, items: {$ref: '#/components/schemas/Big'}}
        c: {oneOf: [{$ref: '#/components/schemas/Big'}, {type: "null"}]}
        d: {x-apiskills-stub: '#/components/schemas/odd~1name'}
    Big: {x-apiskills-stub: Big, type: object, required: [b, a]}
`, want: `
body: object
  a: object (Big, not expanded)  required: a, b
  b: (object (Big, not expanded)  required: a, b)[]
  c: object (Big, not expanded) | null  required: a, b
  d: any ("odd/name", not expanded)
`},
		{name: "files", doc: `
    X:
      type: object
      properties:
        a: {type: string, format: binary}
        b: {type: string, contentMediaType: image/png}
        c: {type: string, contentEncoding: base64}
        d: {type: string, format: byte}
        e: {contentMediaType: application/pdf}
`, want: `
body: object
  a: file
  b: file(image/png)
  c: string(base64)
  d: string(byte)
  e: file(application/pdf)
`},
		{name: "parts of a multipart body carry their type", doc: `
    X:
      type: object
      required: [file]
      properties:
        file: {type: string, format: binary}
        plain: {type: string, format: binary}
        meta: {type: object, properties: {n: {type: string}}}
        free: {type: object, additionalProperties: {type: string}}
        note: {type: string, maxLength: 5}
        when: {type: string, format: date}
        pics: {type: array, items: {type: string, format: binary}, maxItems: 4}
`, opts: Options{Multipart: true, Encoding: openapi3.Encodings{
			"file": {ContentType: "image/jpeg, image/png"},
			"pics": {ContentType: "image/jpeg"},
		}}, want: `
body: object
  file*: file(image/jpeg | image/png)
  free: object(application/json)
    <other>: string
  meta: object(application/json)
    n: string
  note: string(text/plain) len ..5
  pics: file(image/jpeg)[] size ..4
  plain: file
  when: string(date)
`},
		{name: "top only leaves out what is nested", opts: Options{TopOnly: true}, doc: `
    X:
      type: object
      properties:
        a: {type: object, properties: {n: {type: string}}}
        b: {type: array, items: {$ref: '#/components/schemas/X'}}
        c: {type: string}
`, want: `
body: object as @X
  a: object
  b: @X[]
  c: string
`},
		{name: "lines past the limit are counted", opts: Options{MaxLines: 3}, doc: `
    X:
      type: object
      properties: {a: {type: string}, b: {type: object, properties: {n: {type: string}}}, c: {type: string}, d: {type: string}}
`, want: `
body: object
  a: string
  b: object
  ... 3 more members
`},
		{name: "a component may be marked for use elsewhere in the file", opts: Options{Mark: map[string]bool{"P": true}}, doc: `
    X: {type: object, properties: {p: {oneOf: [{$ref: '#/components/schemas/P'}, {type: "null"}]}}}
    P: {type: object, properties: {n: {type: string}}}
`, want: `
body: object
  p: (object as @P) | null
    n: string
`},
		{name: "a component shown before is only named", opts: Options{Known: map[string]bool{"P": true}}, doc: `
    X: {type: object, properties: {p: {oneOf: [{$ref: '#/components/schemas/P'}, {type: "null"}]}}}
    P: {type: object, properties: {n: {type: string}}}
`, want: `
body: object
  p: @P | null
`},
		{name: "boolean and empty schemas", doc: `
    X:
      type: object
      properties: {a: true, b: {}, c: false, d: {description: Anything}}
`, want: `
body: object
  a: any
  b: any
  c: never
  d: any  # Anything
`},
		{name: "a closed part excludes what only others name", doc: `
    X:
      allOf:
        - {type: object, additionalProperties: false, properties: {a: {type: string}}}
        - {type: object, properties: {b: {type: string}}}
`, want: `
body: object closed
  a: string
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			version := "3.1.0"
			if tt.old {
				version = "3.0.3"
			}
			comps := load(t, version, strings.TrimPrefix(tt.doc, "\n"))
			tt.opts.Schemas = comps
			b := Describe(refTo(comps, "X"), tt.dir, &tt.opts)
			if got := "\n" + text(b); got != tt.want {
				t.Errorf("got:%s\nwant:%s", got, tt.want)
			}
			for _, l := range b.Lines {
				if err := checkLine(l); err != nil {
					t.Errorf("%q is not in the grammar: %v", l, err)
				}
			}
		})
	}
}

const readWrite = `
    X:
      type: object
      required: [id, name, secret]
      properties:
        id: {type: string, readOnly: true}
        name: {type: string}
        secret: {$ref: '#/components/schemas/Secret'}
    Secret: {allOf: [{type: string}], writeOnly: true}
`

const shapes = `
    X:
      oneOf:
        - $ref: '#/components/schemas/Square'
        - $ref: '#/components/schemas/Circle'
      discriminator:
        propertyName: kind
        mapping:
          square: '#/components/schemas/Square'
          round: '#/components/schemas/Circle'
          circle: '#/components/schemas/Circle'
    Base:
      type: object
      required: [kind, id]
      properties: {kind: {type: string}, id: {type: string}, label: {type: string}}
    Square:
      allOf:
        - $ref: '#/components/schemas/Base'
        - {type: object, required: [side], properties: {side: {type: number}, colour: {type: string}}}
    Circle:
      allOf:
        - $ref: '#/components/schemas/Base'
        - {type: object, required: [radius], properties: {radius: {type: number}}}
`

func TestVariantsAreTheRowsOfATable(t *testing.T) {
	comps := load(t, "3.1.0", strings.TrimPrefix(shapes, "\n"))
	b := Describe(refTo(comps, "X"), Request, &Options{SkipVariants: true})
	if want := []string{`  kind*: "circle" | "round" | "square"`, "  id*: string", "  label: string"}; !slices.Equal(b.Lines, want) {
		t.Errorf("lines %q, want the common ones %q", b.Lines, want)
	}
	if !slices.Equal(b.Required, []string{"kind", "id"}) || !slices.Equal(b.Names, []string{"kind", "id", "label"}) {
		t.Errorf("required %q of %q", b.Required, b.Names)
	}
	v := b.Variants
	if v == nil || v.Property != "kind" || len(v.List) != 2 {
		t.Fatalf("variants %+v", v)
	}
	circle, square := v.List[0], v.List[1]
	if circle.Component != "Circle" || circle.Value != "circle" || !slices.Equal(circle.Values, []string{`"circle"`, `"round"`}) ||
		!slices.Equal(circle.Required, []string{"radius"}) || !slices.Equal(circle.Lines, []string{"  radius*: number"}) {
		t.Errorf("circle: %+v", circle)
	}
	if square.Component != "Square" || !slices.Equal(square.Lines, []string{"  side*: number", "  colour: string"}) {
		t.Errorf("square: %+v", square)
	}
}

func TestAddedIsWhatOnlyTheAnswerHas(t *testing.T) {
	comps := load(t, "3.1.0", `
    X:
      type: object
      required: [id, name]
      properties:
        id: {type: string, readOnly: true}
        name: {type: string}
        pin: {type: string, writeOnly: true}
        place: {$ref: '#/components/schemas/P'}
    Deep:
      type: object
      properties:
        list: {type: array, items: {$ref: '#/components/schemas/X'}}
    Same: {type: object, properties: {n: {type: string}}}
    P: {type: object, properties: {n: {type: string}}}
`)
	b, ok := Added(refTo(comps, "X"), nil)
	if !ok || text(b) != "body: as sent, less the writeOnly members, plus\n  id*: string\n" {
		t.Errorf("got %v %q", ok, text(b))
	}
	if b, ok := Added(refTo(comps, "Same"), nil); !ok || text(b) != "body: as sent\n" {
		t.Errorf("an answer like the request: %v %q", ok, text(b))
	}
	if _, ok := Added(refTo(comps, "Deep"), nil); ok {
		t.Error("nested members differ: no short form is exact")
	}
}

func TestParameterFacets(t *testing.T) {
	p := openapi3.NewQueryParameter("near")
	p.Schema = openapi3.NewStringSchema().WithMaxLength(9).NewRef()
	p.AllowReserved, p.Deprecated, p.Description = true, true, "Where\nto look"
	if b := DescribeParameter(p, nil); b.Type != "string len ..9 allowReserved deprecated" || b.Comment != "Where to look" {
		t.Errorf("got %q # %q", b.Type, b.Comment)
	}
	p = openapi3.NewQueryParameter("filter")
	p.Content = openapi3.Content{"application/json": {Schema: openapi3.NewObjectSchema().WithProperty("n", openapi3.NewStringSchema()).NewRef()}}
	if b := DescribeParameter(p, nil); text(b) != "body: object(application/json)\n  n: string\n" {
		t.Errorf("got %q", text(b))
	}
}

func TestWhatTheNotationCannotSayIsReported(t *testing.T) {
	comps := load(t, "3.1.0", `
    X:
      type: object
      properties:
        a: {type: string, pattern: '`+strings.Repeat("a", 300)+`'}
        b: {$dynamicRef: '#x'}
        c: {type: string, default: '`+strings.Repeat("a", 300)+`'}
`)
	want := []string{"$dynamicRef", "default", "pattern"}
	if b := Describe(refTo(comps, "X"), Request, nil); !slices.Equal(b.Unshown, want) {
		t.Errorf("unshown %q, want %q", b.Unshown, want)
	}
}

func TestTuplesAndPatternsOfNamesAreMembers(t *testing.T) {
	comps := load(t, "3.1.0", `
    X:
      type: object
      additionalProperties: false
      patternProperties:
        '^x-/': {type: string, description: Yours}
        '^y': {type: object, required: [a], properties: {a: {type: integer}}}
      properties:
        pair: {type: array, minItems: 2, items: false, prefixItems: [{type: integer, description: From}, {type: object, properties: {to: {type: string}}}]}
        rest: {type: array, items: {type: boolean}, prefixItems: [{type: string}]}
`)
	want := `body: object closed
  pair: array closed size 2..
    item 1: integer  # From
    item 2: object
      to: string
  rest: array
    item 1: string
    <other>: boolean
  </^x-\//>: string  # Yours
  </^y/>: object
    a*: integer
`
	if got := text(Describe(refTo(comps, "X"), Request, nil)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// The value of the discriminator is inside of what is not there, unless a
// mapping says it.
func TestVariantsThatAreNotExpandedAreNotGuessed(t *testing.T) {
	comps := load(t, "3.1.0", `
    Owl: {type: object, required: [kind, age], properties: {kind: {const: owl}, age: {type: integer}}}
    Bat: {type: object, required: [kind], x-apiskills-stub: Bat}
    Guess: {oneOf: [{$ref: '#/components/schemas/Bat'}, {$ref: '#/components/schemas/Owl'}], discriminator: {propertyName: kind}}
    Known: {oneOf: [{$ref: '#/components/schemas/Bat'}, {$ref: '#/components/schemas/Owl'}], discriminator: {propertyName: kind, mapping: {bat: '#/components/schemas/Bat', owl: '#/components/schemas/Owl'}}}
`)
	if got := text(Describe(refTo(comps, "Guess"), Request, nil)); strings.Contains(got, `"Bat"`) || !strings.Contains(got, "(object (Bat, not expanded)  required: kind) | object") {
		t.Errorf("guessed: %s", got)
	}
	if got := Sample(refTo(comps, "Guess"), Request, nil).Value.Line(); got != `{"kind": "owl", "age": 0}` && got != `{"age": 0, "kind": "owl"}` {
		t.Errorf("the sample is %s", got)
	}
	if got := text(Describe(refTo(comps, "Known"), Request, nil)); !strings.Contains(got, `kind*: "bat" | "owl"`) {
		t.Errorf("not told by the mapping: %s", got)
	}
}

func TestStubsAreNamedAfterTheirMember(t *testing.T) {
	for at, want := range map[string]string{
		"Owl": "Owl", "/paths/~1owls/post/requestBody/content/a/schema/properties/labels/items/oneOf/1": "labels",
		"/components/schemas/a~1b": "a/b", "/0/items": "items", "Owl2": "Owl2", "200": "200",
	} {
		if got := stubName(at); got != want {
			t.Errorf("%s is %q, want %q", at, got, want)
		}
	}
}

func TestBooleanHasNothingToExpand(t *testing.T) {
	comps := load(t, "3.1.0", `
    X: {type: object, properties: {a: {type: [boolean, 'null'], x-apiskills-stub: a}, b: {type: [string, 'null'], x-apiskills-stub: b}}}
`)
	if got := text(Describe(refTo(comps, "X"), Request, nil)); got != "body: object\n  a: boolean | null\n  b: string (b, not expanded) | null\n" {
		t.Error(got)
	}
}

func TestLongEnumerationsAreGivenInFull(t *testing.T) {
	comps := load(t, "3.1.0", `
    X:
      type: object
      properties:
        list: {type: array, items: {enum: [a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u]}}
`)
	b := Describe(refTo(comps, "X"), Request, nil)
	if len(b.Enums) != 1 || b.Enums[0].Path != "list" || len(b.Enums[0].Values) != 21 || b.Enums[0].Values[20] != `"u"` {
		t.Errorf("enums %+v", b.Enums)
	}
}

func TestDescribeOfNothingIsAny(t *testing.T) {
	for _, ref := range []*openapi3.SchemaRef{nil, {}, {Ref: "#/components/schemas/Gone"}} {
		if b := Describe(ref, Request, nil); b.Type != "any" || len(b.Lines) > 0 {
			t.Errorf("got %q %q", b.Type, b.Lines)
		}
	}
}
