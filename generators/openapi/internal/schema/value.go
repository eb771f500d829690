package schema

// A Value is a JSON value whose objects keep the order of their members. The
// zero Value is null.
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

// ValueOf returns v, as encoding/json decodes it, with the members of objects
// sorted by name.
func ValueOf(v any) *Value { return &Value{} }

// Members returns the members if v is an object, else nil.
func (v *Value) Members() []Member { m, _ := v.v.([]Member); return m }

// Items returns the items if v is an array, else nil.
func (v *Value) Items() []*Value { a, _ := v.v.([]*Value); return a }

// Get returns the member of that name, or nil.
func (v *Value) Get(name string) *Value { return nil }

// IsNull, IsObject and IsArray report the kind of v.
func (v *Value) IsNull() bool   { return v == nil || v.v == nil }
func (v *Value) IsObject() bool { _, ok := v.v.([]Member); return ok }
func (v *Value) IsArray() bool  { _, ok := v.v.([]*Value); return ok }

// Text returns a string without quotation marks, and anything else as Line.
func (v *Value) Text() string { return "" }

// Line returns v as JSON in one line, with a space after "," and ":".
func (v *Value) Line() string { return "null" }

// Compact returns v as JSON without spaces.
func (v *Value) Compact() string { return "null" }

// String returns v as JSON: in one line if that fits 120 columns, else one
// member or item a line, indented by two spaces, each by the same rule. HTML
// characters are not escaped; control, bidi and zero-width characters are.
func (v *Value) String() string { return "null" }

// Any returns v as encoding/json would decode it, numbers as float64.
func (v *Value) Any() any { return nil }
