package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestSmallHasTheOperationAndWhatItReaches(t *testing.T) {
	doc := mustLoad(t, "a.json", richDocument)
	v, diags := small(t, doc, "GET /pets/{id}")
	for path, want := range map[string]string{
		"openapi":                               `"3.1.1"`,
		"info":                                  `{"title":"API","version":"0"}`,
		"paths/~1pets~1{id}/get/operationId":    `"getPet"`,
		"paths/~1pets~1{id}/post":               `null`,
		"paths/~1pets~1{id}/servers":            `null`,
		"paths/~1pets~1{id}/parameters/0/name":  `"id"`,
		"paths/~1pets~1{id}/parameters/1/name":  `"page"`,
		"paths/~1pets~1{id}/get/security":       `[{"oauth":["read"]}]`,
		"security":                              `null`,
		"servers":                               `[{"url":"/x"}]`,
		"components/securitySchemes/oauth/type": `"oauth2"`,
		"components/securitySchemes/oauth/flows/clientCredentials/scopes":                               `{"read":"r"}`,
		"components/securitySchemes/key":                                                                `null`,
		"components/schemas/Pet/type":                                                                   `"object"`,
		"components/schemas/Cat/allOf/0/$ref":                                                           `"#/components/schemas/Pet"`,
		"components/schemas/Pet/discriminator/mapping/tag":                                              `"#/components/schemas/Tag"`,
		"paths/~1pets~1{id}/get/responses/404/description":                                              `"r"`,
		"paths/~1pets~1{id}/get/responses/200/links/next/operationId":                                   `"getPet"`,
		"paths/~1pets~1{id}/get/responses/200/links/l2/operationRef":                                    `"#/paths/~1pets~1{id}/get"`,
		"paths/~1pets~1{id}/get/responses/200/content/application~1json/examples/two/value/id":          `3`,
		"paths/~1pets~1{id}/get/responses/200/headers/X-Ref/schema/type":                                `"string"`,
		"paths/~1pets~1{id}/get/responses/200/content/multipart~1form-data/encoding/file/contentType":   `"image/png"`,
		"paths/~1pets~1{id}/get/responses/200/content/application~1json/schema/$ref":                    `"#/components/schemas/Pet"`,
		"components/schemas/Pet/properties/self/description":                                            `"sibling"`,
		"components/schemas/Pet/$defs":                                                                  `null`,
		"components/schemas/Pet/x-skill":                                                                `{"a":1}`,
		"components/schemas/Pet/properties/tags/items/$ref":                                             `"#/components/schemas/Tag"`,
		"components/schemas/Pet/unevaluatedProperties":                                                  `false`,
		"paths/~1pets~1{id}/get/responses/200/content/application~1json/examples/one/value/id":          `1`,
		"paths/~1pets~1{id}/get/responses/200/content/application~1json/example/id":                     `2`,
		"paths/~1pets~1{id}/get/responses/200/content/multipart~1form-data/encoding/file/headers/X-A":   `{"schema":{"type":"string"}}`,
		"paths/~1pets~1{id}/get/responses/200/content/multipart~1form-data/schema/properties/file/type": `"string"`,
	} {
		if got := toJSON(at(v, path)); got != want {
			t.Errorf("%s = %s, want %s", path, got, want)
		}
	}
	if len(diags) > 0 {
		t.Errorf("diagnostics of a sound operation: %v", diags)
	}
}

func TestServersOfTheOperationWinOverThePathsAndTheRoots(t *testing.T) {
	doc := mustLoad(t, "a.json", `{"openapi":"3.0.0","servers":[{"url":"/root"}],"paths":{
		"/a":{"servers":[{"url":"/path"}],"get":{"servers":[{"url":"/op"}]},"put":{},"post":{"servers":[]}},
		"/b":{"get":{}},"/c":{"$ref":"#/paths/~1a"}}}`)
	for name, want := range map[string]string{"GET /a": "/op", "PUT /a": "/path", "POST /a": "/path", "GET /b": "/root", "PUT /c": "/path"} {
		v, _ := small(t, doc, name)
		if got := toJSON(v["servers"]); got != `[{"url":"`+want+`"}]` {
			t.Errorf("%s: servers %s, want %s", name, got, want)
		}
	}
}

func TestSecurityIsTheOperationsElseTheRootsButNotForWebhooks(t *testing.T) {
	doc := mustLoad(t, "a.json", `{"openapi":"3.1.0","security":[{"root":[]}],"paths":{
		"/a":{"get":{},"put":{"security":[]},"post":{"security":[{},{"own":[]}]},"patch":{"security":[{"none":[]}]}}},
		"webhooks":{"w":{"post":{}}},
		"components":{"securitySchemes":{"root":{"type":"http","scheme":"basic"},"own":{"$ref":"#/components/securitySchemes/root"},"other":{"type":"http","scheme":"bearer"}}}}`)
	for _, tt := range []struct{ op, root, own, schemes, rules string }{
		{"GET /a", `[{"root":[]}]`, `null`, `{"root":{"scheme":"basic","type":"http"}}`, ""},
		{"PUT /a", `null`, `[]`, `null`, ""},
		{"POST /a", `null`, `[{},{"own":[]}]`, `{"own":{"scheme":"basic","type":"http"}}`, ""},
		{"PATCH /a", `null`, `[{"none":[]}]`, `null`, "security-scheme"},
		{"POST w", `null`, `null`, `null`, ""},
	} {
		v, diags := small(t, doc, tt.op)
		method, _, _ := strings.Cut(tt.op, " ")
		own := at(v, "paths/~1a/"+strings.ToLower(method)+"/security")
		if toJSON(v["security"]) != tt.root || toJSON(own) != tt.own || toJSON(at(v, "components/securitySchemes")) != tt.schemes || rules(diags) != tt.rules {
			t.Errorf("%s: %s %v", tt.op, toJSON(v), diags)
		}
	}
}

