package skillsmcp

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/apiskills/apiskills/framework"
)

// TestServerMayHaveAFurtherExtensionAndSubscriptions is about what mcp-go keeps
// the last of, and the server's own hooks, which it does too.
func TestServerMayHaveAFurtherExtensionAndSubscriptions(t *testing.T) {
	asked := 0
	hooks := &server.Hooks{}
	hooks.AddBeforeAny(func(_ context.Context, _ any, _ mcp.MCPMethod, _ any) { asked++ })
	c := newCatalog(t, newShelf())
	options := append([]server.ServerOption{server.WithHooks(hooks)}, ServerOptions(c, nil)...)
	s := server.NewMCPServer("test", "1", append(options,
		server.WithExtensions(map[string]any{ExtensionID: map[string]any{"directoryRead": true}, "com.example/own": map[string]any{}}),
		server.WithResourceCapabilities(true, true),
	)...)
	b, err := New(c, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, modern("server/discover", ""))
	for _, want := range []string{`"com.example/own":{}`, `"` + ExtensionID + `":{"directoryRead":true}`, `"subscribe":true`, guideURI} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s in %s", want, w.Body)
		}
	}
	if asked != 2 { // by New, and now
		t.Errorf("the hooks saw %d calls", asked)
	}
}

func TestBindingThatLacksWhatItNeedsSaysSo(t *testing.T) {
	c := newCatalog(t, newShelf())
	for says, made := range map[string]func() (*Binding, error){
		"needs a catalog": func() (*Binding, error) {
			return New(nil, server.NewMCPServer("a", "1", ServerOptions(nil, nil)...), nil)
		},
		"an mcp-go server":   func() (*Binding, error) { return New(c, nil, nil) },
		"with skillsmcp.Ser": func() (*Binding, error) { return New(c, server.NewMCPServer("a", "1"), nil) },
	} {
		if b, err := made(); err == nil || b != nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, %v, want an error that says %q", b, err, says)
		}
	}
	var zero framework.Catalog
	b, err := New(&zero, server.NewMCPServer("a", "1", ServerOptions(&zero, nil)...), nil)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, modern("skills/list", ""))
	if !strings.Contains(w.Body.String(), `"skills":[]`) {
		t.Errorf("the zero catalog lists %s", w.Body)
	}
}
