package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// rules are the keywords of a schema that hold of a value as a whole, beside
// what its members or items are.
type rules struct {
	not      openapi3.SchemaRefs
	conds    []condition
	contains []contain
	names    *openapi3.SchemaRef            // propertyNames
	beside   map[string]*openapi3.SchemaRef // dependentSchemas
	content  *openapi3.SchemaRef            // contentSchema
	spare    *openapi3.SchemaRef            // unevaluatedItems, where that is more than items
}

// A condition is an if with then, else or both.
type condition struct{ test, then, other *openapi3.SchemaRef }

// A contain is how many items of an array have a schema.
type contain struct {
	ref   *openapi3.SchemaRef
	count span
}

// textual reports whether a media type is of text, so that a string holds it as
// it is.
func textual(media string) bool {
	base, _, _ := strings.Cut(strings.ToLower(media), ";")
	return strings.HasPrefix(base, "text/") || strings.HasSuffix(base, "json") || strings.HasSuffix(base, "xml") ||
		strings.HasSuffix(base, "yaml") || base == "application/javascript" || base == "application/sql" || base == "application/jwt"
}

// ruled reports whether a schema has rules.
func ruled(s *openapi3.Schema) bool {
	r := rulesOf(s)
	return !r.empty() || s.UnevaluatedItems.Has != nil || s.UnevaluatedItems.Schema != nil || s.UnevaluatedProperties.Schema != nil
}

func (r *rules) empty() bool {
	return len(r.not)+len(r.conds)+len(r.contains)+len(r.beside) == 0 && r.names == nil && r.content == nil && r.spare == nil
}

func rulesOf(s *openapi3.Schema) (r rules) {
	if s.Not != nil && s.Not.Value != nil && !nothing(s) {
		r.not = openapi3.SchemaRefs{s.Not}
	}
	if s.If != nil && s.If.Value != nil && (s.Then != nil || s.Else != nil) {
		r.conds = []condition{{s.If, s.Then, s.Else}}
	}
	if s.Contains != nil && s.Contains.Value != nil {
		c := contain{s.Contains, span{min: 1, max: -1}}
		if s.MinContains != nil {
			c.count.min = clampLength(*s.MinContains)
		}
		if s.MaxContains != nil {
			c.count.max = clampLength(*s.MaxContains)
		}
		if c.count != (span{max: -1}) {
			r.contains = []contain{c}
		}
	}
	if s.PropertyNames != nil && s.PropertyNames.Value != nil {
		r.names = s.PropertyNames
	}
	if len(s.DependentSchemas) > 0 {
		r.beside = map[string]*openapi3.SchemaRef(s.DependentSchemas)
	}
	if s.ContentSchema != nil && s.ContentMediaType != "" {
		r.content = s.ContentSchema
	}
	return r
}

// nothing reports whether a schema is another spelling of false.
func nothing(s *openapi3.Schema) bool {
	if s.Not == nil || s.Not.Value == nil {
		return s.Always != nil && !*s.Always
	}
	n := s.Not.Value
	return n.Always != nil && *n.Always || n.Always == nil && annotates(n)
}

func (w *walker) meetRules(a, b *rules) rules {
	r := *a
	r.not = union(a.not, b.not)
	r.conds = union(a.conds, b.conds)
	r.contains = union(a.contains, b.contains)
	r.names = w.both(a.names, b.names)
	r.content = w.both(a.content, b.content)
	r.spare = w.both(a.spare, b.spare)
	if len(b.beside) > 0 {
		r.beside = maps.Clone(b.beside)
		for n, ref := range a.beside {
			r.beside[n] = w.both(ref, b.beside[n])
		}
	}
	return r
}

// never is the schema of no value.
var never = func() *openapi3.SchemaRef {
	no := false
	return &openapi3.SchemaRef{Value: &openapi3.Schema{Always: &no}}
}()

// unevaluated adds to the merged shape of s what its unevaluated keywords say:
// they see the members and items of all its parts.
func (w *walker) unevaluated(sh *shape, s *openapi3.Schema) {
	switch p := s.UnevaluatedProperties; {
	case sh.other != nil || sh.open || sh.closed:
	case p.Schema != nil:
		sh.other = p.Schema
	case p.Has != nil:
		sh.sealed, sh.open = !*p.Has, *p.Has
	}
	ref := s.UnevaluatedItems.Schema
	if has := s.UnevaluatedItems.Has; has != nil && !*has {
		ref = never
	}
	switch {
	case ref == nil || sh.items != nil:
	case len(sh.groups)+len(sh.contains)+len(sh.conds) > 0:
		sh.spare = ref
	default:
		sh.items = ref
	}
}

// shut reports whether members that sh does not name are excluded.
func (sh *shape) shut() bool { return sh.closed || sh.sealed }

