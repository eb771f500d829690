package protorpc

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/apiskills/apiskills/generators/templates"
)

// The limits of what a skill shows of messages and enums.
const (
	maxTypes      = 400 // that are looked at
	maxTypeLines  = 150 // of one message or enum
	mainLines     = 70  // in SKILL.md, for each of request and answer
	mainBytes     = 4000
	referredLines = 3000
	referredBytes = 200_000
)

// wellKnown says how the messages are written in JSON that have a form of their
// own there.
var wellKnown = map[protoreflect.FullName]string{
	"google.protobuf.Timestamp":   "Timestamp",
	"google.protobuf.Duration":    "Duration",
	"google.protobuf.FieldMask":   "FieldMask",
	"google.protobuf.Struct":      "object",
	"google.protobuf.Value":       "any JSON",
	"google.protobuf.ListValue":   "array",
	"google.protobuf.Any":         "Any",
	"google.protobuf.Empty":       "{}",
	"google.protobuf.BoolValue":   "bool | null",
	"google.protobuf.StringValue": "string | null",
	"google.protobuf.BytesValue":  "bytes | null",
	"google.protobuf.Int32Value":  "int32 | null",
	"google.protobuf.UInt32Value": "uint32 | null",
	"google.protobuf.Int64Value":  "int64 | null",
	"google.protobuf.UInt64Value": "uint64 | null",
	"google.protobuf.FloatValue":  "float | null",
	"google.protobuf.DoubleValue": "double | null",
}

// legends explain the types that have a form of their own in JSON, where they
// occur.
var legends = []struct{ typ, says string }{
	{"Timestamp", "`Timestamp` is a string such as `\"2026-01-31T09:30:00Z\"`"},
	{"Duration", "`Duration` is a string of seconds such as `\"90s\"` or `\"1.5s\"`"},
	{"FieldMask", "`FieldMask` is `{\"paths\": [\"display_name\", \"owner.email\"]}` for grpcurl, with names as in the .proto file, and the string `\"displayName,owner.email\"` for gateways"},
	{"bytes", "`bytes` are a string in base64"},
	{"int64", "64-bit numbers are strings in answers, and may be in requests"},
	{"Any", "`Any` is an object with the type's URL in `@type` beside its fields"},
}

// A typ is a message or an enum, described in lines of notation.
type typ struct {
	name  string
	lines []string
}

// A saying is what an author says of a part of a type.
type saying struct {
	about string
	prose templates.Prose
	line  int // in the file
	file  string
}

// A shape is all that one message reaches, itself first.
type shape struct {
	types    []typ
	more     int      // types that were not looked at
	cycles   []string // types that contain themselves
	required bool
	uses     map[string]bool // names of legends
	says     []saying
}

type shaper struct {
	shape
	pkg    string // names in it are shown without it
	absent map[protoreflect.FullName]string
	seen   map[protoreflect.FullName]bool
	queue  []protoreflect.Descriptor
}

// describe walks breadth first over the messages and enums that d reaches, each
// once, without those that seen has.
func describe(d protoreflect.MessageDescriptor, pkg protoreflect.FullName, absent map[protoreflect.FullName]string, seen map[protoreflect.FullName]bool) shape {
	s := &shaper{shape: shape{uses: map[string]bool{}}, pkg: string(pkg) + ".", absent: absent, seen: seen}
	s.enqueue(d)
	for ; len(s.queue) > 0; s.queue = s.queue[1:] {
		if len(s.types) >= maxTypes {
			s.more = len(s.queue)
			break
		}
		switch d := s.queue[0].(type) {
		case protoreflect.MessageDescriptor:
			s.message(d)
		case protoreflect.EnumDescriptor:
			s.enum(d)
		}
	}
	return s.shape
}

func (s *shaper) enqueue(d protoreflect.Descriptor) {
	if !s.seen[d.FullName()] {
		s.seen[d.FullName()] = true
		s.queue = append(s.queue, d)
	}
}

func (s *shaper) name(d protoreflect.Descriptor) string {
	if meant, ok := s.absent[d.FullName()]; ok {
		return meant
	}
	return strings.TrimPrefix(string(d.FullName()), s.pkg)
}

// say returns the words of the author of d as the end of a line of notation.
func (s *shaper) say(d protoreflect.Descriptor) string {
	p := comment(d)
	text := templates.Comment(p)
	if text == "" {
		return ""
	}
	file, line := place(d)
	s.says = append(s.says, saying{s.name(d), p, line, file})
	return "  # " + text
}

// place is where a descriptor is declared.
func place(d protoreflect.Descriptor) (file string, line int) {
	return d.ParentFile().Path(), d.ParentFile().SourceLocations().ByDescriptor(d).StartLine + 1
}

