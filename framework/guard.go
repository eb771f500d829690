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
// caller the deadline and everybody else nothing. Each mount has one of its own,
// so that a generator that hangs does not hold up the others.
type guard struct {
	slots   chan struct{}
	waiting chan struct{} // one for each call that waits for a slot
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

// Bounds of the wait for a slot: how many calls may, and for how many times the
// deadline of one. The work for callers that left waits too, so without them a
// generator that hangs would gather it without end.
const (
	maxWaiting  = 4096
	waitedCalls = 3
)

var (
	errAbandoned = busy("an earlier call ran past its deadline and has not returned")
	errBusy      = busy("too many calls of the generator are in progress")
	errFull      = busy(fmt.Sprintf("%d calls ran past their deadlines and have not returned", maxAbandoned))
)

// notBegun reports whether err is a guard's for a call that was not begun.
func notBegun(err error) bool {
	return errors.Is(err, errAbandoned) || errors.Is(err, errBusy) || errors.Is(err, errFull)
}

func newGuard(concurrency int, timeout time.Duration) *guard {
	return &guard{
		slots:     make(chan struct{}, concurrency),
		waiting:   make(chan struct{}, maxWaiting),
		timeout:   timeout,
		abandoned: make(map[string]bool),
	}
}

// do calls f and waits for it, at most until the deadline or the end of ctx. f
// gets a context that carries nothing of ctx but its end. While a call under
// key is abandoned another one is not started. A call whose caller left is not
// abandoned before its deadline: that somebody left must not be felt by others.
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
		return errFull
	}
	if err := g.acquire(ctx); err != nil {
		return err
	}

	own, cancel := context.WithTimeout(context.Background(), g.timeout)
	deadline, _ := own.Deadline()
	done := make(chan error, 1)
	go func() {
		err := errors.New("the generator ended its goroutine")
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			}
			done <- err
		}()
		err = foreign(f(own)) // here: a nil pointer for an error panics when it is looked into
	}()
	late := time.NewTimer(time.Until(deadline) + grace)
	select {
	case err := <-done:
		late.Stop()
		cancel()
		<-g.slots
		return err
	case <-ctx.Done():
		cancel()
		go func() {
			defer late.Stop()
			select {
			case <-done:
				<-g.slots
			case <-late.C:
				g.abandon(key, done)
			}
		}()
		return ctx.Err()
	case <-late.C:
		cancel()
		g.abandon(key, done)
		return fmt.Errorf("not done after %v: %w", g.timeout, context.DeadlineExceeded)
	}
}

// acquire waits for a slot.
func (g *guard) acquire(ctx context.Context) error {
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case g.waiting <- struct{}{}:
		defer func() { <-g.waiting }()
	default:
		return errBusy
	}
	patience := time.NewTimer(waitedCalls * g.timeout)
	defer patience.Stop()
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-patience.C:
		return errBusy
	}
}

// stuck is the number of abandoned calls.
func (g *guard) stuck() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.abandoned)
}

// abandon gives the slot of a call back that has not returned, and keeps its
// key until it does.
func (g *guard) abandon(key string, done <-chan error) {
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
}
