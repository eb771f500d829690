package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// A Document is an OpenAPI document as it stands in its files. It is not safe
// for concurrent use.
type Document struct {
	Version    string // of OpenAPI, as it says
	name       string // of its file
	root       place
	open       func(string) ([]byte, error)
	files      map[string]*loaded
	anchored   map[string]map[string]place
	seen       map[Finding]bool
	faults     []Finding
	operations []*operation
	schemas    *schemas
	texts      map[string]bool // that it has as values, once they are asked for
}

// Read reads a document, JSON or YAML. The open function returns other files
// that it refers to, by their slash-separated path from the document's folder,
// which may begin with "../"; nil: there are none.
func Read(name string, data []byte, open func(path string) ([]byte, error)) (*Document, error) {
	v, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	root, ok := v.(object)
	if !ok {
		return nil, fmt.Errorf("%s: not an object", name)
	}
	d := &Document{
		name: path.Base(name), root: place{value: root}, open: open,
		files: map[string]*loaded{"": {value: v}}, anchored: map[string]map[string]place{}, seen: map[Finding]bool{},
	}
	for _, key := range []string{"openapi", "swagger"} {
		if v, ok := root[key]; ok {
			d.Version = fmt.Sprint(v)
		}
	}
	if d.Version == "" {
		return nil, fmt.Errorf("%s: %w", name, errors.New("neither openapi nor swagger says its version"))
	}
	d.collect()
	return d, nil
}

// Faults returns what the document refers to and does not have.
func (d *Document) Faults() []Finding { return slices.Clone(d.faults) }

// An operation is one that can be called, or of a webhook or a callback.
type operation struct {
	section    string // "paths", "webhooks" or "callbacks"
	method     string // upper case
	path       string // or the webhook's name, or the callback's expression
	pointer    string // to where it stands under its path
	at         place
	deprecated bool
	parameters []*parameter
	request    *body // nil: none
	responses  []*response
	security   []place // alternatives, each an object of scopes by scheme
	secured    bool    // security is stated
	callbacks  []*callback
}

func (o *operation) String() string {
	if o.section == "webhooks" {
		return "webhook " + o.method + " " + o.path
	}
	return o.method + " " + o.path
}

// A parameter is one that is not the body.
type parameter struct {
	at       place
	name, in string
	required bool
	schema   place // nothing if it has content instead
	media    string
}

// A body is that of a request or a response.
type body struct {
	at       place
	required bool
	types    []media
	form     []*parameter // of Swagger 2.0
}

// A media is one media type of a body.
type media struct {
	at     place
	name   string // "" if it is not stated
	schema place
}

type response struct {
	at      place
	status  string
	headers []place // each with its name as the last token
	body    body
}

func (r *response) headerName(p place) string {
	return pointerUnescapes.Replace(path.Base(p.pointer))
}

type callback struct {
	name      string
	operation *operation
}

func (d *Document) swagger() bool { return d.Version == "2.0" }

// before reports whether the document is of an OpenAPI version before that.
func (d *Document) before(minor string) bool {
	return strings.HasPrefix(d.Version, "2.") || d.Version < "3."+minor
}

// collect finds the operations.
func (d *Document) collect() {
	for _, section := range []string{"paths", "webhooks"} {
		items := d.resolve(d.root.get(section))
		for _, name := range items.keys() {
			item := items.get(name)
			d.operations = append(d.operations, d.itemOperations(section, name, item, true)...)
		}
	}
}

// itemOperations returns the operations of a path item.
func (d *Document) itemOperations(section, name string, item place, callbacks bool) []*operation {
	methods := []string{"get", "put", "post", "delete", "options", "head", "patch"}
	if !d.swagger() {
		methods = append(methods, "trace")
	}
	if !d.before("2") {
		methods = append(methods, "query")
	}
	found := map[string]*operation{}
	add := func(method, key string, at place) {
		if !at.ok() || found[method] != nil {
			return
		}
		found[method] = d.operation(&operation{
			section: section, method: method, path: name, at: at,
			pointer: item.String() + key,
		}, item, callbacks)
	}
	for _, m := range methods {
		add(strings.ToUpper(m), "/"+m, d.lookup(item, m))
	}
	if !d.before("2") {
		more := d.lookup(item, "additionalOperations")
		for _, m := range more.keys() {
			add(m, "/additionalOperations/"+escapePointer(m), more.get(m))
		}
	}
	var list []*operation
	for _, m := range slices.Sorted(maps.Keys(found)) {
		list = append(list, found[m])
	}
	return list
}

// operation reads what an operation has.
func (d *Document) operation(o *operation, item place, callbacks bool) *operation {
	o.deprecated, _ = d.lookup(o.at, "deprecated").value.(bool)
	o.parameters = d.parameters(d.lookup(item, "parameters"), d.lookup(o.at, "parameters"))
	if d.swagger() {
		d.swaggerBody(o, item)
	} else if b := d.resolve(d.lookup(o.at, "requestBody")); b.ok() && len(b.get("content").object()) > 0 {
		o.request = &body{at: b, types: d.content(b)}
		o.request.required, _ = b.get("required").value.(bool)
	}
	d.responses(o)
	security := d.lookup(o.at, "security")
	if !security.ok() && o.section == "paths" {
		security = d.root.get("security")
	}
	switch security.value.(type) {
	case []any:
		o.secured, o.security = true, security.items()
	case object: // one alternative, of which no list was made
		o.secured, o.security = true, []place{security}
	}
	if !callbacks {
		return o
	}
	stated := d.lookup(o.at, "callbacks")
	for _, name := range stated.keys() {
		c := d.resolve(stated.get(name))
		for _, expression := range c.keys() {
			for _, op := range d.itemOperations("callbacks", expression, c.get(expression), false) {
				o.callbacks = append(o.callbacks, &callback{name, op})
			}
		}
	}
	return o
}

