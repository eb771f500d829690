package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi"
	"golang.org/x/sync/errgroup"
)

// A shelf is the documents that serve serves. They are read side by side, each is
// served as soon as it is read, and one can be read anew while the others, and
// what was read of it before, are served.
type shelf struct {
	a       *app
	s       *session
	catalog *framework.Catalog
	loaded  chan struct{} // closed when each document was tried
	telling chan struct{} // held by the one that tells what a change changed

	mu    sync.Mutex
	slots []slot
}

// A slot has one document.
type slot struct {
	doc    config.Document
	source source // generator is nil while there is none
	next   source // read later than source, and not served while another document has its name
	tried  bool
	err    error                  // why there is none, or why it is not the latest
	files  map[string]os.FileInfo // what was read; nil for what is not there
	below  []string               // folders of which all that is in them was read
	etag   string                 // of source
	wait   string                 // etag of next
	faults []framework.Diagnostic // of the document that was read last
	stop   context.CancelFunc     // of telling what the last change changed
}

func (a *app) newShelf(s *session) (*shelf, error) {
	if len(s.Documents) == 0 {
		return nil, unusable(a.errNoDocuments(s.File))
	}
	sh := &shelf{a: a, s: s, loaded: make(chan struct{}), telling: make(chan struct{}, 1), slots: make([]slot, len(s.Documents))}
	for i, doc := range s.Documents {
		sh.slots[i] = slot{doc: doc, stop: func() {}}
	}
	var err error
	if sh.catalog, err = newCatalog(s, nil); err != nil {
		return nil, unusable(err)
	}
	return sh, sh.mount()
}

// load reads the documents. It fails if there is none that can be used, or if two
// have one name; others that cannot be used are named.
func (sh *shelf) load(ctx context.Context) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range sh.slots {
		group.Go(func() error {
			src, read, err := sh.open(ctx, i, sh.s, false)
			sh.mu.Lock()
			defer sh.mu.Unlock()
			sl := &sh.slots[i]
			sl.tried, sl.err, sl.files, sl.below = true, err, read.files, read.folders
			if err == nil {
				sl.source, sl.etag, sl.faults = src, read.etag, read.faults
			}
			return sh.mount()
		})
	}
	err := group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var broken []error
	for i := range sh.slots {
		if err := sh.slots[i].err; err != nil {
			broken = append(broken, err)
		}
	}
	sources := sh.sources()
	if len(sources) == 0 {
		return unusable(errors.Join(broken...))
	}
	sh.a.tellBroken(sh.s, broken)
	if err := cmp.Or(checkPrefixes(sources), err); err != nil {
		return unusable(err)
	}
	sh.a.print(sh.s, unusedRules(sources))
	close(sh.loaded)
	return nil
}

// sources are the documents that can be used.
func (sh *shelf) sources() []source {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	var sources []source
	for i := range sh.slots {
		if sh.slots[i].source.generator != nil {
			sources = append(sources, sh.slots[i].source)
		}
	}
	return sources
}

// What open read beside the document that it returns.
type reading struct {
	files   map[string]os.FileInfo
	folders []string // of which all that is in them counts
	etag    string
	faults  []framework.Diagnostic
}

// maxReading is how long a document may take to be read. What holds it up may be
// a pipe that nobody writes to.
const maxReading = 5 * time.Minute

// open reads the document of a slot. It returns when ctx ends, whatever holds up
// the reading. With cached, what is on the web is read only if it is another
// than before.
func (sh *shelf) open(ctx context.Context, i int, s *session, cached bool) (source, reading, error) {
	sh.mu.Lock()
	doc, etag := sh.slots[i].doc, ""
	if cached {
		etag = sh.slots[i].etag
	}
	before := map[string]os.FileInfo{}
	for path := range sh.slots[i].files {
		before[path] = nil
	}
	sh.mu.Unlock()

	type opened struct {
		source
		reading
		err error
	}
	done := make(chan opened, 1)
	ctx, cancel := context.WithTimeout(ctx, maxReading)
	defer cancel()
	go func() {
		var o opened
		defer func() {
			if v := recover(); v != nil {
				o.err = fmt.Errorf("%s: panic: %v\n%s", display(doc), v, debug.Stack())
			}
			done <- o
		}()
		o.source, o.reading, o.err = sh.read(ctx, doc, before, etag, s)
	}()
	select {
	case o := <-done:
		return o.source, o.reading, o.err
	case <-ctx.Done():
		sh.mu.Lock()
		folders := sh.slots[i].below
		sh.mu.Unlock()
		files := map[string]os.FileInfo{}
		for path := range before {
			files[path] = stat(path)
		}
		if !doc.IsURL() {
			files[doc.Path] = stat(doc.Path)
		}
		return source{}, reading{files: files, folders: folders}, fmt.Errorf("%s is not read after %v: %w", display(doc), maxReading, ctx.Err())
	}
}