// Canonical: what does not change the meaning does not change a byte.
func TestSmallDoesNotDependOnOrderOrLayout(t *testing.T) {
	doc := mustLoad(t, "a.json", richDocument)
	var shuffled, indented bytes.Buffer
	shuffle(&shuffled, json.RawMessage(richDocument), rand.New(rand.NewPCG(1, 1)))
	if err := json.Indent(&indented, []byte(richDocument), " ", "\t \t"); err != nil {
		t.Fatal(err)
	}
	var tree yaml.Node
	if err := yaml.Unmarshal([]byte(richDocument), &tree); err != nil {
		t.Fatal(err)
	}
	block(&tree)
	inYAML, err := yaml.Marshal(&tree)
	if err != nil {
		t.Fatal(err)
	}
	escaped := strings.ReplaceAll(richDocument, `"description":"d"`, `"\u0064escription":"\u0064"`)
	for name, text := range map[string]string{
		"shuffled": shuffled.String(), "indented": indented.String(), "YAML": string(inYAML), "escaped": escaped,
	} {
		other := mustLoad(t, "a.yaml", text)
		if !reflect.DeepEqual(names(doc), names(other)) {
			t.Fatalf("%s: operations %v, want %v", name, names(other), names(doc))
		}
		for i := range doc.Operations {
			for _, size := range []int{budget, 1500} {
				want, _ := doc.Small(&doc.Operations[i], size)
				got, _ := other.Small(&other.Operations[i], size)
				if !bytes.Equal(got, want) {
					t.Errorf("%s, budget %d: %s differs\n got %s\nwant %s", name, size, doc.Operations[i].Pointer, got, want)
				}
			}
		}
	}
}

// block makes a node tree from JSON block YAML with plain scalars.
func block(n *yaml.Node) {
	n.Style = 0
	for _, c := range n.Content {
		block(c)
	}
}

// shuffle writes JSON with the members of every object in another order.
func shuffle(out *bytes.Buffer, raw json.RawMessage, r *rand.Rand) {
	raw = bytes.TrimSpace(raw)
	switch raw[0] {
	case '{':
		var m map[string]json.RawMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			panic(err)
		}
		keys := make([]string, 0, len(m))
		for k := range m {
			keys = append(keys, k)
		}
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		out.WriteByte('{')
		for i, k := range keys {
			if i > 0 {
				out.WriteString(" ,\n")
			}
			out.WriteString(toJSON(k) + ": ")
			shuffle(out, m[k], r)
		}
		out.WriteByte('}')
	case '[':
		var l []json.RawMessage
		if err := json.Unmarshal(raw, &l); err != nil {
			panic(err)
		}
		out.WriteByte('[')
		for i, e := range l {
			if i > 0 {
				out.WriteString(", ")
			}
			shuffle(out, e, r)
		}
		out.WriteByte(']')
	default:
		out.Write(raw)
	}
}

// Local: an edit changes the operations that reach what was edited.
func TestAnEditChangesOnlyWhatReachesIt(t *testing.T) {
	const text = `{"openapi":"3.0.3","info":{"title":"T","version":"1"},"servers":[{"url":"https://a.example"}],
		"paths":{"/a":{"get":{"summary":"A","responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}}},
		"/b":{"get":{"summary":"B","responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/B"}}}}}}},
		"/c":{"get":{"summary":"C","responses":{"200":{"description":"ok"}},"security":[{"o":["s1"]}]}}},
		"components":{"schemas":{"A":{"properties":{"core":{"$ref":"#/components/schemas/Core"}}},"B":{"properties":{"core":{"$ref":"#/components/schemas/Core"}}},"Core":{"type":"string"}},
		"securitySchemes":{"o":{"type":"oauth2","flows":{"implicit":{"authorizationUrl":"https://a.example","scopes":{"s1":"one","s2":"two"}}}}}}}`
	base := mustLoad(t, "a.json", text)
	for _, tt := range []struct {
		name, from, to string
		changed        []string
	}{
		{"summary", `"A"`, `"AA"`, []string{"GET /a"}},
		{"shared schema", `{"type":"string"}`, `{"type":"integer"}`, []string{"GET /a", "GET /b"}},
		{"info", `"version":"1"`, `"version":"2"`, nil},
		{"new operation", `"paths":{`, `"paths":{"/0":{"get":{}},`, nil},
		{"new schema", `"schemas":{`, `"schemas":{"New":{"allOf":[{"$ref":"#/components/schemas/Core"}]},`, nil},
		{"scope of others", `"two"`, `"zwei"`, nil},
		{"scope asked for", `"one"`, `"eins"`, []string{"GET /c"}},
		{"servers", `"https://a.example"}]`, `"https://b.example"}]`, []string{"GET /a", "GET /b", "GET /c"}},
		{"patch version", `"3.0.3"`, `"3.0.1"`, nil},
	} {
		edited := mustLoad(t, "a.json", strings.Replace(text, tt.from, tt.to, 1))
		var changed []string
		for _, name := range names(base) {
			want, _ := base.Small(find(t, base, name), budget)
			got, _ := edited.Small(find(t, edited, name), budget)
			if !bytes.Equal(got, want) {
				changed = append(changed, name)
			}
		}
		if !reflect.DeepEqual(changed, tt.changed) {
			t.Errorf("%s: changed %v, want %v", tt.name, changed, tt.changed)
		}
	}
}

