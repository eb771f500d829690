package schema

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Value is a JSON value whose objects keep the order of their members. The
// zero Value, and a nil one, is null.
type Value struct {
	v any // nil, bool, number, string, []*Value or []Member
}

// A Member is a name and a value of an object.
type Member struct {
	Name  string
	Value *Value
}

// number is the JSON text of a number.
type number string

const (
	lineWidth = 120 // columns up to which a value stays in one line
	maxNested = 200 // levels that ValueOf follows; documents of kin are shallower
)

// ValueOf returns v, as encoding/json or kin-openapi decode it, with the
// members of objects sorted by name.
func ValueOf(v any) *Value { return valueOf(v, 0) }

func valueOf(v any, depth int) *Value {
	if depth > maxNested {
		return &Value{}
	}
	switch v := v.(type) {
	case *Value:
		return v
	case bool, string:
		return &Value{v}
	case float64:
		return &Value{numberOf(v)}
	case float32:
		return &Value{numberOf(float64(v))}
	case int:
		return &Value{number(strconv.Itoa(v))}
	case int64:
		return &Value{number(strconv.FormatInt(v, 10))}
	case uint64:
		return &Value{number(strconv.FormatUint(v, 10))}
	case json.Number:
		if f, err := v.Float64(); err != nil || math.IsInf(f, 0) {
			return &Value{}
		}
		return &Value{number(v)}
	case []any:
		items := make([]*Value, len(v))
		for i, x := range v {
			items[i] = valueOf(x, depth+1)
		}
		return &Value{items}
	case []string:
		items := make([]*Value, len(v))
		for i, x := range v {
			items[i] = &Value{x}
		}
		return &Value{items}
	case map[string]any:
		members := make([]Member, 0, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			members = append(members, Member{k, valueOf(v[k], depth+1)})
		}
		return &Value{members}
	}
	return &Value{}
}

// numberOf keeps integers as integers, up to the bounds of int64, whose upper
// one a float64 cannot hold.
func numberOf(f float64) number {
	switch {
	case math.IsNaN(f), math.IsInf(f, 0):
		return "0"
	case f == 1<<63:
		return "9223372036854775807"
	case f == math.Trunc(f) && f >= -1<<63 && f < 1<<63:
		return number(strconv.FormatInt(int64(f), 10))
	case f == math.Trunc(f) && math.Abs(f) < 1e21:
		return number(strconv.FormatFloat(f, 'f', -1, 64))
	case math.Abs(f) < 1e-6 || math.Abs(f) >= 1e21:
		return number(strconv.FormatFloat(f, 'e', -1, 64))
	}
	return number(strconv.FormatFloat(f, 'f', -1, 64))
}

// Members returns the members if v is an object, else nil.
func (v *Value) Members() []Member { m, _ := v.get().([]Member); return m }

// Items returns the items if v is an array, else nil.
func (v *Value) Items() []*Value { a, _ := v.get().([]*Value); return a }

