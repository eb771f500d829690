package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// A source is a file of a document: its bytes, and for YAML its nodes.
type source struct {
	data []byte
	root *yaml.Node // nil for JSON
}

// A value is what a walk meets. Its path is valid during the visit alone.
type value struct {
	path []string
	kind byte   // '{', '[', '"' for a string, '=' for any other scalar
	text string // of a scalar
	line int
	// again: the value stands elsewhere, and is met there too.
	again bool
}

// Limits of a walk.
const (
	maxDepth   = 1000
	maxAliased = 200_000 // values met through aliases
)

var errStop = errors.New("stop")

// read takes the bytes of a file, JSON or YAML, in UTF-8. What can be read as
// neither is an error.
func read(data []byte) (*source, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	t := &source{data: data}
	if start := bytes.TrimLeft(data, " \t\r\n"); len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		// A document in braces may be YAML all the same.
		if json.Valid(data) {
			return t, nil
		}
	}
	root := &yaml.Node{}
	if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(root); err != nil {
		return nil, err
	}
	t.root = root
	return t, nil
}

// walk calls visit for each value below the root, in the order of the file.
func (t *source) walk(visit func(v value) error) error {
	var err error
	if t.root != nil {
		w := &yamlWalk{visit: visit}
		err = w.node(t.root, 0, false)
	} else {
		err = walkJSON(t.data, visit)
	}
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// lineCounter turns rising offsets into lines.
type lineCounter struct {
	data []byte
	at   int
	line int
}

func (c *lineCounter) of(offset int) int {
	c.line += bytes.Count(c.data[c.at:offset], []byte{'\n'})
	c.at = offset
	return c.line + 1
}

func walkJSON(data []byte, visit func(v value) error) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	type level struct {
		object bool
		next   int  // index of the next element
		key    bool // the next string is a key
	}
	var levels []level
	var path []string
	lines := &lineCounter{data: data}
	keyLine := 0
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if d, ok := token.(json.Delim); ok && (d == '}' || d == ']') {
			levels = levels[:len(levels)-1]
			if len(path) > 0 {
				path = path[:len(path)-1]
			}
			continue
		}
		v := value{kind: '='}
		if n := len(levels); n > 0 {
			top := &levels[n-1]
			switch {
			case top.object && top.key:
				path = append(path[:n-1], token.(string))
				top.key = false
				keyLine = lines.of(int(dec.InputOffset()))
				continue
			case top.object:
				top.key = true
				v.line = keyLine
			default:
				path = append(path[:n-1], strconv.Itoa(top.next))
				top.next++
			}
		}
		if v.line == 0 {
			v.line = lines.of(int(dec.InputOffset()))
		}
		switch x := token.(type) {
		case json.Delim:
			v.kind = byte(x)
			levels = append(levels, level{object: x == '{', key: x == '{'})
		case string:
			v.kind, v.text = '"', x
		case json.Number:
			v.text = x.String()
		case bool:
			v.text = strconv.FormatBool(x)
		case nil:
			v.text = "null"
		}
		v.path = path
		if err := visit(v); err != nil {
			return err
		}
	}
}

type yamlWalk struct {
	visit   func(v value) error
	path    []string
	aliased int
}

func (w *yamlWalk) node(n *yaml.Node, line int, again bool) error {
	if len(w.path) > maxDepth {
		return nil
	}
	if again {
		if w.aliased++; w.aliased > maxAliased {
			return nil
		}
	}
	if line == 0 {
		line = n.Line
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return w.node(n.Content[0], 0, false)
	case yaml.AliasNode:
		return w.node(n.Alias, line, true)
	case yaml.ScalarNode:
		kind := byte('=')
		if n.ShortTag() == "!!str" {
			kind = '"'
		}
		return w.visit(value{w.path, kind, n.Value, line, again})
	case yaml.SequenceNode:
		if err := w.visit(value{w.path, '[', "", line, again}); err != nil {
			return err
		}
		for i, e := range n.Content {
			w.path = append(w.path, strconv.Itoa(i))
			if err := w.node(e, e.Line, again); err != nil {
				return err
			}
			w.path = w.path[:len(w.path)-1]
		}
	case yaml.MappingNode:
		if err := w.visit(value{w.path, '{', "", line, again}); err != nil {
			return err
		}
		return w.members(n, nil, again)
	}
	return nil
}

// members walks the members of a mapping and of those that it merges, less
// those in hidden.
func (w *yamlWalk) members(n *yaml.Node, hidden map[string]bool, again bool) error {
	var merged []*yaml.Node
	own := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.ShortTag() == "!!merge" {
			merged = append(merged, v)
			continue
		}
		own[k.Value] = true
		if hidden[k.Value] {
			continue
		}
		w.path = append(w.path, k.Value)
		if err := w.node(v, k.Line, again); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
	for k := range hidden {
		own[k] = true
	}
	for _, m := range merged {
		if m.Kind == yaml.AliasNode {
			m = m.Alias
		}
		if w.aliased++; m.Kind != yaml.MappingNode || w.aliased > maxAliased {
			continue
		}
		if len(hidden) > 0 && len(own) == len(hidden) { // a merge that adds nothing, perhaps of itself
			continue
		}
		if err := w.members(m, own, true); err != nil {
			return err
		}
	}
	return nil
}

// lines returns the line of the value at each pointer; where there is nothing,
// that of the deepest value above it.
func (t *source) lines(pointers []string) map[string]int {
	type node struct {
		kids map[string]*node
		line int
	}
	root := &node{line: 1}
	for _, p := range pointers {
		n := root
		for token := range tokens(p) {
			if n.kids == nil {
				n.kids = map[string]*node{}
			}
			next := n.kids[token]
			if next == nil {
				next = &node{}
				n.kids[token] = next
			}
			n = next
		}
	}
	// What stands in the walk's path is in the trie up to some depth: matched
	// has the nodes of it.
	matched := []*node{root}
	_ = t.walk(func(v value) error { // what was read before can be read again
		depth := len(v.path)
		if depth == 0 {
			return nil
		}
		if len(matched) > depth {
			matched = matched[:depth]
		}
		if len(matched) < depth {
			return nil
		}
		if n := matched[depth-1].kids[v.path[depth-1]]; n != nil {
			n.line = v.line
			matched = append(matched, n)
		}
		return nil
	})
	out := map[string]int{}
	for _, p := range pointers {
		line := root.line
		n := root
		for token := range tokens(p) {
			if n = n.kids[token]; n.line == 0 {
				break
			}
			line = n.line
		}
		out[p] = line
	}
	return out
}

// tokens yields the tokens of a JSON Pointer.
func tokens(pointer string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if pointer == "" {
			return
		}
		for t := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
			if !yield(unescape.Replace(t)) {
				return
			}
		}
	}
}

var (
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
)

// pointer returns the JSON Pointer of a path.
func pointer(path []string) string {
	var b strings.Builder
	for _, t := range path {
		b.WriteByte('/')
		b.WriteString(escape.Replace(t))
	}
	return b.String()
}
