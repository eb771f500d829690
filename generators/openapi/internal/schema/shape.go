package schema

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// StubKey is the extension that stands, with its type and required, in the
// place of a schema that did not fit its document's budget. Its value names
// the schema.
const StubKey = "x-apiskills-stub"

// OmittedKey is the extension of a schema that says how many values of its enum
// were left out.
const OmittedKey = "x-apiskills-enum-omitted"

const (
	maxSteps = 20000 // schemas looked at in one call
	maxAllOf = 64    // levels of allOf that are merged
	maxAlias = 16    // wrappers around one schema that are looked through
)

// A walker reads the schemas of one document for one call, within a budget.
type walker struct {
	dir    Direction
	twoWay bool // a value may have what does not exist in dir
	comps  openapi3.Schemas
	steps  int
	checks int // left for check
	shapes map[*openapi3.Schema]*shape
	pairs  map[[2]*openapi3.Schema]*openapi3.SchemaRef
	depth  int

	regexps map[string]compiled
	owns    map[*openapi3.Schema]*shape
	bases   map[*openapi3.Schema][]string // components that name a schema in allOf
}

func newWalker(d Direction, comps openapi3.Schemas) *walker {
	return &walker{
		dir:     d,
		comps:   comps,
		steps:   maxSteps,
		checks:  maxAllChecks,
		shapes:  map[*openapi3.Schema]*shape{},
		pairs:   map[[2]*openapi3.Schema]*openapi3.SchemaRef{},
		regexps: map[string]compiled{},
		owns:    map[*openapi3.Schema]*shape{},
	}
}

// spend takes one step of the budget.
func (w *walker) spend() bool {
	w.steps--
	return w.steps >= 0
}

// A shape is a schema with its allOf merged in: what must hold of a value at
// one level. Everything below that level stays a reference.
type shape struct {
	stub     string
	always   *bool
	types    []string // without "null"; nil is any
	null     bool     // null is allowed besides types
	format   string
	media    string // contentMediaType
	encoded  bool   // media is that of a text, or of bytes written as text
	enum     []*Value
	omitted  int // values of enum that the document has and enum has not
	lo, hi   bound
	steps    []float64
	len      span
	patterns []string
	size     span // of arrays
	count    span // of objects
	unique   bool
	items    *openapi3.SchemaRef
	prefix   openapi3.SchemaRefs
	props    map[string]*openapi3.SchemaRef
	required map[string]bool
	closed   bool
	matching map[string]*openapi3.SchemaRef // patternProperties
	other    *openapi3.SchemaRef            // additionalProperties, if it is a schema
	open     bool                           // additionalProperties: true, said explicitly
	depend   map[string][]string            // dependentRequired
	sealed   bool                           // no members but those that any of its parts names
	groups   []group
	rules
	parts   openapi3.SchemaRefs     // of an allOf that contradicts itself
	says    map[string]string       // of values of enum, by their JSON
	owner   *openapi3.Discriminator // of a base with subtypes
	base    *openapi3.Schema        // which owner belongs to
	against bool                    // its parts exclude each other
	unshown []string
}

// A group is a oneOf or anyOf: one or more of its options hold as well. All of
// them do where it is an allOf that could not be merged.
type group struct {
	any     bool
	all     bool
	options openapi3.SchemaRefs
	disc    *openapi3.Discriminator
}

type bound struct {
	set, exclusive bool
	value          float64
}

// A span is a range of lengths; max is not set where it is negative.
type span struct{ min, max int64 }

func spanOf(lo uint64, hi *uint64) span {
	s := span{min: clampLength(lo), max: -1}
	if hi != nil {
		s.max = clampLength(*hi)
	}
	return s
}

