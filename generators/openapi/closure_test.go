package openapi

import (
	"crypto/sha256"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A second reading of documents: what an operation depends on, as the rules and the
// specification have it, found by walking the values. It has no budget, cuts
// nothing, and shares no code with the package.

// An origin is an operation of a document.
type origin struct {
	key    string // "GET /pots", "POST webhook:hot"
	method string
	ptr    string // "/paths/~1pots/get"
	id     string // operationId
	file   string // that has the body
	body   any
	item   []located // the path item, and what its $ref leads to
	hook   bool
}

// A located value is one in a file.
type located struct {
	file  string
	value any
}

func escaped(token string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

// resolve returns what a reference in a file leads to, and the place's name.
func (d *docset) resolve(from, ref string) (at located, spot string, ok bool) {
	file, fragment := d.target(from, ref)
	if at, spot, ok = d.lookup(file, fragment); !ok && strings.HasPrefix(ref, "#/") {
		at, spot, ok = d.lookup("", fragment) // people write what is right once the files are joined
	}
	return at, spot, ok
}

func (d *docset) lookup(file, fragment string) (at located, spot string, ok bool) {
	v, ok := d.files[file]
	if !ok {
		return at, "", false
	}
	at = located{file, v}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	tokens := strings.Split(fragment, "/")[1:]
	for _, t := range tokens {
		t = strings.NewReplacer("~1", "/", "~0", "~").Replace(t)
		switch v := at.value.(type) {
		case map[string]any:
			if at.value, ok = v[t]; !ok {
				ref, is := v["$ref"].(string)
				if !is {
					return at, "", false
				}
				next, _, found := d.resolve(at.file, ref)
				if !found {
					return at, "", false
				}
				at = next
				inner, is := at.value.(map[string]any)
				if !is || inner[t] == nil {
					return at, "", false
				}
				at.value = inner[t]
			}
		case []any:
			n, err := strconv.Atoi(t)
			if err != nil || n >= len(v) || n < 0 {
				return at, "", false
			}
			at.value = v[n]
		default:
			return at, "", false
		}
	}
	return at, path.Join("/", file) + "#" + fragment, true
}

var fieldMethods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// operations returns all operations of a document by their keys.
func (d *docset) operations() map[string]*origin {
	all := map[string]*origin{}
	for _, list := range []string{"paths", "webhooks"} {
		items, _ := d.root()[list].(map[string]any)
		for name, v := range items {
			hook := list == "webhooks"
			if strings.HasPrefix(name, "x-") && !hook {
				continue
			}
			parts := []located{{"", v}}
			for {
				last := parts[len(parts)-1]
				item, _ := last.value.(map[string]any)
				ref, is := item["$ref"].(string)
				if !is || len(parts) > 10 {
					break
				}
				at, _, ok := d.resolve(last.file, ref)
				if !ok {
					break
				}
				parts = append(parts, at)
			}
			add := func(method, sub, file string, body any) {
				key := method + " " + name
				if hook {
					key = method + " webhook:" + name
				}
				if all[key] != nil || body == nil {
					return
				}
				for range 10 {
					op, _ := body.(map[string]any)
					ref, is := op["$ref"].(string)
					if !is {
						break
					}
					at, _, ok := d.resolve(file, ref)
					if !ok {
						break
					}
					file, body = at.file, at.value
				}
				op, _ := body.(map[string]any)
				id, _ := op["operationId"].(string)
				all[key] = &origin{key, method, "/" + list + "/" + escaped(name) + sub, id, file, body, parts, hook}
			}
			for _, part := range parts {
				item, _ := part.value.(map[string]any)
				for _, m := range fieldMethods {
					add(strings.ToUpper(m), "/"+m, part.file, item[m])
				}
				more, _ := item["additionalOperations"].(map[string]any)
				for m, body := range more {
					add(m, "/additionalOperations/"+escaped(m), part.file, body)
				}
			}
		}
	}
	return all
}

// A dependence is all that the skill of one operation may depend on: the name of
// each part, and the part itself as canonical JSON.
type dependence map[string]string

// A dependenceWalk finds the dependence of one operation.
type dependenceWalk struct {
	d     *docset
	ops   map[string]*origin
	uris  map[string]string // of the operations' skills
	deps  dependence
	whole map[string]bool // spots reached: true if other than as the base of an allOf
}

// dependenceOf returns what the skill of an operation depends on. The addresses
// of the operations that it links to are those in uris.
func (d *docset) dependenceOf(op *origin, ops map[string]*origin, uris map[string]string) dependence {
	w := &dependenceWalk{d, ops, uris, dependence{}, map[string]bool{}}
	w.deps["address"] = op.key
	w.deps["operation"] = canonical(op.body)
	body, _ := op.body.(map[string]any)
	w.walk(op.file, op.body, "")
	w.target("x-replaced-by", body["x-replaced-by"])

	root := d.root()
	servers, _ := body["servers"].([]any)
	for i, part := range op.item {
		item, _ := part.value.(map[string]any)
		for _, key := range []string{"summary", "description", "parameters"} {
			if v, ok := item[key]; ok {
				w.deps["path item "+strconv.Itoa(i)+" "+key] = canonical(v)
				w.walk(part.file, v, "")
			}
		}
		if own, _ := item["servers"].([]any); len(servers) == 0 {
			servers = own
		}
	}
	if len(servers) == 0 {
		servers, _ = root["servers"].([]any)
	}
	for _, key := range []string{"openapi", "swagger"} {
		w.deps[key] = canonical(root[key])
	}
	if !op.hook { // nobody calls a webhook at the API's servers
		w.deps["servers"] = canonical(servers)
		for _, key := range []string{"host", "basePath"} {
			w.deps[key] = canonical(root[key])
		}
	}
	for _, key := range []string{"schemes", "consumes", "produces"} { // of Swagger 2.0, inherited
		if body[key] == nil {
			w.deps[key] = canonical(root[key])
		}
	}

	security, own := body["security"].([]any)
	if !own && !op.hook {
		security, _ = root["security"].([]any)
	}
	w.deps["security"] = canonical(security)
	scopes := map[string][]any{}
	for _, r := range security {
		r, _ := r.(map[string]any)
		for name, list := range r {
			list, _ := list.([]any)
			scopes[name] = append(scopes[name], list...)
		}
	}
	schemes := d.components("securitySchemes")
	for name, wanted := range scopes {
		scheme, _ := scopesOf(cloned(schemes[name]), wanted).(map[string]any)
		delete(scheme, "description") // how to get a credential stands in the guide
		w.deps["scheme "+name] = canonical(scheme)
		w.walk("", schemes[name], "")
	}
	return w.deps
}

// scopesOf leaves of a security scheme's scopes those that are asked for.
func scopesOf(v any, wanted []any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for k, e := range m {
		if scopes, ok := e.(map[string]any); ok && k == "scopes" {
			maps.DeleteFunc(scopes, func(name string, _ any) bool { return !slices.Contains(wanted, any(name)) })
			continue
		}
		scopesOf(e, wanted)
	}
	return v
}

// components returns a map of the document's components, in any version.
func (d *docset) components(kind string) map[string]any {
	if d.root()["swagger"] != nil {
		old := map[string]string{"schemas": "definitions", "securitySchemes": "securityDefinitions"}
		name, ok := old[kind]
		if !ok {
			name = kind
		}
		m, _ := d.root()[name].(map[string]any)
		return m
	}
	components, _ := d.root()["components"].(map[string]any)
	m, _ := components[kind].(map[string]any)
	return m
}

func (w *dependenceWalk) walk(file string, v any, key string) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			w.reach(file, ref, key != "allOf")
		}
		w.mapping(file, v)
		w.inside(file, v)
	case []any:
		for _, e := range v {
			w.walk(file, e, key)
		}
	}
}

