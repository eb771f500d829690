package swagger

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/getkin/kin-openapi/openapi3"
	"gopkg.in/yaml.v3"
)

// document makes JSON of YAML.
func document(t testing.TB, y string) []byte {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(y), &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(plain(v))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// upgraded upgrades a document written in YAML, checks that kin-openapi loads the
// outcome, and returns it.
func upgraded(t *testing.T, y string) (map[string]any, []framework.Diagnostic) {
	t.Helper()
	v3, diags, err := Upgrade(document(t, y))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openapi3.NewLoader().LoadFromData(v3); err != nil {
		t.Fatalf("%v: %s", err, v3)
	}
	var doc map[string]any
	if err := json.Unmarshal(v3, &doc); err != nil {
		t.Fatal(err)
	}
	return doc, diags
}

// at returns the value that the tokens lead to, as JSON, or "" if there is none.
func at(v any, tokens ...string) string {
	for _, t := range tokens {
		switch x := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = x[t]; !ok {
				return ""
			}
		case []any:
			i := int(t[0] - '0')
			if i >= len(x) {
				return ""
			}
			v = x[i]
		default:
			return ""
		}
	}
	data, _ := encode(v)
	return string(data)
}

func sameJSON(t *testing.T, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	var g, w any
	_ = json.Unmarshal([]byte(got), &g)
	if want != "" {
		if err := yaml.Unmarshal([]byte(want), &w); err != nil {
			t.Fatal(err)
		}
		data, _ := json.Marshal(w)
		w = nil
		_ = json.Unmarshal(data, &w)
	}
	if got == "" || want == "" || !reflect.DeepEqual(g, w) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func rules(diags []framework.Diagnostic) []string {
	var out []string
	for _, d := range diags {
		if !slices.Contains(out, d.Rule) {
			out = append(out, d.Rule)
		}
	}
	return out
}

// A rule is a document, where to look in what it becomes, and what is there. The
// document has one operation, of which only the members that matter are given.
type rule struct {
	name string
	root string // further members of the root, on lines of their own
	op   string // members of the operation
	item string // further members of the path item
	at   string // below the operation, or below the root if it begins with "/"
	want string // YAML; "" for nothing
	diag string // the rules of the diagnostics, joined by spaces
}

func (r rule) run(t *testing.T) {
	t.Helper()
	indent := func(s, by string) string {
		return by + strings.ReplaceAll(strings.TrimSpace(strings.ReplaceAll(s, "\n\t", "\n")), "\n", "\n"+by)
	}
	y := "swagger: '2.0'\ninfo: {title: T, version: '1'}\n"
	if r.root != "" {
		y += indent(r.root, "") + "\n"
	}
	y += "paths:\n  /moths/{id}:\n"
	if r.item != "" {
		y += indent(r.item, "    ") + "\n"
	}
	y += "    put:\n      operationId: put\n"
	if r.op != "" {
		y += indent(r.op, "      ") + "\n"
	}
	doc, diags := upgraded(t, y)
	tokens := []string{"paths", "/moths/{id}", "put"}
	path := r.at
	if rest, ok := strings.CutPrefix(path, "/"); ok {
		tokens, path = nil, rest
	}
	for _, s := range strings.Split(path, "/") {
		tokens = append(tokens, unescaper.Replace(s))
	}
	sameJSON(t, at(doc, tokens...), r.want)
	if got := strings.Join(rules(diags), " "); got != r.diag {
		t.Errorf("diagnostics %q, want %q: %v", got, r.diag, diags)
	}
	for _, d := range diags {
		if d.Pointer != "" && !strings.HasPrefix(d.Pointer, "/") {
			t.Errorf("pointer %q", d.Pointer)
		}
	}
}

func run(t *testing.T, list []rule) {
	t.Helper()
	for _, r := range list {
		t.Run(r.name, r.run)
	}
}

func TestServers(t *testing.T) {
	run(t, []rule{
		{name: "host and base path make one URL", root: "host: api.example:8443\nbasePath: /v2/\nschemes: [https]", at: "/servers", want: "[{url: 'https://api.example:8443/v2'}]"},
		{name: "without schemes it is https", root: "host: api.example", at: "/servers", want: "[{url: 'https://api.example'}]"},
		{name: "https comes before http", root: "host: api.example\nschemes: [http, HTTPS]", at: "/servers", want: "[{url: 'https://api.example'}, {url: 'http://api.example'}]"},
		{name: "an operation has its own schemes", root: "host: api.example\nschemes: [https]", op: "schemes: [wss]", at: "/servers", want: "[{url: 'wss://api.example'}]"},
		{name: "an empty list of schemes says nothing", root: "host: api.example\nschemes: [http]", op: "schemes: []", at: "/servers", want: "[{url: 'http://api.example'}]"},
		{name: "without a host the server is relative", root: "basePath: /only/base", at: "/servers", want: "[{url: /only/base}]"},
		{name: "without host and base path there is none", root: "schemes: [https]", at: "/servers"},
		{name: "a base path gets its slash", root: "host: h.example\nbasePath: v1", at: "/servers", want: "[{url: 'https://h.example/v1'}]"},
		{name: "a URL as host is taken apart", root: "host: http://h.example/api/\nbasePath: /v1", at: "/servers", want: "[{url: 'http://h.example/api/v1'}]", diag: "host"},
		{name: "a URL as base path is taken apart", root: "basePath: https://h.example/api", at: "/servers", want: "[{url: 'https://h.example/api'}]", diag: "host"},
		{name: "braces are variables", root: "host: '{tenant}.example'", at: "/servers", want: "[{url: 'https://{tenant}.example', variables: {tenant: {default: tenant}}}]"},
		{name: "a base path is escaped once", root: "basePath: /a b/c%20d", at: "/servers", want: "[{url: /a%20b/c%20d}]"},
	})
}

func TestParameters(t *testing.T) {
	list := func(member string) string {
		return "parameters: [{name: p, in: query, type: array, items: {type: string}" + member + "}]"
	}
	run(t, []rule{
		{name: "keywords move into the schema", op: "parameters: [{name: p, in: query, type: integer, format: int64, minimum: 1, exclusiveMinimum: true, enum: [2, 3], default: 2}]",
			at: "parameters/0", want: "{name: p, in: query, schema: {type: integer, format: int64, minimum: 1, exclusiveMinimum: true, enum: [2, 3], default: 2}}"},
		{name: "large numbers stay whole", op: "parameters: [{name: p, in: query, type: integer, format: int64, default: 9007199254740993}]", at: "parameters/0/schema/default", want: "9007199254740993"},
		{name: "a path parameter is required", op: "parameters: [{name: id, in: path, type: string}]", at: "parameters/0/required", want: "true"},
		{name: "a header stays a header", op: "parameters: [{name: X-Moth, in: header, type: string, required: true, description: d}]", at: "parameters/0", want: "{name: X-Moth, in: header, required: true, description: d, schema: {type: string}}"},
		{name: "the path item's stay there", item: "parameters: [{name: id, in: path, required: true, type: string}]", at: "/paths/~1moths~1{id}/parameters/0/name", want: "id"},
		{name: "references are followed", root: "parameters: {limit: {name: limit, in: query, type: integer}}", op: "parameters: [{$ref: '#/parameters/limit'}]", at: "parameters/0", want: "{name: limit, in: query, schema: {type: integer}}"},
		{name: "a reference to nothing is told", op: "parameters: [{$ref: '#/parameters/none'}, {name: q, in: query, type: string}]", at: "parameters/0/name", want: "q", diag: "parameter"},
		{name: "a reference to itself is told", root: "parameters: {a: {$ref: '#/parameters/a'}}", op: "parameters: [{$ref: '#/parameters/a'}]", at: "parameters", diag: "parameter"},
		{name: "arrays are comma separated by default", op: list(""), at: "parameters/0", want: "{name: p, in: query, style: form, explode: false, schema: {type: array, items: {type: string}}}"},
		{name: "csv", op: list(", collectionFormat: csv"), at: "parameters/0/explode", want: "false"},
		{name: "ssv", op: list(", collectionFormat: ssv"), at: "parameters/0/style", want: "spaceDelimited"},
		{name: "pipes", op: list(", collectionFormat: pipes"), at: "parameters/0/style", want: "pipeDelimited"},
		{name: "multi", op: list(", collectionFormat: multi"), at: "parameters/0/explode", want: "true"},
		{name: "tsv has no style and is described", op: list(", collectionFormat: tsv, description: Kinds."), at: "parameters/0/description", want: `"Kinds.\n\nOne value: the elements are separated by tabs."`, diag: "collection-format"},
		{name: "an unknown collectionFormat is csv", op: list(", collectionFormat: json"), at: "parameters/0/style", want: "form", diag: "collection-format"},
		{name: "pipes in a header are described", op: "parameters: [{name: X, in: header, type: array, items: {type: string}, collectionFormat: pipes}]", at: "parameters/0/description", want: "'One value: the elements are separated by pipes (|).'", diag: "collection-format"},
		{name: "multi cannot be in a path", op: "parameters: [{name: id, in: path, type: array, items: {type: string}, collectionFormat: multi}]", at: "parameters/0/style", diag: "collection-format"},
		{name: "allowEmptyValue belongs to the parameter", op: "parameters: [{name: p, in: query, type: string, allowEmptyValue: true}]", at: "parameters/0", want: "{name: p, in: query, allowEmptyValue: true, schema: {type: string}}"},
		{name: "x-example is the example", op: "parameters: [{name: p, in: query, type: string, x-example: luna}]", at: "parameters/0", want: "{name: p, in: query, example: luna, schema: {type: string}}"},
		{name: "x-examples are named", op: "parameters: [{name: p, in: query, type: string, x-examples: {a: luna, b: {value: io, summary: s}}}]", at: "parameters/0/examples", want: "{a: {value: luna}, b: {value: io, summary: s}}"},
		{name: "x-nullable is about the value", op: "parameters: [{name: p, in: query, type: string, x-nullable: true}]", at: "parameters/0", want: "{name: p, in: query, schema: {type: string, nullable: true}}"},
		{name: "names of enum values stay with it", op: "parameters: [{name: p, in: query, type: string, enum: [a], x-enum-varnames: [A]}]", at: "parameters/0/schema/x-enum-varnames", want: "[A]"},
		{name: "other extensions stay with the parameter", op: "parameters: [{name: p, in: query, type: string, x-internal: true}]", at: "parameters/0", want: "{name: p, in: query, x-internal: true, schema: {type: string}}"},
		{name: "a schema beside a name that is no body is used", root: "definitions: {S: {type: string}}", op: "parameters: [{name: p, in: query, schema: {$ref: '#/definitions/S'}}]", at: "parameters/0/schema", want: "{$ref: '#/components/schemas/S'}"},
		{name: "wrong types are mended or left out", op: "parameters: [{name: p, in: query, type: integer, required: 'true', minimum: '3', maximum: {}}]", at: "parameters/0", want: "{name: p, in: query, required: true, schema: {type: integer, minimum: 3}}", diag: "type"},
		{name: "in is read whatever its case", op: "parameters: [{name: p, in: Query, type: string}]", at: "parameters/0/in", want: "query"},
		{name: "an unknown in follows the path", op: "parameters: [{name: id, in: url, type: string}]", at: "parameters/0/in", want: "path", diag: "parameter-in"},
		{name: "no name, no parameter", op: "parameters: [{in: query, type: string}, null]", at: "parameters", diag: "parameter"},
	})
}

func TestBodies(t *testing.T) {
	form := "{name: a, in: formData, type: string, required: true}"
	file := "{name: f, in: formData, type: file, description: d}"
	body := "{name: moth, in: body, required: true, description: d, schema: {type: object}}"
	run(t, []rule{
		{name: "a body without consumes is JSON", op: "parameters: [" + body + "]", at: "requestBody", want: "{required: true, description: d, content: {application/json: {schema: {type: object}}}}"},
		{name: "a body takes the root's consumes", root: "consumes: [text/csv]", op: "parameters: [" + body + "]", at: "requestBody/content", want: "{text/csv: {schema: {type: object}}}"},
		{name: "the operation's consumes come first", root: "consumes: [text/csv]", op: "consumes: [application/xml, application/json]\nparameters: [" + body + "]", at: "requestBody/content", want: "{application/xml: {schema: {type: object}}, application/json: {schema: {type: object}}}"},
		{name: "consumes may be one string", op: "consumes: text/csv\nparameters: [" + body + "]", at: "requestBody/content", want: "{text/csv: {schema: {type: object}}}"},
		{name: "a body may lack a schema", op: "parameters: [{name: b, in: body, type: file}]", at: "requestBody/content", want: "{application/octet-stream: {schema: {type: string, format: binary}}}"},
		{name: "the path item's body is the operation's", item: "parameters: [" + body + "]", at: "requestBody/required", want: "true"},
		{name: "the operation's body overrides it", item: "parameters: [" + body + "]", op: "parameters: [{name: x, in: body, schema: {type: array}}]", at: "requestBody/content/application~1json/schema/type", want: "array"},
		{name: "of two bodies the first is taken", op: "parameters: [" + body + ", {name: x, in: body, schema: {type: array}}]", at: "requestBody/content/application~1json/schema/type", want: "object", diag: "two-bodies"},
		{name: "a form is urlencoded", op: "parameters: [" + form + "]", at: "requestBody", want: "{required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, required: [a], properties: {a: {type: string}}}}}}"},
		{name: "a form with a file is multipart", op: "parameters: [" + form + ", " + file + "]", at: "requestBody/content", want: "{multipart/form-data: {schema: {type: object, required: [a], properties: {a: {type: string}, f: {type: string, format: binary, description: d}}}}}"},
		{name: "a file is never urlencoded", op: "consumes: [application/x-www-form-urlencoded, multipart/form-data]\nparameters: [" + file + "]", at: "requestBody/content/application~1x-www-form-urlencoded", diag: "form-types"},
		{name: "a form is not what JSON looks like", op: "consumes: [application/json]\nparameters: [" + form + "]", at: "requestBody/content/application~1json", diag: "form-types"},
		{name: "a field is of its name once", op: "parameters: [" + form + ", " + form + "]", at: "requestBody/required", want: "true", diag: "two-fields"},
		{name: "the operation's field overrides the path item's", item: "parameters: [" + form + "]", op: "parameters: [{name: a, in: formData, type: integer}]", at: "requestBody/content/application~1x-www-form-urlencoded/schema", want: "{type: object, properties: {a: {type: integer}}}"},
		{name: "arrays in a form say how they are written", op: "parameters: [{name: a, in: formData, type: array, items: {type: string}, collectionFormat: multi}, {name: b, in: formData, type: array, items: {type: string}}]",
			at: "requestBody/content/application~1x-www-form-urlencoded/encoding", want: "{a: {style: form, explode: true}, b: {style: form, explode: false}}"},
		{name: "body and form are two ways", op: "parameters: [" + body + ", " + form + "]", at: "requestBody/content", diag: "form-and-body",
			want: "{application/json: {schema: {type: object}}, application/x-www-form-urlencoded: {schema: {type: object, required: [a], properties: {a: {type: string}}}}}"},
		{name: "body and file are one multipart form", op: "parameters: [" + body + ", " + file + "]", at: "requestBody/content", diag: "form-and-body",
			want: "{multipart/form-data: {encoding: {moth: {contentType: application/json}}, schema: {type: object, required: [moth], properties: {moth: {type: object}, f: {type: string, format: binary, description: d}}}}}"},
		{name: "examples of a body by media type", op: "consumes: [application/json, text/csv]\nparameters: [{name: b, in: body, schema: {}, x-examples: {application/json: {a: 1}}}]", at: "requestBody/content", want: "{application/json: {schema: {}, example: {a: 1}}, text/csv: {schema: {}}}"},
		{name: "the example of a body", op: "parameters: [{name: b, in: body, schema: {}, x-example: {a: 1}}]", at: "requestBody/content/application~1json/example", want: "{a: 1}"},
	})
}

func TestResponses(t *testing.T) {
	run(t, []rule{
		{name: "without produces it is JSON", op: "responses: {200: {description: d, schema: {type: string}}}", at: "responses", want: "{'200': {description: d, content: {application/json: {schema: {type: string}}}}}"},
		{name: "the root's produces apply", root: "produces: [text/csv]", op: "responses: {200: {description: d, schema: {type: string}}}", at: "responses/200/content", want: "{text/csv: {schema: {type: string}}}"},
		{name: "the operation's produces come first", root: "produces: [text/csv]", op: "produces: [a/b]\nresponses: {200: {description: d, schema: {type: string}}}", at: "responses/200/content", want: "{a/b: {schema: {type: string}}}"},
		{name: "without a schema there is no content", root: "produces: [text/csv]", op: "responses: {204: {description: d}}", at: "responses", want: "{'204': {description: d}}"},
		{name: "a file is bytes", op: "responses: {200: {description: d, schema: {type: file}}}", at: "responses/200/content", want: "{application/octet-stream: {schema: {type: string, format: binary}}}"},
		{name: "examples are by media type", op: "produces: [application/json; charset=utf-8, text/csv]\nresponses: {200: {description: d, schema: {type: string}, examples: {application/json: x, a/b: y}}}",
			at: "responses/200/content", want: "{application/json; charset=utf-8: {schema: {type: string}, example: x}, text/csv: {schema: {type: string}}, a/b: {schema: {type: string}, example: y}}"},
		{name: "examples tell the media type", op: "responses: {200: {description: d, schema: {type: string}, examples: {text/csv: x}}}", at: "responses/200/content", want: "{text/csv: {schema: {type: string}, example: x}}"},
		{name: "examples by name", op: "responses: {200: {description: d, schema: {type: string}, examples: {luna: x}}}", at: "responses/200/content", want: "{application/json: {schema: {type: string}, examples: {luna: {value: x}}}}"},
		{name: "an example in the place of examples", op: "responses: {200: {description: d, schema: {type: object, properties: {a: {}, b: {}}}, examples: {a: 1}}}", at: "responses/200/content/application~1json/examples", want: "{example: {value: {a: 1}}}"},
		{name: "headers have schemas", op: "responses: {200: {description: d, headers: {X-Left: {type: integer, description: n, x-example: 3}}}}", at: "responses/200/headers", want: "{X-Left: {description: n, schema: {type: integer, example: 3}}}"},
		{name: "references are followed", root: "responses: {Gone: {description: gone, schema: {$ref: '#/definitions/E'}}}\ndefinitions: {E: {type: string}}", op: "responses: {410: {$ref: '#/responses/Gone'}}", at: "responses/410", want: "{description: gone, content: {application/json: {schema: {$ref: '#/components/schemas/E'}}}}"},
		{name: "a reference to nothing keeps the status", op: "responses: {410: {$ref: '#/responses/Gone'}}", at: "responses", want: "{'410': {description: ''}}", diag: "response"},
		{name: "a description may be all", op: "responses: {200: fine, default: null, 4xx: {description: d}}", at: "responses", want: "{'200': {description: fine}, default: {description: ''}, 4XX: {description: d}}"},
		{name: "no responses are none", at: "responses", want: "{}"},
	})
}

func TestSchemas(t *testing.T) {
	run(t, []rule{
		{name: "references lead to components", root: "definitions: {A: {type: array, items: {$ref: '#/definitions/a~1b'}}, a/b: {additionalProperties: {$ref: '#/definitions/A'}}}", at: "/components/schemas", want: "{A: {type: array, items: {$ref: '#/components/schemas/a~1b'}}, a/b: {additionalProperties: {$ref: '#/components/schemas/A'}}}"},
		{name: "siblings of a reference are ignored", root: "definitions: {A: {properties: {a: {$ref: '#/definitions/A', description: d}}}}", at: "/components/schemas/A/properties/a", want: "{$ref: '#/components/schemas/A'}"},
		{name: "any names", root: "definitions: {'List«Moth» 100%': {type: string}, A: {$ref: '#/definitions/List%C2%ABMoth%C2%BB%20100%25'}}", at: "/components/schemas/A", want: "{$ref: '#/components/schemas/List«Moth» 100%25'}"},
		{name: "a reference into a definition", root: "definitions: {A: {properties: {a: {type: string}}}, B: {$ref: '#/definitions/A/properties/a'}}", at: "/components/schemas/definitions-A-properties-a", want: "{type: string}"},
		{name: "a reference to nothing is a stub", root: "definitions: {A: {properties: {a: {$ref: '#/definitions/Gone'}, b: {$ref: other.json}}}}", at: "/components/schemas/A/properties", want: "{a: {x-apiskills-stub: '#/definitions/Gone'}, b: {x-apiskills-stub: other.json}}", diag: "ref"},
		{name: "references in a ring are stubs", root: "definitions: {A: {$ref: '#/definitions/B'}, B: {$ref: '#/definitions/A'}}", at: "/components/schemas/A", want: "{x-apiskills-stub: '#/definitions/B'}", diag: "ref"},
		{name: "x-nullable", root: "definitions: {A: {type: string, x-nullable: true}}", at: "/components/schemas/A", want: "{type: string, nullable: true}"},
		{name: "a type or null is nullable", root: "definitions: {A: {type: [string, 'null']}}", at: "/components/schemas/A", want: "{type: string, nullable: true}"},
		{name: "a file anywhere is bytes", root: "definitions: {A: {properties: {a: {type: file}}}}", at: "/components/schemas/A/properties/a", want: "{type: string, format: binary}"},
		{name: "a tuple", root: "definitions: {A: {type: array, items: [{type: string}, {type: integer}]}}", at: "/components/schemas/A", want: "{type: array, prefixItems: [{type: string}, {type: integer}]}", diag: "tuple"},
		{name: "a tuple of one is a list", root: "definitions: {A: {type: array, items: [{type: string}]}}", at: "/components/schemas/A", want: "{type: array, items: {type: string}}", diag: "tuple"},
		{name: "required of a property", root: "definitions: {A: {required: [b], properties: {a: {type: string, required: true}, b: {required: false}, c: {required: [x]}}}}", at: "/components/schemas/A", want: "{required: [b, a], properties: {a: {type: string}, b: {}, c: {required: [x]}}}", diag: "required-flag"},
		{name: "a discriminator maps to what is derived", root: "definitions:\n  Moth: {discriminator: kind, required: [kind], properties: {kind: {type: string}}}\n  Luna: {allOf: [{$ref: '#/definitions/Moth'}]}\n  Io: {allOf: [{$ref: '#/definitions/Luna'}], x-ms-discriminator-value: io}",
			at: "/components/schemas/Moth/discriminator", want: "{propertyName: kind, mapping: {Luna: '#/components/schemas/Luna', io: '#/components/schemas/Io'}}"},
		{name: "a property may be called discriminator", root: "definitions: {A: {properties: {discriminator: {type: string}, type: {type: string}, items: {type: string}}}}", at: "/components/schemas/A/properties", want: "{discriminator: {type: string}, type: {type: string}, items: {type: string}}"},
		{name: "what both versions have stays", root: "definitions: {A: {title: t, readOnly: true, exclusiveMaximum: true, maximum: 3, multipleOf: 0.5, xml: {name: n, wrapped: true}, externalDocs: {url: 'https://d.example'}, example: null, maxItems: 4, x-enum-varnames: [a]}}",
			at: "/components/schemas/A", want: "{title: t, readOnly: true, exclusiveMaximum: true, maximum: 3, multipleOf: 0.5, xml: {name: n, wrapped: true}, externalDocs: {url: 'https://d.example'}, example: null, maxItems: 4, x-enum-varnames: [a]}"},
		{name: "stubs stay", root: "definitions: {A: {type: object, required: [id], x-apiskills-stub: A}}", at: "/components/schemas/A", want: "{type: object, required: [id], x-apiskills-stub: A}"},
		{name: "what kin-openapi refuses is left out", root: "definitions: {A: {minLength: -1, maximum: 1e999, description: [1], properties: [], pattern: a}}", at: "/components/schemas/A", want: "{pattern: a}", diag: "type"},
	})
}

func TestOperations(t *testing.T) {
	run(t, []rule{
		{name: "words stay", op: "summary: s\ndescription: 'd <b>&'\ndeprecated: true\ntags: [a, b]\nexternalDocs: {url: 'https://d.example', description: d}\nx-internal: true\nx-apiskills-missing: [{pointer: /a}]", at: "x-apiskills-missing/0/pointer", want: "/a"},
		{name: "deprecated", op: "deprecated: true", at: "deprecated", want: "true"},
		{name: "text is not escaped for HTML", op: "description: 'a <b> & c'", at: "description", want: "'a <b> & c'"},
		{name: "external docs", op: "externalDocs: {url: 'https://d.example'}", at: "externalDocs", want: "{url: 'https://d.example'}"},
		{name: "wrong types are left out", op: "description: [a]\ntags: a", at: "tags", want: "[a]", diag: "type"},
		{name: "its own security stays", root: "security: [{a: []}]", op: "security: []", at: "security", want: "[]"},
		{name: "the root's security stays at the root", root: "security: [{a: [x]}, {}]", at: "/security", want: "[{a: [x]}, {}]"},
	})
}

func TestSecurityDefinitions(t *testing.T) {
	one := func(s string) string { return "securityDefinitions: {s: " + s + "}" }
	const where = "/components/securitySchemes/s"
	run(t, []rule{
		{name: "basic", root: one("{type: basic, description: d}"), at: where, want: "{type: http, scheme: basic, description: d}"},
		{name: "apiKey", root: one("{type: apiKey, in: query, name: key}"), at: where, want: "{type: apiKey, in: query, name: key}"},
		{name: "implicit", root: one("{type: oauth2, flow: implicit, authorizationUrl: 'https://a.example', scopes: {r: read}}"), at: where, want: "{type: oauth2, flows: {implicit: {authorizationUrl: 'https://a.example', scopes: {r: read}}}}"},
		{name: "password", root: one("{type: oauth2, flow: password, tokenUrl: 'https://t.example', scopes: {r: read}}"), at: where, want: "{type: oauth2, flows: {password: {tokenUrl: 'https://t.example', scopes: {r: read}}}}"},
		{name: "application", root: one("{type: oauth2, flow: application, tokenUrl: 'https://t.example'}"), at: where, want: "{type: oauth2, flows: {clientCredentials: {tokenUrl: 'https://t.example', scopes: {}}}}"},
		{name: "accessCode", root: one("{type: oauth2, flow: accessCode, authorizationUrl: 'https://a.example', tokenUrl: 'https://t.example', scopes: {r: read}}"), at: where, want: "{type: oauth2, flows: {authorizationCode: {authorizationUrl: 'https://a.example', tokenUrl: 'https://t.example', scopes: {r: read}}}}"},
		{name: "a flow that is not stated follows the URLs", root: one("{type: oauth2, tokenUrl: 'https://t.example'}"), at: where + "/flows/clientCredentials/tokenUrl", want: "https://t.example", diag: "oauth-flow"},
		{name: "types of OpenAPI 3 are kept", root: one("{type: http, scheme: bearer}"), at: where, want: "{type: http, scheme: bearer}", diag: "security-scheme"},
	})
}

func TestUpgradeRootHasWhatTheGuideReads(t *testing.T) {
	out, err := UpgradeRoot(document(t, `
swagger: '2.0'
info: {title: Moths, version: 1.0.0, description: d}
host: m.example
basePath: /v1
schemes: [http, https]
securityDefinitions: {key: {type: apiKey, in: header, name: X-Key}}
security: [{key: []}]
tags: [{name: moths, description: d}]
externalDocs: {url: 'https://d.example'}
x-skill: {name: moths}
definitions: {A: {type: string}}
`))
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, string(out), `
openapi: 3.0.3
info: {title: Moths, version: 1.0.0, description: d}
servers: [{url: 'https://m.example/v1'}, {url: 'http://m.example/v1'}]
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
security: [{key: []}]
tags: [{name: moths, description: d}]
externalDocs: {url: 'https://d.example'}
x-skill: {name: moths}
`)
	if out, err = UpgradeRoot([]byte(`{"swagger":"2.0"}`)); err != nil || string(out) != `{"openapi":"3.0.3"}` {
		t.Errorf("of nothing: %s, %v", out, err)
	}
	if _, err := UpgradeRoot([]byte(`[]`)); err == nil {
		t.Error("no error for an array")
	}
}

