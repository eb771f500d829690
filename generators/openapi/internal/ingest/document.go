package ingest

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apiskills/apiskills/framework"
)

// A span is a piece of the document: files[file].data[start:end].
type span struct {
	start, end uint32
	file       uint16
}

// A Document is an OpenAPI document, indexed. It is safe for concurrent use; the
// exported fields must not be changed.
type Document struct {
	// File is the document's name as it was given to [Load].
	File string
	// OpenAPI is the version the document states, such as "3.0.3", or "2.0".
	OpenAPI string
	// Title and Version are those of the info object, or "".
	Title, Version string
	// Operations ascend by Path, then Method; webhooks follow, by name, then method.
	Operations []Operation
	// Diagnostics are the faults that were found while indexing.
	Diagnostics []framework.Diagnostic
	// MentionsSkill is [MentionsSkill] of the document itself.
	MentionsSkill bool

	old        bool    // Swagger 2.0
	root3      uint16  // file that has its root members as OpenAPI 3 has them; 0: none
	files      []*file // the document itself, then the files its references lead to
	root       span
	members    []member                // of the root
	components [len(kinds)][]component // each sorted by name
	items      []item                  // sorted like Operations
	via        map[int32][]place       // what the $ref of an item leads to, and the $ref of that
	behind     map[span]string         // operations reached through a $ref -> pointer in their file
	byID       []int32                 // Operations that have an operationId, sorted by it

	indexed atomic.Int64 // entries in the indexes of all files
	anchors struct {
		once sync.Once
		at   map[spot]spot // "#anchor" in a file, or a $id -> schema
		// several are the anchors that more than one schema has as its $dynamicAnchor.
		several map[spot]bool
	}
	subtypes struct {
		once sync.Once
		of   map[spot][]string // schema -> components that name it in their allOf
	}
}

// An Operation is an entry of the index.
type Operation struct {
	// Method is in upper case, or as written for additionalOperations.
	Method string
	// Path is the path template, or "" for a webhook.
	Path string
	// Webhook is the webhook's name, or "".
	Webhook string
	// OperationID and Tag (the first one) are "" where the operation has none.
	OperationID, Tag string
	// Pointer addresses the operation by path and method. What stands there may be
	// a $ref, or be reached through one: [Document.Raw] has followed it.
	Pointer string

	body span
	item int32 // in Document.items
}

// A member is a member of the root object.
type member struct {
	name string
	span span
}

// A component is an entry of a map under /components: where its name begins, and
// where its value ends. Documents have thousands.
type component struct{ start, end uint32 }

// A kind is a map under /components.
type kind uint8

const schemas, securitySchemes kind = 0, 1

// kinds are the names of the maps.
var kinds = [...]string{
	"schemas", "securitySchemes", "responses", "parameters", "examples", "requestBodies",
	"headers", "links", "callbacks", "pathItems", "mediaTypes",
}

// nameOf returns a component's name.
func (d *Document) nameOf(c component) string { return view(d.bytes(d.nameSpan(c))) }

func (d *Document) nameSpan(c component) span {
	i := c.start + 1
	data := d.files[0].data
	for data[i] != '"' {
		if data[i] == '\\' {
			i++
		}
		i++
	}
	return span{c.start, i + 1, 0}
}

// valueOf returns a component's value.
func (d *Document) valueOf(c component) span {
	i := d.nameSpan(c).end
	data := d.files[0].data
	for data[i] <= ' ' || data[i] == ':' {
		i++
	}
	return span{i, c.end, 0}
}

// An item is a path item, or a webhook's.
type item struct {
	name    string
	span    span
	webhook bool
}

func (it *item) pointer() string {
	if it.webhook {
		return pointer("webhooks", it.name)
	}
	return pointer("paths", it.name)
}

// parts returns an item and what its $ref leads to. A field of an earlier part wins.
func (d *Document) parts(n int32) []place {
	it := &d.items[n]
	return append([]place{{it.span, it.pointer()}}, d.via[n]...)
}

func (d *Document) bytes(s span) []byte { return d.files[s.file].data[s.start:s.end:s.end] }

// first returns the byte that a value begins with.
func (d *Document) first(s span) byte { return d.files[s.file].data[s.start] }

// scan returns a scanner of a value, which begins at its start.
func (d *Document) scan(s span) scanner {
	return scanner{data: d.files[s.file].data[:s.end], file: s.file}
}

// Raw returns the operation's JSON object as the document has it, $ref at
// operation level followed.
func (d *Document) Raw(op *Operation) []byte { return d.bytes(op.body) }

// At returns the JSON value at a JSON Pointer ("" is the whole document). It
// follows no $ref. The servers, components and security of a Swagger 2.0 document
// are those it would have in OpenAPI 3.
func (d *Document) At(ptr string) ([]byte, bool) {
	toks, ok := tokens(ptr)
	if !ok {
		return nil, false
	}
	s, ok := d.lookup(0, toks)
	if d.old && len(toks) > 0 && root3[toks[0]] {
		if ok = d.root3 != 0; ok {
			s, ok = d.lookup(d.root3, toks)
		}
	}
	if !ok {
		return nil, false
	}
	return d.bytes(s), true
}

// root3 are the root members that a Swagger 2.0 document has in another form.
var root3 = map[string]bool{"servers": true, "components": true, "security": true}

// An Origin is the file that a value stands in: references in it are relative to
// that. The zero value is the document itself.
type Origin uint16

// Origin returns the origin of [Document.Raw].
func (d *Document) Origin(op *Operation) Origin { return Origin(op.body.file) }

// Resolve returns the JSON value that a reference leads to, and its origin. If
// that is a reference again it is not followed.
func (d *Document) Resolve(from Origin, ref string) (raw []byte, at Origin, ok bool) {
	p, why := d.resolve(uint16(from), ref)
	if why != "" {
		return nil, from, false
	}
	return d.bytes(p.span), Origin(p.span.file), true
}

