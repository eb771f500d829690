package endpoint

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apiskills/apiskills/generators/templates"
)

// one loads a document with one operation, written as flow YAML. root is more
// of the document.
func one(t testing.TB, method, path, operation, root string) *Operation {
	t.Helper()
	if !strings.Contains(root, "servers:") {
		root += "\nservers: [{url: https://x.example}]"
	}
	doc := fmt.Sprintf("openapi: 3.1.0\ninfo: {title: X, version: '1'}\npaths:\n  ? %s\n  : {%s: %s}\n%s\n", strconv.Quote(path), strings.ToLower(method), operation, root)
	ops := load(t, "x", []byte(doc))
	if len(ops) != 1 {
		t.Fatalf("%d operations", len(ops))
	}
	return ops[0]
}

func view(t testing.TB, op *Operation) *templates.Endpoint {
	t.Helper()
	e, _ := View(op)
	return e
}

const ok = "responses: {'200': {description: ok}}"

func TestDescriptionSaysWhatWhenAndWhatFor(t *testing.T) {
	long := strings.Repeat("very ", 60) + "long"
	list := "responses: {'200': {description: ok, content: {application/json: {schema: {type: object, properties: {data: {type: array, items: {type: object}}, next: {type: string}}}}}}}"
	for _, c := range []struct{ name, method, path, operation, want string }{
		{"list", "GET", "/owls", "{summary: List owls, description: 'Oldest first. By name, e.g. Bubo.', parameters: [{name: cursor, in: query, schema: {type: string}}, {name: kind, in: query, schema: {type: string}}], " + list + "}",
			"List owls: GET /owls. Oldest first. By name, e.g. Bubo. Use to find owls, or read them page by page, when no id is known; filters: kind. Read-only."},
		{"get", "GET", "/owls/{owl_id}", "{summary: Get an owl, responses: {'200': {description: ok, content: {application/json: {schema: {type: object, required: [id], properties: {age: {type: integer}, id: {type: string}}}}}}}}",
			"Get an owl: GET /owls/{owl_id}. Use when the owl_id is known; to find one, look through the collection /owls. Returns id, age. Read-only."},
		{"create", "POST", "/owls", "{summary: Add an owl, responses: {'201': {description: ok}}}",
			"Add an owl: POST /owls. Use to add one to the collection /owls, not to change one that exists. Writes; not idempotent."},
		{"an action adds nothing to a collection", "POST", "/owls/{id}/wake", "{summary: Wake an owl, " + ok + "}",
			"Wake an owl: POST /owls/{id}/wake. Use when the id is known. Writes; not idempotent."},
		{"replace", "PUT", "/owls/{id}", "{summary: Put an owl, requestBody: {content: {text/plain: {}}}, " + ok + "}",
			"Put an owl: PUT /owls/{id}. Use to put the whole of the id in place, not to change a part of it. Writes; idempotent."},
		{"a part of something", "GET", "/owls/{id}/nest", "{summary: See the nest, " + ok + "}",
			"See the nest: GET /owls/{id}/nest. Use to read the nest of this id. Read-only."},
		{"a part is set", "PUT", "/owls/{id}/nest", "{summary: Set the nest, requestBody: {content: {application/json: {}}}, " + ok + "}",
			"Set the nest: PUT /owls/{id}/nest. Use to set the nest of this id as a whole. Writes; idempotent."},
		{"one of a set", "PUT", "/woods/{wood}/owls/{id}", "{summary: Let an owl in, responses: {'204': {description: ok}}}",
			"Let an owl in: PUT /woods/{wood}/owls/{id}. Use to put this id among the owls of this wood. Writes; idempotent."},
		{"a file", "GET", "/owls/{id}/photo", "{summary: A photo, responses: {'200': {description: ok, content: {image/png: {}}}}}",
			"A photo: GET /owls/{id}/photo. Use to download the photo of this id. Read-only."},
		{"a stream", "GET", "/v1/nights/events", "{summary: Listen, responses: {'200': {description: ok, content: {text/event-stream: {}}}}}",
			"Listen: GET /v1/nights/events. Use to follow the nights events as they come. Read-only."},
		{"lines", "GET", "/nights/export", "{summary: All nights, responses: {'200': {description: ok, content: {application/x-ndjson: {}}}}}",
			"All nights: GET /nights/export. Use to read the nights export line by line. Read-only."},
		{"a status", "GET", "/status", "{summary: How it is, " + ok + "}",
			"How it is: GET /status. Use to read the status. Read-only."},
		{"work that goes on", "POST", "/counts", "{summary: Count, responses: {'202': {description: ok}}}",
			"Count: POST /counts. Use to start this work; it goes on after the answer. Writes; not idempotent."},
		{"an end by its name", "POST", "/nests/{id}/close", "{summary: Close a nest, " + ok + "}",
			"Close a nest: POST /nests/{id}/close. Destructive by its name. Use only when the user asked for this to be done to this id and confirmed it."},
		{"a long summary ends before its last preposition", "GET", "/a/very/long/path/to/the/place/of/all/owls/that/ever/were/{owl_id}/x", "{summary: List the feathers and claws of an owl in the northern woods of the country, " + ok + "}",
			"List the feathers and claws of an owl: GET /a/very/long/path/to/the/place/of/all/owls/that/ever/were/{owl_id}/x. Use to read the x of this owl_id. Read-only."},
		{"or stands whole behind the address", "GET", "/a/very/long/path/to/the/place/of/all/owls/that/ever/were/{owl_id}/x", "{summary: List every single feather and claw and beak that an owl has, " + ok + "}",
			"GET /a/very/long/path/to/the/place/of/all/owls/that/ever/were/{owl_id}/x: List every single feather and claw and beak that an owl has. Use to read the x of this owl_id. Read-only."},
		{"delete", "DELETE", "/owls/{id}", "{summary: Delete an owl, description: It is gone., " + ok + "}",
			"Delete an owl: DELETE /owls/{id}. Destructive. It is gone. Use only when the user asked for the deletion of this id and confirmed it."},
		{"deprecated drops the prose", "GET", "/owls", "{summary: Old, description: Never read., deprecated: true, " + ok + "}",
			"Old: GET /owls. DEPRECATED. Use this one only where the user insists on it. Read-only."},
		{"no prose, but a name", "GET", "/owls", "{operationId: countOwls, security: [], " + ok + "}",
			"Count owls: GET /owls. Use to read the owls. Read-only; public, no credentials."},
		{"no prose at all", "GET", "/v1/owls/{id}", "{" + ok + "}",
			"Get owls by id: GET /v1/owls/{id}. Use when the id is known; to find one, look through the collection /v1/owls. Read-only."},
		{"the description's first sentence is the summary", "POST", "/owls/sing", "{description: 'Sings. Loudly.', " + ok + "}",
			"Sings: POST /owls/sing. Loudly. Writes; not idempotent."},
		{"markup is left out", "POST", "/owls/sing", "{summary: '**Sings** <b>now</b>', description: 'See [the docs](/x)<!-- order -->.', " + ok + "}",
			"Sings now: POST /owls/sing. See the docs. Writes; not idempotent."},
		{"the authors' own words win", "POST", "/owls/sing", "{summary: Sing, description: Not this., x-skill: {description: Use at night}, " + ok + "}",
			"POST /owls/sing: Use at night"},
		{"also of what is deprecated and destructive", "DELETE", "/owls/{id}", "{summary: Gone, deprecated: true, x-skill: {description: 'Let it fly: `DELETE /owls/{id}`.'}, " + ok + "}",
			"Let it fly: `DELETE /owls/{id}`."},
		{"as far as a description may be long", "GET", "/owls", "{x-skill: {description: '" + strings.Repeat("owl ", 400) + "'}, " + ok + "}",
			"GET /owls: " + strings.Repeat("owl ", 252) + "..."},
		{"a summary that is too long gives way to the address", "POST", "/owls/sing", "{operationId: singNow, summary: '" + long + "', " + ok + "}", ""},
		{"a path that is too long", "GET", "/" + strings.Repeat("owl/", 300) + "{id}", "{summary: Deep, " + ok + "}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			op := one(t, c.method, c.path, c.operation, "")
			got := view(t, op).Description
			if c.want != "" && got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if n := utf8.RuneCountInString(got); n > maxDescription {
				t.Errorf("%d characters", n)
			}
			head := string([]rune(got)[:min(headLength, utf8.RuneCountInString(got))])
			if address := c.method + " " + cut(c.path, 60); !strings.Contains(head, strings.TrimSuffix(address, " ...")) {
				t.Errorf("the first %d characters lack %s: %s", headLength, address, head)
			}
		})
	}
}