func TestReferencesAreFollowedWhereverTheyLead(t *testing.T) {
	for _, tt := range []struct{ name, version, schema, components, path, want string }{
		{"component", "3.0.0", `{"$ref":"#/components/schemas/A"}`, `{"schemas":{"A":{"type":"string"}}}`, "components/schemas/A", `{"type":"string"}`},
		{"percent and tilde", "3.0.0", `{"$ref":"#/components/schemas/a~1b%20~0c"}`, `{"schemas":{"a/b ~c":{"type":"string"}}}`, "components/schemas/a~1b ~0c", `{"type":"string"}`},
		{"percent in the name", "3.0.0", `{"$ref":"#/components/schemas/100%"}`, `{"schemas":{"100%":{"type":"string"}}}`, "components/schemas/100%", `{"type":"string"}`},
		{"the file itself", "3.0.0", `{"$ref":"./a.json#/components/schemas/A"}`, `{"schemas":{"A":{"type":"string"}}}`, "components/schemas/A", `{"type":"string"}`},
		{"alias of an alias", "3.0.0", `{"$ref":"#/components/schemas/A"}`, `{"schemas":{"A":{"$ref":"#/components/schemas/B"},"B":{"$ref":"#/components/schemas/C"},"C":{"type":"string"}}}`, "components/schemas", `{"C":{"type":"string"}}`},
		{"3.0 drops siblings", "3.0.0", `{"$ref":"#/components/schemas/A","description":"d"}`, `{"schemas":{"A":{"type":"string"}}}`, answer, `{"$ref":"#/components/schemas/A"}`},
		{"3.1 keeps siblings", "3.1.0", `{"$ref":"#/components/schemas/A","description":"d"}`, `{"schemas":{"A":{"type":"string"}}}`, answer, `{"$ref":"#/components/schemas/A","description":"d"}`},
		{"a property named $ref", "3.0.0", `{"properties":{"$ref":{"type":"string"}}}`, `{}`, answer, `{"properties":{"$ref":{"type":"string"}}}`},
		{"cycle", "3.0.0", `{"$ref":"#/components/schemas/A"}`, `{"schemas":{"A":{"items":{"$ref":"#/components/schemas/A"},"type":"array"}}}`, "components/schemas/A", `{"items":{"$ref":"#/components/schemas/A"},"type":"array"}`},
		{"through a $ref", "3.0.0", `{"$ref":"#/components/schemas/A/properties/p"}`, `{"schemas":{"A":{"$ref":"#/components/schemas/B"},"B":{"properties":{"p":{"type":"string"}}}}}`, "components/schemas/A.p-" + hash("/components/schemas/A/properties/p"), `null`},
		{"own definitions", "3.1.0", `{"$ref":"#/components/schemas/A"}`, `{"schemas":{"A":{"items":{"$ref":"#/$defs/i"},"$defs":{"i":{"type":"string"}}}}}`, "components/schemas/A.i-" + hash("/components/schemas/A/$defs/i"), `{"type":"string"}`},
		{"anchor", "3.1.0", `{"$ref":"#item"}`, `{"schemas":{"A":{"properties":{"i":{"$anchor":"item","type":"string"}}}}}`, "components/schemas/A.i-" + hash("/components/schemas/A/properties/i"), `{"type":"string"}`},
		{"identifier", "3.1.0", `{"$ref":"https://schemas.example/a"}`, `{"schemas":{"A":{"$id":"https://schemas.example/a","type":"string"}}}`, "components/schemas/A", `{"type":"string"}`},
		{"dynamic anchor", "3.1.0", `{"$dynamicRef":"#node"}`, `{"schemas":{"A":{"$dynamicAnchor":"node","type":"string"}}}`, "components/schemas/A", `{"type":"string"}`},
		{"another kind", "3.0.0", `{"$ref":"#/components/parameters/P/schema"}`, `{"parameters":{"P":{"name":"p","in":"query","schema":{"type":"string"}}}}`, "components/schemas/parameters.P-" + hash("/components/parameters/P/schema"), `{"type":"string"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, _ := small(t, mustLoad(t, "a.json", withSchema(tt.version, tt.schema, tt.components)), "GET /a")
			if tt.name == "through a $ref" {
				if !strings.Contains(toJSON(v), `"B.p-`) {
					t.Errorf("got %s", toJSON(v))
				}
				return
			}
			if got := toJSON(at(v, tt.path)); got != tt.want {
				t.Errorf("%s = %s, want %s\n%s", tt.path, got, tt.want, toJSON(v))
			}
		})
	}
}

func hash(ptr string) string {
	name := componentName("", ptr)
	return name[strings.LastIndexByte(name, '-')+1:]
}

