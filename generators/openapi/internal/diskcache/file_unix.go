//go:build unix

package diskcache

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openFile opens a file to read it, and does not wait for what is none.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
}

// private refuses what others could have written.
func private(info fs.FileInfo) error {
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("others may write there")
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int64(stat.Uid) != int64(os.Geteuid()) {
		return errors.New("it belongs to another user")
	}
	return nil
}
