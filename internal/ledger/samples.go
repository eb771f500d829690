package ledger

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxSample is how large a sample may be that is held against its schema.
const maxSample = 1 << 20

// A sample is JSON that a skill shows.
type sample struct {
	text       string
	at         spot
	media      string // "" if it is not said
	document   bool   // said to be the document's own
	announced  bool   // said not to follow the schema
	unexpanded bool   // said to have guesses in it
}

var (
	contentType = regexp.MustCompile(`-H 'Content-Type: ([^']+)'`)
	announcing  = []string{"though its schema does not allow it", "though the schema does not allow it"}
	guessing    = []string{"may be no valid values", "guess"}
)

// samples returns the JSON of a section, with what stands around it.
func (s *section) samples() []sample {
	var out []sample
	for i, b := range s.blocks {
		if b.kind != fence || b.info != "json" && b.info != "bash" {
			continue
		}
		around := ""
		if i > 0 && s.blocks[i-1].kind == paragraph {
			around = s.blocks[i-1].text
		} else if i == 0 {
			around = s.h3 + s.h2
		}
		x := sample{text: b.text, at: spot{s.file, b.line}}
		if b.info == "json" {
			if names := spans(around); len(names) > 0 {
				x.media = names[len(names)-1]
			}
		} else {
			for j := i + 1; j < len(s.blocks) && s.blocks[j].kind == paragraph; j++ {
				around += "\n" + s.blocks[j].text
			}
		}
		has := func(words ...string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(around, w) })
		}
		x.document = has("from the document", "the document's example")
		x.announced, x.unexpanded = has(announcing...), has(guessing...)
		if b.info == "json" {
			out = append(out, x)
			continue
		}
		if m := contentType.FindStringSubmatch(b.text); m != nil {
			x.media = m[1]
		}
		lines := strings.Split(b.text, "\n")
		for j := 0; j < len(lines); j++ {
			if !strings.HasSuffix(lines[j], "<<'JSON'") {
				continue
			}
			end := slices.Index(lines[j+1:], "JSON")
			if end < 0 {
				break
			}
			y := x
			y.text, y.at.line = strings.Join(lines[j+1:j+1+end], "\n"), b.line+j+1
			out = append(out, y)
			j += end
		}
	}
	return out
}

// samples checks every sample that the skill shows.
func (c *checker) samples() {
	op := c.op
	if c.degraded {
		return
	}
	for _, p := range c.skill.pages {
		for i := range p.sections {
			s := &p.sections[i]
			title := s.h2
			if p.name == "SKILL.md" && s.h2 == "Answer" {
				title = s.h3
			}
			statuses, rest := statusList(strings.TrimSuffix(title, ", continued"))
			switch stem := reference(p.name); {
			case p.name == "SKILL.md" && s.h2 == "Call", stem == "examples":
				c.bodySamples(s, op.request, "request", nil)
			case p.name == "SKILL.md" && s.h2 == "Try your receiver":
				c.bodySamples(s, op.request, "", nil)
			case p.name == "SKILL.md" && s.h2 == "Answer", stem == "responses":
				for _, r := range op.responses {
					if slices.Contains(statuses, plainStatus(r.status)) {
						c.bodySamples(s, &r.body, "response", spans(rest))
					}
				}
			case stem == "callbacks":
				for _, call := range op.callbacks {
					if m := callHeading.FindStringSubmatch(strings.TrimSuffix(s.h2, ", continued")); m != nil && spans(m[1])[0] == call.name && m[2] == call.operation.method && callsBack(m[3], call.operation.path) {
						c.bodySamples(s, call.operation.request, "", nil)
					}
				}
			}
		}
	}
	for _, p := range op.parameters {
		for _, s := range c.skill.own.parameters[parameterKey(p.in, p.name)] {
			c.parameterSample(p, s)
		}
	}
}

// bodySamples checks the samples of a section about a body. The title may name
// its media types.
func (c *checker) bodySamples(s *section, b *body, direction string, title []string) {
	for _, x := range s.samples() {
		if x.announced || x.unexpanded || len(x.text) > maxSample {
			continue
		}
		var types []media
		if b != nil {
			for _, m := range b.types {
				if x.media == "" || sameType(m.name, x.media) || m.name == "" {
					types = append(types, m)
				}
			}
			if len(types) == 0 { // what is named is something else
				types = b.types
			}
			if len(title) > 0 {
				if named := slices.DeleteFunc(slices.Clone(types), func(m media) bool { return !slices.Contains(title, m.name) }); len(named) > 0 {
					types = named
				}
			}
		}
		v, err := decode(x.text)
		if err != nil {
			c.wrong("example-made", c.op.pointer, x.at, "the sample is no JSON: %v", err)
			continue
		}
		reason, at := "the document has no body here", c.op.pointer
		if b != nil && len(b.form) > 0 {
			continue
		}
		for _, m := range types {
			at = m.at.String()
			if reason = c.refuses(m.schema, v, x, direction); reason == "" || c.ledger.doc.impossible(m.schema, 0) {
				reason = ""
				break
			}
		}
		c.sampleFault(x, at, reason)
	}
}

