package endpoint

import (
	"strings"
	"testing"

	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
)

func TestServersGiveTheURL(t *testing.T) {
	for _, c := range []struct{ name, servers, operation, path, url, command string }{
		{"absolute", "[{url: 'https://a.example/v1/'}]", "", "/x", "https://a.example/v1/x", "'https://a.example/v1/x'"},
		{"variables by default", "[{url: 'https://{r}.a.example:{p}', variables: {r: {default: eu}, p: {default: '8443'}}}]", "", "/x", "https://eu.a.example:8443/x", "'https://eu.a.example:8443/x'"},
		{"the first choice without a default", "[{url: 'https://{r}.a.example', variables: {r: {enum: [us]}}}]", "", "/x", "https://us.a.example/x", "'https://us.a.example/x'"},
		{"a variable without any value is the user's", "[{url: 'https://{tenant}.a.example/v1'}]", "", "/x", "https://${X_TENANT}.a.example/v1/x", `"https://${X_TENANT:?}.a.example/v1/x"`},
		{"relative", "[{url: /v1}]", "", "/x", "${X_ORIGIN}/v1/x", `"${X_ORIGIN:?}/v1/x"`},
		{"relative without a slash", "[{url: ./v1/}]", "", "/x", "${X_ORIGIN}/v1/x", `"${X_ORIGIN:?}/v1/x"`},
		{"none", "[]", "", "/x", "${X_ORIGIN}/x", `"${X_ORIGIN:?}/x"`},
		{"without a scheme", "[{url: '//a.example/v1'}]", "", "/x", "https://a.example/v1/x", "'https://a.example/v1/x'"},
		{"of another scheme", "[{url: 'ws://a.example/v1'}]", "", "/x", "${X_ORIGIN}/x", `"${X_ORIGIN:?}/x"`},
		{"script", "[{url: 'javascript:alert(1)'}]", "", "/x", "${X_ORIGIN}/x", `"${X_ORIGIN:?}/x"`},
		{"the operation's own", "[{url: 'https://a.example'}]", "servers: [{url: 'https://b.example'}], ", "/x", "https://b.example/x", "'https://b.example/x'"},
		{"TLS where there is the same with it", "[{url: 'http://a.example'}, {url: 'https://a.example'}]", "", "/x", "https://a.example/x", "'https://a.example/x'"},
		{"a fragment is not sent", "[{url: 'https://a.example'}]", "", "/x#byName", "https://a.example/x", "'https://a.example/x'"},
		{"a query stays", "[{url: 'https://a.example'}]", "", "/x?a=b", "https://a.example/x?a=b", "'https://a.example/x?a=b'"},
		{"odd characters are encoded", "[{url: 'https://a.example'}]", "", "/my x/é[1]'", "https://a.example/my x/é[1]'", "'https://a.example/my%20x/%C3%A9%5B1%5D%27'"},
		{"what is encoded stays", "[{url: 'https://a.example'}]", "", "/a%2Fb/50%", "https://a.example/a%2Fb/50%", "'https://a.example/a%2Fb/50%25'"},
		{"the root", "[{url: 'https://a.example/'}]", "", "/", "https://a.example/", "'https://a.example/'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			op := one(t, "GET", c.path, "{"+c.operation+ok+"}", "servers: "+c.servers)
			e, diags := View(op)
			if e.URL != c.url {
				t.Errorf("URL %s, want %s", e.URL, c.url)
			}
			if got := e.Call.Passages[0].Code; got != "curl -sS -i "+c.command {
				t.Errorf("command %s, want %s", got, c.command)
			}
			reported := false
			for _, d := range diags {
				reported = reported || d.Rule == "relative-server"
			}
			if unknown := strings.Contains(c.url, "ORIGIN"); unknown != reported || unknown != (len(e.Notes) > 0) {
				t.Errorf("host unknown: %v, reported: %v, notes: %v", unknown, reported, e.Notes)
			}
		})
	}
}

func TestServersOfTheirOwnAreSaid(t *testing.T) {
	root := "servers: [{url: 'https://a.example'}]"
	op := one(t, "GET", "/x", "{servers: [{url: 'https://b.example'}], "+ok+"}", root)
	contains(t, skill(t, op), "- **Server:** this operation has its own.", "`GET https://b.example/x`", "its own server")
	op = one(t, "GET", "/x", "{"+ok+"}", root)
	contains(t, skill(t, op), "!**Server:**")
	op.PathServers = true
	contains(t, skill(t, op), "- **Server:** this path has its own.")
}

