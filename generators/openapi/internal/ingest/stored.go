package ingest

import (
	"maps"
	"math"
	"slices"
	"unsafe"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/diskcache"
)

// Store appends the index to an entry of a cache, and of the texts what is not the
// end of source: the bytes that [Load] was given.
func (d *Document) Store(e *diskcache.Encoder, source []byte) {
	e.Uint(uint64(len(d.files)))
	for i, f := range d.files {
		e.String(f.name)
		e.String(f.label)
		e.String(f.why)
		own := i == 0 && endsWith(source, f.data)
		if e.Bool(own); own {
			e.Uint(uint64(len(f.data)))
		} else {
			e.Bytes(f.data)
		}
		storeSpan(e, f.root)
		e.Uint(uint64(len(f.links)))
		for _, part := range slices.Sorted(maps.Keys(f.links)) {
			e.String(part)
			e.Uint(uint64(f.links[part].file))
			e.String(f.links[part].why)
		}
	}
	for _, s := range []string{d.OpenAPI, d.Title, d.Version} {
		e.String(s)
	}
	e.Bool(d.MentionsSkill)
	e.Bool(d.old)
	e.Uint(uint64(d.root3))
	storeSpan(e, d.root)
	e.Uint(uint64(len(d.members)))
	for _, m := range d.members {
		e.String(m.name)
		storeSpan(e, m.span)
	}
	for _, list := range d.components {
		e.Uint(uint64(len(list)))
		for _, c := range list {
			e.Uint(uint64(c.start))
			e.Uint(uint64(c.end - c.start))
		}
	}
	e.Uint(uint64(len(d.items)))
	for i, it := range d.items {
		e.String(it.name)
		e.Bool(it.webhook)
		storeSpan(e, it.span)
		via := d.via[int32(i)]
		e.Uint(uint64(len(via)))
		for _, p := range via {
			storeSpan(e, p.span)
			e.String(p.ptr)
		}
	}
	e.Uint(uint64(len(d.Operations)))
	for i := range d.Operations {
		op := &d.Operations[i]
		e.Uint(uint64(op.item))
		for _, s := range []string{op.Method, op.OperationID, op.Tag, op.Pointer} {
			e.String(s)
		}
		storeSpan(e, op.body)
		behind, ok := d.behind[op.body]
		if e.Bool(ok); ok {
			e.String(behind)
		}
	}
	e.Uint(uint64(len(d.byID)))
	for _, n := range d.byID {
		e.Uint(uint64(n))
	}
	StoreDiagnostics(e, d.Diagnostics)
}

// Stored reads what [Document.Store] wrote, and returns the document that [Load]
// returned then for the same source; nil if it is something else.
func Stored(file string, source []byte, from *diskcache.Decoder) *Document {
	r := storedReader{from, &Document{File: file}}
	r.files(source)
	if !from.OK() {
		return nil
	}
	d := r.doc
	d.OpenAPI, d.Title, d.Version = from.String(), from.String(), from.String()
	d.MentionsSkill, d.old = from.Bool(), from.Bool()
	d.root3 = r.file()
	d.root = r.span()
	for range r.count() {
		d.members = append(d.members, member{from.String(), r.span()})
	}
	for k := range d.components {
		r.components(kind(k))
	}
	r.items()
	r.operations()
	for range r.count() {
		d.byID = append(d.byID, int32(r.index(len(d.Operations))))
	}
	d.Diagnostics = StoredDiagnostics(from)
	if !from.OK() || len(d.Operations) == 0 {
		return nil
	}
	return d
}

// A storedReader reads an index, and refuses one that leads out of its texts.
type storedReader struct {
	from *diskcache.Decoder
	doc  *Document
}

// count is how often to read, as long as there is something to be read.
func (r *storedReader) count() func(yield func() bool) {
	return func(yield func() bool) {
		for n := r.from.Count(); n > 0 && r.from.OK() && yield(); n-- {
		}
	}
}

// index reads an index into a list of n.
func (r *storedReader) index(n int) int {
	if n == 0 {
		r.from.Fail()
		return 0
	}
	return int(r.from.Uint(uint64(n - 1)))
}

func (r *storedReader) file() uint16 { return uint16(r.index(len(r.doc.files))) }

