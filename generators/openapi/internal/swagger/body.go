package swagger

import (
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// A body is what an operation takes: a body parameter, form parameters, or, though
// Swagger 2.0 forbids it, both.
type body struct {
	consumes  []string
	inherited bool // what is added now comes from the path item

	whole  *parameter // the body parameter, or nil
	own    bool       // it is the operation's
	schema object     // of it

	properties object // of the form; nil if there is none
	required   []string
	encoding   object // of the form's fields
	file       bool   // the form has one

	types  []string // of what the converter sees
	others []string // of the body parameter, if it is not what the converter sees
}

// addBody takes a body parameter.
func (b *body) addBody(u *upgrader, p *parameter) {
	if b.whole != nil {
		// The operation's body stands for that of the path item.
		if !b.inherited || !b.own {
			u.note(framework.Warning, "two-bodies", "there is a body already: this one, %q, is left out", shorten(p.name))
		}
		return
	}
	b.whole, b.own, b.schema = p, !b.inherited, p.schema(u)
}

// addField takes a form parameter.
func (b *body) addField(u *upgrader, p *parameter) {
	if b.properties == nil {
		b.properties, b.encoding = object{}, object{}
	}
	if _, taken := b.properties[p.name]; taken {
		if !b.inherited {
			u.note(framework.Warning, "two-fields", "the form has a field %q already: this one is left out", shorten(p.name))
		}
		return
	}
	b.properties[p.name] = b.field(u, p)
	b.file = b.file || isFile(p)
	if p.required {
		b.required = append(b.required, p.name)
	}
}

// parameter makes the one body parameter that the converter sees, or returns nil
// if the operation takes nothing.
func (b *body) parameter(u *upgrader) object {
	switch {
	case b.properties == nil && b.whole == nil:
		return nil
	case b.properties == nil:
		b.types = orElse(b.consumes, typeFor(b.schema))
		return b.shell(u, b.schema)
	case b.whole == nil:
		b.types = u.formTypes(b.consumes, b.file)
		return b.formShell(u)
	case !b.file && !slices.ContainsFunc(b.consumes, isMultipart):
		u.note(framework.Warning, "form-and-body", "has a body beside form parameters: read as two forms of the body, of which a caller sends one")
		b.types = orElse(filter(b.consumes, isForm), typeForm)
		b.others = orElse(filter(b.consumes, func(s string) bool { return !isForm(s) }), typeFor(b.schema))
		return b.shell(u, b.form())
	}
	name := b.whole.name
	if name == "" {
		name = "body"
	}
	u.note(framework.Warning, "form-and-body", "has a body beside form parameters: read as the part %q of the multipart form", shorten(name))
	if _, taken := b.properties[name]; !taken {
		b.properties[name] = b.schema
		b.encoding[name] = object{"contentType": typeJSON}
		if b.whole.required {
			b.required = append(b.required, name)
		}
	}
	b.whole = nil
	b.types = orElse(filter(b.consumes, isMultipart), typeMultipart)
	return b.formShell(u)
}

// form is the schema of the form.
func (b *body) form() object {
	s := object{"type": "object", "properties": b.properties}
	if len(b.required) > 0 {
		s["required"] = listOf(b.required)
	}
	return s
}

func (b *body) formShell(u *upgrader) object {
	shell := object{"in": "body", "schema": u.hide(b.form())}
	if len(b.required) > 0 {
		shell["required"] = true
	}
	return shell
}

// shell is the body parameter with that schema.
func (b *body) shell(u *upgrader, schema object) object {
	shell := object{"in": "body", "schema": u.hide(schema)}
	copyExtensions(shell, b.whole.source)
	delete(shell, "x-example")
	delete(shell, "x-examples")
	if b.whole.description != "" {
		shell["description"] = b.whole.description
	}
	if b.whole.required {
		shell["required"] = true
	}
	return shell
}

// field makes the schema of a form field, and notes how it is written.
func (b *body) field(u *upgrader, f *parameter) object {
	s := f.schema(u)
	if f.isArray() && !isFile(f) {
		name, sep := f.separator(u)
		style := sep.style
		if style == "" { // the description tells what the elements are separated by
			style = "form"
			s["x-collectionFormat"] = name
		}
		b.encoding[f.name] = object{"style": style, "explode": sep.explode}
	}
	if s["$ref"] != nil {
		return s
	}
	if f.description != "" {
		s["description"] = f.description
	}
	if empty, ok := asFlag(f.source["allowEmptyValue"]); ok && empty {
		s["allowEmptyValue"] = true
	}
	for k, v := range f.source {
		if isExtension(k) && k != "x-nullable" && k != "x-isnullable" && !strings.HasPrefix(k, "x-example") {
			s[k] = v
		}
	}
	if one, named := f.examples(); one != nil {
		s["example"] = *one
	} else if len(named) > 0 {
		first, _ := named[sorted(named)[0]].(object)
		s["example"] = first["value"]
	}
	return s
}

// isFile reports whether a form field takes a file, or several.
func isFile(p *parameter) bool {
	o := p.source
	for range 2 {
		if o["type"] == "file" || o["format"] == "binary" {
			return true
		}
		o, _ = o["items"].(object)
	}
	return false
}

// finish completes the request body of op.
func (b *body) finish(u *upgrader, op object) {
	rb := child(op, "requestBody")
	content := child(rb, "content")
	for i, name := range b.types {
		media := child(content, name)
		if s, ok := u.shown(media["schema"]); ok {
			u.place(media, s, i == 0)
		}
		if len(b.encoding) > 0 {
			media["encoding"] = b.encoding
		}
	}
	for i, name := range b.others {
		u.place(child(content, name), b.schema, i == 0)
	}
	if b.whole != nil {
		b.finishExamples(content)
	}
}

// finishExamples adds the examples of the body parameter.
func (b *body) finishExamples(content object) {
	types := b.types
	if b.others != nil {
		types = b.others
	}
	one, named := b.whole.examples()
	set := object{}
	if one != nil {
		set, _ = (*one).(object)
	} else if x, ok := b.whole.source["x-examples"].(object); ok {
		set = x
	}
	if len(set) > 0 && !slices.ContainsFunc(sorted(set), func(k string) bool { return !strings.Contains(k, "/") }) {
		// By media type, as the examples of a response are.
		for _, k := range sorted(set) {
			if name, ok := match(types, k); ok {
				child(content, name)["example"] = set[k]
			}
		}
		return
	}
	for _, name := range types {
		media := child(content, name)
		if named != nil {
			media["examples"] = named
		} else if one != nil {
			media["example"] = *one
		}
	}
}

// place sets the schema of a media type. The first one has it for nothing; what is
// repeated for others is limited, since a document may list many.
func (u *upgrader) place(media, schema object, first bool) {
	if !first {
		if u.spread -= weight(schema); u.spread < 0 {
			delete(media, "schema")
			u.note(framework.Warning, "size", "schemas repeated for further media types take too much room: left out")
			return
		}
	}
	media["schema"] = schema
}

// match returns the media type of a list that is k but for its parameters.
func match(types []string, k string) (string, bool) {
	if slices.Contains(types, k) {
		return k, true
	}
	for _, t := range types {
		if baseType(t) == baseType(k) {
			return t, true
		}
	}
	return "", false
}
