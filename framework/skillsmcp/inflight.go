package skillsmcp

import (
	"context"
	"sync"
)

// inflight finds the calls that notifications/cancelled names. A call is known
// by its session and the literal of its id, so that 1 and "1" are two calls.
type inflight struct {
	mu    sync.Mutex
	calls map[callKey]*context.CancelFunc
}

type callKey struct{ session, id string }

// add returns a context that ends when the call is cancelled, and a function to
// call when it is done. Of two calls under one id the later one is found.
func (f *inflight) add(ctx context.Context, session string, id []byte) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	key := callKey{session, string(id)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = make(map[callKey]*context.CancelFunc)
	}
	f.calls[key] = &cancel
	return ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.calls[key] == &cancel {
			delete(f.calls, key)
		}
		cancel()
	}
}

// cancel ends the call that id names, if there is one.
func (f *inflight) cancel(session string, id []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cancel := f.calls[callKey{session, string(id)}]; cancel != nil {
		(*cancel)()
	}
}
