package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

// TestValidDocumentsOfEachVersionAreNotFaulted has documents that use what is
// odd and allowed in their version. An error, a finding on the renderer's side,
// or the claim that the document is not valid would be false.
func TestValidDocumentsOfEachVersionAreNotFaulted(t *testing.T) {
	files, err := filepath.Glob("testdata/valid/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r := checked(t, string(data), nil, Options{Strict: true, Replay: CanReplay() == nil})
			for f := range r.Findings() {
				if f.side() == Renderer || f.Severity == framework.Error || slices.Contains([]string{"openapi-invalid", "ref", "type"}, f.Rule) {
					t.Errorf("%s %s:%d: %s", f.Rule, f.Pointer, f.Line, f.Message)
				}
			}
		})
	}
}

// TestNoFaultOfADocumentIsLaidAtTheRenderersDoor plants what a document has to
// be corrected for, whatever the skill makes of it.
func TestNoFaultOfADocumentIsLaidAtTheRenderersDoor(t *testing.T) {
	for _, test := range []struct{ name, old, new string }{
		{"a type that is none", "seats: {type: integer, minimum: 1}", "seats: {type: integral}"},
		{"a pattern that is none", "seats: {type: integer, minimum: 1}", "seats: {type: string, pattern: '(['}"},
		{"types that have no value in common", "seats: {type: integer, minimum: 1}", "seats: {type: integer, allOf: [{type: string}]}"},
		{"a schema that refers to itself", "    Boat:\n", "    Round: {$ref: '#/components/schemas/Round'}\n    Boat:\n"},
		{"a path without a slash", "  /boats/{id}:\n", "  boats/{id}:\n"},
		{"a path parameter without a place", "      parameters:\n", "      parameters:\n        - {name: port, in: path, required: true, schema: {type: string}}\n"},
		{"a parameter in no place", "      parameters:\n", "      parameters:\n        - {name: port, in: body, required: true, schema: {type: string}}\n"},
		{"a status that is none", "        \"404\": {description", "        \"4040\": {description"},
		{"a scheme of no type", "{type: apiKey, in: header, name: X-Key}", "{type: handshake}"},
		{"a scheme without a name", "{type: apiKey, in: header, name: X-Key}", "{type: apiKey, in: header}"},
		{"security that is no list", "security: [{key: []}]", "security: {key: []}"},
		{"an operation that is none", "  /boats/{id}:\n", "  /boats/{id}:\n    post: text\n"},
		{"a body without content", "      parameters:\n", "      requestBody: {content: {}}\n      parameters:\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := strings.Replace(sending, test.old, test.new, 1)
			if text == sending {
				t.Fatal("nothing was planted")
			}
			if strings.Contains(test.new, "Round") {
				text = strings.Replace(text, "seats: {type: integer, minimum: 1}", "seats: {$ref: '#/components/schemas/Round'}", 1)
			}
			text = strings.Replace(text, "required: [id]", "required: [id, seats]", 1)
			r := checked(t, text, nil, Options{Replay: CanReplay() == nil})
			found := false
			for f := range r.Findings() {
				found = found || f.Severity != framework.Note
				if f.side() == Renderer {
					t.Errorf("%s %s:%d: %s", f.Rule, f.Pointer, f.Line, f.Message)
				}
			}
			if !found && test.name != "a body without content" {
				t.Error("nothing is found")
			}
		})
	}
}

// sending is the clean document with an operation that sends what it knows.
var sending = strings.Replace(clean, "paths:\n", `paths:
  /fleet:
    put:
      summary: Replace the fleet
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Boat"}}}}
      responses: {"204": {description: Replaced.}}
`, 1)
