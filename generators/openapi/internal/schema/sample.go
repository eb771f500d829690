package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Origin says where a sample came from.
type Origin int

const (
	// Made from the schema, perhaps with parts that the document gives.
	Made Origin = iota
	// FromDocument: an example of the document, as it is.
	FromDocument
)

// SampleOptions shape what Sample returns. Nil and the zero value mean an
// example of the document as it is, or else a made value with the required
// members only.
type SampleOptions struct {
	// Full asks for all members: an example of the document is completed.
	// Optional members that are not expanded are left out: what stands for them
	// could not be told from a value.
	Full bool

	// Minimal asks for required members only: an example of the document is
	// reduced to them.
	Minimal bool

	// NonEmpty asks for one optional member where a minimal object would be
	// empty, for a body like that of a PATCH, in which {} says nothing.
	NonEmpty bool

	// Form: the value is sent as a form, in which an empty object is nothing: no
	// member is empty.
	Form bool

	// Name is the name of the value: made strings are made of it.
	Name string

	// Variant is the discriminator value (Variant.Value) of the shape to make;
	// "" is the first.
	Variant string

	// Items is the number of items of the value itself if it is an array; 0 is
	// one, or minItems.
	Items int

	// Seed is an object whose members are used, where they are valid, for those
	// of the same name: the document's example of a smaller shape.
	Seed *Value

	// Schemas are the document's components, as in Options.
	Schemas openapi3.Schemas
}

// An Example is a sample value and what is to be said about it.
type Example struct {
	Value  *Value
	Origin Origin
	// Name is the name of the document's example in "examples", or "".
	Name string
	// Valid: the value was checked against the schema, in its direction, and
	// nothing was found wrong. Unsure: not all could be checked, because of a
	// schema that is not expanded or a pattern that Go cannot read.
	Valid  bool
	Unsure bool
	// Omitted: optional members of a Full value were left out, since their
	// schemas are not expanded.
	Omitted bool
	// ReadOnly are the names of the readOnly members that an example of the
	// document for a request has and keeps, since without them it would not be
	// valid or would say nothing: its author sends them.
	ReadOnly []string
	// Faults are what was found wrong, each in one line: examples of the
	// document that were not used, patterns that could not be matched.
	Faults []Fault
}

// A Fault is something of the document that could not be used.
type Fault struct {
	// Rule is a short id: "example-invalid", "pattern-unsupported",
	// "sample-invalid".
	Rule string
	// Where names the place inside the schema, as member names joined by ".",
	// or "" for the schema itself.
	Where string
	// Message is one safe line.
	Message string
}

// A candidate is an example that the document gives.
type candidate struct {
	name  string
	value *Value
}

// Sample returns a value of the schema, in the direction d: the schema's own
// example if that is valid, else one made from it. It never returns nil; a
// schema that no value satisfies gives an Example that is not Valid.
func Sample(s *openapi3.SchemaRef, d Direction, opts *SampleOptions) *Example {
	return sample(s, d, opts, nil)
}

// MediaTypeSample returns a value of a request or response body: the media
// type's example, or the first valid one of its examples by name, else what
// Sample returns for its schema.
func MediaTypeSample(mt *openapi3.MediaType, d Direction, opts *SampleOptions) *Example {
	if mt == nil {
		return &Example{Value: &Value{}, Valid: true}
	}
	ref := mt.Schema
	if ref == nil { // OpenAPI 3.2: one item of a stream
		ref = mt.ItemSchema
	}
	return sample(ref, d, opts, candidates(mt.Example, mt.Examples))
}

// ParameterSample returns a value of a parameter: the parameter's example or
// examples, else what Sample returns for its schema. Parameters are sent in
// requests, so this is not for the headers of an answer.
func ParameterSample(p *openapi3.Parameter, opts *SampleOptions) *Example {
	o := SampleOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Name == "" {
		o.Name = p.Name
	}
	ref, given := p.Schema, candidates(p.Example, p.Examples)
	if _, m := parameterContent(p); m != nil {
		ref = m.Schema
		given = append(given, candidates(m.Example, m.Examples)...)
	}
	return sample(ref, Request, &o, given)
}

func candidates(example any, examples openapi3.Examples) (out []candidate) {
	if example != nil {
		out = append(out, candidate{"", ValueOf(example)})
	}
	for _, n := range slices.Sorted(maps.Keys(examples)) {
		if e := examples[n]; e != nil && e.Value != nil && e.Value.Value != nil {
			out = append(out, candidate{n, ValueOf(e.Value.Value)})
		}
	}
	return out
}

