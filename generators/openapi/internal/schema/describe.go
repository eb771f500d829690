package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	defaultLines = 1000 // Options.MaxLines
	maxLevels    = 12   // levels of members that are expanded
	maxUnion     = 12   // alternatives that are shown in one line
	enumLimit    = 20   // an enumeration of more values ...
	enumShown    = 12   // ... shows this many
	maxLiteral   = 200  // bytes of a default, an enumerated value or a pattern
)

// Describe returns the schema in notation, as it is in the direction d. A nil
// or unresolved schema is "any".
func Describe(s *openapi3.SchemaRef, d Direction, opts *Options) *Block {
	return describe(s, d, opts, nil)
}

// Added describes what an answer has beyond a request that sent the same
// schema: its readOnly members. Type is "as sent", with ", less the writeOnly
// members" and ", plus" as they apply. It reports false where that way of
// saying it would not be exact, because members nested deeper differ too.
func Added(s *openapi3.SchemaRef, opts *Options) (*Block, bool) {
	if s == nil || s.Value == nil {
		return nil, false
	}
	w := newWalker(Response, nil)
	if opts != nil {
		w.comps = opts.Schemas
	}
	core, _ := w.unwrap(s)
	if core.Value == nil {
		return nil, false
	}
	// The members that exist in one direction only may stand at the level of
	// the schema and of its variants, and nowhere below.
	t := &oneWay{w: w, seen: map[*openapi3.Schema]bool{}}
	sh := w.shape(core.Value)
	top := []*shape{sh}
	for _, v := range w.layout(sh).variants {
		top = append(top, v.shape)
	}
	less := false
	for _, sh := range top {
		for _, ref := range sh.props {
			_, ann := w.unwrap(ref)
			less = less || ann.writeOnly
			if !ann.writeOnly && !ann.readOnly && t.differs(ref, 0) {
				return nil, false
			}
		}
		if sh.other != nil && t.differs(sh.other, 0) || sh.items != nil && t.differs(sh.items, 0) {
			return nil, false
		}
	}
	if l := w.layout(sh); l.disc == nil && len(sh.groups) > 0 {
		return nil, false
	}
	b := describe(s, Response, opts, func(ann annotations) bool { return ann.readOnly })
	b.Type = "as sent"
	if less {
		b.Type += ", less the writeOnly members"
	}
	if len(b.Lines) > 0 {
		b.Type += ", plus"
	}
	return b, true
}

// oneWay looks for members that exist in one direction only.
type oneWay struct {
	w    *walker
	seen map[*openapi3.Schema]bool
}

func (t *oneWay) differs(ref *openapi3.SchemaRef, depth int) bool {
	if ref == nil || ref.Value == nil || t.seen[ref.Value] {
		return false
	}
	t.seen[ref.Value] = true
	if depth > maxAllOf || !t.w.spend() {
		return true
	}
	s := ref.Value
	for _, p := range s.Properties {
		if p.Value != nil && (p.Value.ReadOnly || p.Value.WriteOnly) || t.differs(p, depth+1) {
			return true
		}
	}
	for _, p := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf, s.PrefixItems, openapi3.SchemaRefs{s.Items, s.AdditionalProperties.Schema}) {
		if t.differs(p, depth+1) {
			return true
		}
	}
	return false
}

// DescribeParameter describes the type of a parameter, whether it has a schema
// or content, with allowReserved and deprecated among the facets and the
// parameter's own description as the comment.
func DescribeParameter(p *openapi3.Parameter, opts *Options) *Block {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	ref := p.Schema
	if mt, m := parameterContent(p); m != nil {
		ref, o.MediaType = m.Schema, mt
	}
	b := describe(ref, Request, &o, nil)
	if p.AllowReserved {
		b.Type += " allowReserved"
	}
	if p.Deprecated && (ref == nil || ref.Value == nil || !ref.Value.Deprecated) {
		b.Type += " deprecated"
	}
	if c := o.comment(p.Description); c != "" {
		b.Comment = c
	}
	return b
}

// parameterContent returns the media type of a content-typed parameter.
func parameterContent(p *openapi3.Parameter) (string, *openapi3.MediaType) {
	for _, mt := range slices.Sorted(maps.Keys(p.Content)) {
		if m := p.Content[mt]; m != nil {
			return mt, m
		}
	}
	return "", nil
}

