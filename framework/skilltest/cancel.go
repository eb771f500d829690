package skilltest

import (
	"context"
	"errors"
	"slices"

	"github.com/apiskills/apiskills/framework"
)

// An early is what the generator answered, before all other calls, under a context
// that had ended.
type early struct {
	asked    bool
	paths    listing
	featured named
}

// A named is a list of paths, or why there is none.
type named struct {
	paths []string
	err   error
}

// whileCancelled calls what is called once per generator under a context that has
// ended.
func (c *checker) whileCancelled() (e early) {
	ok := true
	if c.lister != nil {
		e.paths, ok = c.paths(c.cancelled(), "", maxPaths, nil)
	}
	if f, is := framework.As[framework.Featurer](c.g); is && ok {
		e.featured, ok = c.askFeatured(c.cancelled(), f)
	}
	e.asked = ok
	return e
}

func (c *checker) askFeatured(ctx context.Context, f framework.Featurer) (named, bool) {
	return do(c, ctx, site{call: "Featured"}, func(ctx context.Context) named {
		paths, err := f.Featured(ctx)
		return named{slices.Clone(paths), lookInto(err)}
	})
}

// compareCancelled holds what was answered under a context that had ended against
// what is right.
func (c *checker) compareCancelled(e early) {
	if !e.asked || c.over {
		return
	}
	c.comparePaths("Paths", e.paths, "under a context that has ended")
	if e.featured.err == nil && len(c.faults["featured"]) == 0 && !slices.Equal(e.featured.paths, c.featured) {
		c.fault("cancellation", "", "", "under a context that has ended Featured returns %d paths and no error, where %d are right; return the error of the context", len(e.featured.paths), len(c.featured))
	}
}

// comparePaths checks an iteration whose context ended: it has an error, or is
// whole.
func (c *checker) comparePaths(call string, l listing, when string) {
	if !c.steady || !c.whole {
		return
	}
	n := min(len(l.paths), len(c.listed))
	if l.err == nil && len(l.paths) < len(c.listed) || !slices.Equal(l.paths, c.listed[:n]) {
		c.fault("cancellation", "", "", "%s %s yields %d of the %d paths and no error, as if that were all; yield the error of the context", when, call, len(l.paths), len(c.listed))
	}
}

// checkCancelledWalk ends the context of an iteration after the first path.
func (c *checker) checkCancelledWalk() {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	if l, ok := c.paths(ctx, "", maxPaths, cancel); ok {
		c.comparePaths("Paths", l, "when its context ends after the first path")
	}
}

// checkCancelled holds a reading whose context ended against the right one: it may
// have failed, but not have other bytes.
func (c *checker) checkCancelled(known, r *reading) {
	if c.unstable[known.path] {
		return
	}
	fail := func(file, format string, args ...any) {
		c.unstable[known.path] = true
		c.fault("cancellation", known.path, file, "under a context that has ended "+format+"; return the error of the context", args...)
	}
	switch {
	case r.err != nil && errors.Is(r.err, framework.ErrNotFound):
		fail("", "Skill answers that the skill is not there: %v", r.err)
		return
	case r.err != nil || known.skill.Dynamic:
		return
	case r.skill.Dynamic:
		fail("", "the skill is dynamic, which it is not otherwise")
		return
	}
	for _, f := range r.files {
		k := known.file(f.name)
		switch {
		case k == nil:
			fail(f.name, "the skill has this file, which it has not otherwise")
		case f.err == nil && k.err == nil && f.digest != k.digest:
			fail(f.name, "Content returns %d bytes and no error, but not the right ones", f.size)
		default:
			continue
		}
		return
	}
	for _, k := range known.files {
		if r.file(k.name) == nil {
			fail(k.name, "the skill has not this file")
			return
		}
	}
}

// checkFuses ends the context of some skills in the midst of calls, wherever the
// generator looks at it, and asks again.
func (c *checker) checkFuses() {
	if len(c.faults["order"]) > 0 {
		return // it depends on other calls anyway
	}
	for i := range spread(len(c.sample), maxFew) {
		if r := c.readings[c.sample[i]]; r != nil {
			c.checkFuse(r)
		}
	}
}

func (c *checker) checkFuse(r *reading) {
	for n := range int64(3) {
		ctx := newFuse(c.ctx, n+1)
		cut, ok := c.read(ctx, r.path)
		ctx.cancel()
		if !ok {
			return
		}
		c.checkCancelled(r, cut)
	}
	if after, ok := c.read(c.ctx, r.path); ok {
		c.same("cancellation-kept", r, after, "after calls whose contexts ended", "keep nothing that such a call made, nor its error")
	}
}

// keptCancel reports an error that a call got from another call's context.
func (c *checker) keptCancel(path, file, call string, err error) bool {
	if !errors.Is(err, context.Canceled) || c.ctx.Err() != nil {
		return false
	}
	c.unstable[path] = true
	c.fault("cancellation-kept", path, file, "after a call under a context that had ended %s fails under another one: %v; remember no error of a context", call, err)
	return true
}
