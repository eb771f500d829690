package endpoint

import (
	"strconv"
	"strings"
	"testing"
)

// Each case is a rule of what a skill says of answers, with the words it uses
// ("!" before those that it must not use).
func TestWhatSkillsSayOfAnswers(t *testing.T) {
	json := func(schema string) string { return "content: {application/json: {schema: {" + schema + "}}}" }
	failure := json("type: object, properties: {message: {type: string}}")
	for _, c := range []struct {
		name, method, path, operation string
		want                          []string
	}{
		{"a description that says no more than the status is left out", "GET", "/a", "{responses: {'200': {description: Successful response.}}}", []string{"### 200, no described body", "!> "}},
		{"so is the phrase of the status", "POST", "/a", "{responses: {'201': {description: Created}, '202': {description: The request was accepted}}}", []string{"!> "}},
		{"and the operation's name beside it", "GET", "/a", "{operationId: get_owls, responses: {'200': {description: 200 response for get_owls}}}", []string{"!> "}},
		{"one that says more stays", "GET", "/a", "{responses: {'200': {description: 'The owls, oldest first'}}}", []string{"> The owls, oldest first"}},
		{"words of another script stay", "GET", "/a", "{responses: {'200': {description: 成功}}}", []string{"> 成功"}},
		{"a default of errors alone is no success", "POST", "/a", "{responses: {default: {description: Unexpected error, " + failure + "}}}",
			[]string{"### Success\n\nThe document does not describe the answer of success", "| default | Unexpected error |", "!any status"}},
		{"nor is a default that shares the schema of an error", "GET", "/a", "{responses: {'404': {description: No, content: {application/json: {schema: {$ref: '#/components/schemas/Oops'}}}}, default: {description: Any, content: {application/json: {schema: {$ref: '#/components/schemas/Oops'}}}}}}",
			[]string{"### Success", "| default | Any |"}},
		{"a default that says nothing of errors is the answer to all", "GET", "/a", "{responses: {default: {description: An owl, " + json("type: object, properties: {age: {type: integer}}") + "}}}", []string{"### any status `application/json`", "read the status first"}},
		{"a body that was shown is not shown again", "PUT", "/a", "{responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Owl'}}}}, '201': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Owl'}}}}}}",
			[]string{"### 201 `application/json`\n\nThe body is that of 200."}},
		{"headers of errors that are those of success are not listed again", "GET", "/a", "{responses: {'200': {description: ok, headers: {RateLimit-Limit: {description: An hour, schema: {type: integer}}, RateLimit-Reset: {schema: {type: integer}}}}, '429': {description: no, " + failure + ", headers: {RateLimit-Limit: {description: An hour, schema: {type: integer}}, RateLimit-Reset: {schema: {type: integer}}}}}}",
			[]string{"Headers of 429: those of 200."}},
		{"a flag that tells success from error comes first", "GET", "/a", "{responses: {'200': {description: ok, " + json("type: object, properties: {ok: {type: boolean, enum: [true]}}") + "}, default: {description: An error, " + json("type: object, properties: {ok: {type: boolean, enum: [false]}, error: {type: string}}") + "}}}",
			[]string{"Look at `ok` first, whatever the status is", "At 4XX, or where `ok` is `false`: correct the request by `error`"}},
		{"a flag that may be either tells nothing", "GET", "/a", "{responses: {'200': {description: ok, " + json("type: object, properties: {ok: {type: boolean}}") + "}, default: {description: An error, " + failure + "}}}", []string{"!Look at"}},
		{"a read that is not ready is repeated", "GET", "/a", "{responses: {'200': {description: ok}, '202': {description: wait for it, headers: {Retry-After: {schema: {type: integer}}}}}}",
			[]string{"Not ready yet. Wait `Retry-After` seconds, then send the same request again.", "!Do not send it again"}},
		{"accepted work is polled where the answer has the address", "POST", "/a", "{responses: {'202': {description: begun, " + json("type: object, properties: {url: {type: string, format: uri}}") + "}}}",
			[]string{"poll the URL in `url` of this answer (inferred from its name)", "Do not send it again meanwhile."}},
		{"a member called url that is no URL is none", "POST", "/a", "{responses: {'202': {description: begun, " + json("type: object, properties: {url: {type: integer}}") + "}}}", []string{"The document does not say how to follow it"}},
		{"accepted work that has an id names it", "POST", "/a", "{responses: {'202': {description: begun, " + json("type: object, properties: {job_id: {type: string}}") + "}}}",
			[]string{"look in the guide for a read of the same group that takes its `job_id`"}},
		{"bytes go to a file", "GET", "/a", "{responses: {'200': {description: ok, content: {application/pdf: {}}}}}", []string{"-D - -o answer.pdf", "the body goes to `answer.pdf`"}},
		{"events are not buffered", "GET", "/a", "{responses: {'200': {description: ok, content: {text/event-stream: {}}}}}", []string{"curl -sS -i -N ", "prints each event as it comes"}},
		{"lines of JSON are not buffered", "GET", "/a", "{responses: {'200': {description: ok, content: {application/x-ndjson: {schema: {type: object, properties: {a: {type: string}}}}}}}}", []string{"curl -sS -i -N ", "This is one JSON value a line."}},
		{"an empty answer is called so", "DELETE", "/a/{id}", "{responses: {'204': {description: Gone}}}", []string{"### 204, no body"}},
		{"a redirect keeps the credentials at home", "GET", "/a", "{responses: {'302': {description: Elsewhere, headers: {Location: {schema: {type: string}}}}}}", []string{"Follow `Location` (`curl -L`); send credentials only to the same host."}},
		{"media types of a long answer are named", "POST", "/a", "{responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Big'}}, application/yaml: {schema: {$ref: '#/components/schemas/Big'}}}}}}",
			[]string{"[The `application/json` or `application/yaml` body](references/responses.md): `object`"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			contains(t, skill(t, one(t, c.method, c.path, c.operation, answerSchemas())), c.want...)
		})
	}
}

