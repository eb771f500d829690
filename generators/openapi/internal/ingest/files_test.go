package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"
)

// memory holds files by name.
type memory map[string]string

func (m memory) Read(name string) ([]byte, error) {
	text, ok := m[name]
	if !ok {
		return nil, errors.New("does not exist")
	}
	return []byte(text), nil
}

func mustLoadFiles(t testing.TB, files memory) *Document {
	t.Helper()
	doc, err := LoadFiles("api/openapi.yaml", []byte(files["openapi.yaml"]), files)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// spread is a document whose every kind of object stands in another file.
func spread() memory {
	return memory{
		"openapi.yaml": `
openapi: 3.1.0
info: {title: T, version: "1"}
paths:
  /whole: {$ref: paths/whole.yaml}
  /part: {$ref: 'paths/all.yaml#/~1part~1{id}'}
  /operation:
    get: {$ref: paths/operation.yml}
components:
  schemas:
    Local: {type: object, properties: {far: {$ref: 'models/pet.yaml'}}}
`,
		"paths/whole.yaml": `
parameters: [{$ref: ../shared/parameters.yaml#/Page}]
get:
  operationId: getWhole
  responses:
    "200": {$ref: '../shared/responses.json#/Ok'}
    "404": {$ref: ../shared/responses.json#/a~1b%7E0c}
`,
		"paths/all.yaml": `
"/part/{id}":
  post:
    operationId: addPart
    requestBody: {$ref: ../shared/bodies.yaml}
    responses: {"200": {description: local, content: {a/b: {schema: {$ref: '#/definitions/Part'}}}}}
    callbacks: {done: {$ref: ../shared/callbacks.yaml#/done}}
definitions:
  Part: {type: object, properties: {up: {$ref: '../openapi.yaml#/components/schemas/Local'}}}
`,
		"paths/operation.yml": `
operationId: getOperation
tags: [things]
parameters:
  - {name: own, in: query, schema: {$ref: ../models/pet.yaml#/properties/name}}
responses: {"200": {description: ok, headers: {X-Rate: {$ref: ../shared/headers.yaml#/Rate}}}}
`,
		"shared/parameters.yaml": `Page: {name: page, in: query, description: from afar, schema: {type: integer}}`,
		"shared/responses.json": `{"Ok":{"description":"fine","content":{"application/json":{"schema":{"$ref":"../models/pet.yaml"},
			"examples":{"one":{"$ref":"examples.yaml#/one"},"two":{"value":{"owner":{"$ref":"examples.yaml#/one/value"}}}}}},
			"links":{"next":{"$ref":"links.yaml#/next"}}},"a/b~0c":{"description":"gone"},"a/b~c":{"description":"gone"}}`,
		"shared/examples.yaml":  `one: {summary: an example, value: {name: rex}}`,
		"shared/links.yaml":     `next: {operationId: getOperation, description: a link}`,
		"shared/headers.yaml":   `Rate: {description: a rate, schema: {type: integer}}`,
		"shared/bodies.yaml":    `content: {application/json: {schema: {$ref: ../models/pet.json}}}`,
		"shared/callbacks.yaml": `done: {'{$request.body#/url}': {post: {requestBody: {content: {a/b: {schema: {$ref: ../models/pet.yaml}}}}, responses: {}}}}`,
		"models/pet.yaml":       `{type: object, properties: {name: {type: string}, friends: {type: array, items: {$ref: '#'}}, toy: {$ref: toys/toy.yaml}}}`,
		"models/pet.json":       `{"type":"object","description":"another pet","properties":{"id":{"type":"string"}}}`,
		"models/toys/toy.yaml":  `{type: object, properties: {owner: {$ref: ../pet.yaml}, maker: {$ref: ../../openapi.yaml#/components/schemas/Local}}}`,
	}
}

func TestReferencesLeadToOtherFilesFromEveryPlace(t *testing.T) {
	doc := mustLoadFiles(t, spread())
	if len(doc.Diagnostics) > 0 {
		t.Errorf("diagnostics %v", doc.Diagnostics)
	}
	if got := fmt.Sprint(names(doc)); got != "[GET /operation POST /part GET /whole]" {
		t.Fatalf("operations %s", got)
	}
	if op := find(t, doc, "GET /operation"); op.OperationID != "getOperation" || op.Tag != "things" || op.Pointer != "/paths/~1operation/get" {
		t.Errorf("the index has %+v", op)
	}
	for _, c := range []struct{ op, path, want string }{
		{"GET /whole", "paths/~1whole/parameters/0/description", `"from afar"`},
		{"GET /whole", "paths/~1whole/get/responses/200/description", `"fine"`},
		{"GET /whole", "paths/~1whole/get/responses/404/description", `"gone"`},
		{"GET /whole", "paths/~1whole/get/responses/200/content/application~1json/schema", `{"$ref":"#/components/schemas/pet"}`},
		{"GET /whole", "paths/~1whole/get/responses/200/content/application~1json/examples/one/value", `{"name":"rex"}`},
		{"GET /whole", "paths/~1whole/get/responses/200/content/application~1json/examples/two/value", `{"owner":{"name":"rex"}}`},
		{"GET /whole", "paths/~1whole/get/responses/200/links/next/operationId", `"getOperation"`},
		{"GET /whole", "components/schemas/pet/properties/friends/items", `{"$ref":"#/components/schemas/pet"}`},
		{"GET /whole", "components/schemas/toy/properties/owner", `{"$ref":"#/components/schemas/pet"}`},
		{"GET /whole", "components/schemas/Local/properties/far", `{"$ref":"#/components/schemas/pet"}`},
		{"POST /part", "paths/~1part/post/requestBody/content/application~1json/schema", `{"$ref":"#/components/schemas/pet"}`},
		{"POST /part", "components/schemas/pet/description", `"another pet"`},
		{"POST /part", "components/schemas/Part/properties/up", `{"$ref":"#/components/schemas/Local"}`},
		{"POST /part", "paths/~1part/post/callbacks/done/{$request.body#~1url}/post/requestBody/content/a~1b/schema", `{"$ref":"#/components/schemas/pet-6cf6bd"}`},
		{"GET /operation", "paths/~1operation/get/parameters/0/schema", `{"$ref":"#/components/schemas/name"}`},
		{"GET /operation", "paths/~1operation/get/responses/200/headers/X-Rate/description", `"a rate"`},
	} {
		v, diags := small(t, doc, c.op)
		if got := toJSON(at(v, c.path)); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.op, c.path, got, c.want)
		}
		if len(diags) > 0 {
			t.Errorf("%s: %v", c.op, diags)
		}
	}
}

