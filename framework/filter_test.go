package framework

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"
)

// able is a generator with each ability, and one that this package does not know.
type able struct {
	*memory
	tag         string
	featured    []string
	diagnostics []Diagnostic
	templates   []Template
	tell        []string // what Watch tells
}

func (g *able) Featured(context.Context) ([]string, error)    { return g.featured, nil }
func (g *able) Templates(context.Context) ([]Template, error) { return g.templates, nil }
func (g *able) Tag() string                                   { return g.tag }

func (g *able) Diagnostics(context.Context) iter.Seq[Diagnostic] { return slices.Values(g.diagnostics) }

func (g *able) Watch(ctx context.Context, changed func(string)) error {
	for _, path := range g.tell {
		changed(path)
	}
	<-ctx.Done()
	return nil
}

func (g *able) Summaries(ctx context.Context) iter.Seq2[Summary, error] {
	return func(yield func(Summary, error) bool) {
		for p, err := range g.Paths(ctx, "") {
			if !yield(Summary{p, g.tag + " says " + p}, err) {
				return
			}
		}
	}
}

func ableOf(tag string, paths ...string) *able {
	g := &able{memory: memoryOf(paths...), tag: tag}
	for p, s := range g.skills {
		s.Version = "v1"
		s.Files = append(s.Files, TextFile("from.txt", tag))
		g.featured = append(g.featured, p)
		g.diagnostics = append(g.diagnostics, Diagnostic{Rule: "about-" + tag, Skill: p})
		g.tell = append(g.tell, p)
	}
	slices.Sort(g.featured)
	slices.Sort(g.tell)
	slices.SortFunc(g.diagnostics, func(a, b Diagnostic) int { return cmp.Compare(a.Skill, b.Skill) })
	return g
}

// bare hides all abilities but that which tells generators apart.
type bare struct{ Generator }

// lookups are what is found by each ability of a generator, so that wrappers can
// be held against what they wrap.
func lookups(g Generator) map[string]bool {
	_, lister := As[Lister](g)
	_, featurer := As[Featurer](g)
	_, watcher := As[Watcher](g)
	_, diagnoser := As[Diagnoser](g)
	_, templater := As[Templater](g)
	_, summarizer := As[Summarizer](g)
	_, tagger := As[interface{ Tag() string }](g)
	return map[string]bool{"Lister": lister, "Featurer": featurer, "Watcher": watcher, "Diagnoser": diagnoser,
		"Templater": templater, "Summarizer": summarizer, "Tag": tagger}
}