// read reads a document; before has the names of the files that it was of.
func (sh *shelf) read(ctx context.Context, doc config.Document, before map[string]os.FileInfo, etag string, s *session) (source, reading, error) {
	known := map[string]os.FileInfo{} // before they are read: what changes meanwhile is noticed
	for path := range before {
		known[path] = stat(path)
	}
	read := reading{files: map[string]os.FileInfo{}}
	var mu sync.Mutex // of read and folders
	note := func(path string) {
		info, ok := known[path]
		if !ok {
			info = stat(path)
		}
		mu.Lock()
		defer mu.Unlock()
		if _, ok := read.files[path]; !ok {
			read.files[path] = info
		}
	}
	own := *s
	own.ifNoneMatch = etag
	if !doc.IsURL() && doc.Path != config.Stdin {
		note(doc.Path)
	}
	var folders []string
	src, err := sh.a.openDocument(ctx, doc, &own, func(path string) {
		below := tree(path)
		for path := range below {
			note(path)
		}
		if info := below[path]; info != nil && info.IsDir() {
			mu.Lock()
			defer mu.Unlock()
			folders = append(folders, path)
		}
	})
	mu.Lock()
	defer mu.Unlock()
	read.folders = folders
	if err != nil {
		for path, info := range known { // what it refers to is not known
			if _, ok := read.files[path]; !ok {
				read.files[path] = info
			}
		}
		return source{}, read, err
	}
	if g, ok := framework.As[interface{ ETag() string }](src.generator); ok {
		read.etag = g.ETag()
	}
	read.faults = faults(ctx, src)
	return src, read, nil
}

// stat returns what is at path, nil if there is nothing.
func stat(path string) os.FileInfo {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}

// mount has the catalog serve the documents that were read. As long as there are
// others to come, what is asked of the rest waits for them. The caller holds mu,
// but for the first call.
func (sh *shelf) mount() error {
	var mounts []framework.Mount
	wait := &waiting{shelf: sh}
	for i := range sh.slots {
		src := sh.slots[i].source
		switch {
		case !sh.slots[i].tried:
			wait.slots = append(wait.slots, i)
		case src.generator == nil:
		case slices.ContainsFunc(mounts, func(m framework.Mount) bool { return m.Prefix == src.prefix }): // load refuses that
		default:
			mounts = append(mounts, framework.Mount{Prefix: src.prefix, Generator: src.generator})
		}
	}
	if len(wait.slots) > 0 {
		mounts = append(mounts, framework.Mount{Generator: wait})
	}
	return sh.catalog.SetMounts(mounts)
}

// take takes what was read of a document anew, and serves it in the place of the
// one before if it can be used, with all that waited for the name that it gives
// up.
func (sh *shelf) take(ctx context.Context, i int, src source, read reading, err error) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sl := &sh.slots[i]
	sl.files, sl.below = read.files, read.folders // also if it failed: the next change is to be noticed
	switch name := display(sl.doc); {
	case errors.Is(err, openapi.ErrNotModified):
		sl.err = nil
		return
	case err != nil:
		sl.err, sl.next = err, source{}
		sh.s.log.Error("a changed document cannot be used; what was read before is served on", "document", name, "error", err)
		return
	}
	sh.tellFaults(src.prefix, sl.faults, read.faults)
	sl.next, sl.wait, sl.faults = src, read.etag, read.faults
	taken := sh.settle()
	if !slices.Contains(taken, i) {
		sl.err = fmt.Errorf("%s would now have the API name %q, which another document has; name one of them", display(sl.doc), src.prefix)
		sh.s.log.Error("a changed document cannot be used; what was read before is served on", "document", display(sl.doc), "error", sl.err)
	}
	before := slices.Clone(sh.slots)
	for _, j := range taken {
		sl := &sh.slots[j]
		sl.source, sl.next, sl.etag, sl.err = sl.next, source{}, sl.wait, nil
	}
	if err := sh.mount(); err != nil {
		copy(sh.slots, before)
		sl.err = err
		sh.s.log.Error("a changed document cannot be mounted; what was read before is served on", "document", display(sl.doc), "error", err)
		return
	}
	for _, j := range taken {
		sl, old := &sh.slots[j], before[j].source
		name := display(sl.doc)
		if old.generator != nil {
			sh.a.drop(old.generator)
		}
		if old.generator != nil && old.prefix != sl.source.prefix {
			sh.s.log.Warn("the title of the document changed, and every URI with it; a name keeps them", "document", name, "before", old.prefix, "now", sl.source.prefix)
		}
		sh.s.log.Info("reloaded", "document", name, "api", sl.source.prefix)
		sl.stop()
		var telling context.Context
		telling, sl.stop = context.WithCancel(ctx)
		go sh.tellChanges(telling, old, sl.source)
	}
}

