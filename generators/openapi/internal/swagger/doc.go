// Package swagger turns Swagger 2.0 into OpenAPI 3.0.3, one operation at a time.
//
// The conversion itself is that of kin-openapi's openapi2conv. What that drops or
// refuses is mended here: transfer protocols of an operation, media types that are
// not stated, forms beside bodies, separators of arrays, examples, and values of
// the wrong type. Schemas differ in a few keywords only and do not go through the
// converter, whose types would lose some of them: they are rewritten as they stand,
// and the converter sees references in their place.
//
// How documents are read, indexed and cut down to one operation is not of this
// package, nor is anything about OpenAPI 3 documents.
package swagger