func TestReferencesThatLeadNowhereLeaveAStub(t *testing.T) {
	for name, ref := range map[string]string{
		"dangling": "#/components/schemas/None", "file": "other.yaml#/A", "network": "http://169.254.169.254/x",
		"absolute": "file:///etc/passwd", "itself": "#/components/schemas/Loop", "round": "#/components/schemas/L1",
		"not a schema": "#/info/title", "document": "#", "empty": "", "too long": "#" + strings.Repeat("/a", 1000), "bad percent": "#/%zz",
	} {
		t.Run(name, func(t *testing.T) {
			doc := mustLoad(t, "a.json", withSchema("3.0.0", `{"type":"object","properties":{"p":{"$ref":"`+ref+`"},"q":{"type":"string"}}}`,
				`{"schemas":{"Loop":{"$ref":"#/components/schemas/Loop"},"L1":{"$ref":"#/components/schemas/L2"},"L2":{"$ref":"#/components/schemas/L1"}}}`))
			v, diags := small(t, doc, "GET /a")
			if at(v, answer+"/properties/p/x-apiskills-stub") != shorten(ref) || at(v, answer+"/properties/q/type") != "string" {
				t.Errorf("got %s", toJSON(v))
			}
			if at(v, "paths/~1a/get/x-apiskills-missing/0/pointer") == nil {
				t.Errorf("the operation does not say what is missing: %s", toJSON(v))
			}
			if len(diags) != 1 || diags[0].Rule != "ref" || !strings.HasPrefix(diags[0].Pointer, "/paths/~1a/get") {
				t.Errorf("diagnostics %v", diags)
			}
		})
	}
}

func TestMissingPartsAreListed(t *testing.T) {
	doc := mustLoad(t, "a.json", document("3.0.0", `{"/a":{"post":{"parameters":[{"$ref":"p.yaml"},{"name":"q","in":"query"}],"requestBody":{"$ref":"#/none"},
		"responses":{"200":{"$ref":"r.yaml"},"404":{"$ref":"#/components/requestBodies/B"},"500":{"$ref":"#/components/responses/R"}}}}}`,
		`{"requestBodies":{"B":{"required":true,"content":{"text/plain":{}}}},"responses":{"R":{"$ref":"#/components/responses/R"}}}`))
	v, diags := small(t, doc, "POST /a")
	op := at(v, "paths/~1a/post")
	if got := toJSON(at(op, "parameters")); got != `[{"in":"query","name":"q"}]` {
		t.Errorf("parameters %s", got)
	}
	if at(op, "requestBody/x-apiskills-stub") != "#/none" || at(op, "responses/200/x-apiskills-stub") != "r.yaml" {
		t.Errorf("no stubs: %s", toJSON(op))
	}
	if at(op, "responses/404/content/text~1plain") == nil {
		t.Errorf("a response taken from a request body is lost: %s", toJSON(op))
	}
	var missing []string
	for _, m := range at(op, "x-apiskills-missing").([]any) {
		missing = append(missing, m.(map[string]any)["pointer"].(string))
	}
	want := []string{"/paths/~1a/post/parameters/0", "/paths/~1a/post/requestBody", "/paths/~1a/post/responses/200", "/paths/~1a/post/responses/500"}
	if !reflect.DeepEqual(missing, want) || rules(diags) != "ref ref ref ref" {
		t.Errorf("missing %v, diagnostics %v", missing, diags)
	}
}

func TestDiscriminatorReachesItsSubtypes(t *testing.T) {
	components := `{"schemas":{
		"Pet":{"type":"object","discriminator":{"propertyName":"kind","mapping":{"dog":"Dog","none":"None"}}},
		"Cat":{"allOf":[{"$ref":"#/components/schemas/Pet"},{"type":"object","properties":{"claws":{"type":"integer"}}}]},
		"Dog":{"type":"object"},
		"Other":{"type":"object"}}}`
	v, diags := small(t, mustLoad(t, "a.json", withSchema("3.0.0", `{"$ref":"#/components/schemas/Pet"}`, components)), "GET /a")
	schemas := at(v, "components/schemas").(map[string]any)
	if len(schemas) != 3 || schemas["Cat"] == nil || schemas["Dog"] == nil {
		t.Errorf("schemas %s", toJSON(schemas))
	}
	if got := toJSON(at(v, "components/schemas/Pet/discriminator/mapping")); got != `{"dog":"#/components/schemas/Dog"}` {
		t.Errorf("mapping %s", got)
	}
	if rules(diags) != "ref" {
		t.Errorf("diagnostics %v", diags)
	}
	// From a subtype its siblings are not reached.
	v, _ = small(t, mustLoad(t, "a.json", withSchema("3.0.0", `{"$ref":"#/components/schemas/Cat"}`, components)), "GET /a")
	if schemas := at(v, "components/schemas").(map[string]any); len(schemas) != 2 || schemas["Dog"] != nil {
		t.Errorf("schemas %s", toJSON(schemas))
	}
	// In either order of discovery.
	both := `{"type":"object","properties":{"a":{"$ref":"#/components/schemas/Cat"},"b":{"type":"object","properties":{"c":{"type":"object","properties":{"d":{"$ref":"#/components/schemas/Pet"}}}}}}}`
	v, _ = small(t, mustLoad(t, "a.json", withSchema("3.0.0", both, components)), "GET /a")
	if schemas := at(v, "components/schemas").(map[string]any); schemas["Dog"] == nil {
		t.Errorf("schemas %s", toJSON(schemas))
	}
}

