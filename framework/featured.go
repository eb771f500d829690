package framework

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// maxFeatured bounds the skills that are featured: each page of a listing goes
// over them.
const maxFeatured = 2048

// A featuredList has the paths of the skills to list first, each once, whoever
// asks.
type featuredList struct {
	paths      []string
	generators int  // how many of them generators feature; the others are of Options.Featured
	partial    bool // a generator's are missing, since its Featured failed
	until      time.Time
	generation uint64
}

// FeaturedURIs returns the URIs of the featured skills that the caller may see:
// of those that the generators feature, guides as a rule, then of
// Options.Featured. None of them is made. Where a generator's Featured fails, what
// that one features is left out; the error is that of a generator's Paths.
func (c *Catalog) FeaturedURIs(ctx context.Context) ([]string, error) {
	c.ready()
	paths, _, err := c.featured(ctx, true)
	uris := make([]string, len(paths))
	for i, p := range paths {
		uris[i] = c.URI(p)
	}
	return uris, err
}

// featured returns the paths of the skills that generators feature, and with
// options those of Options.Featured, as far as the caller may see them, and
// whether no generator's are missing. Callers do not change it.
func (c *Catalog) featured(ctx context.Context, options bool) (paths []string, whole bool, err error) {
	list, err := c.featuredNow(ctx)
	if err != nil {
		return nil, false, err
	}
	paths = list.paths
	if !options {
		paths = paths[:list.generators]
	}
	if c.opts.Allow != nil {
		paths = slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !c.opts.Allow(ctx, p) })
	}
	return paths, !list.partial, nil
}

// featuredNow returns the list as it is now. However many ask at once, it is
// gathered once: a glob can walk all paths.
func (c *Catalog) featuredNow(ctx context.Context) (*featuredList, error) {
	generation := c.generation.Load()
	known := func() *featuredList {
		if list := c.begin.Load(); list != nil && list.generation == generation && time.Now().Before(list.until) {
			return list
		}
		return nil
	}
	if list := known(); list != nil {
		return list, nil
	}
	flight := c.flights.DoChan(fmt.Sprintf("featured %d", generation), func() (any, error) {
		if list := known(); list != nil { // gathered between the look and the flight
			return list, nil
		}
		list := &featuredList{until: time.Now().Add(c.opts.MaxAge), generation: generation}
		// Not the caller's context: others wait for the same list.
		if err := c.gatherFeatured(context.Background(), list); err != nil {
			return nil, err
		}
		c.begin.Store(list)
		return list, nil
	})
	select {
	case result := <-flight:
		if result.Err != nil {
			return nil, result.Err
		}
		return result.Val.(*featuredList), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *Catalog) gatherFeatured(ctx context.Context, list *featuredList) error {
	known := map[string]bool{}
	add := func(path string) {
		switch {
		case known[path]:
		case len(list.paths) == maxFeatured:
			c.report("", "featured skills cut off", fmt.Errorf("no more than %d skills are listed first", maxFeatured))
		default:
			known[path] = true
			list.paths = append(list.paths, path)
		}
	}
	for _, m := range c.mounts.Load().byPrefix() {
		f, ok := As[Featurer](m.gen)
		if !ok {
			continue
		}
		var paths []string
		err := m.guard.do(ctx, "featured skills", func(ctx context.Context) (err error) {
			paths, err = f.Featured(ctx)
			return err
		})
		if err != nil { // the other mounts' are listed all the same
			c.report("", "featured skills left out", fmt.Errorf("those of the mount %q: %w", m.prefix, err))
			if again := time.Now().Add(ageOf(err)); again.Before(list.until) {
				list.until = again
			}
			list.partial = true
			continue
		}
		for _, rel := range paths {
			path := m.path(rel)
			if owner, _, ok := c.owner(path); ok && owner == m {
				add(path)
			}
		}
	}
	list.generators = len(list.paths)
	for _, pattern := range c.opts.Featured {
		paths, err := c.matching(ctx, pattern)
		if err != nil {
			return err
		}
		if len(paths) == 0 {
			c.report(pattern, "featured skill is not served", ErrNotFound)
		}
		for _, p := range paths {
			add(p)
		}
	}
	return nil
}

func isGlob(pattern string) bool { return strings.ContainsAny(pattern, `*?[{\`) }

// matching returns the served skills whose paths match a pattern, ascending. A
// path that cannot be enumerated is taken for one that is served.
func (c *Catalog) matching(ctx context.Context, pattern string) ([]string, error) {
	if !isGlob(pattern) {
		if m, _, ok := c.owner(pattern); ok && m.lister == nil {
			return []string{pattern}, nil
		}
		if validSkillPath(pattern) != nil {
			return nil, nil
		}
		paths, _, err := c.take(ctx, c.guard, beforePath(pattern), pattern+"\x00", 1, nil)
		return paths, err
	}
	after, before := "", above
	if base, _ := doublestar.SplitPattern(pattern); base != "." {
		after, before = base+"/", base+"/"+above
	}
	return c.takeAll(ctx, c.guard, after, before, maxFeatured+1, func(p string) bool { return doublestar.MatchUnvalidated(pattern, p) })
}