func TestAuthSaysWhatIsSentAndFromWhichVariable(t *testing.T) {
	const schemes = `components:
  securitySchemes:
    bearer: {type: http, scheme: bearer}
    basic: {type: http, scheme: basic}
    digest: {type: http, scheme: digest}
    mac: {type: http, scheme: MAC}
    header: {type: apiKey, in: header, name: X-Key}
    query: {type: apiKey, in: query, name: api key}
    cookie: {type: apiKey, in: cookie, name: sid}
    tls: {type: mutualTLS}
    oidc: {type: openIdConnect, openIdConnectUrl: "https://id.example/.well-known"}
    oauth:
      type: oauth2
      flows:
        authorizationCode: {authorizationUrl: "https://id.example/a", tokenUrl: "https://id.example/t", scopes: {read: Read all}}
        clientCredentials: {tokenUrl: "https://id.example/c", scopes: {read: Read all}}
`
	for _, c := range []struct {
		name, security string
		want           []string // in the text
		command        []string // in the command; "!" before what must not be there
	}{
		{"nothing said", "", []string{"the document states none"}, []string{"!-H"}},
		{"public", "security: [], ", []string{"none. Send no credentials."}, []string{"!-H"}},
		{"empty requirement only", "security: [{}], ", []string{"none. Send no credentials."}, []string{"!-H"}},
		{"optional", "security: [{}, {bearer: []}], ", []string{"optional", "`Authorization: Bearer $X_BEARER`"}, []string{"!Authorization"}},
		{"bearer", "security: [{bearer: []}], ", []string{"bearer token, `Authorization: Bearer $X_BEARER`."}, []string{`-H "Authorization: Bearer ${X_BEARER:?}"`}},
		{"basic", "security: [{basic: []}], ", []string{"`$X_BASIC_USER`"}, []string{`-u "${X_BASIC_USER:?}:${X_BASIC_PASSWORD?}"`}},
		{"digest", "security: [{digest: []}], ", []string{"Digest"}, []string{`--digest -u "${X_DIGEST_USER:?}:`}},
		{"another scheme of HTTP", "security: [{mac: []}], ", []string{"`Authorization: MAC $X_MAC`"}, []string{`"Authorization: MAC ${X_MAC:?}"`}},
		{"key in a header", "security: [{header: []}], ", []string{"`X-Key: $X_HEADER`"}, []string{`-H "X-Key: ${X_HEADER:?}"`}},
		{"key in the query", "security: [{query: []}], ", []string{"in the query", "It can end up in logs."}, []string{`"https://x.example/a?api%20key=${X_QUERY:?}"`}},
		{"key in a cookie", "security: [{cookie: []}], ", []string{"`Cookie: sid=$X_COOKIE`"}, []string{`-b "sid=${X_COOKIE:?}"`}},
		{"client certificate", "security: [{tls: []}], ", []string{"mutual TLS"}, []string{`--cert "${X_TLS_CERT:?}"`, `--key "${X_TLS_KEY:?}"`}},
		{"OpenID Connect", "security: [{oidc: [mail]}], ", []string{"discovery URL `https://id.example/.well-known`", "scope `mail`"}, []string{"${X_OIDC:?}"}},
		{"OAuth 2 with two flows", "security: [{oauth: [read]}], ", []string{"flow `authorizationCode`, authorization URL `https://id.example/a`, token URL `https://id.example/t`; or flow `clientCredentials`, token URL `https://id.example/c`, scope `read`."}, []string{"Bearer ${X_OAUTH:?}"}},
		{"both", "security: [{bearer: [], header: []}], ", []string{"both of: bearer token", "; and API key"}, []string{"${X_BEARER:?}", "${X_HEADER:?}"}},
		{"either: the command takes the one that is not in the URL", "security: [{query: []}, {header: []}], ", []string{"one of:", "1. API key in the query", "prefer 2", "2. API key, `X-Key"}, []string{"${X_HEADER:?}", "!X_QUERY"}},
		{"a scheme that is not defined", "security: [{lost: []}], ", []string{"`lost`, which the document does not define"}, []string{"!-H"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			op := one(t, "GET", "/a", "{summary: A, "+c.security+ok+"}", schemes)
			files, _ := render(t, op)
			auth, _, _ := strings.Cut(files["SKILL.md"][strings.Index(files["SKILL.md"], "- **Auth:**"):], "\n\n")
			for _, w := range c.want {
				if !strings.Contains(auth, w) {
					t.Errorf("lacks %q: %s", w, auth)
				}
			}
			command := fenced(files["SKILL.md"], "bash")[0]
			for _, w := range c.command {
				if not, found := strings.CutPrefix(w, "!"); found == strings.Contains(command, not) {
					t.Errorf("%q: %s", w, command)
				}
			}
		})
	}
}

