package framework

import (
	"context"
	"errors"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestOverlayServesEachSkillOnceAndOverWins(t *testing.T) {
	base := ableOf("base", "a", "b", "guide", "z")
	over := ableOf("over", "a/nested", "b", "c")
	g := Overlay(base, over)
	want := []string{"a", "a/nested", "b", "c", "guide", "z"}
	if got := paths(t, g, ""); !slices.Equal(got, want) {
		t.Error(got)
	}
	for _, p := range want {
		s, err := g.Skill(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		from := "base"
		if slices.Contains(over.featured, p) {
			from = "over"
		}
		if got := content(t, s, "from.txt"); got != from {
			t.Errorf("%s is of %s", p, got)
		}
	}
	if _, err := g.Skill(t.Context(), "none"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}

	c := catalog(t, nil, Mount{"m", g})
	uris, _ := listAll(t, c)
	if len(uris) != len(want) {
		t.Error(uris)
	}
	for _, uri := range uris {
		e, err := c.Get(t.Context(), uri)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range e.Resources {
			if content, err := c.Read(t.Context(), r.URI); err != nil || DigestOf(content.Bytes) != r.Digest {
				t.Error(r.URI, err)
			}
		}
	}
	if e, _ := c.Get(t.Context(), "skill://m/a/SKILL.md"); len(e.Resources) != 4 {
		t.Errorf("the manifest of base's skill lacks what over nests in it: %v", e.Resources)
	}
	if content, err := c.Read(t.Context(), "skill://m/b/from.txt"); err != nil || string(content.Bytes) != "over" {
		t.Error(content, err)
	}
}

func TestOverlayWinsWithAWholeSkill(t *testing.T) {
	base, over := memoryOf("a"), memoryOf("a")
	base.skills["a"] = simple("a", TextFile("generated.md", ""))
	over.skills["a"] = simple("a", TextFile("by-hand.md", ""))
	c := catalog(t, nil, Mount{"m", Overlay(base, over)})
	if _, err := c.Read(t.Context(), "skill://m/a/generated.md"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a file of the hidden skill: %v", err)
	}
	page, err := c.ReadDirectory(t.Context(), "skill://m/a", "")
	if err != nil || len(page.Resources) != 2 || page.Resources[1].Name != "by-hand.md" {
		t.Error(page, err)
	}
}

func TestOverlaidSkillThatClashesWithANestedOneIsRefusedAlone(t *testing.T) {
	base, over := memoryOf("a", "a/nested"), memoryOf("a")
	over.skills["a"] = simple("a", TextFile("nested/notes.md", ""))
	c := catalog(t, nil, Mount{"m", Overlay(base, over)})
	if _, err := c.Get(t.Context(), "skill://m/a/SKILL.md"); !errors.Is(err, ErrInvalidSkill) {
		t.Error(err)
	}
	if _, err := c.Get(t.Context(), "skill://m/a/nested/SKILL.md"); err != nil {
		t.Error(err)
	}
}

func TestOverlayDoesNotFallBackWhereOverFails(t *testing.T) {
	g := Overlay(memoryOf("a"), erring{errors.New("cannot be read")})
	if s, err := g.Skill(t.Context(), "a"); s != nil || err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("%v, %v", s, err)
	}
}

type erring struct{ err error }

func (g erring) Skill(context.Context, string) (*Skill, error) { return nil, g.err }

func TestOverlayVersionsOfBaseAndOverDiffer(t *testing.T) {
	base, over := ableOf("base", "a"), ableOf("over", "a")
	versions := map[string]bool{}
	add := func(g Generator) {
		s, err := g.Skill(t.Context(), "a")
		if err != nil || s.Version == "" || versions[s.Version] {
			t.Errorf("%+v, %v; known are %v", s, err, versions)
		}
		versions[s.Version] = true
	}
	for _, g := range []Generator{Overlay(base, memoryOf()), Overlay(base, over)} {
		add(g)
		add(Overlay(g, memoryOf()))
		add(Overlay(memoryOf(), g))
	}
	if base.skills["a"].Version != "v1" {
		t.Error("the generator's own skill was changed")
	}
	base.skills["a"].Version = ""
	if s, _ := Overlay(base, memoryOf()).Skill(t.Context(), "a"); s.Version != "" {
		t.Errorf("the version %q was made of none", s.Version)
	}
}

// TestOverlaidSkillIsRenderedAnew has a catalog that knows base's skill "v1" meet
// over's skill "v1" at its path.
func TestOverlaidSkillIsRenderedAnew(t *testing.T) {
	base, over := ableOf("base", "a"), ableOf("over")
	c := catalog(t, &Options{MaxAge: 1}, Mount{"m", Overlay(base, over)})
	read := func() string {
		if _, err := c.Get(t.Context(), "skill://m/a/SKILL.md"); err != nil {
			t.Fatal(err)
		}
		content, err := c.Read(t.Context(), "skill://m/a/from.txt")
		if err != nil {
			t.Fatal(err)
		}
		return string(content.Bytes)
	}
	if got := read(); got != "base" {
		t.Fatal(got)
	}
	over.mu.Lock()
	over.skills["a"] = ableOf("over", "a").skills["a"]
	over.mu.Unlock()
	if got := read(); got != "over" {
		t.Errorf("the skill is still that of %s", got)
	}
}

// TestMergedPathsAreTheSortedUnionAfterAnyPath compares with a set.
func TestMergedPathsAreTheSortedUnionAfterAnyPath(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "a-b", "a/b", "a/c", "a.b", "b", "b/a", "b/a/c", "c", "c0", "zz"}
	for range 300 {
		base, over := memoryOf(), memoryOf()
		union := map[string]bool{}
		for _, g := range []*memory{base, over} {
			for _, n := range names {
				if random.IntN(3) == 0 {
					g.skills[n], union[n] = simple(n), true
				}
			}
		}
		all := slices.Sorted(maps.Keys(union))
		for _, after := range append([]string{"", "a/", "a/b/c", "~"}, names...) {
			i, found := slices.BinarySearch(all, after)
			if found {
				i++
			}
			if got := paths(t, Overlay(base, over), after); !slices.Equal(got, all[i:]) {
				t.Fatalf("after %q of %v and %v: %v", after, paths(t, base, ""), paths(t, over, ""), got)
			}
		}
	}
}

