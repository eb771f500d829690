package framework

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestFeaturedTakesGlobs(t *testing.T) {
	g := memoryOf("guide", "pets/add-pet", "pets/get-pet", "orders/get-order", "deep/er/get-it")
	for _, test := range []struct {
		patterns []string
		want     []string
	}{
		{[]string{"x/pets/*"}, []string{"x/pets/add-pet", "x/pets/get-pet"}},
		{[]string{"x/orders/get-order", "x/**/get-*"}, []string{"x/orders/get-order", "x/deep/er/get-it", "x/pets/get-pet"}},
		{[]string{"x/{pets,orders}/get-*", "x/none/*"}, []string{"x/orders/get-order", "x/pets/get-pet"}},
		{[]string{"*/guide"}, []string{"x/guide"}},
	} {
		c := catalog(t, &Options{Listing: ListFeatured, Featured: test.patterns}, Mount{"x", g})
		got, _, err := c.featured(t.Context(), true)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, %v", test.patterns, got, err)
		}
	}
	if _, err := NewCatalog(nil, &Options{Featured: []string{"x/[a"}}); err == nil {
		t.Error("a glob that is none is accepted")
	}
}

func TestPageIsKeptUntilAChangeIsTold(t *testing.T) {
	g := watched{memoryOf("a", "b"), make(chan string)}
	c := catalog(t, &Options{Listing: ListAll}, Mount{"x", g})
	takenIn := make(chan struct{}, 1)
	c.OnChange(func() { takenIn <- struct{}{} })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go c.Watch(ctx)
	g.changes <- "" // it is running
	<-takenIn

	list := func() *Page {
		page, err := c.List(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	first := list()
	if again := list(); again != first {
		t.Error("the page is made twice")
	}
	g.mu.Lock()
	g.skills["c"] = simple("c")
	g.skills["a"] = &Skill{Files: []File{TextFile("SKILL.md", skillMD("a", "Something else"))}}
	g.mu.Unlock()
	g.changes <- ""
	<-takenIn
	page := list()
	if len(page.Entries) != 3 || page.Entries[0].Frontmatter.Description != "Something else" {
		t.Errorf("the page is of before the change: %v", page)
	}
}

func TestPageIsNotKeptWhereItMayChangeUntold(t *testing.T) {
	g := memoryOf("a")
	broken := memoryOf("a", "b")
	broken.skills["b"] = &Skill{}
	changes := make(chan string)
	for name, c := range map[string]*Catalog{
		"nobody watches":    catalog(t, &Options{Listing: ListAll}, Mount{"x", g}),
		"it is per caller":  catalog(t, &Options{Listing: ListAll, Allow: allowByPrefix}, Mount{"x", watched{g, changes}}),
		"a skill is failed": catalog(t, &Options{Listing: ListAll}, Mount{"x", watched{broken, changes}}),
	} {
		ctx, cancel := context.WithCancel(as(t, "x/"))
		changed := make(chan struct{}, 8)
		c.OnChange(func() { changed <- struct{}{} })
		done := make(chan error, 1)
		go func() { done <- c.Watch(ctx) }()
		if name != "nobody watches" {
			changes <- ""
			<-changed
		}
		first, err := c.List(ctx, "")
		if err != nil || len(first.Entries) != 1 {
			t.Errorf("%s: %v, %v", name, first, err)
		}
		if again, _ := c.List(ctx, ""); again == first {
			t.Errorf("%s, and the page is kept", name)
		}
		cancel()
		<-done
	}
}

// counting counts how often it is asked what it features, and holds that up.
type counting struct {
	*memory
	asked atomic.Int32
	hold  chan struct{}
}

func (g *counting) Featured(context.Context) ([]string, error) {
	g.asked.Add(1)
	<-g.hold
	return []string{"a"}, nil
}

func TestFeaturedSkillsAreGatheredOnceHoweverManyAsk(t *testing.T) {
	g := &counting{memory: memoryOf("a"), hold: make(chan struct{})}
	c := catalog(t, nil, Mount{"x", g})
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if uris, err := c.FeaturedURIs(t.Context()); err != nil || len(uris) != 1 {
				t.Errorf("%q, %v", uris, err)
			}
		})
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.FeaturedURIs(gone); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(g.hold)
	wg.Wait()
	if n := g.asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// guided features what a function says.
type guided struct {
	*memory
	featured func() ([]string, error)
}

func (g guided) Featured(context.Context) ([]string, error) { return g.featured() }

func TestMountWhoseFeaturedFailsIsLeftOutAloneAndLoggedOnce(t *testing.T) {
	well := guided{memoryOf("guide", "z"), func() ([]string, error) { return []string{"guide"}, nil }}
	for name, fails := range map[string]func() ([]string, error){
		"an error": func() ([]string, error) { return []string{"x"}, errors.New("the database is down") },
		"a panic":  func() ([]string, error) { panic("out of luck") },
	} {
		for mode, want := range map[Listing][]string{
			ListFeatured: {"skill://well/guide/SKILL.md", "skill://faulty/y/SKILL.md"},
			ListAll:      {"skill://well/guide/SKILL.md", "skill://faulty/y/SKILL.md", "skill://faulty/x/SKILL.md", "skill://well/z/SKILL.md"},
		} {
			log := &testWriter{t: t}
			c := catalog(t, &Options{Listing: mode, Featured: []string{"faulty/y"}, Logger: slog.New(slog.NewTextHandler(log, nil))},
				Mount{"faulty", guided{memoryOf("x", "y"), fails}}, Mount{"well", well})
			for range 3 {
				if got, _ := listAll(t, c); !slices.Equal(got, want) {
					t.Errorf("%s, %s:\ngot  %q\nwant %q", name, mode, got, want)
				}
				c.begin.Store(nil) // gathered anew
			}
			if n := strings.Count(log.String(), "featured skills left out"); n != 1 || !strings.Contains(log.String(), "faulty") {
				t.Errorf("%s, %s: logged %d times: %s", name, mode, n, log)
			}
		}
	}
}

func TestFeaturedSkillsThatFailedAreAskedForAgainSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		down.Store(true)
		changes := make(chan string)
		c := catalog(t, &Options{Listing: ListAll}, Mount{"x", struct {
			guided
			Watcher
		}{guided{memoryOf("a", "guide"), func() ([]string, error) {
			if down.Load() {
				return nil, errors.New("the database is down")
			}
			return []string{"guide"}, nil
		}}, watched{nil, changes}}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { _ = c.Watch(ctx) }()
		synctest.Wait() // pages are kept from here on
		if got, _ := listAll(t, c); len(got) != 2 {
			t.Errorf("got %q", got)
		}
		down.Store(false)
		time.Sleep(failureAge)
		if got, _ := listAll(t, c); len(got) != 2 || got[0] != "skill://x/guide/SKILL.md" {
			t.Errorf("got %q", got)
		}
	})
}
