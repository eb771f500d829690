package framework

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// walked is a memory whose paths come from a function.
type walked struct {
	*memory
	paths func(ctx context.Context, yield func(string, error) bool)
}

func (w walked) Paths(ctx context.Context, _ string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { w.paths(ctx, yield) }
}

// stuck is a generator that hangs and does not notice the end of its context.
type stuck struct{ until <-chan struct{} }

func (s stuck) Skill(context.Context, string) (*Skill, error) {
	<-s.until
	return nil, ErrNotFound
}

func TestFaultyPathsOfAMountSpoilNoOtherMount(t *testing.T) {
	faulty := walked{memoryOf("q"), func(_ context.Context, yield func(string, error) bool) {
		yield("", errors.New("the database is down"))
	}}
	c := catalog(t, nil, Mount{"a", memoryOf("x", "y/last")}, Mount{"b", faulty})
	for _, path := range []string{"a/x", "a/y/last"} {
		if _, err := c.Get(t.Context(), c.URI(path)); err != nil {
			t.Error(err)
		}
	}
	for _, uri := range []string{"skill://a", "skill://a/y", "skill://a/y/last"} {
		if _, err := c.ReadDirectory(t.Context(), uri, ""); err != nil {
			t.Error(uri, err)
		}
	}
	if _, err := c.Read(t.Context(), "skill://a/unknown/SKILL.md"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, err := c.ReadDirectory(t.Context(), "skill://b", ""); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("the faulty mount's own directory: %v", err)
	}
}

func TestMountThatHangsHoldsUpNoOtherMount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		until := make(chan struct{})
		defer close(until)
		c := catalog(t, &Options{Concurrency: 1}, Mount{"hung", stuck{until}}, Mount{"well", memoryOf("x")})
		for i := range maxAbandoned + 10 {
			go func() { _, _ = c.Get(context.Background(), fmt.Sprintf("skill://hung/s%d/SKILL.md", i)) }()
		}
		for range 2 {
			synctest.Wait()
			begin := time.Now()
			if _, err := c.Get(t.Context(), c.URI("well/x")); err != nil {
				t.Error(err)
			}
			if d := time.Since(begin); d > 0 {
				t.Errorf("waited %v for another mount", d)
			}
			c.records.purge()
			time.Sleep(time.Hour)
		}
	})
}

func TestCallerThatLeavesIsNotFeltByTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memoryOf("x", "live")
		slow := walked{m, func(ctx context.Context, yield func(string, error) bool) {
			time.Sleep(time.Second) // and does not notice that ctx ends
			for _, p := range []string{"live", "x"} {
				if !yield(p, nil) {
					return
				}
			}
		}}
		m.skills["live"].Dynamic = true
		fast := m.skills["live"].Files[0].Content
		var begun atomic.Bool
		m.skills["live"].Files[0].Content = func(ctx context.Context) ([]byte, error) {
			if begun.Swap(true) {
				time.Sleep(time.Second)
			}
			return fast(ctx)
		}
		c := catalog(t, &Options{Listing: ListAll}, Mount{"m", slow}, Mount{"live-only", topOnly{m}})
		calls := map[string]func(context.Context) error{
			"list": func(ctx context.Context) error { _, err := c.List(ctx, ""); return err },
			"directory": func(ctx context.Context) error {
				_, err := c.ReadDirectory(ctx, "skill://m", "")
				return err
			},
			"dynamic read": func(ctx context.Context) error {
				_, err := c.Read(ctx, "skill://live-only/live/SKILL.md")
				return err
			},
		}
		if err := calls["dynamic read"](t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, call := range calls {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s of a caller that leaves: %v", name, err)
			}
			cancel()
			time.Sleep(100 * time.Millisecond)
			if err := call(t.Context()); err != nil {
				t.Errorf("%s of the next caller: %v", name, err)
			}
		}
		time.Sleep(time.Hour) // all has returned
	})
}

// topOnly has the skills of a generator that are not below a group, and no
// other ability.
type topOnly struct{ g Generator }

func (o topOnly) Skill(ctx context.Context, path string) (*Skill, error) {
	if strings.Contains(path, "/") {
		return nil, ErrNotFound
	}
	return o.g.Skill(ctx, path)
}

func TestWorkForCallersThatLeftIsNotGatheredWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		until := make(chan struct{})
		defer close(until)
		c := catalog(t, &Options{Concurrency: 1, Logger: slog.New(slog.DiscardHandler)}, Mount{"m", stuck{until}})
		before := runtime.NumGoroutine()
		for i := range maxWaiting + 1000 {
			ctx, cancel := context.WithCancel(t.Context())
			go func() { _, _ = c.Get(ctx, fmt.Sprintf("skill://m/s%d/SKILL.md", i)) }()
			if i%1000 == 0 {
				synctest.Wait()
			}
			cancel()
		}
		synctest.Wait()
		if n := runtime.NumGoroutine() - before; n > 2*maxWaiting {
			t.Errorf("%d goroutines work for nobody", n)
		}
		time.Sleep((waitedCalls + 2) * c.opts.SkillTimeout)
		synctest.Wait()
		if n := runtime.NumGoroutine() - before; n > 5*maxAbandoned {
			t.Errorf("%d goroutines still work for nobody", n)
		}
	})
}

