package ingest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// The phases give the order in which the schemas of an operation are expanded.
const (
	inParameters = iota
	inBody
	inSuccess
	inErrors
	inCallbacks
	phases
)

const (
	// stubCost is what a schema that may become a stub costs its parent.
	stubCost = 96
	// leafSize is up to what size a schema without further schemas belongs to its
	// parent: a stub would not be smaller.
	leafSize = 192
	// minRemaining is the budget below which components are not even decoded.
	minRemaining = 64
	// maxStubRequired is how many required names a stub keeps.
	maxStubRequired = 32
	// maxAliases is how many references to references are followed.
	maxAliases = 20_000
)

// reserved is the part of the budget that a phase leaves to those after it, so
// that a large request does not take the answers' place.
var reserved = [phases]func(budget int) int{
	inParameters: func(budget int) int { return budget / 4 * 3 },
	inBody:       func(budget int) int { return budget / 4 },
	inSuccess:    func(budget int) int { return budget / 8 },
	inErrors:     func(int) int { return 0 },
	inCallbacks:  func(int) int { return 0 },
}

// A closure is the set of schemas that an operation reaches.
type closure struct {
	b      *builder
	budget int
	left   int // what is left of it; stubs may overdraw it
	floor  int // what the phase has to leave
	stubs  int

	roots   [phases][]unit
	queue   []unit
	urgent  []unit            // what a request cannot do without, ahead of queue
	deep    [phases][]unit    // below the outermost levels, for when those are done
	later   []unit            // that found no room in their phase
	phase   int               // of the unit in hand
	level   int               // of the unit in hand
	must    bool              // of the unit in hand, or of the reference followed
	byRef   map[spot]*reached // how a reference is written in a file -> schema
	bySpot  map[spot]*reached // where it stands -> schema
	names   map[string]spot   // name -> the schema that has it
	samples [phases][]*node   // examples beside schemas
}

// reached is a schema that becomes a component of the small document.
type reached struct {
	name string
	place
	node *node // nil until it is decoded
	// whole: it is reached other than as the base of an allOf, so its subtypes count.
	whole  bool
	mapped []place // what its discriminator maps to, until it is whole
}

// A unit is a schema to be expanded or stubbed.
type unit struct {
	n     *node
	comp  *reached // the schema is this component, and n still to be decoded
	base  spot     // the outermost schema that n is part of
	path  string   // from there to n
	phase int
	level int // how many schemas it is inside of
	// must: each request has it, because all that it is inside of is required.
	must bool
}

func (u unit) pointer() string { return u.base.ptr + u.path }

func (c *closure) init(b *builder, budget int) {
	c.b, c.budget, c.left = b, budget, budget
	c.byRef = make(map[spot]*reached)
	c.bySpot = make(map[spot]*reached)
	c.names = make(map[string]spot)
}

// collectOperation finds the schemas and examples of an operation at ptr.
func (c *closure) collectOperation(op *node, at spot) {
	ptr := at.ptr
	c.collect(op.get("parameters"), spot{at.file, ptr + "/parameters"}, inParameters)
	c.collect(op.get("requestBody"), spot{at.file, ptr + "/requestBody"}, inBody)
	if r := op.get("responses"); r != nil {
		for i := range r.kids {
			k := &r.kids[i]
			phase := inErrors
			if len(k.key) > 0 && k.key[0] >= '1' && k.key[0] <= '3' {
				phase = inSuccess
			}
			c.collect(k, spot{at.file, ptr + "/responses/" + escape(k.name())}, phase)
		}
	}
	c.collect(op.get("callbacks"), spot{at.file, ptr + "/callbacks"}, inCallbacks)
}

// collect finds the outermost schemas and the examples below n, which stands at a
// spot unless it came from somewhere else.
func (c *closure) collect(n *node, at spot, phase int) {
	if n == nil {
		return
	}
	at = c.b.origin(n, at)
	for i := range n.kids {
		k := &n.kids[i]
		switch k.as {
		case oneExample, example:
			c.samples[phase] = append(c.samples[phase], k)
			continue
		}
		if elementOf[k.as] == 0 && c.b.fieldsOf(k.as) == nil {
			continue
		}
		sub := spot{at.file, at.ptr + "/" + itoa(i)}
		if n.kind == '{' {
			sub.ptr = at.ptr + "/" + escape(k.name())
		}
		if k.as == schema {
			c.roots[phase] = append(c.roots[phase], unit{n: k, base: sub})
		} else {
			c.collect(k, sub, phase)
		}
	}
}

