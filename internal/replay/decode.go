package replay

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// A pair is one member of a query or a form, as it was sent.
type pair struct {
	name  string // decoded
	raw   string // value, as sent
	value string // decoded
	taken bool
}

// pairs takes a query or a form apart.
func pairs(raw string) ([]*pair, error) {
	var out []*pair
	if raw == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(raw, "&") {
		n, v, _ := strings.Cut(part, "=")
		name, err := url.QueryUnescape(n)
		if err != nil {
			return nil, fmt.Errorf("%q is not percent-encoded: %v", n, err)
		}
		value, err := url.QueryUnescape(v)
		if err != nil {
			return nil, fmt.Errorf("the value of %s is not percent-encoded: %v", name, err)
		}
		out = append(out, &pair{name: name, raw: v, value: value})
	}
	return out, nil
}

// encoded reports whether a text is percent-encoded: only unreserved characters,
// escapes, and those of more stand for themselves.
func encoded(s, more string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0, strings.IndexByte(more, c) >= 0:
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			i += 2
		default:
			return false
		}
	}
	return true
}

// A style is how a value is written (OpenAPI 3.1.1, 4.8.12.3).
type style struct {
	name     string
	explode  bool
	reserved bool // reserved characters stand for themselves
	form     bool // a body: "+" is a space
	json     bool // objects without a style of their own are JSON
}

func styleOf(p *openapi3.Parameter) style {
	s := style{name: p.Style, reserved: p.AllowReserved}
	if s.name == "" {
		s.name = "simple"
		if p.In == openapi3.ParameterInQuery || p.In == openapi3.ParameterInCookie {
			s.name = "form"
		}
	}
	s.explode = s.name == "form" || s.name == "cookie"
	if p.Explode != nil {
		s.explode = *p.Explode
	}
	return s
}

// allowed are the characters that may stand for themselves in a value.
func (s style) allowed() string {
	a := ""
	if s.reserved {
		a = ":/?@!$'()*,;=[]"
	}
	if !s.explode {
		switch s.name {
		case "form":
			a += ","
		case "pipeDelimited":
			a += "|"
		}
	}
	if s.form {
		a += "+"
	}
	return a
}

// fromPairs reads the value of a name from a query or a form, and marks what it
// is made of. It returns false if nothing of it is there. The values are what
// the text can be read as, one of which the schema should accept.
func (o *operation) fromPairs(all []*pair, name string, st style, ref *openapi3.SchemaRef) ([]any, bool, error) {
	refs := []*openapi3.SchemaRef{ref}
	var own, nested []*pair
	for _, p := range all {
		switch {
		case p.name == name, p.name == name+"[]" && st.form:
			own = append(own, p)
		case strings.HasPrefix(p.name, name+"["):
			nested = append(nested, p)
		}
	}
	check := func(p *pair) error {
		p.taken = true
		if !encoded(p.raw, st.allowed()) {
			return fmt.Errorf("the value %q is not percent-encoded as the style %s has it", p.raw, st.name)
		}
		return nil
	}
	if st.name == "deepObject" {
		if len(nested) == 0 {
			// The style has no form for what is no object: such a value can stand
			// for itself only, where the schema takes it.
			if len(own) != 1 {
				return nil, len(own) > 0, nil
			}
			return readings(own[0].value), true, check(own[0])
		}
		root := &node{}
		for _, p := range nested {
			if err := check(p); err != nil {
				return nil, true, err
			}
			if err := root.put(p.name[len(name):], p.value); err != nil {
				return nil, true, err
			}
		}
		return []any{o.build(root, refs)}, true, nil
	}
	if st.name == "form" && st.explode && len(own) == 0 && isObject(ref) {
		// The members stand for themselves.
		object := map[string]any{}
		for _, p := range all {
			if p.taken || !o.declares(refs, p.name) {
				continue
			}
			if err := check(p); err != nil {
				return nil, true, err
			}
			object[p.name] = o.read(p.value, property(refs, p.name))
		}
		if len(object) == 0 {
			return nil, false, nil
		}
		return []any{object}, true, nil
	}
	if len(own) == 0 {
		return nil, false, nil
	}
	var out []any
	for _, p := range own {
		if err := check(p); err != nil {
			return nil, true, err
		}
	}
	switch {
	case st.explode || st.name == "form" && st.form && len(own) > 1:
		list := []any{}
		for _, p := range own {
			list = append(list, o.read(p.value, items(refs)))
		}
		if len(own) == 1 {
			out = append(out, readings(own[0].value)...)
		}
		out = append(out, list)
	case len(own) > 1:
		return nil, true, fmt.Errorf("%s is sent %d times, though its style has one value", name, len(own))
	default:
		separators := map[string][]string{"form": {","}, "spaceDelimited": {"%20", "+", " "}, "pipeDelimited": {"%7C", "%7c", "|"}}[st.name]
		if separators == nil {
			return nil, true, fmt.Errorf("the style %s is not for this place", st.name)
		}
		parts := []string{own[0].raw}
		for _, sep := range separators {
			var next []string
			for _, part := range parts {
				next = append(next, strings.Split(part, sep)...)
			}
			parts = next
		}
		for i := range parts {
			parts[i], _ = url.QueryUnescape(parts[i])
		}
		out = append(out, readings(own[0].value)...)
		out = append(out, o.listed(parts, refs)...)
	}
	if st.json && len(own) == 1 {
		var v any
		if json.Unmarshal([]byte(own[0].value), &v) == nil {
			out = append(out, v)
		}
	}
	if st.json { // each item of an array may be JSON, too
		list := []any{}
		for _, p := range own {
			var v any
			if json.Unmarshal([]byte(p.value), &v) != nil {
				return out, true, nil
			}
			list = append(list, v)
		}
		out = append(out, list)
	}
	return out, true, nil
}

