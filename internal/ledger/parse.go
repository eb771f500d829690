package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Limits of one file. Aliases count as what they stand for.
const (
	maxBytes = 64 << 20
	maxNodes = 3_000_000
	maxDepth = 500
)

type object = map[string]any

var (
	errTooLarge = errors.New("too large")
	errTooDeep  = errors.New("nested too deeply")
)

// parse reads JSON or YAML into objects, lists, strings, booleans, nil and
// [json.Number], as a parser of YAML 1.2 would that follows merge keys. Of a
// key that is there twice the last counts.
func parse(data []byte) (any, error) {
	if len(data) > maxBytes {
		return nil, errTooLarge
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		var v any
		err := d.Decode(&v)
		if err == nil {
			if _, end := d.Token(); end != io.EOF {
				return nil, errors.New("something follows the JSON value")
			}
			return tameNumbers(v, 0)
		}
		if len(data) > 1<<20 { // JSON with a fault, rather than a flow mapping
			return nil, err
		}
	}
	return parseYAML(data)
}

// parseYAML reads the first document of a stream.
func parseYAML(data []byte) (v any, err error) {
	defer func() { // of the parser of YAML
		if r := recover(); r != nil {
			v, err = nil, fmt.Errorf("unreadable YAML: %v", r)
		}
	}()
	var n yaml.Node
	if err := yaml.Unmarshal(data, &n); err != nil {
		return nil, err
	}
	c := converter{}
	return c.value(&n, 0)
}

// tameNumbers makes text of numbers that nobody can calculate with.
func tameNumbers(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	var err error
	switch v := v.(type) {
	case object:
		for k, m := range v {
			if v[k], err = tameNumbers(m, depth+1); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, m := range v {
			if v[i], err = tameNumbers(m, depth+1); err != nil {
				return nil, err
			}
		}
	case json.Number:
		return number(string(v)), nil
	}
	return v, nil
}

// number returns the text as a number, or as text if it is monstrous.
func number(s string) any {
	if len(s) > 400 {
		return s
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(s), "e"); ok {
		if e, err := strconv.Atoi(exponent); err != nil || e > 400 || e < -400 {
			return s
		}
	}
	return json.Number(s)
}

// A converter makes of YAML nodes what a parser of JSON would have made.
type converter struct{ nodes int }

func (c *converter) value(n *yaml.Node, depth int) (any, error) {
	if c.nodes++; c.nodes > maxNodes {
		return nil, errTooLarge
	}
	if depth > maxDepth {
		return nil, errTooDeep
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return c.value(n.Content[0], depth+1)
	case yaml.AliasNode:
		return c.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, e := range n.Content {
			var err error
			if list[i], err = c.value(e, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case yaml.MappingNode:
		own, merged := object{}, object{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			v, err := c.value(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			if key.Tag == "!!merge" {
				mergeInto(merged, v)
				continue
			}
			own[key.Value] = v
		}
		if len(merged) == 0 {
			return own, nil
		}
		maps.Copy(merged, own)
		return merged, nil
	case yaml.ScalarNode:
		return scalar(n), nil
	}
	return nil, nil
}

// mergeInto adds what a merge key brings; of several mappings the first wins.
func mergeInto(o object, v any) {
	switch v := v.(type) {
	case object:
		for k, m := range v {
			if _, ok := o[k]; !ok {
				o[k] = m
			}
		}
	case []any:
		for _, m := range v {
			if m, ok := m.(object); ok {
				mergeInto(o, m)
			}
		}
	}
}

var (
	yamlInt   = regexp.MustCompile(`^[-+]?[0-9]+$`)
	yamlFloat = regexp.MustCompile(`^([-+]?)([0-9]*)(?:\.([0-9]*))?([eE][-+]?[0-9]+)?$`)
)

// scalar types a plain scalar by the core schema of YAML 1.2.
func scalar(n *yaml.Node) any {
	s := n.Value
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 || n.Style&yaml.TaggedStyle != 0 && n.Tag == "!!str" {
		return s
	}
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	}
	if len(s) > 400 {
		return s
	}
	if yamlInt.MatchString(s) {
		sign := ""
		if s[0] == '-' {
			sign = "-"
		}
		digits := strings.TrimLeft(strings.TrimLeft(s, "+-"), "0")
		if digits == "" {
			return json.Number("0")
		}
		return json.Number(sign + digits)
	}
	for prefix, base := range map[string]int{"0o": 8, "0x": 16} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			if i, err := strconv.ParseUint(rest, base, 64); err == nil {
				return json.Number(strconv.FormatUint(i, 10))
			}
		}
	}
	if m := yamlFloat.FindStringSubmatch(s); m != nil && m[2]+m[3] != "" {
		whole := strings.TrimLeft(m[2], "0")
		if whole == "" {
			whole = "0"
		}
		text := strings.TrimPrefix(m[1], "+") + whole
		if m[3] != "" {
			text += "." + m[3]
		}
		return number(text + m[4])
	}
	return s
}