// outermost is how many levels of schemas each phase expands before any goes
// deeper: a body by reference, and its members.
const outermost = 2

// urgentLevels is down to which level what is required goes ahead of what is not.
const urgentLevels = 6

// push queues a unit.
func (c *closure) push(u unit) {
	if u.must && u.level <= urgentLevels {
		c.urgent = append(c.urgent, u)
	} else {
		c.queue = append(c.queue, u)
	}
}

// pop takes the next unit; ok is false if there is none.
func (c *closure) pop() (u unit, ok bool) {
	from := &c.urgent
	if len(*from) == 0 {
		from = &c.queue
	}
	if len(*from) == 0 {
		return unit{}, false
	}
	u = (*from)[0]
	*from = (*from)[1:]
	return u, true
}

// outer reports whether a unit belongs to the outermost levels.
func (c *closure) outer(u unit) bool {
	// In an error's body the second level is often only the envelope of what went
	// wrong: one more is expanded where that is small.
	if u.phase == inErrors && u.level == outermost {
		if u.comp != nil {
			return c.b.doc.fits(u.comp.span, c.budget/4)
		}
		return cost(u.n) <= c.budget/8
	}
	return u.level < outermost
}

// run expands schemas until the budget is used, then keeps what examples fit. It
// goes breadth first: through the outermost levels of everything, then phase by
// phase, since what to send matters more than what comes back. What finds no
// room in its phase has a second chance when every phase had its turn.
func (c *closure) run() {
	for phase, roots := range c.roots {
		c.phase, c.level = phase, 0
		for _, u := range roots {
			u.phase = phase
			u.must = phase == inParameters || phase == inBody
			c.reference(u, u.n, true)
			c.push(u)
		}
	}
	c.drain(true)
	for phase := range phases {
		c.floor = 0
		for _, u := range c.deep[phase] {
			c.push(u)
		}
		if slices.ContainsFunc(c.deep[phase+1:], func(deep []unit) bool { return len(deep) > 0 }) {
			c.floor = reserved[phase](c.budget)
		}
		c.drain(false)
	}
	c.queue, c.later, c.floor = c.later, nil, 0
	c.drain(false)
	if c.stubs > 0 {
		c.b.diags.add(framework.Note, "budget", c.b.op.Pointer, "schemas not expanded, being past the size or depth limit: %d", c.stubs)
	}
	c.placeSamples()
}

// drain expands what is in the queue, and what that leads to; where shallow is
// true the outermost levels only, and puts the others off.
func (c *closure) drain(shallow bool) {
	for {
		u, ok := c.pop()
		if !ok {
			return
		}
		if shallow && !c.outer(u) {
			c.deep[u.phase] = append(c.deep[u.phase], u)
			continue
		}
		c.phase, c.level, c.must = u.phase, u.level, u.must
		if u.comp != nil {
			c.open(u.comp)
			continue
		}
		c.expand(u, nil)
	}
}

// open decodes a component and expands it.
func (c *closure) open(r *reached) {
	u := unit{base: r.spot(), phase: c.phase, level: c.level, must: c.must}
	if c.floor > 0 && c.left-c.floor < minRemaining {
		c.later = append(c.later, unit{comp: r, phase: c.phase, level: c.level, must: c.must})
		return
	}
	if c.left >= minRemaining {
		u.n = c.b.load(r.span, r.ptr, schema)
	} else if c.b.doc.fits(r.span, 4*leafSize) {
		// What leads nowhere may be hardly more than a stub.
		if n := c.b.load(r.span, r.ptr, schema); n != nil && n.kind == '{' && c.strip(n) {
			r.node = n
			return
		}
	}
	if r.node = u.n; u.n == nil {
		c.shallow(r)
		return
	}
	c.reference(u, u.n, true)
	c.expand(u, r)
}

// shallow makes a stub of a component without decoding all of it.
func (c *closure) shallow(r *reached) {
	n := objectNode()
	n.as = schema
	members := c.b.doc.pick(r.span, stubMembers...)
	for _, key := range stubMembers {
		s, ok := members[key]
		if !ok || !c.b.doc.fits(s, maxText) {
			continue
		}
		if v := c.b.load(s, r.ptr+"/"+key, fields[schema][key]); v != nil {
			n.set(key, *v)
		}
	}
	r.node = &n
	c.stub(unit{n: &n, base: r.spot()}, r)
}