// countingPaths is a Lister that counts what it yields, and its iterations that have
// not ended.
type countingPaths struct {
	Generator
	list          PathList
	yielded, open int
	err           error
}

func (g *countingPaths) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		g.open++
		defer func() { g.open-- }()
		for p := range g.list.Paths(ctx, after) {
			g.yielded++
			if !yield(p, nil) {
				return
			}
		}
		if g.err != nil {
			yield("", g.err)
		}
	}
}

func TestMergeLooksNoFurtherThanItsCallerAndLeavesNothingRunning(t *testing.T) {
	for stop := 1; stop <= 7; stop++ {
		base := &countingPaths{Generator: memoryOf(), list: PathList{"a", "c", "e"}}
		over := &countingPaths{Generator: memoryOf(), list: PathList{"b", "c", "d", "f"}}
		n := 0
		for range pathsOf(t.Context(), Overlay(base, over), "") {
			if n++; n == stop {
				break
			}
		}
		if base.open+over.open != 0 {
			t.Errorf("after %d paths an iteration is left open", stop)
		}
		if most := stop + 1; base.yielded > most || over.yielded > most {
			t.Errorf("for %d paths %d and %d were looked at", stop, base.yielded, over.yielded)
		}
	}
	base := &countingPaths{Generator: memoryOf(), list: PathList{"a"}}
	over := &countingPaths{Generator: memoryOf(), list: PathList{"b"}}
	func() {
		defer func() { _ = recover() }()
		for range pathsOf(t.Context(), Overlay(base, over), "") {
			panic("of the caller")
		}
	}()
	if base.open+over.open != 0 {
		t.Error("after a panic an iteration is left open")
	}
}

func TestMergedPathsEndWithTheErrorOfEither(t *testing.T) {
	broken := errors.New("broken")
	for _, g := range []Generator{
		Overlay(&countingPaths{Generator: memoryOf(), list: PathList{"a", "d"}, err: broken}, memoryOf("b", "x", "y")),
		Overlay(memoryOf("a", "b", "x", "y"), &countingPaths{Generator: memoryOf(), list: PathList{"c"}, err: broken}),
		Overlay(memoryOf(), &countingPaths{Generator: memoryOf(), err: broken}),
	} {
		var last error
		ended := 0
		for p, err := range pathsOf(t.Context(), g, "") {
			if last != nil {
				t.Errorf("%q follows an error", p)
			}
			if last = err; err != nil {
				ended++
			}
		}
		if last != broken || ended != 1 {
			t.Errorf("ended with %v", last)
		}
	}
}

func TestOverlayOfAnOverThatIsNoListerServesByURI(t *testing.T) {
	g := Overlay(ableOf("base", "a", "b"), bare{ableOf("over", "b", "hidden", "a/x", "hidden/y")})
	if got := paths(t, g, ""); !slices.Equal(got, []string{"a", "b"}) {
		t.Error(got)
	}
	c := catalog(t, nil, Mount{"m", g})
	if content, err := c.Read(t.Context(), "skill://m/b/from.txt"); err != nil || string(content.Bytes) != "over" {
		t.Error(content, err)
	}
	if _, err := c.Get(t.Context(), "skill://m/hidden/SKILL.md"); err != nil {
		t.Error(err)
	}
	for _, uri := range []string{"skill://m/a/x/SKILL.md", "skill://m/hidden/y/SKILL.md"} {
		if _, err := c.Get(t.Context(), uri); !errors.Is(err, ErrInvalidSkill) || !strings.Contains(err.Error(), "nested in") {
			t.Errorf("%s is nested in a skill whose manifest lacks it: %v", uri, err)
		}
	}
	got := summaries(t, g)
	if !slices.Equal(got, []Summary{{"a", "base says a"}, {"b", ""}}) {
		t.Error(got)
	}
}

