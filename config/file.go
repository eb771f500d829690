package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	// The module that viper reads YAML with: the strict pass and viper cannot
	// disagree about what a file says.
	"go.yaml.in/yaml/v3"
)

// An Error is a fault in the configuration: in a file, a variable or a flag.
type Error struct {
	Source string // the file's path, or the name of the variable
	Line   int    // in the file, from 1; 0 if no line is to blame
	Key    string // "documents[0].name"; "" if the fault is of no key
	Msg    string // what is wrong, and what would be right
}

// Error formats e as "apiskills.yaml:7: listing: unknown value ...".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Source)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	b.WriteString(e.Msg)
	return b.String()
}

// maxErrors is how many faults of one file are reported.
const maxErrors = 10

// check is the strict pass: it holds data, the YAML file, against the table and
// returns every fault, joined, as *Error. A file that passes has no alias, no
// duplicate key and no value that its setting does not take.
func (c *checker) check(data []byte) error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF): // nothing but comments
		return nil
	case err != nil:
		return c.syntax(err)
	}
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		c.add(&second, "", "a second YAML document begins here; keep one")
	case !errors.Is(err, io.EOF):
		return c.syntax(err)
	}
	if root := doc.Content[0]; root.ShortTag() != "!!null" {
		c.settings(root)
	}
	return c.faults()
}

// faults are what was found, by line; nil if that is nothing.
func (c *checker) faults() error {
	slices.SortStableFunc(c.errs, func(a, b *Error) int { return a.Line - b.Line })
	var joined []error
	for i, e := range c.errs {
		if i == maxErrors {
			joined = append(joined, fmt.Errorf("%s: %d more faults", c.file, len(c.errs)-i))
			break
		}
		joined = append(joined, e)
	}
	return errors.Join(joined...)
}

type checker struct {
	file  string
	kinds []string // of documents
	errs  []*Error

	options map[string]*yaml.Node // of documents, by key
}

func (c *checker) add(n *yaml.Node, key, format string, args ...any) {
	c.errs = append(c.errs, &Error{Source: c.file, Line: n.Line, Key: key, Msg: fmt.Sprintf(format, args...)})
}

// settings checks the file's mapping, and those within it that group settings.
func (c *checker) settings(root *yaml.Node) {
	c.group(root, "")
}

// group checks the mapping n of the settings whose keys begin with prefix.
func (c *checker) group(n *yaml.Node, prefix string) {
	var known []string
	for _, s := range settings {
		if rest, ok := strings.CutPrefix(s.key, prefix); ok {
			first, _, _ := strings.Cut(rest, ".")
			if !slices.Contains(known, first) {
				known = append(known, first)
			}
		}
	}
	c.mapping(n, strings.TrimSuffix(prefix, "."), known, func(name string, value *yaml.Node) {
		key := prefix + name
		if s := find(key); s != nil {
			c.setting(s, value)
		} else {
			c.group(value, key+".")
		}
	})
}

func (c *checker) setting(s *setting, n *yaml.Node) {
	switch {
	case s.scalar != nil:
		if text, ok := c.text(n, s.key, s.scalar.want, s.scalar.tags...); ok {
			if err := s.scalar.set(new(Config), text); err != nil {
				c.add(n, s.key, "%s", err)
			}
		}
	case s.strings:
		c.words(n, s.key)
	default:
		c.list(n, s.key, func(key string, item *yaml.Node) { c.object(s.objects, item, key) })
	}
}

// object checks a mapping in a list.
func (c *checker) object(members []member, n *yaml.Node, key string) {
	var known []string
	for _, m := range members {
		known = append(known, m.key)
	}
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		c.add(n, key, "is empty; known here: %s", strings.Join(known, ", "))
		return
	}
	seen := map[string]bool{}
	kind := c.kindOf(n)
	ok := c.mapping(n, key, known, func(name string, value *yaml.Node) {
		seen[name] = true
		m, at := members[slices.Index(known, name)], key+"."+name
		if m.openAPI && kind != OpenAPI {
			c.add(value, at, "is for documents of the kind %s, and this one is of the kind %s; its own settings go into options", OpenAPI, quote(kind))
			return
		}
		if m.options {
			if value.Kind != yaml.MappingNode {
				c.add(value, at, "want keys with values, got %s", describe(value))
			}
			c.plain(value, at)
			c.options[at] = value // its kind looks into it
			return
		}
		if m.key == "kind" && value.ShortTag() == "!!str" && !slices.Contains(c.kinds, value.Value) {
			msg := "known here: " + strings.Join(c.kinds, ", ")
			if s := suggest(value.Value, c.kinds); s != "" {
				msg = fmt.Sprintf("did you mean %q?", s)
			}
			c.add(value, at, "unknown kind %s; %s", quote(value.Value), msg)
			return
		}
		if m.objects != nil {
			c.list(value, at, func(key string, item *yaml.Node) { c.object(m.objects, item, key) })
			return
		}
		if m.strings {
			if m.some && value.Kind == yaml.SequenceNode && len(value.Content) == 0 {
				c.add(value, at, "is empty; leave it out, or name something")
			}
			c.words(value, at)
			return
		}
		if m.truth {
			c.text(value, at, "true or false", "!!bool")
			return
		}
		if text, ok := c.text(value, at, "a string", "!!str"); ok {
			if err := m.check(text); err != nil {
				c.add(value, at, "%s", err)
			}
		}
	})
	for _, m := range members {
		if ok && m.required && !seen[m.key] {
			c.add(n, key, "has no %s", m.key)
		}
	}
}

