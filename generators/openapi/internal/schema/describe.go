package schema

import "github.com/getkin/kin-openapi/openapi3"

// Describe returns the schema in notation, as it is in the direction d. A nil
// or unresolved schema is "any".
func Describe(s *openapi3.SchemaRef, d Direction, opts *Options) *Block {
	return &Block{Type: "any"}
}

// Added describes what an answer has beyond a request that sent the same
// schema: its readOnly members. Type is "as sent", with ", less the writeOnly
// members" and ", plus" as they apply. It reports false where that way of
// saying it would not be exact, because members nested deeper differ too.
func Added(s *openapi3.SchemaRef, opts *Options) (*Block, bool) { return nil, false }

// DescribeParameter describes the type of a parameter, whether it has a schema
// or content, with allowReserved and deprecated among the facets and the
// parameter's own description as the comment.
func DescribeParameter(p *openapi3.Parameter, opts *Options) *Block {
	return Describe(p.Schema, Request, opts)
}
