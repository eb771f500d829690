package skilltest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/internal/printable"
)

// above is greater than each path: what a catalog begins at to skip a directory.
const above = "\U0010FFFF"

// A listing is what an iteration over paths yielded.
type listing struct {
	paths []string
	err   error
	late  int // calls of yield after it returned false, or after the error
}

// collect runs an iteration until it has limit paths. It calls first, unless nil,
// when it has one. It does not range over seq: the runtime panics where an
// iterator goes on too long.
func collect(seq iter.Seq2[string, error], limit int, first func()) (l listing) {
	ended := false
	seq(func(path string, err error) bool {
		switch {
		case ended:
			l.late++
			return false
		case err != nil:
			l.err, ended = lookInto(err), true
			return false
		}
		l.paths = append(l.paths, path)
		if first != nil && len(l.paths) == 1 {
			first()
		}
		ended = len(l.paths) == limit
		return !ended
	})
	return l
}

// paths begins an iteration and collects up to limit paths of it.
func (c *checker) paths(ctx context.Context, after string, limit int, first func()) (listing, bool) {
	return do(c, ctx, site{call: "Paths"}, func(ctx context.Context) listing {
		return collect(c.lister.Paths(ctx, after), limit, first)
	})
}

// walk takes all paths that the generator yields.
func (c *checker) walk() {
	if c.lister == nil {
		return
	}
	l, ok := c.paths(c.ctx, "", maxPaths, nil)
	if !ok {
		return
	}
	switch {
	case l.err == nil:
	case errors.Is(l.err, context.Canceled):
		c.fault("cancellation-kept", "", "", "after a call under a context that had ended Paths fails under another one: %v; remember no error of a context", l.err)
	default:
		c.fault("paths-failed", "", "", "Paths fails after %d paths: %v; then nothing is listed at all, so leave out what cannot be read, and report it as a diagnostic", len(l.paths), l.err)
	}
	c.whole = l.err == nil && len(l.paths) < maxPaths
	c.steady = l.err == nil
	for i, p := range l.paths {
		if i > 0 && p <= l.paths[i-1] {
			c.fault("paths-order", p, "", "Paths yields it after %.100q; yield each path once, in ascending bytewise order, as slices.Sort has it", l.paths[i-1])
		}
	}
	c.listed = l.paths
	if len(c.faults["paths-order"]) > 0 {
		c.steady = false
		c.listed = slices.Compact(slices.Sorted(slices.Values(l.paths)))
	}
	c.refuse(c.listed)
}

// refuse reports those of some ascending paths at which no skill can be.
func (c *checker) refuse(paths []string) {
	reasons := refusedPaths(paths)
	for _, p := range paths {
		reason, ok := reasons[p]
		if !ok {
			continue
		}
		if reason == "" {
			reason = "a catalog does not take it"
		}
		c.refused[p] = true
		c.fault("path", p, "", "no skill can be at this path: %s; make paths of segments joined by slashes, the last of lower-case letters, digits and single hyphens, at most 64 of them", reason)
	}
}

// checkLister checks how the paths are enumerated.
func (c *checker) checkLister() {
	if !c.steady {
		return
	}
	if c.checkRepeat(); !c.steady {
		return
	}
	c.checkBreak()
	c.checkCancelledWalk()
	for i := range spread(len(c.listed), maxSeeks) {
		c.seek(c.listed[i], 1)
	}
	for i := range spread(len(c.listed), 8) {
		c.seek(c.listed[i], 1000)
	}
	for i := range spread(len(c.listed), 64) {
		p := c.listed[i]
		last := len(p) - 1
		for _, after := range []string{p + "-", p + "/", p + "/" + above, p + "\x00", p[:last], p[:last] + string(rune(p[last]-1)) + above} {
			c.seek(after, 1)
		}
	}
	for _, after := range []string{"\x00", "!", "-", "0", "../..", "M", "zzzz", "~", strings.Repeat("m", 5000), "\xff\xfe", above} {
		c.seek(after, 1)
	}
}

