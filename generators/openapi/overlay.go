package openapi

import (
	"fmt"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/overlay"
)

// An Overlay is a file of the OpenAPI Overlay Specification, version 1.0 or 1.1:
// actions that change a document before it is read. Its Name is the file's, for
// messages.
type Overlay = overlay.File

// ReadOverlay reads an overlay file of at most 8 MiB. Its content is looked at
// when it is applied. The error is an [*Error].
func ReadOverlay(path string) (Overlay, error) {
	data, err := readUpTo(path, overlay.MaxSize, "overlay", "split the overlay")
	return Overlay{Name: path, Data: data}, err
}

// ApplyOverlays applies overlays to a document in JSON or YAML, in their order,
// and returns what [New] reads then: the document in JSON, with the members of
// objects by name. JSON Pointers in skills and diagnostics are of that document.
// References to other files are not followed: an overlay changes the document
// itself. name is that of the document, for messages.
//
// An action that selects nothing is a diagnostic of the rule overlay-no-match.
// The error, for an overlay that is none, that does not fit the document or that
// passes a limit, is an [*Error].
func ApplyOverlays(name string, document []byte, overlays []Overlay) ([]byte, []framework.Diagnostic, error) {
	if len(document) > maxDocument {
		return nil, nil, &Error{File: name, Msg: fmt.Sprintf("is larger than %d MiB", maxDocument>>20), Hint: "split the document"}
	}
	return overlay.Apply(name, document, overlays)
}
