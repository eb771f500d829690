package ingest

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// Limits on single values, in bytes of canonical JSON. They hold wherever the
// value stands, so that what is cut does not depend on what surrounds it.
const (
	maxText    = 16 << 10 // a description, but for a schema's
	maxEnum    = 4 << 10  // an enum; a larger one keeps keptEnum of its first values
	keptEnum   = 2 << 10
	maxLiteral = 4 << 10 // default, const, unknown members, extensions
	maxSample  = 2 << 10 // an example inside a schema
)

// mend makes n what its place in the specification asks for: it converts what has
// an obvious meaning, drops what has none, follows the references of everything
// but schemas, and notes shapes for the walks after it. It returns false if n is
// to be dropped. b.at is the path to n.
func (b *builder) mend(n *node, as shape) bool {
	n.as = as
	if b.outer+len(b.at) > maxNesting && (b.fieldsOf(as) != nil || elementOf[as] != anything && elementOf[as] != text) {
		if as == schema && n.kind == '{' {
			n.drop(func(k *node) bool { return !slices.Contains(stubMembers, string(k.key)) })
			b.mendFields(n, schema)
			n.measure()
			n.stub = true
			return true
		}
		b.note(framework.Error, "nesting", "is nested too deeply: left out")
		return false
	}
	ok := true
	switch as {
	case dropped:
		return false
	case anything, oneExample:
		if as == oneExample {
			b.paste(n, 0)
		}
		if n.height > maxNesting {
			b.note(framework.Note, "nesting", "is nested too deeply: left out")
			return false
		}
		if as == anything && n.size > maxLiteral {
			b.note(framework.Note, "size", "has %d bytes: left out", n.size)
			return false
		}
	case text:
		ok = b.mendText(n)
	case flag:
		ok = mendFlag(n)
	case number:
		ok = mendNumber(n)
	case count:
		ok = mendCount(n)
	case bound:
		ok = mendFlag(n) || mendNumber(n)
	case types:
		ok = n.kind == '"' || n.kind == '[' && b.mendElements(n, text)
		b.knowTypes(n)
	case list:
		if n.kind != '[' {
			*n = listWith(n, *n)
		}
	case anyMap:
		ok = n.kind == '{'
	case exampleSet:
		ok = b.mendExampleSet(n)
	case schema, boolOrSchema:
		return b.mendSchema(n, as)
	case itemsObject:
		return b.mendItems(n)
	default:
		return b.mendStructure(n, as)
	}
	if !ok {
		b.note(framework.Warning, "type", "has a value of the wrong type: left out")
		return false
	}
	n.measure()
	return true
}

// knowTypes reports a type that is none. It is kept: it may say something to the
// reader.
func (b *builder) knowTypes(n *node) {
	for i := range n.kids {
		b.knowTypes(&n.kids[i])
	}
	if n.kind != '"' {
		return
	}
	switch s := n.text(); s {
	case "string", "integer", "number", "boolean", "array", "object", "null", "file":
	default:
		b.note(framework.Warning, "type", "is %q, which is none of the types of OpenAPI", shorten(s))
	}
}

// listWith returns an array in the place of n.
func listWith(n *node, kids ...node) node {
	l := listNode(kids...)
	l.key, l.as = n.key, n.as
	for i := range l.kids {
		l.kids[i].key = nil
	}
	return l
}

func (n *node) replace(v node) {
	v.key, v.as = n.key, n.as
	*n = v
}

func (b *builder) mendText(n *node) bool {
	switch n.kind {
	case '"':
	case '0', 't', 'f':
		// version: 1.0, summary: 42, default: true
		n.replace(stringNode(string(n.raw)))
	default:
		return false
	}
	k := string(n.key)
	if k != "description" && k != "summary" && k != "title" {
		return true
	}
	switch {
	case b.holder() == schema:
		if len(n.raw) > maxShown {
			if s := n.text(); len(trimText(s)) != len(s) {
				n.replace(stringNode(trimText(s)))
			}
		}
	case len(n.raw) > maxText:
		if s := n.text(); len(s) > maxText {
			n.replace(stringNode(shortenTo(s, maxText)))
		}
	}
	return true
}

