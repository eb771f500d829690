package schema

import (
	"maps"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
)

// spareMembers checks the members that unevaluatedProperties is about.
func (c *validator) spareMembers(s *openapi3.Schema, v *Value, members []Member) string {
	ref := unevaluatedSchema(s.UnevaluatedProperties)
	if ref == nil {
		return ""
	}
	for _, m := range members {
		if c.evaluates(s, v, m.Name, -1, true, 0) {
			continue
		}
		if ref == never {
			return c.fail("%s is not allowed", name(m.Name))
		}
		if r := c.child(ref, m.Value, m.Name); r != "" {
			return r
		}
	}
	return ""
}

// spareItems checks the items that unevaluatedItems is about.
func (c *validator) spareItems(s *openapi3.Schema, v *Value, items []*Value) string {
	ref := unevaluatedSchema(s.UnevaluatedItems)
	if ref == nil {
		return ""
	}
	for i, item := range items {
		if c.evaluates(s, v, "", i, true, 0) {
			continue
		}
		if r := c.child(ref, item, strconv.Itoa(i)); r != "" {
			return r
		}
	}
	return ""
}

func unevaluatedSchema(b openapi3.BoolSchema) *openapi3.SchemaRef {
	if b.Schema != nil {
		return b.Schema
	}
	if b.Has != nil && !*b.Has {
		return never
	}
	return nil
}

// evaluates reports whether s, which holds of v, says something of a member of
// it, or of its item at a place (JSON Schema 2020-12, 11). The unevaluated
// keywords of s itself count unless it is asked for those.
func (c *validator) evaluates(s *openapi3.Schema, v *Value, member string, item int, asked bool, depth int) bool {
	if c.left--; c.left < 0 || depth > maxAlias {
		c.unsure = true
		return true
	}
	if item < 0 {
		if s.Properties[member] != nil || s.AdditionalProperties.Has != nil || s.AdditionalProperties.Schema != nil ||
			!asked && (s.UnevaluatedProperties.Has != nil || s.UnevaluatedProperties.Schema != nil) {
			return true
		}
		for _, p := range slices.Sorted(maps.Keys(s.PatternProperties)) {
			if re, err := c.compile(p); err != nil || re.MatchString(member) {
				return true
			}
		}
	} else {
		if item < len(s.PrefixItems) || s.Items != nil || !asked && (s.UnevaluatedItems.Has != nil || s.UnevaluatedItems.Schema != nil) {
			return true
		}
		if s.Contains != nil && s.Contains.Value != nil && c.visit(s.Contains.Value, v.Items()[item], nil) == "" {
			return true
		}
	}
	holds := func(p *openapi3.SchemaRef) bool { return p != nil && p.Value != nil && c.visit(p.Value, v, nil) == "" }
	in := func(p *openapi3.SchemaRef) bool {
		return p != nil && p.Value != nil && c.evaluates(p.Value, v, member, item, false, depth+1)
	}
	if slices.ContainsFunc(s.AllOf, in) {
		return true
	}
	for _, p := range slices.Concat(s.OneOf, s.AnyOf) {
		if holds(p) && in(p) {
			return true
		}
	}
	if s.If != nil {
		if holds(s.If) {
			if in(s.If) || in(s.Then) {
				return true
			}
		} else if in(s.Else) {
			return true
		}
	}
	for _, n := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		if item < 0 && v.Get(n) != nil && in(s.DependentSchemas[n]) {
			return true
		}
	}
	return false
}
