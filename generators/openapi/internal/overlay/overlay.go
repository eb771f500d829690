package overlay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"
	"gopkg.in/yaml.v3"

	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
)

// Limits of overlay files.
const (
	MaxFiles   = 64      // of one document
	MaxSize    = 8 << 20 // bytes of a file
	maxActions = 10_000  // of a file
	maxQuery   = 4 << 10 // bytes of a query
)

// A File is an overlay as it was read.
type File struct {
	// Name is the file's name in messages.
	Name string
	Data []byte
}

// An action is one change, ready to apply.
type action struct {
	pointer string // of the action in its file
	target  query
	remove  bool
	copy    *query
	update  any
}

// A query is a JSONPath query with its text.
type query struct {
	text string
	path *spec.PathQuery
}

var versions = regexp.MustCompile(`^1\.[01](\.[0-9]+)?$`)

// parse reads the actions of an overlay. The error is an *[ingest.Error].
func parse(f File) ([]action, error) {
	p := parser{file: f}
	if len(f.Data) > MaxSize {
		return nil, &ingest.Error{File: f.Name, Msg: fmt.Sprintf("is larger than %d MiB", MaxSize>>20), Hint: "split the overlay"}
	}
	if len(bytes.TrimSpace(f.Data)) == 0 {
		return nil, &ingest.Error{File: f.Name, Msg: "the file is empty", Hint: "an OpenAPI Overlay in JSON or YAML is expected"}
	}
	data, _, err := ingest.JSON(f.Name, f.Data)
	if err != nil {
		return nil, err
	}
	value, err := decode(data)
	if err != nil {
		return nil, p.fault("", "cannot be read: %v", err)
	}
	root, ok := value.(map[string]any)
	if !ok {
		return nil, p.fault("", "the overlay is %s, and must be an object", kindOf(value))
	}
	if err := p.known(root, "", "overlay", "info", "extends", "actions"); err != nil {
		return nil, err
	}
	version, given := root["overlay"]
	switch {
	case !given:
		return nil, p.fault("", `has no version; begin it with "overlay: 1.1.0"`)
	case !versions.MatchString(scalar(version)):
		return nil, p.fault("/overlay", "version %.40q is not served; there are 1.0.0 and 1.1.0", scalar(version))
	}
	if info, ok := root["info"].(map[string]any); !ok || info["title"] == nil || info["version"] == nil {
		return nil, p.fault("/info", "info must have a title and a version")
	}
	list, ok := root["actions"].([]any)
	switch {
	case !ok || len(list) == 0:
		return nil, p.fault("/actions", "actions must be an array with one action at least")
	case len(list) > maxActions:
		return nil, p.fault("/actions", "%d actions are more than the limit of %d", len(list), maxActions)
	}
	actions := make([]action, len(list))
	for i, v := range list {
		if actions[i], err = p.action(v, "/actions/"+strconv.Itoa(i), strings.HasPrefix(scalar(version), "1.0")); err != nil {
			return nil, err
		}
	}
	return actions, nil
}

// A parser reads one file.
type parser struct{ file File }

func (p *parser) action(value any, pointer string, old bool) (action, error) {
	a := action{pointer: pointer}
	m, ok := value.(map[string]any)
	if !ok {
		return a, p.fault(pointer, "an action must be an object, not %s", kindOf(value))
	}
	fields := []string{"target", "description", "update", "remove", "copy"}
	if old {
		fields = fields[:4]
	}
	if err := p.known(m, pointer, fields...); err != nil {
		return a, err
	}
	var err error
	if a.target, err = p.query(m["target"], pointer+"/target"); err != nil {
		return a, err
	}
	if v, given := m["remove"]; given {
		if a.remove, ok = v.(bool); !ok {
			return a, p.fault(pointer+"/remove", "remove must be true or false, not %s", kindOf(v))
		}
	}
	source, copies := m["copy"]
	update, updates := m["update"]
	switch {
	case a.remove:
		if len(a.target.path.Segments()) == 0 {
			return a, p.fault(pointer+"/target", "the document itself cannot be removed")
		}
	case copies && updates:
		return a, p.fault(pointer, "update and copy in one action cancel each other; make two of it")
	case copies:
		q, err := p.query(source, pointer+"/copy")
		if err != nil {
			return a, err
		}
		a.copy = &q
	case updates:
		a.update = update
	default:
		return a, p.fault(pointer, "the action does nothing; give it one of %s", strings.Join(slices.Delete(fields, 0, 2), ", "))
	}
	return a, nil
}

func (p *parser) query(value any, pointer string) (query, error) {
	text, ok := value.(string)
	if !ok || text == "" {
		return query{}, p.fault(pointer, `must be a JSONPath query, as in "$.paths['/books'].get"`)
	}
	if len(text) > maxQuery {
		return query{}, p.fault(pointer, "a query of %d bytes is longer than the limit of %d", len(text), maxQuery)
	}
	path, err := parseQuery(text)
	if err != nil {
		return query{}, p.fault(pointer, "%.100q is no JSONPath query of RFC 9535: %s", text, strings.TrimPrefix(err.Error(), "jsonpath: "))
	}
	return query{text, path.Query()}, nil
}

// parseQuery is jsonpath.Parse without its panics.
func parseQuery(text string) (path *jsonpath.Path, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be read: %v", r)
		}
	}()
	return jsonpath.Parse(text)
}

// known refuses fields that the specification does not have: one that is
// misspelt would be a change that is not made.
func (p *parser) known(m map[string]any, pointer string, fields ...string) error {
	for _, name := range sortedKeys(m) {
		if !slices.Contains(fields, name) && !strings.HasPrefix(name, "x-") {
			return p.fault(pointer+"/"+escape(name), "unknown field %.60q; known here: %s", name, strings.Join(fields, ", "))
		}
	}
	return nil
}

// fault is an error at a value of the file.
func (p *parser) fault(pointer, format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	e := &ingest.Error{File: p.file.Name, Pointer: pointer, Msg: msg, Line: lineOf(p.file.Data, pointer)}
	if e.Line > 0 && pointer != "" {
		e.Msg = pointer + ": " + msg
	}
	return e
}

// lineOf returns the line of a value of a YAML text, or 0.
func lineOf(data []byte, pointer string) (line int) {
	defer func() {
		if recover() != nil { // the parser is not ours
			line = 0
		}
	}()
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 {
		return 0
	}
	n := doc.Content[0]
	line = n.Line
	for _, token := range strings.Split(pointer, "/")[1:] {
		next := child(n, strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
		if next == nil { // what is missing is missing here
			return line
		}
		n, line = next, next.Line
	}
	return line
}

func child(n *yaml.Node, token string) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == token {
				return n.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i]
		}
	}
	return nil
}

// decode reads JSON. Numbers keep their text.
func decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("text after the end of the JSON")
	}
	return v, nil
}

// scalar is the text of a scalar: people write overlay: 1.1.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func kindOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a truth value"
	}
	return "a number"
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

func escape(token string) string { return escaper.Replace(token) }
