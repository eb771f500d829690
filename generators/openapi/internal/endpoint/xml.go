package endpoint

import (
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/getkin/kin-openapi/openapi3"
)

// isXML reports whether a media type carries XML.
func (t mediaType) isXML() bool {
	base, _, _ := strings.Cut(t.name, ";")
	return strings.HasSuffix(base, "/xml") || strings.HasSuffix(base, "+xml")
}

// namesRoot reports whether a schema says how its element is called.
func namesRoot(ref *openapi3.SchemaRef) bool {
	return ref != nil && (ref.Ref != "" || ref.Value != nil && ref.Value.XML != nil && ref.Value.XML.Name != "")
}

// textOf returns a value as the body of a media type that is text but no JSON:
// a string as it is, an object as XML where that is the type, else as JSON,
// which YAML and lines of JSON are, too.
func textOf(t mediaType, v *schema.Value, comps openapi3.Schemas) string {
	switch {
	case !v.IsObject() && !v.IsArray():
		return v.Text()
	case t.isXML():
		return schema.XML(t.media.Schema, v, comps)
	case strings.Contains(t.name, "ndjson"), strings.Contains(t.name, "jsonl"), strings.Contains(t.name, "json-seq"):
		if v.IsArray() {
			var lines []string
			for _, item := range v.Items() {
				lines = append(lines, item.Compact())
			}
			return strings.Join(lines, "\n")
		}
		return v.Compact()
	}
	return v.String()
}
