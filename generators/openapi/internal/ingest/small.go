package ingest

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

const (
	// maxInlined bounds what the references of one operation bring in beside
	// schemas, in bytes of canonical JSON.
	maxInlined = 1 << 20
	// maxMissing is how many missing parts an operation lists.
	maxMissing = 100
)

// Small returns an OpenAPI document in canonical JSON that has one operation and
// what it reaches: the servers and the security requirements that apply (at the
// root, or in the operation where it has its own) with their schemes, the path
// item's parameters, and under components the schemas that references lead to.
// References to anything else are replaced by what they lead to. The info object
// is a constant; extensions nobody reads are left out.
//
// Schemas are expanded breadth first, those of the parameters first, then of the
// request body, of successful responses, of errors, of callbacks, until budget
// bytes of canonical JSON are used. A schema past that becomes a stub that keeps
// its type and the names of its required properties:
//
//	{"required":["id"],"type":"object","x-apiskills-stub":"Account"}
//
// Half the budget again is for examples. An enum too large keeps its first values
// and says in x-apiskills-enum-omitted how many are gone. What a reference should
// have brought and did not is listed in the operation's x-apiskills-missing.
//
// The diagnostics say what was mended, cut or not found.
func (d *Document) Small(op *Operation, budget int) (data []byte, diags []framework.Diagnostic) {
	b := &builder{
		doc: d, op: op, tree: newTree(),
		v31:     !d.old && !strings.HasPrefix(d.OpenAPI, "3.0"),
		inlined: maxInlined,
		diags:   diagnostics{file: d.File},
	}
	defer b.tree.free()
	root := b.build(budget)
	data = root.append(make([]byte, 0, 4<<10))
	if d.old {
		data = b.upgrade(data)
	}
	return data, b.diags.all()
}

// A builder makes one small document.
type builder struct {
	doc  *Document
	op   *Operation
	tree *tree
	v31  bool

	at        []step // path to the node being mended
	base      spot   // what at starts from
	outer     int    // steps from the operation, or what else was loaded, to base
	origins   []spot // what references have brought in; the first is unused
	callbacks int    // callbacks that enclose the node being mended
	inlined   int    // what is left of maxInlined
	missing   []node
	diags     diagnostics

	closure closure
}

// A step leads from a container to one of its members or elements.
type step struct {
	parent *node
	key    []byte
	index  int
}

func (b *builder) enter(k *node, i int, parent *node) {
	b.at = append(b.at, step{parent, k.key, i})
}

func (b *builder) leave() { b.at = b.at[:len(b.at)-1] }

// holder returns the shape of the container of the node being mended.
func (b *builder) holder() shape {
	if len(b.at) == 0 {
		return anything
	}
	return b.at[len(b.at)-1].parent.as
}

func (b *builder) pointer() string {
	var s strings.Builder
	s.WriteString(b.base.ptr)
	for _, st := range b.at {
		s.WriteByte('/')
		if st.key != nil {
			s.WriteString(escape(decodeKey(st.key)))
		} else {
			s.WriteString(itoa(st.index))
		}
	}
	return s.String()
}

// note adds a diagnostic about the node being mended.
func (b *builder) note(sev framework.Severity, rule, format string, args ...any) {
	if b.diags.full() {
		b.diags.more++
		return
	}
	ptr := b.pointer()
	cut := strings.LastIndexByte(ptr, '/')
	if cut > 0 && index(ptr[cut+1:]) >= 0 { // name what it is an element of, too
		cut = strings.LastIndexByte(ptr[:cut], '/')
	}
	name := ptr[cut+1:]
	b.diags.addTo(b.doc.label(b.base.file), sev, rule, ptr, "`"+shorten(strings.ReplaceAll(name, "%", "%%"))+"` "+format, args...)
}

// load decodes and mends a value of the document. It returns nil if there is
// nothing left of it.
func (b *builder) load(s span, ptr string, as shape) *node {
	n := b.parse(s, ptr)
	if n == nil {
		return nil
	}
	base, at, outer := b.base, b.at, b.outer
	b.base, b.at, b.outer = spot{s.file, ptr}, nil, 0
	ok := b.mend(n, as)
	b.base, b.at, b.outer = base, at, outer
	if !ok {
		return nil
	}
	return n
}

