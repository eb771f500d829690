package ingest

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/apiskills/apiskills/framework"
)

// Files reads the files that the references of a document lead to.
type Files interface {
	// Read returns the content of a file. The name is relative to the folder of
	// the document, clean, with slashes; it may begin with "../", and ends in
	// .json, .yaml or .yml. The text of an error goes on after "a file that", as
	// in "is outside the folder". Read is called from one goroutine, once a name.
	Read(name string) ([]byte, error)
}

const (
	// MaxFiles is how many files a document may consist of.
	MaxFiles = 20_000
	// MaxFileSize is the largest file that a reference may lead to, and
	// MaxSize that of all files of a document together, in bytes.
	MaxFileSize = 64 << 20
	// maxLinkText is how long the file part of a reference may be.
	maxLinkText = 4 << 10
	// indexFrom is the size from which the entries of an object or array are
	// looked up in a map; maxIndexed is how many entries all maps may have.
	indexFrom  = 4 << 10
	maxIndexed = 1 << 19
)

// A file is one of the files that a document consists of.
type file struct {
	name  string // relative to the document's folder; "" for the document itself
	label string // in diagnostics
	data  []byte // JSON: the source itself, or what became of YAML
	root  span
	why   string              // why the file cannot be used, if it cannot
	refs  []uint32            // where the values of $ref and mapping begin, while loading
	links map[string]fileLink // what the file part of a reference leads to

	mu      sync.Mutex
	entries map[uint32]entries // of large values, by where they begin
}

// A fileLink is what the file part of a reference leads to.
type fileLink struct {
	file uint16
	why  string // why it leads nowhere
}

// entries index an object or an array.
type entries struct {
	named map[string]span
	list  []span
}

// A spot is a JSON Pointer into a file.
type spot struct {
	file uint16
	ptr  string
}

// entry is child with an index for large values.
func (d *Document) entry(s span, token string) (span, bool) {
	if s.end-s.start < indexFrom {
		return d.child(s, token)
	}
	f := d.files[s.file]
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.entries[s.start]
	if !ok {
		if d.indexed.Load() > maxIndexed {
			return d.child(s, token)
		}
		e = d.index(s)
		if f.entries == nil {
			f.entries = make(map[uint32]entries)
		}
		f.entries[s.start] = e
		d.indexed.Add(int64(len(e.named) + len(e.list)))
	}
	if e.named == nil {
		if n := index(token); n >= 0 && n < len(e.list) {
			return e.list[n], true
		}
		return span{}, false
	}
	at, ok := e.named[token]
	return at, ok
}

func (d *Document) index(s span) (e entries) {
	sc := d.scan(s)
	switch d.first(s) {
	case '{':
		e.named = make(map[string]span)
		sc.members(int(s.start), func(name span, v int) int {
			end := sc.value(v, 0)
			if end >= 0 {
				e.named[view(d.bytes(name))] = sc.span(v, end)
			}
			return end
		})
	case '[':
		sc.elements(int(s.start), func(_, v int) int {
			end := sc.value(v, 0)
			if end >= 0 {
				e.list = append(e.list, sc.span(v, end))
			}
			return end
		})
	}
	return e
}

// A fileReader reads the files that a document consists of: those that its
// references lead to, and those that theirs do.
type fileReader struct {
	doc   *Document
	files Files
	known map[string]fileLink // name -> file
	size  int
	self  string // URI of the document, from $self
}

// A source is a file that was read and not yet parsed.
type source struct {
	*file
	raw   []byte
	size  int // of raw
	diags diagnostics
}

