package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// A contents is what a document says, as far as it is compared.
type contents struct {
	version    string // of OpenAPI
	operations []operation
}

// An operation is one of the document, or of one of its webhooks.
type operation struct {
	method     string // upper case
	path       string // or the webhook's name
	webhook    bool
	parameters []parameter // without those that are the body
	statuses   []string
}

// A parameter is identified by both.
type parameter struct{ in, name string }

func (o *operation) String() string {
	if o.webhook {
		return "webhook " + o.method + " " + o.path
	}
	return o.method + " " + o.path
}

type object = map[string]any

// methods are the members of a path item that are operations, by version.
func methods(version string) []string {
	list := []string{"get", "put", "post", "delete", "options", "head", "patch"}
	if version == "2.0" {
		return list
	}
	list = append(list, "trace")
	if !strings.HasPrefix(version, "3.0") && !strings.HasPrefix(version, "3.1") {
		list = append(list, "query")
	}
	return list
}

// walk reads the document at a path.
func walk(path string) (*contents, error) {
	w := walker{}
	root, err := w.open(path)
	if err != nil {
		return nil, err
	}
	doc, _ := root.(object)
	c := &contents{}
	for _, key := range []string{"openapi", "swagger"} {
		if v, ok := doc[key]; ok {
			c.version = fmt.Sprint(v)
		}
	}
	w.version = c.version
	for _, section := range []string{"paths", "webhooks"} {
		items, _ := doc[section].(object)
		for _, name := range slices.Sorted(maps.Keys(items)) {
			if strings.HasPrefix(name, "x-") {
				continue
			}
			at := w.resolve(place{path, items[name]})
			item, _ := at.value.(object)
			operations := object{}
			for _, method := range methods(c.version) {
				if op, ok := item[method].(object); ok {
					operations[strings.ToUpper(method)] = op
				}
			}
			if additional, ok := item["additionalOperations"].(object); ok && slices.Contains(methods(c.version), "query") {
				maps.Copy(operations, additional)
			}
			for _, method := range slices.Sorted(maps.Keys(operations)) {
				op := w.resolve(place{at.file, operations[method]})
				parameters := map[parameter]bool{} // of the item and of the operation
				w.parameters(place{at.file, item["parameters"]}, parameters)
				w.parameters(place{op.file, op.value.(object)["parameters"]}, parameters)
				c.operations = append(c.operations, operation{
					method: method, path: name, webhook: section == "webhooks",
					parameters: slices.Collect(maps.Keys(parameters)),
					statuses:   w.statuses(op),
				})
			}
		}
	}
	return c, w.err
}

// A walker follows references. The first error ends up in err.
type walker struct {
	version string
	files   map[string]any
	err     error
}

// A place is a value and the file that it stands in, against which the
// references in it are resolved.
type place struct {
	file  string
	value any
}

// parameters collects a list of parameters.
func (w *walker) parameters(list place, into map[parameter]bool) {
	values, _ := list.value.([]any)
	for _, v := range values {
		p, _ := w.resolve(place{list.file, v}).value.(object)
		name, _ := p["name"].(string)
		switch in, _ := p["in"].(string); in {
		case "body", "": // the body's name is of no consequence
		case "header":
			// OpenAPI 3, "Parameter Object": these three are to be ignored.
			if !slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(name)) || w.version == "2.0" {
				into[parameter{in, name}] = true
			}
		default:
			into[parameter{in, name}] = true
		}
	}
}

// statuses returns the statuses of an operation's responses.
func (w *walker) statuses(op place) []string {
	responses, _ := w.resolve(place{op.file, op.value.(object)["responses"]}).value.(object)
	var list []string
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		if !strings.HasPrefix(status, "x-") {
			list = append(list, status)
		}
	}
	return list
}

// resolve follows the $ref that a value is, also through others. Members beside
// the $ref of a path item stay.
func (w *walker) resolve(p place) place {
	for range 32 {
		o, _ := p.value.(object)
		ref, ok := o["$ref"].(string)
		if !ok {
			return p
		}
		name, pointer, _ := strings.Cut(ref, "#")
		file := p.file
		if name != "" {
			if name, err := url.PathUnescape(name); err == nil {
				file = filepath.Join(filepath.Dir(p.file), filepath.FromSlash(name))
			}
		}
		target, err := w.open(file)
		if err == nil {
			target, err = at(target, pointer)
		}
		if err != nil {
			w.fail(fmt.Errorf("%s: %s: %w", p.file, ref, err))
			return place{file, object{}}
		}
		if t, ok := target.(object); ok && len(o) > 1 {
			merged := maps.Clone(t)
			for key, v := range o {
				if key != "$ref" {
					merged[key] = v
				}
			}
			target = merged
		}
		p = place{file, target}
	}
	w.fail(fmt.Errorf("%s: references that never end", p.file))
	return place{p.file, object{}}
}

func (w *walker) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// at returns the value at a JSON Pointer in a URI fragment.
func at(v any, fragment string) (any, error) {
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		pointer = fragment
	}
	if pointer == "" || pointer == "/" {
		return v, nil
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		ok := false
		switch c := v.(type) {
		case object:
			v, ok = c[token]
		case []any:
			var i int
			if i, err = strconv.Atoi(token); err == nil && i >= 0 && i < len(c) {
				v, ok = c[i], true
			}
		}
		if !ok {
			return nil, fmt.Errorf("nothing at %q", token)
		}
	}
	return v, nil
}

// open reads a file once.
func (w *walker) open(file string) (any, error) {
	if v, ok := w.files[file]; ok {
		return v, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	v, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if w.files == nil {
		w.files = map[string]any{}
	}
	w.files[file] = v
	return v, nil
}

// parse reads JSON or YAML into objects, lists and scalars. Keys are strings.
func parse(data []byte) (any, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		var v any
		err := json.Unmarshal(data, &v)
		return v, err
	}
	var n yaml.Node
	if err := yaml.Unmarshal(data, &n); err != nil {
		return nil, err
	}
	return plain(&n)
}

// plain makes a YAML node what the JSON parser would have made of it.
func plain(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.DocumentNode:
		return plain(n.Content[0])
	case yaml.AliasNode:
		return plain(n.Alias)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, e := range n.Content {
			v, err := plain(e)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case yaml.MappingNode:
		o, merged := object{}, object{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			v, err := plain(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			if key.Tag == "!!merge" {
				if from, ok := v.(object); ok {
					maps.Copy(merged, from)
				}
				continue
			}
			o[key.Value] = v
		}
		maps.Copy(merged, o)
		return merged, nil
	case yaml.ScalarNode:
		if n.Tag == "!!timestamp" || n.Tag == "!!float" && strings.ContainsAny(n.Value, ".nN") {
			return n.Value, nil // as JSON has no such value, or the version is meant
		}
		var v any
		err := n.Decode(&v)
		return v, err
	}
	return nil, nil
}