func mendFlag(n *node) bool {
	if n.kind == '"' {
		switch strings.ToLower(n.text()) {
		case "true":
			n.replace(literalNode("true"))
		case "false":
			n.replace(literalNode("false"))
		}
	}
	return n.kind == 't' || n.kind == 'f'
}

func mendNumber(n *node) bool {
	if n.kind == '"' {
		s := n.text()
		sc := scanner{data: []byte(s)}
		if s == "" || s[0] != '-' && !isDigit(s[0]) || sc.number(0) != len(s) {
			return false
		}
		v := node{kind: '0', raw: []byte(s)}
		v.number()
		n.replace(v)
	}
	return n.kind == '0'
}

func mendCount(n *node) bool {
	if !mendNumber(n) {
		return false
	}
	if _, err := strconv.ParseUint(string(n.raw), 10, 63); err == nil {
		return true
	}
	f, err := strconv.ParseFloat(string(n.raw), 64)
	if err != nil || f != float64(uint64(f)) || f < 0 || f >= 1<<63 {
		return false
	}
	n.replace(node{kind: '0', raw: strconv.AppendUint(nil, uint64(f), 10)})
	return true
}

// paste puts the files that an example is made of in the place of the references
// to them. A $ref in an example is a member like any other; but one that names a
// file which is there can hardly mean anything else.
func (b *builder) paste(n *node, depth int) {
	if n.kind != '{' && n.kind != '[' || depth > maxNesting {
		return
	}
	file := b.base.file
	if n.from != 0 {
		file = b.origins[n.from].file
	}
	if ref := n.get("$ref"); ref != nil && ref.kind == '"' {
		raw := ref.text()
		part, _, _ := strings.Cut(raw, "#")
		if readable(part) {
			if at, why := b.doc.resolve(file, raw); why == "" && b.inlined > 0 {
				b.tree.from = b.arrive(at)
				target := b.parse(at.span, at.ptr)
				b.tree.from = 0
				if target != nil {
					b.inlined -= max(target.size, 256)
					siblings := n.kids
					n.replace(*target)
					b.paste(n, depth+1)
					for i := range siblings {
						if k := siblings[i]; n.kind == '{' && string(k.key) != "$ref" {
							n.set(string(k.key), k)
						}
					}
				}
			}
		}
	}
	for i := range n.kids {
		b.paste(&n.kids[i], depth+1)
	}
	n.measure()
}

// mendExampleSet turns a map of examples, which is how the other objects have
// them, into the array that schemas have.
func (b *builder) mendExampleSet(n *node) bool {
	switch n.kind {
	case '{':
		values := make([]node, 0, len(n.kids))
		for i := range n.kids {
			k := n.kids[i]
			if v := k.get("value"); v != nil {
				k = *v
			}
			values = append(values, k)
		}
		n.replace(listWith(n, values...))
	case '[':
	default:
		return false
	}
	n.drop(func(k *node) bool {
		k.as = oneExample
		b.paste(k, 0)
		return k.height > maxNesting || k.size > maxSample
	})
	return true
}

// mendElements mends the elements of an array or the members of a map.
func (b *builder) mendElements(n *node, as shape) bool {
	i := -1
	n.drop(func(k *node) bool {
		i++
		b.enter(k, i, n)
		defer b.leave()
		if n.kind == '{' && bytes.HasPrefix(k.key, []byte("x-")) && dropsExtensions[n.as] {
			return true
		}
		return !b.mend(k, as)
	})
	return true
}

// dropsExtensions are the maps in which a name that begins with x- is an
// extension, not an entry.
var dropsExtensions = map[shape]bool{responseMap: true, callback: true}

