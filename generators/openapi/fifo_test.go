//go:build unix

package openapi

import (
	"syscall"
	"testing"
)

func makeFIFO(t testing.TB, name string) {
	if err := syscall.Mkfifo(name, 0o666); err != nil {
		t.Skip(err)
	}
}
