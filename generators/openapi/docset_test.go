package openapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// A docset is a document of one or more files, as values: map[string]any, []any,
// string, json.Number, bool or nil. It was read by code that shares nothing with
// the package, and can be written again in many spellings.
type docset struct {
	name  string         // of the document, relative to its folder
	files map[string]any // by name; the document's own is ""
	api   string         // name of the API; "" to take the title

	sums map[string]string // of values that references lead to, by place
}

func (d *docset) root() map[string]any { return d.files[""].(map[string]any) }

// clone returns a copy that shares nothing with d.
func (d *docset) clone() *docset {
	c := &docset{name: d.name, files: make(map[string]any, len(d.files)), api: d.api}
	for name, v := range d.files {
		c.files[name] = cloned(v)
	}
	return c
}

func cloned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for k, e := range v {
			c[k] = cloned(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = cloned(e)
		}
		return c
	}
	return v
}

// edited returns a copy of d of which one file was edited.
func (d *docset) edited(file string, edit func(root map[string]any)) *docset {
	c := &docset{name: d.name, files: maps.Clone(d.files), api: d.api}
	root := cloned(d.files[file]).(map[string]any)
	edit(root)
	c.files[file] = root
	return c
}

// readDocset reads a document and the files that it refers to.
func readDocset(t testing.TB, file, api string) *docset {
	t.Helper()
	d := &docset{name: filepath.Base(file), files: map[string]any{}, api: api}
	read := func(name string) bool {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(file), filepath.FromSlash(cmp.Or(name, d.name))))
		if errors.Is(err, os.ErrNotExist) {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		if d.files[name], err = parsed(data); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return true
	}
	if !read("") {
		t.Fatalf("%s does not exist", file)
	}
	for queue := []string{""}; len(queue) > 0; queue = queue[1:] {
		for _, ref := range refsIn(d.files[queue[0]], nil) {
			name, _ := d.target(queue[0], ref)
			if _, done := d.files[name]; done || !slices.Contains([]string{".json", ".yaml", ".yml"}, path.Ext(name)) || strings.Contains(name, ":") {
				continue
			}
			if read(name) {
				queue = append(queue, name)
			}
		}
	}
	return d
}

// target returns the file that a reference in a file leads to, and the fragment.
func (d *docset) target(from, ref string) (name, fragment string) {
	part, fragment, _ := strings.Cut(ref, "#")
	if part == "" {
		return from, fragment
	}
	if u, err := url.PathUnescape(part); err == nil {
		part = u
	}
	if name = path.Join(path.Dir(from), part); name == d.name {
		name = ""
	}
	return name, fragment
}

// refsIn appends the values of all members named $ref.
func refsIn(v any, refs []string) []string {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			refs = append(refs, ref)
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			refs = refsIn(v[k], refs)
		}
	case []any:
		for _, e := range v {
			refs = refsIn(e, refs)
		}
	}
	return refs
}

// parsed reads JSON, or YAML by the core schema.
func parsed(data []byte) (any, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if json.Valid(data) {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		var v any
		err := dec.Decode(&v)
		return v, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	return fromYAML(doc.Content[0]), nil
}

func fromYAML(n *yaml.Node) any {
	switch n.Kind {
	case yaml.AliasNode:
		return fromYAML(n.Alias)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, e := range n.Content {
			list[i] = fromYAML(e)
		}
		return list
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			if n.Content[i].Tag == "!!merge" {
				for k, v := range fromYAML(n.Content[i+1]).(map[string]any) {
					if _, have := m[k]; !have {
						m[k] = v
					}
				}
				continue
			}
			m[n.Content[i].Value] = fromYAML(n.Content[i+1])
		}
		return m
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return n.Value
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	}
	if c := n.Value[0]; (c == '-' || '0' <= c && c <= '9') && json.Valid([]byte(n.Value)) {
		return json.Number(n.Value)
	}
	return n.Value
}