func TestEffectFollowsMethodAndNames(t *testing.T) {
	for _, c := range []struct {
		method, path, id, want string
		inferred               bool
	}{
		{"GET", "/a", "", read, false},
		{"HEAD", "/a", "", read, false},
		{"QUERY", "/a", "", read, false},
		{"POST", "/a", "", write, false},
		{"PUT", "/a", "", write, false},
		{"PATCH", "/a", "", write, false},
		{"COPY", "/a", "", write, false},
		{"DELETE", "/a", "", destructive, false},
		{"POST", "/files.delete", "", destructive, true},
		{"POST", "/items:batchDelete", "", destructive, true},
		{"POST", "/owls/{id}/purge", "", destructive, true},
		{"POST", "/owls", "deleteOwls", destructive, true},
		{"POST", "/owls", "owls/remove-all", destructive, true},
		{"POST", "/orders/{id}/cancel", "", destructive, true},
		{"POST", "/runs/{id}/force-cancel", "", destructive, true},
		{"POST", "/orders", "orders.refund", destructive, true},
		{"PUT", "/keys/{id}", "revokeKey", destructive, true},
		{"POST", "/refunds", "createRefund", write, false},
		{"POST", "/orders/{id}/archive", "postOrdersArchive", destructive, true},
		{"POST", "/close-friends", "addCloseFriend", write, false},
		{"POST", "/charges/{charge}/refunds/{refund}", "PostChargesChargeRefundsRefund", write, false}, // the id, no verb
		{"POST", "/runners/remove-token", "actions/create-remove-token", write, false},
		{"POST", "/groups/terminate_sessions", "post_groups_terminate_sessions", destructive, true},
		{"GET", "/orders/{id}/cancel", "", read, false},
		{"GET", "/?Action=DescribeVpcs", "GET_DescribeVpcs", read, false},
		{"GET", "/#Action=DeleteVpc", "GET_DeleteVpc", destructive, true},
		{"GET", "/#Action=RunInstances", "GET_RunInstances", write, true},
		{"GET", "/photo.jpg", "", read, false}, // a file's ending is no verb
		{"GET", "/deleted-items", "listDeletedItems", read, false},
	} {
		if got, inferred := Effect(c.method, c.path, "", c.id); got != c.want || inferred != c.inferred {
			t.Errorf("%s %s %s: %s, inferred %v; want %s, %v", c.method, c.path, c.id, got, inferred, c.want, c.inferred)
		}
	}
	if got, _ := Effect("POST", "", "ping", ""); got != receive {
		t.Errorf("a webhook is %s", got)
	}
}