func (s *shaper) message(d protoreflect.MessageDescriptor) {
	t := typ{name: s.name(d)}
	head := t.name
	if isDeprecated(d) {
		head += " deprecated"
	}
	if reachesItself(d) {
		s.cycles = append(s.cycles, t.name)
		head += " recursive"
	}
	t.lines = append(t.lines, head+s.say(d))
	if _, ok := s.absent[d.FullName()]; ok {
		t.lines = append(t.lines, "  (its file could not be read)")
	}
	for i := range d.Fields().Len() {
		if len(t.lines) >= maxTypeLines {
			t.lines = append(t.lines, fmt.Sprintf("  (%d more fields)", d.Fields().Len()-i))
			break
		}
		f := d.Fields().Get(i)
		indent := "  "
		if one := f.ContainingOneof(); one != nil && !one.IsSynthetic() {
			if one.Fields().Get(0) == f {
				t.lines = append(t.lines, "  oneof "+string(one.Name())+s.say(one))
			}
			indent = "    "
		}
		t.lines = append(t.lines, indent+s.field(f))
	}
	if d.Fields().Len() == 0 && s.absent[d.FullName()] == "" {
		t.lines = append(t.lines, "  (no fields)")
	}
	s.types = append(s.types, t)
}

func (s *shaper) field(f protoreflect.FieldDescriptor) string {
	behaviour := behaviours(f)
	line := jsonName(f)
	if f.Cardinality() == protoreflect.Required || slices.Contains(behaviour, annotations.FieldBehavior_REQUIRED) {
		s.required = true
		line += "*"
	}
	line += ": "
	switch {
	case f.IsMap():
		line += "map<" + s.typeName(f.MapKey()) + ", " + s.typeName(f.MapValue()) + ">"
	case f.IsList():
		line += s.typeName(f) + "[]"
		if strings.Contains(line, " | ") {
			line = strings.Replace(line, ": ", ": (", 1)
			line = strings.TrimSuffix(line, "[]") + ")[]"
		}
	default:
		line += s.typeName(f)
	}
	if f.HasOptionalKeyword() {
		line += " optional"
	}
	for _, b := range behaviour {
		switch b {
		case annotations.FieldBehavior_OUTPUT_ONLY:
			line += " output-only"
		case annotations.FieldBehavior_INPUT_ONLY:
			line += " input-only"
		case annotations.FieldBehavior_IMMUTABLE:
			line += " immutable"
		}
	}
	if f.HasDefault() {
		line += " default " + defaultValue(f)
	}
	if isDeprecated(f) {
		line += " deprecated"
	}
	return line + s.say(f)
}

func (s *shaper) typeName(f protoreflect.FieldDescriptor) string {
	switch {
	case f.Enum() != nil:
		if f.Enum().FullName() == "google.protobuf.NullValue" {
			return "null"
		}
		s.enqueue(f.Enum())
		return s.name(f.Enum())
	case f.Message() != nil:
		if name, ok := wellKnown[f.Message().FullName()]; ok {
			for _, l := range legends {
				if strings.Contains(name, l.typ) {
					s.uses[l.typ] = true
				}
			}
			return name
		}
		s.enqueue(f.Message())
		return s.name(f.Message())
	}
	switch f.Kind() {
	case protoreflect.Int64Kind, protoreflect.Uint64Kind, protoreflect.Sint64Kind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		s.uses["int64"] = true
	case protoreflect.BytesKind:
		s.uses["bytes"] = true
	}
	return f.Kind().String()
}

// enum describes an enum: on one line where that is short and has no comments.
func (s *shaper) enum(d protoreflect.EnumDescriptor) {
	t := typ{name: s.name(d)}
	var values []string
	plain := true
	length := 0
	for i := range d.Values().Len() {
		v := d.Values().Get(i)
		value := string(v.Name())
		if isDeprecated(v) {
			value += " deprecated"
		}
		said := s.say(v)
		plain = plain && said == "" && !isDeprecated(v)
		length += len(value) + 3
		values = append(values, value+said)
		if len(values) >= maxTypeLines {
			values = append(values, fmt.Sprintf("(%d more values)", d.Values().Len()-i-1))
			break
		}
	}
	head := "enum " + t.name
	if isDeprecated(d) {
		head += " deprecated"
	}
	about := s.say(d)
	if plain && length < 100 {
		t.lines = []string{head + ": " + strings.Join(values, " | ") + about}
	} else {
		t.lines = append(t.lines, head+about)
		for _, v := range values {
			t.lines = append(t.lines, "  "+v)
		}
	}
	s.types = append(s.types, t)
}

// split returns the lines of the types that fit into limits, of the first in any
// case, and the types that are left.
func split(types []typ, maxLines, maxBytes int) (lines []string, rest []typ) {
	size := 0
	for i, t := range types {
		for _, line := range t.lines {
			size += len(line) + 1
		}
		if i > 0 && (len(lines)+len(t.lines) > maxLines || size > maxBytes) {
			return lines, types[i:]
		}
		lines = append(lines, t.lines...)
	}
	return lines, nil
}

// reachesItself reports whether a message may contain a message of its type.
func reachesItself(d protoreflect.MessageDescriptor) bool {
	seen := map[protoreflect.FullName]bool{}
	queue := []protoreflect.MessageDescriptor{d}
	for ; len(queue) > 0 && len(seen) < maxTypes; queue = queue[1:] {
		for i := range queue[0].Fields().Len() {
			m := queue[0].Fields().Get(i).Message()
			switch {
			case m == nil || seen[m.FullName()]:
			case m.FullName() == d.FullName():
				return true
			default:
				seen[m.FullName()] = true
				queue = append(queue, m)
			}
		}
	}
	return false
}