func clampLength(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

func (s span) meet(t span) span {
	s.min = max(s.min, t.min)
	if s.max < 0 || t.max >= 0 && t.max < s.max {
		s.max = t.max
	}
	return s
}

// shape returns the shape of a resolved schema. It is shared: never change it.
func (w *walker) shape(s *openapi3.Schema) *shape {
	if sh, ok := w.shapes[s]; ok {
		if sh == nil { // s is a part of itself: it adds nothing more
			return &shape{len: span{max: -1}, size: span{max: -1}, count: span{max: -1}}
		}
		return sh
	}
	w.shapes[s] = nil
	w.depth++
	defer func() { w.depth-- }()

	sh := own(s)
	sh.says = w.says(s)
	explicitNull := sh.null
	partsNull := len(s.AllOf) > 0 && len(s.Type.Slice()) == 0
	if w.depth > maxAllOf || !w.spend() {
		sh.unshown = append(sh.unshown, "allOf")
	} else {
		for _, p := range s.AllOf {
			if p.Value == nil {
				continue
			}
			part := w.shape(p.Value)
			if !annotates(p.Value) {
				partsNull = partsNull && (part.null || len(part.types)+len(part.enum) == 0)
			}
			sh = w.meet(sh, part)
		}
		// A group of one option is that option.
		groups := sh.groups
		sh.groups = nil
		for _, g := range groups {
			if len(g.options) == 1 && g.disc == nil && g.options[0].Value != nil {
				sh = w.meet(sh, w.shape(g.options[0].Value))
				continue
			}
			// A subtype repeats, through its base, the group it is an option of.
			if slices.ContainsFunc(g.options, func(o *openapi3.SchemaRef) bool {
				core, _ := w.unwrap(o)
				return core.Value == s
			}) {
				continue
			}
			sh.groups = append(sh.groups, g)
		}
	}
	sh.null = (explicitNull || partsNull || s.Nullable) && !onlyNull(s)
	sh.owner, sh.base = nil, nil // a subtype does not inherit it
	if d := s.Discriminator; d != nil && len(s.OneOf)+len(s.AnyOf) == 0 && (len(d.Mapping) > 0 || len(w.subtypes(s)) > 0) {
		sh.owner, sh.base = d, s
	}
	w.unevaluated(sh, s)
	w.conflict(sh, s)
	w.allowed(sh)
	w.shapes[s] = sh
	return sh
}

// own is the shape of a schema's own keywords.
func own(s *openapi3.Schema) *shape {
	sh := &shape{
		always: s.Always,
		format: s.Format,
		len:    spanOf(s.MinLength, s.MaxLength),
		size:   spanOf(s.MinItems, s.MaxItems),
		count:  spanOf(s.MinProps, s.MaxProps),
		unique: s.UniqueItems,
		items:  s.Items,
		prefix: s.PrefixItems,
		null:   s.Nullable,
		depend: s.DependentRequired,
	}
	if nothing(s) {
		sh.always = never.Value.Always
	}
	if v, ok := s.Extensions[StubKey]; ok {
		sh.stub, _ = v.(string)
		if sh.stub == "" {
			sh.stub = "schema"
		}
	}
	for _, t := range s.Type.Slice() {
		if t == "null" {
			sh.null = true
		} else if !slices.Contains(sh.types, t) {
			sh.types = append(sh.types, t)
		}
	}
	if s.Type.Is("null") {
		sh.null, sh.enum = false, []*Value{{}}
		return sh
	}
	if sh.format == "" {
		sh.format = s.ContentEncoding
	}
	sh.media = s.ContentMediaType
	sh.encoded = s.ContentEncoding != "" || s.ContentMediaType != "" && s.Type.Is("string") && textual(s.ContentMediaType)
	switch {
	case s.Const != nil:
		sh.enum = []*Value{ValueOf(s.Const)}
	case len(s.Enum) > 0:
		sh.enum = make([]*Value, 0, len(s.Enum))
		for _, e := range s.Enum {
			v := ValueOf(e)
			if v.IsNull() {
				sh.null = true
			} else if !slices.ContainsFunc(sh.enum, v.equal) {
				sh.enum = append(sh.enum, v)
			}
		}
		if n, ok := s.Extensions[OmittedKey].(float64); ok && n >= 1 && n < 1<<31 {
			sh.omitted = int(n)
		}
	}
	if s.Min != nil {
		sh.lo = bound{set: true, value: *s.Min, exclusive: s.ExclusiveMin.IsTrue()}
	}
	if s.Max != nil {
		sh.hi = bound{set: true, value: *s.Max, exclusive: s.ExclusiveMax.IsTrue()}
	}
	if v := s.ExclusiveMin.Value; v != nil {
		sh.lo = higher(sh.lo, bound{true, true, *v})
	}
	if v := s.ExclusiveMax.Value; v != nil {
		sh.hi = lower(sh.hi, bound{true, true, *v})
	}
	if s.MultipleOf != nil {
		sh.steps = []float64{*s.MultipleOf}
	}
	if s.Pattern != "" {
		sh.patterns = []string{s.Pattern}
	}
	if len(s.Properties) > 0 {
		sh.props = map[string]*openapi3.SchemaRef(s.Properties)
	}
	if len(s.PatternProperties) > 0 {
		sh.matching = map[string]*openapi3.SchemaRef(s.PatternProperties)
	}
	if len(s.Required) > 0 {
		sh.required = make(map[string]bool, len(s.Required))
		for _, r := range s.Required {
			sh.required[r] = true
		}
	}
	has := s.AdditionalProperties.Has
	switch {
	case s.AdditionalProperties.Schema != nil:
		sh.other = s.AdditionalProperties.Schema
	case has != nil:
		sh.closed, sh.open = !*has, *has
	}
	for i, options := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		g := group{any: i == 1, disc: s.Discriminator}
		for _, o := range options {
			if o.Value != nil && onlyNull(o.Value) {
				sh.null = true
				continue
			}
			g.options = append(g.options, o)
		}
		if len(g.options) > 0 {
			sh.groups = append(sh.groups, g)
		}
	}
	sh.rules = rulesOf(s)
	if s.DynamicRef != "" {
		sh.unshown = []string{"$dynamicRef"}
	}
	return sh
}