// inside walks the members of an object.
func (w *dependenceWalk) inside(file string, v map[string]any) {
	for k, e := range v {
		w.walk(file, e, k)
		if links, ok := e.(map[string]any); ok && k == "links" {
			for name, l := range links {
				w.target("link "+name, l)
			}
		}
	}
	if _, ok := v["operationRef"]; ok { // a link that a reference has led to
		w.target("link", v)
	} else if _, ok := v["operationId"]; ok && v["responses"] == nil {
		w.target("link", v)
	}
}

// mapping reaches what a discriminator maps to.
func (w *dependenceWalk) mapping(file string, v map[string]any) {
	disc, _ := v["discriminator"].(map[string]any)
	mapping, _ := disc["mapping"].(map[string]any)
	for _, to := range mapping {
		if to, ok := to.(string); ok {
			if _, ok := w.d.components("schemas")[to]; ok {
				to, file = "#/components/schemas/"+escaped(to), ""
			}
			w.reach(file, to, true)
		}
	}
}

// reach adds what a reference leads to.
func (w *dependenceWalk) reach(file, ref string, whole bool) {
	at, spot, ok := w.d.resolve(file, ref)
	if !ok {
		w.deps["unresolved "+ref] = ""
		return
	}
	wasWhole, reached := w.whole[spot]
	w.whole[spot] = wasWhole || whole
	w.deps["reached "+spot] = w.d.sum(spot, at.value)
	v, ok := at.value.(map[string]any)
	if !ok {
		return
	}
	if next, ok := v["$ref"].(string); ok && len(v) == 1 {
		if !reached || whole && !wasWhole {
			w.reach(at.file, next, whole)
		}
		return
	}
	if !reached {
		w.inside(at.file, v)
		if ref, ok := v["$ref"].(string); ok {
			w.reach(at.file, ref, true)
		}
	}
	if !whole || wasWhole {
		return
	}
	// It is read as what it may be: of a base with a discriminator, each subtype.
	w.mapping(at.file, v)
	if v["discriminator"] == nil || v["oneOf"] != nil || v["anyOf"] != nil {
		return
	}
	for name, s := range w.d.components("schemas") {
		s, _ := s.(map[string]any)
		all, _ := s["allOf"].([]any)
		for _, base := range all {
			base, _ := base.(map[string]any)
			if ref, ok := base["$ref"].(string); ok {
				if _, to, ok := w.d.resolve("", ref); ok && to == spot {
					w.deps["subtype "+name] = ""
					at := "#/components/schemas/"
					if w.d.root()["swagger"] != nil {
						at = "#/definitions/"
					}
					w.reach("", at+escaped(name), true)
				}
			}
		}
	}
}

