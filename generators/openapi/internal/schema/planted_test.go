package schema

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// planted are the keywords of JSON Schema 2020-12 and OpenAPI that say which
// values there are, each with a schema that it changes. The keyword is added
// where the schema has a "%s".
var planted = map[string][]struct{ in, keyword string }{
	"type":                  {{"{%s}", "type: string"}, {"{%s}", `type: [string, "null"]`}, {"{%s}", `type: "null"`}},
	"enum":                  {{"{type: string, %s}", "enum: [a]"}},
	"const":                 {{"{%s}", "const: 1"}, {"{type: string, %s}", `const: ""`}},
	"multipleOf":            {{"{type: number, %s}", "multipleOf: 2"}, {"{%s}", "multipleOf: 2"}},
	"minimum":               {{"{type: number, %s}", "minimum: 0"}, {"{type: [number, string], %s}", "minimum: 0"}},
	"maximum":               {{"{type: number, %s}", "maximum: 0"}},
	"exclusiveMinimum":      {{"{type: number, %s}", "exclusiveMinimum: 0"}},
	"exclusiveMaximum":      {{"{type: number, %s}", "exclusiveMaximum: 0"}},
	"minLength":             {{"{type: string, %s}", "minLength: 1"}, {"{%s}", "minLength: 1"}},
	"maxLength":             {{"{type: string, %s}", "maxLength: 0"}},
	"pattern":               {{"{type: string, %s}", "pattern: a"}, {"{type: string, %s}", "pattern: " + strings.Repeat("a", 500)}},
	"format":                {{"{type: string, %s}", "format: date"}, {"{type: integer, %s}", "format: int32"}},
	"contentEncoding":       {{"{type: string, %s}", "contentEncoding: base64"}},
	"contentMediaType":      {{"{type: string, %s}", "contentMediaType: image/png"}, {"{type: string, contentEncoding: base64, %s}", "contentMediaType: image/png"}},
	"contentSchema":         {{"{type: string, contentMediaType: application/json, %s}", "contentSchema: {type: object}"}},
	"minItems":              {{"{type: array, %s}", "minItems: 1"}},
	"maxItems":              {{"{type: array, %s}", "maxItems: 0"}},
	"uniqueItems":           {{"{type: array, %s}", "uniqueItems: true"}},
	"items":                 {{"{type: array, %s}", "items: {type: string}"}, {"{type: array, prefixItems: [{type: string}], %s}", "items: false"}},
	"prefixItems":           {{"{type: array, %s}", "prefixItems: [{type: string}]"}},
	"contains":              {{"{type: array, %s}", "contains: {type: string}"}, {"{type: array, items: {type: object, properties: {a: {type: string}}}, %s}", "contains: {required: [a]}"}},
	"minContains":           {{"{type: array, contains: {type: string}, %s}", "minContains: 2"}},
	"maxContains":           {{"{type: array, contains: {type: string}, %s}", "maxContains: 2"}},
	"unevaluatedItems":      {{"{type: array, prefixItems: [{type: string}], %s}", "unevaluatedItems: false"}, {"{type: array, contains: {const: 1}, %s}", "unevaluatedItems: {type: string}"}},
	"properties":            {{"{type: object, %s}", "properties: {a: {type: string}}"}, {"{type: object, %s}", "properties: {a: false}"}},
	"required":              {{"{type: object, %s}", "required: [a]"}, {"{%s}", "required: [a]"}},
	"minProperties":         {{"{type: object, %s}", "minProperties: 1"}},
	"maxProperties":         {{"{type: object, %s}", "maxProperties: 0"}},
	"additionalProperties":  {{"{type: object, %s}", "additionalProperties: false"}, {"{type: object, properties: {a: {type: string}}, %s}", "additionalProperties: {type: string}"}},
	"patternProperties":     {{"{type: object, %s}", "patternProperties: {a: {type: string}}"}, {"{type: object, %s}", "patternProperties: {" + strings.Repeat("a", 500) + ": {type: string}}"}},
	"propertyNames":         {{"{type: object, %s}", "propertyNames: {maxLength: 3}"}, {"{type: object, additionalProperties: {type: object, properties: {a: {type: string}}}, %s}", "propertyNames: {maxLength: 3}"}},
	"dependentRequired":     {{"{type: object, %s}", "dependentRequired: {a: [b]}"}},
	"dependentSchemas":      {{"{type: object, %s}", "dependentSchemas: {a: {required: [b]}}"}, {"{type: object, %s}", "dependentSchemas: {a: {maxProperties: 3}}"}, {"{type: object, %s}", "dependentSchemas: {a: false}"}},
	"unevaluatedProperties": {{"{type: object, %s}", "unevaluatedProperties: false"}, {"{type: object, properties: {a: {type: string}}, %s}", "unevaluatedProperties: {type: string}"}},
	"allOf":                 {{"{type: object, %s}", "allOf: [{required: [a]}]"}, {"{type: string, %s}", "allOf: [{type: integer}]"}},
	"oneOf":                 {{"{%s}", "oneOf: [{type: string}, {type: integer}]"}, {"{type: object, %s}", "oneOf: [{required: [a]}, {required: [b]}]"}, {"{type: string, %s}", "oneOf: [{minLength: 3}, {pattern: a}]"}},
	"anyOf":                 {{"{%s}", "anyOf: [{type: string}, {type: integer}]"}, {"{type: object, %s}", "anyOf: [{required: [a]}, {required: [b]}]"}},
	"not":                   {{"{%s}", "not: {type: string}"}, {"{type: object, properties: {a: {type: string}}, %s}", "not: {required: [a]}"}, {"{type: array, %s}", "not: {maxItems: 3}"}, {"{enum: [a, b], %s}", "not: {const: a}"}, {"{type: [string, object], %s}", "not: {const: a}"}, {"{%s}", "not: {}"}},
	"if":                    {{"{type: object, then: {required: [a]}, %s}", "if: {required: [b]}"}},
	"then":                  {{"{type: object, if: {required: [b]}, %s}", "then: {required: [a]}"}, {"{type: string, if: {maxLength: 3}, %s}", "then: {pattern: a}"}},
	"else":                  {{"{type: object, if: {required: [b]}, %s}", "else: {required: [a]}"}, {"{type: object, if: {required: [b]}, then: {required: [c]}, %s}", "else: {maxProperties: 2}"}},
	"discriminator":         {{"{oneOf: [{$ref: '#/components/schemas/P'}, {$ref: '#/components/schemas/Q'}], %s}", "discriminator: {propertyName: k}"}},
	"nullable":              {{"{type: string, %s}", "nullable: true"}},
	"default":               {{"{type: string, %s}", "default: a"}, {"{type: string, %s}", "default: " + strings.Repeat("a", 500)}},
	"deprecated":            {{"{type: string, %s}", "deprecated: true"}},
	"writeOnly":             {{"{type: string, %s}", "writeOnly: true"}},
	"$dynamicRef":           {{"{%s}", "$dynamicRef: '#a'"}},
	"$ref":                  {{"{%s}", "$ref: '#/components/schemas/P'"}},
	"description":           {{"{type: string, %s}", "description: Words"}},
	"xml":                   {{"{type: string, %s}", "xml: {attribute: true}"}},
	"x-enumDescriptions":    {{"{enum: [a, b], %s}", "x-enumDescriptions: {a: Words}"}},
}

