package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// object describes the members of an object.
func (x *describer) object(sh *shape, lay *layout, ref *openapi3.SchemaRef, l *label, path string, level int) *node {
	n := &node{text: "object"}
	if sh.shut() {
		n.facets = append(n.facets, "closed")
	}
	n.facets = append(n.facets, sh.count.facet("size")...)
	bare := len(lay.common)+len(sh.matching)+len(sh.depend) == 0 && lay.disc == nil && len(sh.groups) == 0
	if bare && !sh.shut() && (sh.other != nil || sh.open) {
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
	n.body.named = x.matching(sh, path, level)
	if !sh.shut() {
		if sh.other != nil {
			n.body.other = x.node(sh.other, join(path, "<other>"), level+1)
		} else if sh.open {
			n.body.other = &node{text: "any"}
		}
	}
	if level == 0 && x.only != nil {
		n.body.other, n.body.named = nil, nil
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

// matching describes the members whose names match a pattern.
func (x *describer) matching(sh *shape, path string, level int) []*member {
	var out []*member
	for _, p := range slices.Sorted(maps.Keys(sh.matching)) {
		if len(p) > maxLiteral {
			x.block.Unshown = append(x.block.Unshown, "patternProperties")
			continue
		}
		x.built++
		at := "<" + regex(p) + ">"
		_, ann := x.unwrap(sh.matching[p])
		out = append(out, &member{name: at, node: x.node(sh.matching[p], join(path, at), level+1), comment: x.prose(ann)})
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
	m := &member{name: lay.disc.name, required: lay.disc.required, node: x.enum(values, 0, join(path, lay.disc.name))}
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
			wh.members = append(wh.members, &member{name: "<other>", node: x.stub("any", stubName(v.shape.stub), nil)})
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
			if x.only == nil {
				wh.named = x.matching(v.shape, path, level)
			}
			x.dependents(wh.body, v.shape)
			if x.only == nil && level < maxLevels {
				x.ruleLines(wh.body, v.shape, path, level)
			}
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