// seek checks that an iteration that begins after a path yields what follows, and
// looks at n paths of it.
func (c *checker) seek(after string, n int) {
	at, found := slices.BinarySearch(c.listed, after)
	if found {
		at++
	}
	want := c.listed[at:min(at+n, len(c.listed))]
	if !c.whole && at+n > len(c.listed) {
		return
	}
	l, ok := c.paths(c.ctx, after, n, nil)
	switch {
	case !ok:
	case l.err != nil:
		c.steady = false
		c.fault("paths-after", "", "", "Paths after %.100q fails: %v; it must be able to begin at any path, also one that is not there", after, l.err)
	case !slices.Equal(l.paths, want):
		c.steady = false
		c.fault("paths-after", "", "", "Paths after %.100q yields %s where %s should come; yield each path that is greater, also after one that is not there", after, firstOther(l.paths, want), firstOther(want, l.paths))
	}
}

// firstOther describes the first of the paths that the others have not in its
// place.
func firstOther(paths, others []string) string {
	for i, p := range paths {
		if i >= len(others) || others[i] != p {
			return quote(p)
		}
	}
	return "nothing"
}

func quote(path string) string { return `"` + printable.Shorten(path) + `"` }

// checkRepeat ranges over one iteration twice, while a skill is made.
func (c *checker) checkRepeat() {
	type pair struct{ first, second listing }
	var making <-chan outcome[error]
	p, ok := do(c, c.ctx, site{call: "Paths"}, func(ctx context.Context) pair {
		seq := c.lister.Paths(ctx, "")
		return pair{collect(seq, maxPaths, nil), collect(seq, maxPaths, nil)}
	})
	if !ok {
		return
	}
	for _, l := range []listing{p.first, p.second} {
		if l.err != nil || !slices.Equal(l.paths, c.listed) {
			c.steady = false
			c.fault("paths-repeat", "", "", "Paths, when ranged over again, yields %s where it yielded %s before (%d paths, and %d before; error: %v); begin anew each time", firstOther(l.paths, c.listed), firstOther(c.listed, l.paths), len(l.paths), len(c.listed), l.err)
			return
		}
	}
	if len(c.listed) == 0 {
		return
	}
	// In a goroutine of its own: a source with one connection may let it wait.
	target := c.listed[0]
	begun := make(chan (<-chan outcome[error]), 1)
	l, ok := c.paths(c.ctx, "", maxPaths, func() {
		begun <- start(c.ctx, func(ctx context.Context) error {
			_, err := c.g.Skill(ctx, target)
			return err
		})
	})
	if !ok {
		return
	}
	select {
	case making = <-begun:
		if _, ok := wait(c, site{call: "Skill, called while paths are yielded,", path: target}, making); !ok {
			return
		}
	default:
	}
	if l.err != nil || !slices.Equal(l.paths, c.listed) {
		c.steady = false
		c.fault("paths-repeat", "", "", "while a skill is made Paths yields %s where it yielded %s before (error: %v); share nothing between the two", firstOther(l.paths, c.listed), firstOther(c.listed, l.paths), l.err)
	}
}

// checkBreak ends an iteration early.
func (c *checker) checkBreak() {
	for n := range 2 {
		l, ok := c.paths(c.ctx, "", n+1, nil)
		if ok && l.late > 0 {
			c.steady = false
			c.fault("paths-break", "", "", "Paths calls yield again after it returned false, at which a range loop panics; return then")
			return
		}
	}
}

// isListed reports whether the generator yields the path, as far as that is known.
func (c *checker) isListed(path string) bool {
	if c.lister == nil || !c.whole && (len(c.listed) == 0 || path > c.listed[len(c.listed)-1]) {
		return true
	}
	_, ok := slices.BinarySearch(c.listed, path)
	return ok
}

// below returns the listed paths of the skills nested in that at path.
func (c *checker) below(path string) []string {
	from, _ := slices.BinarySearch(c.listed, path+"/")
	to, _ := slices.BinarySearch(c.listed, path+"/"+above)
	return c.listed[from:to]
}
