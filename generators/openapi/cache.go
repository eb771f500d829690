package openapi

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"sync"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/diskcache"
	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
)

// A cached document is what became of one when it was read the last time, with the
// fingerprints of all that was read then. It is used if everything is read again
// and has the same bytes: neither times nor sizes of files are relied on. What is
// saved is the parsing.
//
// Nothing but the document, its overlays and its other files has a part in that.
// The other options, and the templates, come afterwards.

// readDocument applies the overlays to a document, and indexes it, or has that from
// the cache. It returns also what it was after the overlays, and what they found.
func readDocument(file string, data []byte, o *Options) (*ingest.Document, []framework.Diagnostic, error) {
	store, name := o.cache(file)
	files := &fileReads{files: o.Files}
	if store != nil {
		if doc, changes := readCached(store.Get(name), file, data, o, files); doc != nil {
			if o.Logger != nil {
				o.Logger.Debug("the document is unchanged, and not parsed again", "file", file)
			}
			return doc, changes, nil
		}
		files.key = diskcache.NewKey()
	}
	source := data
	var changes []framework.Diagnostic
	if len(o.Overlays) > 0 {
		var err error
		if data, changes, err = ApplyOverlays(file, data, o.Overlays); err != nil {
			return nil, nil, err
		}
	}
	if o.OnRead != nil {
		o.OnRead("", data)
	}
	from := o.Files
	if store != nil && from != nil {
		from = files
	}
	doc, err := ingest.LoadFiles(file, data, from)
	if err == nil && store != nil {
		store.Put(name, cacheEntry(doc, source, data, changes, o, files))
	}
	return doc, changes, err
}

// cacheEntry returns the entry of a document that was read from source, and was
// data after its overlays.
func cacheEntry(doc *ingest.Document, source, data []byte, changes []framework.Diagnostic, o *Options, files *fileReads) []byte {
	key := files.key
	e := &diskcache.Encoder{Data: key[:]}
	mark := func(sum diskcache.Fingerprint) { e.Data = append(e.Data, sum[:]...) }
	mark(key.Of(source))
	e.Uint(uint64(len(o.Overlays)))
	for _, overlay := range o.Overlays {
		e.String(overlay.Name)
		mark(key.Of(overlay.Data))
	}
	e.Uint(uint64(len(files.log)))
	for _, read := range files.log {
		e.String(read.name)
		if e.Bool(read.err != nil); read.err != nil {
			e.String(read.err.Error())
		} else {
			mark(read.sum)
		}
	}
	if len(o.Overlays) > 0 {
		e.Bytes(data)
		ingest.StoreDiagnostics(e, changes)
	}
	doc.Store(e, data)
	return e.Data
}

// readCached returns the document of an entry, or nil if something that it was made
// of is another by now.
func readCached(entry []byte, file string, data []byte, o *Options, files *fileReads) (*ingest.Document, []framework.Diagnostic) {
	if entry == nil {
		return nil, nil
	}
	from := diskcache.NewDecoder(entry)
	var key diskcache.Key
	from.Fixed(key[:])
	same := func(data []byte) bool {
		var sum diskcache.Fingerprint
		from.Fixed(sum[:])
		return from.OK() && sum == key.Of(data)
	}
	if !same(data) || from.Count() != len(o.Overlays) {
		return nil, nil
	}
	for _, overlay := range o.Overlays {
		if from.String() != overlay.Name || !same(overlay.Data) {
			return nil, nil
		}
	}
	asked := from.Count()
	if asked > 0 && o.Files == nil {
		return nil, nil
	}
	for ; asked > 0; asked-- {
		got, err := files.early(from.String())
		switch {
		case from.Bool() != (err != nil):
			return nil, nil
		case err != nil && from.String() != err.Error(), err == nil && !same(got):
			return nil, nil
		}
	}
	var changes []framework.Diagnostic
	if len(o.Overlays) > 0 {
		data = from.Bytes()
		changes = ingest.StoredDiagnostics(from)
	}
	doc := ingest.Stored(file, data, from)
	if doc == nil || !from.Done() {
		return nil, nil
	}
	if o.OnRead != nil {
		o.OnRead("", data)
	}
	return doc, changes
}

// fileReads has the files read that a document consists of, and takes down what
// they were.
type fileReads struct {
	files Files
	key   diskcache.Key
	known map[string]fileRead // read for the cache: no file is read twice
	log   []fileRead
}

// A fileRead is a file that was asked for.
type fileRead struct {
	name string
	data []byte
	err  error
	sum  diskcache.Fingerprint
}

// early reads a file that Read may be asked for later.
func (r *fileReads) early(name string) ([]byte, error) {
	data, err := r.files.Read(name)
	if r.known == nil {
		r.known = map[string]fileRead{}
	}
	r.known[name] = fileRead{data: data, err: err}
	return data, err
}

// Read implements [Files].
func (r *fileReads) Read(name string) ([]byte, error) {
	got, known := r.known[name]
	if delete(r.known, name); !known {
		got.data, got.err = r.files.Read(name)
	}
	read := fileRead{name: name, err: got.err}
	if got.err == nil {
		read.sum = r.key.Of(got.data)
	}
	r.log = append(r.log, read)
	return got.data, got.err
}

// cacheFormat is the version of what this file and package ingest write.
const cacheFormat = 2

// cache returns the store of the options, nil if there is none, and the name of a
// document in it.
func (o *Options) cache(file string) (*diskcache.Store, string) {
	if o.CacheDir == "" {
		return nil, ""
	}
	build := o.CacheVersion
	if build == "" {
		build = thisBuild()
	}
	if build == "" {
		if o.Logger != nil {
			o.Logger.Debug("no cache is used: nothing says which version of the program this is", "folder", o.CacheDir)
		}
		return nil, ""
	}
	at := file
	if abs, err := filepath.Abs(file); err == nil {
		at = abs
	}
	// The name given is in messages, and the entry has those.
	name := fmt.Sprintf("%d\n%q\n%q\n%q\n%t", cacheFormat, build, at, file, o.Files != nil)
	return diskcache.Open(o.CacheDir, o.Logger), name
}

// thisBuild identifies the program with all that it is made of; "" if that cannot be
// known, as of one that was built from files that are in no commit.
var thisBuild = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return buildOf(info)
})

// module is the path of this one.
const module = "github.com/apiskills/apiskills"

func buildOf(info *debug.BuildInfo) string {
	known := info.Main.Path == module && info.Main.Sum != ""
	for _, s := range info.Settings {
		switch {
		case info.Main.Path != module: // what it does itself has no part in this
		case s.Key == "vcs.modified" && s.Value == "true":
			return ""
		case s.Key == "vcs.revision":
			known = true
		}
	}
	for _, dep := range info.Deps {
		path := dep.Path
		if dep.Replace != nil {
			dep = dep.Replace
		}
		if dep.Sum == "" { // it is a folder
			return ""
		}
		known = known || path == module
	}
	if !known {
		return ""
	}
	sum := sha256.Sum256([]byte(info.String()))
	return string(sum[:])
}
