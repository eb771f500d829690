//go:build linux || darwin

package framework

import (
	"syscall"
	"testing"
)

func makePipe(t testing.TB, path string) {
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
}
