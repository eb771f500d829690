package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// How long files must be quiet before they are read, so that one that is being
// written is read when it is whole, and how long a change waits at most.
const (
	quietTime = 250 * time.Millisecond
	maxDelay  = 3 * time.Second
)

// watch reads documents anew, in the background until ctx ends: those that
// changed, if the user wants that, and all of them at a SIGHUP.
func (sh *shelf) watch(ctx context.Context) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	w := &watcher{shelf: sh, dirty: map[int]bool{}}
	if sh.s.Watch {
		var err error
		if w.notify, err = fsnotify.NewWatcher(); err != nil {
			signal.Stop(hangups)
			return fmt.Errorf("watch the files of the documents: %w", err)
		}
		w.follow()
	}
	go func() {
		defer signal.Stop(hangups)
		if w.notify != nil {
			defer w.notify.Close()
		}
		w.run(ctx, hangups)
	}()
	return nil
}

// A watcher knows which documents are to be read anew.
type watcher struct {
	shelf  *shelf
	notify *fsnotify.Watcher // nil: files are not watched
	dirty  map[int]bool      // slots
	since  time.Time         // of the oldest in dirty
}

func (w *watcher) run(ctx context.Context, hangups <-chan os.Signal) {
	var events <-chan fsnotify.Event
	var faults <-chan error
	var revalidate <-chan time.Time
	if w.notify != nil {
		events, faults = w.notify.Events, w.notify.Errors
		ticker := time.NewTicker(w.shelf.s.Refresh)
		defer ticker.Stop()
		revalidate = ticker.C
	}
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			w.shelf.s.log.Info("reading all documents anew, as the signal asks")
			w.mark(func(*slot) bool { return true })
			w.reload(ctx)
		case <-revalidate:
			w.mark(func(sl *slot) bool { return sl.doc.IsURL() })
			w.reload(ctx)
		case err := <-faults: // events were lost
			w.shelf.s.log.Warn("watching files", "error", err)
			w.mark(func(*slot) bool { return true })
			quiet.Reset(quietTime)
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			if e.Op != fsnotify.Chmod && w.touches(e.Name, e.Has(fsnotify.Write)) {
				quiet.Reset(max(0, min(quietTime, maxDelay-time.Since(w.since))))
			}
		case <-quiet.C:
			w.reload(ctx)
		}
	}
}

// mark has the slots that match read anew.
func (w *watcher) mark(match func(*slot) bool) {
	w.shelf.mu.Lock()
	defer w.shelf.mu.Unlock()
	for i := range w.shelf.slots {
		if match(&w.shelf.slots[i]) {
			if len(w.dirty) == 0 {
				w.since = time.Now()
			}
			w.dirty[i] = true
		}
	}
}

// touches marks the slots that an event at path changes: something of theirs in
// that folder is another file than the one that was read, since a file can be
// replaced through a link. One that was written to may have got its old time and
// size back.
func (w *watcher) touches(path string, written bool) bool {
	dir := filepath.Dir(path)
	w.mark(func(sl *slot) bool {
		for _, folder := range []string{sl.doc.Snippets, w.shelf.s.Templates} {
			if folder != "" && inFolder(path, folder) {
				return true
			}
		}
		for file, before := range sl.files {
			if !samePath(filepath.Dir(file), dir) {
				continue
			}
			now, err := os.Stat(file)
			if written && samePath(file, path) || (err != nil) != (before == nil) || err == nil && !sameFile(before, now) {
				return true
			}
		}
		return false
	})
	return len(w.dirty) > 0
}

func sameFile(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func samePath(a, b string) bool {
	a, errA := filepath.Abs(a)
	b, errB := filepath.Abs(b)
	return errA == nil && errB == nil && a == b
}

func inFolder(path, folder string) bool {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return false
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(folder, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// reload reads what is marked anew, and follows the files that it is of now.
func (w *watcher) reload(ctx context.Context) {
	s := *w.shelf.s
	if set, err := loadTemplates(s.Templates); err != nil {
		s.log.Error("the changed templates cannot be used; those of before are", "error", err)
	} else {
		s.templates, w.shelf.s.templates = set, set
	}
	for i := range w.shelf.slots {
		if w.dirty[i] && w.shelf.slots[i].doc.Path != "-" && ctx.Err() == nil {
			w.shelf.reload(ctx, i, &s)
		}
	}
	clear(w.dirty)
	w.follow()
}

// follow watches the folders of all files. Folders, since a file that is replaced
// is another one.
func (w *watcher) follow() {
	if w.notify == nil {
		return
	}
	w.shelf.mu.Lock()
	defer w.shelf.mu.Unlock()
	want := map[string]bool{}
	for i := range w.shelf.slots {
		sl := &w.shelf.slots[i]
		for file := range sl.files {
			want[filepath.Dir(file)] = true
		}
		for _, folder := range []string{sl.doc.Snippets, w.shelf.s.Templates} {
			if folder == "" {
				continue
			}
			_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.IsDir() {
					want[path] = true
					if strings.Count(path, string(filepath.Separator)) > strings.Count(folder, string(filepath.Separator))+2 {
						return filepath.SkipDir
					}
				}
				return nil
			})
		}
	}
	for _, dir := range w.notify.WatchList() {
		if !want[dir] {
			_ = w.notify.Remove(dir)
		}
	}
	for dir := range want {
		if err := w.notify.Add(dir); err != nil {
			w.shelf.s.log.Warn("a folder cannot be watched; a SIGHUP has its documents read anew", "folder", dir, "error", err)
		}
	}
}
