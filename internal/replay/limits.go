package replay

import (
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// What openapi3filter (v0.153) does not decode as the specification has it. Each
// limit is a property of the document, so that a refusal of the filter counts
// everywhere else. The package's own reading holds in both cases.

// parameterLimit says why the filter cannot read a parameter, or "".
func parameterLimit(p *openapi3.Parameter) string {
	if p.In == "querystring" {
		return "it does not know the place"
	}
	if len(p.Content) > 0 {
		if name, m := contentOf(p); !strings.HasPrefix(name, "application/json") || len(p.Content) > 1 || m.Schema == nil {
			return "it decodes parameters of one content, JSON, only"
		}
		return ""
	}
	st := styleOf(p)
	shape := shapeOf(p.Schema)
	switch {
	case shape == composite:
		return "it takes the first alternative that can be decoded, not the one that is valid"
	case shape == untyped:
		return "it has no value for a schema without a type"
	case st.name == "deepObject" && (shape != object || !flat(p.Schema)):
		return "it decodes deepObject for flat objects only"
	case st.name == "cookie":
		return "it does not know the style"
	case p.In == openapi3.ParameterInCookie && st.explode && shape != scalar:
		return "it decodes no exploded cookies"
	case shape != scalar && !flat(p.Schema):
		return "it decodes items and members of plain types only"
	}
	return ""
}

// formLimit says why the filter cannot read a form, or "".
func formLimit(media *openapi3.MediaType) string {
	if shapeOf(media.Schema) != object {
		return "it decodes forms of plain objects only"
	}
	for _, p := range media.Schema.Value.Properties {
		switch shapeOf(p) {
		case scalar:
		case array:
			if !flat(p) {
				return "it decodes lists of plain types only"
			}
		default:
			return "it decodes no members of that kind"
		}
	}
	named := func(name string) bool { return media.Schema.Value.Properties[name] != nil }
	if open(media.Schema.Value) || !all(media.Schema.Value.Required, named) {
		return "it drops members that have no name in the schema"
	}
	for _, e := range media.Encoding {
		if e != nil && (e.Style != "" || e.Explode != nil || strings.Contains(e.ContentType, "json")) {
			return "it decodes members by their defaults only"
		}
	}
	return ""
}

// multipartLimit says why the filter cannot read a multipart form, or "".
func multipartLimit(media *openapi3.MediaType) string {
	if shapeOf(media.Schema) != object {
		return "it decodes forms of plain objects only"
	}
	for _, p := range media.Schema.Value.Properties {
		switch shapeOf(p) {
		case scalar, object:
		case array:
			if s := shapeOf(p.Value.Items); s != scalar && s != object {
				return "it decodes lists of plain types only"
			}
		default:
			return "it decodes no parts of that kind"
		}
	}
	for _, e := range media.Encoding {
		if e != nil && (e.Explode != nil || e.Style != "") {
			return "it decodes parts by their defaults only"
		}
	}
	return ""
}

type shape int

const (
	untyped   shape = iota
	scalar          // one type, neither of the below
	array           // of items
	object          // of members
	composite       // of alternatives, or of several types
)

func shapeOf(ref *openapi3.SchemaRef) shape {
	if ref == nil || ref.Value == nil {
		return untyped
	}
	s := ref.Value
	if len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) > 0 || s.Not != nil || s.If != nil {
		return composite
	}
	types := s.Type.Slice()
	switch {
	case len(types) > 1:
		return composite
	case len(types) == 0:
		return untyped
	case types[0] == "array":
		return array
	case types[0] == "object":
		return object
	}
	return scalar
}

// flat reports whether the items or members of a schema are scalars.
func flat(ref *openapi3.SchemaRef) bool {
	switch s := ref.Value; shapeOf(ref) {
	case array:
		return shapeOf(s.Items) == scalar && len(s.PrefixItems) == 0
	case object:
		for _, p := range s.Properties {
			if shapeOf(p) != scalar {
				return false
			}
		}
		return !open(s)
	}
	return true
}

// open reports whether an object says something of members without a name.
func open(s *openapi3.Schema) bool {
	return s.AdditionalProperties.Schema != nil || s.AdditionalProperties.Has != nil && *s.AdditionalProperties.Has || len(s.PatternProperties) > 0
}

func all(list []string, ok func(string) bool) bool {
	for _, s := range list {
		if !ok(s) {
			return false
		}
	}
	return true
}
