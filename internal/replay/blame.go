package replay

import (
	"github.com/getkin/kin-openapi/openapi3"
)

// blame moves the fault of a parameter to the document where it lies there.
func (o *operation) blame(f *fault, p *openapi3.Parameter) *fault { return f }

func (o *operation) blameBody(f *fault, media *openapi3.MediaType, v any) *fault { return f }
