package replay

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// flaw says why no validator can hold a value against a schema, or why no value
// fits it, whoever made it. It returns "" if neither can be shown.
func flaw(ref *openapi3.SchemaRef) string {
	seen := map[*openapi3.Schema]bool{}
	var look func(ref *openapi3.SchemaRef, depth int) string
	look = func(ref *openapi3.SchemaRef, depth int) string {
		if ref == nil || depth > 64 {
			return ""
		}
		if ref.Value == nil {
			return fmt.Sprintf("the schema %s has nothing in it", ref.Ref)
		}
		s := ref.Value
		if seen[s] {
			return ""
		}
		seen[s] = true
		for _, t := range s.Type.Slice() {
			if !slices.Contains(schemaTypes, t) {
				return fmt.Sprintf("the type %q is none of OpenAPI", t)
			}
		}
		if err := broken(s.Pattern); err != nil {
			return fmt.Sprintf("the pattern %q is no regular expression: %v", s.Pattern, err)
		}
		if only, ok := s.Type.Slice(), true; len(only) > 0 {
			if only, ok = meet(only, s.AllOf, 0); !ok || len(only) == 0 {
				return "no value has the types of the schema and of its allOf"
			}
		}
		for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf, s.PrefixItems, openapi3.SchemaRefs{s.Items, s.Not, s.AdditionalProperties.Schema}) {
			if why := look(part, depth+1); why != "" {
				return why
			}
		}
		for _, p := range s.Properties {
			if why := look(p, depth+1); why != "" {
				return why
			}
		}
		return ""
	}
	return look(ref, 0)
}

var schemaTypes = []string{"null", "boolean", "object", "array", "number", "string", "integer", "file"}

// broken returns the error of a pattern that is one in each dialect. What Go
// alone does not know, such as a lookahead, is no error.
func broken(pattern string) error {
	_, err := syntax.Parse(pattern, syntax.Perl)
	if e, ok := err.(*syntax.Error); ok {
		switch e.Code {
		case syntax.ErrMissingBracket, syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingRepeatArgument, syntax.ErrTrailingBackslash:
			if !strings.Contains(pattern, "(?") { // a group that Go does not know hides what follows
				return err
			}
		}
	}
	return nil
}

// meet leaves of the types those that each of the parts allows, too.
func meet(only []string, parts openapi3.SchemaRefs, depth int) ([]string, bool) {
	if depth > 16 {
		return only, true
	}
	for _, part := range parts {
		if part == nil || part.Value == nil {
			continue
		}
		if own := part.Value.Type.Slice(); len(own) > 0 {
			var both []string
			for _, t := range only {
				switch {
				case slices.Contains(own, t), t == "integer" && slices.Contains(own, "number"):
					both = append(both, t)
				case t == "number" && slices.Contains(own, "integer"):
					both = append(both, "integer")
				}
			}
			if only = both; len(only) == 0 {
				return nil, false
			}
		}
		var ok bool
		if only, ok = meet(only, part.Value.AllOf, depth+1); !ok {
			return nil, false
		}
	}
	return only, true
}