// mendStructure mends the objects, arrays and maps of the specification.
func (b *builder) mendStructure(n *node, as shape) bool {
	elem, isMap := elementOf[as]
	if ref := n.get("$ref"); ref != nil && ref.kind == '"' && isMap && !refKinds[as] {
		base, at, outer := b.base, b.at, b.outer
		defer func() { b.base, b.at, b.outer = base, at, outer }()
		b.splice(n, as)
	}
	switch {
	case isList[as]:
		switch {
		case n.kind == 'n' && as == texts: // scopes: null
			n.replace(listNode())
		case n.kind == '"' && as == texts: // tags: pets
			n.replace(listWith(n, *n))
		}
		if n.kind == '{' && (as == requirementList || as == serverList) {
			n.replace(listWith(n, *n))
			b.note(framework.Warning, "type", "is no array: read as an array of that alone")
		}
		if n.kind != '[' {
			b.note(framework.Warning, "type", "is no array: left out")
			return false
		}
		b.mendElements(n, elem)
		n.measure()
		return true
	case n.kind == '"' && as == discriminator && b.doc.old:
		return true
	case n.kind == '"' && as == discriminator:
		name := *n
		n.replace(objectNode())
		name.as = text
		n.set("propertyName", name)
	case n.kind == '[' && as == exampleMap:
		list := n.kids
		n.replace(objectNode())
		for i := range list {
			n.set("example-"+itoa(i+1), list[i])
		}
	case as == example && !isExample(n):
		v := *n
		n.replace(objectNode())
		n.set("value", v)
	case n.kind == 'n' && (as == mediaType || as == response || as == header):
		// `application/json:` with nothing after it
		n.replace(objectNode())
	}
	if n.kind != '{' {
		b.note(framework.Warning, "type", "is no object: left out")
		return false
	}
	if n.get("$ref") != nil && refKinds[as] {
		base, at, outer := b.base, b.at, b.outer
		defer func() { b.base, b.at, b.outer = base, at, outer }()
		if ok := b.inline(n, as); !ok {
			return n.stub
		}
		if as == example && !isExample(n) { // the reference led to the value itself
			v := *n
			n.replace(objectNode())
			n.set("value", v)
		}
	}
	if isMap {
		if as == callback {
			b.callbacks++
			defer func() { b.callbacks-- }()
		}
		b.mendElements(n, elem)
		n.measure()
		return true
	}
	b.mendFields(n, as)
	switch as {
	case parameter, header:
		if e := n.get("enum"); b.doc.old && e != nil && e.size > maxEnum {
			b.cutEnum(n, e)
		}
		b.queryString(n)
		if n.get("schema") != nil && n.get("content") != nil {
			b.note(framework.Warning, "schema-and-content", "has both schema and content: content is left out")
			n.drop(func(k *node) bool { return string(k.key) == "content" })
		}
	case example:
		b.exampleValue(n)
	case response:
		b.describe(n, "summary")
	case server:
		b.describe(n, "name")
	case flow:
		if n.get("scopes") == nil {
			s := objectNode()
			s.as = textMap
			n.set("scopes", s)
		}
	}
	n.measure()
	return true
}

// queryString makes an exploded form of a parameter that is the whole query
// string in form encoding (OpenAPI 3.2): both are written alike.
func (b *builder) queryString(n *node) {
	if in := n.get("in"); in == nil || in.text() != "querystring" {
		return
	}
	var form *node
	if c := n.get("content"); c != nil {
		form = c.get("application/x-www-form-urlencoded").get("schema")
	}
	if form == nil {
		return
	}
	s := *form
	example := n.get("content").get("application/x-www-form-urlencoded").get("example")
	if example != nil {
		n.set("example", *example)
	}
	n.drop(func(k *node) bool { return string(k.key) == "content" })
	explode := literalNode("true")
	explode.as = flag
	n.set("in", stringNode("query"))
	n.set("style", stringNode("form"))
	n.set("explode", explode)
	n.set("schema", s)
}

// splice puts the map or list that a $ref leads to in its place. A map or list is
// no Reference Object, yet people write so.
func (b *builder) splice(n *node, as shape) {
	raw := n.get("$ref").text()
	at, why := b.doc.resolve(b.base.file, raw)
	var target *node
	if why == "" {
		b.tree.from = b.arrive(at)
		target = b.parse(at.span, at.ptr)
		b.tree.from = 0
		switch {
		case target == nil:
			why = "leads to something too large"
		case (target.kind == '[') != isList[as] || target.kind != '[' && target.kind != '{':
			why = "leads to something else than is meant"
		default:
			if b.inlined -= max(target.size, 256); b.inlined < 0 {
				why = "is one too many: the references of this operation lead to too much text"
			}
		}
	}
	n.drop(func(k *node) bool { return string(k.key) == "$ref" })
	if why != "" {
		b.note(framework.Error, "ref", "refers to %q, which %s", shorten(raw), why)
		b.miss(b.pointer(), raw)
		return
	}
	own := n.kids
	from := n.from
	n.replace(*target)
	for i := range own {
		k := own[i]
		if k.from == 0 {
			k.from = from
		}
		n.set(string(k.key), k)
	}
	b.outer += len(b.at)
	b.base, b.at = at.spot(), nil
}

