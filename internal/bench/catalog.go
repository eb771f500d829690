package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi"
)

// numbered is a generator of n skills that keeps nothing: the name of a skill is
// its number.
type numbered int

const width = 7 // of a number

func (n numbered) path(i int) string { return fmt.Sprintf("skill-%0*d", width, i) }

func (n numbered) Skill(_ context.Context, path string) (*framework.Skill, error) {
	digits, ok := strings.CutPrefix(path, "skill-")
	i, err := strconv.Atoi(digits)
	if !ok || err != nil || i < 0 || i >= int(n) || n.path(i) != path {
		return nil, framework.ErrNotFound
	}
	text := "---\nname: " + path + "\ndescription: What to do with number " + digits + "\n---\n# Number\n"
	return &framework.Skill{Files: []framework.File{framework.TextFile("SKILL.md", text)}, Version: "1"}, nil
}

func (n numbered) Paths(_ context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		lo, hi := 0, int(n)
		for lo < hi {
			if mid := (lo + hi) / 2; n.path(mid) <= after {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		for i := lo; i < int(n); i++ {
			if !yield(n.path(i), nil) {
				return
			}
		}
	}
}

const (
	small = 1_000
	large = 1_000_000
)

func newCatalog(n numbered, allow func(context.Context, string) bool) (*framework.Catalog, error) {
	return framework.NewCatalog([]framework.Mount{{Prefix: "numbers", Generator: n}}, &framework.Options{
		Listing: framework.ListAll, PageSize: 100, MaxPages: -1, MaxAge: time.Hour, Allow: allow, Logger: slog.New(slog.DiscardHandler),
	})
}

// lastCursor leads to the last page, of 100 skills. It comes from a catalog that
// shows no more than the last two: a cursor is a position, the same in each
// catalog.
func lastCursor(ctx context.Context, n numbered) (string, error) {
	from := "numbers/" + n.path(int(n)-200)
	c, err := newCatalog(n, func(_ context.Context, path string) bool { return path >= from })
	if err != nil {
		return "", err
	}
	for cursor := ""; ; {
		page, err := c.List(ctx, cursor)
		if err != nil {
			return "", err
		}
		if len(page.Entries) == 100 {
			return page.NextCursor, nil
		}
		if cursor = page.NextCursor; cursor == "" {
			return "", errors.New("the listing ended without a skill")
		}
	}
}

// measurePages measures pages whose skills are known but that are put together
// anew, since the source is not watched.
func measurePages(ctx context.Context, b *bench) ([]sample, error) {
	many, err := newCatalog(large, nil)
	if err != nil {
		return nil, err
	}
	few, err := newCatalog(small, nil)
	if err != nil {
		return nil, err
	}
	end, err := lastCursor(ctx, large)
	if err != nil {
		return nil, err
	}
	if page, err := many.List(ctx, end); err != nil || len(page.Entries) != 100 || page.NextCursor != "" {
		return nil, fmt.Errorf("there is no last page of 100 skills (%w)", err)
	}
	least := func(c *framework.Catalog, cursor string) (time.Duration, error) {
		best := time.Duration(1<<63 - 1)
		for range 5 {
			n := b.times(100)
			start := time.Now()
			for range n {
				if _, err := c.List(ctx, cursor); err != nil {
					return 0, err
				}
			}
			best = min(best, time.Since(start)/time.Duration(n))
		}
		return best, nil
	}
	var times [3]float64
	for i, p := range []struct {
		c      *framework.Catalog
		cursor string
	}{{many, end}, {many, ""}, {few, ""}} {
		t, err := least(p.c, p.cursor)
		if err != nil {
			return nil, err
		}
		times[i] = float64(t.Nanoseconds()) / 1000
	}
	return []sample{over(times[0], times[1]), over(times[1], times[2])}, nil
}

// heap is what lives on it.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

func measureHeap(ctx context.Context, b *bench) ([]sample, error) {
	before := heap()
	c, err := newCatalog(large, nil)
	if err != nil {
		return nil, err
	}
	end, err := lastCursor(ctx, large)
	if err != nil {
		return nil, err
	}
	for _, cursor := range []string{"", end} {
		if _, err := c.List(ctx, cursor); err != nil {
			return nil, err
		}
	}
	catalog := (heap() - before) / large
	runtime.KeepAlive(c)

	document := b.document
	if document == "" {
		document = b.synthetic
	}
	data, err := os.ReadFile(document)
	if err != nil {
		return nil, err
	}
	// Once before: what is made at the first use of a package is not the index.
	if _, err := openapi.New("first.json", synthetic(1), nil); err != nil {
		return nil, err
	}
	before = heap()
	g, err := openapi.New(document, data, nil)
	if err != nil {
		return nil, err
	}
	index := heap() - before
	n := 0
	for range g.Paths(ctx, "") {
		n++
	}
	runtime.KeepAlive(g)
	runtime.KeepAlive(data)
	return []sample{{value: catalog}, {value: index / float64(n)}}, nil
}
