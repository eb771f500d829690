package ledger

// A Document is an OpenAPI document as it stands in its files.
type Document struct {
	version string
}

// Read reads a document, JSON or YAML. The open function returns other files
// that it refers to, by their slash-separated path from the document's folder,
// which may begin with "../"; nil: there are none.
func Read(name string, data []byte, open func(path string) ([]byte, error)) (*Document, error) {
	return &Document{}, nil
}

// Examples returns the document's own examples that their schemas refuse.
func (d *Document) Examples() []Finding { return nil }
