package skillsmcp

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDecodeEnvelopeKeepsIDsAsTheyCame(t *testing.T) {
	for _, id := range []string{`1`, `-0`, `9007199254740993`, `1.50`, `1e3`, `"a\u0062\"c"`, `""`, `[1]`, `{}`, `false`} {
		env, ok := decodeEnvelope([]byte(`{"id": ` + id + ` ,"jsonrpc":"2.0","method":"m"}`))
		if !ok || string(env.id) != id {
			t.Errorf("id %s is read as %s, %v", id, env.id, ok)
		}
	}
}

func TestDecodeEnvelopeRefusesWhatReadersUnderstandDifferently(t *testing.T) {
	for name, data := range map[string]string{
		"method twice":             `{"jsonrpc":"2.0","id":1,"method":"a","method":"skills/get"}`,
		"method twice, escaped":    `{"jsonrpc":"2.0","id":1,"method":"a","m\u0065thod":"skills/get"}`,
		"id twice":                 `{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}`,
		"uri twice":                `{"jsonrpc":"2.0","id":1,"method":"a","params":{"uri":"a","uri":"b"}}`,
		"version twice":            `{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"a","io.modelcontextprotocol/protocolVersion":"b"}}}`,
		"member in another case":   `{"jsonrpc":"2.0","ID":1,"method":"a"}`,
		"member with a long s":     `{"j\u017fonrpc":"2.0","id":1,"method":"a"}`,
		"uri in another case":      `{"jsonrpc":"2.0","id":1,"method":"a","params":{"Uri":"a"}}`,
		"method that is no string": `{"jsonrpc":"2.0","id":1,"method":1}`,
		"version is no string":     `{"jsonrpc":2.0,"id":1,"method":"a"}`,
		"batch":                    `[{"jsonrpc":"2.0","id":1,"method":"a"}]`,
		"trailing data":            `{"jsonrpc":"2.0","id":1,"method":"a"}{}`,
		"trailing comma":           `{"jsonrpc":"2.0","id":1,"method":"a",}`,
		"control character":        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\x01\"}",
		"bad escape":               `{"jsonrpc":"2.0","id":1,"method":"\x"}`,
		"leading zero":             `{"jsonrpc":"2.0","id":01,"method":"a"}`,
		"too deep":                 `{"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
		"cut off":                  `{"jsonrpc":"2.0","id":1,"method":"a"`,
		"empty":                    ``,
	} {
		if env, ok := decodeEnvelope([]byte(data)); ok {
			t.Errorf("%s: accepted as %+v", name, env)
		}
	}
}

// FuzzEnvelope holds the decoder against encoding/json, with which mcp-go reads
// the same bytes: what the decoder accepts, both must understand alike.
func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"skills/get","params":{"uri":"skill://a/SKILL.md",` + modernMeta + `}}`,
		` { "id" : "\ud800x" , "params" : { "cursor" : null , "uri" : "\u00e4\n" , "_meta" : { } } } `,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.5e3}}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"error":null}`,
		`{"id":{"a":[true,false,null,-1.5E+7]},"x":"\\\/\b\f\r\t"}`,
		`{"params":[]}`, `{"params":"x"}`, `{"params":null}`, `{"id":null}`, "{\"method\":\"\xff\"}", `{"Method":"a"}`, `[]`, `{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		env, ok := decodeEnvelope(data)
		if !ok {
			return
		}
		var want struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Method  string          `json:"method"`
			Result  json.RawMessage `json:"result"`
			Error   json.RawMessage `json:"error"`
			Params  json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("accepted %q, but: %v", data, err)
		}
		null := func(raw json.RawMessage) string {
			if string(raw) == "null" {
				return ""
			}
			return string(raw)
		}
		if env.version != want.JSONRPC || env.method != want.Method ||
			string(env.id) != null(want.ID) || string(env.result) != null(want.Result) || string(env.fault) != null(want.Error) {
			t.Fatalf("%q: read %+v, want %+v", data, env, want)
		}
		var p struct {
			URI       any             `json:"uri"`
			Cursor    any             `json:"cursor"`
			RequestID json.RawMessage `json:"requestId"`
			Meta      any             `json:"_meta"`
		}
		if env.params.kind != kindObject {
			if env.params.uri.kind != kindAbsent || env.params.cursor.kind != kindAbsent {
				t.Fatalf("%q: params that are no object have members", data)
			}
			return
		}
		if err := json.Unmarshal(want.Params, &p); err != nil {
			t.Fatalf("%q: params: %v", data, err)
		}
		same := func(name string, got text, want any) {
			s, isString := want.(string)
			if (got.kind == kindString) != isString || got.value != s {
				t.Fatalf("%q: %s is read as %+v, want %v", data, name, got, want)
			}
			if got.missing() != (want == nil) {
				t.Fatalf("%q: %s: missing is %v, want %v", data, name, got.missing(), want == nil)
			}
			if isString && string(data[got.pos:got.pos+len(got.raw)]) != string(got.raw) {
				t.Fatalf("%q: %s is not at %d", data, name, got.pos)
			}
		}
		same("uri", env.params.uri, p.URI)
		same("cursor", env.params.cursor, p.Cursor)
		if string(env.params.requestID) != null(p.RequestID) {
			t.Fatalf("%q: requestId is read as %s, want %s", data, env.params.requestID, p.RequestID)
		}
		meta, _ := p.Meta.(map[string]any)
		same("protocolVersion", env.params.protocolVersion, meta[metaProtocolVersion])
		if (env.params.capabilities != nil) != (meta[metaClientCapabilities] != nil) {
			t.Fatalf("%q: clientCapabilities are read as %s, want %v", data, env.params.capabilities, meta[metaClientCapabilities])
		}
	})
}

// FuzzString holds appendString against encoding/json: what it writes must be
// read as the same string.
func FuzzString(f *testing.F) {
	f.Add("plain")
	f.Add("\"\\/\b\f\n\r\t\x00\x1f\u2028 ünï 😀")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		var got string
		if err := json.Unmarshal(appendString(nil, s), &got); err != nil || got != s {
			t.Errorf("%q is written as %s, read as %q: %v", s, appendString(nil, s), got, err)
		}
	})
}