// expand keeps the schema of u if the budget allows, and queues those inside it;
// else it makes a stub of it. r is set if the schema is a component.
func (c *closure) expand(u unit, r *reached) {
	n := u.n
	if n.kind != '{' {
		return
	}
	if n.get(stubKey) != nil { // it leads nowhere
		return
	}
	if n.stub { // too deep
		c.stub(u, r)
		return
	}
	// A stub is paid for already, by the parent or when the component was found.
	room := c.left + stubCost
	size := cost(n)
	if size > room-c.floor {
		if c.floor > 0 {
			u.comp = r
			c.later = append(c.later, u)
			return
		}
		c.lighten(n)
		// Without schemas inside, what is left is hardly more than a stub.
		if size = cost(n); size > room && (hasSchemas(n) || size > leafSize) {
			if !c.strip(n) {
				c.stub(u, r)
			}
			return
		}
	}
	c.left = room - size
	c.discriminate(u, r)
	eachSchema(n, func(h held) {
		if separate(h.n) {
			c.push(h.unit(u))
		}
	})
	eachSchema(n, func(h held) {
		if h.n.get("$ref") != nil {
			c.reference(h.unit(u), h.n, string(h.key) != "allOf")
		}
	})
}

// separate reports whether a schema may become a stub of its own.
func separate(n *node) bool { return n.size > leafSize || hasSchemas(n) }

// cost returns the size of a schema with stubs in the place of those inside.
func cost(n *node) int {
	size := n.size
	eachSchema(n, func(h held) {
		if separate(h.n) {
			size += stubCost - h.n.size
		}
	})
	return size
}

// held is a schema directly inside another: the value of a member, or an entry of
// the array or map that the member is.
type held struct {
	n     *node
	key   []byte // of the member
	list  *node  // the array or map, or nil
	index int    // in list
}

// needed reports whether a value of parent cannot do without the schema.
func (h held) needed(parent *node) bool {
	switch string(h.key) {
	case "items", "allOf", "oneOf", "anyOf", "prefixItems":
		return true
	case "properties":
		req := parent.get("required")
		return req != nil && slices.ContainsFunc(req.kids, func(k node) bool { return k.kind == '"' && k.text() == h.n.name() })
	}
	return false
}

// unit returns the schema as a unit of its own.
func (h held) unit(parent unit) unit {
	path := parent.path + "/" + string(h.key)
	switch {
	case h.list == nil:
	case h.list.kind == '[':
		path += "/" + itoa(h.index)
	default:
		path += "/" + escape(h.n.name())
	}
	return unit{n: h.n, base: parent.base, path: path, phase: parent.phase, level: parent.level + 1, must: parent.must && h.needed(parent.n)}
}

// eachSchema calls f for the schemas directly inside n, in order.
func eachSchema(n *node, f func(h held)) {
	for i := range n.kids {
		k := &n.kids[i]
		switch k.as {
		case schema:
			f(held{n: k, key: k.key})
		case schemaList, schemaMap:
			for e := range k.kids {
				f(held{&k.kids[e], k.key, k, e})
			}
		}
	}
}

// hasSchemas reports whether a schema has further schemas or references inside.
func hasSchemas(n *node) bool {
	if n.stub {
		return true
	}
	for i := range n.kids {
		switch k := &n.kids[i]; k.as {
		case schema, discriminator:
			return true
		case schemaList, schemaMap:
			if len(k.kids) > 0 {
				return true
			}
		}
	}
	return false
}

// lighten drops from a schema what helps the reader least.
func (c *closure) lighten(n *node) {
	n.drop(func(k *node) bool {
		switch string(k.key) {
		case "example", "examples", "default", "externalDocs", "xml":
			return k.size > 64
		}
		return bytes.HasPrefix(k.key, []byte("x-")) && string(k.key) != omittedKey
	})
	if k := n.get("description"); k != nil && k.size > 120 {
		k.replace(stringNode(shortenTo(k.text(), 100)))
	}
	n.measure()
}

// annotations are the members of a schema that exclude no value.
var annotations = []string{"title", "description", "example", "examples", "externalDocs", "xml"}

// barely reports whether a schema leads to no other that would have to be
// expanded, so that without its words it may be as small as a stub.
func barely(n *node, depth int) bool {
	ok := depth < 4 && !n.stub && n.get("properties") == nil && n.get("$ref") == nil && n.get("discriminator") == nil && n.get(omittedKey) == nil
	eachSchema(n, func(h held) { ok = ok && barely(h.n, depth+1) })
	return ok
}

