package command

import (
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestOneTokenThatIsKnownLetsARequestPass(t *testing.T) {
	const good, other = "good-token-0123456789", "other-token-0123456789"
	all := callers{sha256.Sum256([]byte(good)): {name: "good"}, sha256.Sum256([]byte(other)): {name: "other"}}
	h := all.only(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, test := range []struct {
		what, method string
		header       http.Header
		want         int
	}{
		{"a token", "POST", http.Header{"Authorization": {"Bearer " + good}}, 200},
		{"another spelling", "POST", http.Header{"Authorization": {"bearer  " + good + " "}}, 200},
		{"no header", "POST", nil, 401},
		{"no token", "POST", http.Header{"Authorization": {"Bearer"}}, 401},
		{"an empty token", "POST", http.Header{"Authorization": {"Bearer "}}, 401},
		{"the digest of a token", "POST", http.Header{"Authorization": {"Bearer " + string(func() []byte { d := sha256.Sum256([]byte(good)); return d[:] }())}}, 401},
		{"another scheme", "POST", http.Header{"Authorization": {"Basic " + good}}, 401},
		{"two tokens", "POST", http.Header{"Authorization": {"Bearer " + good, "Bearer " + other}}, 401},
		{"two tokens in one", "POST", http.Header{"Authorization": {"Bearer " + good + ", Bearer " + other}}, 401},
		{"what a browser asks first", "OPTIONS", http.Header{"Origin": {"https://example.com"}, "Access-Control-Request-Method": {"POST"}}, 200},
		{"another OPTIONS", "OPTIONS", http.Header{"Origin": {"https://example.com"}}, 401},
		{"what only looks like it", "POST", http.Header{"Origin": {"https://example.com"}, "Access-Control-Request-Method": {"POST"}}, 401},
	} {
		r := httptest.NewRequest(test.method, "/mcp", nil)
		if r.Header = test.header; r.Header == nil {
			r.Header = http.Header{}
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != test.want {
			t.Errorf("%s: %d, want %d", test.what, w.Code, test.want)
		}
	}
}
