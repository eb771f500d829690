package ingest

import "testing"

func TestKeywordsThatTheLoaderLosesAreRewritten(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"const null", `{"const":null}`, `{"enum":[null]}`},
		{"an attribute of 3.2", `{"xml":{"nodeType":"attribute"}}`, `{"xml":{"attribute":true}}`},
		{"a wrapping element of 3.2", `{"type":"array","xml":{"name":"l","nodeType":"element"}}`, `{"type":"array","xml":{"name":"l","wrapped":true}}`},
		{"text of 3.2", `{"xml":{"nodeType":"text"}}`, `{"xml":{"x-apiskills-xml-node":"text"}}`},
	} {
		v, _ := small(t, mustLoad(t, "a.json", withSchema("3.2.0", tt.in, "{}")), "GET /a")
		if got := toJSON(at(v, answer)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
