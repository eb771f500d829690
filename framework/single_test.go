package framework

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"sync"
	"testing"
)

// single is a Lister with one connection, which an iteration of Paths needs as Skill
// does. It fails where another one would wait for ever.
type single struct {
	*memory
	connection sync.Mutex
}

var errInUse = errors.New("the connection is in use")

func (s *single) Skill(ctx context.Context, path string) (*Skill, error) {
	if !s.connection.TryLock() {
		return nil, errInUse
	}
	defer s.connection.Unlock()
	return s.memory.Skill(ctx, path)
}

func (s *single) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if !s.connection.TryLock() {
			yield("", errInUse)
			return
		}
		defer s.connection.Unlock()
		s.memory.Paths(ctx, after)(yield)
	}
}

func (s *single) Templates(context.Context) ([]Template, error) {
	return []Template{{Path: "{group}/{name}", Name: "all"}, {Path: "{a}/{b}/{c}", Name: "deep"}}, nil
}

func TestNothingIsAskedOfAListerWithinAnIterationOfIts(t *testing.T) {
	g := &single{memory: memoryOf("a", "a-b", "a/b", "a/c", "a/c/d", "e/b", "e/g/d")}
	c := catalog(t, &Options{Featured: []string{"m/a*/**"}, Concurrency: 1}, Mount{"m", g})
	if uris, _ := listAll(t, c); len(uris) != 7 {
		t.Error(uris)
	}
	for uri, want := range map[string][]string{
		"skill://m": {"a", "a-b", "e"}, "skill://m/e": {"b", "g"}, "skill://m/a": {"SKILL.md", "b", "c"},
	} {
		page, err := c.ReadDirectory(t.Context(), uri, "")
		if err != nil {
			t.Fatal(uri, err)
		}
		var names []string
		for _, r := range page.Resources {
			if r.MIMEType == directoryType {
				names = append(names, r.Name)
			} else {
				names = append(names, skillFile)
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s has %q, want %q", uri, names, want)
		}
	}
	for _, test := range []struct {
		template, name string
		known          map[string]string
		want           []string
	}{
		{"{group}/{name}", "group", nil, []string{"a", "e"}},
		{"{group}/{name}", "group", map[string]string{"name": "c"}, []string{"a"}},
		{"{group}/{name}", "name", nil, []string{"b", "c"}},
		{"{a}/{b}/{c}", "a", map[string]string{"c": "d"}, []string{"a", "e"}},
		{"{a}/{b}/{c}", "c", nil, []string{"d"}},
	} {
		got, err := c.Complete(t.Context(), "skill://m/"+test.template+"/SKILL.md", test.name, "", test.known)
		if err != nil || !slices.Equal(got.Values, test.want) {
			t.Errorf("%s of %s with %v: %v, %v, want %q", test.name, test.template, test.known, got, err, test.want)
		}
	}
	if _, err := c.FeaturedURIs(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestSkillOfNoListerBelowASkillOfAnotherMountIsRefused(t *testing.T) {
	c := catalog(t, nil, Mount{"", memoryOf("a")}, Mount{"a/b", unlisted{memoryOf("x")}}, Mount{"free/b", unlisted{memoryOf("x")}})
	if e, err := c.Get(t.Context(), "skill://a/SKILL.md"); err != nil || len(e.Resources) != 1 {
		t.Error(e, err)
	}
	if _, err := c.Get(t.Context(), "skill://a/b/x/SKILL.md"); !errors.Is(err, ErrInvalidSkill) {
		t.Errorf("the manifest of a has no file of it, but the error is %v", err)
	}
	if _, err := c.Get(t.Context(), "skill://free/b/x/SKILL.md"); err != nil {
		t.Error(err)
	}
}

func TestFilesInFoldersOfASkillThatIsNotListedAreRead(t *testing.T) {
	m := memoryOf("a", "a/b")
	m.skills["a"] = simple("a", TextFile("references/api.md", "api"))
	c := catalog(t, nil, Mount{"m", unlisted{m}})
	if content, err := c.Read(t.Context(), "skill://m/a/references/api.md"); err != nil || string(content.Bytes) != "api" {
		t.Error(content, err)
	}
	if page, err := c.ReadDirectory(t.Context(), "skill://m/a/references", ""); err != nil || len(page.Resources) != 1 {
		t.Error(page, err)
	}
	if _, err := c.Get(t.Context(), "skill://m/a/references/SKILL.md"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a guess below a skill: %v", err)
	}
	if _, err := c.Get(t.Context(), "skill://m/a/b/SKILL.md"); !errors.Is(err, ErrInvalidSkill) {
		t.Errorf("a nested skill that is not listed: %v", err)
	}
}

// A hollow error is a nil pointer that is taken for an error: looking into it panics.
type hollow struct{ cause error }

func (e *hollow) Error() string { return e.cause.Error() }
func (e *hollow) Unwrap() error { return e.cause }

func TestNilPointerForAnErrorCostsItsCallAlone(t *testing.T) {
	var err *hollow
	c := catalog(t, nil, Mount{"m", erring{err}}, Mount{"n", templatesFailing{memoryOf("a"), err}}, Mount{"o", memoryOf("a")})
	if _, err := c.Get(t.Context(), "skill://m/a/SKILL.md"); err == nil || errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, err := c.ResourceTemplates(t.Context()); err != nil {
		t.Error(err)
	}
	if uris, _ := listAll(t, c); len(uris) != 2 {
		t.Error(uris)
	}
}

type templatesFailing struct {
	*memory
	err error
}

func (g templatesFailing) Templates(context.Context) ([]Template, error) { return nil, g.err }

func TestAbilityUnderAnotherNameIsTheAbility(t *testing.T) {
	g := ableOf("x", "a", "b")
	filtered := Filter(g, func(path string) bool { return path == "a" })
	lister, ok := As[interface {
		Paths(ctx context.Context, after string) iter.Seq2[string, error]
	}](filtered)
	if !ok {
		t.Fatal("no Lister")
	}
	for p := range lister.Paths(t.Context(), "") {
		if p != "a" {
			t.Errorf("%s is excluded", p)
		}
	}
	type several interface {
		Lister
		Featurer
	}
	if _, ok := As[several](g); !ok {
		t.Error("the generator has both itself")
	}
	if _, ok := As[several](filtered); ok {
		t.Error("two abilities at once come past the filter")
	}
	if _, ok := As[several](Overlay(g, g)); ok {
		t.Error("two abilities at once come past the overlay")
	}
}

// closing counts calls of Close.
type closing struct {
	Generator
	closed int
	err    error
}

func (c *closing) Close() error {
	c.closed++
	return c.err
}

func TestOverlayClosesBoth(t *testing.T) {
	base, over := &closing{Generator: memoryOf("a")}, &closing{Generator: memoryOf("b"), err: errors.New("lost")}
	g := WithTimeout(Overlay(Filter(base, func(string) bool { return true }), over), 1)
	c, ok := As[io.Closer](g)
	if again, _ := As[io.Closer](g); !ok || again != c {
		t.Fatal("the closer is not the same each time", c, again)
	}
	if err := c.Close(); !errors.Is(err, over.err) || base.closed != 1 || over.closed != 1 {
		t.Errorf("%v; base was closed %d times, over %d times", err, base.closed, over.closed)
	}
	if _, ok := As[io.Closer](Overlay(memoryOf(), memoryOf())); ok {
		t.Error("nothing is to close")
	}
}

type watchFailing struct {
	*able
	err error
}

func (w watchFailing) Watch(context.Context, func(string)) error { return w.err }

func TestOverlayWatchFailsWithTheErrorOfEitherWhateverItIs(t *testing.T) {
	for _, err := range []error{errors.New("lost"), context.Canceled} {
		w, _ := As[Watcher](Overlay(ableOf("x", "a"), watchFailing{ableOf("y", "b"), err}))
		if got := w.Watch(t.Context(), func(string) {}); got != err {
			t.Errorf("%v, want %v", got, err)
		}
	}
}
