package schema

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// asGiven returns an example of the document for a request with readOnly
// members, and the names of these, if it is valid but for them: with those in
// objects that would be empty, else with all. less is the example without them.
func (m *maker) asGiven(ref *openapi3.SchemaRef, v, less *Value) (*Value, []string) {
	m.twoWay = true
	defer func() { m.twoWay = false }()
	whole := m.arrange(ref, v, 0)
	for _, w := range []*Value{filled(whole, less, 0), whole} {
		names := lost(w, less, nil, 0)
		if len(names) == 0 {
			continue
		}
		if r, _ := m.check(ref, w); r == "" {
			return w, names
		}
	}
	return nil, nil
}

// pairs calls f for the members and items that v and w, which is v less some
// members, both have.
func pairs(v, w *Value, f func(m Member, less *Value)) {
	if v.IsArray() && w.IsArray() {
		less := w.Items()
		for i, item := range v.Items() {
			if i < len(less) {
				f(Member{Value: item}, less[i])
			}
		}
	}
	for _, m := range v.Members() {
		if less := w.Get(m.Name); less != nil {
			f(m, less)
		}
	}
}

// emptied reports whether an object of v has members and none in w.
func emptied(v, w *Value, depth int) bool {
	if depth > maxNested {
		return false
	}
	found := len(v.Members()) > 0 && w.IsObject() && len(w.Members()) == 0
	pairs(v, w, func(m Member, less *Value) { found = found || emptied(m.Value, less, depth+1) })
	return found
}

// filled returns w with the objects of v where its own are empty.
func filled(v, w *Value, depth int) *Value {
	if depth > maxNested || len(v.Members()) > 0 && w.IsObject() && len(w.Members()) == 0 {
		return v
	}
	var items []*Value
	var members []Member
	pairs(v, w, func(m Member, less *Value) {
		x := filled(m.Value, less, depth+1)
		items, members = append(items, x), append(members, Member{m.Name, x})
	})
	switch {
	case v.IsArray() && w.IsArray():
		return &Value{items}
	case v.IsObject() && w.IsObject():
		return &Value{members}
	}
	return w
}

// lost appends to names those of the members that v has and w does not.
func lost(v, w *Value, names []string, depth int) []string {
	if depth > maxNested {
		return names
	}
	for _, m := range v.Members() {
		if w.Get(m.Name) == nil && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	pairs(v, w, func(m Member, less *Value) { names = lost(m.Value, less, names, depth+1) })
	return names
}