func (o *Options) comment(s string) string {
	if s == "" {
		return ""
	}
	if o.Comment != nil {
		return o.Comment(s)
	}
	return oneLine(s)
}

// A describer builds the nodes of one block.
type describer struct {
	*walker
	opts  *Options
	block *Block
	// only, if not nil, keeps of the schema's own members those it accepts.
	only   func(annotations) bool
	labels map[any]*label           // shapes described so far, by identity
	bodies map[any]*openapi3.Schema // and the schemas they were
	active map[*openapi3.Schema]bool
	most   int      // members to describe
	built  int      // members described
	shown  []*label // in the order of the lines
}

func describe(s *openapi3.SchemaRef, d Direction, opts *Options, only func(annotations) bool) *Block {
	if opts == nil {
		opts = &Options{}
	}
	b := &Block{}
	x := &describer{
		walker: newWalker(d, opts.Schemas),
		opts:   opts,
		block:  b,
		only:   only,
		labels: map[any]*label{},
		bodies: map[any]*openapi3.Schema{},
		active: map[*openapi3.Schema]bool{},
	}
	limit := opts.MaxLines
	if limit <= 0 {
		limit = defaultLines
	}
	// Lines come in the order in which they are made: what is made after the
	// last one only counts.
	x.most = 2 * limit
	var ann annotations
	if s != nil {
		b.Component = component(s.Ref)
		_, ann = x.unwrap(s)
	}
	n := x.node(s, "", 0)
	n.setMedia(token(opts.MediaType))

	// Printing marks the labels that are used, and they are introduced before
	// their first use: print twice.
	lines := func() *printer {
		p := &printer{partial: x.built > x.most}
		b.Type = n.full()
		p.body(n.nestedBody(), 1)
		return p
	}
	lines()
	x.nameLabels()
	p := lines()
	b.Lines, b.Omitted = p.cut(limit)
	b.Truncated = len(p.lines) > limit

	if root := n.nestedBody(); root != nil {
		for _, m := range root.members {
			b.Names = append(b.Names, m.name)
			if m.required {
				b.Required = append(b.Required, m.name)
			}
		}
	}
	for _, l := range x.shown {
		if l.comp == "" {
			continue
		}
		b.Shown = append(b.Shown, l.comp)
		if l.used {
			b.Named = append(b.Named, l.comp)
		}
	}
	if b.Variants != nil {
		for i := range b.Variants.List {
			v := &b.Variants.List[i]
			vp := &printer{}
			vp.body(v.body, 1)
			v.Lines, _ = vp.cut(limit)
		}
	}
	slices.Sort(b.Unshown)
	b.Unshown = slices.Compact(b.Unshown)
	b.Comment = x.prose(ann, b.Component)
	return b
}

// prose returns the comment of a member or option. A title that is a name
// itself, or only repeats one of names, is not worth it.
func (x *describer) prose(ann annotations, names ...string) string {
	if ann.desc != "" {
		return x.opts.comment(ann.desc)
	}
	if !strings.Contains(strings.TrimSpace(ann.title), " ") {
		return ""
	}
	for _, n := range names {
		if squash(n) == squash(ann.title) {
			return ""
		}
	}
	return x.opts.comment(ann.title)
}

// squash keeps of a name what "simple-user", "SimpleUser" and "Simple User"
// have in common.
func squash(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case r == ' ', r == '_', r == '-', r == '.':
			return -1
		}
		return r
	}, s)
}

// node describes a schema as it is used in one place.
func (x *describer) node(ref *openapi3.SchemaRef, path string, level int) *node {
	if ref == nil || ref.Value == nil {
		return &node{text: "any"}
	}
	core, ann := x.unwrap(ref)
	if core.Value == nil {
		return &node{text: "any"}
	}
	n := x.core(core, path, level)
	n.null = n.null || ann.null
	if ann.def != nil {
		if lit := ValueOf(ann.def).Line(); len(lit) <= maxLiteral {
			n.facets = append(n.facets, "default "+lit)
		} else {
			x.block.Unshown = append(x.block.Unshown, "default")
		}
	}
	if ann.writeOnly && x.dir == Request {
		n.facets = append(n.facets, "writeOnly")
	}
	if ann.deprecated {
		n.facets = append(n.facets, "deprecated")
	}
	return n
}

