package ledger_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/internal/ledger"
)

// TestExamplesThatSchemasRefuseAreFound has one in each place, and beside it
// one that is valid by the rules of its version and direction.
func TestExamplesThatSchemasRefuseAreFound(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"3.1", `openapi: 3.1.0
paths:
  /a:
    post:
      parameters:
        - {name: a, in: query, example: x, schema: {type: integer, default: "1", examples: [1, y]}}
        - {name: b, in: query, examples: {good: {value: 1}, bad: {value: x}}, schema: {type: [integer, "null"], default: null}}
      requestBody:
        content:
          application/json:
            example: {id: 1}
            schema: &pet {type: object, required: [id, name, pin], properties: {id: {type: integer, readOnly: true}, name: {const: n}, pin: {type: string, writeOnly: true}}}
          text/xml: {example: <a/>, schema: *pet}
      responses:
        "200":
          headers: {E: {example: x, schema: {type: integer}}}
          content: {application/json: {examples: {good: {value: {id: 1, name: n}}, bad: {value: {id: 1, name: m}}}, schema: *pet}}
components:
  schemas:
    A: {type: object, example: {b: 1}, properties: {b: {$ref: "#/components/schemas/B"}}}
    B: {type: string, default: d, pattern: ^e}
`, `/components/schemas/A/example
/components/schemas/B/default
/paths/~1a/post/parameters/0/example
/paths/~1a/post/parameters/0/schema/default
/paths/~1a/post/parameters/0/schema/examples/1
/paths/~1a/post/parameters/1/examples/bad/value
/paths/~1a/post/requestBody/content/application~1json/example
/paths/~1a/post/responses/200/content/application~1json/examples/bad/value
/paths/~1a/post/responses/200/headers/E/example`},
		{"3.0", `openapi: 3.0.3
components:
  schemas:
    Null: {type: string, nullable: true, enum: [a], example: null}
    Beside: {$ref: "#/components/schemas/Null", example: b, minLength: 5}
    Bound: {type: integer, minimum: 1, exclusiveMinimum: true, example: 1}
    Of: {oneOf: [{type: object}, {type: object}], discriminator: {propertyName: k}, example: {k: x}}
    Both: {oneOf: [{type: object}, {type: object}], example: {k: x}}
    Part: {allOf: [{required: [r]}, {properties: {r: {readOnly: true}}}], example: {}}
`, `/components/schemas/Both/example
/components/schemas/Bound/example`},
		{"2.0", `swagger: "2.0"
paths:
  /a:
    get:
      parameters: [{name: a, in: query, type: integer, default: x}, {name: f, in: formData, type: file}]
      responses: {"200": {schema: {$ref: "#/definitions/A"}, examples: {application/json: {a: b}, text/xml: x}}}
definitions: {A: {type: object, properties: {a: {type: integer}}}}
`, `/paths/~1a/get/parameters/0/default
/paths/~1a/get/responses/200/examples/application~1json`},
	} {
		d, err := ledger.Read("x.yaml", []byte(test.text), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range d.Examples() {
			if f.Rule != "example" {
				t.Errorf("%s: rule %s", test.name, f.Rule)
			}
			got = append(got, f.Pointer)
		}
		slices.Sort(got)
		if text := strings.Join(got, "\n"); text != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, text, test.want)
		}
	}
}

// TestExamplesOfRealDocuments ends on each of them, and finds those of one that
// has many.
func TestExamplesOfRealDocuments(t *testing.T) {
	names, dir := manifest(t)
	total := 0
	for _, name := range names {
		found := read(t, filepath.Join(dir, filepath.FromSlash(name))).Examples()
		t.Logf("%s: %d", name, len(found))
		total += len(found)
	}
	if total == 0 {
		t.Error("no document has an example that its schema refuses")
	}
}
