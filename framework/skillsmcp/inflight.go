package skillsmcp

import "sync"

// inflight finds the calls that notifications/cancelled names. A call is known
// by its session and the literal of its id, so that 1 and "1" are two calls.
type inflight struct {
	mu    sync.Mutex
	calls map[callKey]*callContext
}

type callKey struct{ session, id string }

// add makes a call known, and returns a function that forgets it. Of two calls
// under one id the later one is found.
func (f *inflight) add(session string, id []byte, call *callContext) (done func()) {
	key := callKey{session, string(id)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = make(map[callKey]*callContext)
	}
	f.calls[key] = call
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.calls[key] == call {
			delete(f.calls, key)
		}
	}
}

// cancel ends the call that id names, if there is one.
func (f *inflight) cancel(session string, id []byte) {
	f.mu.Lock()
	call := f.calls[callKey{session, string(id)}]
	f.mu.Unlock()
	if call != nil {
		call.cancel()
	}
}
