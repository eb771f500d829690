package schema

import (
	"encoding/json"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestCheckAgreesWithKin compares verdicts where kin-openapi's validator knows
// the keywords: in its fast mode for 3.0, and compiled for 3.1.
func TestCheckAgreesWithKin(t *testing.T) {
	values := []string{
		`null`, `true`, `0`, `1`, `-1`, `1.5`, `10`, `3000000000`, `"x"`, `"abc"`, `"much longer"`, `""`, `"2026-01-01"`, `"2026-01-01T00:00:00Z"`, `"1"`,
		`[]`, `[1]`, `[1,1]`, `[1,2]`, `["a"]`, `[1,"a",null]`,
		`{}`, `{"a":1}`, `{"a":"x"}`, `{"b":"x"}`, `{"a":"x","b":"y"}`, `{"a":null}`, `{"kind":"p"}`, `{"kind":"p","a":"x"}`, `{"kind":"q","a":"x"}`, `{"kind":"z"}`, `{"kind":7}`,
	}
	for _, tt := range []struct{ version, schemas string }{
		{"3.0.3", `
    A: {type: string, minLength: 1, maxLength: 3}
    B: {type: integer, minimum: 0, exclusiveMinimum: true, maximum: 10}
    C: {type: number, multipleOf: 0.5, maximum: 10, exclusiveMaximum: true}
    D: {type: array, items: {type: integer}, uniqueItems: true, minItems: 1, maxItems: 2}
    E: {type: object, required: [a], properties: {a: {type: string}}, additionalProperties: false}
    F: {type: object, additionalProperties: {type: integer}, maxProperties: 1}
    G: {type: string, nullable: true, enum: [x, abc]}
    H: {oneOf: [{type: integer}, {type: number}]}
    I: {anyOf: [{type: integer}, {type: string, pattern: '^a'}]}
    J: {allOf: [{type: object, required: [a]}, {type: object, properties: {a: {type: string}}}]}
    K: {type: integer, not: {enum: [1]}}
    L: {type: string, format: date}
    M: {type: string, format: date-time}
    N: {type: integer, format: int32}
    O: {type: object, minProperties: 2}
    P: {type: object, required: [kind, a], properties: {kind: {type: string, enum: [p]}, a: {type: string}}}
    Q: {type: object, required: [kind], properties: {kind: {type: string}, a: {type: string}}}
    R: {oneOf: [{$ref: '#/components/schemas/P'}, {$ref: '#/components/schemas/Q'}], discriminator: {propertyName: kind, mapping: {p: '#/components/schemas/P', q: Q}}}
    S: {type: object, required: [a, b], properties: {a: {type: string, readOnly: true}, b: {type: string}}}
    T: {allOf: [{$ref: '#/components/schemas/S'}, {type: object, required: [a]}]}
    U: {type: object, properties: {a: {allOf: [{$ref: '#/components/schemas/A'}], nullable: true}}}
    V: {type: boolean}
`},
		{"3.1.0", `
    A: {const: x}
    B: {type: [string, "null"]}
    C: {type: [integer, array], items: {type: integer}}
    D: {type: array, prefixItems: [{type: integer}, {type: string}], items: {type: "null"}}
    E: {type: object, dependentRequired: {a: [b]}}
    F: {type: object, patternProperties: {'^a$': {type: string}}, additionalProperties: false}
    G: {type: object, propertyNames: {const: a}}
    H: {if: {type: string}, then: {maxLength: 3}, else: {type: integer}}
    I: {oneOf: [{const: 1}, {type: integer}]}
    J: {type: array, contains: {const: "a"}}
    K: {type: number, exclusiveMinimum: 0, exclusiveMaximum: 10}
    L: {oneOf: [{type: object, required: [kind], properties: {kind: {const: p}}}, {type: object, required: [kind], properties: {kind: {const: q}}}]}
    M: {type: object, dependentSchemas: {a: {required: [b]}}}
    N: {type: object, properties: {a: true, b: false}}
    O: {enum: [1, x, null, {a: 1}]}
`},
	} {
		comps := load(t, tt.version, tt.schemas[1:])
		checked, accepted := 0, 0
		for name, ref := range comps {
			for _, text := range values {
				var v any
				if err := json.Unmarshal([]byte(text), &v); err != nil {
					t.Fatal(err)
				}
				opts := []openapi3.SchemaValidationOption{openapi3.VisitAsRequest()}
				if tt.version == "3.1.0" {
					opts = []openapi3.SchemaValidationOption{openapi3.EnableJSONSchema2020()}
				}
				err := ref.Value.VisitJSON(v, opts...)
				reason, _ := newWalker(Request, comps).check(ref, ValueOf(v))
				if (reason == "") != (err == nil) {
					t.Errorf("%s %s of %s: %q, kin-openapi says %v", tt.version, name, text, reason, err)
				}
				checked++
				if reason == "" {
					accepted++
				}
			}
		}
		if accepted < checked/20 || accepted > checked*19/20 {
			t.Errorf("%d of %d accepted: the table says little", accepted, checked)
		}
	}
}

func TestCheckTreatsMembersByDirection(t *testing.T) {
	comps := load(t, "3.1.0", readWrite[1:])
	for _, tt := range []struct {
		dir   Direction
		value string
		valid bool
	}{
		{Request, `{"name": "n", "secret": "s"}`, true},
		{Request, `{"id": "i", "name": "n", "secret": "s"}`, false},
		{Request, `{"name": "n"}`, false},
		{Response, `{"id": "i", "name": "n"}`, true},
		{Response, `{"name": "n"}`, false},
	} {
		var v any
		if err := json.Unmarshal([]byte(tt.value), &v); err != nil {
			t.Fatal(err)
		}
		reason, _ := newWalker(tt.dir, nil).check(comps["X"], ValueOf(v))
		if (reason == "") != tt.valid {
			t.Errorf("direction %d, %s: %q", tt.dir, tt.value, reason)
		}
	}
}

func TestCheckDoesNotClaimWhatItCannotTell(t *testing.T) {
	comps := load(t, "3.1.0", `
    A: {type: string, pattern: '^(?!x)'}
    B: {x-apiskills-stub: B, type: string}
`)
	for name, ref := range comps {
		if reason, sure := newWalker(Request, nil).check(ref, &Value{"y"}); reason != "" || sure {
			t.Errorf("%s: %q, sure %t", name, reason, sure)
		}
	}
	big, err := loadJSON("3.1.0", hostile["each oneOf the next one twice"])
	if err != nil {
		t.Fatal(err)
	}
	if reason, sure := newWalker(Request, nil).check(big["S0"], &Value{[]Member{}}); reason == "" || sure {
		t.Errorf("past the budget: %q, sure %t", reason, sure)
	}
}