func TestUpgradeRefusesWhatIsNoSmallDocument(t *testing.T) {
	for name, doc := range map[string]string{
		"no JSON":                        `{`,
		"two values":                     `{} {}`,
		"an array":                       `[]`,
		"no paths":                       `{"swagger":"2.0"}`,
		"no path":                        `{"paths":{}}`,
		"two paths":                      `{"paths":{"/a":{"get":{}},"/b":{"get":{}}}}`,
		"no operation":                   `{"paths":{"/a":{"parameters":[]}}}`,
		"two operations":                 `{"paths":{"/a":{"get":{},"put":{}}}}`,
		"a list of paths":                `{"paths":[]}`,
		"an operation that is no object": `{"paths":{"/a":{"get":[]}}}`,
	} {
		if out, _, err := Upgrade([]byte(doc)); err == nil {
			t.Errorf("%s: %s", name, out)
		}
	}
}

func TestUpgradeKeepsEveryMethod(t *testing.T) {
	for method := range methods {
		v3, _, err := Upgrade([]byte(`{"paths":{"/a":{"` + method + `":{"operationId":"x"}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := openapi3.NewLoader().LoadFromData(v3)
		if err != nil {
			t.Fatal(err)
		}
		if o := doc.Paths.Value("/a").GetOperation(strings.ToUpper(method)); o == nil || o.OperationID != "x" || len(doc.Paths.Value("/a").Operations()) != 1 {
			t.Errorf("%s: %s", method, v3)
		}
	}
}

func TestUpgradeIsCanonicalAndTheSameEveryTime(t *testing.T) {
	in := document(t, sampleDocument)
	first, diags, err := Upgrade(in)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(first))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if again, _ := encode(v); !bytes.Equal(again, first) {
		t.Errorf("not canonical: %s", first)
	}
	for range 20 {
		out, more, err := Upgrade(in)
		if err != nil || !bytes.Equal(out, first) || !reflect.DeepEqual(diags, more) {
			t.Fatalf("differs: %s", out)
		}
	}
}

func TestHostileDocumentsStayBounded(t *testing.T) {
	many := func(n int, s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }
	big := `{"description":"` + strings.Repeat("x", 200_000) + `"}`
	var types []string
	for i := range 2000 {
		types = append(types, `"a/`+strings.Repeat("b", i)+`"`)
	}
	for name, doc := range map[string]string{
		"a schema for many media types": `{"paths":{"/a":{"get":{"produces":[` + strings.Join(types, ",") + `],"responses":{"200":{"schema":` + big + `}}}}}}`,
		"one response many times": `{"responses":{"r":{"schema":` + big + `}},"paths":{"/a":{"get":{"responses":{` + func() string {
			var s []string
			for i := range 900 {
				s = append(s, `"`+string(rune('a'+i%26))+strings.Repeat("1", i/26)+`":{"$ref":"#/responses/r"}`)
			}
			return strings.Join(s, ",")
		}() + `}}}}}`,
		"one parameter many times": `{"parameters":{"p":{"name":"p","in":"query","type":"string","enum":["` + strings.Repeat("y", 100_000) + `"]}},"paths":{"/a":{"get":{"parameters":[` + many(1000, `{"$ref":"#/parameters/p"}`) + `]}}}}`,
		"deep schemas":             `{"paths":{"/a":{"get":{"responses":{"200":{"schema":` + strings.Repeat(`{"items":`, 3000) + `{}` + strings.Repeat(`}`, 3000) + `}}}}}}`,
		"deep examples":            `{"paths":{"/a":{"get":{"responses":{"200":{"examples":{"a/b":` + strings.Repeat(`[`, 3000) + strings.Repeat(`]`, 3000) + `}}}}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			out, diags, err := Upgrade([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			if len(out) > 8<<20 || len(diags) > maxDiagnostics {
				t.Errorf("%d bytes, %d diagnostics", len(out), len(diags))
			}
			if !strings.Contains(name, "examples") && len(diags) == 0 {
				t.Error("nothing is said about it")
			}
		})
	}
}

const sampleDocument = `
swagger: '2.0'
info: {title: Moths, version: '1'}
host: m.example
schemes: [https]
securityDefinitions: {key: {type: apiKey, in: header, name: X-Key}, o: {type: oauth2, flow: implicit, authorizationUrl: 'https://a.example', scopes: {r: read}}}
security: [{key: []}]
definitions:
  Moth: {type: object, discriminator: kind, required: [kind], properties: {kind: {type: string}, size: {type: number, minimum: 0, exclusiveMinimum: true, x-nullable: true}, next: {$ref: '#/definitions/Moth'}}}
  Luna: {allOf: [{$ref: '#/definitions/Moth'}, {properties: {tail: {type: integer, required: true}}}]}
  Pair: {type: array, items: [{type: string}, {type: [integer, 'null']}]}
paths:
  /moths/{id}:
    parameters: [{name: id, in: path, required: true, type: string}]
    post:
      operationId: postMoth
      tags: [moths]
      consumes: [multipart/form-data, application/json]
      produces: [application/json, text/csv]
      parameters:
      - {name: tags, in: query, type: array, items: {type: string}, collectionFormat: tsv}
      - {name: moth, in: body, schema: {$ref: '#/definitions/Luna'}}
      - {name: photo, in: formData, type: file, required: true}
      - {name: kinds, in: formData, type: array, items: {type: string}, collectionFormat: pipes}
      responses:
        '200': {description: ok, schema: {$ref: '#/definitions/Pair'}, headers: {X-Left: {type: integer}}, examples: {application/json: [a, 1]}}
        default: {description: no, schema: {type: file}}
`

func FuzzUpgrade(f *testing.F) {
	f.Add(document(f, sampleDocument))
	f.Add([]byte(`{"paths":{"/a":{"get":{"parameters":[{"$ref":"#/paths/~1a/get/parameters/0"}],"responses":{"200":{"schema":{"$ref":"#/definitions/A"}}}}}},"definitions":{"A":{"$ref":"#/definitions/A"}}}`))
	f.Add([]byte(`{"host":"http://a/b","basePath":"c","schemes":"ws","paths":{"/a":{"put":{"consumes":"x","parameters":[{"in":"body","x-example":{"a/b":1}}],"responses":{"200":null}}}}}`))
	f.Add([]byte(`{"securityDefinitions":{"a":{"type":"oauth2","scopes":["x"]},"b":{"type":"http"}},"paths":{"x":{"get":{"security":["a"]}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v3, diags, err := Upgrade(data)
		if len(diags) > maxDiagnostics {
			t.Fatalf("%d diagnostics", len(diags))
		}
		if _, rootErr := UpgradeRoot(data); rootErr == nil && err == nil {
			if _, err := openapi3.NewLoader().LoadFromData(v3); err != nil {
				t.Fatalf("kin-openapi does not load it: %v\n%s", err, v3)
			}
			again, _, err := Upgrade(data)
			if err != nil || !bytes.Equal(v3, again) {
				t.Fatalf("differs: %v\n%s\n%s", err, v3, again)
			}
		}
	})
}

func BenchmarkUpgrade(b *testing.B) {
	data := document(b, sampleDocument)
	b.Run("upgrade", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := Upgrade(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	v3, _, _ := Upgrade(data)
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if _, err := openapi3.NewLoader().LoadFromData(v3); err != nil {
				b.Fatal(err)
			}
		}
	})
}