func TestEffectSaysWhetherToRepeat(t *testing.T) {
	key := "parameters: [{name: Idempotency-Key, in: header, required: %v, schema: {type: string}}], "
	match := "parameters: [{name: If-Match, in: header, required: true, schema: {type: string}}], "
	for _, c := range []struct{ name, method, operation, want string }{
		{"read", "GET", "{" + ok + "}", "read. Changes nothing; safe to repeat."},
		{"write", "POST", "{" + ok + "}", "Not idempotent: a repeat can store it twice."},
		{"put", "PUT", "{" + ok + "}", "Idempotent: the same request again has the same end."},
		{"patch", "PATCH", "{" + ok + "}", "after a time-out read first"},
		{"key", "POST", "{" + fmt.Sprintf(key, true) + ok + "}", "Safe to repeat only with the same `Idempotency-Key` and the same body."},
		{"optional key", "POST", "{" + fmt.Sprintf(key, false) + ok + "}", "only if it was sent with `Idempotency-Key`"},
		{"condition", "PUT", "{" + match + "responses: {'412': {description: no}}}", "Refused with 412 when `If-Match` is not the current version"},
		{"delete", "DELETE", "{" + ok + "}", "DESTRUCTIVE. **Ask the user before this call:**"},
		{"a name that only reads", "POST", "{operationId: searchOwls, " + ok + "}", "though its name says that it only reads (inferred)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(view(t, one(t, c.method, "/a", c.operation, "")).Effect.Text); !strings.Contains(got, c.want) {
				t.Errorf("%q lacks %q", got, c.want)
			}
		})
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	problem := "content: {application/problem+json: {schema: {type: object, properties: {detail: {type: string}, errors: {type: array, items: {type: object, properties: {pointer: {type: string}}}}}}}}"
	key := "parameters: [{name: Idempotency-Key, in: header, required: true, schema: {type: string}}], "
	for _, c := range []struct{ name, method, path, more, status, answer, do, retry string }{
		{"400 by the body", "GET", "/a", "", "400", problem, "Correct the request by `detail` and `errors`", "after the correction"},
		{"a list of faults by any name, and no title", "GET", "/a", "", "400", "content: {application/json: {schema: {type: object, properties: {title: {type: string}, wrong: {type: array, items: {type: object, properties: {why: {type: string}}}}}}}}", "Correct the request by `wrong`", "after the correction"},
		{"the title where there is nothing else", "GET", "/a", "", "400", "content: {application/json: {schema: {type: object, properties: {title: {type: string}}}}}", "Correct the request by `title`", "after the correction"},
		{"an error in an envelope", "GET", "/a", "", "400", "content: {application/json: {schema: {type: object, properties: {error: {type: object, properties: {message: {type: string}, param: {type: string}}}}}}}", "Correct the request by `error.message` and `error.param`", "after the correction"},
		{"422 that points", "POST", "/a", "", "422", problem, "Correct the members that `errors` points to", "after the correction"},
		{"422 with a key", "POST", "/a", key, "422", "", "Correct the request by the inputs above", "after the correction, new key"},
		{"401 of one token", "GET", "/a", "security: [{b: []}], ", "401", "", "Get a valid token; see the guide", "once, with the new token"},
		{"401 of two", "GET", "/a", "security: [{b: [], k: []}], ", "401", "", "Get valid credentials; see the guide", "once, with the new ones"},
		{"401 of a public call", "GET", "/a", "security: [], ", "401", "", "The document asks for no credentials here: tell the user", "no"},
		{"403", "GET", "/a", "", "403", "", "Tell the user which permission is missing", "no"},
		{"404 names the ids", "GET", "/a/{b}/{c}", "", "404", "", "Check `b` and `c`; else tell the user", "no"},
		{"404 of a deletion", "DELETE", "/a/{b}", "", "404", "", "On a repeat: it is gone. Else check `b`", "no"},
		{"409 of a read", "GET", "/a", "", "409", "", "Tell the user what is in the way, as the answer says", "after it is resolved"},
		{"409", "PUT", "/a", "", "409", "", "Read the current state and resolve the conflict; do not resend as it is", "after it is resolved"},
		{"409 with a key", "POST", "/a", key, "409", "", "If the key was used before, send the first body again or take a new key; else resolve the conflict that the answer names", "after it is resolved"},
		{"409 of a deletion", "DELETE", "/a", "", "409", "", "Tell the user; ask whether to try again later", "only when the user says so"},
		{"410", "GET", "/a", "", "410", "", "It is gone for good: stop, and tell the user", "no"},
		{"413", "POST", "/a", "", "413", "", "Send less, or ask the user for a smaller file", "after the correction"},
		{"429 with a header", "GET", "/a", "", "429", "headers: {Retry-After: {schema: {type: integer, minimum: 1}}}", "Wait `Retry-After` seconds (integer, 1 or more)", "after the wait"},
		{"429 without", "GET", "/a", "", "429", "", "Wait as `Retry-After` says, else 1, 2, 4 seconds", "after the wait"},
		{"500 of a read", "GET", "/a", "", "500", "", "Wait 1, 2, 4 seconds, then tell the user", "3 times"},
		{"5XX of a write", "POST", "/a", "", "5XX", "", "Find out whether it was stored, or ask the user", "only if it was not"},
		{"503 with a key", "POST", "/a", key, "503", "", "Send the same request with the same key", "3 times"},
		{"503 of a deletion", "DELETE", "/a", "", "503", "", "Repeat it; the end is the same", "3 times"},
		{"4XX", "GET", "/a", "", "4XX", problem, "Correct the request by `detail` and `errors`; at 401 or 403 get valid credentials", "after the correction"},
		{"a status nobody knows", "GET", "/a", "", "499", "", "Correct the request by the inputs above, or tell the user", "after the correction"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := "{description: no"
			if c.answer != "" {
				answer += ", " + c.answer
			}
			op := one(t, c.method, c.path, "{"+c.more+"responses: {'200': {description: ok}, '"+c.status+"': "+answer+"}}}",
				"components: {securitySchemes: {b: {type: http, scheme: bearer}, k: {type: apiKey, in: header, name: K}}}")
			rows := view(t, op).Errors.Rows
			if len(rows) != 2 || rows[1].Status != "other, or no answer" {
				t.Fatalf("rows: %+v", rows)
			}
			if got := string(rows[0].Do); got != c.do {
				t.Errorf("do: %s\nwant %s", got, c.do)
			}
			if got := string(rows[0].Retry); got != c.retry {
				t.Errorf("retry: %s\nwant %s", got, c.retry)
			}
		})
	}
}

