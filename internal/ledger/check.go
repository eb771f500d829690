package ledger

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A checker compares one skill with its operation.
type checker struct {
	ledger   *Ledger
	skill    *skillPages
	op       *operation
	degraded bool
	findings []Finding
	entries  []Entry
	holes    []Finding
}

// wrong notes something wrong in the skill.
func (c *checker) wrong(rule, pointer string, at spot, format string, args ...any) {
	c.findings = append(c.findings, Finding{
		Rule: rule, Pointer: pointer, Skill: c.skill.uri, File: at.file, Line: at.line, Message: fmt.Sprintf(format, args...),
	})
}

// hole notes something that the skill does not have.
func (c *checker) hole(kind string, p string, format string, args ...any) {
	c.holes = append(c.holes, Finding{
		Rule: kind, Pointer: p, Skill: c.skill.uri, Message: fmt.Sprintf("%s: ", c.op) + fmt.Sprintf(format, args...),
	})
}

// entry notes where something was found.
func (c *checker) entry(kind, pointer string, at spot) {
	c.entries = append(c.entries, Entry{kind, pointer, c.skill.uri, at.file, at.line})
}

// find returns the operation that the skill says it is of.
func (c *checker) find() *operation {
	m := c.skill.main.meta
	for _, op := range c.ledger.doc.operations {
		if op.method != m["method"] {
			continue
		}
		if op.section == "webhooks" && op.path == m["webhook"] || op.section == "paths" && m["webhook"] == "" && op.path == m["path"] {
			c.op = op
			return op
		}
	}
	c.wrong("operation-unknown", m["pointer"], spot{"SKILL.md", 1}, "the document has no operation %s %s%s", m["method"], m["path"], m["webhook"])
	return nil
}

// operation compares everything.
func (c *checker) operation(op *operation) {
	main := c.skill.main
	at := spot{"SKILL.md", main.metaLine["pointer"]}
	if p := main.meta["pointer"]; p != op.pointer {
		c.wrong("operation-pointer", op.pointer, at, "the pointer is %q", p)
	}
	if (main.meta["deprecated"] == "true") != op.deprecated {
		c.wrong("operation-deprecated", op.pointer, at, "the document says deprecated: %t", op.deprecated)
	}
	c.entry("operation", op.pointer, at)
	if op.section == "webhooks" {
		c.entry("webhook", op.pointer, at)
	}
	c.opening()
	c.reading(op, c.skill.own)
	c.security()
	c.callbacks()
	c.samples()
	sortFindings(c.findings)
}

// opening checks what stands above the first heading of level 2.
func (c *checker) opening() {
	op := c.op
	var url, deprecated spot
	for _, s := range c.skill.main.sections {
		if s.h2 != "" {
			continue
		}
		for _, b := range s.blocks {
			if b.kind == paragraph && strings.HasPrefix(b.text, "**Incomplete:**") {
				c.degraded = true
			}
			if b.kind == item && strings.HasPrefix(b.text, "**DEPRECATED:**") {
				deprecated = spot{s.file, b.line}
			}
			if b.kind != paragraph || url.line > 0 {
				continue
			}
			for _, code := range spans(b.text) {
				if op.section == "webhooks" && code == op.method || op.section == "paths" && callsPath(code, op) {
					url = spot{s.file, b.line}
				}
			}
		}
	}
	if url.line == 0 {
		c.hole("operation-url", op.pointer, "no line has its method and path")
	} else {
		c.entry("operation-url", op.pointer, url)
	}
	if op.deprecated != (deprecated.line > 0) {
		c.wrong("operation-deprecated", op.pointer, spot{"SKILL.md", max(deprecated.line, 1)}, "the document says deprecated: %t", op.deprecated)
	}
}

// callsPath reports whether a code span is the operation's method and URL.
func callsPath(code string, op *operation) bool {
	url, ok := strings.CutPrefix(code, op.method+" ")
	if !ok {
		return false
	}
	path, _, _ := strings.Cut(op.path, "#") // which is not sent
	return strings.HasSuffix(plainPath(url), plainPath(path))
}