// stub is the node of a shape that is not expanded.
func (x *describer) stub(text, named string, required []string) *node {
	x.block.Stubbed = true
	if !plainName(named) {
		named = quote(capWords(oneLine(named), 80))
	}
	n := &node{text: text + " (" + named + ", not expanded)", multi: true}
	if len(required) > 0 {
		names := make([]string, 0, len(required))
		for _, r := range required {
			names = append(names, name(r))
		}
		n.tail = "  required: " + strings.Join(names, ", ")
	}
	return n
}

// core describes a schema without what its place adds.
func (x *describer) core(ref *openapi3.SchemaRef, path string, level int) *node {
	s := ref.Value
	if x.built > x.most || !x.spend() {
		return x.stub(typeWord(s), labelName(ref, path), nil)
	}
	comp := component(ref.Ref)
	if comp != "" && x.opts.Known[comp] && len(s.Properties)+len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) > 0 {
		return &node{kind: reference, label: &label{name: comp}, null: x.shape(s).null}
	}
	var key any = s
	if ref.Ref != "" {
		key = ref.Ref
		if old := x.bodies[key]; old != nil && !sameBody(old, s) {
			key = s // the reference has siblings that change it
		}
	}
	if l := x.labels[key]; l != nil {
		if l.ready {
			return &node{kind: reference, label: l, null: x.shape(s).null}
		}
		return x.stub("any", labelName(ref, path), nil)
	}
	if x.active[s] {
		return x.stub("any", labelName(ref, path), nil)
	}
	x.active[s] = true
	defer delete(x.active, s)

	sh := x.shape(s)
	if sh.stub != "" {
		var req []string
		for n := range sh.required {
			req = append(req, n)
		}
		slices.Sort(req)
		n := x.stub(typeWord(s), component(sh.stub), req)
		n.null = sh.null
		return n
	}
	if sh.always != nil {
		if !*sh.always {
			x.block.Unshown = append(x.block.Unshown, "false")
		}
		return &node{text: "any"}
	}
	x.block.Unshown = append(x.block.Unshown, sh.unshown...)

	l := &label{name: comp}
	x.labels[key], x.bodies[key] = l, s
	n := x.shaped(sh, ref, l, path, level)
	n.null = n.null || sh.null
	if !l.ready {
		delete(x.labels, key) // short enough to be said again
	}
	return n
}

// introduce makes l the name of a shape that is about to be described.
func (x *describer) introduce(l *label, ref *openapi3.SchemaRef, path string) *label {
	l.ready = true
	l.name, l.comp = labelName(ref, path), component(ref.Ref)
	l.used = l.comp != "" && x.opts.Mark[l.comp]
	x.shown = append(x.shown, l)
	return l
}

// nameLabels makes the names of the labels in use unique; components keep
// theirs.
func (x *describer) nameLabels() {
	taken := map[string]bool{}
	for _, fromDocument := range []bool{true, false} {
		for _, l := range x.shown {
			if !l.used || (l.comp != "") != fromDocument {
				continue
			}
			base := l.name
			for i := 2; taken[l.name]; i++ {
				l.name = base + "-" + strconv.Itoa(i)
			}
			taken[l.name] = true
		}
	}
}

// labelName is what a shape is called: its component, else the member it is.
func labelName(ref *openapi3.SchemaRef, path string) string {
	if c := component(ref.Ref); c != "" {
		return c
	}
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		path = path[i+1:]
	}
	if path == "" {
		return "self"
	}
	return path
}

// sameBody reports whether b is a or a copy of it that only annotates.
func sameBody(a, b *openapi3.Schema) bool {
	return a == b || len(a.Properties) == len(b.Properties) && slices.Equal(a.Required, b.Required) &&
		slices.Equal(a.AllOf, b.AllOf) && slices.Equal(a.OneOf, b.OneOf) && slices.Equal(a.AnyOf, b.AnyOf) &&
		maps.Equal(a.Properties, b.Properties)
}

