package config

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3" // as file.go
)

// OpenAPI is the name of the kind of document that the keys server, refRoot,
// prose, overlays, snippets, include and exclude are for.
const OpenAPI = "openapi"

// A Path is a file or a folder among the options of a document. One that the
// configuration file has is relative to that file.
type Path string

// DocumentOptions are what the kind of a document, and no other, knows about. The
// zero value has none.
type DocumentOptions struct {
	file  string     // "" if the configuration file has none
	key   string     // "documents[0].options"
	node  *yaml.Node // a mapping; nil if the file has none
	flags []string   // KEY=VALUE, in the order given
}

// WithFlags returns the options with those that flags give, as KEY=VALUE: the value
// is YAML, but for a string it is the string. They beat the file's, and several of
// one list add up.
func (o DocumentOptions) WithFlags(flags []string) DocumentOptions {
	o.flags = slices.Concat(o.flags, flags)
	return o
}

// Given reports whether there are any.
func (o DocumentOptions) Given() bool { return o.node != nil || len(o.flags) > 0 }

// Decode decodes the options into the struct that v points to, whose fields have
// yaml tags. What the options do not mention stays as it is. A key that no field has,
// a value of another type than the field's, a number for a string and no value at all
// are errors, as is what a method Validate() error of v returns: an *Error, or
// several joined, with the file and line, or the flag.
func (o DocumentOptions) Decode(v any) error {
	to := reflect.ValueOf(v)
	if to.Kind() != reflect.Pointer || to.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("options are decoded into a pointer to a struct, not a %T", v)
	}
	if o.node != nil {
		c := &checker{file: o.file}
		c.fields(o.node, to.Elem().Type(), o.key)
		if err := c.faults(); err != nil {
			return err
		}
		if err := o.node.Decode(v); err != nil {
			return o.typeError(err)
		}
		placeFiles(to.Elem(), o.node, o.file)
	}
	for i, flag := range o.flags {
		if err := decodeFlag(to.Elem(), flag, o.flags[:i]); err != nil {
			return err
		}
	}
	if v, ok := v.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return o.fault(err)
		}
	}
	return nil
}

// fault places what the kind itself says of its options.
func (o DocumentOptions) fault(err error) error {
	if o.node == nil {
		return &Error{Source: "--option", Msg: err.Error()}
	}
	return &Error{Source: o.file, Line: o.node.Line, Key: o.key, Msg: err.Error()}
}

var yamlTypeError = regexp.MustCompile(`^line (\d+): (.*)$`)

// typeError turns an error of the YAML decoder into ours.
func (o DocumentOptions) typeError(err error) error {
	fault := new(yaml.TypeError)
	if !errors.As(err, &fault) {
		return o.fault(err)
	}
	var all []error
	for _, text := range fault.Errors {
		e := &Error{Source: o.file, Line: o.node.Line, Key: o.key, Msg: text}
		if m := yamlTypeError.FindStringSubmatch(text); m != nil {
			e.Line, _ = strconv.Atoi(m[1])
			e.Msg = m[2]
		}
		all = append(all, e)
	}
	return errors.Join(all...)
}

// An option is a field of a struct of options.
type option struct {
	name  string
	index []int
	typ   reflect.Type
	doc   string
}

// optionsOf returns the options that a struct has, those of embedded structs
// included.
func optionsOf(t reflect.Type) []option {
	var all []option
	for _, f := range reflect.VisibleFields(t) {
		if !f.IsExported() || f.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "-" {
			continue
		}
		if name == "" {
			name = strings.ToLower(f.Name) // as the decoder does
		}
		all = append(all, option{name, f.Index, f.Type, f.Tag.Get("doc")})
	}
	return all
}

// DescribeOptions returns a line for each option of a struct: its name, its default,
// and what its doc tag says.
func DescribeOptions(defaults any) []string {
	v := reflect.Indirect(reflect.ValueOf(defaults))
	var lines []string
	for _, opt := range optionsOf(v.Type()) {
		line := opt.name
		if opt.doc != "" {
			line += ": " + opt.doc
		}
		if value := v.FieldByIndex(opt.index); !value.IsZero() {
			if text, err := yaml.Marshal(value.Interface()); err == nil && value.Kind() != reflect.Struct {
				line += fmt.Sprintf(" (default %s)", strings.Join(strings.Fields(string(text)), " "))
			}
		}
		lines = append(lines, line)
	}
	return lines
}

var (
	nodeDecoder = reflect.TypeFor[yaml.Unmarshaler]()
	textDecoder = reflect.TypeFor[encoding.TextUnmarshaler]()
	pathType    = reflect.TypeFor[Path]()
)

// decodesItself reports whether a type knows better than its kind what it holds.
func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(nodeDecoder) || p.Implements(textDecoder)
}

// fields holds the mapping n against a struct.
func (c *checker) fields(n *yaml.Node, t reflect.Type, at string) {
	options := optionsOf(t)
	known := make([]string, len(options))
	for i, opt := range options {
		known[i] = opt.name
	}
	c.mapping(n, at, known, func(name string, value *yaml.Node) {
		c.value(value, options[slices.Index(known, name)].typ, at+"."+name)
	})
}

