package framework

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// counted counts what is asked of a numbered source, and may hold renders up.
type counted struct {
	numbered
	walks   atomic.Int64
	renders atomic.Int64
	hold    chan struct{} // nil: nothing is held up
}

func (g *counted) Skill(ctx context.Context, path string) (*Skill, error) {
	g.renders.Add(1)
	if g.hold != nil {
		<-g.hold
	}
	return g.numbered.Skill(ctx, path)
}

func (g *counted) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	g.walks.Add(1)
	return g.numbered.Paths(ctx, after)
}

// lastCursor leads to the last page of size skills of a numbered source that is
// mounted at x.
func lastCursor(n, size int) string {
	return cursor{"skills/list", n / size, sectionRest, "x/" + (&numbered{n: n}).path(n-size-1)}.encode()
}

// TestPageCostsNoMoreInALargeCatalog counts the paths that a page looks at, the
// times that the source is walked, and the skills that it makes.
func TestPageCostsNoMoreInALargeCatalog(t *testing.T) {
	type cost struct{ walks, paths, renders int }
	page := func(n int, cursor string, more bool) cost {
		g := &counted{numbered: numbered{n: n}}
		c := catalog(t, &Options{Listing: ListAll, PageSize: 100, MaxPages: -1}, Mount{"x", g})
		p, err := c.List(t.Context(), cursor)
		if err != nil || len(p.Entries) == 0 || (p.NextCursor != "") != more {
			t.Fatalf("%d skills: %d entries, %v", n, len(p.Entries), err)
		}
		return cost{int(g.walks.Load()), int(g.yielded.Load()), int(g.renders.Load())}
	}
	small, large, last := page(1000, "", true), page(1_000_000, "", true), page(1_000_000, lastCursor(1_000_000, 100), false)
	if large != small {
		t.Errorf("a page costs %+v among 1,000,000 skills, %+v among 1,000", large, small)
	}
	if last.renders > small.renders || last.walks > small.walks || last.paths > small.paths {
		t.Errorf("the last page costs %+v, the first %+v", last, large)
	}
}

// TestMillion lists, gets, reads and walks a source of a million skills, of which
// the catalog keeps nothing that nobody asked for.
func TestMillion(t *testing.T) {
	const n = 1_000_000
	const budget = 64 * n // bytes, for all of them
	g := &numbered{n: n}
	before := liveHeap()
	c := catalog(t, &Options{Listing: ListAll, PageSize: 100, MaxPages: -1}, Mount{"x", g})
	cursor := ""
	for range 5 {
		page, err := c.List(t.Context(), cursor)
		if err != nil || len(page.Entries) != 100 {
			t.Fatal(page, err)
		}
		cursor = page.NextCursor
	}
	end, err := c.List(t.Context(), lastCursor(n, 100))
	if err != nil || end.NextCursor != "" || len(end.Entries) != 100 || end.Entries[99].URI != c.URI("x/"+g.path(n-1)) {
		t.Fatal(len(end.Entries), end.NextCursor, err)
	}
	for _, i := range []int{0, n / 2, n - 1} {
		uri := c.URI("x/" + g.path(i))
		if e, err := c.Get(t.Context(), uri); err != nil || e.URI != uri {
			t.Error(e, err)
		}
		if content, err := c.Read(t.Context(), uri); err != nil || len(content.Bytes) == 0 {
			t.Error(content, err)
		}
	}
	if _, err := c.Get(t.Context(), c.URI("x/"+g.path(n))); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	root, err := c.ReadDirectory(t.Context(), "skill://x", "")
	if err != nil || len(root.Resources) != n/1000 {
		t.Fatal(root, err)
	}
	group, err := c.ReadDirectory(t.Context(), root.Resources[999].URI, "")
	if err != nil || len(group.Resources) != 1000 {
		t.Fatal(group, err)
	}
	if grown := liveHeap() - before; grown > budget {
		t.Errorf("the catalog keeps %d bytes, %d for each skill", grown, grown/n)
	} else {
		t.Logf("the catalog keeps %d bytes", grown)
	}
	runtime.KeepAlive(c)
}

// liveHeap is what is on the heap and in use.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestConcurrentMissesRenderOnce has 64 callers ask for a skill that is not known,
// and holds its rendering until all of them have asked.
func TestConcurrentMissesRenderOnce(t *testing.T) {
	g := &counted{numbered: numbered{n: 1000}, hold: make(chan struct{})}
	c := catalog(t, nil, Mount{"x", g})
	var asking sync.WaitGroup
	errs := make(chan error, 64)
	for range 64 {
		asking.Add(1)
		go func() {
			asking.Done()
			_, err := c.Get(t.Context(), c.URI("x/"+g.path(7)))
			errs <- err
		}()
	}
	asking.Wait()
	// Whoever comes late finds the skill, so that the count holds all the same.
	time.Sleep(10 * time.Millisecond)
	close(g.hold)
	for range 64 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := g.renders.Load(); n != 1 {
		t.Errorf("64 requests at once made the skill %d times", n)
	}
	if s := c.Stats(); s.Renders != 1 {
		t.Errorf("%d renders are counted", s.Renders)
	}
}

// TestWarmPageAllocatesNoMoreForMoreSkills has a page that is kept be returned as
// it is, and one that is put together anew take its paths and little else.
func TestWarmPageAllocatesNoMoreForMoreSkills(t *testing.T) {
	allocations := func(size int, watched bool) float64 {
		g := Generator(&numbered{n: 5000})
		if watched {
			g = still{g.(*numbered)}
		}
		c := catalog(t, &Options{Listing: ListAll, PageSize: size}, Mount{"x", g})
		if watched {
			go c.Watch(t.Context())
			for !c.keepsPages() {
				time.Sleep(time.Millisecond)
			}
		}
		list := func() {
			if p, err := c.List(t.Context(), ""); err != nil || len(p.Entries) != size {
				t.Fatal(p, err)
			}
		}
		list()
		return testing.AllocsPerRun(20, list)
	}
	if few, many := allocations(10, true), allocations(1000, true); many > 0 || few > 0 {
		t.Errorf("a page that is kept allocates %v times for 10 skills, %v for 1,000", few, many)
	}
	// The source allocates for each path, and so does the mount's prefix.
	if few, many := allocations(10, false), allocations(1000, false); many-few > 5*990 {
		t.Errorf("a page allocates %v times for 10 skills, %v for 1,000", few, many)
	} else {
		t.Log(fmt.Sprint("not kept: ", few, ", ", many))
	}
}

// still is a source that is watched and does not change.
type still struct{ *numbered }

func (still) Watch(ctx context.Context, _ func(string)) error {
	<-ctx.Done()
	return nil
}
