package framework

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
)

func TestMountsAreReplacedWhileTheCatalogServes(t *testing.T) {
	one, two := memoryOf("a", "b"), memoryOf("a", "c")
	two.skills["a"] = &Skill{Files: []File{TextFile("SKILL.md", skillMD("a", "Another text"))}}
	kept := memoryOf("k")
	c := catalog(t, &Options{Listing: ListAll, PageSize: 1}, Mount{"x", one}, Mount{"kept", kept})
	first, err := c.List(t.Context(), "")
	if err != nil || first.NextCursor == "" {
		t.Fatal(err)
	}
	before, err := c.Get(t.Context(), "skill://x/a/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(t.Context(), "skill://kept/k/SKILL.md"); err != nil {
		t.Fatal(err)
	}
	told := 0
	c.OnChange(func() { told++ })

	if err := c.SetMounts([]Mount{{"x", one}, {"x", two}}); err == nil {
		t.Error("a prefix that stands twice is accepted")
	}
	if told != 0 {
		t.Error("a change that was refused is told")
	}
	if err := c.SetMounts([]Mount{{"kept", kept}, {"x", two}, {"new", memoryOf("n")}}); err != nil {
		t.Fatal(err)
	}
	if told != 1 {
		t.Errorf("the change is told %d times", told)
	}
	if after, err := c.Get(t.Context(), "skill://x/a/SKILL.md"); err != nil || after == before || after.Frontmatter.Description != "Another text" {
		t.Errorf("%v, %v", after, err)
	}
	if _, err := c.Get(t.Context(), "skill://x/b/SKILL.md"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, err := c.Get(t.Context(), "skill://kept/k/SKILL.md"); err != nil || kept.calls.Load() != 1 {
		t.Errorf("the skill of a mount that stayed was made %d times, %v", kept.calls.Load(), err)
	}
	rest, err := c.List(t.Context(), first.NextCursor) // kept/k came first
	if err != nil || len(rest.Entries) != 1 || rest.Entries[0].URI != "skill://new/n/SKILL.md" {
		t.Errorf("%v, %v", rest, err)
	}
	if err := c.SetMounts([]Mount{{"kept", kept}, {"x", two}, {"new", c.mounts.Load().byPrefix()[1].gen}}); err != nil || told != 1 {
		t.Errorf("setting what is set already is told, %v", err)
	}
}

func TestSkillOfAReplacedMountIsKeptIfItsVersionIsTheSame(t *testing.T) {
	renders := 0
	make := func() *memory {
		g := memoryOf()
		g.skills["a"] = &Skill{Version: "1", Files: []File{{Name: "SKILL.md", Content: func(context.Context) ([]byte, error) {
			renders++
			return []byte(skillMD("a", "Text")), nil
		}}}}
		return g
	}
	c := catalog(t, nil, Mount{"x", make()})
	for range 2 {
		if _, err := c.Get(t.Context(), "skill://x/a/SKILL.md"); err != nil || renders != 1 {
			t.Errorf("%d renders, %v", renders, err)
		}
		if err := c.SetMounts([]Mount{{"x", make()}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEncloserForgetsAnInnerMountThatIsReplaced(t *testing.T) {
	outer := memoryOf("a")
	c := catalog(t, nil, Mount{"x", outer}, Mount{"x/a/in", memoryOf("one")})
	count := func() int {
		e, err := c.Get(t.Context(), "skill://x/a/SKILL.md")
		if err != nil {
			t.Fatal(err)
		}
		return len(e.Resources)
	}
	before := count()
	if err := c.SetMounts([]Mount{{"x", outer}, {"x/a/in", memoryOf("one", "two")}}); err != nil {
		t.Fatal(err)
	}
	if after := count(); before != 2 || after != 3 {
		t.Errorf("%d files before, %d after", before, after)
	}
}

func TestMountThatIsSetLaterIsWatchedAndOneThatIsGoneIsNot(t *testing.T) {
	c := catalog(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	told := make(chan struct{}, 8)
	c.OnChange(func() { told <- struct{}{} })
	go func() { done <- c.Watch(ctx) }()
	w := watched{memoryOf("a"), make(chan string)}
	if err := c.SetMounts([]Mount{{"x", w}}); err != nil {
		t.Fatal(err)
	}
	<-told
	w.changes <- ""
	<-told
	if err := c.SetMounts(nil); err != nil {
		t.Fatal(err)
	}
	<-told
	if err := c.Watch(ctx); err == nil {
		t.Error("two calls of Watch are in progress")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	select {
	case w.changes <- "":
		t.Error("a mount that is gone is watched")
	default:
	}
}

// Each answer is of one of the generators that were mounted, never of a mixture.
func TestAnswersDuringReplacementsAreWhole(t *testing.T) {
	version := func(i int) *memory {
		g := memoryOf()
		text := fmt.Sprintf("Version %d", i)
		g.skills["a"] = &Skill{Files: []File{TextFile("SKILL.md", skillMD("a", text)), TextFile("references/v.md", text)}}
		return g
	}
	c := catalog(t, nil, Mount{"x", version(0)})
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				e, err := c.Get(t.Context(), "skill://x/a/SKILL.md")
				if err != nil || len(e.Resources) != 2 {
					t.Errorf("%v, %v", e, err)
					return
				}
				want := DigestOf([]byte(e.Frontmatter.Description))
				if !slices.ContainsFunc(e.Resources, func(r SkillResource) bool { return r.Digest == want }) {
					t.Errorf("the entry is of two versions: %s", wire(t, e))
					return
				}
			}
		})
	}
	for i := range 200 {
		if err := c.SetMounts([]Mount{{"x", version(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
	if e, err := c.Get(t.Context(), "skill://x/a/SKILL.md"); err != nil || e.Frontmatter.Description != "Version 199" {
		t.Errorf("%v, %v", e, err)
	}
}

func TestAChangeIsANewGenerationBeforeAndAfterRecordsAreForgotten(t *testing.T) {
	g := memoryOf("one")
	c := catalog(t, nil, Mount{"x", g})
	c.mounts.Load().all[0].watching.Store(true) // as while Watch runs
	if _, err := c.List(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	before := c.generation.Load()
	c.changed(c.mounts.Load().all[0], "one")
	if after := c.generation.Load(); after != before+2 {
		t.Errorf("the generation grew by %d, want one step before and one after what is forgotten", after-before)
	}
}
