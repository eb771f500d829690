package ingest

import (
	"bytes"
	"slices"
	"strconv"
	"sync"
)

// maxNesting is how deep the values of a small document may nest. What is deeper
// is left out: a schema becomes a stub, an example is dropped.
const maxNesting = 96

// maxUnit is the largest piece of a document that is decoded at once, in bytes without
// white space: an operation, or what a $ref leads to.
const maxUnit = 2 << 20

// A node is a decoded JSON value. Objects have their members sorted by key.
type node struct {
	kind   byte   // '{', '[', '"', '0' (a number), 't', 'f', 'n'
	as     shape  // what the value is in OpenAPI, set by mend
	stub   bool   // the schema is not expanded
	height int16  // how deep arrays and objects nest below and with this one
	from   uint16 // where a reference found it: index into builder.origins, or 0
	size   int    // bytes of the canonical JSON
	key    []byte // name in the enclosing object, in canonical JSON without quotes
	raw    []byte // a scalar's canonical JSON
	kids   []node // members or elements
}

// name returns the key, decoded.
func (n *node) name() string { return decodeKey(n.key) }

func decodeKey(key []byte) string {
	if bytes.IndexByte(key, '\\') < 0 {
		return string(key)
	}
	q := make([]byte, 0, len(key)+2)
	return unquote(append(append(append(q, '"'), key...), '"'))
}

// text returns a string's value.
func (n *node) text() string { return unquote(n.raw) }

// get returns the member of an object with a name (plain ASCII), or nil.
func (n *node) get(name string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for i := range n.kids {
		if string(n.kids[i].key) == name {
			return &n.kids[i]
		}
	}
	return nil
}

// drop removes the members for which f reports true.
func (n *node) drop(f func(k *node) bool) {
	kept := n.kids[:0]
	for i := range n.kids {
		if !f(&n.kids[i]) {
			kept = append(kept, n.kids[i])
		}
	}
	n.kids = kept
}

// set gives an object a member, in its place.
func (n *node) set(key string, v node) {
	v.key = []byte(key)
	i, ok := slices.BinarySearchFunc(n.kids, v.key, func(k node, key []byte) int { return bytes.Compare(k.key, key) })
	if ok {
		n.kids[i] = v
		return
	}
	n.kids = slices.Insert(slices.Clip(n.kids), i, v)
}

// measure computes size and height from the children.
func (n *node) measure() {
	if n.kind != '{' && n.kind != '[' {
		n.size, n.height = len(n.raw), 0
		return
	}
	size, height := 2+max(len(n.kids)-1, 0), int16(0)
	for i := range n.kids {
		k := &n.kids[i]
		size += k.size
		if n.kind == '{' {
			size += len(k.key) + 3
		}
		height = max(height, k.height)
	}
	n.size, n.height = size, height+1
}