func TestReferencesMayStandForMapsAndLists(t *testing.T) {
	doc := mustLoadFiles(t, memory{
		"openapi.yaml": `
openapi: 3.0.3
paths:
  /a:
    get:
      parameters: {$ref: sub/lists.yaml#/parameters}
      responses:
        $ref: sub/maps.yaml#/responses
        "404": {description: own}
components: {schemas: {Tree: {type: object, properties: {kids: {type: array, items: {$ref: '#'}}}}}}
`,
		"sub/lists.yaml": `parameters: [{name: p, in: query, schema: {$ref: deep/s.yaml}}]`,
		"sub/maps.yaml": `
responses: {"200": {description: ok, content: {a/b: {schema: {type: object, properties: {$ref: 'deep/s.yaml#/properties', own: {$ref: '../openapi.yaml#/components/schemas/Tree'}}}}}}}`,
		"sub/deep/s.yaml": `{type: object, properties: {far: {$ref: t.yaml}}}`,
		"sub/deep/t.yaml": `{type: string, title: T}`,
	})
	v, diags := small(t, doc, "GET /a")
	for path, want := range map[string]string{
		"paths/~1a/get/parameters/0/schema":                              `{"$ref":"#/components/schemas/s"}`,
		"paths/~1a/get/responses/404/description":                        `"own"`,
		"paths/~1a/get/responses/200/content/a~1b/schema/properties/far": `{"$ref":"#/components/schemas/t"}`,
		"paths/~1a/get/responses/200/content/a~1b/schema/properties/own": `{"$ref":"#/components/schemas/Tree"}`,
		"components/schemas/t/title":                                     `"T"`,
		"components/schemas/Tree/properties/kids/items":                  `{"$ref":"#/components/schemas/Tree"}`,
	} {
		if got := toJSON(at(v, path)); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if len(diags)+len(doc.Diagnostics) > 0 {
		t.Errorf("diagnostics %v %v", doc.Diagnostics, diags)
	}
}

func TestAnEditOfAFileChangesOnlyWhatReachesIt(t *testing.T) {
	smalls := func(files memory) map[string]string {
		doc := mustLoadFiles(t, files)
		out := make(map[string]string)
		for i := range doc.Operations {
			data, _ := doc.Small(&doc.Operations[i], budget)
			out[doc.Operations[i].OperationID] = string(data)
		}
		return out
	}
	before := smalls(spread())
	for file, want := range map[string]string{
		"shared/parameters.yaml": "getWhole", "shared/bodies.yaml": "addPart", "shared/headers.yaml": "getOperation",
		"models/pet.json": "addPart", "models/toys/toy.yaml": "getWhole addPart", "unused.yaml": "",
	} {
		files := spread()
		files[file] = strings.NewReplacer("type: integer", "type: number", "pet.json", "toys/toy.yaml", "another", "some", "owner:", "keeper:").Replace(files[file])
		after := smalls(files)
		for id := range before {
			if changed := before[id] != after[id]; changed != strings.Contains(want, id) {
				t.Errorf("an edit of %s: %s changed: %v", file, id, changed)
			}
		}
	}
}

func TestFaultsNameTheFileTheyAreIn(t *testing.T) {
	doc := mustLoadFiles(t, memory{
		"openapi.yaml": `
openapi: 3.0.3
paths:
  /a: {get: {responses: {"200": {description: ok, content: {a/b: {schema: {$ref: sub/a.yaml}}}}}}}
  /b: {get: {responses: {"200": {$ref: broken.yaml#/x}}}}
`,
		"sub/a.yaml":  `{type: object, properties: {gone: {$ref: b.yaml#/nowhere}, odd: {type: string, minLength: many}}}`,
		"sub/b.yaml":  `{}`,
		"broken.yaml": "x: [1\n",
	})
	var got []string
	for _, d := range doc.Diagnostics {
		got = append(got, d.File+" "+d.Pointer)
	}
	if want := "[api/openapi.yaml /paths/~1b/get/responses/200/$ref api/sub/a.yaml /properties/gone/$ref]"; fmt.Sprint(got) != want {
		t.Errorf("diagnostics of %s, want %s", got, want)
	}
	if msg := doc.Diagnostics[0].Message; !strings.Contains(msg, "api/broken.yaml:1") {
		t.Errorf("the message does not say where the file is broken: %s", msg)
	}
	_, diags := doc.Small(find(t, doc, "GET /a"), budget)
	if len(diags) != 2 || diags[0].File != "api/sub/a.yaml" || diags[0].Pointer != "/properties/odd/minLength" || diags[1].File != "api/sub/a.yaml" {
		t.Errorf("diagnostics %v", diags)
	}
}

func TestReferencesOutOfReachAreRefused(t *testing.T) {
	for ref, want := range map[string]string{
		"http://169.254.169.254/latest/meta-data/": "network",
		"HTTPS://x.example/a.yaml":                 "network",
		"//x.example/a.yaml":                       "network",
		"file:///etc/passwd":                       "file: URL",
		"/etc/passwd.json":                         "absolute",
		`C:\a.yaml`:                                "URI",
		`..\a.yaml`:                                "absolute path, or none",
		"a%00.yaml":                                "absolute path, or none",
		"../../../etc/passwd":                      "no .json",
		"urn:x:y":                                  "URI",
		"none.yaml":                                "does not exist",
		strings.Repeat("a", 100<<10) + ".yaml":     "too long",
	} {
		doc := mustLoadFiles(t, memory{"openapi.yaml": withSchema("3.0.0", `{"$ref":`+toJSON(ref)+`}`, "{}")})
		if len(doc.Diagnostics) != 1 || !strings.Contains(doc.Diagnostics[0].Message, want) || len(doc.Diagnostics[0].Message) > 600 {
			t.Errorf("%.50s: %v, want %q", ref, doc.Diagnostics, want)
		}
		if data, _ := doc.Small(&doc.Operations[0], budget); !bytes.Contains(data, []byte(stubKey)) {
			t.Errorf("%.50s: %s", ref, data)
		}
	}
}

func TestWithoutFilesNothingIsRead(t *testing.T) {
	doc := mustLoad(t, "-", withSchema("3.0.0", `{"$ref":"a.yaml"}`, "{}"))
	if len(doc.Diagnostics) != 1 || !strings.Contains(doc.Diagnostics[0].Message, "no folder") {
		t.Errorf("diagnostics %v", doc.Diagnostics)
	}
}

func TestCyclesAcrossFilesEnd(t *testing.T) {
	for _, n := range []int{1, 2, 300} {
		files := memory{"openapi.yaml": withSchema("3.0.0", `{"$ref":"f0.yaml"}`, "{}")}
		for i := range n {
			files[fmt.Sprintf("f%d.yaml", i)] = fmt.Sprintf(`$ref: f%d.yaml`, (i+1)%n)
		}
		doc := mustLoadFiles(t, files)
		if len(doc.Diagnostics) == 0 || !strings.Contains(doc.Diagnostics[0].Message, "leads back to itself") {
			t.Errorf("%d files: %v", n, doc.Diagnostics)
		}
		small(t, doc, "GET /a")
	}
}

func TestTooManyFilesAreNotRead(t *testing.T) {
	files := memory{}
	var refs []string
	for i := range MaxFiles + 10 {
		name := fmt.Sprintf("f%d.yaml", i)
		files[name] = "type: string"
		refs = append(refs, `{"$ref":"`+name+`"}`)
	}
	files["openapi.yaml"] = withSchema("3.0.0", `{"anyOf":[`+strings.Join(refs, ",")+`]}`, "{}")
	doc := mustLoadFiles(t, files)
	if len(doc.files) != MaxFiles || len(doc.Diagnostics) != 11 { // the document itself is one
		t.Errorf("%d files, %d diagnostics", len(doc.files), len(doc.Diagnostics))
	}
}

func TestRefsAreReportedWhenTheDocumentIsLoaded(t *testing.T) {
	for name, c := range map[string]struct {
		schema, components string
		want               []string
	}{
		"dangling":      {`{"$ref":"#/components/schemas/None"}`, `{}`, []string{"/" + strings.TrimSuffix(answer, "") + "/$ref"}},
		"itself":        {`{"type":"string"}`, `{"schemas":{"A":{"$ref":"#/components/schemas/A"}}}`, []string{"/components/schemas/A/$ref"}},
		"a pair":        {`{"type":"string"}`, `{"schemas":{"A":{"$ref":"#/components/schemas/B"},"B":{"$ref":"#/components/schemas/A"}}}`, []string{"/components/schemas/A/$ref"}},
		"a mapping":     {`{"oneOf":[],"discriminator":{"propertyName":"k","mapping":{"a":"#/components/schemas/None","b":"Name"}}}`, `{}`, []string{"/" + answer + "/discriminator/mapping/a"}},
		"an example":    {`{"type":"object","example":{"$ref":"#/none"},"default":{"a":{"$ref":"x.yaml"}}}`, `{}`, nil},
		"an extension":  {`{"x-a":{"$ref":"#/none"}}`, `{}`, nil},
		"a property":    {`{"properties":{"$ref":{"type":"string"},"example":{"$ref":"#/none"}}}`, `{}`, []string{"/" + answer + "/properties/example/$ref"}},
		"many the same": {`{"anyOf":[{"$ref":"#/none"},{"$ref":"#/none"}]}`, `{}`, []string{"/" + answer + "/anyOf/0/$ref"}},
		"good":          {`{"$ref":"#/components/schemas/A"}`, `{"schemas":{"A":{"allOf":[{"$ref":"#/components/schemas/A"}]}}}`, nil},
	} {
		doc := mustLoad(t, "a.json", withSchema("3.1.0", c.schema, c.components))
		var got []string
		for _, d := range doc.Diagnostics {
			got = append(got, d.Pointer)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, doc.Diagnostics, c.want)
		}
	}
}

