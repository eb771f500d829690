package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// addRules puts the lines of the rules of a shape under its node.
func (x *describer) addRules(n *node, sh *shape, path string, level int) {
	if sh.rules.empty() || level >= maxLevels || level == 0 && x.only != nil {
		return
	}
	if x.opts.TopOnly && level > 0 {
		return
	}
	if n.kind == term && n.tail != "" { // a stub
		return
	}
	b := n.nestedBody()
	switch {
	case n.kind == arrayOf:
		item := n.item
		*n = node{text: "array", facets: n.facets, null: n.null, body: &body{other: item}}
		if item.kind == term && item.text == "any" && item.bare() == "any" && len(item.facets) == 0 {
			n.body.other = nil
		}
		b = n.body
	case n.kind == mapOf:
		*n = node{text: "object", facets: n.facets, null: n.null, body: &body{other: n.item}}
		b = n.body
	case b.empty():
		n.body = &body{}
		b = n.body
	}
	x.ruleLines(b, sh, path, level)
}

// ruleLines appends the lines of the rules of a shape.
func (x *describer) ruleLines(b *body, sh *shape, path string, level int) {
	rule := func(head string, ref *openapi3.SchemaRef) {
		if ref == nil || ref.Value == nil {
			return
		}
		x.built++
		m := x.option(ref, join(path, head), level)
		m.name = head
		b.rules = append(b.rules, m)
	}
	for _, ref := range sh.not {
		rule("<not>", ref)
	}
	rule("<propertyNames>", sh.names)
	for _, c := range sh.contains {
		head := "<contains>"
		if c.count != (span{1, -1}) {
			head = "<" + strings.Join(c.count.facet("contains"), "") + ">"
		}
		rule(head, c.ref)
	}
	rule("<unevaluatedItems>", sh.spare)
	rule("<contentSchema>", sh.content)
	for _, c := range sh.conds {
		x.condition(b, sh, c, rule, path, level)
	}
	for _, n := range slices.Sorted(maps.Keys(sh.beside)) {
		ref := sh.beside[n]
		if ref == nil || ref.Value == nil {
			continue
		}
		wh := &when{cond: name(n), body: x.more(ref, sh, path, level)}
		if wh.body == nil {
			x.built++
			m := x.option(ref, join(path, "<then>"), level)
			m.name = "<then>"
			wh.body = &body{rules: []*member{m}}
		}
		b.whens = append(b.whens, wh)
	}
}

// condition appends an if: as "when" where it asks for values of members, else
// part by part.
func (x *describer) condition(b *body, sh *shape, c condition, rule func(string, *openapi3.SchemaRef), path string, level int) {
	then, other := c.then, c.other
	test := c.test
	if s := test.Value; s.Not != nil && s.Not.Value != nil && s.Always == nil {
		bare := *s
		bare.Not = nil
		if annotates(&bare) {
			test, then, other = s.Not, other, then
		}
	}
	cond := x.plainTest(test, sh)
	var yes, no *body
	if cond != "" {
		yes, no = x.more(then, sh, path, level), x.more(other, sh, path, level)
	}
	if cond == "" || yes == nil || no == nil {
		rule("<if>", c.test)
		rule("<then>", c.then)
		rule("<else>", c.other)
		return
	}
	if yes.empty() && !no.empty() { // a heading needs something under it
		yes.other = &node{text: "any"}
	}
	b.whens = append(b.whens, &when{cond: cond, body: yes}, &when{body: no})
}

// plainTest returns the condition that an if is, in words: members with certain
// values, or that are there; or "" if it asks for more than that.
func (x *describer) plainTest(test *openapi3.SchemaRef, of *shape) string {
	core, _ := x.unwrap(test)
	if core.Value == nil {
		return ""
	}
	sh := x.shape(core.Value)
	whole := *sh
	whole.props, whole.required, whole.types, whole.says = nil, nil, nil, nil
	if !whole.plain() || len(whole.kinds()) > 0 || len(sh.types) > 0 && !slices.Equal(sh.types, []string{"object"}) {
		return ""
	}
	var parts []string
	for _, n := range slices.Sorted(maps.Keys(sh.props)) {
		p := sh.props[n]
		if !sh.required[n] && !of.required[n] || p == nil || p.Value == nil {
			return ""
		}
		inner, ann := x.unwrap(p)
		if inner.Value == nil || ann.null {
			return ""
		}
		v := x.shape(inner.Value)
		if len(v.enum) == 0 || len(v.enum) > enumShown || v.omitted > 0 || v.null || !v.rules.empty() || len(v.parts)+len(v.groups) > 0 {
			return ""
		}
		lits := make([]string, 0, len(v.enum))
		for _, e := range v.enum {
			lit := e.Line()
			if len(lit) > maxLiteral {
				return ""
			}
			lits = append(lits, lit)
		}
		parts = append(parts, name(n)+" = "+strings.Join(lits, " | "))
	}
	for _, n := range slices.Sorted(maps.Keys(sh.required)) {
		if sh.props[n] == nil {
			parts = append(parts, name(n))
		}
	}
	if len(parts) > 4 {
		return ""
	}
	return strings.Join(parts, " and ")
}

// plain reports whether a shape says nothing but which members there are.
func (sh *shape) plain() bool {
	return sh.stub == "" && sh.always == nil && len(sh.enum) == 0 && len(sh.parts) == 0 && !sh.shut() && !sh.null &&
		sh.count == span{max: -1} && len(sh.unshown) == 0 && sh.owner == nil && len(sh.groups) == 0 && sh.rules.empty() &&
		len(sh.depend) == 0 && len(sh.matching) == 0 && sh.other == nil
}

// more returns the lines of a schema that applies beside sh, or nil where they
// need a line for the schema itself.
func (x *describer) more(ref *openapi3.SchemaRef, of *shape, path string, level int) *body {
	if ref == nil || ref.Value == nil {
		return &body{}
	}
	core, _ := x.unwrap(ref)
	if core.Value == nil {
		return &body{}
	}
	if x.active[core.Value] || level >= maxLevels || x.built > x.most || !x.spend() {
		return nil
	}
	x.active[core.Value] = true
	defer delete(x.active, core.Value)
	sh := x.shape(core.Value)
	bare := *sh
	bare.rules, bare.groups, bare.depend = rules{}, nil, nil
	if kinds := bare.kinds(); !bare.plain() || len(kinds) > 0 && !slices.Equal(kinds, []string{"object"}) {
		return nil
	}
	if lay := x.layout(sh); lay.disc != nil {
		return nil
	}
	b := &body{}
	for _, p := range x.members(sh) {
		if base := of.props[p.name]; p.ref == nil && base != nil {
			x.built++
			b.members = append(b.members, &member{name: p.name, required: true, node: &node{text: x.words(base, 0)[0]}})
			continue
		}
		b.members = append(b.members, x.memberList([]prop{p}, path, level)...)
	}
	n := &node{text: "object", body: b}
	x.choices(n, sh.groups, path, level)
	x.dependents(b, sh)
	if !sh.rules.empty() {
		x.ruleLines(b, sh, path, level+1)
	}
	return b
}