func TestWalkOverRefusedPathsEndsWithItsContextAndLogsLittle(t *testing.T) {
	log := &testWriter{t: t}
	returned := make(chan struct{})
	endless := walked{memoryOf(), func(_ context.Context, yield func(string, error) bool) {
		defer close(returned)
		for i := 0; yield(fmt.Sprintf("Upper-Case-%020d", i), nil); i++ {
		}
	}}
	c := catalog(t, &Options{Listing: ListAll, SkillTimeout: 20 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(log, nil))}, Mount{"m", endless})
	if page, err := c.List(t.Context(), ""); err == nil {
		t.Errorf("an endless walk gave a page of %d", len(page.Entries))
	}
	select {
	case <-returned:
	case <-time.After(5 * time.Second):
		t.Fatal("the walk goes on for nobody")
	}
	if n := strings.Count(log.String(), "\n"); n > maxRefusals {
		t.Errorf("%d lines are logged", n)
	}
}

func TestChangeOfANestedSkillIsOneOfTheEnclosingManifest(t *testing.T) {
	change := func(m *memory) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.skills["a/b"] = &Skill{Files: []File{TextFile("SKILL.md", skillMD("a/b", "Changed"))}}
	}
	agree := func(t *testing.T, c *Catalog) {
		t.Helper()
		content, err := c.Read(t.Context(), "skill://m/a/b/SKILL.md")
		if err != nil {
			t.Fatal(err)
		}
		e, err := c.Get(t.Context(), "skill://m/a/SKILL.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range e.Resources {
			if r.URI == "skill://m/a/b/SKILL.md" && r.Digest != DigestOf(content.Bytes) {
				t.Error("the enclosing manifest has another digest than the file")
			}
		}
	}
	t.Run("seen at a read", func(t *testing.T) {
		m := memoryOf("a", "a/b")
		c := catalog(t, &Options{ContentCacheBytes: 1}, Mount{"m", m})
		agree(t, c)
		change(m)
		agree(t, c)
	})
	t.Run("seen after MaxAge", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := memoryOf("a", "a/b")
			c := catalog(t, nil, Mount{"m", m})
			if _, err := c.Get(t.Context(), "skill://m/a/b/SKILL.md"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(40 * time.Second)
			agree(t, c) // the enclosing skill is younger than the nested one
			change(m)
			time.Sleep(40 * time.Second)
			agree(t, c)
		})
	})
}

type announced struct {
	*memory
	begun chan struct{}
}

func (a announced) Watch(ctx context.Context, _ func(string)) error {
	close(a.begun)
	<-ctx.Done()
	return nil
}

func TestSkillMadeBeforeItsSourceWasWatchedIsAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := announced{memoryOf("x"), make(chan struct{})}
		c := catalog(t, nil, Mount{"m", g})
		get := func() string {
			e, err := c.Get(t.Context(), "skill://m/x/SKILL.md")
			if err != nil {
				t.Fatal(err)
			}
			return e.Frontmatter.Description
		}
		get()
		g.skills["x"] = &Skill{Files: []File{TextFile("SKILL.md", skillMD("x", "Changed"))}} // nobody watches yet
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { _ = c.Watch(ctx) }()
		<-g.begun
		time.Sleep(2 * time.Minute)
		if got := get(); got != "Changed" {
			t.Errorf("description %q", got)
		}
		calls := g.calls.Load()
		time.Sleep(time.Hour)
		get()
		if g.calls.Load() != calls {
			t.Error("a watched skill was asked for again")
		}
	})
}

type panicking struct{}

func (panicking) Skill(context.Context, string) (*Skill, error) { panic("out of luck") }

func TestPanicOfAGeneratorIsReportedOnce(t *testing.T) {
	log := &testWriter{t: t}
	c := catalog(t, &Options{Logger: slog.New(slog.NewTextHandler(log, nil))}, Mount{"m", panicking{}})
	for range 3 {
		if _, err := c.Get(t.Context(), "skill://m/x/SKILL.md"); err == nil {
			t.Error("no error")
		}
		c.failures.purge()
	}
	if n := strings.Count(log.String(), "skill failed"); n != 1 {
		t.Errorf("reported %d times", n)
	}
}

func TestSkillThatWasNotAskedForIsAskedForAsSoonAsThereIsRoom(t *testing.T) {
	c := catalog(t, nil, Mount{"m", memoryOf("x")})
	m, _, _ := c.owner("m/x")
	for i := range maxAbandoned {
		m.guard.abandoned[fmt.Sprint(i)] = true
	}
	if _, err := c.Get(t.Context(), c.URI("m/x")); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	clear(m.guard.abandoned)
	if _, err := c.Get(t.Context(), c.URI("m/x")); err != nil {
		t.Error(err)
	}
}
