package schema

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// annotations are what wrappers around a schema say without constraining it.
type annotations struct {
	null, readOnly, writeOnly, deprecated bool
	desc, title                           string
	def                                   any
	examples                              []any
}

func (a *annotations) add(s *openapi3.Schema) {
	a.readOnly = a.readOnly || s.ReadOnly
	a.writeOnly = a.writeOnly || s.WriteOnly
	a.deprecated = a.deprecated || s.Deprecated
	if a.desc == "" {
		a.desc = s.Description
	}
	if a.title == "" {
		a.title = s.Title
	}
	if a.def == nil {
		a.def = s.Default
	}
	if s.Example != nil {
		a.examples = append(a.examples, s.Example)
	}
	a.examples = append(a.examples, s.Examples...)
}

// hidden reports whether a member so annotated does not exist in direction d.
func (a *annotations) hidden(d Direction) bool {
	return d == Request && a.readOnly || d == Response && a.writeOnly
}

// unwrap looks through schemas that only annotate another one, or only add
// null to it, and returns the other one with what was said on the way. The
// annotations of the schema returned are included.
func (w *walker) unwrap(ref *openapi3.SchemaRef) (*openapi3.SchemaRef, annotations) {
	var ann annotations
	for range maxAlias {
		if ref == nil || ref.Value == nil {
			break
		}
		s := ref.Value
		ann.add(s)
		inner, null := alias(s)
		if inner == nil {
			break
		}
		ann.null = ann.null || null || s.Nullable
		for _, part := range s.AllOf {
			if part != inner && part.Value != nil {
				ann.add(part.Value)
			}
		}
		ref = inner
	}
	return ref, ann
}

// alias returns the one schema that s stands for, or nil if s constrains a
// value itself, and whether s allows null besides.
func alias(s *openapi3.Schema) (inner *openapi3.SchemaRef, null bool) {
	if s.Always != nil || constrains(s) {
		return nil, false
	}
	switch {
	case len(s.AllOf) > 0 && len(s.OneOf)+len(s.AnyOf) == 0:
		for _, p := range s.AllOf {
			if p.Value == nil || p.Ref == "" && annotates(p.Value) {
				continue
			}
			if inner != nil {
				return nil, false
			}
			inner = p
		}
	case len(s.AllOf) == 0 && s.Discriminator == nil && len(s.OneOf)*len(s.AnyOf) == 0:
		for _, p := range slices.Concat(s.OneOf, s.AnyOf) {
			if p.Value != nil && onlyNull(p.Value) {
				null = true
				continue
			}
			if inner != nil || p.Value == nil {
				return nil, false
			}
			inner = p
		}
	}
	if inner == nil {
		return nil, false
	}
	// A type beside it says nothing new if it is the inner one's.
	if t := s.Type.Slice(); len(t) > 0 {
		it := inner.Value.Type
		if len(t) != 1 || it == nil || !slices.Equal(t, it.Slice()) {
			return nil, false
		}
	}
	return inner, null
}

// constrains reports whether s itself, without its type, allOf, oneOf and
// anyOf, excludes any value or names any member.
func constrains(s *openapi3.Schema) bool {
	return len(s.Enum) > 0 || s.Const != nil || s.Format != "" || s.Pattern != "" ||
		s.Min != nil || s.Max != nil || s.ExclusiveMin.IsSet() || s.ExclusiveMax.IsSet() || s.MultipleOf != nil ||
		s.MinLength != 0 || s.MaxLength != nil || s.MinItems != 0 || s.MaxItems != nil || s.UniqueItems ||
		s.Items != nil || len(s.PrefixItems) > 0 || s.Contains != nil ||
		len(s.Properties)+len(s.PatternProperties) > 0 || len(s.Required) > 0 || s.MinProps != 0 || s.MaxProps != nil ||
		s.AdditionalProperties.Has != nil || s.AdditionalProperties.Schema != nil ||
		s.ContentMediaType != "" || s.ContentEncoding != "" || s.Discriminator != nil ||
		s.Extensions[StubKey] != nil || ruled(s) || s.DynamicRef != "" || len(s.DependentRequired) > 0
}

// annotates reports whether s constrains nothing at all.
func annotates(s *openapi3.Schema) bool {
	return s.Always == nil && s.Type == nil && !constrains(s) && len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) == 0
}

func onlyNull(s *openapi3.Schema) bool {
	if s.Type.Is("null") {
		return true
	}
	return len(s.Enum) == 1 && s.Enum[0] == nil && s.Type == nil
}