// meet returns the shape of the values that both a and b allow.
func (w *walker) meet(a, b *shape) *shape {
	m := *a
	if b.stub != "" && m.stub == "" {
		m.unshown = append(slices.Clip(m.unshown), StubKey)
	}
	if b.always != nil && !*b.always {
		m.always = b.always
	}
	switch {
	case len(a.types) == 0:
		m.types = b.types
	case len(b.types) > 0:
		m.types = meetTypes(a.types, b.types)
		if len(m.types) == 0 { // no value at all
			m.types = a.types
			m.against = true
		}
	}
	if m.format == "" {
		m.format = b.format
	}
	if m.media == "" {
		m.media, m.encoded = b.media, b.encoded
	}
	switch {
	case len(a.enum) == 0:
		m.enum, m.omitted = b.enum, b.omitted
	case len(b.enum) > 0:
		m.enum = nil
		for _, v := range a.enum {
			if slices.ContainsFunc(b.enum, v.equal) {
				m.enum = append(m.enum, v)
			}
		}
		if len(m.enum) == 0 {
			m.enum = a.enum
			m.against = true
		}
	}
	m.lo, m.hi = higher(a.lo, b.lo), lower(a.hi, b.hi)
	m.steps = union(a.steps, b.steps)
	m.patterns = union(a.patterns, b.patterns)
	m.unshown = union(m.unshown, b.unshown)
	m.len, m.size, m.count = a.len.meet(b.len), a.size.meet(b.size), a.count.meet(b.count)
	m.unique = a.unique || b.unique
	m.items = w.both(a.items, b.items)
	if len(m.prefix) == 0 {
		m.prefix = b.prefix
	}
	if len(b.required) > 0 {
		m.required = maps.Clone(b.required)
		maps.Copy(m.required, a.required)
	}
	if len(b.matching) > 0 {
		m.matching = maps.Clone(b.matching)
		for p, ref := range a.matching {
			m.matching[p] = w.both(ref, b.matching[p])
		}
	}
	m.other = w.both(a.other, b.other)
	m.closed, m.open = a.closed || b.shut(), a.open || b.open
	m.sealed = a.sealed || b.sealed
	m.rules = w.meetRules(&a.rules, &b.rules)
	m.against = m.against || b.against
	if len(b.says) > 0 {
		m.says = maps.Clone(b.says)
		maps.Copy(m.says, a.says)
	}
	if len(b.depend) > 0 && len(a.depend) > 0 {
		m.depend = maps.Clone(a.depend)
		for k, v := range b.depend {
			m.depend[k] = union(m.depend[k], v)
		}
	} else if len(b.depend) > 0 {
		m.depend = b.depend
	}
	for _, g := range b.groups {
		if !slices.ContainsFunc(a.groups, func(h group) bool { return slices.Equal(g.options, h.options) }) {
			m.groups = append(slices.Clip(m.groups), g)
		}
	}
	m.props, m.unshown = w.meetProps(a, b, m.required, m.unshown)
	return &m
}

// meetProps joins the members of both. One that a closed side does not name
// cannot be there: it is left out, unless it is required, in which case no
// value fits and the author meant something else.
func (w *walker) meetProps(a, b *shape, required map[string]bool, unshown []string) (map[string]*openapi3.SchemaRef, []string) {
	if len(b.props) == 0 && !b.shut() {
		return a.props, unshown
	}
	if len(a.props) == 0 && !a.closed {
		return b.props, unshown
	}
	out := make(map[string]*openapi3.SchemaRef, len(a.props)+len(b.props))
	add := func(from, to *shape) {
		for n, p := range from.props {
			q := to.props[n]
			if q == nil && w.closes(to, n) {
				if !required[n] {
					continue
				}
				unshown = union(unshown, []string{"additionalProperties"})
			}
			if _, ok := out[n]; !ok {
				out[n] = w.both(p, q)
			}
		}
	}
	open := *a
	open.sealed = false // what stands beside it is a part of it
	add(&open, b)
	add(b, &open)
	return out, unshown
}