// plain checks of a value whose meaning is not known that there is no other reading of it:
// no key stands twice, nothing is an alias.
func (c *checker) plain(n *yaml.Node, at string) {
	switch n.Kind {
	case yaml.AliasNode:
		c.add(n, at, "want a value, got %s", describe(n))
	case yaml.SequenceNode:
		c.list(n, at, c.plainItem)
	case yaml.MappingNode:
		var known []string
		for i := 0; i < len(n.Content); i += 2 {
			known = append(known, n.Content[i].Value)
		}
		c.mapping(n, at, known, func(name string, value *yaml.Node) { c.plain(value, at+"."+name) })
	}
}

func (c *checker) plainItem(at string, n *yaml.Node) { c.plain(n, at) }

// value holds n against a type, as far as the decoder is more lenient than we are.
func (c *checker) value(n *yaml.Node, t reflect.Type, at string) {
	for t.Kind() == reflect.Pointer {
		if n.ShortTag() == "!!null" {
			return
		}
		t = t.Elem()
	}
	switch {
	case n.Kind == yaml.AliasNode || n.ShortTag() == "!!null" && t.Kind() != reflect.Interface:
		c.add(n, at, "want a value, got %s", describe(n))
	case decodesItself(t):
	case t.Kind() == reflect.Struct:
		c.fields(n, t, at)
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		c.list(n, at, func(key string, item *yaml.Node) { c.value(item, t.Elem(), key) })
	case t.Kind() == reflect.String:
		c.text(n, at, "a string", "!!str")
	case t.Kind() == reflect.Map:
		if n.Kind != yaml.MappingNode {
			c.add(n, at, "want keys with values, got %s", describe(n))
			return
		}
		var known []string
		for i := 0; i < len(n.Content); i += 2 {
			known = append(known, n.Content[i].Value)
		}
		c.mapping(n, at, known, func(name string, value *yaml.Node) { c.value(value, t.Elem(), at+"."+name) })
	}
}

// placeFiles makes the paths relative to the file that has them.
func placeFiles(v reflect.Value, n *yaml.Node, file string) {
	switch {
	case n == nil:
	case v.Kind() == reflect.Pointer && !v.IsNil():
		placeFiles(v.Elem(), n, file)
	case v.Type() == pathType:
		if text := v.String(); !isURL(text) {
			v.SetString(besideFile(file, text))
		}
	case v.Kind() == reflect.Struct && n.Kind == yaml.MappingNode && !decodesItself(v.Type()):
		for _, opt := range optionsOf(v.Type()) {
			if value := child(n, opt.name); value != nil {
				placeFiles(v.FieldByIndex(opt.index), value, file)
			}
		}
	case v.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		for i := range min(v.Len(), len(n.Content)) {
			placeFiles(v.Index(i), n.Content[i], file)
		}
	}
}

func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// decodeFlag sets the field that a flag names; before are the flags before it.
func decodeFlag(v reflect.Value, flag string, before []string) error {
	key, text, given := strings.Cut(flag, "=")
	source := "--option " + quote(flag)
	if !given || key == "" {
		return &Error{Source: source, Msg: "write KEY=VALUE"}
	}
	options := optionsOf(v.Type())
	var known []string
	for _, opt := range options {
		known = append(known, opt.name)
	}
	i := slices.Index(known, key)
	if i < 0 {
		msg := fmt.Sprintf("unknown option %s; ", quote(key))
		if s := suggest(key, known); s != "" {
			msg += fmt.Sprintf("did you mean %q?", s)
		} else if len(known) == 0 {
			msg += "this kind of document has none"
		} else {
			msg += "known here: " + strings.Join(known, ", ")
		}
		return &Error{Source: source, Msg: msg}
	}
	field := v.FieldByIndex(options[i].index)
	again := slices.ContainsFunc(before, func(flag string) bool { return strings.HasPrefix(flag, key+"=") })
	node, err := flagNode(text, field.Type())
	if err == nil {
		c := &checker{file: source}
		c.value(node, field.Type(), "")
		for _, fault := range c.errs {
			fault.Line = 0 // a flag has none
		}
		err = c.faults()
	}
	if err != nil {
		if fault := new(Error); errors.As(err, &fault) {
			return err
		}
		return &Error{Source: source, Msg: err.Error()}
	}
	value := reflect.New(field.Type())
	if err := node.Decode(value.Interface()); err != nil {
		msg := strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n  ")
		if m := yamlTypeError.FindStringSubmatch(msg); m != nil {
			msg = m[2]
		}
		return &Error{Source: source, Msg: msg}
	}
	if again && field.Kind() == reflect.Slice {
		field.Set(reflect.AppendSlice(field, value.Elem()))
	} else {
		field.Set(value.Elem())
	}
	return nil
}

// flagNode reads the value of a flag for a field of a type.
func flagNode(text string, t reflect.Type) (*yaml.Node, error) {
	plain := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: yaml.DoubleQuotedStyle}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.String {
		return plain, nil
	}
	var doc yaml.Node
	err := yaml.Unmarshal([]byte(text), &doc)
	list := t.Kind() == reflect.Slice && !decodesItself(t)
	if list && (err != nil || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.SequenceNode) {
		item, err := flagNode(text, t.Elem())
		if err != nil {
			return nil, err
		}
		return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{item}}, nil
	}
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return nil, errors.New("has no value")
	}
	return doc.Content[0], nil
}
