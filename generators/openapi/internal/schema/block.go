package schema

import (
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Direction says which way a value travels. It decides whether readOnly or
// writeOnly members exist in it.
type Direction int

const (
	// Request values are sent by the caller: readOnly members are left out.
	Request Direction = iota
	// Response values are received: writeOnly members are left out.
	Response
)

// Options shape what Describe returns. Nil and the zero value mean defaults.
type Options struct {
	// MaxLines bounds Block.Lines; 0 means 1,000. What is past it is replaced
	// by a last line "... n more members", and Block.Truncated is set.
	MaxLines int

	// TopOnly shows the members of the schema itself without what is nested in
	// them, for the case that the whole stands elsewhere.
	TopOnly bool

	// SkipVariants leaves the "when" blocks of the schema's own discriminator
	// out of Block.Lines, for the case that they stand elsewhere;
	// Block.Variants still has them.
	SkipVariants bool

	// Mark names components to be introduced as "object as @Name" where they
	// are first shown, although nothing in this block refers back to them: the
	// caller does, elsewhere in the same file.
	Mark map[string]bool

	// Known names components that an earlier block of the same file introduced:
	// they are shown as "@Name" and not again.
	Known map[string]bool

	// MediaType stands in parentheses after the schema's own base type, as in
	// "object(application/json)": that of a content-typed parameter.
	MediaType string

	// Multipart describes the parts of a multipart body: each member carries
	// its Content-Type, taken from Encoding where that has one.
	Multipart bool
	Encoding  openapi3.Encodings

	// XML shows the xml hints among the facets.
	XML bool

	// Schemas are the document's components. A discriminator that stands on a
	// base schema, without oneOf, names its subtypes among them.
	Schemas openapi3.Schemas

	// Comment makes a document's text safe to stand after "# ". The default
	// joins it to one line, drops control, bidi and zero-width characters and
	// cuts it at 160 characters.
	Comment func(string) string
}

// A Block is a schema in notation.
type Block struct {
	// Type is what stands after "name*: ", facets included.
	Type string

	// Comment is the schema's own description, ready to stand after "  # ", or
	// "". It is not part of Type.
	Comment string

	// Lines are the nested lines. Each level is indented by two spaces, the
	// first one by two spaces as well: relative to the member's own line.
	Lines []string

	// Names and Required are the members at the schema's own level that are
	// common to all variants, in the order of Lines, and those always present.
	Names    []string
	Required []string

	// Variants are the "when" blocks of the schema's own discriminator, by
	// value, or nil.
	Variants *Variants

	// Component is the component the schema refers to, or "".
	Component string

	// Shown are the components that Lines show in full; Named are those of them
	// that were introduced as "@Name". Both in the order of Lines.
	Shown []string
	Named []string

	// Truncated: Lines end with "... n more members", Omitted is that n. It is
	// "at least n" where counting the rest would have taken too long.
	Truncated bool
	Omitted   int

	// Stubbed: something was shown as "not expanded".
	Stubbed bool

	// Unshown are keywords met that the notation cannot express, sorted, such
	// as "not" or "if". The shape shown is wider than the document's.
	Unshown []string

	// Enums are the enumerations of which only the first twelve values are
	// shown, in the order of Lines.
	Enums []Enum
}

// Variants are the shapes a discriminator tells apart.
type Variants struct {
	Property string    // the discriminator
	List     []Variant // by value
}

// A Variant is one shape of a discriminated schema.
type Variant struct {
	// Values are the discriminator's values for this shape, as JSON literals,
	// sorted.
	Values []string
	// Value is the first of Values as plain text, for SampleOptions.Variant.
	Value string
	// Component is the name of the variant's schema, or "".
	Component string
	// Required are the members required besides the common ones.
	Required []string
	// Lines are the members besides the common ones, the first level indented
	// by two spaces.
	Lines []string

	body *body
}

// An Enum is an enumeration too long to be shown in its line.
type Enum struct {
	Path   string   // names of the members that lead to it, joined by "."
	Values []string // all values as JSON literals, in the document's order; the last may be "... n more"
}

// Dedent returns the lines of b one level further left, for a fence of its own
// that has no line for the schema itself.
func (b *Block) Dedent() []string {
	out := make([]string, len(b.Lines))
	for i, l := range b.Lines {
		out[i] = strings.TrimPrefix(l, "  ")
	}
	return out
}
