package framework

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
)

// watching runs the Watcher of g in a bubble of synctest, and returns what waits for
// the next look at the folder and gives what was told since the last.
func watching(t *testing.T, g Generator, interval time.Duration) (look func() []string) {
	w, ok := As[Watcher](g)
	if !ok {
		t.Fatal("it is no Watcher")
	}
	var mu sync.Mutex
	var said []string
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- w.Watch(ctx, func(path string) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, path)
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	look = func() []string {
		time.Sleep(interval)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		all := said
		said = nil
		slices.Sort(all)
		return slices.Compact(all)
	}
	synctest.Wait()
	mu.Lock()
	if !slices.Equal(said, []string{""}) {
		t.Errorf("before the first look anything may have changed, but %q was told", said)
	}
	said = nil
	mu.Unlock()
	return look
}

// A change of a folder, and the skills that it touches.
type folderChange struct {
	name string
	do   func(w folderWriter) error
	told []string
}

type folderWriter interface {
	write(name, text string) error
	remove(name string) error
	setTime(name string, at time.Time) error
	setMode(name string, mode fs.FileMode) error
}

var folderChanges = []folderChange{
	{"nothing", func(w folderWriter) error { return nil }, nil},
	{"a file grows", func(w folderWriter) error { return w.write("deploy/scripts/run.sh", "run faster") }, []string{"deploy"}},
	{"a file of a nested skill", func(w folderWriter) error { return w.write("deploy/rollback/steps.md", "other steps") }, []string{"deploy/rollback"}},
	{"a file of no skill", func(w folderWriter) error { return w.write("README.md", "for all") }, nil},
	{"a hidden file", func(w folderWriter) error { return w.write("deploy/.swp", "x") }, nil},
	{"a new skill", func(w folderWriter) error { return w.write("fresh/SKILL.md", skillMD("fresh", "New")) }, []string{"fresh"}},
	{"a new file", func(w folderWriter) error { return w.write("fresh/more/x.md", "x") }, []string{"fresh"}},
	{"a new nested skill", func(w folderWriter) error { return w.write("fresh/more/SKILL.md", skillMD("more", "More")) }, []string{"fresh", "fresh/more"}},
	{"a nested skill vanishes", func(w folderWriter) error { return w.remove("fresh/more/SKILL.md") }, []string{"fresh", "fresh/more"}},
	{"a skill vanishes", func(w folderWriter) error { return w.remove("runbooks/wiki/SKILL.md") }, []string{"runbooks/wiki"}},
	{"the time set back, another size", func(w folderWriter) error {
		if err := w.write("deploy-old/SKILL.md", skillMD("deploy-old", "Longer than before")); err != nil {
			return err
		}
		return w.setTime("deploy-old/SKILL.md", time.Unix(1e9, 0))
	}, []string{"deploy-old"}},
	{"the time alone", func(w folderWriter) error { return w.setTime("deploy-old/SKILL.md", time.Unix(1e9, 1000)) }, []string{"deploy-old"}},
	{"the size alone", func(w folderWriter) error {
		if err := w.write("deploy-old/SKILL.md", skillMD("deploy-old", "Longer than that, at the same time")); err != nil {
			return err
		}
		return w.setTime("deploy-old/SKILL.md", time.Unix(1e9, 1000))
	}, []string{"deploy-old"}},
	{"the mode alone", func(w folderWriter) error { return w.setMode("deploy/scripts/run.sh", 0o444) }, []string{"deploy"}},
	{"nothing again", func(w folderWriter) error { return nil }, nil},
}

func TestWatchOfAFolderTellsEachSkillThatIsTouched(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &memoryWriter{files: tree(handWritten)}
			look := watching(t, FromFS(m, nil), defaultInterval)
			for _, change := range folderChanges {
				if err := change.do(m); err != nil {
					t.Fatal(err)
				}
				if got := look(); !slices.Equal(got, change.told) {
					t.Errorf("%s: told %q, not %q", change.name, got, change.told)
				}
			}
		})
	})
	t.Run("disk", func(t *testing.T) {
		dir := onDisk(t, tree(handWritten))
		synctest.Test(t, func(t *testing.T) {
			look := watching(t, FromFS(os.DirFS(dir), &FSOptions{Interval: time.Minute}), time.Minute)
			for _, change := range folderChanges {
				if err := change.do(diskWriter(dir)); err != nil {
					t.Fatal(err)
				}
				if got := look(); !slices.Equal(got, change.told) {
					t.Errorf("%s: told %q, not %q", change.name, got, change.told)
				}
			}
		})
	})
}