// both returns a schema that holds where a and b do. The same two give the
// same schema each time, which keeps walks over cycles finite.
func (w *walker) both(a, b *openapi3.SchemaRef) *openapi3.SchemaRef {
	switch {
	case a == nil || a.Value == nil:
		return b
	case b == nil || b.Value == nil || a.Value == b.Value || sameSmall(a.Value, b.Value):
		return a
	}
	key := [2]*openapi3.Schema{a.Value, b.Value}
	ref, ok := w.pairs[key]
	if !ok {
		ref = &openapi3.SchemaRef{Value: &openapi3.Schema{AllOf: openapi3.SchemaRefs{a, b}}}
		w.pairs[key] = ref
	}
	return ref
}

func meetTypes(a, b []string) (out []string) {
	for _, t := range a {
		switch {
		case slices.Contains(b, t):
			out = append(out, t)
		case t == "number" && slices.Contains(b, "integer"):
			out = append(out, "integer")
		case t == "integer" && slices.Contains(b, "number"):
			out = append(out, t)
		}
	}
	return out
}

func higher(a, b bound) bound {
	if !a.set || b.set && (b.value > a.value || b.value == a.value && b.exclusive) {
		return b
	}
	return a
}

func lower(a, b bound) bound {
	if !a.set || b.set && (b.value < a.value || b.value == a.value && b.exclusive) {
		return b
	}
	return a
}

func union[T comparable](a, b []T) []T {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(slices.Clip(a), x)
		}
	}
	return a
}

// component returns the last segment of a reference: a component's name.
func component(ref string) string {
	if i := strings.LastIndexByte(ref, '/'); i >= 0 {
		ref = ref[i+1:]
	}
	if strings.IndexByte(ref, '~') < 0 {
		return ref
	}
	return strings.ReplaceAll(strings.ReplaceAll(ref, "~1", "/"), "~0", "~")
}

// A prop is a member at one level.
type prop struct {
	name     string
	ref      *openapi3.SchemaRef // nil where only its name is known
	required bool
}

// byOrder sorts required members first, then by name.
func byOrder(a, b prop) int {
	if a.required != b.required {
		if a.required {
			return -1
		}
		return 1
	}
	return strings.Compare(a.name, b.name)
}

// members returns the members of sh that exist in w's direction, in order.
func (w *walker) members(sh *shape) []prop {
	out := make([]prop, 0, len(sh.props))
	for n, ref := range sh.props {
		if _, ann := w.unwrap(ref); ann.hidden(w.dir) && !w.twoWay {
			continue
		}
		out = append(out, prop{n, ref, sh.required[n]})
	}
	for n := range sh.required {
		if _, ok := sh.props[n]; !ok {
			out = append(out, prop{n, nil, true})
		}
	}
	slices.SortFunc(out, byOrder)
	return out
}

// kinds returns the types of values that sh allows: those it states, else those
// its keywords are about, else nil.
func (sh *shape) kinds() []string {
	switch {
	case len(sh.types) > 0:
		return sh.types
	case len(sh.props) > 0, len(sh.matching) > 0, sh.closed, sh.open, sh.other != nil, sh.count != span{max: -1}, len(sh.required) > 0,
		sh.sealed, sh.names != nil, len(sh.depend) > 0, len(sh.beside) > 0:
		return []string{"object"}
	case sh.items != nil, len(sh.prefix) > 0, sh.size != span{max: -1}, sh.unique, len(sh.contains) > 0, sh.spare != nil:
		return []string{"array"}
	case len(sh.patterns) > 0, sh.len != span{max: -1}, sh.media != "":
		return []string{"string"}
	case sh.lo.set, sh.hi.set, len(sh.steps) > 0:
		return []string{"number"}
	case sh.format == "int32", sh.format == "int64":
		return []string{"integer"}
	case sh.format == "float", sh.format == "double":
		return []string{"number"}
	case sh.format != "":
		return []string{"string"}
	}
	return nil
}

func (sh *shape) is(kind string) bool { return slices.Contains(sh.kinds(), kind) }
