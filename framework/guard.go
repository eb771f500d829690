package framework

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// A guard runs the code of generators: a bounded number at once, each under a
// deadline, so that a panic is an error and a call that never returns costs its
// caller the deadline and everybody else nothing.
type guard struct {
	slots   chan struct{}
	timeout time.Duration

	mu sync.Mutex
	// abandoned has the keys of calls that ran past their deadline and have not
	// returned yet. Such a call has given its slot back.
	abandoned map[string]bool
}

// grace is how long a call may take to return after its context ended.
const grace = 50 * time.Millisecond

// maxAbandoned bounds the goroutines that generators may keep forever.
const maxAbandoned = 64

var errAbandoned = errors.New("an earlier call ran past its deadline and has not returned")

func newGuard(concurrency int, timeout time.Duration) *guard {
	return &guard{
		slots:     make(chan struct{}, concurrency),
		timeout:   timeout,
		abandoned: make(map[string]bool),
	}
}

// do calls f and waits for it, at most until the deadline or the end of ctx. f
// gets a context that carries nothing of ctx but its end. While a call under
// key is abandoned another one is not started.
func (g *guard) do(ctx context.Context, key string, f func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	stuck, full := g.abandoned[key], len(g.abandoned) >= maxAbandoned
	g.mu.Unlock()
	if stuck {
		return errAbandoned
	}
	if full {
		return fmt.Errorf("%d calls ran past their deadlines and have not returned", maxAbandoned)
	}
	select {
	case g.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}

	own, cancel := context.WithTimeout(context.Background(), g.timeout)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	done := make(chan error, 1)
	go func() {
		err := errors.New("the generator ended its goroutine")
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			}
			done <- err
		}()
		err = f(own)
	}()
	select {
	case err := <-done:
		<-g.slots
		return err
	case <-own.Done():
	}
	select { // time to notice that its context ended
	case err := <-done:
		<-g.slots
		return err
	case <-time.After(grace):
	}
	g.mu.Lock()
	g.abandoned[key] = true
	g.mu.Unlock()
	<-g.slots
	go func() {
		<-done
		g.mu.Lock()
		delete(g.abandoned, key)
		g.mu.Unlock()
	}()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("not done after %v", g.timeout)
}
