package replay

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// cutOperation makes a document of one operation, for a document that does not
// load as a whole: the operation without its answers, what its parameters and
// its body refer to, also in other files, and the servers and credentials. A
// reference that the specification has not (to a schema by an anchor, to a part
// of another kind) is followed by what stands there.
func (d *Document) cutOperation(path, method string) (*openapi3.T, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := method + " " + path
	if doc, ok := d.cut[key]; ok {
		return doc, nil
	}
	paths, _ := d.tree["paths"].(map[string]any)
	c := &cutter{d: d, names: map[string]string{}, components: map[string]map[string]any{}}
	item, file, err := c.follow(paths[path], d.file)
	if err != nil {
		return nil, err
	}
	small := map[string]any{"summary": ""}
	if v, ok := item["servers"]; ok {
		small["servers"] = v
	}
	if v, ok := item["parameters"].([]any); ok {
		small["parameters"] = c.list(v, file, "parameters")
	}
	found := false
	for name, v := range item {
		if strings.EqualFold(name, method) {
			op, file, err := c.follow(v, file)
			if err != nil {
				return nil, err
			}
			small[name] = c.object(op, file, "operation")
			found = true
		}
	}
	if !found {
		return nil, fmt.Errorf("there is no %s %s", method, path)
	}
	security := map[string]any{}
	root, _ := d.tree["components"].(map[string]any)
	schemes, _ := root["securitySchemes"].(map[string]any)
	for name, v := range schemes {
		if s, _, err := c.follow(v, d.file); err == nil {
			security[name] = s
		}
	}
	for len(c.queue) > 0 {
		q := c.queue[0]
		c.queue = c.queue[1:]
		v, file, err := c.at(q.file, q.pointer)
		if err != nil {
			return nil, err
		}
		section := c.components[q.section]
		if section == nil {
			section = map[string]any{}
			c.components[q.section] = section
		}
		m, ok := v.(map[string]any)
		switch {
		case ok:
			section[q.name] = c.object(m, file, q.section)
		case q.section == "schemas":
			section[q.name] = v // true, false
		default:
			return nil, fmt.Errorf("%s is no object", q.pointer)
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	components := map[string]any{"securitySchemes": security}
	for section, m := range c.components {
		components[section] = m
	}
	out := map[string]any{
		"openapi": d.tree["openapi"], "info": map[string]any{"title": "cut", "version": "1"},
		"paths": map[string]any{path: small}, "components": components,
	}
	for _, name := range []string{"servers", "security"} {
		if v, ok := d.tree[name]; ok {
			out[name] = v
		}
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		return nil, err
	}
	if len(d.cut) < 64 { // commands of one operation come one after the other
		d.cut[key] = doc
	} else {
		d.cut = map[string]*openapi3.T{key: doc}
	}
	return doc, nil
}

type cutter struct {
	d          *Document
	names      map[string]string
	components map[string]map[string]any
	queue      []target
	err        error
}

type target struct{ file, pointer, section, name string }

// follow resolves references until an object is none.
func (c *cutter) follow(v any, file string) (map[string]any, string, error) {
	for range 20 {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, "", fmt.Errorf("an object is missing")
		}
		ref := text(m["$ref"])
		if ref == "" {
			return m, file, nil
		}
		var err error
		f, pointer := c.split(ref, file)
		if v, file, err = c.at(f, pointer); err != nil {
			return nil, "", err
		}
	}
	return nil, "", fmt.Errorf("references lead in a circle")
}

// split takes a reference apart: file and fragment.
func (c *cutter) split(ref, file string) (string, string) {
	name, pointer, _ := strings.Cut(ref, "#")
	if name != "" {
		if n, err := url.PathUnescape(name); err == nil {
			name = n
		}
		file = filepath.Join(filepath.Dir(file), filepath.FromSlash(name))
	}
	if p, err := url.PathUnescape(pointer); err == nil {
		pointer = p
	}
	return file, pointer
}

// at returns what a pointer leads to, through references on its way.
func (c *cutter) at(file, pointer string) (any, string, error) {
	v, err := c.d.files.tree(file)
	if err != nil {
		return nil, "", err
	}
	if pointer == "" || pointer == "/" {
		return v, file, nil
	}
	if !strings.HasPrefix(pointer, "/") {
		if found := anchored(v, pointer); found != nil {
			return found, file, nil
		}
		return nil, "", fmt.Errorf("#%s is nowhere", pointer)
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for _, token := range strings.Split(pointer[1:], "/") {
		token = unescape.Replace(token)
		if m, ok := v.(map[string]any); ok && text(m["$ref"]) != "" {
			if v, file, err = c.follow(m, file); err != nil {
				return nil, "", err
			}
		}
		switch x := v.(type) {
		case map[string]any:
			e, ok := x[token]
			if !ok {
				return nil, "", fmt.Errorf("#%s is nowhere", pointer)
			}
			v = e
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(x) {
				return nil, "", fmt.Errorf("#%s is nowhere", pointer)
			}
			v = x[i]
		default:
			return nil, "", fmt.Errorf("#%s is nowhere", pointer)
		}
	}
	return v, file, nil
}

// anchored returns the object with that anchor.
func anchored(v any, name string) any {
	var found any
	walk(v, func(m map[string]any) {
		if text(m["$anchor"]) == name || text(m["$dynamicAnchor"]) == name {
			found = m
		}
	})
	return found
}

// What stands where: the section of components that the value of a member
// belongs to, alone ("schemas"), in a list ("[]schemas") or in a map
// ("{}schemas"). Members that are not named are copied.
var places = map[string]map[string]string{
	"operation":     {"parameters": "[]parameters", "requestBody": "requestBodies", "responses": "-", "callbacks": "-"},
	"parameters":    {"schema": "schemas", "content": "{}media", "examples": "{}examples"},
	"requestBodies": {"content": "{}media"},
	"media":         {"schema": "schemas", "itemSchema": "schemas", "encoding": "{}encoding", "examples": "{}examples"},
	"encoding":      {"headers": "-"},
	"examples":      {},
	"schemas": {
		"properties": "{}schemas", "patternProperties": "{}schemas", "$defs": "{}schemas", "definitions": "{}schemas", "dependentSchemas": "{}schemas",
		"items": "schemas", "additionalProperties": "schemas", "not": "schemas", "if": "schemas", "then": "schemas", "else": "schemas",
		"contains": "schemas", "propertyNames": "schemas", "unevaluatedItems": "schemas", "unevaluatedProperties": "schemas",
		"allOf": "[]schemas", "oneOf": "[]schemas", "anyOf": "[]schemas", "prefixItems": "[]schemas", "examples": "-", "discriminator": "!", "$id": "-", "$schema": "-", "$anchor": "-", "$dynamicAnchor": "-",
	},
}

var inline = map[string]bool{"operation": true, "media": true, "encoding": true}

func (c *cutter) object(m map[string]any, file, kind string) any {
	ref := text(m["$ref"])
	if ref == "" && kind == "schemas" {
		if ref = text(m["$dynamicRef"]); ref != "" {
			m = maps.Clone(m)
			delete(m, "$dynamicRef")
		}
	}
	out := map[string]any{}
	if ref != "" {
		f, pointer := c.split(ref, file)
		if inline[kind] {
			v, file, err := c.follow(m, file)
			if err != nil {
				c.fail(err)
				return out
			}
			return c.object(v, file, kind)
		}
		id := kind + " " + f + "#" + pointer
		name := c.names[id]
		if name == "" {
			name = "c" + strconv.Itoa(len(c.names))
			c.names[id] = name
			c.queue = append(c.queue, target{f, pointer, kind, name})
		}
		out["$ref"] = "#/components/" + kind + "/" + name
		if kind != "schemas" {
			return out
		}
	}
	known := places[kind]
	for _, name := range slices.Sorted(maps.Keys(m)) {
		v := m[name]
		place, special := known[name]
		switch {
		case name == "$ref" || place == "-":
			if kind == "operation" && name == "responses" {
				out[name] = map[string]any{"default": map[string]any{"description": ""}}
			}
		case place == "!":
			if d := c.discriminator(v, m, file); d != nil {
				out[name] = d
			}
		case !special:
			if kind == "schemas" && name == "required" {
				if _, ok := v.([]any); !ok {
					continue // as "required: true" at a member, which means nothing
				}
			}
			out[name] = v
		case strings.HasPrefix(place, "[]"):
			if l, ok := v.([]any); ok {
				out[name] = c.list(l, file, place[2:])
			}
		case strings.HasPrefix(place, "{}"):
			if members, ok := v.(map[string]any); ok {
				file, all := file, map[string]any{}
				if s := text(members["$ref"]); s != "" { // a map by a reference
					m, f, err := c.follow(members, file)
					if err != nil {
						c.fail(err)
						continue
					}
					members, file = m, f
				}
				for k, e := range members {
					all[k] = c.value(e, file, place[2:])
				}
				out[name] = all
			}
		default:
			out[name] = c.value(v, file, place)
		}
	}
	return out
}

// limited reports whether a schema says itself which values a member has: then
// its name is none of them.
func (c *cutter) limited(v any, file, member string) bool {
	m, file, err := c.follow(v, file)
	if err != nil {
		return false
	}
	members, _ := m["properties"].(map[string]any)
	p, _, err := c.follow(members[member], file)
	return err == nil && (p["enum"] != nil || p["const"] != nil)
}

// discriminator returns a discriminator whose mapping names the components as
// they are called here; where a value is the name of a schema, it is mapped, too.
func (c *cutter) discriminator(v any, schema map[string]any, file string) map[string]any {
	d, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	mapping := map[string]any{}
	add := func(value, ref string) {
		if r, ok := c.object(map[string]any{"$ref": ref}, file, "schemas").(map[string]any); ok && r["$ref"] != nil {
			mapping[value] = r["$ref"]
		}
	}
	for _, list := range []string{"oneOf", "anyOf"} {
		options, _ := schema[list].([]any)
		for _, o := range options {
			m, _ := o.(map[string]any)
			if ref := text(m["$ref"]); ref != "" && !c.limited(m, file, text(d["propertyName"])) {
				add(ref[strings.LastIndexAny(ref, "/#")+1:], ref)
			}
		}
	}
	given, _ := d["mapping"].(map[string]any)
	for value, ref := range given {
		if r := text(ref); strings.ContainsAny(r, "#/.") {
			add(value, r)
		} else if r, ok := mapping[r]; ok {
			mapping[value] = r
		}
	}
	out := map[string]any{"propertyName": d["propertyName"]}
	if len(mapping) > 0 {
		out["mapping"] = mapping
	}
	return out
}

func (c *cutter) list(l []any, file, kind string) []any {
	out := make([]any, len(l))
	for i, v := range l {
		out[i] = c.value(v, file, kind)
	}
	return out
}

func (c *cutter) value(v any, file, kind string) any {
	switch v := v.(type) {
	case map[string]any:
		return c.object(v, file, kind)
	case []any: // a list of schemas for the items of a tuple
		return map[string]any{}
	}
	return v
}

func (c *cutter) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}
