package skillsmcp

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestHostAndOriginAreChecked(t *testing.T) {
	listed := &Options{AllowedHosts: []string{"api.example"}, AllowedOrigins: []string{"https://app.example"}}
	for _, test := range []struct {
		name         string
		opts         *Options
		loopback     bool
		host, origin string
		status       int
	}{
		{"no browser", nil, false, "api.example", "", 200},
		{"local name over loopback", nil, true, "localhost:8080", "", 200},
		{"IPv6 over loopback", nil, true, "[::1]:8080", "", 200},
		{"rebound name over loopback", nil, true, "evil.example", "", 403},
		{"name that begins like a local one", nil, true, "localhost.evil.example", "", 403},
		{"page of the host itself", nil, false, "api.example", "https://api.example", 200},
		{"page of another port", nil, false, "api.example", "https://api.example:8443", 403},
		{"page of another host", nil, false, "api.example", "https://evil.example", 403},
		{"local page over loopback", nil, true, "127.0.0.1:8080", "http://localhost:6274", 200},
		{"local page from afar", nil, false, "api.example", "http://localhost:6274", 403},
		{"opaque origin", nil, false, "api.example", "null", 403},
		{"origin of another scheme", nil, true, "localhost", "file://localhost", 403},
		{"listed host and page", listed, false, "api.example:443", "https://app.example", 200},
		{"listed host over loopback", listed, true, "API.example", "", 200},
		{"host that is not listed", listed, true, "localhost", "", 403},
		{"page that is not listed", listed, false, "api.example", "https://evil.example", 403},
		{"each page", &Options{AllowedOrigins: []string{"*"}}, false, "api.example", "https://evil.example", 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newServer(t, test.opts).Handler()
			for _, method := range []string{"skills/list", "tools/list"} { // owned and delegated
				make := func(c call) *http.Request { return modernCall(c) }
				if test.loopback {
					make = overLoopbackTo(make, test.host, "")
				}
				r := make(call{method: method})
				r.Host = test.host
				if test.origin != "" {
					r.Header.Set("Origin", test.origin)
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != test.status {
					t.Errorf("%s: status %d, want %d: %s", method, w.Code, test.status, w.Body)
				}
			}
		})
	}
}

func TestAllowedPagesGetTheHeadersOfCORS(t *testing.T) {
	h := newServer(t, &Options{AllowedOrigins: []string{"https://app.example"}}).Handler()
	for _, method := range []string{"skills/list", "tools/list"} {
		r := modern(method, "")
		r.Header.Set("Origin", "https://app.example")
		w, _ := do(t, h, r)
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != "https://app.example" {
			t.Errorf("%s: Access-Control-Allow-Origin %q", method, got)
		}
		if got := w.Header().Get("Vary"); got != "Origin" {
			t.Errorf("%s: Vary %q", method, got)
		}
	}
	r := httptest.NewRequest(http.MethodOptions, "/mcp", nil)
	r.Header.Set("Origin", "https://app.example")
	r.Header.Set("Access-Control-Request-Method", "POST")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Headers") == "" {
		t.Errorf("preflight: status %d, %v", w.Code, w.Header())
	}
	if w, _ := do(t, h, modern("skills/list", "")); w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Error("a request that names no origin gets the headers of CORS")
	}
}
