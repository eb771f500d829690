package command

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A document at a URL is asked for with its ETag, and served anew only if that
// changed.
func TestDocumentAtAURLIsReadAnewOnlyIfItsETagChanged(t *testing.T) {
	const doc = `{"openapi":"3.0.3","info":{"title":"Shop","version":"1"},"servers":[{"url":"https://shop.example"}],
		"paths":{"/a":{"get":{"summary":"SUMMARY","responses":{"200":{"description":"ok"}}}}}}`
	var summary atomic.Value
	summary.Store("First")
	var sent atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+summary.Load().(string)+`"`)
		if r.Header.Get("If-None-Match") != w.Header().Get("ETag") {
			sent.Add(1)
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(strings.Replace(doc, "SUMMARY", summary.Load().(string), 1)))
	}))
	defer server.Close()

	a := program.newApp(strings.NewReader(""), io.Discard, io.Discard)
	flags := a.serveCommand().Flags()
	if err := flags.Parse([]string{"--allow-private"}); err != nil {
		t.Fatal(err)
	}
	s, err := a.configure(flags, []string{"shop=" + server.URL + "/openapi.json"})
	if err != nil {
		t.Fatal(err)
	}
	sh, err := a.newShelf(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := sh.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	description := func() string {
		e, err := sh.catalog.Get(t.Context(), "skill://shop/a/get-a/SKILL.md")
		if err != nil {
			t.Fatal(err)
		}
		return e.Frontmatter.Description
	}
	revalidate := func() {
		src, read, err := sh.open(t.Context(), 0, s, true)
		sh.take(t.Context(), 0, src, read, err)
	}
	before := sh.sources()[0].generator
	revalidate()
	if sent.Load() != 1 || sh.sources()[0].generator != before || !strings.HasPrefix(description(), "First") {
		t.Errorf("sent %d times; %q", sent.Load(), description())
	}
	summary.Store("Second")
	revalidate()
	if sent.Load() != 2 || !strings.HasPrefix(description(), "Second") {
		t.Errorf("sent %d times; %q", sent.Load(), description())
	}
	server.Close() // what was read is served on
	revalidate()
	if lines, done := sh.status(true); !strings.HasPrefix(description(), "Second") || !done || !strings.HasPrefix(lines[0], "ready, but not") {
		t.Errorf("%q, %q", description(), lines)
	}
}
