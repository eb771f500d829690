package endpoint

import (
	"strings"
	"testing"

	"github.com/apiskills/apiskills/generators/templates"
)

// rendered returns SKILL.md of a document's one operation.
func rendered(t *testing.T, method, path, operation, root string) string {
	t.Helper()
	files, err := templates.Default().RenderEndpoint(view(t, one(t, method, path, operation, root)))
	if err != nil {
		t.Fatal(err)
	}
	return string(files[0].Content)
}

// TestWordsAreTrueOfTheirOperation has a case for each rule; without is what
// the same skill must not say.
func TestWordsAreTrueOfTheirOperation(t *testing.T) {
	const problem = "content: {application/json: {schema: {type: object, required: [message], properties: {message: {type: string}}}}}"
	basic := func(description string) string {
		return "security: [{key: []}]\ncomponents: {securitySchemes: {key: {type: http, scheme: basic, description: '" + description + "'}}}"
	}
	const bearer = "security: [{auth: []}]\ncomponents: {securitySchemes: {auth: {type: http, scheme: bearer}}}"
	for _, c := range []struct{ name, method, path, operation, root, want, without string }{
		{"a public call has no credentials to get at 401", "GET", "/a", "{security: [], responses: {'200': {description: ok}, default: {description: no, " + problem + "}}}", "",
			"At 4XX: correct the request by `message`. Else", "get valid credentials"},
		{"nor a permission to miss at 403", "GET", "/a", "{security: [], responses: {'200': {description: ok}, '403': {description: Expired}}}", "",
			"No credentials are asked for here: tell the user what the answer says", "permission"},
		{"401 has one row", "GET", "/a", "{responses: {'200': {description: ok}, '401': {description: no}, default: {description: no, " + problem + "}}}", bearer,
			"At 4XX: correct the request by `message`. Else", "at 401 get"},
		{"without a path's parameter 404 is about what was sent", "POST", "/boxes", "{requestBody: {content: {application/json: {schema: {type: object, properties: {image: {type: string}}}}}}, responses: {'201': {description: ok}, '404': {description: no such image}}}", "",
			"Check the ids and names in what you sent; else", "Check the URL"},
		{"a password may be empty", "GET", "/a", "{" + ok + "}", basic("The account."),
			`-u "${X_KEY_USER:?}:${X_KEY_PASSWORD?}"`, ""},
		{"a key as the user name has none", "GET", "/a", "{" + ok + "}", basic("Basic, base64 of `api_key:`"),
			`-u "${X_KEY_USER:?}:"`, "PASSWORD"},
		{"that a password is not empty is not taken for that", "GET", "/a", "{" + ok + "}", basic("Your name and a password of 8 characters."),
			`${X_KEY_PASSWORD?}`, ""},
		{"a parameter that repeats the credential takes its variable", "GET", "/a", "{parameters: [{name: token, in: header, required: true, description: Authentication token., schema: {type: string}}], " + ok + "}", bearer,
			`-H "token: ${X_AUTH:?}"`, "TOKEN'"},
		{"and is announced", "GET", "/a", "{parameters: [{name: token, in: query, required: true, description: Authentication token., schema: {type: string}}], " + ok + "}", bearer,
			"`token` is taken for the secret of Auth above (inferred from its words).", "=TOKEN"},
		{"also in a form", "POST", "/a", "{requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, required: [token], properties: {token: {type: string, description: Access token of the bot}}}}}}, " + ok + "}", bearer,
			`--data-urlencode "token=${X_AUTH:?}"`, "=TOKEN"},
		{"another token is none", "GET", "/a", "{parameters: [{name: token, in: query, required: true, description: Where the page begins., schema: {type: string}}], " + ok + "}", bearer,
			"token=TOKEN", "taken for the secret"},
		{"a user is asked about no secret", "POST", "/a.delete", "{parameters: [{name: token, in: query, required: true, description: Authentication token., schema: {type: string}}, {name: file, in: query, required: true, schema: {type: string}}], " + ok + "}", bearer,
			"name the `file` and", "the `token`"},
		{"a key that is a scheme and a parameter is sent once", "GET", "/a", "{parameters: [{name: key, in: query, required: true, schema: {type: string}}], " + ok + "}", "security: [{k: []}]\ncomponents: {securitySchemes: {k: {type: apiKey, in: query, name: key}}}",
			`/a?key=${X_K:?}"`, "key=KEY"},
		{"an Accept with one value is sent, though no parameter", "GET", "/a", "{parameters: [{name: Accept, in: header, required: true, schema: {type: string, default: application/vnd.x+json;version=2}}], " + ok + "}", "",
			"-H 'Accept: application/vnd.x+json;version=2'", ""},
		{"one that is no media type is not", "GET", "/a", "{parameters: [{name: Accept, in: header, schema: {type: string, default: 'yes, please'}}], " + ok + "}", "",
			"curl -sS -i 'https://x.example/a'", "Accept:"},
		{"a request id makes a repeat harmless", "POST", "/a", "{parameters: [{name: requestId, in: query, description: 'If you retry, the server will ignore what is already done.', schema: {type: string}}], " + ok + "}", "",
			"twice, unless both are sent with the same `requestId` (inferred from its words).", ""},
		{"an id of something else does not", "POST", "/a", "{parameters: [{name: requestId, in: query, description: The request to look at., schema: {type: string}}], " + ok + "}", "",
			"twice. No answer", "unless both"},
		{"OAuth flows that are asked for together are one token", "GET", "/a", "{" + ok + "}", "security: [{one: [r], two: [r]}, {one: [w], two: [w]}]\ncomponents: {securitySchemes: {one: {type: oauth2, flows: {implicit: {authorizationUrl: 'https://a.example', scopes: {}}}}, two: {type: oauth2, flows: {clientCredentials: {tokenUrl: 'https://t.example', scopes: {}}}}}}",
			"2. OAuth 2 access token, `Authorization: Bearer $X_ONE` as in 1, scope `w`.", "both of"},
		{"a root element without a name is said to be one", "PUT", "/a", "{requestBody: {required: true, content: {text/xml: {schema: {type: object, properties: {b: {type: string}}}}}}, " + ok + "}", "",
			"The document does not name the root element", ""},
		{"one with a name is not", "PUT", "/a", "{requestBody: {required: true, content: {text/xml: {schema: {type: object, xml: {name: root}, properties: {b: {type: string}}}}}}, " + ok + "}", "",
			"<root>", "does not name the root"},
		{"a made example of an answer has no empty objects", "GET", "/a", "{responses: {'200': {description: ok, content: {application/json: {schema: {type: object, required: [rows], properties: {rows: {type: array, items: {type: object, properties: {n: {type: integer}}}}}}}}}}}", "",
			"rows*: object[]", "Example (made"},
		{"an example that keeps readOnly members says so", "POST", "/a", "{requestBody: {content: {application/json: {schema: {type: object, properties: {to: {type: object, properties: {id: {type: string, readOnly: true}}}}}, example: {to: {id: x1}}}}}, " + ok + "}", "",
			"The body is the document's example, with `id`, which its schema marks readOnly.", "very member"},
		{"each media type has its type", "POST", "/a", "{requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {f: {type: string, format: binary}}}}}}, " + ok + "}", "",
			"body multipart/form-data: object\n", ""},
		{"a path that looks like a tag is encoded where tags are not allowed", "PUT", "/<url>", "{" + ok + "}", "",
			"PUT /%3Curl%3E", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := rendered(t, c.method, c.path, c.operation, c.root)
			if !strings.Contains(got, c.want) {
				t.Errorf("no %q in\n%s", c.want, got)
			}
			if c.without != "" && strings.Contains(got, c.without) {
				t.Errorf("%q in\n%s", c.without, got)
			}
		})
	}
}

func TestChoicesAreShownWithWhatIsInThem(t *testing.T) {
	words := strings.Repeat("word ", 30)
	var members []string
	for _, n := range strings.Split("abcdefghijklmnopqrstuvw", "") {
		members = append(members, n+": {type: string, description: '"+words+"'}")
	}
	option := "{type: object, required: [a], properties: {" + strings.Join(members, ", ") + "}}"
	got := rendered(t, "POST", "/a", "{requestBody: {content: {application/json: {schema: {oneOf: ["+option+", "+option+"]}}}}, "+ok+"}", "")
	for _, want := range []string{"    option 1: object\n      a*: string\n", "[The document's words](references/request.md)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