// readFiles reads all files of the document, level by level: the files of a level
// are parsed side by side.
func (in *indexer) readFiles(files Files) {
	d := in.doc
	main := d.files[0]
	r := &fileReader{doc: d, files: files, known: make(map[string]fileLink), size: len(main.data)}
	if s, ok := d.lookup(0, []string{"$self"}); ok {
		r.self, _, _ = strings.Cut(unquote(d.bytes(s)), "#")
	}
	if main.label != "" {
		r.known[filepath.Base(main.label)] = fileLink{}
	}
	for from := 0; from < len(d.files); {
		var level []*source
		for n := from; n < len(d.files); n++ {
			level = r.links(uint16(n), level)
		}
		from = len(d.files)
		var wait sync.WaitGroup
		slots := make(chan struct{}, runtime.GOMAXPROCS(0))
		for i, s := range level {
			s.root.file = uint16(from + i)
			d.files = append(d.files, s.file)
			slots <- struct{}{}
			wait.Go(func() {
				s.parse()
				<-slots
			})
		}
		wait.Wait()
		for _, s := range level {
			in.diags.take(&s.diags)
			// What the text of a file becomes may be larger than the file.
			if r.size += len(s.data) - s.size; r.size > MaxSize {
				s.why, s.data, s.refs = tooMuch, nil, nil
			}
		}
	}
}

const tooMuch = "leads to one file too many: all together are past the limit"

// links resolves the references of a file that name other files, and adds those
// that are new to level.
func (r *fileReader) links(n uint16, level []*source) []*source {
	f := r.doc.files[n]
	f.links = make(map[string]fileLink)
	r.doc.eachRef(n, func(_ uint32, ref string, mapped bool) {
		part, _, _ := strings.Cut(ref, "#")
		if part == "" || mapped && !readable(part) {
			return
		}
		if _, done := f.links[part]; done {
			return
		}
		name, why := r.target(f, part)
		if why != "" {
			f.links[part] = fileLink{why: why}
			return
		}
		l, ok := r.known[name]
		if !ok {
			l, level = r.read(name, level)
			r.known[name] = l
		}
		f.links[part] = l
	})
	return level
}

// eachRef calls f for the references of a file: the values of $ref, and those of
// discriminator mappings, which may also be plain names.
func (d *Document) eachRef(n uint16, f func(off uint32, ref string, mapped bool)) {
	src := d.files[n]
	sc := scanner{data: src.data, file: n}
	for _, off := range src.refs {
		switch v := int(off); src.data[v] {
		case '"':
			if end := sc.str(v); end >= 0 {
				f(off, view(src.data[v:end]), false)
			}
		case '{':
			sc.members(v, func(_ span, v int) int {
				end := sc.value(v, 0)
				if end >= 0 && src.data[v] == '"' {
					f(uint32(v), view(src.data[v:end]), true)
				}
				return end
			})
		}
	}
}

// readable reports whether a name ends as those of files that are read do.
func readable(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".json", ".yaml", ".yml":
		return true
	}
	return false
}

// target returns the name, relative to the document's folder, of the file that
// the file part of a reference names, or why there is none.
func (r *fileReader) target(from *file, part string) (name, why string) {
	if len(part) > maxLinkText {
		return "", "has too long a file name"
	}
	dir := path.Dir(from.name)
	if r.self != "" && strings.Contains(part, "://") {
		if part == r.self {
			return filepath.Base(r.doc.files[0].label), ""
		}
		if rest, ok := strings.CutPrefix(part, r.self[:strings.LastIndexByte(r.self, '/')+1]); ok {
			part, dir = rest, "."
		}
	}
	scheme, _, hasScheme := strings.Cut(part, ":")
	hasScheme = hasScheme && !strings.ContainsAny(scheme, "/.?")
	switch {
	case strings.HasPrefix(part, "//"), hasScheme && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")):
		return "", "is on the network, from which nothing is read"
	case hasScheme && strings.EqualFold(scheme, "file"):
		return "", "is a file: URL: only relative names of files are followed"
	case hasScheme:
		return "", "is a URI that nothing in the document has"
	}
	if dec, err := url.PathUnescape(part); err == nil {
		part = dec
	}
	switch {
	case strings.HasPrefix(part, "/"), strings.ContainsAny(part, "\\\x00"):
		return "", "is an absolute path, or none: only relative names of files are followed"
	}
	part, _, _ = strings.Cut(part, "?")
	if name = path.Join(dir, part); !readable(name) {
		return "", "is no .json, .yaml or .yml file: no other is read"
	}
	if r.files == nil {
		if _, self := r.known[name]; !self {
			return "", "is in another file, and the document has no folder from which files are read"
		}
	}
	return name, ""
}