// settle returns the slots whose next document can be served, all of them at
// once: no two documents have one name then. Of those that want one name that
// moves, the first has it.
func (sh *shelf) settle() (taken []int) {
	takes := map[int]bool{}
	for i := range sh.slots {
		takes[i] = sh.slots[i].next.generator != nil
	}
	for again := true; again; {
		again = false
		has := map[string]int{}
		for i := range sh.slots {
			src := sh.slots[i].source
			if takes[i] {
				src = sh.slots[i].next
			}
			if src.generator == nil {
				continue
			}
			j, clash := has[src.prefix]
			if !clash {
				has[src.prefix] = i
				continue
			}
			moves := func(i int) bool { return takes[i] && sh.slots[i].next.prefix != sh.slots[i].source.prefix }
			switch {
			case moves(i):
				takes[i], again = false, true
			case moves(j):
				takes[j], again = false, true
			}
		}
	}
	for i := range sh.slots {
		if takes[i] {
			taken = append(taken, i)
		}
	}
	return taken
}

// maxTold bounds the skills that the log names after a change.
const maxTold = 50

// tellChanges logs which skills a reload added, removed, or gave other bytes. It
// makes each skill twice, one after the other, beside the serving, and for one
// document at a time.
func (sh *shelf) tellChanges(ctx context.Context, old, now source) {
	select {
	case sh.telling <- struct{}{}:
		defer func() { <-sh.telling }()
	case <-ctx.Done():
		return
	}
	before, after := versions(ctx, old), versions(ctx, now)
	if ctx.Err() != nil {
		return
	}
	var changed, added, removed []string
	for path, v := range after {
		if was, ok := before[path]; !ok {
			added = append(added, path)
		} else if was != v || v == "" {
			changed = append(changed, path)
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			removed = append(removed, path)
		}
	}
	attrs := []any{"api", now.prefix}
	for _, list := range []struct {
		key   string
		paths []string
	}{{"changed", changed}, {"added", added}, {"removed", removed}} {
		slices.Sort(list.paths)
		attrs = append(attrs, list.key, len(list.paths))
		if len(list.paths) > 0 {
			attrs = append(attrs, list.key+"_skills", strings.Join(list.paths[:min(len(list.paths), maxTold)], " "))
		}
	}
	sh.s.log.Info("digests after the reload", attrs...)
}

// maxFaults bounds what is kept of what the generator of a document reports.
const maxFaults = 1000

// faults are what the generator of a source reports that is more than a note.
func faults(ctx context.Context, src source) (list []framework.Diagnostic) {
	g, ok := framework.As[framework.Diagnoser](src.generator)
	if !ok {
		return nil
	}
	for d := range g.Diagnostics(ctx) {
		if len(list) == maxFaults || ctx.Err() != nil {
			break
		}
		if d.Severity != framework.Note {
			list = append(list, d)
		}
	}
	return list
}

// tellFaults logs the faults of a document that it did not have before.
func (sh *shelf) tellFaults(api string, before, now []framework.Diagnostic) {
	known := map[string]bool{}
	for _, d := range before {
		known[d.String()] = true
	}
	told := 0
	for _, d := range now {
		if known[d.String()] {
			continue
		}
		if told++; told > maxTold {
			sh.s.log.Warn("there are more faults since the reload; the command check shows them", "api", api)
			return
		}
		level := slog.LevelWarn
		if d.Severity == framework.Error {
			level = slog.LevelError
		}
		sh.s.log.Log(context.Background(), level, "diagnostic", "api", api, "rule", d.Rule, "skill", d.Skill, "file", d.File, "line", d.Line, "pointer", d.Pointer, "message", d.Message)
	}
}