// exampleValue gives an example of OpenAPI 3.2 the value that it has under other
// names.
func (b *builder) exampleValue(n *node) {
	if n.get("value") != nil {
		return
	}
	if v := n.get("dataValue"); v != nil {
		n.set("value", *v)
		return
	}
	s := n.get("serializedValue")
	if s == nil {
		return
	}
	v := stringNode(s.text())
	v.as = oneExample
	raw := []byte(s.text())
	if sc := (scanner{data: raw}); len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
		if end := sc.value(0, 0); end >= 0 && sc.space(end) == len(raw) {
			v = *b.tree.parse(raw)
			v.as = oneExample
		}
	}
	if v.height <= maxNesting {
		n.set("value", v)
	}
}

// describe makes another text the description where there is none.
func (b *builder) describe(n *node, other string) {
	if s := n.get(other); s != nil && n.get("description") == nil {
		n.set("description", *s)
	}
}

func isExample(n *node) bool {
	return n.kind == '{' && slices.ContainsFunc(n.kids, func(k node) bool {
		switch string(k.key) {
		case "$ref", "summary", "description", "value", "externalValue", "dataValue", "serializedValue":
			return true
		}
		return false
	})
}

// mendFields mends the members of an object of fixed fields.
func (b *builder) mendFields(n *node, as shape) {
	known := b.fieldsOf(as)
	if as == operation && b.callbacks > 0 {
		// Callbacks of callbacks may go round for ever.
		n.drop(func(k *node) bool { return string(k.key) == "callbacks" })
	}
	n.drop(func(k *node) bool {
		want, ok := known[string(k.key)]
		if !ok {
			switch {
			case string(k.key) == "$ref":
				k.as = text
				return false
			case bytes.HasPrefix(k.key, []byte("x-")):
				if !extensions[string(k.key)] && !(b.doc.old && extensions2[string(k.key)]) {
					return true
				}
			case as == pathItem:
				return true
			}
			want = anything
		}
		b.enter(k, 0, n)
		defer b.leave()
		return !b.mend(k, want)
	})
}

// mendSchema mends a schema, or a boolean in the place of one.
func (b *builder) mendSchema(n *node, as shape) bool {
	n.as = schema
	switch n.kind {
	case '{':
	case 't', 'f':
		return true
	case '"':
		if as == boolOrSchema && mendFlag(n) {
			return true
		}
		b.note(framework.Warning, "type", "is no schema: left out")
		return false
	default:
		if n.kind != 'n' {
			b.note(framework.Warning, "type", "is no schema: left out")
		}
		return false
	}
	if !b.mendReference(n) {
		return true
	}
	b.mendTuple(n)
	flagged := b.requiredFlags(n)
	b.mendFields(n, schema)
	if flagged != nil {
		b.require(n, flagged)
	}
	if e := n.get("enum"); e != nil && e.size > maxEnum {
		b.cutEnum(n, e)
	}
	if c := n.get("const"); c != nil && c.kind == 'n' { // the loader takes it for none
		n.drop(func(k *node) bool { return string(k.key) == "const" })
		n.set("enum", listNode(literalNode("null")))
	}
	mendXML(n.get("xml"))
	n.drop(func(k *node) bool { return k.as == oneExample && k.size > maxSample })
	n.measure()
	return true
}

// mendXML gives the hints of OpenAPI 3.2 their older names, where these have one.
func mendXML(x *node) {
	kind := x.get("nodeType")
	if kind == nil || kind.kind != '"' {
		return
	}
	hint := ""
	switch kind.text() {
	case "attribute":
		hint = "attribute"
	case "element":
		hint = "wrapped"
	default:
		x.set("x-apiskills-xml-node", stringNode(kind.text()))
	}
	if hint != "" && x.get(hint) == nil {
		v := literalNode("true")
		v.as = flag
		x.set(hint, v)
	}
	x.drop(func(k *node) bool { return string(k.key) == "nodeType" })
	x.measure()
}

