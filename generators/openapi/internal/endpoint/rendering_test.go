package endpoint

import (
	"strings"
	"testing"
)

// skill renders the SKILL.md of one operation.
func skill(t testing.TB, op *Operation) string {
	t.Helper()
	files, _ := render(t, op)
	return files["SKILL.md"]
}

func contains(t testing.TB, text string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if not, found := strings.CutPrefix(w, "!"); found == strings.Contains(text, not) {
			t.Errorf("%q in:\n%s", w, text)
		}
	}
}

func TestBaseWithMappingShowsItsSubtypes(t *testing.T) {
	const schemas = `components:
  schemas:
    Event:
      type: object
      required: [type]
      properties: {type: {type: string}}
      discriminator: {propertyName: type, mapping: {hatched: '#/components/schemas/Hatched', flown: '#/components/schemas/Flown'}}
    Hatched: {allOf: [{$ref: '#/components/schemas/Event'}, {type: object, required: [eggs], properties: {eggs: {type: integer}}}]}
    Flown: {allOf: [{$ref: '#/components/schemas/Event'}, {type: object, required: [to], properties: {to: {type: string}}}]}
`
	event := "content: {application/json: {schema: {$ref: '#/components/schemas/Event'}}}"
	got := skill(t, one(t, "POST", "/events", "{requestBody: {required: true, "+event+"}, responses: {'200': {description: ok, "+event+"}}}", schemas))
	contains(t, got, `  type*: "flown" | "hatched"`, `  when type = "hatched":`, `    eggs*: integer`, `{"type": "flown", "to": "TO"}`)
}
