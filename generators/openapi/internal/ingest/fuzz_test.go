package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// scan runs the scanner over a whole text.
func scan(data []byte) bool {
	s := scanner{data: data}
	end := s.value(s.space(0), 0)
	return end >= 0 && s.space(end) == len(data)
}

func FuzzScanner(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `""`, `0`, `-0.5e+10`, `01`, `1.`, `.5`, `-`, `1e`, `true`, `tru`, `null`, `nul`,
		`{"a":1,"b":[true,false,null,{"c":"\u00e9\n"}]}`, `{"a":1,}`, `[1,]`, `{"a" 1}`, `{"a":}`, `{a:1}`, `[1 2]`,
		`"abcdefgh\"ijklmnop"`, "\"tab\there\"", `"\x"`, `"\u12g4"`, `"12345678`, "\"\x01\"", `[[[[]]]`, `{}}`, ` { "k" : [ ] } `, "\"\x7f\xff\"",
		"\"aaaaaaa\x1faaaaaaaa\"", "\"1234567\\", `"1234567\"89"`, "\t\n\r {}", "", " ", "{\"a\":1}\x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := scan(data), json.Valid(data); got != want {
			t.Errorf("scan(%q) = %v, encoding/json says %v", data, got, want)
		}
	})
}

func FuzzLoad(f *testing.F) {
	f.Add("a.json", []byte(`{"openapi":"3.0.3","paths":{"/a":{"get":{"responses":{}}}}}`))
	f.Add("a.yaml", []byte("openapi: 3.1\npaths:\n  /a:\n    $ref: '#/x-a'\nx-a: &x {get: {tags: [a]}, put: *x}\n"))
	f.Add("a.yaml", []byte("openapi: 3.0.0\npaths: {/a: {get: {<<: [{a: b}], <<: *u}}}"))
	f.Add("a.yaml", []byte("a: &a [*a]"))
	f.Add("a.json", []byte(richDocument))
	f.Add("a.yaml", []byte("swagger: 2.0\nhost: h\nschemes: [https]\npaths: {/a: {parameters: [{$ref: '#/parameters/P'}], post: {parameters: [{name: b, in: body, schema: {$ref: '#/definitions/D'}}], responses: {200: {schema: {$ref: '#/definitions/D'}, examples: {a/b: 1}}}}}}\nparameters: {P: {name: p, in: query, type: array, items: {type: string}}}\ndefinitions: {D: {discriminator: k, allOf: [{$ref: '#/definitions/D'}]}}\nsecurityDefinitions: {k: {type: oauth2, flow: implicit, authorizationUrl: u, scopes: {a: b}}}\nsecurity: [{k: [a]}]\n"))
	f.Add("a.yaml", []byte("%YAML 1.2\n---\n\t\nopenapi: 3.2.0\n$self: https://a/b.yaml\npaths: {/a: {query: {parameters: {$ref: '#/x'}, responses: {}}}}\nx: [{$ref: 'https://a/b.yaml#/x/0'}]\n---\n"))
	f.Fuzz(func(t *testing.T, file string, data []byte) {
		doc, err := Load(file, data)
		if err != nil {
			if _, ok := err.(*Error); !ok {
				t.Fatalf("error of type %T", err)
			}
			return
		}
		if !json.Valid(doc.files[0].data) {
			t.Fatalf("canonical bytes are no JSON: %q", doc.files[0].data)
		}
		for i := range doc.Operations[:min(len(doc.Operations), 5)] {
			checkSmall(t, doc, &doc.Operations[i])
		}
	})
}

// checkSmall checks what holds of every small document.
func checkSmall(t testing.TB, doc *Document, op *Operation) *openapi3.T {
	t.Helper()
	small, _ := doc.Small(op, 4<<10)
	if !json.Valid(small) {
		t.Fatalf("%s: no JSON: %s", op.Pointer, small)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, small); err != nil || !bytes.Equal(compact.Bytes(), small) {
		t.Errorf("%s: not compact: %s", op.Pointer, small)
	}
	k, err := kinLoad(small)
	if err != nil {
		t.Fatalf("%s: kin-openapi: %v\n%s", op.Pointer, err, small)
	}
	if !json.Valid(doc.Raw(op)) {
		t.Errorf("%s: raw operation is no JSON", op.Pointer)
	}
	return k
}

