package schema

import "github.com/getkin/kin-openapi/openapi3"

// Origin says where a sample came from.
type Origin int

const (
	// Made from the schema, perhaps with parts that the document gives.
	Made Origin = iota
	// FromDocument: an example of the document, as it is.
	FromDocument
)

// SampleOptions shape what Sample returns. Nil and the zero value mean
// defaults.
type SampleOptions struct {
	// Full asks for all members; without it there are the required ones only.
	Full bool

	// NonEmpty asks for one optional member where a minimal object would be
	// empty, for a body like that of a PATCH, in which {} says nothing.
	NonEmpty bool

	// Name is the name of the value: made strings are made of it.
	Name string

	// Variant is the discriminator value (Variant.Value) of the shape to make;
	// "" is the first.
	Variant string

	// Items is the number of items of the value itself if it is an array; 0 is
	// one, or minItems.
	Items int

	// Seed is an object whose members are used, where they are valid, for those
	// of the same name: the document's example of a smaller shape.
	Seed *Value
}

// An Example is a sample value and what is to be said about it.
type Example struct {
	Value  *Value
	Origin Origin
	// Name is the name of the document's example in "examples", or "".
	Name string
	// Valid: the value was checked against the schema, in its direction.
	Valid bool
	// Faults are what was found wrong, each in one line: examples of the
	// document that were not used, patterns that could not be matched.
	Faults []Fault
}

// A Fault is something of the document that could not be used.
type Fault struct {
	// Rule is a short id: "example-invalid", "pattern-unsupported",
	// "sample-invalid".
	Rule string
	// Where names the place inside the schema, as member names joined by ".",
	// or "" for the schema itself.
	Where string
	// Message is one safe line.
	Message string
}

// Sample returns a value of the schema, in the direction d: the schema's own
// example if that is valid, else one made from it. It never returns nil; a
// schema that no value satisfies gives an Example that is not Valid.
func Sample(s *openapi3.SchemaRef, d Direction, opts *SampleOptions) *Example {
	return &Example{Value: &Value{}}
}

// MediaTypeSample returns a value of a request or response body: the media
// type's example, or the first valid one of its examples by name, else what
// Sample returns for its schema. opts.Full, NonEmpty and Variant, if set, say
// that an example of the document is wanted only if it is like that.
func MediaTypeSample(mt *openapi3.MediaType, d Direction, opts *SampleOptions) *Example {
	return Sample(mt.Schema, d, opts)
}

// ParameterSample returns a value of a parameter: the parameter's example or
// examples, else what Sample returns for its schema.
func ParameterSample(p *openapi3.Parameter, opts *SampleOptions) *Example {
	return Sample(p.Schema, Request, opts)
}