// parse decodes a value of the document, unless it is too large.
func (b *builder) parse(s span, ptr string) *node {
	if !b.doc.fits(s, maxUnit) {
		b.diags.addTo(b.doc.label(s.file), framework.Error, "size", ptr, "the value has more than %d bytes: left out", maxUnit)
		return nil
	}
	n := b.tree.parse(b.doc.bytes(s))
	for _, key := range b.tree.twins {
		b.diags.addTo(b.doc.label(s.file), framework.Warning, "duplicate-key", ptr, "the key %q is given twice in one object: the last one is used", shorten(decodeKey(key)))
	}
	b.tree.twins = b.tree.twins[:0]
	return n
}

// fits reports whether a value has at most n bytes of canonical JSON. What is cut
// must not depend on how the document spells it: the layout, or escapes.
func (d *Document) fits(s span, n int) bool {
	const longest = 6 // bytes that canonical JSON has for one of the source: \u007f
	return longest*int(s.end-s.start) <= n || canonicalLen(d.bytes(s), n) <= n
}

// canonicalLen returns how long JSON is in its canonical spelling, or some length
// beyond enough once it is known to be longer than that.
func canonicalLen(raw []byte, enough int) int {
	n := 0
	for i := 0; i < len(raw) && n <= enough; i++ {
		switch c := raw[i]; {
		case c <= ' ':
		case c == '"':
			start, plain := i, true
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					plain = false
					i++
				} else if raw[i] >= 0x7f {
					plain = false
				}
			}
			if end := min(i+1, len(raw)); plain {
				n += end - start
			} else {
				n += len(canonical(raw[start:end]))
			}
		default:
			n++
		}
	}
	return n
}

func (b *builder) build(budget int) *node {
	d, op := b.doc, b.op
	at := spot{op.body.file, op.Pointer}
	if ptr, ok := d.behind[op.body]; ok {
		at.ptr = ptr
	}
	opNode := b.load(op.body, at.ptr, operation)
	if opNode == nil {
		o := objectNode()
		o.as = operation
		o.set(stubKey, stringNode(op.Pointer))
		opNode = &o
		b.miss(op.Pointer, "")
	} else if ref := opNode.get("$ref"); ref != nil {
		// The index found nothing behind it, and has said so.
		b.miss(op.Pointer, ref.text())
		opNode.drop(func(k *node) bool { return string(k.key) == "$ref" })
		opNode.set(stubKey, stringNode(op.Pointer))
	}
	if opNode.get("responses") == nil {
		r := objectNode()
		r.as = responseMap
		opNode.set("responses", r)
	}

	it := objectNode()
	it.as = pathItem
	var servers *node
	for _, part := range d.parts(op.item) {
		b.inherit(&it, &servers, part)
	}
	if own := opNode.get("servers"); own != nil && len(own.kids) > 0 {
		s := *own
		servers = &s
	}
	opNode.drop(func(k *node) bool { return string(k.key) == "servers" })
	if servers == nil {
		servers = b.rootMember("servers", serverList)
	}
	security := opNode.get("security")
	var inherited *node
	if security == nil && op.Webhook == "" {
		inherited = b.rootMember("security", requirementList)
		security = inherited
	}

	b.closure.init(b, budget)
	b.closure.collect(it.get("parameters"), spot{0, d.items[op.item].pointer() + "/parameters"}, inParameters)
	b.closure.collectOperation(opNode, at)
	b.closure.run()

	if len(b.missing) > 0 {
		slices.SortFunc(b.missing, func(x, y node) int { return bytes.Compare(x.kids[0].raw, y.kids[0].raw) })
		opNode.set(missingKey, listNode(b.missing...))
	}
	root := objectNode()
	info := objectNode()
	info.set("title", stringNode("API"))
	info.set("version", stringNode("0"))
	root.set("info", info)
	if inherited != nil {
		root.set("security", *inherited)
	}
	if d.old {
		b.oldRoot(&root, security)
		b.place(&root, &it, opNode)
		return &root
	}
	root.set("openapi", stringNode(b.version()))
	if servers != nil {
		root.set("servers", *servers)
	}
	components := objectNode()
	if schemas := b.closure.schemas(); len(schemas.kids) > 0 {
		components.set("schemas", schemas)
	}
	if schemes := b.securitySchemes(security); len(schemes.kids) > 0 {
		components.set("securitySchemes", schemes)
	}
	if len(components.kids) > 0 {
		root.set("components", components)
	}
	b.place(&root, &it, opNode)
	return &root
}