// listed returns the array and, of an even number of parts, the object that a
// delimited value can be.
func (o *operation) listed(parts []string, refs []*openapi3.SchemaRef) []any {
	list := []any{}
	for _, s := range parts {
		list = append(list, o.read(s, items(refs)))
	}
	out := []any{list}
	if len(parts)%2 == 0 {
		object := map[string]any{}
		for i := 0; i < len(parts); i += 2 {
			object[parts[i]] = o.read(parts[i+1], property(refs, parts[i]))
		}
		out = append(out, object)
	}
	return out
}

func isObject(ref *openapi3.SchemaRef) bool {
	return slices.ContainsFunc(alternatives(ref), func(s *openapi3.Schema) bool { return s.Type.Includes("object") || len(s.Properties) > 0 })
}

// declares reports whether the schemas have a member of that name, or take any.
func (o *operation) declares(refs []*openapi3.SchemaRef, name string) bool {
	if o.parameter("query", name) != nil {
		return false
	}
	for _, ref := range refs {
		for _, s := range alternatives(ref) {
			if s.Properties[name] != nil || s.AdditionalProperties.Schema != nil || s.AdditionalProperties.Has != nil && *s.AdditionalProperties.Has {
				return true
			}
		}
	}
	return false
}

// A node is a value written with brackets, as in "a[b][0]=c".
type node struct {
	text    string
	leaf    bool
	names   []string
	members map[string]*node
}

func (n *node) put(path, value string) error {
	for depth := 0; path != ""; depth++ {
		inner, rest, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")
		if !ok || path[0] != '[' || depth > 64 {
			return fmt.Errorf("%q is no path of brackets", path)
		}
		if inner == "" {
			inner = strconv.Itoa(len(n.members))
		}
		if n.members == nil {
			n.members = map[string]*node{}
		}
		if n.members[inner] == nil {
			n.members[inner] = &node{}
			n.names = append(n.names, inner)
		}
		n, path = n.members[inner], rest
	}
	n.leaf, n.text = true, value
	return nil
}

// build returns the value of a node by its schemas.
func (o *operation) build(n *node, refs []*openapi3.SchemaRef) any {
	if n.leaf {
		return o.read(n.text, refs)
	}
	counted := true
	for i, name := range n.names {
		counted = counted && name == strconv.Itoa(i)
	}
	if counted && slices.ContainsFunc(refs, func(ref *openapi3.SchemaRef) bool {
		return slices.ContainsFunc(alternatives(ref), func(s *openapi3.Schema) bool { return s.Type.Includes("array") || s.Items != nil })
	}) {
		list := []any{}
		for _, name := range n.names {
			list = append(list, o.build(n.members[name], items(refs)))
		}
		return list
	}
	object := map[string]any{}
	for _, name := range n.names {
		object[name] = o.build(n.members[name], property(refs, name))
	}
	return object
}

// fromPath returns what a path parameter can be read as.
func (o *operation) fromPath(p *openapi3.Parameter, raw string) ([]any, error) {
	refs := []*openapi3.SchemaRef{p.Schema}
	st := styleOf(p)
	unescape := func(s string) string {
		if u, err := url.PathUnescape(s); err == nil {
			return u
		}
		return s
	}
	more := ""
	prefix, sep := "", ","
	switch st.name {
	case "simple":
		more = ",="
	case "label":
		prefix, more = ".", ",="
		if st.explode {
			sep = "."
		}
	case "matrix":
		prefix, more = ";", ",=;"
		if st.explode {
			sep = ";"
		}
	default:
		return nil, fmt.Errorf("the style %s is none of paths", st.name)
	}
	// A path may have the characters of pchar (RFC 3986, 3.3) as they are; those
	// that a style takes apart it may not.
	if !encoded(raw, more+"!$&'()*+:@;") {
		return nil, fmt.Errorf("the value %q is not percent-encoded", raw)
	}
	rest, ok := strings.CutPrefix(raw, prefix)
	if !ok {
		return nil, fmt.Errorf("the value %q does not begin with %q", raw, prefix)
	}
	if st.name == "matrix" {
		return o.fromMatrix(p.Name, rest, st.explode, refs, unescape)
	}
	out := readings(unescape(rest))
	parts := strings.Split(rest, sep)
	if st.explode {
		object := map[string]any{}
		for _, part := range parts {
			if k, v, ok := strings.Cut(part, "="); ok {
				object[unescape(k)] = o.read(unescape(v), property(refs, unescape(k)))
			}
		}
		if len(object) == len(parts) {
			out = append(out, object)
		}
	}
	for i := range parts {
		parts[i] = unescape(parts[i])
	}
	return append(out, o.listed(parts, refs)...), nil
}

func (o *operation) fromMatrix(name, rest string, explode bool, refs []*openapi3.SchemaRef, unescape func(string) string) ([]any, error) {
	parts := strings.Split(rest, ";")
	own, object := []any{}, map[string]any{}
	for _, part := range parts {
		k, v, _ := strings.Cut(part, "=")
		if k = unescape(k); k == name {
			own = append(own, o.read(unescape(v), items(refs)))
		}
		object[k] = o.read(unescape(v), property(refs, k))
	}
	var out []any
	if len(parts) == 1 && len(own) == 1 {
		_, v, _ := strings.Cut(parts[0], "=")
		out = append(out, readings(unescape(v))...)
		list := strings.Split(v, ",")
		for i := range list {
			list[i] = unescape(list[i])
		}
		out = append(out, o.listed(list, refs)...)
	}
	if len(own) == len(parts) {
		out = append(out, own)
	}
	if explode {
		out = append(out, object)
	}
	return out, nil
}
