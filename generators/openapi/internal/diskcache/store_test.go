package diskcache

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// put returns a store with one entry, "a", and the entry's file.
func put(t testing.TB, data string) (*Store, string) {
	t.Helper()
	s := Open(filepath.Join(t.TempDir(), "new", "cache"), nil)
	s.Put("a", []byte(data))
	files, err := filepath.Glob(filepath.Join(s.dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v in the folder, %v", files, err)
	}
	return s, files[0]
}

func TestWhatIsPutIsGotByItsName(t *testing.T) {
	s, file := put(t, "first")
	if got := Open(s.dir, nil).Get("a"); string(got) != "first" {
		t.Errorf("got %q", got)
	}
	if got := s.Get("b"); got != nil {
		t.Errorf("another name has %q", got)
	}
	s.Put("a", []byte("second"))
	if got := s.Get("a"); string(got) != "second" {
		t.Errorf("got %q after another put", got)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]os.FileMode{file: 0o600, s.dir: 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestDamagedEntriesAreNotThere(t *testing.T) {
	s, file := put(t, "what was worked out")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := s.Get("a"); got != nil {
			t.Errorf("%s: got %q", what, got)
		}
	}
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 1 << (i % 8)
		try(fmt.Sprint("byte ", i, " of ", len(whole)), flipped)
		try(fmt.Sprint("cut at ", i, " of ", len(whole)), whole[:i])
	}
	try("more than there was", append(bytes.Clone(whole), 0))
	try("zeros", make([]byte, len(whole)))
	try("twice", append(bytes.Clone(whole), whole...))
	try("something else", []byte(strings.Repeat("something else ", 10)))
	s.Put("a", []byte("anew"))
	if got := s.Get("a"); string(got) != "anew" {
		t.Errorf("got %q after it was put anew", got)
	}
}

func TestAnEntryUnderAnotherNameIsNotThere(t *testing.T) {
	s, file := put(t, "of a")
	s.Put("b", []byte("of b"))
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(s.dir, "*"))
	for _, f := range files {
		if err := os.WriteFile(f, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Get("b"); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestAFolderThatCannotBeUsedIsNoError(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{file, filepath.Join(file, "below"), "\x00"} {
		s := Open(folder, nil)
		s.Put("a", []byte("x"))
		if got := s.Get("a"); got != nil {
			t.Errorf("%q: got %q", folder, got)
		}
	}
	var none *Store
	none.Put("a", nil)
	if got := none.Get("a"); got != nil {
		t.Errorf("no store has %q", got)
	}
}

func TestThingsThatAreNoFilesAreNotRead(t *testing.T) {
	s, file := put(t, "x")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := s.Get("a"); got != nil {
		t.Errorf("got %q from a folder", got)
	}
	s.Put("a", []byte("y")) // cannot take its place
	if files, _ := filepath.Glob(filepath.Join(s.dir, "*")); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
}

// age makes the file of an entry older.
func age(t *testing.T, s *Store, name string, by time.Duration) {
	t.Helper()
	before, _ := filepath.Glob(filepath.Join(s.dir, "*"))
	s.Put(name, make([]byte, 1000))
	after, _ := filepath.Glob(filepath.Join(s.dir, "*"))
	for _, f := range after {
		if !strings.Contains(strings.Join(before, "\n"), f) {
			at := time.Now().Add(-by)
			if err := os.Chtimes(f, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestWhatWasNotUsedForLongestGoesFirst(t *testing.T) {
	s := Open(t.TempDir(), nil)
	other := filepath.Join(s.dir, "other")
	if err := os.WriteFile(other, make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	age(t, s, "old", 50*time.Hour)
	age(t, s, "older", 60*time.Hour)
	age(t, s, "oldest, but used", 70*time.Hour)
	if s.Get("oldest, but used") == nil {
		t.Fatal("an entry is not there")
	}
	s.total = 3500
	s.Put("new", make([]byte, 1000))
	for name, want := range map[string]bool{"old": true, "older": false, "oldest, but used": true, "new": true} {
		if got := s.Get(name) != nil; got != want {
			t.Errorf("%s is there: %t", name, got)
		}
	}
	s.total = 100
	s.Put("new", make([]byte, 2000))
	if files, _ := filepath.Glob(filepath.Join(s.dir, "*")); len(files) != 2 || s.Get("new") == nil {
		t.Errorf("%d files are left, want the last entry and that of others", len(files))
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("a file of others: %v", err)
	}
}

func TestHalfWrittenFilesOfDeadProcessesGo(t *testing.T) {
	s, _ := put(t, "x")
	dead, alive := filepath.Join(s.dir, "1"+tempSuffix), filepath.Join(s.dir, "2"+tempSuffix)
	for _, f := range []string{dead, alive} {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := time.Now().Add(-2 * abandoned)
	if err := os.Chtimes(dead, at, at); err != nil {
		t.Fatal(err)
	}
	s.Put("b", nil)
	if _, err := os.Stat(dead); err == nil {
		t.Error("the file of a dead process is still there")
	}
	if _, err := os.Stat(alive); err != nil {
		t.Errorf("the file of one at work: %v", err)
	}
}

func TestAnEntryPastTheLimitIsNotKept(t *testing.T) {
	s, _ := put(t, "x")
	s.Put("a", make([]byte, MaxEntry+1))
	if got := s.Get("a"); string(got) != "x" {
		t.Errorf("%d bytes", len(got))
	}
}

func TestManyWritersNeverShowHalfAnEntry(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	for w := range 8 {
		wait.Go(func() {
			s := Open(dir, nil) // as in a process of its own: stores have no state in common
			s.total = 50_000
			for i := range 50 {
				name := fmt.Sprint(i % 5)
				s.Put(name, bytes.Repeat([]byte{byte(w)}, 5000+w))
				if got := s.Get(name); got != nil {
					if by := int(got[0]); len(got) != 5000+by || bytes.Count(got, []byte{byte(by)}) != len(got) {
						t.Errorf("%d bytes of writer %d", len(got), by)
					}
				}
			}
		})
	}
	wait.Wait()
	if left, _ := filepath.Glob(filepath.Join(dir, "*"+tempSuffix)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFingerprintsAreOfBytesAndKey(t *testing.T) {
	a, b := NewKey(), NewKey()
	if again := Key(bytes.Clone(a[:])); a.Of([]byte("x")) != again.Of([]byte("x")) {
		t.Error("the same bytes have two fingerprints")
	}
	if a.Of([]byte("x")) == a.Of([]byte("y")) || a.Of(nil) == a.Of([]byte{0}) || a.Of([]byte("x")) == b.Of([]byte("x")) {
		t.Error("two have one fingerprint")
	}
}

func FuzzOpen(f *testing.F) {
	s, file := put(f, "data")
	data, err := os.ReadFile(file)
	if err != nil || s.Get("a") == nil {
		f.Fatal(err)
	}
	id := [32]byte(data[nameAt:headerSize])
	f.Add(data)
	f.Add(data[:headerSize])
	f.Fuzz(func(t *testing.T, file []byte) {
		if got, err := open(file, id); err == nil && !bytes.Equal(file, data) && len(got) > len(file) {
			t.Errorf("%q of a file of %d bytes", got, len(file))
		}
	})
}

func FuzzDecoder(f *testing.F) {
	e := &Encoder{}
	e.Uint(300)
	e.Bool(true)
	e.String("text")
	e.Bytes([]byte{1, 2})
	f.Add(e.Data)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := NewDecoder(data)
		n, b, s, raw := d.Uint(1000), d.Bool(), d.String(), d.Bytes()
		if !d.Done() {
			return
		}
		again := &Encoder{}
		again.Uint(n)
		again.Bool(b)
		again.String(s)
		again.Bytes(raw)
		if d := NewDecoder(again.Data); d.Uint(1000) != n || d.Bool() != b || d.String() != s || !bytes.Equal(d.Bytes(), raw) || !d.Done() {
			t.Errorf("%x is read as something else when written again: %x", data, again.Data)
		}
	})
}