func TestChainsAndCyclesOfReferencesAreCheckedInBoundedTime(t *testing.T) {
	for _, round := range []bool{false, true} {
		var b strings.Builder
		const n = 10_000
		for i := range n {
			next := fmt.Sprintf(`{"$ref":"#/components/schemas/S%d"}`, (i+1)%n)
			if i == n-1 && !round {
				next = `{"type":"string"}`
			}
			fmt.Fprintf(&b, `"S%d":%s,`, i, next)
		}
		doc := mustLoad(t, "a.json", withSchema("3.0.0", `{"$ref":"#/components/schemas/S0"}`, `{"schemas":{`+strings.TrimSuffix(b.String(), ",")+`}}`))
		if got := len(doc.Diagnostics); got > 1 || round != (got == 1) {
			t.Errorf("round %v: %d diagnostics", round, got)
		}
	}
}

// FuzzResolve resolves references of two files that refer to each other.
func FuzzResolve(f *testing.F) {
	for _, s := range []string{"b.yaml", "b.yaml#/a", "b.yaml#", "#/paths/~1a", "../b.yaml", "./b.yaml#/%7E1", "openapi.yaml#/paths", "b.yaml?x#/a", "%62.yaml", "#a", "b.yaml#a", "//b.yaml", "b.yaml#/a/$ref"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		q := func(s string) string { b, _ := json.Marshal(s); return string(b) }
		files := memory{
			"openapi.yaml": withSchema("3.1.0", `{"properties":{"a":{"$ref":`+q(one)+`},"b":{"$ref":`+q(two)+`}}}`, `{"responses":{"R":{"$ref":`+q(two)+`}}}`),
			"b.yaml":       `{"a":{"$ref":` + q(two) + `},"$anchor":"a","get":{"$ref":` + q(one) + `}}`,
		}
		doc := mustLoadFiles(t, files)
		checkSmall(t, doc, &doc.Operations[0])
		if name, why := (&fileReader{doc: doc, known: map[string]fileLink{}, files: files}).target(doc.files[0], one); why == "" && (path.Clean(name) != name || path.IsAbs(name)) {
			t.Errorf("%q names %q", one, name)
		}
	})
}
