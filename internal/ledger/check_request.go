package ledger

import (
	"maps"
	"slices"
	"strings"
)

// request compares the request's body.
func (c *checker) request(op *operation, r *reading) {
	if op.request == nil {
		for _, g := range r.bodies {
			c.wrong("request-unknown", op.pointer, spot{g.file, g.line}, "the document has no body here")
		}
		return
	}
	b := op.request
	p := b.at.String()
	if len(r.bodies) == 0 && c.ledger.doc.nothingToSend(b) {
		return
	}
	if len(r.bodies) == 0 {
		c.hole("request", p, "its body is not there")
		return
	}
	c.entry("request", p, spot{r.bodies[0].file, r.bodies[0].line})
	required := b.required
	for _, f := range b.form {
		required = required || f.required
	}
	for _, g := range r.bodies {
		if g.required != required && (len(b.form) == 0 || !c.ledger.doc.swagger()) {
			c.wrong("request-required", p, spot{g.file, g.line}, "the body is marked required: %t, the document says %t", g.required, required)
		}
	}
	for _, m := range b.types {
		var found *group
		for _, g := range r.bodies {
			if slices.ContainsFunc(g.types, func(s string) bool { return sameType(s, m.name) }) || m.name == "" {
				found = g
				break
			}
		}
		if found == nil {
			c.hole("request-media-type", m.at.String(), "the body's media type %q is not there", m.name)
			continue
		}
		c.entry("request-media-type", m.at.String(), spot{found.file, found.line})
		if len(b.form) == 0 && !c.degraded {
			c.members(op, r, m)
		}
	}
	for _, f := range b.form {
		c.formParameter(op, r, f)
	}
}

// nothingToSend reports whether a body is optional, and empty if it is there.
func (d *Document) nothingToSend(b *body) bool {
	return !b.required && !slices.ContainsFunc(b.types, func(m media) bool {
		s := d.quietly(m.schema)
		return s.get("additionalProperties").value != false || len(s.get("properties").object()) > 0 || len(s.object()) > 3
	})
}

// formParameter compares a form parameter of Swagger 2.0 with the members of
// the body.
func (c *checker) formParameter(op *operation, r *reading, f *parameter) {
	var found *statement
	for _, g := range r.bodies {
		for _, m := range g.top() {
			if m.name == f.name {
				found = &m
				break
			}
		}
	}
	if found == nil {
		c.hole("parameter", f.at.String(), "the form parameter %q is not there", f.name)
		return
	}
	at := spot{found.file, found.line}
	c.entry("parameter", f.at.String(), at)
	if f.required != found.required {
		c.wrong("parameter-required", f.at.String(), at, "%q is marked required: %t, the document says %t", f.name, found.required, f.required)
	}
	if f.at.get("type").text() != "file" && !c.degraded {
		c.value(f.name, f.at, found.typ, at)
	}
}

// members checks that each required member of a JSON body is there, and
// marked. A shape that refers elsewhere for them is left to where that is.
func (c *checker) members(op *operation, r *reading, m media) {
	for _, name := range c.ledger.doc.requiredMembers(m.schema, "readOnly") {
		var found, stub bool
		var unmarked *statement
		at := spot{}
		for _, g := range r.bodies {
			if len(g.types) > 0 && !slices.ContainsFunc(g.types, func(s string) bool { return sameType(s, m.name) }) {
				continue
			}
			at = spot{g.file, g.line}
			stub = stub || strings.Contains(g.typ, "not expanded") && strings.Contains(g.typ, name) || strings.HasPrefix(g.typ, "@") || strings.Contains(g.typ, " as sent")
			choices := slices.ContainsFunc(g.members, func(s statement) bool { return s.level == 1 && s.special })
			for _, s := range g.members { // under choices, each has its own
				if s.name == name && !s.special && (s.level == 1 || choices && s.level <= 3) {
					found = found || s.required
					if !s.required && s.level == 1 {
						unmarked = &s
					}
				}
			}
		}
		switch {
		case found || stub:
		case unmarked != nil:
			c.wrong("member-required", m.schema.String(), spot{unmarked.file, unmarked.line}, "the body's member %q is not marked required", name)
		default:
			c.hole("member", m.schema.String(), "the body's required member %q is not there (looked from %s:%d)", name, at.file, at.line)
		}
	}
}

func isJSON(mediaType string) bool {
	base, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	base = strings.TrimSpace(base)
	return base == "application/json" || strings.HasSuffix(base, "+json") || base == "*/*"
}

// sameType compares media types, as written or without the spaces that do not
// matter.
func sameType(a, b string) bool {
	return a == b || strings.EqualFold(strings.ReplaceAll(a, " ", ""), strings.ReplaceAll(b, " ", ""))
}

// requiredMembers returns the names that a schema of an object, or of a list
// of them, requires, also through allOf, and through oneOf and anyOf if all of
// their schemas do; without those that the direction leaves out.
func (d *Document) requiredMembers(schema place, leftOut string) []string {
	names, hidden := d.demands(d.quietly(schema), leftOut, 0)
	for name := range hidden {
		delete(names, name)
	}
	return slices.Sorted(maps.Keys(names))
}

// demands returns the members that a schema requires, and those of a direction
// that it does not have.
func (d *Document) demands(p place, leftOut string, depth int) (names, hidden map[string]bool) {
	names, hidden = map[string]bool{}, map[string]bool{}
	if depth > 16 {
		return names, hidden
	}
	switch kind := p.get("type").text(); kind {
	case "", "object":
	case "array":
		return d.demands(d.quietly(p.get("items")), leftOut, depth+1)
	default:
		return names, hidden
	}
	for _, n := range p.get("required").items() {
		if n.text() != "" {
			names[n.text()] = true
		}
	}
	for name := range p.get("properties").object() {
		if d.flag(p.get("properties").get(name), leftOut) {
			hidden[name] = true
		}
	}
	for _, part := range p.get("allOf").items() {
		more, unseen := d.demands(d.quietly(part), leftOut, depth+1)
		maps.Copy(names, more)
		maps.Copy(hidden, unseen)
	}
	for _, k := range []string{"oneOf", "anyOf"} {
		var common map[string]bool
		for i, part := range p.get(k).items() {
			more, unseen := d.demands(d.quietly(part), leftOut, depth+1)
			maps.DeleteFunc(more, func(name string, _ bool) bool { return unseen[name] || i > 0 && !common[name] })
			common = more
		}
		maps.Copy(names, common)
	}
	return names, hidden
}
