package config

import (
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
	own(to.Elem()) // of the defaults, which others have too
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

// PlaceFlag returns KEY=VALUE, as for the options that v points to, with a value that is a
// file or a folder where says; v is a struct too.
func PlaceFlag(v any, flag string, where func(path string) string) string {
	key, text, _ := strings.Cut(flag, "=")
	for _, opt := range optionsOf(reflect.Indirect(reflect.ValueOf(v)).Type()) {
		t, list := opt.typ, false
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			list = list || t.Kind() == reflect.Slice
			t = t.Elem()
		}
		if opt.name != key || t != pathType || text == "" || isURL(text) {
			continue
		}
		if node, err := flagNode(text, opt.typ); list && (err != nil || len(node.Content) != 1 || node.Content[0].Value != text) {
			continue // a list that is written out
		}
		return key + "=" + where(text)
	}
	return flag
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
		if value, err := v.FieldByIndexErr(opt.index); err == nil && !value.IsZero() {
			if text, err := yaml.Marshal(value.Interface()); err == nil && value.Kind() != reflect.Struct {
				line += fmt.Sprintf(" (default %s)", strings.Join(strings.Fields(string(text)), " "))
			}
		}
		lines = append(lines, line)
	}
	return lines
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
	field := fieldOf(v, options[i].index)
	again := slices.ContainsFunc(before, func(flag string) bool { return strings.HasPrefix(flag, key+"=") })
	node, err := flagNode(text, field.Type())
	if err == nil {
		c := &checker{file: source}
		c.plain(node, "")
		if c.errs == nil {
			c.value(node, field.Type(), "")
		}
		for _, fault := range c.errs {
			fault.Line, fault.Key = 0, strings.TrimPrefix(fault.Key, ".") // a flag has neither
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
	if field.Kind() == reflect.Struct {
		value.Elem().Set(field) // what the flag does not mention stays
	}
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
