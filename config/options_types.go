package config

import (
	"encoding"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3" // as file.go
)

// An option is a field of a struct of options.
type option struct {
	name  string
	index []int
	typ   reflect.Type
	doc   string
}

// optionsOf returns the options that a struct has, with those of the structs that are
// inline in it, as the decoder knows them: an embedded struct that is not inline is one
// option.
func optionsOf(t reflect.Type) []option {
	var all []option
	for i := range t.NumField() {
		f := t.Field(i)
		name, flags, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		inline := slices.Contains(strings.Split(flags, ","), "inline")
		if name == "-" || !f.IsExported() && !(f.Anonymous && inline) {
			continue
		}
		if inline {
			below := f.Type
			if below.Kind() == reflect.Pointer {
				below = below.Elem()
			}
			if below.Kind() == reflect.Struct { // and not a map for what nobody knows
				for _, opt := range optionsOf(below) {
					opt.index = append([]int{i}, opt.index...)
					all = append(all, opt)
				}
			}
			continue
		}
		if name == "" {
			name = strings.ToLower(f.Name) // as the decoder does
		}
		all = append(all, option{name, f.Index, f.Type, f.Tag.Get("doc")})
	}
	return all
}

// fieldOf returns a field of a struct, and makes the structs that it is in.
func fieldOf(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// own has v share nothing with the value that it is a copy of: the decoder adds to maps,
// and writes where pointers lead.
func own(v reflect.Value) {
	switch {
	case !v.CanSet():
	case v.Kind() == reflect.Struct && !decodesItself(v.Type()):
		for i := range v.NumField() {
			own(v.Field(i))
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		to := reflect.New(v.Type().Elem())
		to.Elem().Set(v.Elem())
		own(to.Elem())
		v.Set(to)
	case v.Kind() == reflect.Map && !v.IsNil():
		to := reflect.MakeMapWithSize(v.Type(), v.Len())
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			own(value)
			to.SetMapIndex(key, value)
		}
		v.Set(to)
	}
}

var (
	nodeDecoder = reflect.TypeFor[yaml.Unmarshaler]()
	textDecoder = reflect.TypeFor[encoding.TextUnmarshaler]()
	pathType    = reflect.TypeFor[Path]()

	durationType = reflect.TypeFor[time.Duration]()
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
	case t == durationType:
		c.scalar(n, at, "a duration such as 10s", "!!str")
	case t.Kind() == reflect.Bool:
		c.scalar(n, at, "true or false", "!!bool")
	case reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr:
		c.scalar(n, at, "a whole number", "!!int")
	case t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64:
		c.scalar(n, at, "a number", "!!int", "!!float")
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

// scalar wants one with a tag. The decoder would cut 1.5 for a whole number, and take yes
// for a truth value.
func (c *checker) scalar(n *yaml.Node, at, want string, tags ...string) {
	if n.Kind != yaml.ScalarNode || !slices.Contains(tags, n.ShortTag()) {
		c.add(n, at, "want %s, got %s", want, describe(n))
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
				placeFiles(fieldOf(v, opt.index), value, file)
			}
		}
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && n.Kind == yaml.SequenceNode:
		for i := range min(v.Len(), len(n.Content)) {
			placeFiles(v.Index(i), n.Content[i], file)
		}
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String && n.Kind == yaml.MappingNode:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem() // what a map has cannot be set in its place
			value.Set(v.MapIndex(key))
			placeFiles(value, child(n, key.String()), file)
			v.SetMapIndex(key, value)
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