// strip reduces a schema that there is no room for to what it excludes, and
// reports whether that is hardly more than a stub, so that it can stay.
func (c *closure) strip(n *node) bool {
	if !barely(n, 0) {
		return false
	}
	bare(n)
	if n.size > leafSize {
		return false
	}
	c.left -= max(n.size-stubCost, 0)
	return true
}

// bare drops the annotations of a schema and of those inside.
func bare(n *node) {
	n.drop(func(k *node) bool {
		return slices.Contains(annotations, string(k.key)) || bytes.HasPrefix(k.key, []byte("x-"))
	})
	eachSchema(n, func(h held) { bare(h.n) })
	for i := range n.kids {
		n.kids[i].measure()
	}
	n.measure()
}

// stubMembers are what a stub keeps of a schema.
var stubMembers = []string{"type", "required", "format", "nullable", "readOnly", "writeOnly", "deprecated"}

// stub makes a stub of a schema. A reference stays one.
func (c *closure) stub(u unit, r *reached) {
	n := u.n
	if ref := n.get("$ref"); ref != nil {
		n.kids = []node{*ref}
		n.measure()
		return
	}
	n.drop(func(k *node) bool { return !slices.Contains(stubMembers, string(k.key)) })
	if req := n.get("required"); req != nil && len(req.kids) > maxStubRequired {
		req.kids = req.kids[:maxStubRequired]
	}
	name := u.pointer()
	if r != nil {
		name = r.name
	}
	n.set(stubKey, stringNode(name))
	n.measure()
	n.stub = true
	c.left -= max(n.size-stubCost, 0)
	c.stubs++
}

// reference points the $ref of a schema to a component of the small document, and
// queues that when it is new. For whole see reached.
func (c *closure) reference(u unit, n *node, whole bool) {
	ref := n.get("$ref")
	if ref == nil || ref.kind != '"' {
		return
	}
	c.must = u.must
	r := c.reach(u, c.fileOf(u, ref), ref.text(), whole)
	if r == nil {
		raw := ref.text()
		n.drop(func(k *node) bool { return string(k.key) == "$ref" })
		n.set(stubKey, stringNode(shorten(raw)))
		n.measure()
		n.stub = true
		return
	}
	ref.replace(stringNode(c.ref(r)))
	n.measure()
}

// fileOf returns the file that a node inside a unit comes from.
func (c *closure) fileOf(u unit, n *node) uint16 {
	if n.from != 0 {
		return c.b.origins[n.from].file
	}
	return u.base.file
}

// ref returns how the small document refers to the component.
func (c *closure) ref(r *reached) string {
	return c.b.doc.schemasAt() + strings.ReplaceAll(escape(r.name), "%", "%25")
}

// reach returns the schema a reference leads to, or nil and a diagnostic.
func (c *closure) reach(u unit, file uint16, ref string, whole bool) *reached {
	key := spot{file, ref}
	if r := c.byRef[key]; r != nil {
		c.touch(r.place, whole)
		return r
	}
	at, why := c.follow(u, file, ref)
	if why != "" {
		c.b.diags.addTo(c.b.doc.label(file), framework.Error, "ref", u.pointer(), "the schema refers to %q, which %s", shorten(ref), why)
		c.b.miss(u.pointer(), ref)
		return nil
	}
	r := c.touch(at, whole)
	if !strings.HasPrefix(ref, "#") || strings.HasPrefix(ref, "#/components/") || strings.HasPrefix(ref, "#/definitions/") && c.b.doc.old { // means the same in the whole file
		c.byRef[key] = r
	}
	return r
}

// touch makes the schema at a place a component, and queues it, unless it is one.
func (c *closure) touch(at place, whole bool) *reached {
	r := c.bySpot[at.spot()]
	if r == nil {
		r = &reached{name: c.name(at.spot()), place: at}
		c.bySpot[at.spot()] = r
		c.push(unit{comp: r, phase: c.phase, level: c.level + 1, must: c.must})
		c.left -= stubCost
	}
	if whole && !r.whole {
		r.whole = true
		if r.node != nil && !r.node.stub {
			c.subtypes(r.node, r, r.mapped)
		}
	}
	return r
}

