package skilltest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/apiskills/apiskills/framework"
)

// A checker is one test of one generator. Its methods are called from one
// goroutine; only do starts others.
type checker struct {
	ctx    context.Context
	g      framework.Generator
	lister framework.Lister // or nil

	listed   []string        // what Paths yields, ascending
	whole    bool            // listed is all of it
	steady   bool            // and Paths yields it each time, as far as is known
	refused  map[string]bool // paths that a catalog does not take
	given    []string
	featured []string
	sample   []string // the skills that are made, ascending

	readings map[string]*reading // of the sample, without contents
	kept     int64               // bytes of contents in the readings
	unstable map[string]bool     // skills that are not compared any more
	broken   map[string]bool     // skills that have a fault

	faults map[string][]*Fault // by rule
	more   map[string]int      // faults that are counted only
	over   bool                // the rest is not checked
	ended  error               // why, unless it is a fault
}

func newChecker(ctx context.Context, g framework.Generator) *checker {
	c := &checker{
		ctx: ctx, g: g,
		refused: map[string]bool{}, readings: map[string]*reading{}, unstable: map[string]bool{}, broken: map[string]bool{},
		faults: map[string][]*Fault{}, more: map[string]int{},
	}
	c.lister, _ = framework.As[framework.Lister](g)
	return c
}

// A site says which call of the generator is made.
type site struct {
	call       string // as in "Skill"
	path, file string
	late       string // the rule that it breaks if it does not return; "hang" by default
}

// An outcome is how a call of the generator ended.
type outcome[T any] struct {
	value    T
	returned bool
	panicked string // if it did not return
}

// start runs f, which calls the generator, in a goroutine of its own.
func start[T any](ctx context.Context, f func(context.Context) T) <-chan outcome[T] {
	done := make(chan outcome[T], 1)
	go func() {
		var o outcome[T]
		defer func() {
			if !o.returned {
				o.panicked = describePanic(recover())
			}
			done <- o
		}()
		o.value = f(ctx)
		o.returned = true
	}()
	return done
}

// wait waits for what start began. It returns false if there is no result: then f
// panicked, which is reported, or it may still be running, and the test is over.
func wait[T any](c *checker, at site, done <-chan outcome[T]) (result T, ok bool) {
	if c.over {
		return result, false
	}
	limit := time.NewTimer(callLimit)
	defer limit.Stop()
	select {
	case o := <-done:
		if !o.returned {
			c.fault("panic", at.path, at.file, "%s panics: %s", at.call, o.panicked)
		}
		return o.value, o.returned
	case <-limit.C:
		c.over = true
		c.fault(cmp.Or(at.late, "hang"), at.path, at.file, "%s does not return within %v; the rest is not checked", at.call, callLimit)
	case <-c.ctx.Done():
		c.over = true
		if errors.Is(c.ctx.Err(), context.DeadlineExceeded) {
			c.fault(cmp.Or(at.late, "hang"), at.path, at.file, "%s has not returned at the deadline of the test; the rest is not checked", at.call)
		} else {
			c.ended = fmt.Errorf("the test ended before everything was checked: %w", context.Cause(c.ctx))
		}
	}
	return result, false
}

// do calls f, which calls the generator, under ctx and waits for it.
func do[T any](c *checker, ctx context.Context, at site, f func(context.Context) T) (result T, ok bool) {
	if c.over {
		return result, false
	}
	return wait(c, at, start(ctx, f))
}

// A lookedInto error is one of the generator, looked into where a panic of its
// methods is one of the call: those of a nil pointer do, and fmt alone would
// conceal that.
type lookedInto struct {
	text  string
	kinds []error
}

func (e *lookedInto) Error() string   { return e.text }
func (e *lookedInto) Unwrap() []error { return e.kinds }

// lookInto is for the goroutine that called the generator.
func lookInto(err error) error {
	if err == nil || err == errNilSkill {
		return err
	}
	e := &lookedInto{text: err.Error()}
	for _, kind := range []error{framework.ErrNotFound, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, kind) {
			e.kinds = append(e.kinds, kind)
		}
	}
	return e
}

// describePanic says what the panic was and which function it was in: not more of
// the stack, since addresses are never twice the same.
func describePanic(value any) string {
	if value == nil {
		return "it ended its goroutine, as testing.T.FailNow does"
	}
	text := fmt.Sprintf("%.500v", value)
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	for panicking := false; ; {
		frame, more := frames.Next()
		inRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if panicking = panicking || inRuntime; panicking && !inRuntime {
			return fmt.Sprintf("%s, in %s (%s:%d)", text, frame.Function, filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return text
		}
	}
}

// cancelled returns a context that has ended already.
func (c *checker) cancelled() context.Context {
	ctx, cancel := context.WithCancel(c.ctx)
	cancel()
	return ctx
}

// A fuse is a context that ends when it is looked at for the nth time, so that a
// call can be cancelled in its midst without a clock.
type fuse struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func newFuse(ctx context.Context, n int64) *fuse {
	f := &fuse{}
	f.Context, f.cancel = context.WithCancel(ctx)
	f.left.Store(n)
	return f
}

func (f *fuse) look() {
	if f.left.Add(-1) <= 0 {
		f.cancel()
	}
}

func (f *fuse) Err() error {
	f.look()
	return f.Context.Err()
}

func (f *fuse) Done() <-chan struct{} {
	f.look()
	return f.Context.Done()
}
