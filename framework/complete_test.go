package framework

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
)

type templating struct {
	Generator
	templates []Template
}

func (g templating) Templates(context.Context) ([]Template, error) { return g.templates, nil }

func (g templating) Unwrap() Generator { return g.Generator }

var byGroup = []Template{{Path: "{group}/{name}", Name: "operations", Description: "An operation"}}

func TestCompletionGivesWhatIsServedAndBeginsAlike(t *testing.T) {
	g := memoryOf("guide", "pets/add-pet", "pets/all", "pets-old/add-pet", "pets-old/zap", "orders/add-order", "deep/er/skill")
	c := catalog(t, nil, Mount{"x", templating{g, byGroup}})
	templates, err := c.ResourceTemplates(t.Context())
	if err != nil || len(templates) != 1 || templates[0].URITemplate != "skill://x/{group}/{name}/SKILL.md" {
		t.Fatalf("%v, %v", templates, err)
	}
	for _, test := range []struct {
		name, value string
		known       map[string]string
		want        []string
	}{
		{"group", "", nil, []string{"orders", "pets", "pets-old"}},
		{"group", "pe", nil, []string{"pets", "pets-old"}},
		{"group", "PETS-", nil, []string{"pets-old"}},
		{"group", "deep", nil, nil}, // no skill right below it
		{"group", "guide", nil, nil},
		{"name", "", map[string]string{"group": "pets"}, []string{"add-pet", "all"}},
		{"name", "add", nil, []string{"add-order", "add-pet"}},
		{"name", "add-pet", map[string]string{"group": "pets-old"}, []string{"add-pet"}},
		{"name", "", map[string]string{"group": "none"}, nil},
		{"name", "", map[string]string{"group": "../pets"}, nil},
		{"group", "", map[string]string{"name": "zap"}, []string{"pets-old"}},
		{"group", "a/b", nil, nil},
	} {
		done, err := c.Complete(t.Context(), templates[0].URITemplate, test.name, test.value, test.known)
		if err != nil || !slices.Equal(done.Values, test.want) || done.HasMore {
			t.Errorf("%s %q %v: %v, %v; want %q", test.name, test.value, test.known, done, err, test.want)
		}
	}
	if _, err := c.Complete(t.Context(), templates[0].URITemplate, "%d", "", nil); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, err := c.Complete(t.Context(), "skill://y/{group}/SKILL.md", "group", "", nil); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

func TestCompletionShowsNobodyWhatHeMayNotSee(t *testing.T) {
	g := memoryOf("open/one", "shut/two")
	c := catalog(t, &Options{Allow: allowByPrefix}, Mount{"x", templating{g, byGroup}})
	template := "skill://x/{group}/{name}/SKILL.md"
	for name, want := range map[string]string{"group": "open", "name": "one"} {
		done, err := c.Complete(as(t, "x/open"), template, name, "", nil)
		if err != nil || !slices.Equal(done.Values, []string{want}) {
			t.Errorf("%v, %v", done, err)
		}
	}
	if templates, err := c.ResourceTemplates(as(t, "y")); err != nil || len(templates) != 0 {
		t.Errorf("%v, %v", templates, err)
	}
}

func TestTemplateThatIsNoneIsLeftOut(t *testing.T) {
	bad := []Template{
		{Path: "{a}/{a}", Name: "twice"}, {Path: "{a}-{b}", Name: "two"}, {Path: "", Name: "empty"}, {Path: "{a}"},
		{Path: "UP/{a}", Name: "case"}, {Path: "{a}/", Name: "end"}, {Path: "{?a}", Name: "query"}, {Path: "items/{a}", Name: "good"},
	}
	c := catalog(t, nil, Mount{"", templating{memoryOf("items/one"), bad}})
	templates, err := c.ResourceTemplates(t.Context())
	if err != nil || len(templates) != 1 || templates[0].URITemplate != "skill://items/{a}/SKILL.md" {
		t.Errorf("%v, %v", templates, err)
	}
}

// numbered is a Lister of n skills in groups of a thousand, which counts what it
// yields.
type numbered struct {
	n       int
	yielded atomic.Int64
}

func (g *numbered) path(i int) string { return fmt.Sprintf("group-%06d/skill-%07d", i/1000, i) }

func (g *numbered) Skill(_ context.Context, path string) (*Skill, error) {
	var group, i int
	if n, err := fmt.Sscanf(path, "group-%06d/skill-%07d", &group, &i); n != 2 || err != nil || i < 0 || i >= g.n || g.path(i) != path {
		return nil, fmt.Errorf("numbered: %q: %w", path, ErrNotFound)
	}
	return simple(path), nil
}

func (g *numbered) Paths(_ context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		lo, hi := 0, g.n
		for lo < hi {
			if mid := (lo + hi) / 2; g.path(mid) <= after {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		for i := lo; i < g.n; i++ {
			g.yielded.Add(1)
			if !yield(g.path(i), nil) {
				return
			}
		}
	}
}

func TestCompletionCostsNoMoreInALargeCatalog(t *testing.T) {
	cost := func(n int, name, value string, known map[string]string) (int, *Completion) {
		g := &numbered{n: n}
		c := catalog(t, nil, Mount{"x", templating{g, byGroup}})
		done, err := c.Complete(t.Context(), "skill://x/{group}/{name}/SKILL.md", name, value, known)
		if err != nil {
			t.Fatal(err)
		}
		return int(g.yielded.Load()), done
	}
	for _, test := range []struct {
		name, value string
		known       map[string]string
	}{
		{"group", "", nil}, {"group", "group-00000", nil}, {"name", "skill-00", map[string]string{"group": "group-000000"}}, {"name", "", nil},
	} {
		small, _ := cost(200_000, test.name, test.value, test.known)
		large, done := cost(1_000_000, test.name, test.value, test.known)
		if large > small+10 || len(done.Values) > maxCompletions || len(done.Values) == 0 {
			t.Errorf("%v: %d paths looked at among 200,000 skills, %d among 1,000,000; %d values", test, small, large, len(done.Values))
		}
	}
	if n, done := cost(1_000_000, "name", "skill-0999999", nil); n > 2*completionBudget || !slices.Equal(done.Values, []string{"skill-0999999"}) && !done.HasMore {
		t.Errorf("%d paths looked at, %v", n, done)
	}
}

func TestValuesThatAreNotASCIIAreCompleted(t *testing.T) {
	c := catalog(t, nil, Mount{"x", templating{memoryOf("äpfel/essen", "zürich/sehen", "zèbre/sehen", "züge/fahren"), byGroup}})
	for value, want := range map[string][]string{"ä": {"äpfel"}, "zü": {"züge", "zürich"}, "zè": {"zèbre"}, "äpfel": {"äpfel"}, "\x01": nil} {
		done, err := c.Complete(t.Context(), "skill://x/{group}/{name}/SKILL.md", "group", value, nil)
		if err != nil || !slices.Equal(done.Values, want) {
			t.Errorf("%q: %v, %v; want %q", value, done, err, want)
		}
	}
}

func TestCompletionForWhoMaySeeLittleLooksAtABoundedNumberOfPaths(t *testing.T) {
	var paths []string
	for i := range 500 {
		paths = append(paths, fmt.Sprintf("g%03d/one", i))
	}
	asked := 0
	allow := func(context.Context, string) bool { asked++; return false }
	c := catalog(t, &Options{Allow: allow}, Mount{"x", templating{memoryOf(paths...), byGroup}})
	c.maxScan = 20
	done, err := c.Complete(t.Context(), "skill://x/{group}/{name}/SKILL.md", "group", "", nil)
	if err != nil || len(done.Values) != 0 || !done.HasMore || asked > 40 {
		t.Errorf("%v, %v, after %d paths", done, err, asked)
	}
}