// OperationByID returns the operation with an operationId. It is not found if
// several have it.
func (d *Document) OperationByID(id string) (*Operation, bool) {
	at := func(i int) *Operation { return &d.Operations[d.byID[i]] }
	i, ok := slices.BinarySearchFunc(d.byID, id, func(n int32, id string) int {
		return cmp.Compare(d.Operations[n].OperationID, id)
	})
	if !ok || id == "" || i+1 < len(d.byID) && at(i+1).OperationID == id {
		return nil, false
	}
	return at(i), true
}

// OperationByPointer returns the operation that an operationRef addresses:
// "#/paths/~1pets/get", with or without the "#", percent-encoded or not.
func (d *Document) OperationByPointer(ptr string) (*Operation, bool) {
	for _, toks := range fragments(ptr) {
		if len(toks) < 3 || len(toks) > 4 {
			continue
		}
		p := pointer(toks...)
		key := Operation{Path: toks[1]}
		if toks[0] == "webhooks" {
			key = Operation{Webhook: toks[1]}
		}
		i, _ := slices.BinarySearchFunc(d.Operations, key, compareOperations)
		for ; i < len(d.Operations) && d.Operations[i].Path == key.Path && d.Operations[i].Webhook == key.Webhook; i++ {
			if d.Operations[i].Pointer == p {
				return &d.Operations[i], true
			}
		}
	}
	return nil, false
}

// compareOperations orders paths before webhooks. A webhook has no path, and a
// path may be empty, so the webhook's name comes first.
func compareOperations(a, b Operation) int {
	return cmp.Or(
		cmp.Compare(a.Webhook, b.Webhook),
		cmp.Compare(a.Path, b.Path),
		cmp.Compare(a.Method, b.Method),
	)
}

// lookup returns the value at reference tokens of a file. It follows no $ref.
func (d *Document) lookup(file uint16, toks []string) (span, bool) {
	if file != 0 {
		return d.descend(d.files[file].root, toks)
	}
	if len(toks) == 0 {
		return d.root, true
	}
	i := slices.IndexFunc(d.members, func(m member) bool { return m.name == toks[0] })
	if i < 0 {
		return span{}, false
	}
	at, rest := d.members[i].span, toks[1:]
	// The maps that may be large have an index.
	if len(toks) >= 3 && toks[0] == "components" {
		if k := slices.Index(kinds[:], toks[1]); k >= 0 {
			if s, ok := d.component(kind(k), toks[2]); ok {
				at, rest = s, toks[3:]
			}
		}
	} else if k, ok := oldKinds[toks[0]]; ok && d.old && len(toks) >= 2 {
		if s, ok := d.component(k, toks[1]); ok {
			at, rest = s, toks[2:]
		}
	} else if len(toks) >= 2 && toks[0] == "paths" {
		if it := d.item(false, toks[1]); it != nil {
			at, rest = it.span, toks[2:]
		}
	}
	return d.descend(at, rest)
}

// descend returns what reference tokens name below the value at s.
func (d *Document) descend(s span, toks []string) (span, bool) {
	for _, t := range toks {
		var ok bool
		if s, ok = d.entry(s, t); !ok {
			return span{}, false
		}
	}
	return s, true
}

// componentAt returns the pointer of a component.
func (d *Document) componentAt(k kind, name string) string {
	if d.old {
		for root, of := range oldKinds {
			if of == k {
				return pointer(root, name)
			}
		}
	}
	return pointer("components", kinds[k], name)
}

func (d *Document) component(k kind, name string) (span, bool) {
	list := d.components[k]
	i, ok := slices.BinarySearchFunc(list, name, func(c component, name string) int {
		return cmp.Compare(d.nameOf(c), name)
	})
	if !ok {
		return span{}, false
	}
	return d.valueOf(list[i]), true
}

func (d *Document) item(webhook bool, name string) *item {
	i, ok := slices.BinarySearchFunc(d.items, item{name: name, webhook: webhook}, compareItems)
	if !ok {
		return nil
	}
	return &d.items[i]
}

func compareItems(a, b item) int {
	if a.webhook != b.webhook {
		if b.webhook {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.name, b.name)
}

// child returns the member or element of the value at s that a token names.
func (d *Document) child(s span, token string) (found span, ok bool) {
	sc := d.scan(s)
	switch d.first(s) {
	case '{':
		sc.members(int(s.start), func(name span, v int) int {
			end := sc.value(v, 0)
			if end >= 0 && keyIs(d.bytes(name), token) {
				found, ok = sc.span(v, end), true // the last one wins
			}
			return end
		})
	case '[':
		n := index(token)
		sc.elements(int(s.start), func(i, v int) int {
			end := sc.value(v, 0)
			if i == n {
				found, ok = sc.span(v, end), end >= 0
				return -1
			}
			return end
		})
	}
	return found, ok
}

// pick returns the members of the object at s that have one of the names.
func (d *Document) pick(s span, names ...string) map[string]span {
	found := make(map[string]span, len(names))
	if d.first(s) != '{' {
		return found
	}
	sc := d.scan(s)
	sc.members(int(s.start), func(name span, v int) int {
		end := sc.value(v, 0)
		if key := d.bytes(name); end >= 0 {
			for _, n := range names {
				if keyIs(key, n) {
					found[n] = sc.span(v, end)
				}
			}
		}
		return end
	})
	return found
}

// keyIs compares a member's name, quotes included, with a decoded one.
func keyIs(raw []byte, name string) bool {
	if string(raw[1:len(raw)-1]) == name {
		return true
	}
	return slices.Contains(raw, '\\') && unquote(raw) == name
}
