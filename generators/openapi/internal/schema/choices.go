package schema

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

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
	if sh.stub != "" {
		return false
	}
	if len(sh.enum) > 0 {
		return len(sh.says) > 0 && len(sh.enum) > 1 || !sh.rules.empty()
	}
	if len(sh.props)+len(sh.required)+len(sh.matching)+len(sh.prefix)+len(sh.parts)+len(sh.depend) > 0 || sh.owner != nil || !sh.rules.empty() {
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
		switch {
		case g.all:
			c.word = "all"
		case g.any:
			c.word = "any"
		}
		for _, o := range g.options {
			words = union(words, x.words(o, 0))
			c.options = append(c.options, x.option(o, path, level))
		}
		n.body.choices = append(n.body.choices, c)
	}
	if n.text == "any" && len(words) > 0 && len(words) <= 4 && !groups[0].all && !slices.Contains(words, "any") && len(groups) == 1 {
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

// knownFirst returns options with those behind the others that are not
// expanded: little can be said of what these allow.
func (w *walker) knownFirst(options openapi3.SchemaRefs) openapi3.SchemaRefs {
	unknown := func(o *openapi3.SchemaRef) bool {
		core, _ := w.unwrap(o)
		return core != nil && core.Value != nil && w.shape(core.Value).stub != ""
	}
	if !slices.ContainsFunc(options, unknown) {
		return options
	}
	var known, rest openapi3.SchemaRefs
	for _, o := range options {
		if unknown(o) {
			rest = append(rest, o)
		} else {
			known = append(known, o)
		}
	}
	return append(known, rest...)
}
