//go:build race

package skillsmcp

// racing is whether the race detector is on, with which more is allocated.
const racing = true
