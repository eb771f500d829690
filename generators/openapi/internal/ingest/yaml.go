package ingest

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/apiskills/apiskills/framework"
)

// aliasRoom is how much larger than its source the JSON made from YAML may be, in
// bytes, beside eight times the source: aliases of aliases multiply.
const aliasRoom = 4 << 20

// A yamlReader turns YAML into JSON. Plain scalars are typed by the core schema
// of YAML 1.2 (section 10.3.2), so dates stay strings, and yes is no boolean;
// keys are strings whatever they look like; aliases and merge keys are expanded;
// of keys given twice the last one counts.
type yamlReader struct {
	file  string
	diags *diagnostics

	out   []byte
	limit int
	path  []string
	open  map[*yaml.Node]bool // aliases being expanded
	err   *Error
}

var unknownAnchor = regexp.MustCompile(`unknown anchor '(.*)' referenced`)

var yamlLine = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

func (y *yamlReader) json(data []byte) (out []byte, err *Error) {
	defer func() {
		// The parser is not ours; it has been known to panic.
		if r := recover(); r != nil {
			out, err = nil, &Error{File: y.file, Msg: fmt.Sprintf("the YAML cannot be read: %v", r)}
		}
	}()
	doc, several, bad := firstDocument(data)
	if bad != nil && bad != io.EOF {
		if tidy, ok := tidyLines(data); ok {
			if d, s, err := firstDocument(tidy); err == nil {
				doc, several, bad = d, s, nil
			}
		}
	}
	switch {
	case bad == io.EOF:
		return nil, &Error{File: y.file, Msg: "the file is empty", Hint: "an OpenAPI document in JSON or YAML is expected"}
	case bad != nil:
		return nil, y.syntax(data, bad)
	case several:
		y.diags.add(framework.Warning, "yaml-documents", "", "the file has several YAML documents: the first one is read")
	}
	y.limit = min(aliasRoom+8*len(data), MaxSize)
	y.open = make(map[*yaml.Node]bool)
	y.out = make([]byte, 0, len(data)+len(data)/4)
	y.value(doc.Content[0], 0)
	if y.err != nil {
		return nil, y.err
	}
	return bytes.Clone(y.out), nil
}

// firstDocument returns the first YAML document of a text that is more than
// comments, and whether others follow.
func firstDocument(data []byte) (doc yaml.Node, several bool, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		doc = yaml.Node{}
		if err := dec.Decode(&doc); err != nil {
			return doc, false, err
		}
		if !isVoid(&doc) {
			break
		}
	}
	var more yaml.Node
	switch err := dec.Decode(&more); {
	case err == io.EOF:
		return doc, false, nil
	case err != nil: // what is broken is another document, too
		return doc, true, nil
	}
	return doc, !isVoid(&more), nil
}

// isVoid reports whether a document has nothing in it.
func isVoid(doc *yaml.Node) bool {
	return len(doc.Content) == 0 || doc.Content[0].Value == "" && len(doc.Content[0].Content) == 0
}

// tidyLines mends lines that no parser needs to refuse: a directive that names a
// newer version of YAML, and tabs on lines of nothing else or a comment. ok is
// false if there are none.
func tidyLines(data []byte) (out []byte, ok bool) {
	out = bytes.Clone(data)
	for i := 0; i < len(out); {
		end := len(out)
		if n := bytes.IndexByte(out[i:], '\n'); n >= 0 {
			end = i + n
		}
		line := out[i:end]
		text := bytes.TrimLeft(line, " \t")
		switch {
		case bytes.HasPrefix(line, []byte("%YAML")):
			line[0], ok = '#', true
		case len(text) < len(line) && (len(text) == 0 || text[0] == '#' || text[0] == '\r'):
			for k := range line[:len(line)-len(text)] {
				if line[k] == '\t' {
					line[k], ok = ' ', true
				}
			}
		}
		i = end + 1
	}
	return out, ok
}

