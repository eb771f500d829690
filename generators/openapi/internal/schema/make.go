package schema

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	maxValues  = 2000 // values made in one call
	fullLevels = 6    // levels down to which optional members are made
	makeLevels = 16   // levels down to which anything is made
	maxOptions = 8    // alternatives that are tried
	maxItems   = 100  // items of an array, if minItems asks for so many
	maxText    = 4096 // characters of a made string
)

// A maker makes sample values of the schemas of one document.
type maker struct {
	*walker
	full    bool
	variant string // of the schema itself
	items   int    // of the schema itself
	some    bool   // the schema itself, if an object, is not to be empty
	form    bool   // objects in it are not to be empty
	guesses int    // values made of what is not expanded
	omitted bool   // optional members of that kind were left out
	left    int
	active  []*openapi3.Schema // being made, outermost first
	path    []string
	faults  []Fault
}

// use is how a value is used in its place.
type use struct {
	name     string
	nth      int    // which one of several that should differ
	seed     *Value // what the document gives for it, or nil
	optional bool   // it may be left out
}

func (m *maker) fault(rule, msg string) {
	f := Fault{Rule: rule, Where: strings.Join(m.path, "."), Message: capWords(oneLine(msg), 2*maxComment)}
	if !slices.Contains(m.faults, f) && len(m.faults) < 20 {
		m.faults = append(m.faults, f)
	}
}

// value makes a value of the schema, or returns nil where that is impossible or
// leads round in a circle.
func (m *maker) value(ref *openapi3.SchemaRef, u use) *Value {
	if ref == nil || ref.Value == nil {
		return m.anything(u)
	}
	core, ann := m.unwrap(ref)
	if core.Value == nil {
		return m.anything(u)
	}
	sh := m.shape(core.Value)
	null := ann.null || sh.null
	if slices.Contains(m.active, core.Value) && (null || u.optional) {
		if null {
			return &Value{}
		}
		return nil
	}
	if m.left--; m.left < 0 || len(m.active) >= makeLevels {
		if null {
			return &Value{}
		}
		return nil
	}
	m.active = append(m.active, core.Value)
	defer func() { m.active = m.active[:len(m.active)-1] }()

	root := len(m.active) == 1
	object := slices.Equal(sh.kinds(), []string{"object"}) || len(sh.kinds()) == 0 && m.layout(sh).disc != nil
	given := ann.examples
	if root { // those were looked at already
		given = nil
	}
	if u.nth > 0 {
		given = given[min(u.nth, len(given)):]
	}
	if u.seed != nil {
		given = append([]any{u.seed}, given...)
	}
	for i, raw := range given {
		x := ValueOf(raw)
		if object && x.IsObject() {
			u.seed = x
			break
		}
		v, reason := m.accept(ref, x)
		if reason == "" {
			return v
		}
		if !(i == 0 && u.seed != nil) {
			m.fault("example-invalid", "an example of the document was not used: "+reason)
		}
	}
	// An empty default shows nothing.
	if def := ValueOf(ann.def); len(sh.enum) == 0 && u.nth == 0 && !object && def.Text() != "" && def.Text() != "[]" {
		if v, reason := m.accept(ref, def); reason == "" {
			return v
		}
	}
	v := m.shaped(sh, ref, u)
	if v == nil && null {
		return &Value{}
	}
	return v
}

// anything makes a value of no particular type.
func (m *maker) anything(u use) *Value {
	if u.seed != nil {
		return u.seed
	}
	return &Value{placeholder(u.name, u.nth)}
}

// shaped makes a value of a shape; ref is the schema it has to satisfy.
func (m *maker) shaped(sh *shape, ref *openapi3.SchemaRef, u use) *Value {
	if len(sh.not)+len(sh.conds)+len(sh.beside) > 0 {
		return m.ruled(sh, ref, u)
	}
	if sh.always != nil && !*sh.always {
		return nil
	}
	if len(sh.enum) > 0 {
		return sh.enum[u.nth%len(sh.enum)]
	}
	if sh.stub != "" {
		m.guesses++
	}
	lay := m.layout(sh)
	if lay.disc != nil {
		return m.varied(sh, lay, ref, u)
	}
	if len(sh.groups) > 0 {
		return m.option(sh, ref, u)
	}
	kinds := sh.kinds()
	if len(kinds) == 0 {
		return m.anything(u)
	}
	switch kinds[0] {
	case "string":
		if sh.content != nil && sh.format == "" && strings.HasSuffix(sh.media, "json") {
			if v := m.value(sh.content, use{name: u.name, nth: u.nth, seed: nil, optional: true}); v != nil {
				return &Value{v.Compact()}
			}
		}
		return m.text(sh, u)
	case "integer", "number":
		return makeNumber(sh, kinds[0] == "integer", u.nth)
	case "boolean":
		return &Value{u.nth%2 == 1}
	case "array":
		return m.array(sh, u)
	case "object":
		return m.object(sh, lay.common, nil, u)
	}
	return m.anything(u)
}