// answerSchemas are the components of the cases: an error, a thing, and one that
// is too long for SKILL.md.
func answerSchemas() string {
	var members []string
	for i := range 70 {
		members = append(members, "m"+strconv.Itoa(i)+": {type: string}")
	}
	return "components: {schemas: {Oops: {type: object, properties: {why: {type: string}}}, Owl: {type: object, properties: {age: {type: integer}}}, Big: {type: object, properties: {" +
		strings.Join(members, ", ") + "}}}}"
}

// Each case is a rule of the call, its credentials and its inputs.
func TestWhatSkillsSayOfTheCall(t *testing.T) {
	patch := func(types ...string) string {
		var content []string
		for _, ty := range types {
			content = append(content, ty+": {schema: {$ref: '#/components/schemas/Patch'}}")
		}
		return "{requestBody: {required: true, content: {" + strings.Join(content, ", ") + "}}, " + ok + "}"
	}
	const root = `components:
  schemas: {Patch: {type: object}}
  securitySchemes:
    token: {type: apiKey, in: header, name: authorization}
    aws: {type: apiKey, in: header, name: Authorization, x-amazon-apigateway-authtype: awsSigv4}
    oauth: {type: oauth2, flows: {implicit: {authorizationUrl: "https://id.example/a", scopes: {"a:b": "a:b", "c": "See all"}}}}
`
	for _, c := range []struct {
		name, method, path, operation, root string
		want                                []string
	}{
		{"no credentials stated: none are made up", "GET", "/a", "{responses: {'200': {description: ok}, '401': {description: no}}}", root, []string{"so the command sends none", "never ask for the secret itself", "| 401 | no | Get credentials as Auth above says | once, with them |", "!Bearer"}},
		{"a key called Authorization may need a word before it", "GET", "/a", "{security: [{token: []}], " + ok + "}", root, []string{"the variable holds the whole value"}},
		{"a signature of AWS is made by curl", "GET", "/a", "{security: [{aws: []}], " + ok + "}", root, []string{`--aws-sigv4 "aws:amz:${X_AWS_REGION:?}:${X_AWS_SERVICE:?}"`, `-u "${X_AWS_KEY_ID:?}:${X_AWS_SECRET:?}"`, "!-H"}},
		{"a scope that means its own name has no words", "GET", "/a", "{security: [{oauth: ['a:b', c]}], " + ok + "}", root, []string{"  a:b\n", "  c  # See all"}},
		{"an object is no JSON Patch", "PATCH", "/a", patch("application/json-patch+json", "application/merge-patch+json"), root, []string{"-H 'Content-Type: application/merge-patch+json'", "`application/json-patch+json`: an array of changes", "`application/merge-patch+json`: a member left out stays"}},
		{"one kind of patch is named by its name", "PATCH", "/a", patch("application/merge-patch+json"), root, []string{"Merge patch: a member left out stays"}},
		{"a body that can hold nothing is none", "GET", "/a", "{requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, additionalProperties: false}}}}, " + ok + "}", root, []string{"!body application", "No inputs."}},
		{"a closed object with members is a body", "POST", "/a", "{requestBody: {content: {application/json: {schema: {type: object, additionalProperties: false, properties: {a: {type: string}}}}}}, " + ok + "}", root, []string{"body application/json: object closed"}},
		{"a generic name of an example is not told", "POST", "/a", "{requestBody: {required: true, content: {application/json: {schema: {type: object}, examples: {default: {value: {b: 1}}}}}}, " + ok + "}", root, []string{"The body is the document's example."}},
		{"a telling name is", "POST", "/a", "{requestBody: {required: true, content: {application/json: {schema: {type: object}, examples: {barn owl: {value: {b: 1}}}}}}, " + ok + "}", root, []string{"The body is the document's example `barn owl`."}},
		{"servers without TLS that have one with it are not offered", "GET", "/a", "{" + ok + "}", "servers: [{url: 'https://x.example'}, {url: 'http://x.example'}, {url: 'http://y.example'}, {url: 'https://y.example'}]", []string{"others with the same paths: `https://y.example`.", "!http://"}},
		{"links in words of a line are their texts", "GET", "/a", "{parameters: [{name: q, in: query, description: 'As [the guide](https://x.example/guide) says.', schema: {type: string}}], " + ok + "}", root, []string{"# As the guide says."}},
		{"a link to documentation has no words that say only that", "GET", "/a", "{externalDocs: {url: 'https://x.example/d', description: API method documentation}, " + ok + "}", root, []string{"More from the authors: <https://x.example/d>", "!> "}},
		{"and has those that say more", "GET", "/a", "{externalDocs: {url: 'https://x.example/d', description: How owls are counted}, " + ok + "}", root, []string{"> How owls are counted"}},
		{"a deletion points to words only where there are some", "DELETE", "/owls/{id}", "{summary: Delete an owl, description: Delete an owl., " + ok + "}", root, []string{"what goes with it, and wait", "!From the document"}},
		{"a deprecation points to the document's words", "GET", "/a", "{deprecated: true, summary: Count, description: Use the other one., " + ok + "}", root, []string{`What replaces it may stand in "From the document", else in the guide`}},
		{"what is beta is told", "GET", "/a", "{x-beta: true, " + ok + "}", root, []string{"**Beta:** the document marks it so"}},
		{"what says that it is not is not", "GET", "/a", "{x-beta: false, " + ok + "}", root, []string{"!**Beta"}},
		{"or to the guide", "GET", "/a", "{deprecated: true, " + ok + "}", root, []string{"Look for a replacement in the guide"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			contains(t, skill(t, one(t, c.method, c.path, c.operation, c.root)), c.want...)
		})
	}
}