func TestOverlayCanBeEnumeratedOnlyIfItsBaseCan(t *testing.T) {
	g := Overlay(bare{ableOf("base", "a")}, ableOf("over", "b"))
	if found := lookups(g); found["Lister"] || found["Summarizer"] || found["Watcher"] || !found["Featurer"] || !found["Diagnoser"] {
		t.Error(found)
	}
	c := catalog(t, nil, Mount{"m", g})
	for _, p := range []string{"m/a", "m/b"} {
		if _, err := c.Get(t.Context(), c.URI(p)); err != nil {
			t.Error(err)
		}
	}
}

func TestOverlayIsWatchedOnlyIfBothAre(t *testing.T) {
	watched, unwatched := ableOf("x", "a"), memoryOf("b")
	for _, g := range []Generator{Overlay(watched, unwatched), Overlay(unwatched, watched), Filter(Overlay(watched, unwatched), func(string) bool { return true })} {
		if _, ok := As[Watcher](g); ok {
			t.Error("changes of one of the two would be told by nobody")
		}
	}
	if got := told(t, Overlay(watched, ableOf("y", "b", "c")), 3); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Error(got)
	}
}

func TestOverlayWatchEndsWhenOneOfTheTwoEnds(t *testing.T) {
	broken := errors.New("broken")
	for _, want := range []error{nil, broken} {
		ends := struct {
			Generator
			Watcher
		}{memoryOf(), watcherFunc(func(context.Context, func(string)) error { return want })}
		for _, g := range []Generator{Overlay(ableOf("x"), ends), Overlay(ends, ableOf("x"))} {
			w, _ := As[Watcher](g)
			if err := w.Watch(t.Context(), func(string) {}); err != want {
				t.Errorf("%v, not %v", err, want)
			}
		}
	}
}

func TestOverlayGathersWhatBothSayAndLeavesOutWhatIsHidden(t *testing.T) {
	base, over := ableOf("base", "a", "b", "guide"), ableOf("over", "b", "getting-started")
	base.diagnostics = append(base.diagnostics, Diagnostic{Rule: "whole-source"})
	base.templates = []Template{{Path: "{name}", Name: "base"}, {Path: "{group}/{name}", Name: "deep"}}
	over.templates = []Template{{Path: "{name}", Name: "over"}}
	g := Overlay(base, over)
	f, _ := As[Featurer](g)
	if got, err := f.Featured(t.Context()); err != nil || !slices.Equal(got, []string{"b", "getting-started", "a", "guide"}) {
		t.Error(got, err)
	}
	tm, _ := As[Templater](g)
	if got, err := tm.Templates(t.Context()); err != nil || len(got) != 2 || got[0].Name != "over" || got[1].Name != "deep" {
		t.Error(got, err)
	}
	want := []Diagnostic{
		{Rule: "about-over", Skill: "b"}, {Rule: "about-over", Skill: "getting-started"},
		{Rule: "about-base", Skill: "a"}, {Rule: "about-base", Skill: "guide"}, {Rule: "whole-source"},
	}
	got := diagnosed(t, g)
	slices.SortFunc(got[:2], func(a, b Diagnostic) int { return strings.Compare(a.Skill, b.Skill) })
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	// Of an over that cannot be enumerated too.
	got = diagnosed(t, Overlay(base, bare{over}))
	if !slices.Equal(got, want[2:]) {
		t.Error(got)
	}
	if got := summaries(t, g); !slices.Equal(got, []Summary{
		{"a", "base says a"}, {"b", "over says b"}, {"getting-started", "over says getting-started"}, {"guide", "base says guide"},
	}) {
		t.Error(got)
	}
	if got := summaries(t, Overlay(memoryOf("a", "b"), over)); !slices.Equal(got, []Summary{
		{"a", ""}, {"b", "over says b"}, {"getting-started", "over says getting-started"},
	}) {
		t.Error(got)
	}
	if got := summaries(t, Overlay(base, memoryOf("b"))); !slices.Equal(got, []Summary{
		{"a", "base says a"}, {"b", ""}, {"guide", "base says guide"},
	}) {
		t.Error(got)
	}
}

func TestOverlayOfNothingIsTheOther(t *testing.T) {
	g := memoryOf("a")
	if Overlay(g, nil) != Generator(g) || Overlay(nil, g) != Generator(g) {
		t.Error("not the other")
	}
}

func TestGeneratorsOfNothingAreNoneAndTheCatalogSaysSo(t *testing.T) {
	for name, g := range map[string]Generator{
		"Overlay": Overlay(nil, nil), "OverlayFS": OverlayFS(nil, nil, nil), "FromFS": FromFS(nil, nil),
		"Filter": Filter(nil, func(string) bool { return true }), "WithTimeout": WithTimeout(nil, 1),
	} {
		if _, err := NewCatalog([]Mount{{"m", g}}, nil); err == nil {
			t.Errorf("%s of nothing is served", name)
		}
	}
}