func TestNoKeywordIsDroppedSilently(t *testing.T) {
	show := func(schema string) string {
		comps := load(t, "3.1.0", `
    X: {type: object, properties: {p: `+schema+`, l: {type: array, items: `+schema+`}, m: {type: object, additionalProperties: `+schema+`}, u: {oneOf: [{type: boolean}, `+schema+`]}}}
    R: `+schema+`
    P: {type: object, required: [k], properties: {k: {type: string}, a: {type: string}}}
    Q: {type: object, required: [k], properties: {k: {type: string}, b: {type: string}}}
`)
		var out []string
		for _, name := range []string{"X", "R"} {
			b := Describe(refTo(comps, name), Request, &Options{Schemas: comps, XML: true})
			for _, l := range append([]string{"  body: " + b.Type}, b.Lines...) {
				if err := checkLine(l); err != nil {
					t.Errorf("%s: %q is not in the grammar: %v", schema, l, err)
				}
			}
			out = append(out, text(b)+strings.Join(b.Unshown, " "))
		}
		// Each use of the schema has to change.
		lines := strings.Split(out[0], "\n")
		for _, member := range []string{"p", "l", "m", "u"} {
			at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  "+member+": ") })
			if at < 0 {
				t.Fatalf("%s: no member %s in\n%s", schema, member, out[0])
			}
			end := at + 1
			for end < len(lines) && strings.HasPrefix(lines[end], "   ") {
				end++
			}
			out = append(out, strings.Join(lines[at:end], "\n")+lines[len(lines)-1])
		}
		return strings.Join(out[1:], "\x00")
	}
	for keyword, cases := range planted {
		t.Run(keyword, func(t *testing.T) {
			for _, tt := range cases {
				without, with := show(strings.ReplaceAll(fmt.Sprintf(tt.in, ""), ", }", "}")), show(fmt.Sprintf(tt.in, tt.keyword))
				before, after := strings.Split(without, "\x00"), strings.Split(with, "\x00")
				for i, use := range []string{"body", "member", "item", "value of a map", "alternative"} {
					if before[i] == after[i] && !unseen[keyword+" "+use] {
						t.Errorf("%s: %s changes nothing of the %s:\n%s", tt.in, tt.keyword, use, after[i])
					}
				}
			}
		})
	}
}

// unseen are the keywords that say nothing in a place.
var unseen = map[string]bool{
	"default item": true, "default value of a map": true, // an item cannot be left out
	// Words stand behind members.
	"description item": true, "description value of a map": true, "description alternative": true,
}