// place puts an operation in its path item, and that in the document.
func (b *builder) place(root, it, opNode *node) {
	op := b.op
	if field := fieldOf(op); field != "" {
		it.set(field, *opNode)
	} else {
		more := objectNode()
		more.set(keyText(op.Method), *opNode)
		it.set("additionalOperations", more)
	}
	entry := objectNode()
	paths := objectNode()
	if op.Webhook != "" {
		entry.set(keyText(op.Webhook), *it)
		root.set("webhooks", entry)
	} else {
		entry.set(keyText(op.Path), *it)
		paths = entry
	}
	root.set("paths", paths)
}

// keyText returns a name as it stands between the quotes of canonical JSON.
func keyText(s string) string {
	q := quoted(s)
	return string(q[1 : len(q)-1])
}

// fieldOf returns the field of a path item that is for the operation, or "" for
// one of the additionalOperations. A method that has a field is loaded from there
// only, also when the document has it among the others.
func fieldOf(op *Operation) string {
	field := strings.ToLower(op.Method)
	if methods[field] == op.Method {
		return field
	}
	return ""
}

// additional reports whether the document has the operation among the
// additionalOperations of its path item.
func (op *Operation) additional() bool {
	return strings.HasSuffix(op.Pointer, pointer("additionalOperations", op.Method))
}

func (b *builder) version() string {
	switch v := b.doc.OpenAPI; {
	case strings.HasPrefix(v, "3.0"):
		return "3.0.3"
	case strings.HasPrefix(v, "3.1"):
		return "3.1.1"
	default:
		return "3.2.0"
	}
}

// inherit takes from one part of a path item what the operation inherits.
func (b *builder) inherit(it *node, servers **node, part place) {
	fields := b.doc.pick(part.span, "summary", "description", "parameters", "servers")
	ptr := part.ptr
	defer func() { b.tree.from = 0 }()
	for _, key := range [...]string{"summary", "description", "parameters", "servers"} {
		s, ok := fields[key]
		if !ok {
			continue
		}
		as := map[string]shape{"parameters": parameterList, "servers": serverList}[key]
		if as == 0 {
			as = text
		}
		b.tree.from = b.arrive(place{part.span, ptr + "/" + key})
		n := b.load(s, ptr+"/"+key, as)
		if n == nil {
			continue
		}
		have := it.get(key)
		switch {
		case key == "servers":
			if *servers == nil && len(n.kids) > 0 {
				*servers = n
			}
		case have == nil:
			it.set(key, *n)
		case key == "parameters":
			have.kids = append(slices.Clip(have.kids), n.kids...)
		}
	}
}

// rootMember returns a member of the document's root, or nil.
func (b *builder) rootMember(name string, as shape) *node {
	s, ok := b.doc.lookup(0, []string{name})
	if !ok {
		return nil
	}
	n := b.load(s, "/"+name, as)
	if n == nil || as == serverList && len(n.kids) == 0 {
		return nil
	}
	return n
}

