package schema

import (
	"maps"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
)

// ruled makes a value of a shape with rules: one of the shape without them, made
// again with what the rules then ask for.
func (m *maker) ruled(sh *shape, ref *openapi3.SchemaRef, u use) *Value {
	base := *sh
	base.not, base.conds, base.beside = nil, nil, nil
	whole := &openapi3.SchemaRef{Value: &openapi3.Schema{}}
	if ref != nil {
		whole = ref
	}
	var first *Value
	good := func(v *Value) bool {
		if v == nil {
			return false
		}
		if first == nil {
			first = v
		}
		reason, _ := m.check(whole, v)
		return reason == "" && !m.excluded(sh, v)
	}
	for try := range 4 {
		at := u
		at.nth += try
		if v := m.settled(&base, sh, ref, at); good(v) {
			return v
		}
		if !m.spend() {
			return first
		}
	}
	// The other branch of each condition, which its test has to be met for.
	for _, c := range sh.conds {
		if !m.spend() || c.test.Value == nil {
			break
		}
		with := m.meet(&base, m.shape(c.test.Value))
		if c.then != nil && c.then.Value != nil {
			with = m.meet(with, m.shape(c.then.Value))
		}
		with.conds, with.not, with.beside = nil, nil, nil
		if v := m.settled(with, sh, ref, u); good(v) {
			return v
		}
	}
	// A member that may be left out may be what is excluded.
	if m.full {
		m.full = false
		v := m.settled(&base, sh, ref, u)
		m.full = true
		if good(v) {
			return v
		}
	}
	return first
}

// excluded reports whether a not of the shape excludes v.
func (m *maker) excluded(sh *shape, v *Value) bool {
	return slices.ContainsFunc(sh.not, func(n *openapi3.SchemaRef) bool {
		reason, _ := m.check(n, v)
		return reason == ""
	})
}

// settled makes a value of base, and again with the branches of the rules that
// apply to it, until these stay the same.
func (m *maker) settled(base, sh *shape, ref *openapi3.SchemaRef, u use) *Value {
	v := m.shaped(base, ref, u)
	for range 3 {
		if v == nil {
			return nil
		}
		next := base
		add := func(ref *openapi3.SchemaRef) {
			if ref != nil && ref.Value != nil {
				next = m.meet(next, m.shape(ref.Value))
			}
		}
		for _, c := range sh.conds {
			if reason, _ := m.check(c.test, v); reason == "" {
				add(c.then)
			} else {
				add(c.other)
			}
		}
		for _, n := range slices.Sorted(maps.Keys(sh.beside)) {
			if v.Get(n) != nil {
				add(sh.beside[n])
			}
		}
		if next == base || !m.spend() {
			return v
		}
		if len(m.active) > makeLevels {
			return v
		}
		plain := *next
		plain.conds, plain.beside = nil, nil
		plain.not = nil
		w := m.shaped(&plain, ref, u)
		if w == nil {
			return v
		}
		if w.equal(v) {
			return w
		}
		v = w
	}
	return v
}

// key returns the i-th name of a member that is not named by the schema, and
// the schema of its value; "" where there is none.
func (m *maker) key(sh *shape, i int) (string, *openapi3.SchemaRef) {
	ref := sh.other
	key := "KEY"
	if i > 0 {
		key += strconv.Itoa(i + 1)
	}
	if sh.names != nil {
		if v := m.value(sh.names, use{name: "KEY", nth: i}); v != nil {
			if s, ok := v.get().(string); ok {
				key = s
			}
		}
	}
	if ref == nil && !sh.open && len(sh.matching) > 0 || sh.shut() {
		for _, p := range slices.Sorted(maps.Keys(sh.matching)) {
			if s, err := match(p, 1, i); err == nil {
				if reason, _ := m.check(sh.names, &Value{s}); reason == "" {
					return s, sh.matching[p]
				}
			}
		}
		if sh.shut() {
			return "", nil
		}
	}
	for _, p := range slices.Sorted(maps.Keys(sh.matching)) {
		if re, err := m.compile(p); err == nil && re.MatchString(key) {
			ref = m.both(ref, sh.matching[p])
		}
	}
	return key, ref
}