func TestWhatTheParserRefusesIsMended(t *testing.T) {
	for _, tt := range []struct{ name, schema, want, rules string }{
		{"tuple", `{"type":"array","items":[{"type":"string"},{"type":"integer"}]}`, `{"prefixItems":[{"type":"string"},{"type":"integer"}],"type":"array"}`, "tuple"},
		{"tuple of one", `{"type":"array","items":[{"type":"string"}]}`, `{"items":{"type":"string"},"type":"array"}`, "tuple"},
		{"examples as a map", `{"type":"string","examples":{"a":{"value":"x"},"b":"y"}}`, `{"examples":["x","y"],"type":"string"}`, ""},
		{"required: true", `{"properties":{"a":{"type":"string","required":true},"b":{"required":false}},"required":["c"]}`, `{"properties":{"a":{"type":"string"},"b":{}},"required":["c","a"]}`, "required-flag"},
		{"numbers as text", `{"minimum":"1","maxLength":"5","maxItems":3.0,"minItems":-1}`, `{"maxItems":3,"maxLength":5,"minimum":1}`, "type"},
		{"booleans as text", `{"nullable":"true","deprecated":"no"}`, `{"nullable":true}`, "type"},
		{"text as other scalars", `{"description":42,"pattern":1.10,"title":true,"format":null}`, `{"description":"42","pattern":"1.10","title":"true"}`, "type"},
		{"description as an object", `{"description":{"$ref":"d.md"},"type":"string"}`, `{"type":"string"}`, "type"},
		{"null property", `{"properties":{"a":null,"b":{}}}`, `{"properties":{"b":{}}}`, ""},
		{"property of the wrong type", `{"properties":{"a":"string","b":{}}}`, `{"properties":{"b":{}}}`, "type"},
		{"enum that is no list", `{"enum":"a"}`, `{"enum":["a"]}`, ""},
		{"discriminator as text", `{"discriminator":"kind","oneOf":[{"type":"object"}]}`, `{"discriminator":{"propertyName":"kind"},"oneOf":[{"type":"object"}]}`, ""},
		{"identifiers", `{"$id":"http://a.example/s","$schema":"x","$comment":"c","$anchor":"a","$defs":{"d":{}},"definitions":{},"type":"string"}`, `{"type":"string"}`, ""},
		{"extensions", `{"x-foo":1,"x-skill":{"hide":true},"x-apiskills-stub":"forged","type":"string"}`, `{"type":"string","x-skill":{"hide":true}}`, ""},
		{"exclusive bounds of both kinds", `{"exclusiveMinimum":true,"exclusiveMaximum":5,"minimum":0}`, `{"exclusiveMaximum":5,"exclusiveMinimum":true,"minimum":0}`, ""},
		{"type that is no type", `{"type":{"a":1},"title":"t"}`, `{"title":"t"}`, "type"},
		{"number beyond float64", `{"minimum":1e999,"type":"number"}`, `{"type":"number"}`, "type"},
		{"duplicate key", `{"type":"string","type":"integer"}`, `{"type":"integer"}`, "duplicate-key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, diags := small(t, mustLoad(t, "a.json", withSchema("3.0.0", tt.schema, "{}")), "GET /a")
			if got := toJSON(at(v, answer)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			distinct := ""
			for _, d := range diags {
				if d.Pointer == "" || d.Message == "" || d.File != "a.json" {
					t.Errorf("diagnostic without place or message: %v", d)
				}
				if distinct != d.Rule {
					distinct = d.Rule
				}
			}
			if distinct != tt.rules {
				t.Errorf("diagnostics %v, want %s", diags, tt.rules)
			}
		})
	}
}

