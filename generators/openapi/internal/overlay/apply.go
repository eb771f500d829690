package overlay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/theory/jsonpath/spec"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
)

// Apply applies overlays to a document in JSON or YAML, one after the other,
// and returns the outcome as JSON with the members of objects by name. The name
// file is the document's, for messages. An action that selects nothing is a
// diagnostic; the error is an *[ingest.Error].
func Apply(file string, document []byte, overlays []File) ([]byte, []framework.Diagnostic, error) {
	if len(overlays) > MaxFiles {
		return nil, nil, &ingest.Error{File: file, Msg: fmt.Sprintf("has %d overlays, more than the limit of %d", len(overlays), MaxFiles)}
	}
	data, diags, err := ingest.JSON(file, document)
	if err != nil {
		return nil, nil, err
	}
	root, err := decode(data)
	if err != nil {
		return nil, nil, &ingest.Error{File: file, Msg: "cannot be read: " + err.Error()}
	}
	diags = slices.Clone(diags)
	w := &worker{costs: map[*spec.FilterSelector]cost{}}
	for _, f := range overlays {
		actions, err := parse(f)
		if err != nil {
			return nil, nil, err
		}
		for i := range actions {
			a := &actions[i]
			var unused string
			if root, unused, err = w.apply(a, root); err != nil {
				p := parser{f}
				return nil, nil, p.fault(a.pointer, "%v", err)
			}
			if unused != "" {
				diags = append(diags, framework.Diagnostic{
					Severity: framework.Warning, Rule: "overlay-no-match", File: f.Name, Pointer: a.pointer,
					Message: fmt.Sprintf("%.200q selects nothing of %s: the action changes nothing", unused, file),
				})
			}
		}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(root); err != nil {
		return nil, nil, &ingest.Error{File: file, Msg: "cannot be written after its overlays: " + err.Error()}
	}
	return out.Bytes(), diags, nil
}

// gone is what an edit returns for a value that is to be removed.
type gone struct{}

// apply returns the document after an action. unused is a query of the action
// that selects nothing, or "".
func (w *worker) apply(a *action, root any) (out any, unused string, err error) {
	targets, err := w.targets(a.target, root)
	if err != nil || len(targets) == 0 {
		return root, a.target.text, err
	}
	if a.remove {
		for _, t := range targets {
			if root, err = edit(root, t.path, func(any) (any, error) { return gone{}, nil }); err != nil {
				return root, "", err
			}
		}
		return root, "", nil
	}
	value := a.update
	if a.copy != nil {
		sources, err := w.targets(*a.copy, root)
		switch {
		case err != nil || len(sources) == 0:
			return root, a.copy.text, err
		case len(sources) > 1:
			return root, "", fmt.Errorf("%.100q selects %d values; copy takes one", a.copy.text, len(sources))
		}
		value = clone(sources[0].value) // a target may be inside of it
	}
	for _, t := range targets[1:] {
		if kind(t.value) != kind(targets[0].value) {
			return root, "", fmt.Errorf("%.100q selects both %s and %s; select one kind", a.target.text, kindOf(targets[0].value), kindOf(t.value))
		}
	}
	if err := w.grow(value, targets); err != nil {
		return root, "", err
	}
	for _, t := range targets {
		root, err = edit(root, t.path, func(old any) (any, error) { return assign(old, value, pointer(t.path)) })
		if err != nil {
			return root, "", err
		}
	}
	return root, "", nil
}

// grow accounts for what is added to the document.
func (w *worker) grow(value any, targets []target) error {
	size, deep := measure(value)
	if size > 0 && len(targets) > (maxGrowth-w.growth)/size {
		return fmt.Errorf("the actions add more than %d MiB to the document", maxGrowth>>20)
	}
	w.growth += size * len(targets)
	if deep+len(targets[0].path) > maxDepth { // the first one is the deepest
		return fmt.Errorf("the document becomes deeper than %d levels", maxDepth)
	}
	return nil
}

// measure returns about how many bytes v is as JSON, and how deep it is.
func measure(v any) (size, deep int) {
	add := func(v any) {
		s, d := measure(v)
		size, deep = size+s, max(deep, d+1)
	}
	size = 8
	switch v := v.(type) {
	case string:
		size += len(v)
	case json.Number:
		size += len(v)
	case map[string]any:
		for key, v := range v {
			size += len(key) + 4
			add(v)
		}
	case []any:
		for _, v := range v {
			add(v)
		}
	}
	return size, deep
}

// A target is a value that an action changes, and where it is.
type target struct {
	value any
	path  []token
}

// A token is a step of a path: the name of a member or, if it is not -1, the
// index of an element.
type token struct {
	key   string
	index int
}

// targets returns what q selects, each value once: the deepest first, and later
// elements before earlier ones, so that no change moves what is changed next.
func (w *worker) targets(q query, root any) ([]target, error) {
	matches, err := w.run(q.path, root)
	if err != nil {
		return nil, err
	}
	list := make([]target, 0, len(matches))
	for _, m := range matches {
		if err := w.spend(1 + m.depth()); err != nil {
			return nil, err
		}
		t := target{m.value, make([]token, m.depth())}
		for s := m.at; s != nil; s = s.from {
			t.path[s.depth-1] = token{s.key, s.index}
		}
		list = append(list, t)
	}
	order := func(a, b target) int {
		return cmp.Or(cmp.Compare(len(b.path), len(a.path)), slices.CompareFunc(a.path, b.path, func(a, b token) int {
			return cmp.Or(cmp.Compare(b.index, a.index), strings.Compare(a.key, b.key))
		}))
	}
	slices.SortFunc(list, order)
	return slices.CompactFunc(list, func(a, b target) bool { return order(a, b) == 0 }), nil
}

func pointer(path []token) string {
	var b strings.Builder
	for _, t := range path {
		if t.index >= 0 {
			b.WriteString("/" + strconv.Itoa(t.index))
		} else {
			b.WriteString("/" + escape(t.key))
		}
	}
	return b.String()
}

// edit replaces the value at a path by what f makes of it, and returns v after
// that. Arrays may move, so what holds them is changed on the way back.
func edit(v any, path []token, f func(any) (any, error)) (any, error) {
	if len(path) == 0 {
		return f(v)
	}
	t := path[0]
	switch v := v.(type) {
	case map[string]any:
		child, ok := v[t.key]
		if !ok || t.index >= 0 {
			return v, nil
		}
		child, err := edit(child, path[1:], f)
		if err != nil {
			return v, err
		}
		if _, ok := child.(gone); ok {
			delete(v, t.key)
		} else {
			v[t.key] = child
		}
		return v, nil
	case []any:
		if t.index < 0 || t.index >= len(v) {
			return v, nil
		}
		child, err := edit(v[t.index], path[1:], f)
		if err != nil {
			return v, err
		}
		if _, ok := child.(gone); ok {
			return slices.Delete(v, t.index, t.index+1), nil
		}
		v[t.index] = child
		return v, nil
	}
	return v, nil
}

// kind is one of the three that the specification tells apart.
func kind(v any) int {
	switch v.(type) {
	case map[string]any:
		return 1
	case []any:
		return 2
	}
	return 0
}

func incompatible(at string, old, value any) error {
	return fmt.Errorf("%.200q is %s, which cannot be updated with %s; remove it first", cmp.Or(at, "$"), kindOf(old), kindOf(value))
}

// assign is what becomes of a value that an action selects (Overlay
// Specification 1.1, "Action Object").
func assign(old, value any, at string) (any, error) {
	if array, ok := old.([]any); ok && kind(value) != 2 {
		return append(array, clone(value)), nil
	}
	return merge(old, value, at)
}

// merge is what becomes of a value that both sides have.
func merge(old, value any, at string) (any, error) {
	switch {
	case old == nil:
		return clone(value), nil
	case kind(old) != kind(value):
		return nil, incompatible(at, old, value)
	}
	switch old := old.(type) {
	case map[string]any:
		object := value.(map[string]any)
		for _, key := range sortedKeys(object) {
			was, ok := old[key]
			if !ok {
				old[key] = clone(object[key])
				continue
			}
			now, err := merge(was, object[key], at+"/"+escape(key))
			if err != nil {
				return nil, err
			}
			old[key] = now
		}
		return old, nil
	case []any:
		return append(old, clone(value).([]any)...), nil
	}
	return value, nil
}

// clone copies a value, so that no two places of the document share one.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, v := range v {
			out[key] = clone(v)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, v := range v {
			out[i] = clone(v)
		}
		return out
	}
	return v
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
