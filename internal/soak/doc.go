// Package soak puts the real command under a mixed load, while its document
// changes, breaks and comes back, and looks for what grows: goroutines,
// descriptors, memory. The load has well-behaved clients, and all the others: bad
// requests, calls that are given up, answers that nobody reads, connections that
// say nothing, listings without an end.
//
// "go test ./internal/soak" takes a few rounds of that;
//
//	go test ./internal/soak -run TestSoak -soak 10m -timeout 20m -v
//
// goes on for ten minutes, and prints what it measured.
//
// The package has no code but tests, and runs where /proc is.
package soak