// refuses returns why a schema does not allow a value. Of the document's own
// values formats do not count, also where they are a part of what was made.
func (c *checker) refuses(schema place, v any, x sample, direction string) string {
	if !schema.ok() {
		return ""
	}
	d := c.ledger.doc
	if reason, _ := d.check(schema, v, use{direction: direction}); reason != "" || x.document {
		return reason
	}
	reason, at := d.check(schema, v, use{direction: direction, formats: true})
	if s, ok := valueAt(v, at).(string); ok && d.owns(s) {
		return ""
	}
	return reason
}

// valueAt returns the value at a location.
func valueAt(v any, at []string) any {
	for _, token := range at {
		switch parent := v.(type) {
		case object:
			v = parent[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(parent) {
				return nil
			}
			v = parent[i]
		}
	}
	return v
}

// owns reports whether a text is a value of one of the document's files.
func (d *Document) owns(s string) bool {
	if d.texts == nil {
		d.texts = map[string]bool{}
		var walk func(v any)
		walk = func(v any) {
			switch v := v.(type) {
			case object:
				for _, m := range v {
					walk(m)
				}
			case []any:
				for _, m := range v {
					walk(m)
				}
			case string:
				d.texts[v] = true
			}
		}
		for _, f := range d.files {
			walk(f.value)
		}
	}
	return d.texts[s]
}

func (c *checker) sampleFault(x sample, pointer, reason string) {
	switch {
	case reason == "":
	case x.document:
		c.wrong("example-unannounced", pointer, x.at, "the document's example is not said to break its schema: %s", reason)
	default:
		c.wrong("example-made", pointer, x.at, "the made sample breaks its schema: %s", reason)
	}
}

func decode(text string) (any, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return tameNumbers(v, 0)
}

// parameterSample checks the sample of a parameter that is a single value, or
// a list in the usual form.
func (c *checker) parameterSample(p *parameter, s statement) {
	d := c.ledger.doc
	schema := d.quietly(p.schema)
	if s.sample == "" || p.media != "" || !schema.ok() || p.at.get("style").ok() {
		return
	}
	text := s.sample
	list := false
	switch schema.get("type").text() {
	case "string", "integer", "number", "boolean":
	case "array":
		if d.swagger() || p.in != "query" || p.at.get("explode").value == false || d.quietly(schema.get("items")).get("type").text() != "string" {
			return
		}
		list = true
	default:
		return
	}
	var values []any
	for part := range strings.SplitSeq(text, "&") {
		if !list {
			part = text
		}
		plain, ok := plainValue(p, part)
		if !ok {
			c.wrong("example-made", p.at.String(), spot{s.file, s.line}, "the sample %q is not of %q", s.sample, p.name)
			return
		}
		values = append(values, plain)
		if !list {
			break
		}
	}
	x := sample{at: spot{s.file, s.line}, document: p.hasExample(d)}
	reason := ""
	for _, v := range candidates(values, list) {
		if reason = c.refuses(p.schema, v, x, ""); reason == "" {
			return
		}
	}
	if c.ledger.doc.impossible(p.schema, 0) {
		return
	}
	c.sampleFault(x, p.at.String(), reason)
}

// plainValue takes the name and the encoding off a sample.
func plainValue(p *parameter, text string) (string, bool) {
	switch p.in {
	case "query", "cookie":
		name, value, ok := strings.Cut(text, "=")
		if plain, err := url.QueryUnescape(name); err != nil || !ok || plain != p.name {
			return "", false
		}
		text = value
		if p.in == "query" {
			text, err := url.QueryUnescape(text)
			return text, err == nil
		}
	case "header":
		value, ok := strings.CutPrefix(text, p.name+": ")
		return value, ok
	}
	text, err := url.PathUnescape(text)
	return text, err == nil
}

// candidates are the values that a text can stand for.
func candidates(values []any, list bool) []any {
	if list {
		return []any{values}
	}
	s, _ := values[0].(string)
	out := []any{s}
	if v, err := decode(s); err == nil {
		switch v.(type) {
		case json.Number, bool, nil:
			out = append(out, v)
		}
	}
	return out
}

// hasExample reports whether the document gives an example of the parameter.
func (p *parameter) hasExample(d *Document) bool {
	for _, at := range []place{p.at, d.quietly(p.schema), d.quietly(d.quietly(p.schema).get("items"))} {
		for _, k := range []string{"example", "examples", "x-example"} {
			if at.get(k).ok() {
				return true
			}
		}
	}
	return false
}