// follow resolves the reference of a schema, through references that are nothing
// else.
func (c *closure) follow(u unit, file uint16, ref string) (at place, why string) {
	d := c.b.doc
	at, why = d.resolve(file, ref)
	if at.spot() == (spot{}) && why == "" && strings.HasPrefix("#"+u.base.ptr, d.schemasAt()) {
		// The document is no schema: a component means itself.
		if toks, ok := tokens(u.base.ptr); ok && len(toks) > 0 {
			if p, ok := d.walk(file, toks, 0); ok {
				return p, ""
			}
		}
	}
	if why != "" && file == u.base.file {
		// Inside a schema people refer to its own definitions.
		if strings.HasPrefix(ref, "#") {
			if toks, ok := tokens(u.base.ptr); ok {
				for _, f := range fragments(ref) {
					if p, ok := d.walk(u.base.file, append(slices.Clip(toks), f...), 0); ok {
						at, why = p, ""
						break
					}
				}
			}
		}
	}
	var seen map[spot]bool
	for hops := 0; why == "" && d.first(at.span) == '{'; hops++ {
		next, ok := c.alias(at.span)
		if !ok {
			break
		}
		if seen == nil {
			seen = make(map[spot]bool)
		}
		if seen[at.spot()] || hops > maxAliases {
			return at, "leads back to itself"
		}
		seen[at.spot()] = true
		at, why = d.resolve(at.span.file, next)
	}
	if why == "" && (at.spot() == spot{} || !strings.ContainsRune("{tf", rune(d.first(at.span)))) {
		why = "leads to no schema"
	}
	return at, why
}

// alias returns the $ref of a schema that is nothing but a reference. Before 3.1
// the siblings of a $ref do not count.
func (c *closure) alias(s span) (ref string, ok bool) {
	d := c.b.doc
	sc := d.scan(s)
	members := 0
	sc.members(int(s.start), func(name span, v int) int {
		if members++; members > 1 && c.b.v31 {
			return -1
		}
		end := sc.value(v, 0)
		if end >= 0 && keyIs(d.bytes(name), "$ref") && sc.data[v] == '"' {
			ref, ok = unquote(sc.data[v:end]), true
		}
		return end
	})
	return ref, ok && (members == 1 || !c.b.v31)
}

// name returns the name under which a schema travels: its own if it is a component
// of the document; else one made from its file and pointer, and from a hash of
// them where another schema of this operation has that name already.
func (c *closure) name(at spot) string {
	if r := c.bySpot[at]; r != nil {
		return r.name
	}
	file := c.b.doc.files[at.file].name
	ptr := at.ptr
	if name, ok := strings.CutPrefix(ptr, "/definitions/"); ok && c.b.doc.old && at.file == 0 {
		ptr = "/components/schemas/" + name
	}
	name := componentName(file, ptr)
	sum := sha256.Sum256([]byte(file + "#" + at.ptr))
	for n, plain := 3, name; ; n++ {
		if have, taken := c.names[name]; !taken || have == at {
			c.names[name] = at
			return name
		}
		name = plain + "-" + hex.EncodeToString(sum[:min(n, len(sum))])
	}
}

// componentName returns the name that a schema of a file would like to have.
func componentName(file, ptr string) string {
	name, ok := strings.CutPrefix(ptr, "/components/schemas/")
	if !ok && file != "" { // other files have their definitions anywhere
		name, ok = ptr[strings.LastIndexByte(ptr, '/')+1:], ptr != ""
	}
	if ok && !strings.Contains(name, "/") && isPlain(name) && index(name) < 0 && (file == "" || !keywords[name] && name != "items") {
		return unescape(name)
	}
	toks, _ := tokens(ptr)
	if file != "" {
		base := path.Base(file)
		toks = append([]string{strings.TrimSuffix(base, path.Ext(base))}, toks...)
	}
	var words []string
	for _, t := range toks {
		if keywords[t] {
			continue
		}
		clean := strings.Map(func(r rune) rune {
			if r < 0x80 && (r == '_' || r == '-' || isDigit(byte(r)) || 'a' <= r|0x20 && r|0x20 <= 'z') {
				return r
			}
			return -1
		}, t)
		if clean != "" {
			words = append(words, clean)
		}
	}
	name = strings.Join(words[max(0, len(words)-3):], ".")
	if len(name) > 60 {
		name = name[len(name)-60:]
	}
	if file != "" && name != "" && len(words) <= 3 {
		return strings.Trim(name, "-.")
	}
	sum := sha256.Sum256([]byte(ptr))
	return strings.Trim(name+"-"+hex.EncodeToString(sum[:3]), "-.")
}

// keywords are the tokens of a pointer that tell nothing about a schema.
var keywords = map[string]bool{
	"components": true, "schemas": true, "properties": true, "paths": true, "content": true, "schema": true,
	"$defs": true, "definitions": true, "responses": true, "application/json": true,
}

