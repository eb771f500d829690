package command

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/apiskills/apiskills/config"
	"github.com/fsnotify/fsnotify"
)

// How long files must be quiet before they are read, so that one that is being
// written is read when it is whole, and how long a change waits at most.
const (
	quietTime = 250 * time.Millisecond
	maxDelay  = 3 * time.Second
)

// How often the files are looked at without an event: there is none where the
// folder of a file was replaced, on some network file systems, and for what
// happened before the folder was watched.
const lookTime = 2 * time.Second

// watch reads documents anew, in the background until ctx ends: those that
// changed, if the user wants that, and all of them at a SIGHUP.
func (sh *shelf) watch(ctx context.Context, hangups <-chan os.Signal) error {
	w := &watcher{shelf: sh, written: map[string]bool{}, dirty: map[int]bool{}, reading: map[int]bool{}, opened: make(chan opening), unseen: map[string]bool{}}
	if sh.s.Watch {
		var err error
		if w.notify, err = fsnotify.NewWatcher(); err != nil {
			return fmt.Errorf("watch the files of the documents: %w", err)
		}
		w.templates = tree(sh.s.Templates)
		w.follow()
	}
	go func() {
		if w.notify != nil {
			defer w.notify.Close()
		}
		w.run(ctx, hangups)
	}()
	return nil
}

// A watcher knows which documents are to be read anew.
type watcher struct {
	shelf     *shelf
	notify    *fsnotify.Watcher      // nil: files are not watched
	templates map[string]os.FileInfo // as they were read
	unseen    map[string]bool        // folders that cannot be watched
	written   map[string]bool        // absolute paths of files that may have got their old time and size back
	dirty     map[int]bool           // slots; true if what is on the web is to be read also if it is the same
	reading   map[int]bool           // slots that are being read
	opened    chan opening
}

// An opening is what was read of a slot's document.
type opening struct {
	slot int
	source
	reading
	err error
}

func (w *watcher) run(ctx context.Context, hangups <-chan os.Signal) {
	var events <-chan fsnotify.Event
	var faults <-chan error
	var revalidate, look <-chan time.Time
	if w.notify != nil {
		events, faults = w.notify.Events, w.notify.Errors
		refresh, often := time.NewTicker(w.shelf.s.Refresh), time.NewTicker(lookTime)
		defer refresh.Stop()
		defer often.Stop()
		revalidate, look = refresh.C, often.C
	}
	quiet := time.NewTimer(0) // what changed while the documents were read at first
	if w.notify == nil {
		quiet.Stop()
	}
	var since time.Time // of the first event that quiet is waiting for
	waiting := false
	wait := func() {
		if !waiting {
			waiting, since = true, time.Now()
		}
		quiet.Reset(max(0, min(quietTime, maxDelay-time.Since(since))))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			w.shelf.s.log.Info("reading all documents anew, as the signal asks")
			w.mark(true, func(int, *slot) bool { return true })
			w.reload(ctx)
		case <-revalidate:
			w.mark(false, func(_ int, sl *slot) bool { return sl.doc.IsURL() })
			w.reload(ctx)
		case err := <-faults: // events were lost
			w.shelf.s.log.Warn("watching files", "error", err)
			wait()
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			// What else it says happened is of no interest, since a file can be
			// replaced through a link.
			if e.Has(fsnotify.Write) {
				w.written[absolute(e.Name)] = true
			}
			wait()
		case <-look:
			if !waiting && w.look() {
				wait()
			}
			w.follow()
		case <-quiet.C:
			waiting = false
			if w.look() {
				w.reload(ctx)
			}
		case o := <-w.opened:
			delete(w.reading, o.slot)
			if ctx.Err() != nil {
				return
			}
			w.shelf.take(ctx, o.slot, o.source, o.reading, o.err)
			w.reload(ctx) // what was marked meanwhile
			w.follow()
		}
	}
}

// mark has the slots that match read anew.
func (w *watcher) mark(whole bool, match func(i int, sl *slot) bool) {
	w.shelf.mu.Lock()
	defer w.shelf.mu.Unlock()
	for i := range w.shelf.slots {
		if match(i, &w.shelf.slots[i]) {
			w.dirty[i] = w.dirty[i] || whole
		}
	}
}