// canonical returns a value as JSON with sorted keys.
func canonical(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// generator returns a new generator of a document whose files are written as
// spell has it. The bytes go through the same door as a user's.
func (d *docset) generator(t testing.TB, spell func(file string, v any) []byte, budget int) *Generator {
	t.Helper()
	others := memory{}
	for name, v := range d.files {
		if name != "" {
			others[name] = spell(name, v)
		}
	}
	g, err := New(d.name, spell(d.name, d.files[""]), &Options{Name: d.api, Files: others, Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// memory is a folder of files.
type memory map[string][]byte

func (m memory) Read(name string) ([]byte, error) {
	data, ok := m[name]
	if !ok {
		return nil, errors.New("does not exist")
	}
	return data, nil
}

// rendered is what a generator serves: skill -> file -> content. Nothing else is
// in an answer that a document could change.
type rendered map[string]map[string]string

// renderAll renders the skills at the paths, or all of them.
func renderAll(t testing.TB, g *Generator, list ...string) rendered {
	t.Helper()
	if list == nil {
		list = paths(t, g, "")
	}
	all := rendered{}
	for _, p := range list {
		s, err := g.Skill(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		all[g.api+"/"+p] = contents(t, s)
	}
	return all
}

// sameSkills compares what two generators served, and shows the first difference.
func sameSkills(t testing.TB, what string, got, want rendered) {
	t.Helper()
	for _, p := range slices.Sorted(maps.Keys(want)) {
		if maps.Equal(got[p], want[p]) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(want[p])) {
			if got[p][name] != want[p][name] {
				t.Fatalf("%s: %s/%s differs\n%s", what, p, name, firstDifference(got[p][name], want[p][name]))
			}
		}
		t.Fatalf("%s: %s has the files %q, want %q", what, p, slices.Sorted(maps.Keys(got[p])), slices.Sorted(maps.Keys(want[p])))
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d skills, want %d", what, len(got), len(want))
	}
}

// sample returns about n of a list, the same ones each time.
func sample[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

// minified writes JSON with sorted keys.
func minified(_ string, v any) []byte { return []byte(canonical(v)) }

// A speller writes a value in one of the spellings that mean the same: keys are
// in a random order in each.
type speller struct {
	r    *rand.Rand
	name string
	kind int
	bom  bool
	crlf bool

	out     bytes.Buffer
	anchors map[string]*yaml.Node // of YAML with aliases: canonical JSON -> node
}

const (
	minifiedJSON = iota
	indentedJSON
	escapedJSON
	blockYAML
	flowYAML
	doubleQuotedYAML
	singleQuotedYAML
	literalYAML
	aliasedYAML
	spellings
)

func newSpeller(r *rand.Rand, kind int) *speller {
	s := &speller{r: r, kind: kind, bom: r.IntN(4) == 0, crlf: r.IntN(3) == 0}
	s.name = fmt.Sprintf("%s (BOM %t, CRLF %t)", [...]string{
		"minified JSON", "indented JSON", "escaped JSON", "block YAML", "flow YAML", "double-quoted YAML",
		"single-quoted YAML", "YAML with literal blocks", "YAML with aliases",
	}[kind], s.bom, s.crlf)
	return s
}

func (s *speller) spell(file string, v any) []byte {
	s.out.Reset()
	s.anchors = map[string]*yaml.Node{}
	// What begins with a brace in a file named .json has to be JSON.
	if s.kind <= escapedJSON || s.kind == flowYAML && path.Ext(file) == ".json" {
		s.json(v, 0)
	} else {
		enc := yaml.NewEncoder(&s.out)
		enc.SetIndent(2 + s.r.IntN(3))
		if err := enc.Encode(s.node(v)); err != nil {
			panic(err)
		}
	}
	out := bytes.Clone(s.out.Bytes())
	if s.crlf {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	if s.bom {
		out = append([]byte("\uFEFF"), out...)
	}
	return out
}

func (s *speller) keys(m map[string]any) []string {
	keys := slices.Sorted(maps.Keys(m))
	s.r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

func (s *speller) json(v any, depth int) {
	line := func(depth int) {
		if s.kind == indentedJSON {
			s.out.WriteString("\n" + strings.Repeat("\t", depth))
		}
	}
	switch v := v.(type) {
	case map[string]any:
		s.out.WriteByte('{')
		for i, k := range s.keys(v) {
			if i > 0 {
				s.out.WriteByte(',')
			}
			line(depth + 1)
			s.json(k, 0)
			s.out.WriteByte(':')
			s.json(v[k], depth+1)
		}
		line(depth)
		s.out.WriteByte('}')
	case []any:
		s.out.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				s.out.WriteByte(',')
			}
			line(depth + 1)
			s.json(e, depth+1)
		}
		line(depth)
		s.out.WriteByte(']')
	case string:
		if s.kind != escapedJSON {
			s.out.WriteString(canonical(v))
			return
		}
		s.out.WriteByte('"')
		for _, c := range v {
			switch {
			case c == '/' && s.r.IntN(2) == 0:
				s.out.WriteString(`\/`)
			case c < ' ' || c == '"' || c == '\\' || c < 0x10000 && s.r.IntN(8) == 0:
				fmt.Fprintf(&s.out, `\u%04x`, c)
			case c >= 0x10000 && s.r.IntN(2) == 0:
				c -= 0x10000
				fmt.Fprintf(&s.out, `\u%04X\u%04X`, 0xd800+c>>10, 0xdc00+c&0x3ff)
			default:
				s.out.WriteRune(c)
			}
		}
		s.out.WriteByte('"')
	default:
		s.out.WriteString(canonical(v))
	}
}

func (s *speller) node(v any) *yaml.Node {
	if s.kind == aliasedYAML {
		switch v.(type) {
		case map[string]any, []any:
			key := canonical(v)
			if len(key) < 12 {
				break
			}
			if n := s.anchors[key]; n != nil {
				if n.Anchor == "" {
					n.Anchor = "a" + strconv.Itoa(len(s.anchors)) + "-" + strconv.Itoa(s.r.IntN(1000000))
				}
				alias := &yaml.Node{Kind: yaml.AliasNode, Value: n.Anchor, Alias: n}
				if n.Kind == yaml.MappingNode && s.r.IntN(3) == 0 { // all of its members, merged
					return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!merge", Value: "<<"}, alias}}
				}
				return alias
			}
			n := s.plain(v)
			s.anchors[key] = n
			return n
		}
	}
	return s.plain(v)
}

func (s *speller) plain(v any) *yaml.Node {
	switch v := v.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Style: s.collection()}
		for _, k := range s.keys(v) {
			n.Content = append(n.Content, s.plain(k), s.node(v[k]))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Style: s.collection()}
		for _, e := range v {
			n.Content = append(n.Content, s.node(e))
		}
		return n
	case string:
		n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v}
		switch s.kind {
		case doubleQuotedYAML:
			n.Style = yaml.DoubleQuotedStyle
		case singleQuotedYAML:
			n.Style = yaml.SingleQuotedStyle
		case literalYAML:
			if len(v) > 40 || strings.Contains(v, "\n") {
				n.Style = yaml.LiteralStyle
			}
		}
		return n
	case json.Number:
		tag := "!!int"
		if strings.ContainsAny(v.String(), ".eE") {
			tag = "!!float"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: v.String()}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
	panic(fmt.Sprintf("%T", v))
}

func (s *speller) collection() yaml.Style {
	if s.kind == flowYAML {
		return yaml.FlowStyle
	}
	return 0
}
