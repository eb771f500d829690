package skillsmcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"
)

// A call is one of a pair of requests that the transport should treat alike,
// one owned by this package and one delegated to mcp-go.
type call struct {
	method  string
	members string // of the params, beside _meta
	name    string // for Mcp-Name, if the method needs it
}

var pairs = map[string]struct{ owned, delegated call }{
	"list": {call{"skills/list", ``, ""}, call{"prompts/list", ``, ""}},
	"get":  {call{"skills/get", `"uri":"` + guideURI + `"`, ""}, call{"tools/list", `"uri":"` + guideURI + `"`, ""}},
	"read": {call{"resources/read", `"uri":"` + guideURI + `"`, guideURI}, call{"resources/read", `"uri":"note://today"`, "note://today"}},
}

// members joins the members of params, without empty ones.
func members(m ...string) string {
	return strings.Join(slices.DeleteFunc(m, func(s string) bool { return s == "" }), ",")
}

func modernCall(c call) *http.Request {
	r := modern(c.method, c.members)
	r.Header.Del("Mcp-Name")
	if c.name != "" {
		r.Header.Set("Mcp-Name", c.name)
	}
	return r
}

var oneSession = new(server.StatelessGeneratingSessionIdManager).Generate()

func legacyCall(c call) *http.Request {
	r := legacy(c.method, c.members)
	r.Header.Set("Mcp-Session-Id", oneSession)
	return r
}

// withHeader sets, or with "" deletes, a header.
func withHeader(make func(call) *http.Request, name, value string) func(call) *http.Request {
	return func(c call) *http.Request {
		r := make(c)
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
		return r
	}
}

// withBody replaces the body. In the format, $M is the method, $P the members
// of the params with a comma after them, $U the same without it, and $V the
// _meta member.
func withBody(make func(call) *http.Request, format string) func(call) *http.Request {
	return func(c call) *http.Request {
		r := make(c)
		comma := c.members
		if comma != "" {
			comma += ","
		}
		body := strings.NewReplacer("$M", c.method, "$P", comma, "$U", c.members, "$V", modernMeta).Replace(format)
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		return r
	}
}