// mendReference mends the $ref of a schema. It returns false if nothing else of
// the schema counts.
func (b *builder) mendReference(n *node) bool {
	for _, name := range []string{"$dynamicRef", "$recursiveRef"} {
		if r := n.get(name); r != nil {
			if n.get("$ref") == nil && r.kind == '"' && !(name == "$dynamicRef" && b.doc.dynamic(b.base.file, r.text())) {
				if _, why := b.doc.resolve(b.base.file, r.text()); why == "" {
					n.set("$ref", *r)
				} else {
					b.note(framework.Warning, "ref", "has a %s to %q, which %s: left out", name, shorten(r.text()), why)
				}
			}
			n.drop(func(k *node) bool { return string(k.key) == name })
		}
	}
	ref := n.get("$ref")
	if ref == nil {
		return true
	}
	if ref.kind != '"' {
		b.note(framework.Warning, "type", "has a $ref that is no string: left out")
		n.drop(func(k *node) bool { return string(k.key) == "$ref" })
		return true
	}
	ref.as = text
	if len(n.kids) == 1 {
		return false
	}
	if !b.v31 {
		// Before 3.1 the siblings of $ref are ignored.
		n.kids = []node{*ref}
		n.measure()
		return false
	}
	return true
}

// mendTuple renames the array form of items to prefixItems, its name since 3.1.
// An array of one is what people write for a list of that.
func (b *builder) mendTuple(n *node) {
	items := n.get("items")
	if items == nil || items.kind != '[' || n.get("prefixItems") != nil {
		return
	}
	v := *items
	n.drop(func(k *node) bool { return string(k.key) == "items" })
	if len(v.kids) == 1 {
		n.set("items", v.kids[0])
	} else {
		n.set("prefixItems", v)
	}
	b.note(framework.Warning, "tuple", "has an array for items: read as %s", map[bool]string{true: "items of that one schema", false: "prefixItems"}[len(v.kids) == 1])
}

// requiredFlags returns the properties that say `required: true` of themselves,
// which is not what OpenAPI does, but plain enough.
func (b *builder) requiredFlags(n *node) []string {
	props := n.get("properties")
	if props == nil || props.kind != '{' {
		return nil
	}
	var names []string
	for i := range props.kids {
		p := &props.kids[i]
		if r := p.get("required"); r != nil && (r.kind == 't' || r.kind == 'f') {
			if r.kind == 't' {
				names = append(names, p.name())
			}
			p.drop(func(k *node) bool { return string(k.key) == "required" })
		}
	}
	return names
}

// require adds properties to a schema's required list.
func (b *builder) require(n *node, names []string) {
	var kids []node
	if r := n.get("required"); r != nil {
		kids = slices.Clone(r.kids)
	}
	for _, name := range names {
		if !slices.ContainsFunc(kids, func(k node) bool { return k.text() == name }) {
			s := stringNode(name)
			s.as = text
			kids = append(kids, s)
		}
	}
	r := listNode(kids...)
	r.as = texts
	n.set("required", r)
	b.note(framework.Warning, "required-flag", "has properties with `required: true`: read as the schema's required list")
}

// mendItems mends the items of a parameter of Swagger 2.0.
func (b *builder) mendItems(n *node) bool {
	if n.kind != '{' {
		return false
	}
	b.mendFields(n, itemsObject)
	if e := n.get("enum"); e != nil && e.size > maxEnum {
		b.cutEnum(n, e)
	}
	n.measure()
	return true
}

// cutEnum keeps the first values of a large enum and states how many are gone.
func (b *builder) cutEnum(n, e *node) {
	total, kept, size := len(e.kids), 0, 0
	for kept < total && size+e.kids[kept].size+1 <= keptEnum {
		size += e.kids[kept].size + 1
		kept++
	}
	e.kids = e.kids[:kept]
	e.measure()
	if kept == 0 {
		n.drop(func(k *node) bool { return string(k.key) == "enum" })
	}
	left := node{kind: '0', raw: []byte(itoa(total - kept))}
	left.measure()
	n.set(omittedKey, left)
	b.note(framework.Note, "enum", "has an enum of %d values, of which %d are kept", total, kept)
}
