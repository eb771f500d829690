package templates

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// maxYAMLValues bounds what the aliases of one record can stand for.
const maxYAMLValues = 50_000

// scanYAML finds the records of a file: each document of it is a record, or a
// list of records.
func (s *source) scanYAML(f fs.File, visit found) error {
	data, err := io.ReadAll(io.LimitReader(f, maxYAML+1))
	if err != nil {
		return err
	}
	if len(data) > maxYAML {
		return visit(record{line: 1}, nil, fmt.Errorf("the file is larger than %d MiB, the limit for records in YAML: NDJSON and CSV have none", maxYAML>>20))
	}
	s.kept = [][]byte{}
	d := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		switch err := d.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			line, msg := yamlFault(err)
			return visit(record{line: int32(line)}, nil, fmt.Errorf("no YAML: %s", msg))
		}
		if len(doc.Content) != 1 {
			continue
		}
		nodes := []*yaml.Node{doc.Content[0]}
		if n := nodes[0]; n.Kind == yaml.SequenceNode {
			nodes = n.Content
		} else if n.Kind == yaml.ScalarNode && n.Value == "" {
			continue // nothing but comments
		}
		if err := s.keep(nodes, visit); err != nil {
			return err
		}
	}
}

// keep takes records from YAML.
func (s *source) keep(nodes []*yaml.Node, visit found) error {
	for _, n := range nodes {
		raw, err := recordOf(n)
		r := record{offset: int64(len(s.kept)), line: int32(n.Line), length: int32(len(raw))}
		if f := new(yamlError); errors.As(err, &f) {
			r.line = int32(f.line)
		}
		if err == nil {
			s.kept = append(s.kept, raw)
		}
		if err := visit(r, raw, err); err != nil {
			return err
		}
	}
	return nil
}

// recordOf returns a record as JSON.
func recordOf(n *yaml.Node) ([]byte, error) {
	if n.Kind != yaml.MappingNode {
		return nil, errors.New("a record is a mapping, and this is none")
	}
	var b bytes.Buffer
	w := yamlWriter{out: &b, active: map[*yaml.Node]bool{}}
	if err := w.write(n, 0); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?`)

// yamlFault takes the line out of an error of the parser; 1 if it has none.
func yamlFault(err error) (line int, msg string) {
	msg = err.Error()
	line = 1
	if m := yamlLine.FindStringSubmatch(msg); m != nil {
		msg = msg[len(m[0]):]
		if m[1] != "" {
			line, _ = strconv.Atoi(m[1])
		}
	}
	return line, msg
}

// A yamlError is a fault of a record at a line of its file.
type yamlError struct {
	line int
	msg  string
}

func (e *yamlError) Error() string { return e.msg }

func yamlFaultAt(n *yaml.Node, format string, args ...any) error {
	return &yamlError{n.Line, fmt.Sprintf(format, args...)}
}

// A yamlWriter writes YAML as JSON, typed by the core schema of YAML 1.2 as the
// frontmatter of a skill is: no dates, no octal by a leading zero, no "yes".
type yamlWriter struct {
	out    *bytes.Buffer
	values int
	active map[*yaml.Node]bool // what is being written, of aliases
}

func (w *yamlWriter) write(n *yaml.Node, depth int) error {
	if w.values++; w.values > maxYAMLValues || w.out.Len() > maxRecord {
		return fmt.Errorf("the record has more than %d values or is larger than %d KiB, aliases included", maxYAMLValues, maxRecord>>10)
	}
	if depth > maxRecordDepth {
		return yamlFaultAt(n, "more than %d levels of lists and mappings", maxRecordDepth)
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return yamlFaultAt(n, "the tag %.40q is not allowed", n.Tag)
	}
	switch n.Kind {
	case yaml.AliasNode:
		if w.active[n.Alias] {
			return yamlFaultAt(n, "the alias %.40q contains itself", n.Value)
		}
		w.active[n.Alias] = true
		defer delete(w.active, n.Alias)
		return w.write(n.Alias, depth+1)
	case yaml.MappingNode:
		return w.mapping(n, depth)
	case yaml.SequenceNode:
		w.out.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				w.out.WriteByte(',')
			}
			if err := w.write(item, depth+1); err != nil {
				return err
			}
		}
		w.out.WriteByte(']')
	case yaml.ScalarNode:
		literal, err := scalar(n)
		if err != nil {
			return err
		}
		w.out.WriteString(literal)
	default:
		return yamlFaultAt(n, "unexpected YAML")
	}
	return nil
}

func (w *yamlWriter) mapping(n *yaml.Node, depth int) error {
	seen := make(map[string]bool, len(n.Content)/2)
	w.out.WriteByte('{')
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		literal, err := scalar(key)
		switch {
		case err != nil:
			return err
		case !strings.HasPrefix(literal, `"`):
			return yamlFaultAt(key, "the key %.40q is no text; quote it", key.Value)
		case literal == `"<<"` && !quotedYAML(key):
			return yamlFaultAt(key, "merge keys are not part of YAML 1.2")
		case seen[literal]:
			return yamlFaultAt(key, "the key %.40q stands twice", key.Value)
		}
		seen[literal] = true
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.out.WriteString(literal + ":")
		if err := w.write(n.Content[i+1], depth+1); err != nil {
			return err
		}
	}
	w.out.WriteByte('}')
	return nil
}

func quotedYAML(n *yaml.Node) bool {
	return n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

var (
	yamlInt   = regexp.MustCompile(`^[-+]?[0-9]+$`)
	yamlRadix = regexp.MustCompile(`^0(?:o[0-7]+|x[0-9a-fA-F]+)$`)
	yamlFloat = regexp.MustCompile(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`)
	yamlNone  = regexp.MustCompile(`^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
)

// scalar returns a scalar as JSON, typed by section 10.3 of YAML 1.2.2.
func scalar(n *yaml.Node) (string, error) {
	s := n.Value
	switch {
	case n.Kind != yaml.ScalarNode:
		return "", yamlFaultAt(n, "a key is a text, and no list or mapping")
	case n.Style&yaml.TaggedStyle != 0:
		return "", yamlFaultAt(n, "the tag %.40q is not allowed", n.Tag)
	case !utf8.ValidString(s):
		return "", yamlFaultAt(n, "not valid UTF-8")
	case quotedYAML(n):
		return jsonString(s), nil
	}
	switch s {
	case "", "~", "null", "Null", "NULL":
		return "null", nil
	case "true", "True", "TRUE":
		return "true", nil
	case "false", "False", "FALSE":
		return "false", nil
	}
	switch {
	case yamlInt.MatchString(s), yamlRadix.MatchString(s):
		base := 10
		if yamlRadix.MatchString(s) {
			base = 0
		}
		if i, ok := new(big.Int).SetString(s[:min(len(s), 400)], base); ok && len(s) < 400 && i.BitLen() < 1024 {
			return i.String(), nil
		}
		return "", yamlFaultAt(n, "the number %.40s is out of range; quote it", s)
	case yamlFloat.MatchString(s):
		if jsonNumber.MatchString(s) {
			return s, nil // in its own digits
		}
		f, err := strconv.ParseFloat(s, 64)
		b, failed := json.Marshal(f)
		if err != nil || failed != nil {
			return "", yamlFaultAt(n, "the number %.40s is out of range; quote it", s)
		}
		return string(b), nil
	case yamlNone.MatchString(s):
		return "", yamlFaultAt(n, "%s has no JSON form; quote it", s)
	}
	return jsonString(s), nil
}

func jsonString(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