func typeWord(s *openapi3.Schema) string {
	for _, t := range s.Type.Slice() {
		if t != "null" {
			return baseWord(t)
		}
	}
	if len(s.Properties)+len(s.Required) > 0 {
		return "object"
	}
	return "any"
}

func baseWord(t string) string {
	switch t {
	case "string", "integer", "number", "boolean", "object", "array":
		return t
	}
	return "any"
}

// shaped describes a shape. Where that has a body, the node carries l.
func (x *describer) shaped(sh *shape, ref *openapi3.SchemaRef, l *label, path string, level int) *node {
	if len(sh.enum) > 0 {
		return x.enum(sh.enum, path)
	}
	lay := x.layout(sh)
	own := *sh
	own.groups = lay.rest(sh)

	// Alternatives without members of their own stand in one line.
	kinds := sh.kinds()
	if lay.disc == nil && len(own.groups) == 1 && (len(kinds) == 0 || len(sh.types) > 0 && !sh.is("object")) {
		if n := x.oneLine(own.groups[0], sh, path, level); n != nil {
			return n
		}
	}
	if lay.disc != nil && !slices.Contains(kinds, "object") {
		kinds = append(slices.Clip(kinds), "object")
	}
	var alts []*node
	for _, k := range kinds {
		if k == "object" {
			alts = append(alts, x.object(&own, lay, ref, l, path, level))
		} else {
			alts = append(alts, x.scalar(&own, k, path, level))
		}
	}
	var n *node
	switch len(alts) {
	case 0:
		n = &node{text: "any"}
	case 1:
		n = alts[0]
	default:
		n = &node{kind: unionOf, alts: alts}
		// Facets stand at the end, behind all the types.
		for _, a := range alts {
			n.facets = append(n.facets, a.facets...)
			a.facets = nil
		}
	}
	if slices.Contains(kinds, "object") || len(own.groups) == 0 {
		return n
	}

	// What is left are choices among shapes that have lines.
	if len(kinds) == 0 {
		n.label = x.introduce(l, ref, path)
	}
	n.body = &body{}
	x.choices(n, own.groups, path, level)
	return n
}

// oneLine describes alternatives of which at most one has members, or returns
// nil where there are more.
func (x *describer) oneLine(g group, sh *shape, path string, level int) *node {
	if len(g.options) > maxUnion {
		return nil
	}
	lines := 0
	for _, o := range g.options {
		core, _ := x.unwrap(o)
		if core.Value == nil || len(sh.types) > 0 && len(core.Value.Type.Slice()) == 0 && !x.restates(core.Value) {
			return nil
		}
		if x.hasLines(core, 0) {
			lines++
		}
	}
	if lines > 1 {
		return nil
	}
	n := &node{kind: unionOf}
	seen := map[string]bool{}
	for _, o := range g.options {
		a := x.node(o, path, level)
		if a.null {
			n.null, a.null = true, false
		}
		if a.kind == unionOf && len(a.facets) == 0 && a.body.empty() {
			n.alts = append(n.alts, a.alts...)
			continue
		}
		if t := a.full(); a.nestedBody().empty() && seen[t] {
			continue
		} else {
			seen[t] = true
		}
		n.alts = append(n.alts, a)
	}
	if len(n.alts) == 1 {
		n.alts[0].null = n.null
		return n.alts[0]
	}
	return n
}

// restates reports whether s says by itself which values it allows.
func (x *describer) restates(s *openapi3.Schema) bool {
	return len(x.shape(s).enum) > 0
}

// hasLines reports whether a schema would be described with lines under it.
func (x *describer) hasLines(ref *openapi3.SchemaRef, depth int) bool {
	if ref == nil || ref.Value == nil || depth > 4 {
		return false
	}
	core, _ := x.unwrap(ref)
	if core.Value == nil || x.known(core) {
		return false
	}
	var key any = core.Value
	if core.Ref != "" {
		key = core.Ref
	}
	if l := x.labels[key]; l != nil && l.ready {
		return false // "@Name"
	}
	sh := x.shape(core.Value)
	if sh.stub != "" || len(sh.enum) > 0 {
		return false
	}
	if len(sh.props)+len(sh.required) > 0 || sh.owner != nil {
		return true
	}
	n := 0
	for _, g := range sh.groups {
		for _, o := range g.options {
			if x.hasLines(o, depth+1) {
				n++
			}
		}
	}
	return n > 0 || x.hasLines(sh.items, depth+1) || x.hasLines(sh.other, depth+1)
}