// kindOf is the kind of document that a mapping says it is of.
func (c *checker) kindOf(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode {
		if kind := child(n, "kind"); kind != nil {
			return kind.Value
		}
	}
	return c.kinds[0]
}

// mapping calls visit for each known key of n and reports the others, repeated
// ones, and an n that is no mapping; then it returns false.
func (c *checker) mapping(n *yaml.Node, at string, known []string, visit func(name string, value *yaml.Node)) bool {
	if n.Kind != yaml.MappingNode {
		c.add(n, at, "want keys with values (%s), got %s", strings.Join(known, ", "), describe(n))
		return false
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode || k.ShortTag() != "!!str" {
			c.add(k, at, "a key must be plain text, got %s", describe(k))
			continue
		}
		name := k.Value
		if !slices.Contains(known, name) {
			c.add(k, at, "unknown key %s; %s", quote(name), c.advise(name, known))
			continue
		}
		if line, again := lines[name]; again {
			c.add(k, at, "key %q stands here again, first on line %d; keep one", name, line)
			continue
		}
		lines[name] = k.Line
		visit(name, v)
	}
	return true
}

// advise says which key may be meant by one that is not known here.
func (c *checker) advise(name string, known []string) string {
	if s := suggest(name, known); s != "" {
		return fmt.Sprintf("did you mean %q?", s)
	}
	for _, s := range settings {
		group, last, nested := strings.Cut(s.key, ".")
		if nested && (name == last || name == s.key) {
			return fmt.Sprintf("write %s within %s", last, group)
		}
		if name == s.key {
			return fmt.Sprintf("%s belongs at the top", s.key)
		}
	}
	if len(known) == 0 {
		return "there is none here"
	}
	return "known here: " + strings.Join(known, ", ")
}

// words checks a list of strings that are not empty.
func (c *checker) words(n *yaml.Node, key string) {
	c.list(n, key, func(key string, item *yaml.Node) {
		if text, ok := c.text(item, key, "a string", "!!str"); ok && text == "" {
			c.add(item, key, "is empty")
		}
	})
}

func (c *checker) list(n *yaml.Node, key string, visit func(key string, item *yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		c.add(n, key, "want a list, got %s", describe(n))
		return
	}
	for i, item := range n.Content {
		visit(fmt.Sprintf("%s[%d]", key, i), item)
	}
}

// text returns the scalar n as the text that a variable or a flag would hold.
func (c *checker) text(n *yaml.Node, key, want string, tags ...string) (string, bool) {
	tag := n.ShortTag()
	if n.Kind != yaml.ScalarNode || !slices.Contains(tags, tag) {
		msg := fmt.Sprintf("want %s, got %s", want, describe(n))
		if n.Kind == yaml.ScalarNode && tag != "!!null" && slices.Contains(tags, "!!str") {
			msg += "; quote it"
		}
		c.add(n, key, "%s", msg)
		return "", false
	}
	switch tag {
	case "!!str":
		return n.Value, true
	case "!!bool":
		var is bool
		err := n.Decode(&is)
		return strconv.FormatBool(is), err == nil
	}
	var i int64
	if err := n.Decode(&i); err != nil {
		c.add(n, key, "%s is not %s that fits", quote(n.Value), want)
		return "", false
	}
	return strconv.FormatInt(i, 10), true
}

// describe names what a node is, for messages.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "the alias *" + n.Value + "; write the value out"
	}
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return "no value"
	case "!!str":
		return "the text " + quote(n.Value)
	case "!!int", "!!float":
		return "the number " + quote(n.Value)
	case "!!bool":
		return "the truth value " + quote(n.Value)
	default:
		return "the value " + quote(n.Value) + " of type " + quote(tag)
	}
}

var yamlError = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?(?:line (\d+): )?`)

// syntax turns an error of the YAML parser into one of ours.
func (c *checker) syntax(err error) error {
	msg := err.Error()
	m := yamlError.FindStringSubmatch(msg)
	line, _ := strconv.Atoi(m[1])
	return &Error{Source: c.file, Line: line, Msg: "not readable as YAML: " + msg[len(m[0]):]}
}
