package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

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

	mu    sync.Mutex
	slots []slot
}

// A slot has one document.
type slot struct {
	doc    config.Document
	source source // generator is nil while there is none
	tried  bool
	err    error                  // why there is none, or why it is not the latest
	files  map[string]os.FileInfo // what was read; nil for what is not there
	etag   string
	stop   context.CancelFunc // of telling what the last change changed
}

func (a *app) newShelf(s *session) (*shelf, error) {
	if len(s.Documents) == 0 {
		return nil, unusable(errNoDocuments(s.File))
	}
	sh := &shelf{a: a, s: s, loaded: make(chan struct{}), slots: make([]slot, len(s.Documents))}
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
			src, read, err := sh.open(ctx, i, sh.s)
			sh.mu.Lock()
			defer sh.mu.Unlock()
			sl := &sh.slots[i]
			sl.tried, sl.err, sl.files = true, err, read.files
			if err == nil {
				sl.source, sl.etag = src, read.etag
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
	files map[string]os.FileInfo
	etag  string
}

// open reads the document of a slot.
func (sh *shelf) open(ctx context.Context, i int, s *session) (source, reading, error) {
	sh.mu.Lock()
	doc, etag := sh.slots[i].doc, sh.slots[i].etag
	sh.mu.Unlock()
	read := reading{files: map[string]os.FileInfo{}}
	var mu sync.Mutex
	note := func(path string) {
		info, err := os.Stat(path)
		if err != nil {
			info = nil
		}
		mu.Lock()
		defer mu.Unlock()
		if _, known := read.files[path]; !known {
			read.files[path] = info
		}
	}
	own := *s
	own.ifNoneMatch = etag
	if !doc.IsURL() && doc.Path != config.Stdin {
		note(doc.Path) // before it is read: what changes meanwhile is noticed
		own.onRead = func(_ config.Document, file string, _ []byte) {
			if file != "" {
				note(filepath.Join(filepath.Dir(doc.Path), filepath.FromSlash(file)))
			}
		}
	}
	for _, path := range doc.Overlays {
		note(path)
	}
	generator, prefix, err := sh.a.generators[0].open(ctx, doc, &own)
	if err != nil {
		return source{}, read, err
	}
	if g, ok := framework.As[interface{ ETag() string }](generator); ok {
		read.etag = g.ETag()
	}
	return source{doc, generator, prefix}, read, nil
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

// reload reads a document anew, and serves it in the place of the one before if it
// can be used.
func (sh *shelf) reload(ctx context.Context, i int, s *session) {
	src, read, err := sh.open(ctx, i, s)
	if ctx.Err() != nil {
		return
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sl := &sh.slots[i]
	name := display(sl.doc)
	if errors.Is(err, openapi.ErrNotModified) {
		sl.err = nil
		return
	}
	for path, info := range read.files { // also if it failed: the next change is to be noticed
		if sl.files == nil {
			sl.files = map[string]os.FileInfo{}
		}
		sl.files[path] = info
	}
	if err == nil {
		for j := range sh.slots {
			if j != i && sh.slots[j].source.generator != nil && sh.slots[j].source.prefix == src.prefix {
				err = fmt.Errorf("%s would now have the API name %q, which %s has; name one of them", name, src.prefix, display(sh.slots[j].doc))
			}
		}
	}
	if err != nil {
		sl.err = err
		sh.s.log.Error("a changed document cannot be used; what was read before is served on", "document", name, "error", err)
		return
	}
	old := sl.source
	sl.source, sl.err, sl.etag, sl.files = src, nil, read.etag, read.files
	if err := sh.mount(); err != nil {
		sl.source, sl.err = old, err
		sh.s.log.Error("a changed document cannot be mounted; what was read before is served on", "document", name, "error", err)
		return
	}
	if old.generator != nil && old.prefix != src.prefix {
		sh.s.log.Warn("the title of the document changed, and every URI with it; a name keeps them", "document", name, "before", old.prefix, "now", src.prefix)
	}
	sh.s.log.Info("reloaded", "document", name, "api", src.prefix)
	sl.stop()
	var telling context.Context
	telling, sl.stop = context.WithCancel(ctx)
	go sh.tellChanges(telling, old, src)
}

// maxTold bounds the skills that the log names after a change.
const maxTold = 50

// tellChanges logs which skills a reload added, removed, or gave other bytes. It
// makes each skill twice, one after the other, beside the serving.
func (sh *shelf) tellChanges(ctx context.Context, old, now source) {
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
		version := ""
		if skill, err := src.generator.Skill(ctx, path); err == nil {
			version = skill.Version
		}
		versions[src.prefix+"/"+path] = version
	}
	return versions
}

// status says of each document whether it is served, and whether all were tried.
func (sh *shelf) status() (lines []string, done bool) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	done = true
	for i := range sh.slots {
		sl := &sh.slots[i]
		switch name := cmp.Or(sl.source.prefix, sl.doc.Name, fmt.Sprintf("document %d", i+1)); {
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