// known reports whether an earlier block introduced the component.
func (x *describer) known(ref *openapi3.SchemaRef) bool { return x.opts.Known[component(ref.Ref)] }

// choices appends "one of:" blocks to n, and gives it the types that they
// offer if it has none.
func (x *describer) choices(n *node, groups []group, path string, level int) {
	var words []string
	for _, g := range groups {
		c := &choice{word: "one"}
		if g.any {
			c.word = "any"
		}
		for _, o := range g.options {
			words = union(words, x.words(o, 0))
			c.options = append(c.options, x.option(o, path, level))
		}
		n.body.choices = append(n.body.choices, c)
	}
	if n.text == "any" && len(words) > 0 && len(words) <= 4 && !slices.Contains(words, "any") && len(groups) == 1 {
		n.text, n.multi = strings.Join(words, " | "), len(words) > 1
	}
}

// option describes one alternative. One that only asks for members of the
// schema it belongs to names them.
func (x *describer) option(o *openapi3.SchemaRef, path string, level int) *member {
	core, ann := x.unwrap(o)
	m := &member{}
	comp := component(core.Ref)
	m.comment = x.prose(ann, comp)
	if s := core.Value; s != nil && len(s.Required) > 0 && len(s.Properties)+len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) == 0 && s.Extensions[StubKey] == nil {
		names := make([]string, 0, len(s.Required))
		for _, r := range slices.Sorted(slices.Values(s.Required)) {
			names = append(names, name(r))
		}
		m.node = &node{text: "object", tail: "  required: " + strings.Join(names, ", ")}
		return m
	}
	if level >= maxLevels || x.opts.TopOnly && level > 0 {
		m.node = x.stub(x.words(o, 0)[0], labelName(core, path), nil)
		return m
	}
	m.node = x.node(o, path, level+1)
	return m
}

// words are the base types that an alternative offers.
func (x *describer) words(ref *openapi3.SchemaRef, depth int) []string {
	core, _ := x.unwrap(ref)
	if core == nil || core.Value == nil || depth > 4 {
		return []string{"any"}
	}
	sh := x.shape(core.Value)
	var out []string
	for _, k := range sh.kinds() {
		if k == "array" {
			k = "any[]"
			if sh.items != nil {
				if w := x.words(sh.items, depth+1); len(w) == 1 {
					k = w[0] + "[]"
				}
			}
			out = union(out, []string{k})
			continue
		}
		out = union(out, []string{baseWord(k)})
	}
	if len(out) == 0 {
		for _, g := range sh.groups {
			for _, o := range g.options {
				out = union(out, x.words(o, depth+1))
			}
		}
	}
	if len(out) == 0 {
		return []string{"any"}
	}
	return out
}

// enum describes enumerated values.
func (x *describer) enum(values []*Value, path string) *node {
	lits := make([]string, 0, len(values))
	for _, v := range values {
		lits = append(lits, v.Line())
	}
	shown := lits
	if len(lits) > enumLimit {
		shown = lits[:enumShown]
	}
	kept := make([]string, 0, len(shown))
	for _, l := range shown {
		if len(l) <= maxLiteral {
			kept = append(kept, l)
		}
	}
	more := len(lits) - len(kept)
	n := &node{text: strings.Join(kept, " | "), multi: len(kept) > 1}
	if more > 0 {
		x.block.Enums = append(x.block.Enums, Enum{Path: path, Values: lits})
		if len(kept) > 0 {
			n.text += " | "
		}
		n.text += "... " + strconv.Itoa(more) + " more"
		n.multi = true
	}
	return n
}