// append writes the value in canonical JSON.
func (n *node) append(dst []byte) []byte {
	switch n.kind {
	case '{':
		dst = append(dst, '{')
		first := true
		for i := range n.kids {
			if n.kids[i].as == dropped {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(dst, '"')
			dst = append(dst, n.kids[i].key...)
			dst = append(dst, '"', ':')
			dst = n.kids[i].append(dst)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for i := range n.kids {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = n.kids[i].append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, n.raw...)
}

func stringNode(s string) node {
	n := node{kind: '"', raw: quoted(s)}
	n.size = len(n.raw)
	return n
}

func literalNode(word string) node { return node{kind: word[0], raw: []byte(word), size: len(word)} }

func listNode(kids ...node) node {
	n := node{kind: '[', kids: kids}
	n.measure()
	return n
}

func objectNode() node { return node{kind: '{', size: 2, height: 1} }

// A tree decodes values into nodes that live until it is freed.
type tree struct {
	d       []byte
	from    uint16 // of the nodes being made
	scratch []node
	chunk   []node // unused nodes
	chunks  [][]node
	twins   [][]byte // keys that an object had twice
}

var trees = sync.Pool{New: func() any { return new(tree) }}

const chunkSize = 2048

func newTree() *tree { return trees.Get().(*tree) }

// free gives the memory of all nodes back.
func (t *tree) free() {
	for _, c := range t.chunks {
		clear(c)
	}
	if len(t.chunks) > 32 {
		return // do not keep what a giant needed
	}
	if len(t.chunks) > 0 {
		t.chunk = t.chunks[0]
		t.chunks = t.chunks[:1]
	}
	clear(t.scratch[:cap(t.scratch)])
	t.d, t.scratch, t.twins = nil, t.scratch[:0], nil
	trees.Put(t)
}

// alloc returns room for n nodes.
func (t *tree) alloc(n int) []node {
	if n > len(t.chunk) {
		if n > chunkSize/4 {
			return make([]node, n)
		}
		t.chunk = make([]node, chunkSize)
		t.chunks = append(t.chunks, t.chunk)
	}
	out := t.chunk[:n:n]
	t.chunk = t.chunk[n:]
	return out
}

// parse decodes a value that the scanner has passed.
func (t *tree) parse(raw []byte) *node {
	t.d = raw
	out := t.alloc(1)
	out[0], _ = t.value(0)
	return &out[0]
}

func (t *tree) space(i int) int {
	for i < len(t.d) && t.d[i] <= ' ' {
		i++
	}
	return i
}

// str returns the canonical form of the string at i, and the offset after it.
func (t *tree) str(i int) ([]byte, int) {
	for k := i + 1; k < len(t.d); k++ {
		switch t.d[k] {
		case '\\':
			k++
		case '"':
			return canonical(t.d[i : k+1 : k+1]), k + 1
		}
	}
	return []byte(`""`), len(t.d)
}

func (t *tree) value(i int) (node, int) {
	i = t.space(i)
	if i >= len(t.d) {
		return literalNode("null"), i
	}
	n := node{from: t.from}
	switch c := t.d[i]; c {
	case '"':
		n.kind = '"'
		n.raw, i = t.str(i)
	case '{', '[':
		n.kind = c
		i = t.container(&n, i)
	default:
		start := i
		for i < len(t.d) {
			if c := t.d[i]; c <= ' ' || c == ',' || c == '}' || c == ']' {
				break
			}
			i++
		}
		n.kind, n.raw = c, t.d[start:i:i]
		if c == '-' || isDigit(c) {
			n.kind = '0'
			n.number()
		}
	}
	n.measure()
	return n, i
}

// number turns a number that no float64 holds into a string.
func (n *node) number() {
	if len(n.raw) < 300 && bytes.IndexByte(n.raw, 'e') < 0 && bytes.IndexByte(n.raw, 'E') < 0 {
		return
	}
	if _, err := strconv.ParseFloat(string(n.raw), 64); err != nil {
		*n = stringNode(string(n.raw))
	}
}

func (t *tree) container(n *node, i int) int {
	object := n.kind == '{'
	base := len(t.scratch)
	sorted := true
	i = t.space(i + 1)
	for i < len(t.d) && t.d[i] != '}' && t.d[i] != ']' {
		var key []byte
		if object {
			key, i = t.str(i)
			key = key[1 : len(key)-1]
			i = t.space(i) + 1 // the colon
		}
		var k node
		k, i = t.value(i)
		k.key = key
		if last := len(t.scratch) - 1; object && last >= base && bytes.Compare(t.scratch[last].key, key) >= 0 {
			sorted = false
		}
		t.scratch = append(t.scratch, k)
		if i = t.space(i); i < len(t.d) && t.d[i] == ',' {
			i = t.space(i + 1)
		}
	}
	kids := t.scratch[base:]
	if object && !sorted {
		slices.SortStableFunc(kids, func(a, b node) int { return bytes.Compare(a.key, b.key) })
		last := func(a, b node) int { return bytes.Compare(a.key, b.key) }
		kids = lastOf(kids, last, func(a, _ node) { t.twins = append(t.twins, a.key) })
	}
	n.kids = t.alloc(len(kids))
	copy(n.kids, kids)
	t.scratch = t.scratch[:base]
	return i + 1
}

func itoa(i int) string { return strconv.Itoa(i) }
