package replay

import (
	"github.com/getkin/kin-openapi/openapi3"
)

// A Document is an OpenAPI document as kin-openapi reads it.
type Document struct {
	file  string
	root  string
	whole *openapi3.T
}

// LoadOptions configure [Load]. The zero value and nil mean the defaults.
type LoadOptions struct {
	// Root is the folder within which references to other files are followed:
	// that of the document by default.
	Root string
}

// Load reads the original document: file is its path, data its bytes.
func Load(file string, data []byte, opts *LoadOptions) (*Document, error) {
	d := &Document{file: file}
	return d, nil
}
