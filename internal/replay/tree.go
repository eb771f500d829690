package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// parseTree reads JSON or YAML as plain maps, slices and scalars.
func parseTree(data []byte) (any, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var v any
	if json.Unmarshal(data, &v) == nil {
		return v, nil
	}
	var n yaml.Node
	if err := yaml.Unmarshal(data, &n); err != nil {
		return nil, err
	}
	budget := 5_000_000
	return fromYAML(&n, 0, &budget)
}

func fromYAML(n *yaml.Node, depth int, budget *int) (any, error) {
	if *budget--; *budget < 0 || depth > 400 {
		return nil, fmt.Errorf("the document is too large or too deep")
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return nil, nil
		}
		return fromYAML(n.Content[0], depth+1, budget)
	case yaml.AliasNode:
		return fromYAML(n.Alias, depth+1, budget)
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			v, err := fromYAML(c, depth+1, budget)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := fromYAML(n.Content[i+1], depth+1, budget)
			if err != nil {
				return nil, err
			}
			if n.Content[i].Tag == "!!merge" {
				if m, ok := v.(map[string]any); ok {
					for k, e := range m {
						if _, has := out[k]; !has {
							out[k] = e
						}
					}
				}
				continue
			}
			out[n.Content[i].Value] = v
		}
		return out, nil
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil {
			return f, nil
		}
		var f float64
		if err := n.Decode(&f); err == nil {
			return f, nil
		}
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!null":
		return nil, nil
	}
	return n.Value, nil
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// walk calls f for every object of a tree, from the outside in.
func walk(v any, f func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		f(v)
		for _, e := range v {
			walk(e, f)
		}
	case []any:
		for _, e := range v {
			walk(e, f)
		}
	}
}

// clone returns a copy of a tree.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = clone(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = clone(e)
		}
		return out
	}
	return v
}