// closes reports whether a member that sh does not name cannot be there.
func (w *walker) closes(sh *shape, member string) bool {
	if sh.sealed && !sh.closed && len(sh.groups)+len(sh.conds)+len(sh.beside) > 0 {
		return false // one of its parts may name it
	}
	if !sh.shut() {
		return false
	}
	for p := range sh.matching {
		if re, err := w.compile(p); err != nil || re.MatchString(member) {
			return false
		}
	}
	return true
}

// conflict notes the parts of a schema that exclude each other: they are shown
// as they are.
func (w *walker) conflict(sh *shape, s *openapi3.Schema) {
	if !sh.against {
		return
	}
	sh.against = false
	if len(s.AllOf) == 0 {
		return
	}
	rest := *s
	rest.AllOf, rest.Description, rest.Title = nil, "", ""
	if rest.Type != nil || constrains(&rest) || len(rest.OneOf)+len(rest.AnyOf) > 0 {
		sh.parts = append(sh.parts, &openapi3.SchemaRef{Value: &rest})
	}
	sh.parts = append(sh.parts, s.AllOf...)
}

// allowed takes from the enumerated values those that a not excludes.
func (w *walker) allowed(sh *shape) {
	if len(sh.enum) == 0 || len(sh.not) == 0 {
		return
	}
	var left []*Value
	for _, v := range sh.enum {
		if !slices.ContainsFunc(sh.not, func(n *openapi3.SchemaRef) bool { r, _ := w.check(n, v); return r == "" }) {
			left = append(left, v)
		}
	}
	if len(left) > 0 {
		sh.enum, sh.not = left, nil
	}
}

// owned returns the discriminator of a base schema with a mapping to all its
// subtypes: those that it maps, else the components that name it in their allOf,
// by their names or by the values that they allow. It returns nil where a value
// would be left without its subtype.
func (w *walker) owned(sh *shape) *openapi3.Discriminator {
	d := sh.owner
	if d == nil || len(d.Mapping) > 0 {
		return d
	}
	mapping := map[string]openapi3.MappingRef{}
	known := w.constantsOf(sh, d.PropertyName)
	for _, n := range w.subtypes(sh.base) {
		values := []*Value{{n}}
		if allowed := w.constantsOf(w.shape(w.comps[n].Value), d.PropertyName); len(allowed) > 0 && !slices.ContainsFunc(allowed, values[0].equal) {
			if len(allowed) == len(known) {
				return nil // the base's: which of them is not said
			}
			values = allowed
		}
		for _, v := range values {
			if _, taken := mapping[v.Text()]; taken {
				return nil
			}
			mapping[v.Text()] = openapi3.MappingRef{Ref: "#/components/schemas/" + strings.ReplaceAll(strings.ReplaceAll(n, "~", "~0"), "/", "~1")}
		}
	}
	for _, v := range known {
		if _, ok := mapping[v.Text()]; !ok {
			return nil
		}
	}
	if len(mapping) == 0 {
		return nil
	}
	c := *d
	c.Mapping = mapping
	return &c
}

// constantsOf returns the values that a member is restricted to.
func (w *walker) constantsOf(sh *shape, member string) []*Value {
	p := sh.props[member]
	if p == nil || p.Value == nil {
		return nil
	}
	if core, _ := w.unwrap(p); core.Value != nil {
		return w.shape(core.Value).enum
	}
	return nil
}

// subtypes returns the components derived from a schema, nearest first.
func (w *walker) subtypes(s *openapi3.Schema) (names []string) {
	if w.bases == nil {
		w.bases = map[*openapi3.Schema][]string{}
		for _, n := range slices.Sorted(maps.Keys(w.comps)) {
			c := w.comps[n]
			if c == nil || c.Value == nil {
				continue
			}
			for _, p := range c.Value.AllOf {
				base := p.Value
				if b := w.comps[component(p.Ref)]; b != nil && p.Ref != "" {
					base = b.Value
				}
				if of := w.bases[base]; !slices.Contains(of, n) {
					w.bases[base] = append(of, n)
				}
			}
		}
	}
	// A reference with siblings has a copy of it.
	for _, n := range slices.Sorted(maps.Keys(w.comps)) {
		if c := w.comps[n]; c != nil && c.Value != nil && c.Ref == "" && c.Value.Discriminator == s.Discriminator {
			s = c.Value
			break
		}
	}
	seen := map[*openapi3.Schema]bool{s: true}
	for queue := []*openapi3.Schema{s}; len(queue) > 0 && w.spend(); queue = queue[1:] {
		for _, n := range w.bases[queue[0]] {
			if c := w.comps[n].Value; !seen[c] {
				seen[c] = true
				names, queue = append(names, n), append(queue, c)
			}
		}
	}
	return names
}
