package swagger

import (
	"errors"
	"strconv"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// converted is the method under which the converter sees the operation: one that
// it knows, and that may have a body.
const converted = "post"

// A conversion is an operation on its way through the converter: what goes in,
// and what is added to what comes out.
type conversion struct {
	u            *upgrader
	path, method string
	item         object // with the operation, for the converter

	inherited, own []object // what is added to the parameters of each, by position
	body           *body
	responses      map[string]*response
}

// operation prepares an operation for the converter.
func (u *upgrader) operation(path, method string, item, op object) *conversion {
	c := &conversion{u: u, path: path, method: method, item: object{}, responses: map[string]*response{}}
	u.path = append(u.path[:0], "paths", path, method)
	out := object{}
	copyExtensions(out, op)
	for _, k := range []string{"summary", "description", "operationId"} {
		if v, ok := op[k]; ok && v != nil {
			if s, ok := asText(v); ok {
				out[k] = s
			} else {
				u.wrongType(k)
			}
		}
	}
	if is, ok := asFlag(op["deprecated"]); ok && is {
		out["deprecated"] = true
	}
	if tags, ok := asTexts(op["tags"]); ok {
		out["tags"] = listOf(tags)
	}
	if v := op["externalDocs"]; v != nil && !u.externalDocs(out, v) {
		u.wrongType("externalDocs")
	}
	if r := u.requirements(op, "security"); r != nil {
		out["security"] = r
	}
	c.parameters(out, item, op)
	c.answers(out, op)

	copyExtensions(c.item, item)
	c.item[converted] = out
	return c
}

// parameters sorts the parameters of the operation and of its path item.
func (c *conversion) parameters(out, item, op object) {
	u := c.u
	b := &body{consumes: u.mediaTypes(op, "consumes")}
	var own, inherited []any
	own, c.own = c.list(op["parameters"], b)
	u.leave(1)
	b.inherited = true
	inherited, c.inherited = c.list(item["parameters"], b)
	u.enter(c.method)
	if len(own) > 0 {
		out["parameters"] = own
	}
	if len(inherited) > 0 {
		c.item["parameters"] = inherited
	}
	if p := b.parameter(u); p != nil {
		out["parameters"] = append(own, p)
		out["consumes"] = listOf(b.types)
		c.body = b
	}
}

// list prepares the parameters that are neither body nor form, and gives those to
// b. additions are what the converter drops, by position.
func (c *conversion) list(v any, b *body) (list []any, additions []object) {
	u := c.u
	if v == nil {
		return nil, nil
	}
	source, ok := v.([]any)
	if !ok {
		u.wrongType("parameters")
		return nil, nil
	}
	u.enter("parameters")
	defer u.leave(1)
	for i, v := range source {
		u.enter(strconv.Itoa(i))
		if p, why := u.follow(v); why != "" {
			u.note(framework.Error, "parameter", "the parameter %s: left out", why)
		} else if p := u.newParameter(p, c.path); p != nil {
			switch p.in {
			case "body":
				b.addBody(u, p)
			case "formData":
				b.addField(u, p)
			default:
				shell, more := p.convertible(u)
				list = append(list, shell)
				additions = append(additions, more)
			}
		}
		u.leave(1)
	}
	return list, additions
}

// finish puts what the converter returned in its final form.
func (c *conversion) finish(out object) error {
	paths, _ := out["paths"].(object)
	item, _ := paths[c.path].(object)
	op, _ := item[converted].(object)
	if op == nil {
		return errors.New("the operation was lost on conversion")
	}
	if err := c.finishParameters(item, c.inherited); err != nil {
		return err
	}
	if err := c.finishParameters(op, c.own); err != nil {
		return err
	}
	if c.body != nil {
		c.body.finish(c.u, op)
	}
	if err := c.finishResponses(op); err != nil {
		return err
	}
	delete(item, converted)
	item[c.method] = op
	return nil
}

func (c *conversion) finishParameters(o object, additions []object) error {
	list, _ := o["parameters"].([]any)
	if len(list) != len(additions) {
		return errors.New("parameters were lost on conversion")
	}
	for i, v := range list {
		p, ok := v.(object)
		if !ok {
			return errors.New("a parameter was lost on conversion")
		}
		if s, ok := c.u.shown(p["schema"]); ok {
			p["schema"] = s
		}
		for k, v := range additions[i] {
			p[k] = v
		}
	}
	return nil
}

// A parameter is one of Swagger 2.0, references followed.
type parameter struct {
	source      object
	name, in    string
	description string
	required    bool
}

// locations are how people write where a parameter is, in lower case.
var locations = map[string]string{
	"query": "query", "header": "header", "path": "path", "cookie": "cookie",
	"body": "body", "formdata": "formData", "form": "formData",
}

// newParameter returns nil if the parameter cannot be read.
func (u *upgrader) newParameter(o object, path string) *parameter {
	p := &parameter{source: o}
	p.name, _ = asText(o["name"])
	p.description, _ = asText(o["description"])
	p.required, _ = asFlag(o["required"])
	stated, _ := asText(o["in"])
	if p.in = locations[strings.ToLower(strings.TrimSpace(stated))]; p.in == "" {
		switch {
		case o["schema"] != nil && o["type"] == nil:
			p.in = "body"
		case p.name != "" && strings.Contains(path, "{"+p.name+"}"):
			p.in = "path"
		default:
			p.in = "query"
		}
		u.note(framework.Warning, "parameter-in", "the parameter is in %q, which is no place for one: read as in %s", shorten(stated), p.in)
	}
	if p.name == "" && p.in != "body" {
		u.note(framework.Error, "parameter", "the parameter has no name: left out")
		return nil
	}
	return p
}

// schema makes the schema of a parameter, whose keywords stand beside its name.
func (p *parameter) schema(u *upgrader) object {
	o := p.source
	if s, ok := o["schema"].(object); ok && (p.in == "body" || o["type"] == nil) {
		return u.member("schema", s)
	}
	s := object{}
	for k, v := range o {
		switch k {
		case "name", "in", "description", "required", "schema", "collectionFormat", "allowEmptyValue", "example", "x-example", "x-examples":
			continue
		}
		// Extensions are about the values, or belong to the parameter.
		if isExtension(k) && !strings.HasPrefix(k, "x-enum") && k != omittedKey && k != "x-nullable" && k != "x-isnullable" {
			continue
		}
		s[k] = v
	}
	return u.schema(s, "")
}

// A separator is a way to write an array into one value.
type separator struct {
	style   string // of OpenAPI 3, in a query or form; "" if there is none
	explode bool
	names   string // what stands between the values
}

var separators = map[string]separator{
	"csv":   {style: "form", names: "commas"},
	"ssv":   {style: "spaceDelimited", names: "spaces"},
	"tsv":   {names: "tabs"},
	"pipes": {style: "pipeDelimited", names: "pipes (|)"},
	"multi": {style: "form", explode: true},
}

// separator returns how the values of the array are written, as in
// "collectionFormat": commas unless stated otherwise.
func (p *parameter) separator(u *upgrader) (name string, s separator) {
	name, _ = asText(p.source["collectionFormat"])
	s, ok := separators[name]
	repeats := p.in == "query" || p.in == "formData"
	if !ok || name == "multi" && !repeats {
		if name != "" {
			u.note(framework.Warning, "collection-format", "collectionFormat is %q, which %s does not know: read as csv", shorten(name), p.in)
		}
		name = "csv"
		s = separators[name]
	}
	if !repeats && name != "csv" {
		s.style = ""
	}
	if s.style == "" {
		u.note(framework.Warning, "collection-format", "OpenAPI 3 has no style for collectionFormat %s in %s: the description states it", name, p.in)
		if p.description != "" {
			p.description += "\n\n"
		}
		p.description += "One value: the elements are separated by " + s.names + "."
	}
	return name, s
}

// isArray reports whether the parameter takes an array.
func (p *parameter) isArray() bool {
	t, _ := p.source["type"].(string)
	return t == "array"
}

// convertible returns the parameter as the converter takes it, and what is to be
// added afterwards.
func (p *parameter) convertible(u *upgrader) (shell, additions object) {
	o := p.source
	shell, additions = object{"name": p.name, "in": p.in}, object{}
	if p.isArray() {
		name, s := p.separator(u)
		shell["type"] = "array"
		shell["collectionFormat"] = name
		if s.style == "" {
			shell["collectionFormat"] = "csv"
			additions["x-collectionFormat"] = name
		}
	}
	copyExtensions(shell, o)
	for _, k := range []string{"x-example", "x-examples", "x-nullable", "x-isnullable"} {
		delete(shell, k)
	}
	if p.description != "" {
		shell["description"] = p.description
	}
	if p.required || p.in == "path" {
		shell["required"] = true
	}
	shell["schema"] = u.hide(p.schema(u))
	if empty, ok := asFlag(o["allowEmptyValue"]); ok && empty && p.in == "query" {
		additions["allowEmptyValue"] = true
	}
	if v, named := p.examples(); named != nil {
		additions["examples"] = named
	} else if v != nil {
		additions["example"] = *v
	}
	return shell, additions
}

// examples returns the example of a parameter, or its named examples. Swagger 2.0
// has none but in extensions.
func (p *parameter) examples() (one *any, named object) {
	for _, k := range []string{"x-example", "example"} {
		if v, ok := p.source[k]; ok {
			return &v, nil
		}
	}
	for _, k := range []string{"x-examples", "examples"} {
		switch v := p.source[k].(type) {
		case object:
			if named := exampleSet(v); len(named) > 0 {
				return nil, named
			}
		case []any:
			if len(v) > 0 {
				return &v[0], nil
			}
		}
	}
	return nil, nil
}

// exampleSet makes a map of Example Objects.
func exampleSet(o object) object {
	set := make(object, len(o))
	for k, v := range o {
		e := object{"value": v}
		if x, ok := v.(object); ok && x["value"] != nil {
			e["value"] = x["value"]
			for _, k := range []string{"summary", "description"} {
				if s, ok := asText(x[k]); ok {
					e[k] = s
				}
			}
		}
		set[k] = e
	}
	return set
}