func (r *storedReader) files(source []byte) {
	for range r.count() {
		f := &file{name: r.from.String(), label: r.from.String(), why: r.from.String()}
		if r.from.Bool() {
			n := int(r.from.Uint(uint64(len(source))))
			f.data = source[len(source)-n : len(source) : len(source)]
		} else if data := r.from.Bytes(); len(data) > 0 {
			f.data = data
		}
		// Where it leads is known when all files are.
		f.root = span{uint32(r.from.Uint(MaxSize)), uint32(r.from.Uint(MaxSize)), uint16(r.from.Uint(MaxFiles + 1))}
		f.root.end += f.root.start
		for range r.count() {
			if f.links == nil {
				f.links = make(map[string]fileLink)
			}
			f.links[r.from.String()] = fileLink{uint16(r.from.Uint(MaxFiles + 1)), r.from.String()}
		}
		r.doc.files = append(r.doc.files, f)
	}
	files := r.doc.files
	if len(files) == 0 || len(files) > MaxFiles+2 {
		r.from.Fail()
	}
	for n, f := range files {
		if f.why == "" && (!r.holds(f.root) || f.root.file != uint16(n)) {
			r.from.Fail()
		}
		for _, l := range f.links {
			if int(l.file) >= len(files) {
				r.from.Fail()
			}
		}
	}
}

// storeSpan stores start, length and file.
func storeSpan(e *diskcache.Encoder, s span) {
	e.Uint(uint64(s.start))
	e.Uint(uint64(s.end - s.start))
	e.Uint(uint64(s.file))
}

// span reads a span, which has a value of some file.
func (r *storedReader) span() span {
	s := span{start: uint32(r.from.Uint(MaxSize)), end: uint32(r.from.Uint(MaxSize))}
	s.end += s.start
	if s.file = r.file(); !r.holds(s) {
		r.from.Fail()
		return span{}
	}
	return s
}

func (r *storedReader) holds(s span) bool {
	return s.start < s.end && int(s.file) < len(r.doc.files) && int(s.end) <= len(r.doc.files[s.file].data)
}

func (r *storedReader) components(k kind) {
	n := r.from.Count()
	list := make([]component, 0, min(n, 1<<16))
	sc := scanner{data: r.doc.files[0].data}
	for range n {
		c := component{start: uint32(r.from.Uint(MaxSize))}
		c.end = c.start + uint32(r.from.Uint(MaxSize))
		if !r.from.OK() || !r.holds(span{c.start, c.end, 0}) || sc.data[c.start] != '"' {
			r.from.Fail()
			return
		}
		// Names are looked for from their beginning.
		if _, v := sc.key(int(c.start)); v < 0 || v >= int(c.end) {
			r.from.Fail()
			return
		}
		list = append(list, c)
	}
	r.doc.components[k] = list
}

func (r *storedReader) items() {
	d := r.doc
	d.via = make(map[int32][]place)
	d.behind = make(map[span]string)
	for range r.count() {
		n := int32(len(d.items))
		d.items = append(d.items, item{name: r.from.String(), webhook: r.from.Bool(), span: r.span()})
		for range r.count() {
			d.via[n] = append(d.via[n], place{r.span(), r.from.String()})
		}
	}
}

func (r *storedReader) operations() {
	d := r.doc
	n := r.from.Count()
	d.Operations = make([]Operation, 0, min(n, 1<<12))
	for range n {
		op := Operation{item: int32(r.index(len(d.items)))}
		if !r.from.OK() {
			return
		}
		for _, s := range []*string{&op.Method, &op.OperationID, &op.Tag, &op.Pointer} {
			*s = r.from.String()
		}
		if it := &d.items[op.item]; it.webhook {
			op.Webhook = it.name
		} else {
			op.Path = it.name
		}
		op.body = r.span()
		if r.from.Bool() {
			d.behind[op.body] = r.from.String()
		}
		d.Operations = append(d.Operations, op)
	}
}

// StoreDiagnostics appends diagnostics to an entry of a cache.
func StoreDiagnostics(e *diskcache.Encoder, diags []framework.Diagnostic) {
	e.Uint(uint64(len(diags)))
	for _, f := range diags {
		for _, s := range []string{string(f.Severity), f.Rule, f.Skill, f.File, f.Pointer, f.Message} {
			e.String(s)
		}
		e.Uint(uint64(max(0, f.Line)))
	}
}

// StoredDiagnostics reads what StoreDiagnostics wrote.
func StoredDiagnostics(from *diskcache.Decoder) (diags []framework.Diagnostic) {
	for n := from.Count(); n > 0 && from.OK(); n-- {
		f := framework.Diagnostic{Severity: framework.Severity(from.String())}
		for _, s := range []*string{&f.Rule, &f.Skill, &f.File, &f.Pointer, &f.Message} {
			*s = from.String()
		}
		f.Line = int(from.Uint(math.MaxInt32))
		diags = append(diags, f)
	}
	return diags
}

// endsWith reports whether part is the end of whole, in memory.
func endsWith(whole, part []byte) bool {
	return len(part) > 0 && len(part) <= len(whole) &&
		unsafe.SliceData(whole[len(whole)-len(part):]) == unsafe.SliceData(part)
}