// plainPath leaves of a path what no encoding changes.
func plainPath(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("/{}._~-", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, percent.ReplaceAllString(s, ""))
}

var percent = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// reading compares what is sent and what comes back.
func (c *checker) reading(op *operation, r *reading) {
	c.parameters(op, r)
	c.request(op, r)
	for _, resp := range op.responses {
		c.response(op, r, resp)
	}
	known := map[string]bool{}
	for _, resp := range op.responses {
		known[plainStatus(resp.status)] = true
	}
	for status, a := range r.answers {
		if !known[status] && len(a.spots) > 0 {
			c.wrong("response-unknown", op.pointer, a.spots[0], "the document has no response %s", status)
		}
	}
}

// parameters compares the parameters.
func (c *checker) parameters(op *operation, r *reading) {
	known := map[[2]string]bool{}
	for _, p := range op.parameters {
		k := parameterKey(p.in, p.name)
		known[k] = true
		if p.in == "header" && slices.Contains([]string{"accept", "content-type", "authorization"}, k[1]) && !c.ledger.doc.swagger() {
			continue // OpenAPI 3, "Parameter Object": to be ignored
		}
		stated := r.parameters[k]
		if p.in == "querystring" && len(stated) == 0 { // as a form, it is written as what a query is
			stated = r.parameters[parameterKey("query", p.name)]
			known[parameterKey("query", p.name)] = true
		}
		if len(stated) == 0 {
			c.hole("parameter", p.at.String(), "the %s parameter %q is not there", p.in, p.name)
			continue
		}
		c.entry("parameter", p.at.String(), spot{stated[0].file, stated[0].line})
		perFile := map[string]int{}
		for _, s := range stated {
			if perFile[s.file]++; perFile[s.file] == 2 {
				c.wrong("parameter-twice", p.at.String(), spot{s.file, s.line}, "the %s parameter %q is there twice", p.in, p.name)
			}
			c.parameter(p, s)
		}
	}
	for k, stated := range r.parameters {
		if !known[k] && !(k[0] == "path" && strings.Contains(op.path, "{"+k[1]+"}")) {
			c.wrong("parameter-unknown", op.pointer, spot{stated[0].file, stated[0].line}, "the document has no %s parameter %q here", k[0], k[1])
		}
	}
}

// parameter compares what a line says of a parameter.
func (c *checker) parameter(p *parameter, s statement) {
	at := spot{s.file, s.line}
	if p.required != s.required {
		c.wrong("parameter-required", p.at.String(), at, "%q is marked required: %t, the document says %t", p.name, s.required, p.required)
	}
	if c.degraded {
		return
	}
	deprecated, _ := p.at.get("deprecated").value.(bool)
	if schema := c.ledger.doc.resolve(p.schema); !deprecated && !c.ledger.doc.before("1") {
		deprecated, _ = schema.get("deprecated").value.(bool)
	}
	if deprecated != slices.Contains(words(s.typ), "deprecated") {
		c.wrong("parameter-deprecated", p.at.String(), at, "%q: the document says deprecated: %t", p.name, deprecated)
	}
	if p.media == "" {
		c.value(p.name, p.schema, s.typ, at)
	}
}

// value compares a type with a schema of a primitive type: its word, its
// enumeration and its default.
func (c *checker) value(name string, schema place, typ string, at spot) {
	d := c.ledger.doc
	s := d.resolve(schema)
	for _, k := range []string{"allOf", "oneOf", "anyOf", "const", "not", "if", "$dynamicRef"} {
		if s.get(k).ok() {
			return
		}
	}
	kind := s.get("type").text()
	format := s.get("format").text()
	if enum := s.get("enum"); len(enum.items()) > 0 {
		for _, v := range enum.items() {
			if !c.states(typ, v.value) {
				c.wrong("enum", v.String(), at, "%q does not have the value %s", name, literal(v.value))
			}
		}
	} else if slices.Contains([]string{"string", "integer", "number", "boolean"}, kind) && !slices.Contains([]string{"binary", "byte", "base64"}, format) && !strings.HasPrefix(strings.TrimLeft(typ, "("), kind) {
		c.wrong("type", s.String(), at, "%q is said to be %q, the document says %s", name, typ, kind)
	}
	if v, ok := s.object()["default"]; ok && kind != "object" && kind != "array" && kind != "" && v != nil {
		if !slices.Contains(defaults(typ), literal(v)) {
			c.wrong("default", s.get("default").String(), at, "%q does not have the default %s", name, literal(v))
		}
	}
}