// syntax turns an error of the parser into ours. The parser gives a line at most;
// the column is where that line's text begins.
func (y *yamlReader) syntax(data []byte, err error) *Error {
	e := &Error{File: y.file, Msg: "the YAML is broken: " + err.Error()}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Msg = "the YAML is broken: " + m[2]
	}
	if strings.Contains(e.Msg, "control characters") {
		if i := bytes.IndexFunc(data, isControl); i >= 0 {
			e.Line, e.Column = position(data, i)
			e.Msg = fmt.Sprintf("the YAML is broken: control character 0x%02x", data[i])
			return e
		}
	}
	if m := unknownAnchor.FindStringSubmatch(e.Msg); m != nil && e.Line == 0 {
		e.Line, e.Column = position(data, bytes.Index(data, []byte("*"+m[1])))
		return e
	}
	if e.Line == 0 {
		e.Line = 1 // the parser names no line for the first one
	}
	lines := bytes.SplitN(data, []byte{'\n'}, e.Line+1)
	if e.Line <= len(lines) {
		text := lines[e.Line-1]
		e.Column = len(text) - len(bytes.TrimLeft(text, " \t")) + 1
		if bytes.ContainsRune(text[:e.Column-1], '\t') {
			e.Hint = "indent with spaces, not with tabs"
		}
	}
	return e
}

func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f
}

func (y *yamlReader) pointer() string { return pointer(y.path...) }

func (y *yamlReader) fail(n *yaml.Node, msg string) {
	if y.err == nil {
		y.err = &Error{File: y.file, Line: n.Line, Column: n.Column, Pointer: y.pointer(), Msg: msg}
	}
}

// value writes a node as JSON.
func (y *yamlReader) value(n *yaml.Node, depth int) {
	if y.err != nil {
		return
	}
	if len(y.out) > y.limit {
		y.fail(n, fmt.Sprintf("the aliases of the YAML expand to more than %d bytes", y.limit))
		return
	}
	if depth > maxDepth {
		y.fail(n, "nested too deeply")
		return
	}
	switch n.Kind {
	case yaml.AliasNode:
		if y.open[n.Alias] {
			y.diags.add(framework.Error, "alias-cycle", y.pointer(), "the alias *%s contains itself: read as null (line %d)", n.Value, n.Line)
			y.out = append(y.out, "null"...)
			return
		}
		y.open[n.Alias] = true
		y.value(n.Alias, depth+1)
		delete(y.open, n.Alias)
	case yaml.MappingNode:
		y.mapping(n, depth)
	case yaml.SequenceNode:
		y.out = append(y.out, '[')
		for i, e := range n.Content {
			if i > 0 {
				y.out = append(y.out, ',')
			}
			y.path = append(y.path, itoa(i))
			y.value(e, depth+1)
			y.path = y.path[:len(y.path)-1]
		}
		y.out = append(y.out, ']')
	case yaml.ScalarNode:
		y.scalar(n)
	default:
		y.out = append(y.out, "null"...)
	}
}

// A pair is a member of a mapping, its merge keys expanded.
type pair struct {
	key   string
	node  *yaml.Node // of the key
	value *yaml.Node
}

func (y *yamlReader) mapping(n *yaml.Node, depth int) {
	pairs := make([]pair, 0, len(n.Content)/2)
	at := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if isMerge(k) {
			continue
		}
		key, ok := scalarKey(k)
		if !ok {
			y.diags.add(framework.Error, "yaml-key", y.pointer(), "a key on line %d is no scalar: left out", k.Line)
			continue
		}
		p := pair{key, k, v}
		if j, twice := at[key]; twice {
			y.diags.add(framework.Warning, "duplicate-key", y.pointer()+pointer(key),
				"the key is given twice, on lines %d and %d: the last one is used", pairs[j].node.Line, k.Line)
			pairs[j] = p
			continue
		}
		at[key] = len(pairs)
		pairs = append(pairs, p)
	}
	// What is merged comes second: explicit keys win, then earlier merges.
	for i := 0; i+1 < len(n.Content); i += 2 {
		if isMerge(n.Content[i]) {
			pairs = y.merge(pairs, at, n.Content[i+1], 0)
		}
	}
	y.out = append(y.out, '{')
	for i, p := range pairs {
		if i > 0 {
			y.out = append(y.out, ',')
		}
		y.out = appendString(y.out, p.key)
		y.out = append(y.out, ':')
		y.path = append(y.path, p.key)
		y.value(p.value, depth+1)
		y.path = y.path[:len(y.path)-1]
		if y.err != nil {
			return
		}
	}
	y.out = append(y.out, '}')
}

func isMerge(k *yaml.Node) bool {
	return k.Kind == yaml.ScalarNode && k.ShortTag() == "!!merge"
}

// maxMerges is how deep merges may lead through merges.
const maxMerges = 32