// FuzzMended puts a wrong value in the place of a right one: the small documents
// must still load.
func FuzzMended(f *testing.F) {
	for i := range 40 {
		f.Add(uint64(i), `{"$ref":"#/components/schemas/Pet"}`)
	}
	for _, v := range []string{`null`, `true`, `0`, `-1.5`, `1e999`, `""`, `"x"`, `"true"`, `[]`, `{}`, `[null]`, `{"a":null}`, `{"$ref":7}`, `{"$ref":"#"}`, `[{"$ref":"#/nowhere"}]`, `{"x-a":1}`, `[[["a"]]]`, `"\u2028\ud800"`} {
		f.Add(uint64(len(v)), v)
	}
	f.Fuzz(func(t *testing.T, seed uint64, value string) {
		if !json.Valid([]byte(value)) || strings.Contains(value, "://") {
			t.Skip()
		}
		data := mutate(rand.New(rand.NewPCG(seed, 1)), []byte(richDocument), value)
		doc, err := Load("a.json", data)
		if err != nil {
			return
		}
		for i := range doc.Operations {
			checkSmall(t, doc, &doc.Operations[i])
		}
	})
}

// mutate replaces one to three values of a document.
func mutate(r *rand.Rand, data []byte, value string) []byte {
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		panic(err)
	}
	for range 1 + r.IntN(3) {
		v := json.RawMessage(value)
		if r.IntN(3) == 0 {
			others := []string{`null`, `true`, `1`, `1.5`, `"text"`, `[]`, `{}`, `["a"]`, `{"a":1}`, `-3`, `[null]`, `[{}]`}
			v = json.RawMessage(others[r.IntN(len(others))])
		}
		doc = replaceOne(r, doc, v)
	}
	out, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return out
}

func replaceOne(r *rand.Rand, v any, by json.RawMessage) any {
	if r.IntN(6) == 0 {
		return by
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return by
		}
		keys := slices.Sorted(maps.Keys(v)) // so that a seed means the same on every run
		k := keys[r.IntN(len(keys))]
		v[k] = replaceOne(r, v[k], by)
		return v
	case []any:
		if len(v) == 0 {
			return by
		}
		i := r.IntN(len(v))
		v[i] = replaceOne(r, v[i], by)
		return v
	}
	return by
}

func TestMutatedDocumentsLoad(t *testing.T) {
	values := []string{`null`, `true`, `12`, `-1`, `"s"`, `[]`, `{}`, `[1]`, `{"a":{"b":[]}}`, `{"$ref":"#/components/schemas/Pet"}`, `{"$ref":"#/components/responses/Gone"}`}
	r := rand.New(rand.NewPCG(1, 2))
	n := 250
	if testing.Short() {
		n = 50
	}
	for i := range n {
		data := mutate(r, []byte(richDocument), values[i%len(values)])
		doc, err := Load("a.json", data)
		if err != nil {
			continue
		}
		for i := range doc.Operations {
			op := &doc.Operations[i]
			small, _ := doc.Small(op, budget)
			if _, err := kinLoad(small); err != nil {
				t.Fatalf("%s: %v\nsmall: %s\nsource: %s", op.Pointer, err, small, data)
			}
		}
	}
}

