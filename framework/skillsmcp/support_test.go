package skillsmcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/apiskills/apiskills/framework"
)

// shelf is a generator of thirty skills about books, a guide to them, and some
// that misbehave, which it does not enumerate.
type shelf struct {
	framework.PathList
	changed func(string)
	waiting chan struct{} // gets a value when the skill "hangs" is being made
}

func newShelf() *shelf {
	s := &shelf{waiting: make(chan struct{}, 1)}
	for i := range 30 {
		s.PathList = append(s.PathList, fmt.Sprintf("books/read-book-%02d", i))
	}
	s.PathList = append(s.PathList, "live", "shelf-guide")
	slices.Sort(s.PathList)
	return s
}

func (s *shelf) Featured(context.Context) ([]string, error) { return []string{"shelf-guide"}, nil }

func (s *shelf) Templates(context.Context) ([]framework.Template, error) {
	return []framework.Template{{Path: "books/{name}", Name: "book", Description: "What to do with a book"}}, nil
}

func (s *shelf) Watch(ctx context.Context, changed func(string)) error {
	s.changed = changed
	s.waiting <- struct{}{}
	<-ctx.Done()
	return nil
}

func (s *shelf) Skill(ctx context.Context, path string) (*framework.Skill, error) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	text := fmt.Sprintf("---\nname: %s\ndescription: What to do with \"%s\" <& more>\n---\n# %s\n\tSee [the notes](references/notes.md).\n", name, name, name)
	skill := &framework.Skill{Version: "1", Files: []framework.File{
		framework.TextFile("SKILL.md", text),
		framework.TextFile("references/notes.md", "Line one\nline \"two\"\u2028 ünïcode\x01\n"),
		{Name: "assets/cover.bin", Content: func(context.Context) ([]byte, error) { return []byte{0xff, 0, 1, 2}, nil }},
	}}
	switch {
	case path == "panics":
		panic("no such shelf")
	case path == "fails":
		return nil, errors.New("the database password is hunter2")
	case path == "hangs":
		s.waiting <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	case path == "misnamed":
		skill.Files[0] = framework.TextFile("SKILL.md", "---\nname: other\ndescription: x\n---\n")
		return skill, nil
	case path == "live":
		skill.Dynamic = true
		return skill, nil
	case slices.Contains(s.PathList, path):
		return skill, nil
	}
	return nil, framework.ErrNotFound
}

// newCatalog returns a catalog of a shelf at "shelf".
func newCatalog(t testing.TB, g framework.Generator) *framework.Catalog {
	t.Helper()
	c, err := framework.NewCatalog(
		[]framework.Mount{{Prefix: "shelf", Generator: g}},
		&framework.Options{PageSize: 12, Logger: discard},
	)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var discard = slog.New(slog.DiscardHandler)

// newServer returns a binding of a catalog of a shelf, in front of an mcp-go
// server with tools, prompts and resources of its author's.
func newServer(t testing.TB, opts *Options) *Binding {
	t.Helper()
	c := newCatalog(t, newShelf())
	return bind(t, c, opts)
}

func bind(t testing.TB, c *framework.Catalog, opts *Options, more ...server.ServerOption) *Binding {
	t.Helper()
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Logger == nil {
		o.Logger = discard
	}
	s := server.NewMCPServer("shelf", "1.2.3", append(more, ServerOptions(c, &o)...)...)
	s.AddTool(mcp.NewTool("greet", mcp.WithString("name")), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r.GetString("name", "") == "panic" {
			panic("the tool's own secret")
		}
		return mcp.NewToolResultText("hello " + r.GetString("name", "you")), nil
	})
	s.AddPrompt(mcp.NewPrompt("ask"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return mcp.NewGetPromptResult("ask", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("why?"))}), nil
	})
	s.AddResource(mcp.NewResource("note://today", "today"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "note://today", Text: "sunny"}}, nil
	})
	b, err := New(c, s, &o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	modernVersion = mcp.ProtocolVersion20260728
	guideURI      = "skill://shelf/shelf-guide/SKILL.md"
	bookURI       = "skill://shelf/books/read-book-07/SKILL.md"
)

// modernMeta is the _meta of a modern request.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + modernVersion + `","io.modelcontextprotocol/clientCapabilities":{}}`

// modern returns a modern request over HTTP. The members are those of its
// params, beside _meta.
func modern(method, members string) *http.Request {
	if members != "" {
		members += ","
	}
	r := post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, members, modernMeta))
	r.Header.Set("Mcp-Protocol-Version", modernVersion)
	r.Header.Set("Mcp-Method", method)
	var p struct{ URI string }
	if json.Unmarshal([]byte("{"+strings.TrimSuffix(members, ",")+"}"), &p) == nil && p.URI != "" {
		name, _ := mcp.EncodeHeaderValue(p.URI)
		r.Header.Set("Mcp-Name", name)
	}
	return r
}

// legacy returns a request of the initialize era over HTTP, of a session that
// needs no handshake.
func legacy(method, members string) *http.Request {
	r := post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, members))
	r.Header.Set("Mcp-Session-Id", new(server.StatelessGeneratingSessionIdManager).Generate())
	r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	return r
}

func post(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return r
}

// message is a JSON-RPC response.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// code is the code of the error, or 0.
func (m *message) code() int {
	if m.Error == nil {
		return 0
	}
	return m.Error.Code
}

// result decodes the result.
func result[T any](t testing.TB, m *message) (v T) {
	t.Helper()
	if m.Error != nil {
		t.Fatalf("error %d: %s", m.Error.Code, m.Error.Message)
	}
	if err := json.Unmarshal(m.Result, &v); err != nil {
		t.Fatalf("result %s: %v", m.Result, err)
	}
	return v
}

// do sends r to h and decodes the response.
func do(t testing.TB, h http.Handler, r *http.Request) (*httptest.ResponseRecorder, *message) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var m message
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
		t.Fatalf("status %d, body %q: %v", w.Code, w.Body, err)
	}
	return w, &m
}

// logged is a log that a test can read.
type logged struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newLog() (*logged, *slog.Logger) {
	l := new(logged)
	return l, slog.New(slog.NewTextHandler(l, nil))
}

var _ io.Writer = (*logged)(nil)