// varied makes an object of one variant: the one asked for or given, else the
// first of which a value can be made.
func (m *maker) varied(sh *shape, lay *layout, ref *openapi3.SchemaRef, u use) *Value {
	order := make([]*variant, 0, len(lay.variants))
	for i := range lay.variants {
		order = append(order, &lay.variants[i])
	}
	want := u.seed.Get(lay.disc.name).Text()
	if len(m.active) == 1 && m.variant != "" {
		want = m.variant
	}
	if m.dir == Request && !m.full {
		slices.SortStableFunc(order, func(a, b *variant) int { return worth(b) - worth(a) })
	}
	if v := lay.choose(want); v != nil && want != "" {
		order = append([]*variant{v}, order...)
	}
	base := *sh
	base.groups = lay.rest(sh)
	var first *Value
	for _, v := range order[:min(maxOptions, len(order))] {
		if !m.spend() {
			break
		}
		disc := &Member{lay.disc.name, v.values[0]}
		for _, x := range v.values {
			if x.Text() == want {
				disc.Value = x
			}
		}
		whole := m.meet(&base, v.shape)
		list := append(slices.Clip(lay.common), v.own...)
		var made *Value
		if inner := m.layout(v.shape); inner.disc != nil && inner.disc.name == lay.disc.name {
			made = m.varied(v.shape, inner, v.ref, u) // told apart once more
		} else if len(whole.groups) > 0 {
			made = m.option(whole, ref, u)
			made = m.with(made, disc)
		} else {
			made = m.object(whole, list, disc, u)
		}
		if made == nil {
			continue
		}
		if r, _ := m.check(ref, made); r == "" {
			return made
		}
		if first == nil {
			first = made
		}
	}
	return first
}

// worth is more for a variant that asks for members of its own, which is of more
// use as a sample, and less for one that is not expanded.
func worth(v *variant) int {
	switch {
	case v.shape.stub != "":
		return -1
	case slices.ContainsFunc(v.own, func(p prop) bool { return p.required }):
		return 1
	}
	return 0
}

// with sets a member of an object, in front.
func (m *maker) with(v *Value, d *Member) *Value {
	if !v.IsObject() {
		return v
	}
	out := []Member{*d}
	for _, x := range v.Members() {
		if x.Name != d.Name {
			out = append(out, x)
		}
	}
	return &Value{out}
}

// option makes a value of the first alternative that gives a valid one.
func (m *maker) option(sh *shape, ref *openapi3.SchemaRef, u use) *Value {
	g := sh.groups[0]
	base := *sh
	base.groups = sh.groups[1:]
	alone := len(base.groups) == 0 && len(base.kinds()) == 0
	var first, empty *Value
	options := m.knownFirst(g.options)
	for _, o := range options[:min(maxOptions, len(options))] {
		core, _ := m.unwrap(o)
		if core.Value == nil || !m.spend() {
			continue
		}
		var v *Value
		if alone {
			v = m.value(o, u)
		} else {
			v = m.shaped(m.meet(&base, m.shape(core.Value)), ref, u)
		}
		if v == nil {
			continue
		}
		if r, _ := m.check(ref, v); r == "" {
			// An empty object inside another value says nothing: another one may
			// be better.
			if m.dir == Response || m.full || len(m.active) == 1 || !v.IsObject() && empty == nil || len(v.Members()) > 0 {
				return v
			}
			if empty == nil && v.IsObject() {
				empty = v
			}
		}
		if first == nil {
			first = v
		}
	}
	if empty != nil {
		return empty
	}
	return first
}

