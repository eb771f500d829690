package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// A layout is the order of the members at one level, which lines and sample
// values share: the discriminator, the members common to all variants, then
// those of each variant.
type layout struct {
	disc     *prop // nil: no variants
	common   []prop
	variants []variant
	group    int // index into shape.groups, or -1 where the base owns them
}

type variant struct {
	values []*Value // of the discriminator, sorted by text
	ref    *openapi3.SchemaRef
	shape  *shape
	own    []prop
}

// rest returns the groups of sh other than the one that l is about.
func (l *layout) rest(sh *shape) []group {
	if l.disc == nil || l.group < 0 {
		return sh.groups
	}
	return slices.Delete(slices.Clone(sh.groups), l.group, l.group+1)
}

// layout splits the members of sh by its first discriminator that can tell its
// options apart, if there is one. A oneOf of objects that each require another
// constant of the same member is as good as one with a discriminator.
func (w *walker) layout(sh *shape) *layout {
	for i, g := range sh.groups {
		disc := g.disc
		if disc == nil {
			if disc = w.implied(g); disc == nil {
				continue
			}
		}
		if l := w.variants(sh, g.options, disc); l != nil {
			l.group = i
			return l
		}
	}
	if owner := w.owned(sh); owner != nil {
		var options openapi3.SchemaRefs
		for _, k := range slices.Sorted(maps.Keys(owner.Mapping)) {
			ref := mappedTo(owner.Mapping[k].Ref)
			m := w.comps[component(ref)]
			if m != nil && m.Value != nil && !slices.ContainsFunc(options, func(o *openapi3.SchemaRef) bool { return o.Ref == ref }) {
				options = append(options, &openapi3.SchemaRef{Ref: ref, Value: m.Value})
			}
		}
		if l := w.variants(sh, options, owner); l != nil {
			l.group = -1
			return l
		}
	}
	return &layout{common: w.members(sh), group: -1}
}

// implied returns the discriminator that the document does not name: a member
// that each option requires, with constants that no other option allows.
func (w *walker) implied(g group) *openapi3.Discriminator {
	if len(g.options) < 2 {
		return nil
	}
	names := map[string][]*Value{}
	for i, o := range g.options {
		core, _ := w.unwrap(o)
		if core.Value == nil || !w.spend() {
			return nil
		}
		sh := w.shape(core.Value)
		if sh.stub != "" || !slices.Equal(sh.kinds(), []string{"object"}) || len(sh.groups) > 0 {
			return nil
		}
		next := map[string][]*Value{}
		for n := range sh.required {
			before, ok := names[n]
			p := sh.props[n]
			if i > 0 && !ok || p == nil || p.Value == nil {
				continue
			}
			inner, ann := w.unwrap(p)
			if inner.Value == nil || ann.null {
				continue
			}
			values := w.shape(inner.Value).enum
			if len(values) == 0 || len(values) > enumShown ||
				slices.ContainsFunc(values, func(v *Value) bool { return slices.ContainsFunc(before, v.equal) }) {
				continue
			}
			next[n] = slices.Concat(before, values)
		}
		if names = next; len(names) == 0 {
			return nil
		}
	}
	for _, n := range []string{"type", "kind"} {
		if names[n] != nil {
			return &openapi3.Discriminator{PropertyName: n}
		}
	}
	return &openapi3.Discriminator{PropertyName: slices.Min(slices.Collect(maps.Keys(names)))}
}

func (w *walker) variants(sh *shape, options openapi3.SchemaRefs, disc *openapi3.Discriminator) *layout {
	pn := disc.PropertyName
	if pn == "" || len(options) == 0 {
		return nil
	}
	l := &layout{disc: &prop{name: pn, ref: sh.props[pn], required: true}}
	for _, o := range options {
		core, _ := w.unwrap(o)
		if core.Value == nil || !w.spend() {
			return nil
		}
		v := variant{ref: o, shape: w.shape(core.Value)}
		if inner := w.inner(v.shape, o.Ref, disc); inner != nil {
			for _, iv := range inner {
				iv.own = nil
				l.variants = append(l.variants, iv)
			}
			continue
		}
		if v.shape.stub == "" && !slices.Equal(v.shape.kinds(), []string{"object"}) && !nested(v.shape, disc) {
			return nil
		}
		if v.shape.stub != "" && !mapped(o.Ref, disc) {
			return nil // its value is in what is not there
		}
		v.values = w.discriminates(v.shape, o.Ref, disc)
		if len(v.values) == 0 {
			return nil
		}
		l.variants = append(l.variants, v)
	}
	slices.SortStableFunc(l.variants, func(a, b variant) int {
		return strings.Compare(a.values[0].Line(), b.values[0].Line())
	})

	// A member is common if every variant has it alike. What the base itself
	// has is common too.
	type seen struct {
		prop
		n    int
		same bool
	}
	all := map[string]*seen{}
	lists := make([][]prop, len(l.variants))
	expanded := 0
	for i := range l.variants {
		v := &l.variants[i]
		l.disc.required = l.disc.required && (v.shape.required[pn] || sh.required[pn])
		if v.shape.stub != "" {
			continue // says nothing of its optional members
		}
		expanded++
		lists[i] = w.members(v.shape)
		for _, p := range lists[i] {
			if s := all[p.name]; s == nil {
				all[p.name] = &seen{p, 1, true}
			} else {
				s.n++
				s.same = s.same && s.required == p.required && sameRef(s.ref, p.ref)
			}
		}
	}
	base := map[string]prop{}
	for _, p := range w.members(sh) {
		base[p.name] = p
	}
	for n, s := range all {
		if b, ok := base[n]; ok {
			// Required in all variants is required, whatever the base says.
			if b.required || s.same && s.n == len(l.variants) && sameRef(b.ref, s.ref) {
				base[n] = prop{n, b.ref, b.required || s.required}
			}
			continue
		}
		if s.same && s.n == expanded && expanded > 1 {
			base[n] = s.prop
		}
	}
	delete(base, pn)
	l.common = slices.SortedFunc(maps.Values(base), byOrder)
	for i := range l.variants {
		for _, p := range lists[i] {
			b, ok := base[p.name]
			if p.name == pn || ok && (b.required || !p.required) && sameRef(b.ref, p.ref) {
				continue
			}
			l.variants[i].own = append(l.variants[i].own, p)
		}
	}
	return l
}