// parameters merges lists of parameters, of which the later win, and leaves
// out bodies.
func (d *Document) parameters(lists ...place) []*parameter {
	type key struct{ in, name string }
	var order []key
	found := map[key]*parameter{}
	for _, list := range lists {
		for _, item := range d.resolve(list).items() {
			at := d.resolve(item)
			p := &parameter{at: at, name: at.get("name").text(), in: at.get("in").text(), schema: at.get("schema")}
			p.required, _ = at.get("required").value.(bool)
			p.required = p.required || p.in == "path"
			if p.in == "body" || p.in == "" {
				continue
			}
			if d.swagger() {
				p.schema = at
			} else if content := d.content(at); len(content) > 0 {
				p.schema, p.media = content[0].schema, content[0].name
			}
			k := key{p.in, p.name}
			if p.in == "header" {
				k.name = strings.ToLower(p.name)
			}
			if found[k] == nil {
				order = append(order, k)
			}
			found[k] = p
		}
	}
	out := make([]*parameter, len(order))
	for i, k := range order {
		out[i] = found[k]
	}
	return out
}

// content returns the media types of something that has content.
func (d *Document) content(of place) []media {
	var types []media
	content := of.get("content")
	for _, name := range content.keys() {
		at := d.resolve(content.get(name))
		m := media{at: at, name: name, schema: at.get("schema")}
		if !m.schema.ok() {
			m.schema = at.get("itemSchema") // of what is streamed
		}
		if !m.at.ok() {
			m.at = content.get(name)
		}
		types = append(types, m)
	}
	return types
}

// swaggerBody reads the body of an operation of Swagger 2.0.
func (d *Document) swaggerBody(o *operation, item place) {
	types := d.listed(o, "consumes")
	merged := map[string]place{}
	for _, list := range []place{d.lookup(item, "parameters"), d.lookup(o.at, "parameters")} {
		for _, p := range list.items() {
			if at := d.resolve(p); at.get("in").text() == "body" {
				merged["body"] = at
			}
		}
	}
	if at, ok := merged["body"]; ok {
		o.request = &body{at: at}
		o.request.required, _ = at.get("required").value.(bool)
		for _, name := range types {
			o.request.types = append(o.request.types, media{at: at, name: name, schema: at.get("schema")})
		}
		if len(types) == 0 {
			o.request.types = []media{{at: at, schema: at.get("schema")}}
		}
		return
	}
	var form, others []*parameter
	file := false
	for _, p := range o.parameters {
		if p.in == "formData" {
			form = append(form, p)
			file = file || p.at.get("type").text() == "file"
		} else {
			others = append(others, p)
		}
	}
	if len(form) == 0 {
		return
	}
	o.parameters = others
	o.request = &body{at: form[0].at, form: form}
	for _, name := range types {
		if strings.HasPrefix(name, "multipart/") || !file && strings.HasPrefix(name, "application/x-www-form-urlencoded") {
			o.request.types = append(o.request.types, media{at: form[0].at, name: name})
		}
	}
	if len(o.request.types) == 0 {
		o.request.types = []media{{at: form[0].at}}
	}
}

// listed returns the media types that consumes or produces gives an operation.
func (d *Document) listed(o *operation, key string) []string {
	list := d.lookup(o.at, key)
	if _, ok := list.value.([]any); !ok || len(list.items()) == 0 {
		list = d.root.get(key)
	}
	var names []string
	for _, item := range list.items() {
		if s := strings.TrimSpace(item.text()); s != "" && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}

// responses reads those of an operation.
func (d *Document) responses(o *operation) {
	all := d.resolve(d.lookup(o.at, "responses"))
	for _, status := range all.keys() {
		if !looksLikeStatus(plainStatus(status)) {
			continue // nobody can receive it
		}
		at := d.resolve(all.get(status))
		if !at.ok() {
			at = all.get(status)
		}
		r := &response{at: at, status: status, body: body{at: at}}
		headers := at.get("headers")
		for _, name := range headers.keys() {
			if !strings.EqualFold(name, "Content-Type") { // by the specification, ignored
				r.headers = append(r.headers, headers.get(name))
			}
		}
		if d.swagger() {
			if schema := at.get("schema"); schema.ok() {
				for _, name := range d.listed(o, "produces") {
					r.body.types = append(r.body.types, media{at: at, name: name, schema: schema})
				}
				if len(r.body.types) == 0 {
					r.body.types = []media{{at: at, schema: schema}}
				}
			}
		} else {
			r.body.types = d.content(at)
		}
		o.responses = append(o.responses, r)
	}
}

// literal writes a value as the notation does: as JSON.
func literal(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(data))
}

// An Operation is one that can be called, or a webhook's.
type Operation struct {
	Method  string // upper case
	Path    string // or the webhook's name
	Webhook bool
	Pointer string
}

// Operations returns all, by path and method, webhooks last.
func (d *Document) Operations() []Operation {
	list := make([]Operation, len(d.operations))
	for i, op := range d.operations {
		list[i] = Operation{op.method, op.path, op.section == "webhooks", op.pointer}
	}
	return list
}

// JSON returns the document itself, without the files that it refers to.
func (d *Document) JSON() ([]byte, error) { return json.Marshal(d.root.value) }