// scalar describes the values of one type other than object.
func (x *describer) scalar(sh *shape, kind, path string, level int) *node {
	n := &node{text: baseWord(kind)}
	if f := token(sh.format); f != "" && kind != "array" && kind != "boolean" {
		n.media = f
	}
	switch kind {
	case "string":
		if sh.format == "binary" || sh.media != "" {
			n.text, n.media = "file", token(sh.media)
		}
		n.facets = append(n.facets, sh.len.facet("len")...)
		for _, p := range sh.patterns {
			if len(p) > maxLiteral {
				x.block.Unshown = append(x.block.Unshown, "pattern")
				continue
			}
			n.facets = append(n.facets, regex(p))
		}
	case "integer", "number":
		n.facets = append(n.facets, between(sh.lo, sh.hi)...)
		for _, s := range sh.steps {
			n.facets = append(n.facets, "step "+string(numberOf(s)))
		}
	case "array":
		n.kind = arrayOf
		n.item = x.item(sh.items, path, level)
		if len(sh.prefix) > 0 {
			x.block.Unshown = append(x.block.Unshown, "prefixItems")
		}
		if sh.unique {
			n.facets = append(n.facets, "unique")
		}
		n.facets = append(n.facets, sh.size.facet("size")...)
	}
	return n
}

// item describes what an array or a map holds. A default says nothing there,
// since an item cannot be left out.
func (x *describer) item(ref *openapi3.SchemaRef, path string, level int) *node {
	n := x.node(ref, path, level)
	n.facets = slices.DeleteFunc(n.facets, func(f string) bool { return strings.HasPrefix(f, "default ") })
	return n
}

