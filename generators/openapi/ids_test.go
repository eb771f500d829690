package openapi

import (
	"strings"
	"testing"
)

func TestIDsComeFromListsAndCreationsAtTheSamePath(t *testing.T) {
	g, err := New("owls.yaml", []byte(`openapi: 3.0.3
info: {title: Owls, version: "1"}
paths:
  /owls:
    get:
      tags: [owls]
      parameters: [{name: page, in: query, schema: {type: integer}}]
      responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Owls"}}}}}
    post:
      tags: [owls]
      responses: {"201": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Owl"}}}}}
  /owls/{owl_id}:
    get: {tags: [owls], responses: {"200": {description: ok}}}
  /owls/{owl_id}/rings/{code}:
    get: {tags: [rings], responses: {"200": {description: ok}}}
  /search:
    get:
      tags: [search]
      responses: {"200": {description: ok, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Owl"}}}}}}
components:
  schemas:
    Owl: {allOf: [{type: object, properties: {id: {type: string}}}, {type: object, properties: {age: {type: integer}}}]}
    Owls: {type: object, properties: {data: {type: array, items: {$ref: "#/components/schemas/Owl"}}, count: {type: integer}}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Skill(t.Context(), "owls-guide")
	if err != nil {
		t.Fatal(err)
	}
	files := contents(t, s)
	rows := "| `owl_id` | `/data/*/id` of `GET /owls` | inferred: same path |\n" +
		"| `owl_id` | `/id` of `POST /owls` | inferred: same path |\n" +
		"| `owl_id` | `/*/id` of `GET /search` | inferred: same schema |\n"
	for _, file := range []string{"references/owls.md", "references/rings.md"} {
		if !strings.Contains(files[file], rows) {
			t.Errorf("%s lacks the rows:\n%s", file, files[file])
		}
	}
	if strings.Contains(files["references/rings.md"], "`code`") {
		t.Error("an id out of nothing")
	}
	if want := "- Pages: `get-owls` by page number (inferred from names)."; !strings.Contains(files["SKILL.md"], want) {
		t.Errorf("lacks %q:\n%s", want, files["SKILL.md"])
	}
}

func TestIDIsTheMemberThatTheParameterNames(t *testing.T) {
	for _, c := range []struct{ parameter, names, want string }{
		{"owl_id", "age id", "id"},
		{"owlId", "id owl_id", "owl_id"},
		{"issue_number", "id number", "number"},
		{"username", "id login", ""},
		{"id", "id", "id"},
		{"date", "id", ""},
	} {
		if got := idMember(c.parameter, strings.Fields(c.names)); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.parameter, c.names, got, c.want)
		}
	}
}