// defaults returns what follows the word "default".
func defaults(typ string) []string {
	var out []string
	list := words(typ)
	for i, w := range list {
		if w == "default" && i+1 < len(list) {
			out = append(out, list[i+1])
		}
	}
	return out
}

// states reports whether a type, or a list of values elsewhere in the skill if
// the type says that it has more, states a value.
func (c *checker) states(typ string, v any) bool {
	want := literal(v)
	list := words(typ)
	if slices.Contains(list, want) || v == nil && slices.Contains(list, "null") {
		return true
	}
	if b, ok := v.(bool); ok && slices.Contains(list, "boolean") {
		_ = b
		return true
	}
	if !strings.Contains(typ, "... ") {
		return false
	}
	for _, p := range c.skill.pages {
		if reference(p.name) != "enums" {
			continue
		}
		for _, s := range p.sections {
			for _, b := range s.blocks {
				if b.kind == fence && slices.Contains(strings.Fields(b.text), want) || b.kind == fence && strings.Contains(b.text, want) {
					return true
				}
			}
		}
	}
	return false
}

var notInStatus = regexp.MustCompile(`[^A-Za-z0-9-]+`)

// plainStatus is a status as it can stand in a heading.
func plainStatus(s string) string {
	s = strings.Trim(notInStatus.ReplaceAllString(s, "-"), "-")
	if len(s) == 3 {
		s = strings.ToUpper(s)
	}
	return s
}

// response compares one response.
func (c *checker) response(op *operation, r *reading, resp *response) {
	p := resp.at.String()
	a := r.answers[plainStatus(resp.status)]
	main := -1
	if a != nil { // what has only its body in a reference is not stated
		main = slices.IndexFunc(a.spots, func(s spot) bool { return r.more || reference(s.file) != "responses" })
	}
	if main < 0 {
		c.hole("response", p, "the status %s is not there", resp.status)
		return
	}
	c.entry("response", p, a.spots[main])
	for _, m := range resp.body.types {
		if m.name == "" {
			continue
		}
		at, ok := a.types[m.name]
		if !ok {
			for name, s := range a.types {
				if sameType(name, m.name) {
					at, ok = s, true
				}
			}
		}
		if !ok {
			c.hole("response-media-type", m.at.String(), "%s: the media type %q is not there", resp.status, m.name)
			continue
		}
		c.entry("response-media-type", m.at.String(), at)
	}
	for _, h := range resp.headers {
		at, ok := a.headers[strings.ToLower(resp.headerName(h))]
		if !ok {
			c.hole("response-header", h.String(), "%s: the header %q is not there", resp.status, resp.headerName(h))
			continue
		}
		c.entry("response-header", h.String(), at)
	}
}

// callbacks compares the callbacks.
func (c *checker) callbacks() {
	for _, call := range c.op.callbacks {
		found := slices.IndexFunc(c.skill.calls, func(s calledBack) bool {
			return s.name == call.name && s.method == call.operation.method && callsBack(s.where, call.operation.path)
		})
		if found < 0 {
			c.hole("callback", call.operation.pointer, "the callback %q, %s, is not there", call.name, call.operation)
			continue
		}
		s := c.skill.calls[found]
		c.entry("callback", call.operation.pointer, s.spot)
		c.reading(call.operation, s.reading)
	}
}

// callsBack reports whether the words for an address are those for a callback's
// expression.
func callsBack(where, expression string) bool {
	for _, code := range spans(where) {
		if strings.Contains(expression, code) || strings.Contains(plainPath(expression), plainPath(code)) && plainPath(code) != "" {
			return true
		}
	}
	return false
}
