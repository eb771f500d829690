package skilltest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/internal/printable"
)

// A Fault is a rule that a generator breaks, and where.
type Fault struct {
	// Rule is the id of the rule, as in the package documentation.
	Rule string
	// Path is that of the skill concerned, or "".
	Path string
	// File is the name of the file concerned in that skill, or "".
	File string
	// Message says what is wrong, and what to do about it.
	Message string
}

// Error formats f as "path: file: message (rule)".
func (f *Fault) Error() string {
	var b strings.Builder
	for _, place := range []string{f.Path, f.File} {
		if place != "" {
			b.WriteString(printable.Shorten(place) + ": ")
		}
	}
	b.WriteString(f.Message + " (" + f.Rule + ")")
	return b.String()
}

// TestGenerator checks that g keeps the rules of the package documentation, and
// returns all faults that it finds, joined: each is a [*Fault]. The paths are
// those of skills that must be there. A generator that is no Lister is checked by
// these alone, so it needs one at least.
//
// The first call for a skill is one under a context that has ended, so that
// cancellations that g remembers are found: g must be fresh for that. A call
// that does not return within a minute, or before ctx ends, is a fault, and ends
// the test.
func TestGenerator(ctx context.Context, g framework.Generator, paths ...string) error {
	c := newChecker(ctx, g)
	c.run(paths)
	return c.err()
}

// Run runs [TestGenerator] on a generator that newGenerator returns, and fails t
// with each fault. Then it compares another generator with the first, which it asks
// for skills in the opposite order, so newGenerator must return one of
// the same source at each call. Under the race detector this is also a test for
// data races.
//
// The calls get the context of t; where t has a deadline they end before it, so
// that what hangs is reported.
func Run(t testing.TB, newGenerator func(testing.TB) framework.Generator, paths ...string) {
	t.Helper()
	ctx, cancel := testContext(t)
	defer cancel()
	for _, err := range check(ctx, func() framework.Generator { return newGenerator(t) }, paths) {
		t.Error(err)
	}
}

// check runs all checks, and returns the faults.
func check(ctx context.Context, newGenerator func() framework.Generator, paths []string) []error {
	c := newChecker(ctx, newGenerator())
	c.run(paths)
	c.compareInstance(newGenerator())
	return c.all()
}

// testContext returns the context of t, with an end before that of the test.
func testContext(t testing.TB) (context.Context, context.CancelFunc) {
	timed, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return context.WithCancel(t.Context())
	}
	deadline, ok := timed.Deadline()
	if !ok {
		return context.WithCancel(t.Context())
	}
	return context.WithDeadline(t.Context(), deadline.Add(-time.Until(deadline)/10))
}

// run checks everything that one generator can show.
func (c *checker) run(paths []string) {
	if c.g == nil {
		c.over = true
		c.fault("expected-path", "", "", "the generator is nil; return one")
		return
	}
	early := c.whileCancelled()
	endWatch := c.beginWatch()
	defer endWatch() // also where the test is over
	c.walk()
	c.given = slices.Compact(slices.Sorted(slices.Values(paths)))
	c.featured = c.checkFeatured()
	c.compareCancelled(early)
	c.choose()
	for _, p := range c.sample {
		c.checkSkill(p)
	}
	c.checkLister()
	c.checkOrder()
	c.checkKept()
	c.checkFuses()
	c.checkConcurrency()
	c.checkUnknown()
	c.checkTemplates()
	c.checkSummaries()
	c.checkDiagnostics()
	c.checkCatalog()
}

// Bounds of one test.
const (
	maxPaths  = 1 << 20 // that are walked
	maxSample = 48      // of the skills that are made, besides those given and featured
	maxFew    = 16      // of those, that are made under contexts that end, and at once
	maxSeeks  = 2048    // paths after which an iteration is begun
	maxFaults = 10      // of one rule that are reported
	maxKept   = 8 << 20 // bytes of files that are kept to the end
	maxLinked = 1 << 20 // bytes of a Markdown file in which links are looked for
	callLimit = time.Minute
)

// choose chooses the skills that are made: those given, those featured, and of
// the others some that are spread evenly.
func (c *checker) choose() {
	named := slices.Concat(c.given, c.featured[:min(len(c.featured), maxSample)])
	slices.Sort(named)
	if c.lister == nil { // those that are listed are checked
		c.refuse(slices.Compact(named))
	}
	for _, p := range named {
		switch {
		case c.refused[p]:
		case c.isListed(p):
			c.sample = append(c.sample, p)
		case slices.Contains(c.given, p):
			c.fault("expected-path", p, "", "the skill must be there, but Paths does not yield its path")
		}
	}
	valid := c.listed
	if len(c.refused) > 0 {
		valid = slices.DeleteFunc(slices.Clone(valid), func(p string) bool { return c.refused[p] })
	}
	for i := range spread(len(valid), maxSample) {
		c.sample = append(c.sample, valid[i])
	}
	slices.Sort(c.sample)
	c.sample = slices.Compact(c.sample)
	if len(c.sample) == 0 && len(c.given) == 0 && c.lister == nil {
		c.fault("expected-path", "", "", "the generator is no Lister, and no path was given, so that nothing can be checked; give the paths of some skills")
	}
}

// spread yields up to n of the indexes below size, evenly spread, the first and the
// last among them.
func spread(size, n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		if size <= n {
			n = size
		}
		for i := range n {
			at := 0
			if n > 1 {
				at = i * (size - 1) / (n - 1)
			}
			if !yield(at) {
				return
			}
		}
	}
}

// fault records a fault. Of each rule the first few are kept, and the others
// counted.
func (c *checker) fault(rule, path, file, format string, args ...any) {
	c.broken[path] = true
	if len(c.faults[rule]) == maxFaults {
		c.more[rule]++
		return
	}
	f := &Fault{Rule: rule, Path: path, File: file, Message: fmt.Sprintf(format, args...)}
	if !slices.ContainsFunc(c.faults[rule], func(known *Fault) bool { return *known == *f }) {
		c.faults[rule] = append(c.faults[rule], f)
	}
}

// all returns the faults in the order of the table of rules, and why the test
// ended early.
func (c *checker) all() []error {
	var errs []error
	for _, r := range rules {
		faults := c.faults[r.id]
		slices.SortStableFunc(faults, func(a, b *Fault) int {
			return slices.Compare([]string{a.Path, a.File, a.Message}, []string{b.Path, b.File, b.Message})
		})
		for _, f := range faults {
			errs = append(errs, f)
		}
		if n := c.more[r.id]; n > 0 {
			errs = append(errs, &Fault{Rule: r.id, Message: fmt.Sprintf("%d more faults of this kind", n)})
		}
	}
	if c.ended != nil {
		errs = append(errs, c.ended)
	}
	return errs
}

func (c *checker) err() error { return errors.Join(c.all()...) }