func paths(t testing.TB, g Generator, after string) []string {
	t.Helper()
	lister, ok := As[Lister](g)
	if !ok {
		t.Fatal("it is no Lister")
	}
	var all []string
	for p, err := range lister.Paths(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func diagnosed(t testing.TB, g Generator) []Diagnostic {
	t.Helper()
	d, ok := As[Diagnoser](g)
	if !ok {
		t.Fatal("it is no Diagnoser")
	}
	return slices.Collect(d.Diagnostics(t.Context()))
}

func summaries(t testing.TB, g Generator) (all []Summary) {
	t.Helper()
	s, ok := As[Summarizer](g)
	if !ok {
		t.Fatal("it is no Summarizer")
	}
	for s, err := range s.Summaries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// told returns what a Watcher tells at its start.
func told(t testing.TB, g Generator, n int) (all []string) {
	t.Helper()
	w, ok := As[Watcher](g)
	if !ok {
		t.Fatal("it is no Watcher")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said := make(chan string, 64)
	done := make(chan error)
	go func() { done <- w.Watch(ctx, func(path string) { said <- path }) }()
	for range n {
		all = append(all, <-said)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	close(said)
	for path := range said {
		t.Errorf("it also told of %q", path)
	}
	slices.Sort(all)
	return all
}

func content(t testing.TB, s *Skill, name string) string {
	t.Helper()
	i := slices.IndexFunc(s.Files, func(f File) bool { return f.Name == name })
	if i < 0 {
		return "(no file " + name + ")"
	}
	b, err := s.Files[i].Content(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// custom is a wrapper as an author outside of this package writes it: it changes
// one ability by the convention of Unwrapper.
type custom struct{ Generator }

func (c *custom) Unwrap() Generator { return c.Generator }

func (c *custom) As(target any) bool {
	featurer, ok := target.(*Featurer)
	if !ok {
		return false
	}
	if _, ok = As[Featurer](c.Generator); ok {
		*featurer = featuring{paths: []string{"mine"}}
	}
	return ok
}

func TestWrapperHasTheAbilitiesOfWhatItWrapsAndNoOthers(t *testing.T) {
	wrappers := map[string]func(Generator) Generator{
		"custom":  func(g Generator) Generator { return &custom{g} },
		"filter":  func(g Generator) Generator { return Filter(g, func(string) bool { return true }) },
		"timeout": func(g Generator) Generator { return WithTimeout(g, time.Minute) },
		"overlay": func(g Generator) Generator { return Overlay(g, g) },
		"patched": func(g Generator) Generator { return &patched{g, nil} },
	}
	for name, wrap := range wrappers {
		for _, g := range []Generator{ableOf("x", "a"), bare{ableOf("x", "a")}, memoryOf("a"), templating{memoryOf("a"), byGroup}} {
			for _, wrapped := range []Generator{wrap(g), wrap(wrap(g))} {
				got, want := lookups(wrapped), lookups(g)
				for ability := range want {
					if got[ability] != want[ability] {
						t.Errorf("%s of %T: %s is %v, and is %v without it", name, g, ability, got[ability], want[ability])
					}
				}
			}
		}
		if tagged, ok := As[interface{ Tag() string }](wrap(ableOf("x", "a"))); !ok || tagged.Tag() != "x" {
			t.Errorf("%s does not pass on an ability that it does not know", name)
		}
	}
	if f, _ := As[Featurer](Filter(&custom{ableOf("x", "a")}, func(string) bool { return true })); f == nil {
		t.Error("no Featurer")
	} else if paths, _ := f.Featured(t.Context()); !slices.Equal(paths, []string{"mine"}) {
		t.Errorf("the wrapper inside was passed over: %q", paths)
	}
	if _, ok := As[Lister](nil); ok {
		t.Error("nothing is a Lister")
	}
	g := ableOf("x", "a")
	if concrete, ok := As[*able](WithTimeout(Filter(g, func(string) bool { return true }), 1)); !ok || concrete != g {
		t.Error("the generator is not found by its own type")
	}
}

func TestFilterHidesWhatItExcludesInEachAbility(t *testing.T) {
	g := ableOf("x", "a", "b", "b/nested", "c", "internal/one", "internal/two")
	g.diagnostics = append(g.diagnostics, Diagnostic{Rule: "whole-source"})
	g.tell = append(g.tell, "")
	g.templates = []Template{
		{Path: "internal/{name}", Name: "internal"}, {Path: "{name}", Name: "all"}, {Path: "b/{name}", Name: "below"},
		{Path: "c", Name: "literal"},
	}
	f := Filter(g, func(p string) bool { return p != "b/nested" && !strings.HasPrefix(p, "internal/") })
	want := []string{"a", "b", "c"}
	if got := paths(t, f, ""); !slices.Equal(got, want) {
		t.Error(got)
	}
	if got := paths(t, f, "a"); !slices.Equal(got, want[1:]) {
		t.Error(got)
	}
	calls := g.calls.Load()
	for _, p := range []string{"b/nested", "internal/one", "none"} {
		if _, err := f.Skill(t.Context(), p); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if n := g.calls.Load() - calls; n != 1 {
		t.Errorf("the generator was asked %d times, also for what is excluded", n)
	}
	featurer, _ := As[Featurer](f)
	if got, err := featurer.Featured(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Error(got, err)
	}
	if len(g.featured) != 6 || !slices.Contains(g.featured, "b/nested") {
		t.Error("the generator's own list was changed")
	}
	if got := told(t, f, 4); !slices.Equal(got, []string{"", "a", "b", "c"}) {
		t.Errorf("%q", got)
	}
	if got := diagnosed(t, f); len(got) != 4 || got[3].Rule != "whole-source" {
		t.Error(got)
	}
	if got := summaries(t, f); len(got) != 3 || got[2] != (Summary{"c", "x says c"}) {
		t.Error(got)
	}
	templater, _ := As[Templater](f)
	if got, err := templater.Templates(t.Context()); err != nil || len(got) != 2 || got[0].Name != "all" || got[1].Name != "literal" {
		t.Error(got, err)
	}

	c := catalog(t, nil, Mount{"m", f})
	if uris, _ := listAll(t, c); !slices.Equal(uris, []string{"skill://m/a/SKILL.md", "skill://m/b/SKILL.md", "skill://m/c/SKILL.md"}) {
		t.Error(uris)
	}
	for _, uri := range []string{"skill://m/b/nested/SKILL.md", "skill://m/internal/one/SKILL.md"} {
		_, get := c.Get(t.Context(), uri)
		_, read := c.Read(t.Context(), uri)
		_, dir := c.ReadDirectory(t.Context(), strings.TrimSuffix(uri, "/SKILL.md"), "")
		if !errors.Is(get, ErrNotFound) || !errors.Is(read, ErrNotFound) || !errors.Is(dir, ErrNotFound) {
			t.Errorf("%s: get %v, read %v, directory %v", uri, get, read, dir)
		}
	}
	if e, err := c.Get(t.Context(), "skill://m/b/SKILL.md"); err != nil || len(e.Resources) != 2 {
		t.Errorf("the manifest of the enclosing skill: %+v, %v", e, err)
	}
	if _, err := c.ReadDirectory(t.Context(), "skill://m/internal", ""); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

func TestFilterOverExcludedPathsAloneEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	endless := listerFunc(func(context.Context, string) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for i := 0; yield(fmt.Sprintf("p%020d", i), nil); i++ {
				if i == 1000 {
					cancel()
				}
			}
		}
	})
	f := Filter(struct {
		Generator
		Lister
	}{memoryOf(), endless}, func(string) bool { return false })
	lister, _ := As[Lister](f)
	for p, err := range lister.Paths(ctx, "") {
		if p != "" || !errors.Is(err, context.Canceled) {
			t.Errorf("%q, %v", p, err)
		}
	}
}

func TestFilterPassesErrorsOnAndTheVersion(t *testing.T) {
	broken := errors.New("broken")
	g := struct {
		Generator
		Lister
		Summarizer
		Featurer
	}{
		Generator: ableOf("x", "a"),
		Lister:    endsWith{paths: []string{"a", "z"}, err: broken},
		Summarizer: summarizerFunc(func(context.Context) iter.Seq2[Summary, error] {
			return func(yield func(Summary, error) bool) { yield(Summary{}, broken) }
		}),
		Featurer: featurerFunc(func(context.Context) ([]string, error) { return nil, broken }),
	}
	f := Filter(g, func(p string) bool { return p == "a" })
	var got []string
	for p, err := range pathsOf(t.Context(), f, "") {
		got = append(got, fmt.Sprint(p, " ", err))
	}
	if !slices.Equal(got, []string{"a <nil>", " broken"}) {
		t.Errorf("%q", got)
	}
	s, _ := As[Summarizer](f)
	for _, err := range s.Summaries(t.Context()) {
		if err != broken {
			t.Error(err)
		}
	}
	featurer, _ := As[Featurer](f)
	if _, err := featurer.Featured(t.Context()); err != broken {
		t.Error(err)
	}
	if s, err := f.Skill(t.Context(), "a"); err != nil || s.Version != "v1" {
		t.Error(s, err)
	}
}

// endsWith is a Lister that ends with an error.
type endsWith struct {
	paths []string
	err   error
}

func (f endsWith) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for p := range PathList(f.paths).Paths(ctx, after) {
			if !yield(p, nil) {
				return
			}
		}
		yield("", f.err)
	}
}
