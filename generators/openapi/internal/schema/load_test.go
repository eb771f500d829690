package schema

import (
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// load returns the components of a document made of the given schemas, which
// are YAML indented by four spaces at least.
func load(t testing.TB, version, schemas string) openapi3.Schemas {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData([]byte("openapi: " + version +
		"\ninfo: {title: T, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n" + schemas))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Components.Schemas
}

// refTo returns a reference to a component, as an operation has it.
func refTo(comps openapi3.Schemas, name string) *openapi3.SchemaRef {
	return &openapi3.SchemaRef{Ref: "#/components/schemas/" + name, Value: comps[name].Value}
}

// text writes a block as it stands in a skill, under "body: ".
func text(b *Block) string {
	s := "body: " + b.Type
	if b.Comment != "" {
		s += "  # " + b.Comment
	}
	return strings.Join(append([]string{s}, b.Lines...), "\n") + "\n"
}
