//go:build unix

package diskcache

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestWhatOthersCouldHaveWrittenIsNotRead(t *testing.T) {
	s, file := put(t, "x")
	for _, path := range []string{file, s.dir} {
		for _, mode := range []os.FileMode{0o720, 0o702, 0o777} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			if got := s.Get("a"); got != nil {
				t.Errorf("%s with %v: got %q", filepath.Base(path), mode, got)
			}
		}
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if got := s.Get("a"); string(got) != "x" {
			t.Errorf("got %q", got)
		}
	}
}

func TestNothingIsWrittenWhereOthersMayWrite(t *testing.T) {
	s := Open(t.TempDir(), nil)
	if err := os.Chmod(s.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	s.Put("a", []byte("x"))
	if files, _ := filepath.Glob(filepath.Join(s.dir, "*")); len(files) > 0 {
		t.Errorf("written: %v", files)
	}
}

func TestPipesAndLinksAreNotOpened(t *testing.T) {
	s, file := put(t, "x")
	moved := file + ".moved"
	if err := os.Rename(file, moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(moved, file); err != nil {
		t.Fatal(err)
	}
	if got := s.Get("a"); got != nil {
		t.Errorf("got %q through a link", got)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.Get("a"); got != nil {
		t.Errorf("got %q from a pipe", got)
	}
}

func TestAReadOnlyFolderIsReadAndNotWritten(t *testing.T) {
	s, _ := put(t, "x")
	if err := os.Chmod(s.dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(s.dir, 0o700)
	if os.Geteuid() == 0 {
		t.Log("root may write there all the same")
		return
	}
	s.Put("b", []byte("y"))
	if string(s.Get("a")) != "x" || s.Get("b") != nil {
		t.Error("want a, and not b")
	}
}