// object makes an object of the members in list, disc being the first.
func (m *maker) object(sh *shape, list []prop, disc *Member, u use) *Value {
	root := len(m.active) == 1
	all := m.full && len(m.active) <= fullLevels
	out := []Member{}
	has := map[string]bool{}
	add := func(p prop) bool {
		m.path = append(m.path, p.name)
		guesses := m.guesses
		v := m.value(p.ref, use{name: p.name, nth: u.nth, seed: u.seed.Get(p.name), optional: !p.required})
		m.path = m.path[:len(m.path)-1]
		if m.full && !p.required && m.guesses > guesses {
			v, m.guesses, m.omitted = nil, guesses, true // a guess is no help where nothing is asked
		}
		if v != nil {
			out = append(out, Member{p.name, v})
			has[p.name] = true
		}
		return v != nil
	}
	if disc != nil {
		out = append(out, *disc)
		has[disc.Name] = true
	}
	for _, p := range list {
		if has[p.name] || !p.required && !all {
			continue
		}
		if !add(p) && p.required {
			return nil
		}
	}
	// Members that another one, or minProperties, asks for.
	ordered := len(out)
	for _, p := range list {
		if !has[p.name] && slices.ContainsFunc(out, func(x Member) bool { return slices.Contains(sh.depend[x.Name], p.name) }) {
			add(p)
		}
	}
	least := int(min(sh.count.min, maxItems))
	if root && m.some || !root && m.form {
		least = max(least, 1)
	}
	for _, simple := range []bool{true, false} {
		for _, p := range list {
			if len(out) < least && !has[p.name] && m.simple(p.ref) == simple {
				add(p)
			}
		}
	}
	if max := sh.count.max; max >= 0 && int64(len(out)) > max {
		out = slices.DeleteFunc(out, func(x Member) bool {
			drop := int64(len(out)) > max && !sh.required[x.Name]
			return drop
		})
	}
	// A map shows one entry, unless that leads round in a circle.
	isMap := len(list) == 0 && disc == nil && !sh.shut() && (sh.other != nil || sh.open) && sh.count.max != 0
	if isMap && least == 0 {
		least = 1
	}
	if sh.shut() && !isMap && len(sh.matching) == 0 {
		least = 0
	}
	for i := 0; len(out) < least && i < maxItems; i++ {
		key, ref := m.key(sh, i)
		if key == "" || has[key] {
			continue
		}
		v := m.value(ref, use{name: "VALUE", nth: u.nth, optional: isMap})
		if v == nil {
			break
		}
		has[key] = true
		out = append(out, Member{key, v})
	}
	if len(out) > ordered { // what was added later has a place before
		rank := make(map[string]int, len(list))
		for i, p := range list {
			rank[p.name] = i + 1
		}
		if disc != nil {
			rank[disc.Name] = 0
		}
		key := len(list) + 1
		place := func(n string) int {
			if r, ok := rank[n]; ok {
				return r
			}
			return key
		}
		slices.SortStableFunc(out, func(a, b Member) int { return place(a.Name) - place(b.Name) })
	}
	return &Value{out}
}

// simple reports whether a member is a single value.
func (m *maker) simple(ref *openapi3.SchemaRef) bool {
	if ref == nil || ref.Value == nil {
		return true
	}
	core, _ := m.unwrap(ref)
	if core.Value == nil {
		return true
	}
	sh := m.shape(core.Value)
	return len(sh.enum) > 0 || !sh.is("object") && !sh.is("array") && len(sh.groups) == 0
}

func (m *maker) array(sh *shape, u use) *Value {
	n := max(int(min(sh.size.min, maxItems+1)), 1)
	if len(m.active) == 1 && m.items > n {
		n = m.items
	}
	var asked openapi3.SchemaRefs // what contains asks of the items
	for _, c := range sh.contains {
		for i := int64(0); i < c.count.min && len(asked) <= maxItems; i++ {
			asked = append(asked, c.ref)
		}
	}
	asked = append(make(openapi3.SchemaRefs, len(sh.prefix), len(sh.prefix)+len(asked)), asked...)
	n = max(n, len(asked))
	if sh.size.max >= 0 {
		n = min(n, int(min(sh.size.max, maxItems)))
	}
	if n > maxItems {
		m.fault("sample-invalid", "minItems is too large to make a sample")
		return nil
	}
	items := []*Value{}
	for i := 0; i < n; i++ {
		ref, nth := sh.items, u.nth+i-len(sh.prefix)
		if i < len(sh.prefix) {
			ref, nth = sh.prefix[i], u.nth
		}
		if i < len(asked) {
			ref = m.both(ref, asked[i])
		}
		var v *Value
		for try := range 4 {
			at := use{name: singular(u.name), nth: nth + try, optional: int64(i) >= sh.size.min}
			if i < len(u.seed.Items()) && try == 0 {
				at.seed = u.seed.Items()[i]
			}
			v = m.value(ref, at)
			if v == nil || !sh.unique || !slices.ContainsFunc(items, v.equal) {
				break
			}
			v = nil
		}
		if v == nil {
			break
		}
		items = append(items, v)
	}
	if int64(len(items)) < sh.size.min {
		return nil
	}
	return &Value{items}
}
