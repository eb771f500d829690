package framework

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestBrokenRuleIsErrInvalidSkillAndSaysWhich breaks each rule that the catalog
// holds skills to, alone.
func TestBrokenRuleIsErrInvalidSkillAndSaysWhich(t *testing.T) {
	for says, skill := range map[string]*Skill{
		"neither a skill nor an error": nil,
		"it has no SKILL.md":           {},
		`the name "other"`:             simple("other"),
		"does not begin with a line":   {Files: []File{TextFile("SKILL.md", "# Title")}},
		`file "x" has no Content`:      simple("a", File{Name: "x"}),
		`"" is not a relative`:         simple("a", TextFile("", "")),
		`"../x" is not a relative`:     simple("a", TextFile("../x", "")),
		"has a backslash":              simple("a", TextFile(`a\b`, "")),
		"longer than 1024 bytes":       simple("a", TextFile(strings.Repeat("x", 1025), "")),
		"more than 16 segments":        simple("a", TextFile(strings.Repeat("x/", 16)+"x", "")),
		`two files are named "x"`:      simple("a", TextFile("x", ""), TextFile("x", "")),
		"would be a nested skill":      simple("a", TextFile("b/SKILL.md", skillMD("b", "B"))),
		"for a media type":             simple("a", File{Name: "x", MIMEType: directoryType, Content: TextFile("", "").Content}),
		"it has 513 files":             simple("a", manyFiles(MaxResources)...),
		"also the directory of":        simple("a", TextFile("x", ""), TextFile("x/y", "")),
		"has more than 16777216 bytes": simple("a", TextFile("x", strings.Repeat("x", MaxTotalBytes+1))),
		"16777216 bytes together":      simple("a", TextFile("x", strings.Repeat("x", MaxTotalBytes-1))),
	} {
		g := memoryOf()
		g.skills["a"] = skill
		c := catalog(t, nil, Mount{"m", g})
		_, err := c.Get(t.Context(), c.URI("m/a"))
		if !errors.Is(err, ErrInvalidSkill) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "m/a") {
			t.Errorf("%q, which should name m/a and say %q", err, says)
		}
		for _, other := range []error{ErrNotFound, ErrInvalidURI, ErrInvalidCursor, ErrBusy, context.DeadlineExceeded} {
			if errors.Is(err, other) {
				t.Errorf("%q is %q too", err, other)
			}
		}
	}
}

func TestBrokenRuleOfNestingIsErrInvalidSkill(t *testing.T) {
	for says, skills := range map[string]map[string]*Skill{
		`its file "b/x" clashes with the nested skill "m/a/b"`: {"a": simple("a", TextFile("b/x", "")), "a/b": simple("a/b")},
		"513 files with those of nested skills":                {"a": simple("a", manyFiles(300)...), "a/b": simple("a/b", manyFiles(211)...)},
		"bytes with those of nested skills": {
			"a":   simple("a", TextFile("x", strings.Repeat("x", MaxTotalBytes/2))),
			"a/b": simple("a/b", TextFile("x", strings.Repeat("x", MaxTotalBytes/2))),
		},
		`nested skill "m/a/b": it has no SKILL.md`: {"a": simple("a"), "a/b": {}},
	} {
		c := catalog(t, nil, Mount{"m", &memory{skills: skills}})
		_, err := c.Get(t.Context(), c.URI("m/a"))
		if !errors.Is(err, ErrInvalidSkill) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q, which should say %q", err, says)
		}
	}
	c := catalog(t, nil, Mount{"m", unlisted{memoryOf("a", "a/b")}})
	if _, err := c.Get(t.Context(), c.URI("m/a/b")); !errors.Is(err, ErrInvalidSkill) || !strings.Contains(err.Error(), "no Lister") {
		t.Errorf("nested without a Lister: %v", err)
	}
}

func TestBrokenRuleOfAPathIsErrInvalidSkill(t *testing.T) {
	for _, path := range []string{
		"", ".", "/a", "a/", "a//b", "a/../b", `a\b`, "a\x00", "a\xff/b", "a\U0010FFFF/b",
		strings.Repeat("x", 1025), strings.Repeat("x/", 16) + "x", "a b/c", "a@b/c", "A", "a/B", "a--b", "a/" + strings.Repeat("x", 65),
	} {
		if err := validSkillPath(path); !errors.Is(err, ErrInvalidSkill) {
			t.Errorf("%.40q: %v", path, err)
		}
	}
}

// TestCallPastItsDeadlineIsDeadlineExceededAndTheNextIsBusy is about a generator
// that does not notice the end of its context.
func TestCallPastItsDeadlineIsDeadlineExceededAndTheNextIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		until := make(chan struct{})
		defer close(until)
		c := catalog(t, &Options{SkillTimeout: time.Second, Concurrency: 2 * maxAbandoned}, Mount{"m", stuck{until}})
		_, err := c.Get(t.Context(), c.URI("m/a"))
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "not done after 1s") {
			t.Errorf("past its deadline: %v", err)
		}
		c.failures.purge()
		if _, err = c.Get(t.Context(), c.URI("m/a")); !errors.Is(err, ErrBusy) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while that has not returned: %v", err)
		}
		for i := range maxAbandoned {
			go c.Get(t.Context(), c.URI(fmt.Sprintf("m/b%d", i)))
		}
		time.Sleep(2 * time.Second)
		if _, err = c.Get(t.Context(), c.URI("m/c")); !errors.Is(err, ErrBusy) {
			t.Errorf("while as many as may be have not: %v", err)
		}
	})
}

func TestCallThatFindsNoPlaceToWaitIsBusy(t *testing.T) {
	g := newGuard(1, time.Hour)
	g.slots <- struct{}{}
	for range maxWaiting {
		g.waiting <- struct{}{}
	}
	if err := g.do(t.Context(), "a", func(context.Context) error { return nil }); !errors.Is(err, ErrBusy) {
		t.Errorf("%v", err)
	}
}

// failing is a generator whose Skill returns an error.
type failing struct{ err error }

func (f failing) Skill(context.Context, string) (*Skill, error) { return nil, f.err }

// TestErrorOfAGeneratorIsNotAboutTheURIOfTheCaller is about a generator that asks
// another catalog.
func TestErrorOfAGeneratorIsNotAboutTheURIOfTheCaller(t *testing.T) {
	own := errors.New("the wiki is down")
	for _, err := range []error{ErrInvalidURI, ErrInvalidCursor} {
		c := catalog(t, nil, Mount{"m", failing{fmt.Errorf("inner: %w", err)}})
		if _, got := c.Get(t.Context(), c.URI("m/a")); errors.Is(got, err) || !strings.HasPrefix(got.Error(), `skill "m/a": inner: `) {
			t.Errorf("%v", got)
		}
	}
	for _, err := range []error{own, ErrInvalidSkill, ErrBusy} {
		c := catalog(t, nil, Mount{"m", failing{err}})
		if _, got := c.Get(t.Context(), c.URI("m/a")); !errors.Is(got, err) {
			t.Errorf("%v is not %v", got, err)
		}
	}
}