// mapped reports whether the discriminator's mapping names an option.
func mapped(ref string, disc *openapi3.Discriminator) bool {
	for _, m := range disc.Mapping {
		if ref != "" && mappedTo(m.Ref) == ref {
			return true
		}
	}
	return false
}

// inner returns the variants of an option that is only a choice among variants
// told apart by the same member, so that they can stand beside the others.
func (w *walker) inner(sh *shape, ref string, disc *openapi3.Discriminator) []variant {
	if len(sh.props) > 0 || len(sh.required) > 0 || len(sh.groups) != 1 || w.depth > maxAlias {
		return nil
	}
	if mapped(ref, disc) {
		return nil
	}
	w.depth++
	defer func() { w.depth-- }()
	if l := w.layout(sh); l.disc != nil && l.disc.name == disc.PropertyName {
		return l.variants
	}
	return nil
}

// nested reports whether sh is itself told apart by the same member.
func nested(sh *shape, disc *openapi3.Discriminator) bool {
	return len(sh.kinds()) == 0 && slices.ContainsFunc(sh.groups, func(g group) bool {
		return g.disc != nil && g.disc.PropertyName == disc.PropertyName
	})
}

// discriminates returns the values of the discriminator that stand for an
// option: those the mapping gives, else the constants its own schema allows,
// else the name of the component.
func (w *walker) discriminates(sh *shape, ref string, disc *openapi3.Discriminator) []*Value {
	var out []*Value
	for _, k := range slices.Sorted(maps.Keys(disc.Mapping)) {
		if ref != "" && mappedTo(disc.Mapping[k].Ref) == ref {
			out = append(out, &Value{k})
		}
	}
	if p := sh.props[disc.PropertyName]; p != nil && p.Value != nil {
		if core, _ := w.unwrap(p); core.Value != nil {
			allowed := w.shape(core.Value)
			for i, v := range out { // the mapping's keys are text, whatever the type is
				if allowed.is("integer") || allowed.is("number") || allowed.is("boolean") {
					for _, a := range allowed.enum {
						if a.Text() == v.Text() {
							out[i] = a
						}
					}
				}
			}
			if len(out) == 0 && len(allowed.enum) <= 12 {
				out = append(out, allowed.enum...)
			}
		}
	}
	if len(out) == 0 && ref != "" {
		out = append(out, &Value{component(ref)})
	}
	slices.SortFunc(out, func(a, b *Value) int { return strings.Compare(a.Line(), b.Line()) })
	return out
}

// mappedTo returns the reference that a mapping's value is: it may be a
// component's bare name.
func mappedTo(ref string) string {
	if ref != "" && !strings.ContainsAny(ref, "/#.") {
		return "#/components/schemas/" + ref
	}
	return ref
}

// sameRef reports whether two members have the same schema.
func sameRef(a, b *openapi3.SchemaRef) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Value == b.Value || a.Ref != "" && a.Ref == b.Ref && a.Value != nil && b.Value != nil && a.Value.Description == b.Value.Description {
		return true
	}
	return a.Ref == "" && b.Ref == "" && a.Value != nil && b.Value != nil &&
		a.Value.Description == b.Value.Description && sameSmall(a.Value, b.Value)
}

// sameSmall compares schemas without members or parts by what they say.
func sameSmall(a, b *openapi3.Schema) bool {
	small := func(s *openapi3.Schema) bool {
		return len(s.Properties)+len(s.PatternProperties)+len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) == 0 && !ruled(s) && s.DynamicRef == "" &&
			s.AdditionalProperties.Schema == nil && len(s.PrefixItems) == 0 && len(s.DependentRequired) == 0 && s.Extensions[StubKey] == nil
	}
	if !small(a) || !small(b) {
		return false
	}
	x, y := own(a), own(b)
	if a.ReadOnly != b.ReadOnly || a.WriteOnly != b.WriteOnly || a.Deprecated != b.Deprecated ||
		!ValueOf(a.Default).equal(ValueOf(b.Default)) || (a.Items == nil) != (b.Items == nil) ||
		a.Items != nil && !sameRef(a.Items, b.Items) {
		return false
	}
	return slices.Equal(x.types, y.types) && x.null == y.null && x.format == y.format && x.media == y.media &&
		slices.EqualFunc(x.enum, y.enum, (*Value).equal) && x.lo == y.lo && x.hi == y.hi &&
		slices.Equal(x.steps, y.steps) && slices.Equal(x.patterns, y.patterns) &&
		x.len == y.len && x.size == y.size && x.count == y.count && x.unique == y.unique &&
		x.closed == y.closed && x.open == y.open && len(a.Required)+len(b.Required) == 0
}