// A document with every kind of object.
var richDocument = func() string {
	schema := `{"type":"object","title":"Pet","description":"d","format":"f","required":["id"],"nullable":true,
	"properties":{"id":{"type":"integer","minimum":1,"maximum":9,"exclusiveMinimum":true,"multipleOf":2,"default":1,"example":4,"readOnly":true},
	"name":{"type":["string","null"],"minLength":1,"maxLength":9,"pattern":"^a","enum":["a","b"],"const":"a","writeOnly":true,"deprecated":true,"examples":["a"]},
	"tags":{"type":"array","items":{"$ref":"#/components/schemas/Tag"},"minItems":1,"maxItems":3,"uniqueItems":true,"prefixItems":[{"type":"string"}],"contains":{"type":"string"},"minContains":1},
	"self":{"$ref":"#/components/schemas/Pet","description":"sibling"},"any":true},
	"additionalProperties":{"type":"string"},"patternProperties":{"^x":{"type":"string"}},"propertyNames":{"pattern":"a"},
	"allOf":[{"$ref":"#/components/schemas/Tag"}],"oneOf":[{"$ref":"#/components/schemas/Cat"},{"type":"object"}],"anyOf":[{"type":"object"}],"not":{"type":"string"},
	"if":{"type":"object"},"then":{"type":"object"},"else":{"type":"object"},"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":{"type":"object"}},
	"unevaluatedProperties":false,"minProperties":1,"maxProperties":20,
	"discriminator":{"propertyName":"kind","mapping":{"cat":"#/components/schemas/Cat","tag":"Tag"}},
	"xml":{"name":"pet","attribute":true},"externalDocs":{"url":"https://docs.example"},"$defs":{"d":{"type":"string"}},"x-skill":{"a":1}}`
	media := `{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"},"examples":{"one":{"summary":"s","value":{"id":1}},"two":{"$ref":"#/components/examples/E"}},"example":{"id":2}},
	"multipart/form-data":{"schema":{"type":"object","properties":{"file":{"type":"string","format":"binary"}}},"encoding":{"file":{"contentType":"image/png","headers":{"X-A":{"schema":{"type":"string"}}},"style":"form","explode":true}}}}`
	params := `[{"name":"id","in":"path","required":true,"description":"p","style":"simple","explode":false,"schema":{"type":"string"},"example":"x"},
	{"$ref":"#/components/parameters/Page"},{"name":"f","in":"query","content":{"application/json":{"schema":{"type":"object"}}},"examples":{"e":{"value":"x"}}}]`
	response := `{"description":"r","headers":{"X-Rate":{"description":"h","schema":{"type":"integer"}},"X-Ref":{"$ref":"#/components/headers/H"}},"content":` + media + `,"links":{"next":{"operationId":"getPet","parameters":{"id":"$response.body#/id"},"description":"l"},"l2":{"$ref":"#/components/links/L"}}}`
	return fmt.Sprintf(`{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},
	"servers":[{"url":"https://{host}/v1","description":"s","variables":{"host":{"default":"a.example","enum":["a.example"],"description":"v"}}}],
	"security":[{"key":[]},{"oauth":["read"]}],"tags":[{"name":"pets"}],
	"paths":{"/pets/{id}":{"summary":"s","description":"d","parameters":%[3]s,"servers":[{"url":"/x"}],
	"get":{"operationId":"getPet","tags":["pets"],"summary":"s","description":"d","deprecated":true,"parameters":%[3]s,"responses":{"200":%[4]s,"404":{"$ref":"#/components/responses/Gone"},"default":{"description":"d"}},"externalDocs":{"url":"https://docs.example"},"security":[{"oauth":["read"]}]},
	"post":{"operationId":"addPet","requestBody":{"description":"b","required":true,"content":%[2]s},"responses":{"201":%[4]s},"callbacks":{"made":{"{$request.body#/url}":{"post":{"requestBody":{"content":%[2]s},"responses":{"200":{"description":"ok"}}}}},"cb":{"$ref":"#/components/callbacks/C"}}},
	"put":{"requestBody":{"$ref":"#/components/requestBodies/B"},"responses":{"200":{"description":"d"}},"servers":[{"url":"https://b.example"}]}},
	"/alias":{"$ref":"#/paths/~1pets~1{id}"}},
	"webhooks":{"pet.made":{"post":{"requestBody":{"content":%[2]s},"responses":{"200":{"description":"ok"}}}}},
	"components":{"schemas":{"Pet":%[1]s,"Tag":{"type":"object","properties":{"n":{"type":"string"}}},"Cat":{"allOf":[{"$ref":"#/components/schemas/Pet"},{"type":"object","properties":{"kind":{"type":"string"}}}]}},
	"parameters":{"Page":{"name":"page","in":"query","schema":{"type":"integer"}}},"responses":{"Gone":%[4]s},"headers":{"H":{"schema":{"type":"string"}}},
	"examples":{"E":{"value":{"id":3}}},"links":{"L":{"operationRef":"#/paths/~1pets~1{id}/get"}},"requestBodies":{"B":{"content":%[2]s}},
	"callbacks":{"C":{"{$url}":{"get":{"responses":{"200":{"description":"ok"}}}}}},
	"securitySchemes":{"key":{"type":"apiKey","name":"k","in":"header"},"oauth":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"https://t.example","scopes":{"read":"r","write":"w"}}}}}}}`, schema, media, params, response)
}()