func TestPagesAreInferredFromNames(t *testing.T) {
	query := func(names ...string) string {
		var p []string
		for _, n := range names {
			p = append(p, "{name: "+n+", in: query, schema: {type: integer}}")
		}
		return "parameters: [" + strings.Join(p, ", ") + "], "
	}
	answer := func(members, headers string) string {
		return "responses: {'200': {description: ok, headers: {" + headers + "}, content: {application/json: {schema: {type: object, properties: {" + members + "}}}}}}"
	}
	items := "data: {type: array, items: {type: object}}"
	for _, c := range []struct{ name, operation, heading, text string }{
		{"cursor", query("cursor", "limit") + answer(items+", next_cursor: {type: [string, 'null']}", ""),
			"Pages (inferred from `cursor`, `next_cursor`)", "Send the same request again with `cursor` set to `next_cursor`. Stop when `next_cursor` is `null`; a short or empty page is not the end. Ask for more or less at once with `limit`."},
		{"token", query("pageToken") + answer(items+", nextPageToken: {type: string}", ""),
			"Pages (inferred from `pageToken`, `nextPageToken`)", "Stop when `nextPageToken` is `null`, empty or absent"},
		{"in an envelope", query("after") + answer(items+", paging: {type: object, properties: {next: {type: string}}}", ""),
			"Pages (inferred from `after`, `paging.next`)", "`after` set to `paging.next`"},
		{"more, and the last id", query("starting_after") + answer(items+", has_more: {type: boolean}", ""),
			"Pages (inferred from `starting_after`, `has_more`)", "set to the id of the last item received. Stop when `has_more` is `false`."},
		{"link header", query("per_page") + answer(items, "Link: {schema: {type: string}}"),
			"Pages (inferred from `Link`)", "Follow the URL with `rel=\"next\"` in the header `Link`. Stop when there is none"},
		{"page", query("page") + answer(items, ""), "Pages (inferred from `page`)", "`page` one higher. Stop at an empty list."},
		{"offset", query("offset", "limit") + answer(items, ""), "Pages (inferred from `offset`)", "raised by the number of items received"},
		{"page of so many", query("page") + answer(items+", total_pages: {type: integer}, total: {type: integer}", ""),
			"Pages (inferred from `page`, `total_pages`)", "one higher. Stop after as many pages as `total_pages` says, or at an empty list."},
		{"page, and whether there is more", query("page") + answer(items+", has_more: {type: boolean}", ""),
			"Pages (inferred from `page`, `has_more`)", "Stop when `has_more` is `false`."},
		{"offset into so many", query("offset") + answer(items+", meta: {type: object, properties: {total: {type: integer}}}", ""),
			"Pages (inferred from `offset`, `meta.total`)", "Stop when as many items as `meta.total` says were received, or at an empty list."},
		{"rate limits", query("page") + answer(items, "RateLimit-Remaining: {schema: {type: integer}}, RateLimit-Reset: {schema: {type: integer}}"),
			"Pages (inferred from `page`, `RateLimit-Remaining`)", "At `RateLimit-Remaining: 0`, wait as `RateLimit-Reset` says."},
		{"no list, no pages", query("page") + answer("name: {type: string}", ""), "", ""},
		{"a cursor without a next one", query("cursor") + answer(items, ""), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := view(t, one(t, "GET", "/a", "{"+c.operation+"}", "")).Behaviour
			if c.heading == "" {
				if len(b) > 0 {
					t.Errorf("pages out of nothing: %v", b)
				}
				return
			}
			if len(b) != 1 || string(b[0].Heading) != c.heading || !strings.Contains(string(b[0].Text), c.text) {
				t.Errorf("got %v\nwant %s: %s", b, c.heading, c.text)
			}
		})
	}
}

func TestPollingIsInferredFromStatesAndRetryAfter(t *testing.T) {
	job := "content: {application/json: {schema: {type: object, properties: {status: {type: string, enum: [%s]}, error: {type: string}}}}}"
	wait := "headers: {Retry-After: {schema: {type: integer}}}, "
	for _, c := range []struct{ name, answer, want string }{
		{"states and header", wait + fmt.Sprintf(job, "queued, succeeded, failed"), "`succeeded` and `failed` are the end. Otherwise wait `Retry-After` seconds (5 if it is absent) and ask again. On `failed`, report `error` to the user."},
		{"no header", fmt.Sprintf(job, "queued, succeeded"), ""},
		{"nothing that goes on", wait + fmt.Sprintf(job, "succeeded, failed"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, b := range view(t, one(t, "GET", "/jobs/{id}", "{responses: {'200': {description: ok, "+c.answer+"}}}", "")).Behaviour {
				got += string(b.Text)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
