package skillsmcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/tracing"
)

// spans is a tracer that remembers what it was told.
type spans struct {
	mu  sync.Mutex
	log []string
}

func (s *spans) add(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, line)
}

type parentKey struct{}

func (s *spans) Start(ctx context.Context, name string, _ tracing.SpanKind, attrs ...tracing.Attribute) (context.Context, tracing.Span) {
	parent, _ := ctx.Value(parentKey{}).(string)
	s.add(strings.TrimSpace(name + " " + parent))
	return ctx, span{s, name}
}

func (s *spans) Inject(context.Context, http.Header) {}
func (s *spans) Extract(ctx context.Context, headers http.Header) context.Context {
	return context.WithValue(ctx, parentKey{}, headers.Get("Traceparent"))
}

type span struct {
	s    *spans
	name string
}

func (s span) SetAttributes(...tracing.Attribute)       {}
func (s span) RecordError(error)                        {}
func (s span) SetStatus(_ tracing.StatusCode, d string) { s.s.add("failed " + s.name) }
func (s span) End()                                     { s.s.add("end " + s.name) }

func TestEachCallHasASpanWhoeverAnswersIt(t *testing.T) {
	tracer := new(spans)
	h := newServer(t, &Options{Tracer: tracer, Propagator: tracer}).Handler()
	tracer.log = nil // of New
	for _, r := range []*http.Request{
		modern("skills/get", `"uri":"`+bookURI+`"`), modern("tools/list", ""), modern("skills/get", `"uri":"skill://shelf/none/SKILL.md"`),
	} {
		r.Header.Set("Traceparent", "trace-1")
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	want := []string{
		"mcp.skills/get trace-1", "end mcp.skills/get", "mcp.tools/list trace-1", "end mcp.tools/list",
		"mcp.skills/get trace-1", "failed mcp.skills/get", "end mcp.skills/get",
	}
	if !slices.Equal(tracer.log, want) {
		t.Errorf("%q\nwant %q", tracer.log, want)
	}
}

func TestEachCallIsTold(t *testing.T) {
	var calls []Call
	h := newServer(t, &Options{OnCall: func(_ context.Context, c *Call) { calls = append(calls, *c) }}).Handler()
	h.ServeHTTP(httptest.NewRecorder(), modern("skills/get", `"uri":"`+bookURI+`"`))
	h.ServeHTTP(httptest.NewRecorder(), modern("skills/get", `"uri":"skill://shelf/none/SKILL.md"`))
	h.ServeHTTP(httptest.NewRecorder(), modern("tools/list", ""))
	h.ServeHTTP(httptest.NewRecorder(), modern("no/such", ""))
	if len(calls) != 4 {
		t.Fatalf("%+v", calls)
	}
	for i, want := range []Call{
		{Method: "skills/get", URI: bookURI, Owned: true, Status: 200},
		{Method: "skills/get", URI: "skill://shelf/none/SKILL.md", Owned: true, Code: mcp.INVALID_PARAMS, Status: 400},
		{Method: "tools/list", Status: 200},
		{Method: "no/such", Status: 404},
	} {
		got := calls[i]
		if got.Owned && got.Bytes == 0 || got.Duration <= 0 {
			t.Errorf("%+v", got)
		}
		got.Bytes, got.Duration = 0, 0
		if got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

func TestOnCallThatPanicsHarmsNoCall(t *testing.T) {
	h := newServer(t, &Options{OnCall: func(context.Context, *Call) { panic("no") }}).Handler()
	for _, method := range []string{"skills/list", "tools/list"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, modern(method, ""))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"result"`) {
			t.Errorf("%s: %d %s", method, w.Code, w.Body)
		}
	}
}