func versions(ctx context.Context, src source) map[string]string {
	versions := map[string]string{}
	lister, ok := framework.As[framework.Lister](src.generator)
	if !ok {
		return versions
	}
	for path, err := range lister.Paths(ctx, "") {
		if err != nil || ctx.Err() != nil {
			break
		}
		versions[src.prefix+"/"+path] = skillVersion(ctx, src, path)
	}
	return versions
}

// skillVersion is the version of a skill, "" if it cannot be made. The catalog says
// why when it is asked for.
func skillVersion(ctx context.Context, src source, path string) (version string) {
	defer func() {
		if recover() != nil {
			version = ""
		}
	}()
	skill, err := src.generator.Skill(ctx, path)
	if err != nil {
		return ""
	}
	return skill.Version
}

// status says of each document whether it is served, and whether all were tried.
// Whoever may not see all skills is told no names.
func (sh *shelf) status(names bool) (lines []string, done bool) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	done = true
	for i := range sh.slots {
		sl := &sh.slots[i]
		name := fmt.Sprintf("document %d", i+1)
		if names {
			name = cmp.Or(sl.source.prefix, sl.doc.Name, name)
		}
		switch {
		case !sl.tried:
			done = false
			lines = append(lines, "reading: "+name)
		case sl.source.generator == nil:
			lines = append(lines, "not served: "+name)
		case sl.err != nil:
			lines = append(lines, "ready, but not its last change: "+name)
		default:
			lines = append(lines, "ready: "+name)
		}
	}
	return lines, done
}

// A waiting generator stands for the documents that are still being read: what is
// asked of it waits for them, so that nobody is told that a skill is not there
// because it is not there yet.
type waiting struct {
	shelf *shelf
	slots []int
}

func (w *waiting) wait(ctx context.Context) ([]source, error) {
	select {
	case <-w.shelf.loaded:
	case <-ctx.Done():
		return nil, fmt.Errorf("documents are still being read: %w", ctx.Err())
	}
	w.shelf.mu.Lock()
	defer w.shelf.mu.Unlock()
	var sources []source
	for _, i := range w.slots {
		if src := w.shelf.slots[i].source; src.generator != nil {
			sources = append(sources, src)
		}
	}
	slices.SortFunc(sources, func(a, b source) int { return strings.Compare(a.prefix+"/", b.prefix+"/") })
	return sources, nil
}

// Skill implements framework.Generator.
func (w *waiting) Skill(ctx context.Context, path string) (*framework.Skill, error) {
	sources, err := w.wait(ctx)
	if err != nil {
		return nil, err
	}
	prefix, rel, _ := strings.Cut(path, "/")
	for _, src := range sources {
		if src.prefix == prefix && rel != "" {
			return src.generator.Skill(ctx, rel)
		}
	}
	return nil, fmt.Errorf("%q: %w", path, framework.ErrNotFound)
}

// Paths implements framework.Lister.
func (w *waiting) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		sources, err := w.wait(ctx)
		if err != nil {
			yield("", err)
			return
		}
		for _, src := range sources {
			start, from := src.prefix+"/", ""
			lister, ok := framework.As[framework.Lister](src.generator)
			if !ok || after > start && !strings.HasPrefix(after, start) {
				continue
			}
			from = strings.TrimPrefix(after, start)
			if after < start {
				from = ""
			}
			for rel, err := range lister.Paths(ctx, from) {
				if err != nil {
					yield("", err)
					return
				}
				if !yield(start+rel, nil) {
					return
				}
			}
		}
	}
}

// Featured implements framework.Featurer.
func (w *waiting) Featured(ctx context.Context) ([]string, error) {
	sources, err := w.wait(ctx)
	if err != nil {
		return nil, err
	}
	var featured []string
	for _, src := range sources {
		if f, ok := framework.As[framework.Featurer](src.generator); ok {
			paths, err := f.Featured(ctx)
			if err != nil {
				return nil, err
			}
			for _, p := range paths {
				featured = append(featured, src.prefix+"/"+p)
			}
		}
	}
	return featured, nil
}
