package protorpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/apiskills/apiskills/framework/names"
)

// The limits of a sample.
const (
	sampleDepth  = 4  // messages within each other
	sampleFields = 25 // in all, and as many more that are required
)

// sample returns a message of a type as JSON, on several lines: each field that
// a caller may set, the first of each oneof. It ends where a type comes again.
func sample(d protoreflect.MessageDescriptor) string {
	s := &sampler{left: sampleFields}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(s.message(d)), "", "  "); err != nil {
		return "{}" // of no message: what is written is JSON
	}
	return b.String()
}

type sampler struct {
	within []protoreflect.FullName
	left   int
}

func (s *sampler) message(d protoreflect.MessageDescriptor) string {
	if text, ok := wellKnownSample[d.FullName()]; ok {
		return text
	}
	s.within = append(s.within, d.FullName())
	defer func() { s.within = s.within[:len(s.within)-1] }()
	var members []string
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		one := f.ContainingOneof()
		required := f.Cardinality() == protoreflect.Required || slices.Contains(behaviours(f), annotations.FieldBehavior_REQUIRED)
		switch {
		case one != nil && !one.IsSynthetic() && one.Fields().Get(0) != f:
			continue
		case slices.Contains(behaviours(f), annotations.FieldBehavior_OUTPUT_ONLY), !required && isDeprecated(f):
			continue
		case !required && f.Name() == "page_token": // the first page has none
			continue
		case s.left <= -sampleFields || s.left <= 0 && !required || !s.fits(f.Message(), required):
			continue
		}
		s.left--
		members = append(members, asciiJSON(f.JSONName())+": "+s.field(f))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// fits reports whether a field of a message type goes into the sample: not
// where that is inside itself or unknown, and only a few messages deep.
func (s *sampler) fits(d protoreflect.MessageDescriptor, required bool) bool {
	if d == nil || wellKnownSample[d.FullName()] != "" {
		return true
	}
	if d.IsMapEntry() {
		return s.fits(d.Fields().ByNumber(2).Message(), required)
	}
	return d.ParentFile().Path() != absentFile && !slices.Contains(s.within, d.FullName()) && (len(s.within) < sampleDepth || required && len(s.within) < 4*sampleDepth)
}

func (s *sampler) field(f protoreflect.FieldDescriptor) string {
	switch {
	case f.IsMap():
		key := asciiJSON("key")
		switch f.MapKey().Kind() {
		case protoreflect.StringKind:
		case protoreflect.BoolKind:
			key = `"true"`
		default:
			key = `"1"`
		}
		return "{" + key + ": " + s.value(f.MapValue()) + "}"
	case f.IsList():
		return "[" + s.value(f) + "]"
	}
	return s.value(f)
}

func (s *sampler) value(f protoreflect.FieldDescriptor) string {
	switch f.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return s.message(f.Message())
	case protoreflect.EnumKind:
		return enumSample(f.Enum())
	case protoreflect.BoolKind:
		return "false" // it may be called force
	case protoreflect.StringKind:
		if f.ContainingMessage().IsMapEntry() {
			return `"value"`
		}
		return asciiJSON(strings.ToUpper(strings.ReplaceAll(names.Slug(string(f.Name())), "-", "_")))
	case protoreflect.BytesKind:
		return `"Ynl0ZXM="`
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return "1.5"
	case protoreflect.Int64Kind, protoreflect.Uint64Kind, protoreflect.Sint64Kind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return `"1"`
	}
	return "1"
}

// enumSample prefers a value that says something: not zero, not deprecated.
func enumSample(d protoreflect.EnumDescriptor) string {
	if d.FullName() == "google.protobuf.NullValue" {
		return "null"
	}
	for i := range d.Values().Len() {
		if v := d.Values().Get(i); v.Number() != 0 && !isDeprecated(v) {
			return asciiJSON(string(v.Name()))
		}
	}
	return asciiJSON(string(d.Values().Get(0).Name()))
}

var wellKnownSample = map[protoreflect.FullName]string{
	"google.protobuf.Timestamp":   `"2026-01-31T09:30:00Z"`,
	"google.protobuf.Duration":    `"90s"`,
	"google.protobuf.FieldMask":   `{"paths": ["field_name"]}`, // not a string: grpcurl reads it so
	"google.protobuf.Struct":      `{"key": "value"}`,
	"google.protobuf.Value":       `"value"`,
	"google.protobuf.ListValue":   `["value"]`,
	"google.protobuf.Any":         `{"@type": "type.googleapis.com/google.protobuf.Duration", "value": "90s"}`,
	"google.protobuf.Empty":       `{}`,
	"google.protobuf.BoolValue":   "true",
	"google.protobuf.StringValue": `"value"`,
	"google.protobuf.BytesValue":  `"Ynl0ZXM="`,
	"google.protobuf.Int32Value":  "1",
	"google.protobuf.UInt32Value": "1",
	"google.protobuf.Int64Value":  `"1"`,
	"google.protobuf.UInt64Value": `"1"`,
	"google.protobuf.FloatValue":  "1.5",
	"google.protobuf.DoubleValue": "1.5",
}

// asciiJSON returns s as a JSON string of printable ASCII: whoever made the
// text, nothing in it is hidden.
func asciiJSON(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == '`' || r == 0x7f || r > 0x7f && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