// sum stands for the value at a place.
func (d *docset) sum(spot string, v any) string {
	if d.sums == nil {
		d.sums = map[string]string{}
	}
	sum, ok := d.sums[spot]
	if !ok {
		h := sha256.Sum256([]byte(canonical(v)))
		sum = string(h[:])
		d.sums[spot] = sum
	}
	return sum
}

// target adds the address of an operation that this one names.
func (w *dependenceWalk) target(what string, v any) {
	l, _ := v.(map[string]any)
	id, _ := l["operationId"].(string)
	ref, _ := l["operationRef"].(string)
	if id == "" && ref == "" {
		return
	}
	var found []*origin
	for _, op := range w.ops {
		decoded, _ := url.PathUnescape(ref)
		if id != "" && op.id == id || id == "" && (ref == "#"+op.ptr || decoded == "#"+op.ptr) {
			found = append(found, op)
		}
	}
	label := what + " to " + id + ref
	w.deps[label] = "nowhere"
	if len(found) == 1 {
		w.deps[label] = found[0].key + " at " + w.uris[found[0].key]
	}
}

// differs names the parts in which two dependences differ.
func (d dependence) differs(other dependence) []string {
	var parts []string
	for name, v := range d {
		if o, ok := other[name]; !ok || o != v {
			parts = append(parts, name)
		}
	}
	for name := range other {
		if _, ok := d[name]; !ok {
			parts = append(parts, name)
		}
	}
	slices.Sort(parts)
	return parts
}
