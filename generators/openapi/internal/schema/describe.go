package schema

import (
	"maps"
	"slices"
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
	for _, p := range s.PatternProperties {
		if t.differs(p, depth+1) {
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
	told   map[any]bool // enumerations whose values were explained
	most   int          // members to describe
	built  int          // members described
	shown  []*label     // in the order of the lines
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
		told:   map[any]bool{},
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
