package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// summary is what a document says of its operations, in short.
func summary(d *Document) []string {
	var list []string
	for _, op := range d.operations {
		var names, statuses []string
		for _, p := range op.parameters {
			names = append(names, p.in+" "+p.name)
		}
		slices.Sort(names)
		for _, r := range op.responses {
			statuses = append(statuses, r.status)
		}
		list = append(list, fmt.Sprint(op, names, statuses))
	}
	return list
}

// TestReadFollowsWhatDocumentsDo: references in every place, merge keys, path
// items with members beside their reference, methods of OpenAPI 3.2.
func TestReadFollowsWhatDocumentsDo(t *testing.T) {
	files := map[string]string{
		"more.yaml": `operations:
  a/b c: {parameters: [{$ref: "#/list/0"}], responses: {$ref: "#/responses"}}
list: [{name: first, in: path}]
responses: {"404": {}}
item: {get: {}}
`}
	d, err := Read("dir/openapi.yaml", []byte(`openapi: 3.2.0
x-shared: &shared {parameters: [{name: shared, in: header}]}
paths:
  x-note: not a path
  /a~b:
    <<: *shared
    get: {$ref: "more.yaml#/operations/a~1b%20c"}
    query: {responses: {200: {}, default: {}, x-note: {}}}
    additionalOperations: {COPY: {parameters: [{name: Shared, in: header}, {name: shared, in: query}]}, GET: {}}
  /c: {$ref: more.yaml#/item, trace: {}}
webhooks:
  moved: {post: {}}
`), func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, errors.New("no such file")
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"COPY /a~b [header Shared query shared] []",
		"GET /a~b [header shared path first] [404]",
		"QUERY /a~b [header shared] [200 default]",
		"GET /c [] []",
		"TRACE /c [] []",
		"webhook POST moved [] []",
	}
	if got := summary(d); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got, want := d.operations[1].parameters[0].at.String(), "/x-shared"; strings.HasPrefix(got, want) {
		t.Errorf("a parameter of a merge is at %s, which is not where it counts", got)
	}
	if got, want := d.operations[1].pointer, "/paths/~1a~0b/get"; got != want {
		t.Errorf("got the pointer %s, want %s", got, want)
	}
	if got, want := d.operations[1].responses[0].at.String(), "more.yaml#/responses/404"; got != want {
		t.Errorf("got the place %s, want %s", got, want)
	}
}

func TestScalarsAreThoseOfYAML12(t *testing.T) {
	v, err := parse([]byte(`
n: [~, null, "", no, yes, on, 2020-01-01, "1", 010, 0o10, 0x1F, 1_000, 1., .5, 1e3, .inf, +1, true, !!str 1, 1e999999999]
`))
	if err != nil {
		t.Fatal(err)
	}
	got := literal(place{value: v}.get("n").value)
	want := `[null,null,"","no","yes","on","2020-01-01","1",10,8,31,"1_000",1,0.5,1e3,".inf",1,true,"1","1e999999999"]`
	if got = strings.ReplaceAll(got, "1.,", "1,"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestHostileDocumentsEnd(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat("*"+string(c-1)+", ", 10))
	}
	for name, text := range map[string]string{
		"nothing":              "",
		"a list":               "[]",
		"no version":           "{}",
		"aliases of aliases":   "openapi: 3.1.0\n" + bomb,
		"an alias of itself":   "openapi: 3.1.0\na: &a [*a]\n",
		"deep JSON":            `{"openapi":"3.1.0","a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}",
		"deep YAML":            "openapi: 3.1.0\na: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"a number without end": `{"openapi":1e999999999}`,
		"two values":           `{"openapi":"3.1.0"} {}`,
	} {
		if d, err := Read("x", []byte(text), nil); err == nil && name != "a number without end" {
			t.Errorf("%s: read as %v", name, d.root)
		}
	}
	d, err := Read("x", []byte(`{"openapi":"3.1.0","paths":{"/a":{"$ref":"#/paths/~1b"},"/b":{"$ref":"#/paths/~1a"},"/c":{"get":{
		"parameters":[{"$ref":"#/paths/~1c/get/parameters/0"},{"$ref":"other.yaml"}],
		"requestBody":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/S"},"example":1}}},
		"callbacks":{"c":{"e":{"post":{"callbacks":{"c":{"$ref":"#/paths/~1c/get/callbacks/c"}}}}}}}}},
		"components":{"schemas":{"S":{"allOf":[{"$ref":"#/components/schemas/S"},{"$ref":"#/components/schemas/S"}],"example":{}}}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(d.Faults()); got == 0 {
		t.Error("no reference that leads nowhere was reported")
	}
	if got := d.Examples(); len(got) > 0 {
		t.Errorf("a schema that is itself refuses something: %v", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"openapi":"3.1.0","paths":{"/a":{"get":{"responses":{"200":{"$ref":"#/components/responses/A"}}}}}}`))
	f.Add([]byte("swagger: '2.0'\nx: &x {in: body, name: b, schema: {type: file, example: 1}}\npaths: {/a: {post: {parameters: [*x, {<<: *x, in: formData}]}}}\n"))
	f.Add([]byte("openapi: 3.0.0\ncomponents: {schemas: {A: {nullable: true, enum: [1], pattern: '(', default: 2, exclusiveMinimum: true, minimum: 3}}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Read("x.yaml", data, func(string) ([]byte, error) { return data, nil })
		if err != nil {
			return
		}
		d.Examples()
		New(d).Holes()
	})
}

func FuzzAdd(f *testing.F) {
	d, err := Read("x.yaml", []byte(`openapi: 3.1.0
security: [{a: []}]
paths:
  /a/{b}:
    post:
      parameters: [{name: b, in: path, required: true, schema: {type: string, enum: [x, y], default: x}}, {name: c, in: query, schema: {type: array, items: {type: string}}}]
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [d], properties: {d: {type: integer}}}}}}
      responses: {"200": {headers: {E: {}}, content: {application/json: {schema: {type: object}}}}, default: {}}
      callbacks: {f: {"{$request.body#/g}": {post: {}}}}
components: {securitySchemes: {a: {type: oauth2}}}
`), nil)
	if err != nil {
		f.Fatal(err)
	}
	front := "---\nmetadata: {method: POST, path: \"/a/{b}\", pointer: \"/paths/~1a~1{b}/post\"}\n---\n"
	f.Add([]byte("# A\n\n`POST /a/{b}`\n\n- **Auth:** one of:\n  1. OAuth 2\n\n## Call\n\n```bash\ncurl <<'JSON'\n{}\nJSON\n```\n\n## Inputs\n\n```text\npath\n  b*: \"x\" | \"y\" default \"x\"  => x  # y\nquery\n  c: string[]  => c=1&c=2\nbody* application/json: object /a\\/b/\n  d*: integer\n```\n\n## Answer\n\n### 200 `application/json`\n\n```text\nheaders\n  E: any\n```\n\n### Errors\n\n| Status | a |\n|---|---|\n| default | b |\n\ndefault is `x`; 401 and 402 are `y`:\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := New(d)
		l.Add(Skill{"skill://x/SKILL.md", []File{{"SKILL.md", append([]byte(front), data...)}, {"references/callbacks.md", data}, {"references/responses.md", data}}})
		l.Add(Skill{"skill://y/SKILL.md", []File{{"SKILL.md", data}}})
		l.Holes()
		for range l.Entries() {
		}
	})
}
