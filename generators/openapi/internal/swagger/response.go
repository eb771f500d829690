package swagger

import (
	"errors"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// A response is what is added to one that the converter returns.
type response struct {
	types  []string // of its content
	schema object   // nil if it has none
	ones   object   // the example of a media type
	named  object   // examples that are not by media type
}

// answers prepares the responses of an operation for the converter.
func (c *conversion) answers(out, op object) {
	u := c.u
	produces := u.mediaTypes(op, "produces")
	responses := object{}
	out["responses"] = responses
	if len(produces) > 0 {
		out["produces"] = listOf(produces)
	}
	v := op["responses"]
	if v == nil {
		return
	}
	source, ok := v.(object)
	if !ok {
		u.wrongType("responses")
		return
	}
	u.enter("responses")
	defer u.leave(1)
	for _, status := range sorted(source) {
		if isExtension(status) {
			responses[status] = source[status]
			continue
		}
		u.enter(status)
		r, shell := u.response(source[status], produces)
		u.leave(1)
		if status = strings.TrimSpace(status); len(status) == 3 {
			status = strings.ReplaceAll(status, "x", "X") // 4xx
		}
		responses[status] = shell
		c.responses[status] = r
	}
}

func (u *upgrader) response(v any, produces []string) (*response, object) {
	r := &response{types: produces}
	if s, ok := v.(string); ok {
		v = object{"description": s}
	} else if v == nil {
		v = object{}
	}
	o, why := u.follow(v)
	if why != "" {
		u.note(framework.Error, "response", "the response %s: nothing but its status is kept", why)
		return r, object{"description": ""}
	}
	shell := object{}
	copyExtensions(shell, o)
	delete(shell, "x-examples")
	delete(shell, "x-example")
	shell["description"] = ""
	if s, ok := asText(o["description"]); ok {
		shell["description"] = s
	}
	if v := o["schema"]; v != nil {
		r.schema = u.member("schema", v)
		shell["schema"] = u.hide(r.schema)
	}
	if h, ok := o["headers"].(object); ok {
		u.enter("headers")
		if headers := u.headers(h); len(headers) > 0 {
			shell["headers"] = headers
		}
		u.leave(1)
	} else if o["headers"] != nil {
		u.wrongType("headers")
	}
	r.examples(o)
	if len(r.types) == 0 {
		r.types = orElse(sorted(r.ones), typeFor(r.schema))
	}
	if len(r.ones) > 0 {
		shell["examples"] = r.ones
	}
	return r, shell
}

// examples takes the examples of the response o, which are by media type. Others
// have a name instead, or are the example itself.
func (r *response) examples(o object) {
	v, ok := o["examples"]
	if !ok {
		v, ok = o["x-examples"]
	}
	if !ok || v == nil {
		if v, ok := o["x-example"]; ok {
			r.named = object{"example": object{"value": v}}
		}
		return
	}
	set, ok := v.(object)
	if !ok {
		r.named = object{"example": object{"value": v}}
		return
	}
	r.ones = object{}
	rest := object{}
	for _, k := range sorted(set) {
		if !strings.Contains(k, "/") {
			rest[k] = set[k]
			continue
		}
		name, ok := match(r.types, k)
		if !ok {
			name = k
		}
		if _, taken := r.ones[name]; !taken || name == k {
			r.ones[name] = set[k]
		}
	}
	switch properties, _ := r.schema["properties"].(object); {
	case len(rest) == 0:
	case properties != nil && !slices.ContainsFunc(sorted(rest), func(k string) bool { return properties[k] == nil }):
		r.named = object{"example": object{"value": rest}}
	default:
		r.named = exampleSet(rest)
	}
}

// headers prepares the headers of a response. Their keywords stand beside the
// description, as those of a parameter do.
func (u *upgrader) headers(source object) object {
	out := make(object, len(source))
	for _, name := range sorted(source) {
		if isExtension(name) && !isObject(source[name]) {
			continue
		}
		u.enter(name)
		if h, why := u.follow(source[name]); why != "" {
			u.note(framework.Warning, "header", "the header %s: left out", why)
		} else {
			p := &parameter{source: h, name: name, in: "header"}
			p.description, _ = asText(h["description"])
			shell := object{}
			if p.isArray() {
				p.separator(u)
			}
			copyExtensions(shell, h)
			delete(shell, "x-nullable")
			delete(shell, "x-example")
			delete(shell, "x-examples")
			if p.description != "" {
				shell["description"] = p.description
			}
			s := p.schema(u)
			if one, _ := p.examples(); one != nil && s["$ref"] == nil {
				s["example"] = *one
			}
			shell["schema"] = u.hide(s)
			out[name] = shell
		}
		u.leave(1)
	}
	return out
}

func isObject(v any) bool {
	_, ok := v.(object)
	return ok
}

func (c *conversion) finishResponses(op object) error {
	u := c.u
	out := child(op, "responses")
	u.path = append(u.path[:0], "paths", c.path, c.method, "responses")
	for _, status := range sorted(c.responses) {
		r := c.responses[status]
		o, ok := out[status].(object)
		if !ok {
			return errors.New("a response was lost on conversion")
		}
		if headers, ok := o["headers"].(object); ok {
			for name := range headers {
				h := child(headers, name)
				if s, ok := u.shown(h["schema"]); ok {
					h["schema"] = s
				}
			}
		}
		converted, _ := o["content"].(object)
		content := object{}
		if r.schema != nil || len(r.named) > 0 {
			for _, name := range r.types {
				content[name] = object{}
			}
		}
		for name := range r.ones {
			content[name] = object{}
		}
		first := true
		for _, name := range sorted(content) {
			media, ok := converted[name].(object)
			if !ok {
				media = object{}
			}
			delete(media, "schema")
			if r.schema != nil {
				u.place(media, r.schema, first)
				first = false
			}
			content[name] = media
		}
		if len(r.named) > 0 {
			media := child(content, r.types[0])
			if media["example"] == nil {
				media["examples"] = r.named
			}
		}
		delete(o, "content")
		if len(content) > 0 {
			o["content"] = content
		}
	}
	return nil
}