func TestOtherObjectsAreMended(t *testing.T) {
	for _, tt := range []struct{ name, op, path, want string }{
		{"parameters with null", `{"parameters":[null,{"name":"a","in":"query"},"x"]}`, "parameters", `[{"in":"query","name":"a"}]`},
		{"parameters as a map", `{"parameters":{"a":{}}}`, "parameters", `null`},
		{"schema and content", `{"parameters":[{"name":"a","in":"query","schema":{},"content":{"a/b":{}}}]}`, "parameters/0", `{"in":"query","name":"a","schema":{}}`},
		{"media type of nothing", `{"requestBody":{"content":{"application/json":null}}}`, "requestBody", `{"content":{"application/json":{}}}`},
		{"response of nothing", `{"responses":{"204":null,"x-a":1}}`, "responses", `{"204":{}}`},
		{"responses of nothing", `{"responses":null}`, "responses", `{}`},
		{"examples as a list", `{"requestBody":{"content":{"a/b":{"examples":["x",{"value":"y"}]}}}}`, "requestBody/content/a~1b/examples", `{"example-1":{"value":"x"},"example-2":{"value":"y"}}`},
		{"bare example", `{"requestBody":{"content":{"a/b":{"examples":{"e":{"id":1}}}}}}`, "requestBody/content/a~1b/examples", `{"e":{"value":{"id":1}}}`},
		{"tag as text", `{"tags":"a"}`, "tags", `["a"]`},
		{"tags of other types", `{"tags":["a",1,{"name":"b"},null]}`, "tags", `["a","1"]`},
		{"security as an object", `{"security":{"k":null}}`, "security", `[{"k":[]}]`},
		{"callbacks of callbacks", `{"callbacks":{"c":{"{$url}":{"post":{"callbacks":{"d":{}},"responses":{}}}}}}`, "callbacks/c/{$url}/post", `{"responses":{}}`},
		{"query in a callback path item by reference", `{"callbacks":{"c":{"{$url}":{"$ref":"#/components/pathItems/P"}}}}`, "callbacks/c/{$url}/get/responses", `{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, _ := small(t, mustLoad(t, "a.json", document("3.1.0", `{"/a":{"post":`+tt.op+`}}`, `{"pathItems":{"P":{"get":{"responses":{}}}}}`)), "POST /a")
			if got := toJSON(at(v, "paths/~1a/post/"+tt.path)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestBudgetExpandsBreadthFirstAndLeavesStubs(t *testing.T) {
	var schemas strings.Builder
	for i := range 60 {
		fmt.Fprintf(&schemas, `"S%02d":{"type":"object","required":["a","next"],"properties":{"a":{"type":"string","description":"%s"},"next":{"$ref":"#/components/schemas/S%02d"}}},`, i, strings.Repeat("x", 200), i+1)
	}
	doc := mustLoad(t, "a.json", document("3.0.0", `{"/a":{"post":{
		"parameters":[{"name":"p","in":"query","schema":{"$ref":"#/components/schemas/S50"}}],
		"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S00"}}}},
		"responses":{"404":{"description":"no","content":{"application/json":{"schema":{"type":"object","properties":{"big":{"type":"object","properties":{"s":{"type":"string","pattern":"`+strings.Repeat("x", 3000)+`"}}}}}}}},
		"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/S20"}}}}}}}}`,
		`{"schemas":{`+schemas.String()+`"S60":{"type":"string"}}}`))
	op := find(t, doc, "POST /a")
	const size = 4000
	data, diags := doc.Small(op, size)
	if len(data) > size+2000 {
		t.Errorf("%d bytes with a budget of %d", len(data), size)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if _, err := kinLoad(data); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"S50", "S00", "S20", "S51", "S01"} {
		if at(v, "components/schemas/"+name+"/properties/a") == nil {
			t.Errorf("%s is not expanded", name)
		}
	}
	stubs := 0
	for name, s := range at(v, "components/schemas").(map[string]any) {
		if at(s, "properties") == nil {
			stubs++
			want := `{"required":["a","next"],"type":"object","x-apiskills-stub":"` + name + `"}`
			if got := toJSON(s); got != want {
				t.Errorf("stub %s, want %s", got, want)
			}
		}
	}
	if stubs != 3 { // one at the end of each chain
		t.Errorf("%d stubs", stubs)
	}
	big := at(v, "paths/~1a/post/responses/404/content/application~1json/schema/properties/big")
	if got := toJSON(big); got != `{"properties":{"s":{"type":"string","x-apiskills-stub":"/paths/~1a/post/responses/404/content/application~1json/schema/properties/big/properties/s"}},"type":"object"}` {
		t.Errorf("inline stub %s", got)
	}
	if rules(diags) != "budget" {
		t.Errorf("diagnostics %v", diags)
	}
}

func TestLargeEnumKeepsItsFirstValuesAndCountsTheRest(t *testing.T) {
	var values []string
	for i := range 10_000 {
		values = append(values, fmt.Sprintf(`"zone-%05d"`, i))
	}
	v, diags := small(t, mustLoad(t, "a.json", withSchema("3.0.0", `{"type":"string","enum":[`+strings.Join(values, ",")+`]}`, "{}")), "GET /a")
	s := at(v, answer)
	kept := at(s, "enum").([]any)
	omitted, _ := at(s, "x-apiskills-enum-omitted").(float64)
	if kept[0] != "zone-00000" || len(kept)+int(omitted) != 10_000 || len(kept) > 200 || rules(diags) != "enum" {
		t.Errorf("%d kept, %v omitted, diagnostics %v", len(kept), omitted, diags)
	}
}

func TestLargeExamplesAreLeftOut(t *testing.T) {
	media := func(n int) string {
		return `{"examples":{"small":{"value":"x"},"large":{"value":"` + strings.Repeat("x", n) + `"}},"example":"` + strings.Repeat("y", n) + `"}`
	}
	doc := mustLoad(t, "a.json", document("3.0.0", `{"/a":{"get":{"responses":{"200":{"description":"ok","content":{"a/b":`+media(20_000)+`,"c/d":`+media(100)+`}}}}}}`, "{}"))
	v, diags := small(t, doc, "GET /a")
	content := at(v, "paths/~1a/get/responses/200/content")
	if toJSON(at(content, "a~1b")) != `{"examples":{"small":{"value":"x"}}}` {
		t.Errorf("a/b: %s", toJSON(at(content, "a~1b")))
	}
	if at(content, "c~1d/example") == nil || at(content, "c~1d/examples/large") == nil {
		t.Errorf("c/d: %s", toJSON(at(content, "c~1d")))
	}
	if rules(diags) != "examples" {
		t.Errorf("diagnostics %v", diags)
	}
}

func TestDeepNestingIsCut(t *testing.T) {
	schema := `{"type":"string"}`
	for i := range 600 {
		schema = fmt.Sprintf(`{"type":"object","required":["l%d"],"properties":{"l%d":%s}}`, i, i, schema)
	}
	example := strings.Repeat("[", 3000) + strings.Repeat("]", 3000)
	doc := mustLoad(t, "a.json", document("3.0.0", `{"/a":{"get":{"responses":{"200":{"description":"ok","content":{"a/b":{"schema":`+schema+`,"example":`+example+`}}}}}}}`, "{}"))
	v, diags := small(t, doc, "GET /a")
	if !strings.Contains(toJSON(v), `"type":"object","x-apiskills-stub"`) || at(v, "paths/~1a/get/responses/200/content/a~1b/example") != nil {
		t.Errorf("got %s", toJSON(v))
	}
	if rules(diags) != "nesting budget" {
		t.Errorf("diagnostics %v", diags)
	}
}

func TestHostileReferencesEndInBoundedTime(t *testing.T) {
	if testing.Short() {
		t.Skip("reads large documents, one after the other")
	}
	chain := func(version string, n int, tail string) string {
		var b strings.Builder
		b.WriteString(`{"schemas":{`)
		for i := range n {
			fmt.Fprintf(&b, `"S%d":{"$ref":"#/components/schemas/S%d"%s},`, i, i+1, tail)
		}
		fmt.Fprintf(&b, `"S%d":{"type":"string"}}}`, n)
		return withSchema(version, `{"$ref":"#/components/schemas/S0"}`, b.String())
	}
	var callbacks strings.Builder
	callbacks.WriteString(`{"callbacks":{`)
	for i := range 40 {
		fmt.Fprintf(&callbacks, `"C%d":{"a":{"$ref":"#/components/pathItems/P"},"b":{"$ref":"#/components/pathItems/P"}},`, i)
	}
	callbacks.WriteString(`"x":{}},"pathItems":{"P":{"get":{"callbacks":{"a":{"$ref":"#/components/callbacks/C0"}},"responses":{}}}}}`)
	for name, text := range map[string]string{
		"chain of 10,000":               chain("3.0.0", 10_000, ""),
		"chain of 10,000 with siblings": chain("3.1.0", 10_000, `,"description":"d"`),
		"callbacks round":               document("3.1.0", `{"/a":{"get":{"callbacks":{"c":{"$ref":"#/components/callbacks/C0"}},"responses":{}}}}`, callbacks.String()),
		"parameters many times": document("3.0.0", `{"/a":{"get":{"parameters":[`+strings.Repeat(`{"$ref":"#/components/parameters/P"},`, 20_000)+`{"name":"z","in":"query"}],"responses":{}}}}`,
			`{"parameters":{"P":{"name":"p","in":"query","description":"`+strings.Repeat("d", 10_000)+`"}}}`),
		"names of 100 KB":          document("3.0.0", `{"/a":{"get":{"responses":{"200":{"description":"ok","content":{"`+strings.Repeat("a", 100<<10)+`":{}}}}}}}`, "{}"),
		"operation past the limit": document("3.0.0", `{"/a":{"get":{"description":"d","x":[`+strings.Repeat(`1,`, maxUnit)+`1]}}}`, "{}"),
		"component past the limit": withSchema("3.0.0", `{"$ref":"#/components/schemas/S"}`, `{"schemas":{"S":{"type":"object","required":["a"],"default":[`+strings.Repeat(`1,`, maxUnit)+`1]}}}`),
	} {
		t.Run(name, func(t *testing.T) {
			doc := mustLoad(t, "a.json", text)
			data, _ := doc.Small(find(t, doc, "GET /a"), budget)
			if len(data) > maxInlined+budget*3 {
				t.Errorf("%d bytes", len(data))
			}
			if _, err := kinLoad(data); len(data) < 1<<20 && err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWebhooksAndAdditionalOperationsHaveTheirPlace(t *testing.T) {
	doc := mustLoad(t, "a.json", `{"openapi":"3.2.0","paths":{"/a":{"summary":"s","additionalOperations":{"COPY":{"summary":"c"},"get":{"summary":"lower"}},"query":{"summary":"q"}}},
		"webhooks":{"x-w/1":{"parameters":[{"name":"h","in":"header"}],"post":{"summary":"w"}}}}`)
	for name, path := range map[string]string{
		"COPY /a": "paths/~1a/additionalOperations/COPY/summary", "get /a": "paths/~1a/additionalOperations/get/summary",
		"QUERY /a": "paths/~1a/query/summary", "POST x-w/1": "webhooks/x-w~11/post/summary",
	} {
		data, _ := doc.Small(find(t, doc, name), budget)
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		if at(v, path) == nil {
			t.Errorf("%s: %s", name, data)
		}
	}
}

func TestSmallIsSafeForConcurrentUse(t *testing.T) {
	doc := mustLoad(t, "a.json", richDocument)
	want := make([][]byte, len(doc.Operations))
	for i := range want {
		want[i], _ = doc.Small(&doc.Operations[i], budget)
	}
	done := make(chan bool)
	for range 8 {
		go func() {
			ok := true
			for range 20 {
				for i := range want {
					got, _ := doc.Small(&doc.Operations[i], budget)
					ok = ok && bytes.Equal(got, want[i])
				}
			}
			done <- ok
		}()
	}
	for range 8 {
		if !<-done {
			t.Error("a small document differs")
		}
	}
}

func TestWhatIsNewIn32IsThere(t *testing.T) {
	doc := mustLoad(t, "o.json", `{"openapi":"3.2.0","$self":"https://api.example/specs/o.json","servers":[{"url":"https://m.example","name":"production"}],
		"paths":{"/find":{"get":{
			"parameters":[{"name":"q","in":"querystring","content":{"application/x-www-form-urlencoded":{"schema":{"type":"object","properties":{"term":{"type":"string"}}},"example":{"term":"x"}}}}],
			"responses":{"200":{"summary":"hits","content":{
				"application/jsonl":{"itemSchema":{"$ref":"https://api.example/specs/o.json#/components/schemas/Hit"}},
				"application/json":{"$ref":"#/components/mediaTypes/Hits"}}}}}},
			"/cp":{"$ref":"#/components/pathItems/Cp"}},
		"components":{"pathItems":{"Cp":{"additionalOperations":{"COPY":{"responses":{}}},"query":{"responses":{}}}},
			"mediaTypes":{"Hits":{"schema":{"type":"array"},"examples":{"a":{"dataValue":["data"]},"b":{"serializedValue":"[\"serialized\"]"},"c":{"serializedValue":"a=b"}}}},
			"schemas":{"Hit":{"oneOf":[{"type":"object"}],"discriminator":{"propertyName":"k","defaultMapping":"Other"}},"Other":{"type":"object"}}}}`)
	if len(doc.Diagnostics) > 0 {
		t.Errorf("diagnostics %v", doc.Diagnostics)
	}
	if got := fmt.Sprint(names(doc)); got != "[COPY /cp QUERY /cp GET /find]" {
		t.Errorf("operations %s", got)
	}
	v, diags := small(t, doc, "GET /find")
	get := "paths/~1find/get/"
	for path, want := range map[string]string{
		"servers/0/description":                                          `"production"`,
		get + "parameters/0":                                             `{"example":{"term":"x"},"explode":true,"in":"query","name":"q","schema":{"properties":{"term":{"type":"string"}},"type":"object"},"style":"form"}`,
		get + "responses/200/description":                                `"hits"`,
		get + "responses/200/content/application~1jsonl/itemSchema":      `{"$ref":"#/components/schemas/Hit"}`,
		get + "responses/200/content/application~1json/examples/a/value": `["data"]`,
		get + "responses/200/content/application~1json/examples/b/value": `["serialized"]`,
		get + "responses/200/content/application~1json/examples/c/value": `"a=b"`,
		"components/schemas/Hit/discriminator/defaultMapping":            `"#/components/schemas/Other"`,
		"components/schemas/Other":                                       `{"type":"object"}`,
	} {
		if got := toJSON(at(v, path)); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if len(diags) > 0 {
		t.Errorf("diagnostics %v", diags)
	}
}

func TestSwagger2BecomesOpenAPI3(t *testing.T) {
	doc := mustLoad(t, "s.json", `{"paths":{"/pets/{id}":{"parameters":[{"$ref":"#/parameters/Id"}],
		"get":{"operationId":"getPet","produces":["application/json"],"responses":{"200":{"description":"a pet","schema":{"$ref":"#/definitions/Pet"},"examples":{"application/json":{"name":"rex"}}},"404":{"$ref":"#/responses/Gone"}},"security":[{"key":[]}]},
		"query":{"responses":{}}}},
		"definitions":{"Pet":{"type":"object","discriminator":"kind","required":["kind"],"properties":{"kind":{"type":"string"},"name":{"type":"string","x-nullable":true}}},
			"Cat":{"allOf":[{"$ref":"#/definitions/Pet"},{"type":"object","properties":{"lives":{"type":"integer"}}}]},"Unused":{"type":"string"}},
		"parameters":{"Id":{"name":"id","in":"path","required":true,"type":"integer"}},"responses":{"Gone":{"description":"gone"}},
		"securityDefinitions":{"key":{"type":"apiKey","name":"k","in":"header"},"other":{"type":"basic"}},
		"host":"pets.example","basePath":"/v1","schemes":["https"],"info":{"title":"Pets","version":"1"},"swagger":"2.0"}`)
	if got := fmt.Sprint(names(doc)); got != "[GET /pets/{id}]" || doc.OpenAPI != "2.0" || rules(doc.Diagnostics) != "version" {
		t.Fatalf("operations %s of %s, diagnostics %v", got, doc.OpenAPI, doc.Diagnostics)
	}
	v, diags := small(t, doc, "GET /pets/{id}")
	get := "paths/~1pets~1{id}/get/"
	for path, want := range map[string]string{
		"servers/0/url":                                         `"https://pets.example/v1"`,
		get + "responses/404/description":                       `"gone"`,
		get + "responses/200/content/application~1json/schema":  `{"$ref":"#/components/schemas/Pet"}`,
		get + "responses/200/content/application~1json/example": `{"name":"rex"}`,
		"components/schemas/Cat/allOf/1/properties/lives":       `{"type":"integer"}`,
		"components/schemas/Unused":                             `null`,
		"components/securitySchemes":                            `{"key":{"in":"header","name":"k","type":"apiKey"}}`,
	} {
		if got := toJSON(at(v, path)); got != want {
			t.Errorf("%s is %s, want %s\n%s", path, got, want, toJSON(v))
		}
	}
	if len(diags) > 0 {
		t.Errorf("diagnostics %v", diags)
	}
	for ptr, want := range map[string]string{
		"/servers": `[{"url":"https://pets.example/v1"}]`, "/components/securitySchemes/other/type": `"http"`, "/definitions/Unused": `{"type":"string"}`,
	} {
		if got, _ := doc.At(ptr); string(got) != want {
			t.Errorf("At(%s) = %s, want %s", ptr, got, want)
		}
	}
}

func TestLargeRequestAndAnswerBothShowTheirMembers(t *testing.T) {
	large := func(prefix string) string {
		var members strings.Builder
		for i := range 20 {
			fmt.Fprintf(&members, `"%s%02d":{"type":"object","properties":{"deep":{"type":"object","properties":{"deeper":{"type":"string","description":"%s"}}}}},`, prefix, i, strings.Repeat("x", 150))
		}
		return `{"type":"object","properties":{` + strings.TrimSuffix(members.String(), ",") + `}}`
	}
	doc := mustLoad(t, "a.json", document("3.0.0", `{"/a":{"post":{
		"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Sent"}}}},
		"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Got"}}}}}}}}`,
		`{"schemas":{"Sent":`+large("s")+`,"Got":`+large("g")+`}}`))
	op := find(t, doc, "POST /a")
	data, _ := doc.Small(op, 6000)
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	expanded := func(component string) (n int) {
		members, _ := at(v, "components/schemas/"+component+"/properties").(map[string]any)
		if len(members) != 20 {
			t.Errorf("%s shows %d of 20 members", component, len(members))
		}
		for _, m := range members {
			if at(m, "properties") != nil {
				n++
			}
		}
		return n
	}
	if sent, got := expanded("Sent"), expanded("Got"); sent < 10 || got < 10 {
		t.Errorf("%d members of what is sent are expanded, and %d of what comes back", sent, got)
	}
}
