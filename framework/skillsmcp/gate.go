package skillsmcp

import "sync"

// A gate counts what is going on, so that a shutdown can let nothing new in and
// wait for the rest.
type gate struct {
	mu     sync.Mutex
	n      int
	closed bool
	idle   chan struct{} // closed when the gate is closed and n is 0
}

func newGate() *gate { return &gate{idle: make(chan struct{})} }

// enter reports whether the gate was open. Each true needs one leave.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.n++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n--; g.closed && g.n == 0 {
		close(g.idle)
	}
}

// close lets nothing more in.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	if g.closed = true; g.n == 0 {
		close(g.idle)
	}
}