// memoryWriter is a file system that is written to while others read it.
type memoryWriter struct {
	mu    sync.Mutex
	files fstest.MapFS
}

func (w *memoryWriter) Open(name string) (fs.File, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.files.Open(name)
}

func (w *memoryWriter) write(name, text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644, ModTime: time.Now()}
	return nil
}

func (w *memoryWriter) remove(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.files, name)
	return nil
}

func (w *memoryWriter) setTime(name string, at time.Time) error {
	return w.change(name, func(f *fstest.MapFile) { f.ModTime = at })
}

func (w *memoryWriter) setMode(name string, mode fs.FileMode) error {
	return w.change(name, func(f *fstest.MapFile) { f.Mode = mode })
}

func (w *memoryWriter) change(name string, change func(*fstest.MapFile)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := *w.files[name]
	change(&f)
	w.files[name] = &f
	return nil
}

// diskWriter writes as an editor does: a new file is renamed over the old one.
type diskWriter string

func (w diskWriter) path(name string) string {
	return filepath.Join(string(w), filepath.FromSlash(name))
}

func (w diskWriter) write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o777); err != nil {
		return err
	}
	draft := w.path(name) + "~"
	if err := os.WriteFile(draft, []byte(text), 0o666); err != nil {
		return err
	}
	return os.Rename(draft, w.path(name))
}

func (w diskWriter) remove(name string) error { return os.Remove(w.path(name)) }

func (w diskWriter) setMode(name string, mode fs.FileMode) error { return os.Chmod(w.path(name), mode) }

func (w diskWriter) setTime(name string, at time.Time) error { return os.Chtimes(w.path(name), at, at) }

func TestWatchOfAFolderOutlivesTheFolder(t *testing.T) {
	dir := onDisk(t, tree(map[string]string{"in/a/SKILL.md": "", "in/b/SKILL.md": ""}))
	synctest.Test(t, func(t *testing.T) {
		look := watching(t, FromFS(os.DirFS(filepath.Join(dir, "in")), nil), defaultInterval)
		if err := os.Rename(filepath.Join(dir, "in"), filepath.Join(dir, "out")); err != nil {
			t.Fatal(err)
		}
		if got := look(); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("%q", got)
		}
		if err := os.Rename(filepath.Join(dir, "out"), filepath.Join(dir, "in")); err != nil {
			t.Fatal(err)
		}
		if got := look(); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("%q", got)
		}
	})
}

// TestWatchedFolderIsServedAsItIs has a catalog that keeps skills for long serve
// what was written a moment ago.
func TestWatchedFolderIsServedAsItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memoryWriter{files: tree(handWritten)}
		c := catalog(t, &Options{MaxAge: 24 * time.Hour}, Mount{"m", FromFS(m, nil)})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- c.Watch(ctx) }()
		synctest.Wait()
		read := func(uri string) string {
			content, err := c.Read(t.Context(), uri)
			if err != nil {
				return err.Error()
			}
			return string(content.Bytes)
		}
		if got := read("skill://m/deploy/rollback/steps.md"); got != "steps" {
			t.Fatal(got)
		}
		before, _ := c.Get(t.Context(), "skill://m/deploy/SKILL.md")
		m.write("deploy/rollback/steps.md", "other steps")
		if got := read("skill://m/deploy/rollback/steps.md"); got != "steps" {
			t.Errorf("it is not kept: %q", got)
		}
		time.Sleep(defaultInterval)
		synctest.Wait()
		if got := read("skill://m/deploy/rollback/steps.md"); got != "other steps" {
			t.Errorf("%q", got)
		}
		after, _ := c.Get(t.Context(), "skill://m/deploy/SKILL.md")
		if slices.Equal(before.Resources, after.Resources) {
			t.Error("the manifest of the enclosing skill has the digests of before")
		}
		m.remove("deploy/SKILL.md")
		time.Sleep(defaultInterval)
		synctest.Wait()
		if got := read("skill://m/deploy/SKILL.md"); !strings.Contains(got, "no resource is served") {
			t.Errorf("%q", got)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