// Get returns the member of that name, or nil.
func (v *Value) Get(name string) *Value {
	for _, m := range v.Members() {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// IsNull, IsObject and IsArray report the kind of v.
func (v *Value) IsNull() bool { return v.get() == nil }

// IsObject reports whether v is an object.
func (v *Value) IsObject() bool { _, ok := v.get().([]Member); return ok }

// IsArray reports whether v is an array.
func (v *Value) IsArray() bool { _, ok := v.get().([]*Value); return ok }

func (v *Value) get() any {
	if v == nil {
		return nil
	}
	return v.v
}

// Text returns a string without quotation marks, null as "", and anything else
// as Compact: the text of a parameter or a form field.
func (v *Value) Text() string {
	switch x := v.get().(type) {
	case nil:
		return ""
	case string:
		return x
	}
	return v.Compact()
}

// Line returns v as JSON in one line, with a space after "," and ":".
func (v *Value) Line() string { return string(v.append(nil, " ")) }

// Compact returns v as JSON without spaces.
func (v *Value) Compact() string { return string(v.append(nil, "")) }

func (v *Value) append(b []byte, sp string) []byte {
	switch x := v.get().(type) {
	case bool:
		return strconv.AppendBool(b, x)
	case number:
		return append(b, x...)
	case string:
		return appendString(b, x)
	case []*Value:
		b = append(b, '[')
		for i, item := range x {
			if i > 0 {
				b = append(b, ","+sp...)
			}
			b = item.append(b, sp)
		}
		return append(b, ']')
	case []Member:
		b = append(b, '{')
		for i, m := range x {
			if i > 0 {
				b = append(b, ","+sp...)
			}
			b = append(appendString(b, m.Name), ":"+sp...)
			b = m.Value.append(b, sp)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

// String returns v as JSON: in one line if that fits 120 columns, else one
// member or item a line, indented by two spaces, each by the same rule. HTML
// characters are not escaped; control, bidi and zero-width characters are.
func (v *Value) String() string {
	var b strings.Builder
	v.print(&b, 0, 0)
	return b.String()
}

// print writes v into a line that is indented by indent and has used columns
// taken already, counting a comma to come.
func (v *Value) print(b *strings.Builder, indent, used int) {
	if v.short(lineWidth-used) || len(v.Members()) == 0 && len(v.Items()) == 0 {
		b.WriteString(v.Line())
		return
	}
	pad := strings.Repeat(" ", indent+2)
	open, end, n := "{", "}", len(v.Members())
	if v.IsArray() {
		open, end, n = "[", "]", len(v.Items())
	}
	b.WriteString(open + "\n")
	for i := range n {
		b.WriteString(pad)
		if v.IsArray() {
			v.Items()[i].print(b, indent+2, indent+3)
		} else {
			m := v.Members()[i]
			key := quote(m.Name) + ": "
			b.WriteString(key)
			m.Value.print(b, indent+2, indent+3+utf8.RuneCountInString(key))
		}
		if i < n-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString(pad[2:] + end)
}

// short reports whether Line fits columns. It looks at no more of v than that.
func (v *Value) short(columns int) bool {
	left := columns
	var count func(*Value) bool
	count = func(v *Value) bool {
		switch x := v.get().(type) {
		case []*Value:
			left -= 2
			for i, item := range x {
				if i > 0 {
					left -= 2
				}
				if left < 0 || !count(item) {
					return false
				}
			}
		case []Member:
			left -= 2
			for i, m := range x {
				if i > 0 {
					left -= 2
				}
				left -= 2 + utf8.RuneCountInString(quote(m.Name))
				if left < 0 || !count(m.Value) {
					return false
				}
			}
		case string:
			if len(x) > 4*lineWidth {
				return false
			}
			left -= utf8.RuneCountInString(quote(x))
		default:
			left -= len(v.Compact())
		}
		return left >= 0
	}
	return count(v)
}

// Any returns v as encoding/json would decode it, numbers as float64.
func (v *Value) Any() any {
	switch x := v.get().(type) {
	case number:
		f, _ := strconv.ParseFloat(string(x), 64)
		return f
	case []*Value:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = item.Any()
		}
		return out
	case []Member:
		out := make(map[string]any, len(x))
		for _, m := range x {
			out[m.Name] = m.Value.Any()
		}
		return out
	default:
		return x
	}
}

// equal compares as JSON Schema does: the order of members does not matter, and
// 1 is 1.0.
func (v *Value) equal(w *Value) bool {
	switch x := v.get().(type) {
	case number:
		y, ok := w.get().(number)
		if !ok {
			return false
		}
		return x == y || v.Any() == w.Any()
	case []*Value:
		return w.IsArray() && slices.EqualFunc(x, w.Items(), (*Value).equal)
	case []Member:
		if !w.IsObject() || len(x) != len(w.Members()) {
			return false
		}
		for _, m := range x {
			if y := w.Get(m.Name); y == nil || !m.Value.equal(y) {
				return false
			}
		}
		return true
	default:
		return x == w.get()
	}
}