// securitySchemes returns the schemes that requirements name. Of OAuth scopes
// only those that are asked for stay.
func (b *builder) securitySchemes(security *node) node {
	out := objectNode()
	if security == nil {
		return out
	}
	scopes := map[string]map[string]bool{}
	for i := range security.kids {
		for k := range security.kids[i].kids {
			r := &security.kids[i].kids[k]
			name := r.name()
			if scopes[name] == nil {
				scopes[name] = map[string]bool{}
			}
			for s := range r.kids {
				scopes[name][r.kids[s].text()] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(scopes)) {
		s, ok := b.doc.component(securitySchemes, name)
		if !ok {
			b.diags.add(framework.Warning, "security-scheme", b.op.Pointer, "security names the scheme %q, which is not declared", shorten(name))
			continue
		}
		n := b.load(s, b.doc.componentAt(securitySchemes, name), securityScheme)
		if n == nil {
			continue
		}
		if sc := n.get("scopes"); sc != nil { // of Swagger 2.0
			sc.drop(func(k *node) bool { return !scopes[name][k.name()] })
		}
		if fl := n.get("flows"); fl != nil {
			for i := range fl.kids {
				if sc := fl.kids[i].get("scopes"); sc != nil {
					sc.drop(func(k *node) bool { return !scopes[name][k.name()] })
				}
			}
		}
		out.set(keyText(name), *n)
	}
	return out
}

// miss records something that a reference should have brought.
func (b *builder) miss(ptr, ref string) {
	if len(b.missing) == maxMissing {
		return
	}
	m := objectNode()
	m.set("pointer", stringNode(ptr))
	if ref != "" {
		m.set("ref", stringNode(shorten(ref)))
	}
	b.missing = append(b.missing, m)
}

// inline replaces the Reference Object n by what it leads to. It returns false
// if there is nothing; n.stub then tells whether a placeholder is left.
func (b *builder) inline(n *node, as shape) bool {
	var siblings []node
	refs := map[spot]bool{}
	file := b.base.file
	var found place
	for {
		ref := n.get("$ref")
		if ref == nil {
			break
		}
		if ref.kind != '"' {
			b.note(framework.Warning, "type", "has a $ref that is no string: left out")
			n.drop(func(k *node) bool { return string(k.key) == "$ref" })
			break
		}
		raw := ref.text()
		if b.v31 || as == pathItem {
			// Outer siblings win over inner ones.
			for i := range n.kids {
				k := n.kids[i]
				key := string(k.key)
				if key != "summary" && key != "description" && as != pathItem || key == "$ref" {
					continue
				}
				if !slices.ContainsFunc(siblings, func(s node) bool { return bytes.Equal(s.key, k.key) }) {
					siblings = append(siblings, k)
				}
			}
		}
		at, why := b.doc.resolve(file, raw)
		if why == "" && refs[at.spot()] {
			why = "leads back to itself"
		}
		refs[at.spot()] = true
		var target *node
		if why == "" {
			b.tree.from = b.arrive(at)
			target = b.parse(at.span, at.ptr)
			b.tree.from = 0
			if target == nil {
				why = "leads to something too large"
			} else if target.kind != '{' {
				why = "leads to no object"
			} else if b.inlined -= max(target.size, 256); b.inlined < 0 {
				why = "is one too many: the references of this operation lead to too much text"
			}
		}
		if why != "" {
			b.note(framework.Error, "ref", "refers to %q, which %s", shorten(raw), why)
			b.miss(b.pointer(), raw)
			n.stub = as == response || as == requestBody || as == mediaType
			n.kids = nil
			n.set(stubKey, stringNode(shorten(raw)))
			if as == response {
				n.set("description", stringNode(""))
			}
			n.measure()
			return false
		}
		n.replace(*target)
		found, file = at, at.span.file
	}
	for _, s := range siblings {
		if _, known := b.fieldsOf(as)[string(s.key)]; known {
			n.set(string(s.key), s)
		}
	}
	if found.span.end > 0 { // faults below have their place there
		b.outer += len(b.at)
		b.base, b.at = found.spot(), nil
	}
	return true
}

// arrive notes a place that a reference has led to, for the nodes made of it.
func (b *builder) arrive(at place) uint16 {
	if len(b.origins) == 0 {
		b.origins = append(b.origins, spot{})
	}
	if len(b.origins) > math.MaxUint16 {
		return 0
	}
	b.origins = append(b.origins, at.spot())
	return uint16(len(b.origins) - 1)
}

// origin returns where a node stands: where a reference found it, if the node
// above it is from elsewhere, else at.
func (b *builder) origin(n *node, at spot) spot {
	if n.from == 0 || b.origins[n.from].file == at.file && strings.HasPrefix(at.ptr, b.origins[n.from].ptr) {
		return at
	}
	return b.origins[n.from]
}