func TestVariablesAreNamesThatNobodyHas(t *testing.T) {
	for _, c := range []struct{ api, name, want string }{
		{"mossbank", "bearerAuth", "MOSSBANK_BEARER_AUTH"},
		{"my-api", "OAuth2 (v2)", "MY_API_O_AUTH2_V2"},
		{"3d", "key", "API_3D_KEY"},
		{"x", "日本", "X"},
		{"", "", "API"},
	} {
		if got := Variable(c.api, c.name); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.api, c.name, got, c.want)
		}
	}
	// The id of a deletion must not come from what every environment has.
	for name, want := range map[string]string{
		"sample_id": "SAMPLE_ID", "user": "X_USER", "path": "X_PATH", "HOME": "X_HOME", "id": "X_ID",
		"github_token": "X_GITHUB_TOKEN", "日本": "X_ID", "key": "X_KEY_PARAMETER",
	} {
		op := one(t, "DELETE", "/a/{"+name+"}", "{security: [{key: []}], parameters: [{name: "+name+", in: path, required: true, schema: {type: string}}], "+ok+"}",
			"components: {securitySchemes: {key: {type: apiKey, in: header, name: K}}}")
		e, _ := View(op)
		if got := e.Call.Passages[0].Code; !strings.Contains(got, "/a/${"+want+":?}\"") {
			t.Errorf("%s is not ${%s:?}: %s", name, want, got)
		}
	}
}

func TestDegradedOperationSaysWhatItCan(t *testing.T) {
	doc, err := ingest.Load("x.yaml", []byte(`openapi: 3.0.0
info: {title: X, version: "1"}
servers: [{url: "https://a.example"}]
paths:
  /a/{id}:
    delete:
      operationId: removeA
      summary: Remove an A
      description: It is gone.
      parameters:
        - {name: id, in: path, required: true, description: Which}
        - {name: force, in: query}
        - {$ref: "#/components/parameters/Nowhere"}
        - 7
      requestBody: {required: true, content: {application/json: {schema: 7}}}
      responses: {"204": {description: Gone}, "404": {$ref: "#/x"}, "409": 7}
`))
	if err != nil {
		t.Fatal(err)
	}
	o := &doc.Operations[0]
	op := &Operation{API: "x", Group: "a", Name: "remove-a", GuideURI: "skill://x/x-guide/SKILL.md", Method: o.Method, Path: o.Path, OperationID: o.OperationID, Pointer: o.Pointer, Raw: doc.Raw(o), Degraded: "kin-openapi cannot load it"}
	files, diags := render(t, op)
	text := files["SKILL.md"]
	for _, want := range []string{
		"# Remove an A", "**Incomplete:** the document's description of this operation could not be read completely (kin-openapi cannot load it).",
		"`DELETE ${X_ORIGIN}/a/{id}`", "DESTRUCTIVE", "> It is gone.", "  id*: any  # Which", "  force: any", "1 parameter that the operation only refers to",
		"take the URL from \"Servers\" in the guide", "body* application/json: any", "| 204 | Gone | none |", "| 404 |", "| 409 |", "degraded: \"true\"", "INCOMPLETE",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if len(diags) != 1 || diags[0].Rule != "degraded-operation" {
		t.Errorf("diagnostics: %v", diags)
	}
	if err := structure("SKILL.md", text); err != nil {
		t.Error(err)
	}
	bashN(t, fenced(text, "bash"))
}

func TestWhatTheDocumentLacksIsSaid(t *testing.T) {
	op := one(t, "GET", "/a", "{parameters: [{$ref: '#/components/parameters/Nowhere'}], "+ok+"}", "")
	files, _ := render(t, op)
	if !strings.Contains(files["SKILL.md"], "**Incomplete:** the document refers to what could not be read: `#/components/parameters/Nowhere`.") {
		t.Error(files["SKILL.md"])
	}
}

func TestNestedParameterIsSentAsJSONAndSaysThatItIsAGuess(t *testing.T) {
	op := one(t, "GET", "/a", "{parameters: [{name: filter, in: query, required: true, schema: {type: array, items: {type: object, required: [a], properties: {a: {type: array, items: {type: integer}, minItems: 1}}}}}], "+ok+"}", "")
	e, diags := View(op)
	if got := e.Call.Passages[0].Code; got != `curl -sS -i 'https://x.example/a?filter=%5B%7B%22a%22%3A%5B0%5D%7D%5D'` {
		t.Error(got)
	}
	if len(diags) != 1 || diags[0].Rule != "parameter-style" || len(e.Inputs.After) == 0 {
		t.Error(diags, e.Inputs.After)
	}
}