// merge adds the members of a merge key's value that are not there yet.
func (y *yamlReader) merge(pairs []pair, at map[string]int, v *yaml.Node, depth int) []pair {
	if v.Kind == yaml.AliasNode {
		v = v.Alias
	}
	// The walk itself counts against the limit: merges of merges multiply too.
	if y.limit -= 16; depth > maxMerges || y.limit < len(y.out) {
		y.fail(v, "the merge keys of the YAML lead too far")
		return pairs
	}
	switch v.Kind {
	case yaml.SequenceNode:
		for _, e := range v.Content {
			pairs = y.merge(pairs, at, e, depth+1)
		}
	case yaml.MappingNode:
		own := make(map[string]bool)
		for i := 0; i+1 < len(v.Content); i += 2 {
			k := v.Content[i]
			key, ok := scalarKey(k)
			if isMerge(k) || !ok {
				continue
			}
			y.limit--
			if j, there := at[key]; !there {
				at[key] = len(pairs)
				own[key] = true
				pairs = append(pairs, pair{key, k, v.Content[i+1]})
			} else if own[key] {
				pairs[j].value = v.Content[i+1] // given twice: the last one
			}
		}
		for i := 0; i+1 < len(v.Content); i += 2 {
			if isMerge(v.Content[i]) {
				pairs = y.merge(pairs, at, v.Content[i+1], depth+1)
			}
		}
	default:
		y.diags.add(framework.Warning, "yaml-merge", y.pointer(), "the merge key on line %d has no mapping: left out", v.Line)
	}
	return pairs
}

// scalarKey returns a key's text. A number or date as a key is its source text.
func scalarKey(k *yaml.Node) (string, bool) {
	if k.Kind == yaml.AliasNode {
		k = k.Alias
	}
	return k.Value, k.Kind == yaml.ScalarNode
}

// The core schema of YAML 1.2.
var (
	coreInt   = regexp.MustCompile(`^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	coreFloat = regexp.MustCompile(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`)
	jsonInt   = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)$`)
	jsonFloat = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$`)
)

// scalar writes a scalar. Numbers keep their source text where JSON allows it, so
// that 1.10 as a version can still be told from 1.1.
func (y *yamlReader) scalar(n *yaml.Node) {
	v := n.Value
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	if n.Style&yaml.TaggedStyle != 0 {
		switch n.ShortTag() {
		case "!!int", "!!float", "!!bool", "!!null":
			quoted = false
		default: // !!str, !!timestamp, !!binary, and tags of the writer's own
			quoted = true
		}
	}
	if quoted || y.isVersion() {
		y.out = appendString(y.out, v)
		return
	}
	switch v {
	case "", "~", "null", "Null", "NULL":
		y.out = append(y.out, "null"...)
		return
	case "true", "True", "TRUE":
		y.out = append(y.out, "true"...)
		return
	case "false", "False", "FALSE":
		y.out = append(y.out, "false"...)
		return
	}
	if c := v[0]; !isDigit(c) && c != '-' && c != '+' && c != '.' {
		y.out = appendString(y.out, v)
		return
	}
	switch {
	case jsonInt.MatchString(v), jsonFloat.MatchString(v):
		y.out = append(y.out, v...)
	case coreInt.MatchString(v) && len(v) < 1000:
		base := 10
		digits := v
		if strings.HasPrefix(v, "0o") || strings.HasPrefix(v, "0x") {
			base, digits = map[byte]int{'o': 8, 'x': 16}[v[1]], v[2:]
		}
		if i, ok := new(big.Int).SetString(digits, base); ok {
			y.out = i.Append(y.out, 10)
			return
		}
		y.out = appendString(y.out, v)
	case coreFloat.MatchString(v):
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			y.out = appendString(y.out, v)
			return
		}
		y.out = strconv.AppendFloat(y.out, f, 'g', -1, 64)
	default: // also .inf and .nan, which JSON has not
		y.out = appendString(y.out, v)
	}
}

// isVersion reports whether the scalar is one that must be a string though people
// write it as a number: openapi: 3.1, version: 1.0.
func (y *yamlReader) isVersion() bool {
	switch len(y.path) {
	case 1:
		return y.path[0] == "openapi" || y.path[0] == "swagger"
	case 2:
		return y.path[0] == "info" && (y.path[1] == "version" || y.path[1] == "title")
	}
	return false
}
