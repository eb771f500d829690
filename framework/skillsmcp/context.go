package skillsmcp

import (
	"context"
	"sync"
	"time"
)

// A callContext is the context of an owned call. It ends with its parent, with
// stop, at a deadline, or when it is cancelled. A warm call is over before
// anybody could wait for that, so timer and watchers are set up only when
// somebody does.
type callContext struct {
	context.Context // the parent
	stop            context.Context
	deadline        time.Time

	mu       sync.Mutex
	armed    context.Context // nil until somebody waits
	release  func()          // of armed
	canceled bool
}

func newCallContext(parent, stop context.Context, start time.Time, timeout time.Duration) *callContext {
	return &callContext{Context: parent, stop: stop, deadline: start.Add(timeout)}
}

func (c *callContext) Deadline() (time.Time, bool) {
	if d, ok := c.Context.Deadline(); ok && d.Before(c.deadline) {
		return d, true
	}
	return c.deadline, true
}

func (c *callContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.armed == nil {
		armed, cancel := context.WithDeadline(c.Context, c.deadline)
		unwatch := context.AfterFunc(c.stop, cancel)
		c.armed, c.release = armed, func() { unwatch(); cancel() }
		if c.canceled {
			cancel()
		}
	}
	return c.armed.Done()
}

func (c *callContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.armed != nil:
		return c.armed.Err()
	case c.canceled || c.stop.Err() != nil:
		return context.Canceled
	case c.Context.Err() != nil:
		return c.Context.Err()
	case !time.Now().Before(c.deadline):
		return context.DeadlineExceeded
	}
	return nil
}

// cancel ends the context. It must be called once the call is over.
func (c *callContext) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.canceled = true
	if c.release != nil {
		c.release()
	}
}

// wasCanceled reports whether cancel was called.
func (c *callContext) wasCanceled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.canceled
}
