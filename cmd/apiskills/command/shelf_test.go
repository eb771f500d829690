package command

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
)

// A panickingSource cannot make a skill.
type panickingSource struct{ framework.PathList }

func (panickingSource) Skill(context.Context, string) (*framework.Skill, error) { panic("out of ink") }

// testShelf is a shelf of documents at paths, whose content is the name that
// their skills have, and "broken" if they cannot be read.
func testShelf(t *testing.T, paths ...string) *shelf {
	t.Helper()
	kind := NewKind("fake", "a file that has its name", struct{}{}, func(_ context.Context, src *Source, _ struct{}) (framework.Generator, error) {
		src.Uses(src.doc.Snippets)
		content, err := os.ReadFile(src.Path)
		if err != nil || string(content) == "broken" {
			return nil, errors.Join(errors.New("cannot be read"), err)
		}
		src.Name = string(content)
		return &fakeSource{[]string{"one"}}, nil
	})
	c := &config.Config{}
	c.MaxPages, c.PageSize = 48, 250
	for _, p := range paths {
		c.Documents = append(c.Documents, config.Document{Kind: "fake", Path: p})
	}
	s := &session{Config: c, log: slog.New(slog.DiscardHandler)}
	sh, err := (&Program{Kinds: []Kind{kind}}).newApp(nil, nil, io.Discard).newShelf(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := sh.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return sh
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readAnew(t *testing.T, sh *shelf, i int) {
	src, read, err := sh.open(t.Context(), i, sh.s, false)
	sh.take(t.Context(), i, src, read, err)
}

func (sh *shelf) prefixes() (names []string) {
	for _, src := range sh.sources() {
		names = append(names, src.prefix)
	}
	return names
}

func TestADocumentWaitsForANameThatAnotherOneHas(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, a, "north")
	write(t, b, "south")
	sh := testShelf(t, a, b)
	write(t, a, "south")
	readAnew(t, sh, 0)
	if got := sh.prefixes(); !slices.Equal(got, []string{"north", "south"}) {
		t.Fatalf("two documents of one name: %q", got)
	}
	if lines, _ := sh.status(true); !strings.Contains(lines[0], "not its last change") {
		t.Errorf("%q", lines)
	}
	write(t, b, "north")
	readAnew(t, sh, 1)
	if got := sh.prefixes(); !slices.Equal(got, []string{"south", "north"}) {
		t.Errorf("names that were exchanged: %q", got)
	}
	for _, uri := range []string{"skill://north/one/SKILL.md", "skill://south/one/SKILL.md"} {
		if _, err := sh.catalog.Get(t.Context(), uri); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
	write(t, a, "north")
	readAnew(t, sh, 0)
	write(t, b, "west")
	readAnew(t, sh, 1)
	if got := sh.prefixes(); !slices.Equal(got, []string{"north", "west"}) {
		t.Errorf("a name that is free now: %q", got)
	}
}

func TestWhatIsAnotherFileThanWasReadIsNoticedWithoutAnEvent(t *testing.T) {
	dir := t.TempDir()
	doc := filepath.Join(dir, "folder", "a")
	write(t, doc, "north")
	sh := testShelf(t, doc)
	snippets := filepath.Join(dir, "snippets")
	sh.slots[0].doc.Snippets = snippets
	w := &watcher{shelf: sh, dirty: map[int]bool{}, reading: map[int]bool{}}
	again := func() {
		t.Helper()
		readAnew(t, sh, 0)
		clear(w.dirty)
		if w.look() {
			t.Fatal("what was just read is marked")
		}
	}
	again()
	for _, step := range []struct {
		what   string
		change func() error
	}{
		{"a folder that is gone", func() error { return os.RemoveAll(filepath.Dir(doc)) }},
		{"a folder that is there again", func() error { write(t, doc, "west"); return nil }},
		{"a document that cannot be read", func() error { write(t, doc, "broken"); return nil }},
		{"the mode of a file", func() error { return os.Chmod(doc, 0o600) }},
		{"a snippet in a new folder", func() error { write(t, filepath.Join(snippets, "groups", "one.md"), "."); return nil }},
		{"a snippet that is gone", func() error { return os.RemoveAll(snippets) }},
	} {
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		if !w.look() {
			t.Errorf("%s is not noticed", step.what)
		}
		again()
	}
}

func TestASkillThatPanicsDoesNotEndTheProcessAfterAReload(t *testing.T) {
	got := versions(t.Context(), source{generator: panickingSource{[]string{"one"}}, prefix: "x"})
	if v, ok := got["x/one"]; !ok || v != "" {
		t.Errorf("%v", got)
	}
}

func TestADocumentThatPanicsIsOneThatCannotBeRead(t *testing.T) {
	doc := filepath.Join(t.TempDir(), "a")
	write(t, doc, "north")
	sh := testShelf(t, doc)
	sh.a.kinds = []Kind{{name: "fake", open: func(context.Context, *Source) (framework.Generator, error) { panic("torn") }}}
	readAnew(t, sh, 0)
	if got := sh.prefixes(); !slices.Equal(got, []string{"north"}) {
		t.Errorf("%q", got)
	}
}

// A slowSource yields no path before it may.
type slowSource struct {
	fakeSource
	begun, may chan struct{}
}

func TestASearchHoldsUpNoChange(t *testing.T) {
	begun, may := make(chan struct{}), make(chan struct{})
	slow := &slowSource{fakeSource{[]string{"one"}}, begun, may}
	catalog, err := framework.NewCatalog([]framework.Mount{{Prefix: "slow", Generator: slow}}, &framework.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	f := &finder{catalog: catalog}
	catalog.OnChange(f.forget)
	type result struct {
		found []foundSkill
		err   error
	}
	done := make(chan result)
	go func() {
		found, err := f.find(t.Context(), "two", 10)
		done <- result{found, err}
	}()
	<-begun // the search waits for the source
	if err := catalog.SetMounts([]framework.Mount{{Prefix: "quick", Generator: &fakeSource{[]string{"two"}}}}); err != nil {
		t.Fatal(err)
	}
	close(may)
	if r := <-done; r.err != nil || len(r.found) != 1 || r.found[0].URI != "skill://quick/two/SKILL.md" {
		t.Errorf("a search that a change came between: %v", r)
	}
}

func (s *slowSource) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		close(s.begun)
		<-s.may
		for p, err := range s.fakeSource.Paths(ctx, after) {
			if !yield(p, err) {
				return
			}
		}
	}
}

func TestRefusedSkillsTakeNoPlaceInASearch(t *testing.T) {
	x := newIndex()
	for _, p := range []string{"a/one", "b/one", "c/one"} {
		x.add(p, "zebra")
	}
	if got := x.rank("zebra", 1, func(path string) bool { return path == "c/one" }); !slices.Equal(got, []string{"c/one"}) {
		t.Errorf("%q", got)
	}
}