// object describes the members of an object.
func (x *describer) object(sh *shape, lay *layout, ref *openapi3.SchemaRef, l *label, path string, level int) *node {
	n := &node{text: "object"}
	if sh.closed {
		n.facets = append(n.facets, "closed")
	}
	n.facets = append(n.facets, sh.count.facet("size")...)
	bare := len(lay.common) == 0 && lay.disc == nil && len(sh.groups) == 0
	if bare && !sh.closed && (sh.other != nil || sh.open) {
		n.kind, n.item = mapOf, &node{text: "any"}
		if sh.other != nil {
			n.item = x.item(sh.other, path, level)
		}
		return n
	}
	if bare {
		return n
	}
	if level >= maxLevels {
		stub := x.stub("object", labelName(ref, path), nil)
		stub.facets = n.facets
		return stub
	}
	if x.opts.TopOnly && level > 0 {
		return n
	}
	n.label = x.introduce(l, ref, path)
	n.body = &body{}
	if lay.disc != nil {
		m := x.discriminator(lay, path, level)
		if !(level == 0 && x.only != nil) {
			n.body.members = append(n.body.members, m)
		}
	}
	n.body.members = append(n.body.members, x.memberList(lay.common, path, level)...)
	if !sh.closed {
		if sh.other != nil {
			n.body.other = x.node(sh.other, join(path, "<other>"), level+1)
		} else if sh.open {
			n.body.other = &node{text: "any"}
		}
	}
	if level == 0 && x.only != nil {
		n.body.other = nil
	} else {
		x.choices(n, sh.groups, path, level)
	}
	x.dependents(n.body, sh)
	whens := x.whens(lay, path, level)
	if lay.disc != nil && level == 0 && path == "" {
		x.block.Variants = x.variantsOf(lay, whens)
		if x.opts.SkipVariants {
			whens = nil
		}
	}
	n.body.whens = append(n.body.whens, whens...)
	return n
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (x *describer) memberList(props []prop, path string, level int) []*member {
	out := make([]*member, 0, len(props))
	for _, p := range props {
		core, ann := x.unwrap(p.ref)
		if level == 0 && x.only != nil && !x.only(ann) {
			continue
		}
		x.built++
		at := join(path, p.name)
		m := &member{name: p.name, required: p.required, node: x.node(p.ref, at, level+1)}
		comp := ""
		if core != nil {
			comp = component(core.Ref)
		}
		m.comment = x.prose(ann, p.name, comp)
		if level == 0 && x.opts.Multipart {
			x.part(m)
		}
		out = append(out, m)
	}
	return out
}

// discriminator describes the member that tells the variants apart: it has the
// values of them all.
func (x *describer) discriminator(lay *layout, path string, level int) *member {
	var values []*Value
	for _, v := range lay.variants {
		values = append(values, v.values...)
	}
	slices.SortFunc(values, func(a, b *Value) int { return strings.Compare(a.Line(), b.Line()) })
	values = slices.CompactFunc(values, (*Value).equal)
	m := &member{name: lay.disc.name, required: lay.disc.required, node: x.enum(values, join(path, lay.disc.name))}
	if lay.disc.ref != nil {
		_, ann := x.unwrap(lay.disc.ref)
		m.comment = x.prose(ann, lay.disc.name)
		if ann.deprecated {
			m.facets = append(m.facets, "deprecated")
		}
	}
	return m
}

// whens describes what each variant adds, in a block of its own.
func (x *describer) whens(lay *layout, path string, level int) []*when {
	out := make([]*when, 0, len(lay.variants))
	for _, v := range lay.variants {
		lits := make([]string, 0, len(v.values))
		for _, val := range v.values {
			lits = append(lits, val.Line())
		}
		wh := &when{cond: name(lay.disc.name) + " = " + strings.Join(lits, " | "), body: &body{}}
		if v.shape.stub != "" {
			wh.members = append(wh.members, &member{name: "<other>", node: x.stub("any", component(v.shape.stub), nil)})
			for _, p := range v.own {
				wh.members = append(wh.members, &member{name: p.name, required: true, node: &node{text: "any"}})
			}
		} else {
			wh.members = x.memberList(v.own, path, level)
			n := &node{text: "any", body: wh.body}
			inner := x.layout(v.shape)
			rest := inner.rest(v.shape)
			if inner.disc != nil && level < maxLevels {
				wh.whens = x.whens(inner, path, level+1)
			}
			if len(rest) > 0 && level < maxLevels && x.only == nil {
				x.choices(n, rest, path, level+1)
			}
			if v.shape.other != nil && x.only == nil {
				wh.other = x.node(v.shape.other, join(path, "<other>"), level+1)
			}
			x.dependents(wh.body, v.shape)
		}
		out = append(out, wh)
	}
	return out
}

// dependents adds what must be there where something else is.
func (x *describer) dependents(b *body, sh *shape) {
	if x.only != nil {
		return
	}
	for _, n := range slices.Sorted(maps.Keys(sh.depend)) {
		wh := &when{cond: name(n), body: &body{}}
		for _, d := range slices.Sorted(slices.Values(sh.depend[n])) {
			text := "any"
			if p := sh.props[d]; p != nil {
				text = x.words(p, 0)[0]
			}
			wh.members = append(wh.members, &member{name: d, required: true, node: &node{text: text}})
		}
		b.whens = append(b.whens, wh)
	}
}

func (x *describer) variantsOf(lay *layout, whens []*when) *Variants {
	out := &Variants{Property: lay.disc.name}
	for i, v := range lay.variants {
		e := Variant{Value: v.values[0].Text(), Component: component(v.ref.Ref), body: whens[i].body}
		for _, val := range v.values {
			e.Values = append(e.Values, val.Line())
		}
		for _, p := range v.own {
			if p.required {
				e.Required = append(e.Required, p.name)
			}
		}
		out.List = append(out.List, e)
	}
	return out
}

// part gives a part of a multipart body its Content-Type: the one that encoding
// states, else, unless the part is a file, the default of its type (OpenAPI
// 3.1.1, 4.8.15.1).
func (x *describer) part(m *member) {
	var types []string
	if e := x.opts.Encoding[m.name]; e != nil && e.ContentType != "" {
		for _, t := range strings.Split(e.ContentType, ",") {
			if t = token(strings.TrimSpace(t)); t != "" {
				types = append(types, t)
			}
		}
	}
	n := m.node
	if n.kind == arrayOf && n.item != nil {
		n = n.item
	}
	if n.kind == unionOf {
		return
	}
	if len(types) > 0 {
		n.setMedia(strings.Join(types, " | "))
		return
	}
	switch {
	case n.kind == mapOf, n.text == "object":
		n.setMedia("application/json")
	case n.text == "string" && n.media == "":
		n.setMedia("text/plain")
	}
}

func (n *node) setMedia(media string) {
	if media == "" {
		return
	}
	if n.kind == mapOf && n.body == nil {
		*n = node{text: "object", media: media, facets: n.facets, null: n.null, body: &body{other: n.item}}
		return
	}
	if n.kind == term && !strings.ContainsAny(n.text, `"( `) {
		n.media = media
	}
}