func withMeta(meta string) func(call) *http.Request {
	return withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"_meta":`+meta+`}}`)
}

func withMetaMembers(version, capabilities string) func(call) *http.Request {
	return withMeta(`{` + members(version, capabilities) + `}`)
}

const (
	versionMember = `"io.modelcontextprotocol/protocolVersion":"` + modernVersion + `"`
	capsMember    = `"io.modelcontextprotocol/clientCapabilities":{}`
)

// caps is a modern call with these client capabilities.
func caps(value string) func(call) *http.Request {
	return withMetaMembers(versionMember, `"io.modelcontextprotocol/clientCapabilities":`+value)
}

// version is a modern call that declares a version in both places.
func version(v string) func(call) *http.Request {
	return withHeader(withMetaMembers(`"io.modelcontextprotocol/protocolVersion":"`+v+`"`, capsMember), "Mcp-Protocol-Version", v)
}

// overLoopbackTo is a call over a loopback connection, to a Host.
func overLoopbackTo(make func(call) *http.Request, host, origin string) func(call) *http.Request {
	return func(c call) *http.Request {
		r := make(c)
		r.Host = host
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}))
	}
}

func withMethod(make func(call) *http.Request, method string) func(call) *http.Request {
	return func(c call) *http.Request {
		r := make(c)
		r.Method = method
		if method != http.MethodPost {
			r.Body, r.ContentLength = http.NoBody, 0
		}
		return r
	}
}

const modernForm = `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P$V}}`

// envelopes are requests, good and bad. A difference between the answers to the
// owned and to the delegated one is named by pair ("*" for each), with its
// reason, or it is a fault.
var envelopes = []struct {
	name   string
	make   func(call) *http.Request
	differ map[string]string
}{
	{name: "modern", make: modernCall},
	{name: "legacy", make: legacyCall},

	{name: "modern, no content type", make: withHeader(modernCall, "Content-Type", "")},
	{name: "modern, plain text", make: withHeader(modernCall, "Content-Type", "text/plain")},
	{name: "modern, json with charset", make: withHeader(modernCall, "Content-Type", "application/json; charset=utf-8")},
	{name: "modern, JSON in capitals", make: withHeader(modernCall, "Content-Type", "Application/JSON")},
	{name: "modern, bad content type", make: withHeader(modernCall, "Content-Type", "application/json; =")},
	{name: "legacy, plain text", make: withHeader(legacyCall, "Content-Type", "text/plain")},
	{name: "modern, no accept", make: withHeader(modernCall, "Accept", "")},
	{name: "modern, accepts html", make: withHeader(modernCall, "Accept", "text/html")},
	{name: "legacy, accepts html", make: withHeader(legacyCall, "Accept", "text/html")},

	{name: "modern, no version header", make: withHeader(modernCall, "Mcp-Protocol-Version", "")},
	{name: "modern, another version header", make: withHeader(modernCall, "Mcp-Protocol-Version", "2026-07-29")},
	{name: "modern, legacy version header", make: withHeader(modernCall, "Mcp-Protocol-Version", "2025-06-18")},
	{name: "modern, nonsense version header", make: withHeader(modernCall, "Mcp-Protocol-Version", "x")},
	{name: "version of the future", make: version("2099-01-01")},
	{name: "version of the past in both", make: withHeader(version("2025-06-18"), "Mcp-Session-Id", oneSession)},
	{name: "version of the past in both, no session", make: version("2025-06-18")},
	{name: "nonsense version in both", make: withHeader(version("x"), "Mcp-Session-Id", oneSession)},
	{name: "legacy, no version header", make: withHeader(legacyCall, "Mcp-Protocol-Version", "")},
	{name: "legacy, 2025-03-26", make: withHeader(legacyCall, "Mcp-Protocol-Version", "2025-03-26")},
	{name: "legacy, 2025-11-25", make: withHeader(legacyCall, "Mcp-Protocol-Version", "2025-11-25")},
	{name: "legacy, unknown version", make: withHeader(legacyCall, "Mcp-Protocol-Version", "2020-01-01")},
	{name: "legacy, modern version header", make: withHeader(legacyCall, "Mcp-Protocol-Version", modernVersion)},

	{name: "modern, no meta", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$U}}`)},
	{name: "modern, meta null", make: withMeta(`null`)},
	{name: "modern, meta array", make: withMeta(`[]`)},
	{name: "modern, meta string", make: withMeta(`"x"`)},
	{name: "modern, no version", make: withMetaMembers("", capsMember)},
	{name: "modern, version null", make: withMetaMembers(`"io.modelcontextprotocol/protocolVersion":null`, capsMember)},
	{name: "modern, version number", make: withMetaMembers(`"io.modelcontextprotocol/protocolVersion":20260728`, capsMember)},
	{name: "modern, version escaped", make: withMetaMembers(`"io.modelcontextprotocol\/protocolVersion":"2026\u002d07-28"`, capsMember)},
	{name: "modern, no capabilities", make: withMetaMembers(versionMember, "")},
	{name: "modern, capabilities null", make: caps(`null`)},
	{name: "modern, capabilities array", make: caps(`[]`)},
	{name: "modern, capabilities string", make: caps(`"x"`)},
	{name: "modern, capabilities full", make: caps(`{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/skills":{}},"x":1}`)},
	{name: "modern, capabilities ill-typed", make: caps(`{"roots":true}`)},
	{name: "modern, further meta", make: withMetaMembers(versionMember, capsMember+`,"progressToken":7,"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"x":{"y":[1]}`)},
	{name: "modern, ill-typed client info", make: withMetaMembers(versionMember, capsMember+`,"io.modelcontextprotocol/clientInfo":7`)},
	{
		name: "modern, version twice", make: withMetaMembers(versionMember, versionMember+","+capsMember),
		differ: map[string]string{"*": "what is there twice may be read in two ways: the method is none of this package's"},
	},

	{name: "modern, no method header", make: withHeader(modernCall, "Mcp-Method", "")},
	{name: "modern, another method header", make: withHeader(modernCall, "Mcp-Method", "tools/call")},
	{name: "modern, method header in capitals", make: func(c call) *http.Request {
		return withHeader(modernCall, "Mcp-Method", strings.ToUpper(c.method))(c)
	}},
	{name: "legacy, another method header", make: withHeader(legacyCall, "Mcp-Method", "tools/call")},
	{name: "modern, no name header", make: withHeader(modernCall, "Mcp-Name", "")},
	{
		name: "modern, another name header", make: withHeader(modernCall, "Mcp-Name", "skill://other"),
		differ: map[string]string{"get": "a name header that is there must match, though the method does not need one"},
	},
	{
		name: "modern, bad base64 in the name header", make: withHeader(modernCall, "Mcp-Name", "=?base64?!?="),
		differ: map[string]string{"get": "as above"},
	},
	{name: "modern, name header in base64", make: func(c call) *http.Request {
		if c.name == "" {
			return modernCall(c)
		}
		return withHeader(modernCall, "Mcp-Name", "=?base64?"+base64.StdEncoding.EncodeToString([]byte(c.name))+"?=")(c)
	}},
	{name: "legacy, another name header", make: withHeader(legacyCall, "Mcp-Name", "skill://other")},
	{name: "modern, last event id", make: withHeader(modernCall, "Last-Event-ID", "7")},
	{name: "legacy, last event id", make: withHeader(legacyCall, "Last-Event-ID", "7")},

	{name: "modern, with a session", make: withHeader(modernCall, "Mcp-Session-Id", "nonsense")},
	{name: "legacy, no session", make: withHeader(legacyCall, "Mcp-Session-Id", "")},
	{name: "legacy, nonsense session", make: withHeader(legacyCall, "Mcp-Session-Id", "nonsense")},
	{name: "legacy, half a session", make: withHeader(legacyCall, "Mcp-Session-Id", "mcp-session-1")},

	{name: "no jsonrpc", make: withBody(modernCall, `{"id":1,"method":"$M","params":{$P$V}}`)},
	{name: "jsonrpc 1.0", make: withBody(modernCall, `{"jsonrpc":"1.0","id":1,"method":"$M","params":{$P$V}}`)},
	{name: "jsonrpc number", make: withBody(modernCall, `{"jsonrpc":2.0,"id":1,"method":"$M","params":{$P$V}}`)},
	{name: "jsonrpc null", make: withBody(modernCall, `{"jsonrpc":null,"id":1,"method":"$M","params":{$P$V}}`)},
	{name: "legacy, jsonrpc 1.0", make: withBody(legacyCall, `{"jsonrpc":"1.0","id":1,"method":"$M","params":{$U}}`)},
	{name: "no id", make: withBody(modernCall, `{"jsonrpc":"2.0","method":"$M","params":{$P$V}}`)},
	{name: "id null", make: withBody(modernCall, `{"jsonrpc":"2.0","id":null,"method":"$M","params":{$P$V}}`)},
	{name: "legacy, no id", make: withBody(legacyCall, `{"jsonrpc":"2.0","method":"$M","params":{$U}}`)},
	{name: "id string", make: withBody(modernCall, `{"jsonrpc":"2.0","id":"x","method":"$M","params":{$P$V}}`)},
	{name: "id fraction", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1.5,"method":"$M","params":{$P$V}}`)},
	{name: "id object", make: withBody(modernCall, `{"jsonrpc":"2.0","id":{},"method":"$M","params":{$P$V}}`)},
	{name: "id false", make: withBody(modernCall, `{"jsonrpc":"2.0","id":false,"method":"$M","params":{$P$V}}`)},
	{
		name: "id out of range", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1e999,"method":"$M","params":{$P$V}}`),
		differ: map[string]string{"*": "an id is echoed and never a number to this package"},
	},
	{name: "with a result", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P$V},"result":{}}`)},
	{name: "with a null result", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P$V},"result":null}`)},
	{name: "with an error", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P$V},"error":{"code":1}}`)},
	{name: "with further members", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P$V},"x":[{"y":null}]}`)},
	{name: "white space", make: withBody(modernCall, " \r\n\t{ \"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\" : \"$M\" , \"params\" : { $P $V } } \n")},
	{name: "method escaped", make: func(c call) *http.Request {
		return withBody(modernCall, strings.Replace(modernForm, "$M", strings.Replace(c.method, "/", `\u002f`, 1), 1))(c)
	}},
	{
		name: "method twice", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"$M","params":{$P$V}}`),
		differ: map[string]string{"*": "what is there twice may be read in two ways: the method is none of this package's"},
	},
	{
		name: "member in another case", make: withBody(modernCall, `{"jsonrpc":"2.0","ID":1,"method":"$M","params":{$P$V}}`),
		differ: map[string]string{"*": "mcp-go ignores the case of member names, JSON-RPC does not"},
	},

	{name: "empty body", make: withBody(modernCall, ``)},
	{name: "no JSON", make: withBody(modernCall, `hello`)},
	{name: "null", make: withBody(modernCall, `null`)},
	{name: "string", make: withBody(modernCall, `"x"`)},
	{name: "batch", make: withBody(modernCall, `[`+modernForm+`]`)},
	{name: "legacy, batch", make: withBody(legacyCall, `[{"jsonrpc":"2.0","id":1,"method":"$M","params":{$U}}]`)},
	{name: "cut off", make: withBody(modernCall, strings.TrimSuffix(modernForm, "}"))},
	{name: "trailing data", make: withBody(modernCall, modernForm+`{}`)},
	{name: "byte order mark", make: withBody(modernCall, "\ufeff"+modernForm)},
	{name: "not UTF-8", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":"$M","x":"`+"\xff"+`","params":{$P$V}}`)},
	{name: "control character", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":"$M","x":"`+"\x01"+`","params":{$P$V}}`)},
	{name: "nested deeply", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":"$M","x":`+strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)+`,"params":{$P$V}}`)},
	{name: "nested too deeply", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":"$M","x":`+strings.Repeat("[", 11_000)+strings.Repeat("]", 11_000)+`,"params":{$P$V}}`)},
	{name: "method is a number", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":7,"params":{$P$V}}`)},
	{name: "no method", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"params":{$P$V}}`)},

	{name: "modern, no params", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":"$M"}`)},
	{name: "modern, params array", make: withBody(modernCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":[]}`)},
	{
		name: "legacy, no params", make: withBody(legacyCall, `{"jsonrpc":"2.0","id":1,"method":"$M"}`),
		differ: map[string]string{"get": "the uri is missing, which tools/list does not need"},
	},
	{
		name: "legacy, params null", make: withBody(legacyCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":null}`),
		differ: map[string]string{"get": "the uri is missing, which tools/list does not need"},
	},
	{
		name: "legacy, params array", make: withBody(legacyCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":[]}`),
		differ: map[string]string{"list": "ill-typed params are -32602, to mcp-go -32600", "get": "the same"},
	},
	{name: "legacy, meta null", make: withBody(legacyCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"_meta":null}}`)},
	{name: "legacy, meta with a token", make: withBody(legacyCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"_meta":{"progressToken":1}}}`)},
	{
		name: "legacy, meta array", make: withBody(legacyCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"_meta":[]}}`),
		differ: map[string]string{"*": "ill-typed params are -32602, to mcp-go -32600"},
	},
	{
		name: "legacy, cursor number", make: withBody(legacyCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"cursor":7}}`),
		differ: map[string]string{"list": "ill-typed params are -32602, to mcp-go -32600", "get": "skills/get has no pages"},
	},
	{name: "legacy, cursor null", make: withBody(legacyCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"cursor":null}}`)},
	{name: "legacy, cursor empty", make: withBody(legacyCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"cursor":""}}`)},
	{name: "legacy, forged cursor", make: withBody(legacyCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"cursor":"!"}}`),
		differ: map[string]string{"get": "skills/get has no pages"}},
	{name: "legacy, further params", make: withBody(legacyCall, `{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"x":{"y":[1]}}}`)},

	{name: "local host", make: overLoopbackTo(modernCall, "localhost:8080", "")},
	{name: "local host by number", make: overLoopbackTo(legacyCall, "127.0.0.1:8080", "")},
	{name: "rebound host", make: overLoopbackTo(modernCall, "evil.example", "")},
	{name: "local page", make: overLoopbackTo(modernCall, "localhost:8080", "http://localhost:3000")},
	{name: "page of another origin", make: overLoopbackTo(modernCall, "localhost:8080", "https://evil.example")},
	{name: "legacy, page of another origin", make: overLoopbackTo(legacyCall, "localhost:8080", "https://evil.example")},
	{name: "origin null", make: overLoopbackTo(modernCall, "localhost:8080", "null")},

	{name: "PUT", make: withMethod(modernCall, http.MethodPut)},
	{name: "HEAD", make: withMethod(legacyCall, http.MethodHead)},
	{name: "OPTIONS", make: withMethod(legacyCall, http.MethodOptions)},
	{name: "modern GET", make: withMethod(modernCall, http.MethodGet)},
	{name: "modern DELETE", make: withMethod(modernCall, http.MethodDelete)},
	{name: "legacy DELETE", make: withMethod(legacyCall, http.MethodDelete)},
}

// TestOwnedMethodsAreValidatedAsDelegatedOnes sends the same envelopes, good
// and bad, to methods of this package and of mcp-go's. Status, headers, error
// code, id and, for a result, the members that the era adds must be the same.
func TestOwnedMethodsAreValidatedAsDelegatedOnes(t *testing.T) {
	h := newServer(t, nil).Handler()
	names := make(map[string]bool)
	for _, e := range envelopes {
		if names[e.name] {
			t.Errorf("two envelopes are named %q", e.name)
		}
		names[e.name] = true
		for pair, calls := range pairs {
			t.Run(e.name+"/"+pair, func(t *testing.T) {
				owned, delegated := outcome(h, e.make(calls.owned)), outcome(h, e.make(calls.delegated))
				reason, known := e.differ[pair]
				if !known {
					reason, known = e.differ["*"]
				}
				switch differs := owned != delegated; {
				case differs && !known:
					t.Errorf("owned:\n%s\ndelegated:\n%s", owned, delegated)
				case !differs && known:
					t.Errorf("no difference any more: %s", reason)
				}
			})
		}
	}
}

// outcome is what two answers must have in common.
func outcome(h http.Handler, r *http.Request) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var b strings.Builder
	fmt.Fprintf(&b, "status %d\n", w.Code)
	for _, name := range slices.Sorted(maps.Keys(w.Header())) {
		if name != "Content-Length" { // net/http adds it to short answers by itself
			fmt.Fprintf(&b, "%s: %s\n", name, w.Header()[name])
		}
	}
	var m message
	if json.Unmarshal(w.Body.Bytes(), &m) != nil {
		b.WriteString(w.Body.String())
		return b.String()
	}
	fmt.Fprintf(&b, "id %s, code %d\n", m.ID, m.code())
	var added struct {
		ResultType, CacheScope any
		TTLMs                  any
		Meta                   map[string]any `json:"_meta"`
	}
	if json.Unmarshal(m.Result, &added) == nil {
		fmt.Fprintf(&b, "resultType %v, ttlMs %v, cacheScope %v, _meta %v\n",
			added.ResultType, added.TTLMs != nil, added.CacheScope != nil, added.Meta)
	}
	return b.String()
}