// read reads a file and adds it to level.
func (r *fileReader) read(name string, level []*source) (fileLink, []*source) {
	d := r.doc
	n := len(d.files) + len(level)
	if n >= MaxFiles {
		return fileLink{why: fmt.Sprintf("leads to one file too many: %d are the limit", MaxFiles)}, level
	}
	raw, err := r.files.Read(name)
	if err != nil {
		return fileLink{why: "leads to a file that " + err.Error()}, level
	}
	if len(raw) > MaxFileSize {
		return fileLink{why: fmt.Sprintf("leads to a file that has %d bytes, more than the limit of %d", len(raw), MaxFileSize)}, level
	}
	if r.size+len(raw) > MaxSize {
		return fileLink{why: tooMuch}, level
	}
	r.size += len(raw)
	f := &file{name: name, label: path.Join(path.Dir(filepath.ToSlash(d.File)), name)}
	return fileLink{file: uint16(n)}, append(level, &source{file: f, raw: raw, size: len(raw), diags: diagnostics{file: f.label}})
}

// parse makes JSON of a file and notes its references.
func (s *source) parse() {
	data, root, refs, err := parseText(s.label, s.raw, &s.diags, s.root.file)
	s.raw = nil
	if err != nil {
		e := *err
		e.File = s.label
		s.why = "leads to a file that cannot be read: " + e.Error()
		return
	}
	s.data, s.root, s.refs = data, root, refs
}

// parseText returns a text in JSON or YAML as JSON.
func parseText(name string, raw []byte, diags *diagnostics, n uint16) ([]byte, span, []uint32, *Error) {
	data, err := toUTF8(name, raw)
	if err != nil {
		return nil, span{}, nil, err
	}
	data = bytes.TrimLeft(data, " \t\r\n")
	var refs []uint32
	sc := scanner{data: data, file: n, refs: &refs}
	whole := func() (span, bool) {
		end := sc.value(0, 0)
		if end < 0 {
			return span{}, false
		}
		if rest := sc.space(end); rest < len(sc.data) {
			sc.fail(rest, "text after the end of the document")
			return span{}, false
		}
		return sc.span(0, end), true
	}
	if len(data) > 0 && strings.IndexByte(`{["`, data[0]) >= 0 {
		if root, ok := whole(); ok {
			return data, root, refs, nil
		}
		if data[0] != '"' && !isYAML(name) { // a quoted key begins with a quote, too
			line, column := position(data, sc.errOff)
			return nil, span{}, nil, &Error{File: name, Line: line, Column: column, Msg: "the JSON is broken: " + sc.errMsg}
		}
	}
	y := yamlReader{file: name, diags: diags}
	if data, err = y.json(data); err != nil {
		return nil, span{}, nil, err
	}
	refs = nil
	sc = scanner{data: data, file: n, refs: &refs}
	root, ok := whole()
	if !ok {
		return nil, span{}, nil, &Error{File: name, Msg: "the YAML became broken JSON: " + sc.errMsg}
	}
	return data, root, refs, nil
}

// label returns the name of a file in diagnostics.
func (d *Document) label(n uint16) string { return d.files[n].label }

// take adds the diagnostics of another list.
func (ds *diagnostics) take(other *diagnostics) {
	for _, f := range other.list {
		if ds.full() {
			ds.more++
			continue
		}
		ds.list = append(ds.list, f)
	}
	ds.more += other.more
}

// addTo is add for a file other than the document itself.
func (ds *diagnostics) addTo(label string, sev framework.Severity, rule, ptr, format string, args ...any) {
	main := ds.file
	ds.file = label
	ds.add(sev, rule, ptr, format, args...)
	ds.file = main
}
