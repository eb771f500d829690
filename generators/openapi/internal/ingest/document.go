package ingest

import (
	"cmp"
	"slices"
	"sync"

	"github.com/apiskills/apiskills/framework"
)

// A span is a piece of the document: data[start:end].
type span struct{ start, end uint32 }

// A Document is an OpenAPI document, indexed. It is safe for concurrent use; the
// exported fields must not be changed.
type Document struct {
	// File is the document's name as it was given to [Load].
	File string
	// OpenAPI is the version the document states, such as "3.0.3".
	OpenAPI string
	// Title and Version are those of the info object, or "".
	Title, Version string
	// Operations ascend by Path, then Method; webhooks follow, by name, then method.
	Operations []Operation
	// Diagnostics are the faults that were found while indexing.
	Diagnostics []framework.Diagnostic

	data       []byte // JSON: the source itself, or what became of YAML
	root       span
	members    []member                // of the root
	components [len(kinds)][]component // each sorted by name
	items      []item                  // sorted like Operations
	via        map[int32][]span        // what the $ref of an item leads to, and the $ref of that
	byID       []int32                 // Operations that have an operationId, sorted by it

	subtypes struct {
		once sync.Once
		of   map[string][]string // schema name -> schemas that name it in their allOf
	}
	anchors struct {
		once sync.Once
		at   map[string]string // "#anchor" or $id -> JSON Pointer
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
	for d.data[i] != '"' {
		if d.data[i] == '\\' {
			i++
		}
		i++
	}
	return span{c.start, i + 1}
}

// valueOf returns a component's value.
func (d *Document) valueOf(c component) span {
	i := d.nameSpan(c).end
	for d.data[i] <= ' ' || d.data[i] == ':' {
		i++
	}
	return span{i, c.end}
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
func (d *Document) parts(n int32) []span {
	return append([]span{d.items[n].span}, d.via[n]...)
}

func (d *Document) bytes(s span) []byte { return d.data[s.start:s.end:s.end] }

// Raw returns the operation's JSON object as the document has it, $ref at
// operation level followed.
func (d *Document) Raw(op *Operation) []byte { return d.bytes(op.body) }

// At returns the JSON value at a JSON Pointer ("" is the whole document). It
// follows no $ref.
func (d *Document) At(ptr string) ([]byte, bool) {
	toks, ok := tokens(ptr)
	if !ok {
		return nil, false
	}
	s, ok := d.lookup(toks)
	if !ok {
		return nil, false
	}
	return d.bytes(s), true
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
	for _, toks := range d.fragments(ptr) {
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

// lookup returns the value at reference tokens. It follows no $ref.
func (d *Document) lookup(toks []string) (span, bool) {
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
	} else if len(toks) >= 2 && toks[0] == "paths" {
		if it := d.item(false, toks[1]); it != nil {
			at, rest = it.span, toks[2:]
		}
	}
	for _, t := range rest {
		var ok bool
		if at, ok = d.child(at, t); !ok {
			return span{}, false
		}
	}
	return at, true
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
	sc := scanner{data: d.data[:s.end]}
	switch d.data[s.start] {
	case '{':
		sc.members(int(s.start), func(name span, v int) int {
			end := sc.value(v, 0)
			if end >= 0 && keyIs(d.bytes(name), token) {
				found, ok = span{uint32(v), uint32(end)}, true // the last one wins
			}
			return end
		})
	case '[':
		n := index(token)
		sc.elements(int(s.start), func(i, v int) int {
			end := sc.value(v, 0)
			if i == n {
				found, ok = span{uint32(v), uint32(end)}, end >= 0
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
	if d.data[s.start] != '{' {
		return found
	}
	sc := scanner{data: d.data[:s.end]}
	sc.members(int(s.start), func(name span, v int) int {
		end := sc.value(v, 0)
		if key := d.bytes(name); end >= 0 {
			for _, n := range names {
				if keyIs(key, n) {
					found[n] = span{uint32(v), uint32(end)}
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