// look marks the slots that something is another of than was read, and reports
// whether there are some to be read.
func (w *watcher) look() bool {
	anew := !sameFiles(w.templates, tree(w.shelf.s.Templates))
	stats := map[string]os.FileInfo{}
	written := w.written
	w.written = map[string]bool{}
	w.mark(true, func(i int, sl *slot) bool {
		for file := range sl.files {
			if len(written) > 0 && written[absolute(file)] {
				return true
			}
		}
		if w.reading[i] { // it is looked at when that is done
			return false
		}
		if anew {
			return true
		}
		for file, before := range sl.files {
			now, known := stats[file]
			if !known {
				now = stat(file)
				stats[file] = now
			}
			if !sameFile(before, now) {
				return true
			}
		}
		for _, folder := range sl.below {
			for file := range tree(folder) {
				if _, known := sl.files[file]; !known {
					return true
				}
			}
		}
		return false
	})
	for i := range w.dirty {
		if !w.reading[i] {
			return true
		}
	}
	return false
}

// sameFile reports whether a file that was looked at twice is the same; nil is
// none.
func sameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if a.IsDir() && b.IsDir() {
		return true // what is in it has a name of its own
	}
	return os.SameFile(a, b) && a.Mode() == b.Mode() && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func sameFiles(a, b map[string]os.FileInfo) bool {
	return maps.EqualFunc(a, b, sameFile)
}

// Bounds of what is watched of a folder.
const (
	maxTree  = 20_000
	maxBelow = 4
)

// tree returns what is in a folder and the folders in it.
func tree(folder string) map[string]os.FileInfo {
	found := map[string]os.FileInfo{}
	var walk func(folder string, depth int)
	walk = func(folder string, depth int) {
		info := stat(folder)
		if found[folder] = info; info == nil || !info.IsDir() || depth > maxBelow {
			return
		}
		entries, _ := os.ReadDir(folder) // what cannot be read is none
		for _, e := range entries {
			if len(found) < maxTree {
				walk(filepath.Join(folder, e.Name()), depth+1)
			}
		}
	}
	if folder != "" {
		walk(folder, 0)
	}
	return found
}

// reload begins to read what is marked anew, each document by itself: one that
// hangs does not hold up the others.
func (w *watcher) reload(ctx context.Context) {
	templates := tree(w.shelf.s.Templates) // before they are read
	if w.notify == nil || !sameFiles(templates, w.templates) {
		if set, err := loadTemplates(w.shelf.s.Templates); err != nil {
			w.shelf.s.log.Error("the changed templates cannot be used; those of before are", "error", err)
		} else {
			w.shelf.s.templates = set
		}
		if !sameFiles(templates, w.templates) {
			w.mark(true, func(int, *slot) bool { return true })
		}
		w.templates = templates
	}
	s := *w.shelf.s
	for i := range w.shelf.slots {
		whole, marked := w.dirty[i]
		if !marked || w.reading[i] {
			continue
		}
		delete(w.dirty, i)
		if w.shelf.slots[i].doc.Path == config.Stdin {
			continue
		}
		w.reading[i] = true
		go func() {
			src, read, err := w.shelf.open(ctx, i, &s, !whole)
			select {
			case w.opened <- opening{i, src, read, err}:
			case <-ctx.Done():
			}
		}()
	}
}

// follow watches the folders of all files. Folders, since a file that is replaced
// is another one.
func (w *watcher) follow() {
	if w.notify == nil {
		return
	}
	want := map[string]bool{}
	add := func(files map[string]os.FileInfo) {
		for file, info := range files {
			if info != nil && info.IsDir() {
				want[file] = true
			} else {
				want[filepath.Dir(file)] = true
			}
		}
	}
	add(w.templates)
	w.shelf.mu.Lock()
	for i := range w.shelf.slots {
		add(w.shelf.slots[i].files)
	}
	w.shelf.mu.Unlock()
	for _, dir := range w.notify.WatchList() {
		if !want[dir] {
			_ = w.notify.Remove(dir)
		}
		delete(want, dir)
	}
	for dir := range want {
		err := w.notify.Add(dir)
		if err != nil && !w.unseen[dir] {
			w.shelf.s.log.Warn("a folder cannot be watched; its files are looked at now and then", "folder", dir, "error", err)
		}
		w.unseen[dir] = err != nil
	}
}
