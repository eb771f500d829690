package replay

import (
	"github.com/getkin/kin-openapi/openapi3"
)

// parameterLimit says why openapi3filter does not decode a parameter as the
// specification has it, or "".
func parameterLimit(p *openapi3.Parameter) string {
	return ""
}

func formLimit(media *openapi3.MediaType) string      { return "" }
func multipartLimit(media *openapi3.MediaType) string { return "" }

// blame moves the fault of a parameter to the document where it lies there.
func (o *operation) blame(f *fault, p *openapi3.Parameter) *fault { return f }

func (o *operation) blameBody(f *fault, media *openapi3.MediaType, v any) *fault { return f }