func sample(ref *openapi3.SchemaRef, d Direction, opts *SampleOptions, given []candidate) *Example {
	if opts == nil {
		opts = &SampleOptions{}
	}
	m := &maker{
		walker:  newWalker(d, opts.Schemas),
		full:    opts.Full,
		variant: opts.Variant,
		items:   opts.Items,
		some:    opts.NonEmpty,
		form:    opts.Form,
		left:    maxValues,
	}
	e := &Example{Value: &Value{}}
	if ref == nil || ref.Value == nil { // nothing is known: what is given is right
		e.Valid = true
		if len(given) > 0 {
			e.Value, e.Name, e.Origin = given[0].value, given[0].name, FromDocument
		}
		return e
	}
	_, ann := m.unwrap(ref)
	for _, x := range ann.examples {
		given = append(given, candidate{"", ValueOf(x)})
	}
	for _, c := range given {
		v, reason := m.accept(ref, c.value)
		var kept []string
		if d == Request && (reason != "" || emptied(c.value, v, 0)) {
			if whole, names := m.asGiven(ref, c.value, v); whole != nil {
				v, kept, reason = whole, names, ""
			}
		}
		if reason != "" {
			m.fault("example-invalid", "an example of the document was not used: "+reason)
			continue
		}
		if !m.suits(ref, v) {
			continue
		}
		if opts.Full || opts.Minimal {
			made := m.value(ref, use{name: opts.Name, seed: v})
			if made != nil && !made.equal(v) {
				if r, _ := m.check(ref, made); r == "" {
					e.Value, e.Valid = made, true
					break
				}
			}
		}
		e.Value, e.Valid, e.Origin, e.Name, e.ReadOnly = v, true, FromDocument, c.name, kept
		break
	}
	if !e.Valid {
		e.Value, e.Valid = m.best(ref, opts)
	}
	if e.Valid {
		m.twoWay = len(e.ReadOnly) > 0
		_, sure := m.check(ref, e.Value)
		e.Unsure = !sure
	}
	e.Faults, e.Omitted = m.faults, m.omitted
	return e
}

// accept returns an example of the document in the order of the notation, less
// what does not exist in this direction, or says why it cannot be used.
func (m *maker) accept(ref *openapi3.SchemaRef, v *Value) (*Value, string) {
	w := m.arrange(ref, v, 0)
	reason, _ := m.check(ref, w)
	if text, ok := v.get().(string); ok && reason != "" {
		// A common slip: the JSON of the example as a string.
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		var x any
		if dec.Decode(&x) == nil && !dec.More() {
			w := m.arrange(ref, ValueOf(x), 0)
			if r, _ := m.check(ref, w); r == "" && (w.IsObject() || w.IsArray()) {
				return w, ""
			}
		}
	}
	return w, reason
}

// suits reports whether v is of the variant that is asked for.
func (m *maker) suits(ref *openapi3.SchemaRef, v *Value) bool {
	if m.variant == "" {
		return true
	}
	core, _ := m.unwrap(ref)
	lay := m.layout(m.shape(core.Value))
	if lay.disc == nil {
		return true
	}
	d := v.Get(lay.disc.name)
	return d != nil && d.Text() == m.variant
}

// best makes a value, and where that is not valid, tries whether more or fewer
// members help.
func (m *maker) best(ref *openapi3.SchemaRef, opts *SampleOptions) (*Value, bool) {
	u := use{name: opts.Name, seed: opts.Seed}
	var first *Value
	var why string
	for _, full := range []bool{opts.Full, !opts.Full} {
		m.full = full
		v := m.value(ref, u)
		if v == nil {
			if why == "" {
				why = "no value can be made"
			}
			continue
		}
		reason, _ := m.check(ref, v)
		if reason == "" {
			return v, true
		}
		if first == nil {
			first, why = v, reason
		}
		u.seed = nil
	}
	m.fault("sample-invalid", "no sample fits the schema: "+why)
	if first == nil {
		first = &Value{}
	}
	return first, false
}

// arrange puts the members of v into the order of the notation and leaves out
// those that do not exist in this direction.
func (w *walker) arrange(ref *openapi3.SchemaRef, v *Value, depth int) *Value {
	if ref == nil || ref.Value == nil || depth > maxNested || !v.IsObject() && !v.IsArray() || !w.spend() {
		return v
	}
	core, _ := w.unwrap(ref)
	if core.Value == nil {
		return v
	}
	sh := w.shape(core.Value)
	if v.IsArray() {
		items := v.Items()
		out := make([]*Value, len(items))
		for i, item := range items {
			ref := sh.items
			if i < len(sh.prefix) {
				ref = sh.prefix[i]
			}
			out[i] = w.arrange(ref, item, depth+1)
		}
		return &Value{out}
	}
	lay := w.layout(sh)
	order := lay.common
	gone := func(sh *shape, name string) bool {
		p := sh.props[name]
		if p == nil {
			return false
		}
		_, ann := w.unwrap(p)
		return ann.hidden(w.dir) && !w.twoWay
	}
	var chosen *variant
	if lay.disc != nil {
		chosen = lay.choose(v.Get(lay.disc.name).Text())
		order = append([]prop{*lay.disc}, order...)
		if chosen != nil {
			order = append(slices.Clip(order), chosen.own...)
		}
	} else if len(order) == 0 && len(sh.groups) == 1 {
		// The option that it is says the order.
		for _, o := range sh.groups[0].options {
			if r, _ := w.check(o, v); r == "" {
				return w.arrange(o, v, depth+1)
			}
		}
	}
	out := make([]Member, 0, len(v.Members()))
	done := map[string]bool{}
	for _, p := range order {
		if x := v.Get(p.name); x != nil && !done[p.name] {
			out = append(out, Member{p.name, w.arrange(p.ref, x, depth+1)})
			done[p.name] = true
		}
	}
	for _, m := range v.Members() {
		if done[m.Name] || gone(sh, m.Name) || chosen != nil && gone(chosen.shape, m.Name) {
			continue
		}
		out = append(out, Member{m.Name, w.arrange(sh.other, m.Value, depth+1)})
	}
	return &Value{out}
}

// choose returns the variant of a discriminator value, or nil.
func (l *layout) choose(value string) *variant {
	for i, v := range l.variants {
		for _, x := range v.values {
			if x.Text() == value {
				return &l.variants[i]
			}
		}
	}
	return nil
}