// isPlain reports whether a component's name can stand in a reference.
func isPlain(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// discriminate points the discriminator of an expanded schema to components, and
// reaches the schemas it chooses from.
func (c *closure) discriminate(u unit, r *reached) {
	disc := u.n.get("discriminator")
	if disc == nil || disc.as != discriminator {
		return
	}
	var mapped []place
	if m := disc.get("mapping"); m != nil {
		m.drop(func(k *node) bool {
			at, why := c.mapped(u, c.fileOf(u, k), k.text())
			if why != "" {
				c.b.diags.addTo(c.b.doc.label(u.base.file), framework.Error, "ref", u.pointer(), "the discriminator maps %q to %q, which %s", shorten(k.name()), shorten(k.text()), why)
				return true
			}
			mapped = append(mapped, at)
			k.replace(stringNode(c.ref(&reached{name: c.name(at.spot())})))
			return false
		})
	}
	if m := disc.get("defaultMapping"); m != nil {
		if at, why := c.mapped(u, c.fileOf(u, m), m.text()); why == "" {
			mapped = append(mapped, at)
			m.replace(stringNode(c.ref(&reached{name: c.name(at.spot())})))
		}
	}
	if r == nil || r.whole {
		c.subtypes(u.n, r, mapped)
	} else {
		r.mapped = mapped
	}
}

// mapped resolves a value of a mapping, which is a schema's name or a reference.
func (c *closure) mapped(u unit, file uint16, value string) (place, string) {
	if s, ok := c.b.doc.component(schemas, value); ok {
		return place{s, c.b.doc.componentAt(schemas, value)}, ""
	}
	return c.follow(u, file, value)
}

// subtypes reaches the schemas that the discriminator of n chooses from: those of
// its mapping and, unless oneOf or anyOf lists them, those that name it in allOf.
func (c *closure) subtypes(n *node, r *reached, mapped []place) {
	if disc := n.get("discriminator"); disc == nil || disc.as != discriminator {
		return
	}
	for _, at := range mapped {
		c.touch(at, true)
	}
	if r == nil || n.get("oneOf") != nil || n.get("anyOf") != nil {
		return
	}
	for _, name := range c.b.doc.subtypesOf(r.spot()) {
		if s, ok := c.b.doc.component(schemas, name); ok {
			c.touch(place{s, c.b.doc.componentAt(schemas, name)}, true)
		}
	}
}

// schemasAt returns how a reference to a component begins in a small document.
func (d *Document) schemasAt() string {
	if d.old {
		return "#/definitions/"
	}
	return "#/components/schemas/"
}

// subtypesOf returns the components that name a schema in their allOf, sorted.
func (d *Document) subtypesOf(at spot) []string {
	d.subtypes.once.Do(func() {
		d.subtypes.of = make(map[spot][]string)
		for _, comp := range d.components[schemas] {
			name, value := d.nameOf(comp), d.valueOf(comp)
			if d.first(value) != '{' {
				continue
			}
			all, ok := d.child(value, "allOf")
			if !ok || d.first(all) != '[' {
				continue
			}
			sc := d.scan(all)
			sc.elements(int(all.start), func(_, v int) int {
				end := sc.value(v, 0)
				if end < 0 || sc.data[v] != '{' {
					return end
				}
				if ref, ok := d.child(sc.span(v, end), "$ref"); ok {
					if at, why := d.resolve(0, unquote(d.bytes(ref))); why == "" {
						if of := d.subtypes.of[at.spot()]; !slices.Contains(of, name) {
							d.subtypes.of[at.spot()] = append(of, name)
						}
					}
				}
				return end
			})
		}
	})
	return d.subtypes.of[at]
}

// schemas returns the map of the components.
func (c *closure) schemas() node {
	out := objectNode()
	for _, r := range c.bySpot {
		n := *r.node
		n.key = []byte(keyText(r.name))
		out.kids = append(out.kids, n)
	}
	slices.SortFunc(out.kids, func(a, b node) int { return bytes.Compare(a.key, b.key) })
	return out
}

// placeSamples keeps the examples beside schemas that fit half the budget.
func (c *closure) placeSamples() {
	left, out := c.budget/2, 0
	for _, list := range c.samples {
		for _, n := range list {
			if n.size <= c.budget/4 && n.size <= left {
				left -= n.size
				continue
			}
			n.as = dropped
			out++
		}
	}
	if out > 0 {
		c.b.diags.add(framework.Note, "examples", c.b.op.Pointer, "examples left out, being past the size limit: %d", out)
	}
}
