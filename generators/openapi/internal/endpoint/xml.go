package endpoint

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/getkin/kin-openapi/openapi3"
)

// isXML reports whether a media type carries XML.
func (t mediaType) isXML() bool {
	base, _, _ := strings.Cut(t.name, ";")
	return strings.HasSuffix(base, "/xml") || strings.HasSuffix(base, "+xml")
}

// textOf returns a value as the body of a media type that is text but no JSON:
// a string as it is, an object as XML where that is the type, else as JSON,
// which YAML and lines of JSON are, too.
func textOf(t mediaType, v *schema.Value) string {
	switch {
	case !v.IsObject() && !v.IsArray():
		return v.Text()
	case t.isXML():
		name := "root"
		if s := t.media.Schema; s != nil {
			if i := strings.LastIndexByte(s.Ref, '/'); i >= 0 {
				name = s.Ref[i+1:]
			}
			if s.Value != nil && s.Value.XML != nil && s.Value.XML.Name != "" {
				name = s.Value.XML.Name
			}
		}
		var b strings.Builder
		writeXML(&b, name, t.media.Schema, v, 0)
		return b.String()
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

var xmlName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// writeXML writes a value as an element: members as elements or attributes, an
// array as an element per item, wrapped in one if the schema says so.
func writeXML(b *strings.Builder, name string, ref *openapi3.SchemaRef, v *schema.Value, depth int) {
	if !xmlName.MatchString(name) {
		name = "item"
	}
	if depth > 20 {
		return
	}
	var s *openapi3.Schema
	if ref != nil {
		s = ref.Value
	}
	if v.IsArray() {
		items, itemName := (*openapi3.SchemaRef)(nil), name
		if s != nil && s.Items != nil {
			if items = s.Items; items.Value != nil && items.Value.XML != nil && items.Value.XML.Name != "" {
				itemName = items.Value.XML.Name
			}
		}
		wrapped := depth == 0 || s != nil && s.XML != nil && s.XML.Wrapped
		if wrapped {
			b.WriteString("<" + name + ">")
		}
		for _, item := range v.Items() {
			writeXML(b, itemName, items, item, depth+1)
		}
		if wrapped {
			b.WriteString("</" + name + ">")
		}
		return
	}
	b.WriteString("<" + name)
	var inside []schema.Member
	found := members(ref)
	for _, m := range v.Members() {
		if p := found[m.Name]; p != nil && p.Value != nil && p.Value.XML != nil && p.Value.XML.Attribute && !m.Value.IsObject() && !m.Value.IsArray() {
			attribute := m.Name
			if p.Value.XML.Name != "" {
				attribute = p.Value.XML.Name
			}
			if xmlName.MatchString(attribute) {
				b.WriteString(" " + attribute + `="` + escapeXML(m.Value.Text()) + `"`)
			}
			continue
		}
		inside = append(inside, m)
	}
	b.WriteString(">")
	if !v.IsObject() && !v.IsNull() {
		b.WriteString(escapeXML(v.Text()))
	}
	for _, m := range inside {
		element := m.Name
		p := found[m.Name]
		if p != nil && p.Value != nil && p.Value.XML != nil && p.Value.XML.Name != "" {
			element = p.Value.XML.Name
		}
		writeXML(b, element, p, m.Value, depth+1)
	}
	b.WriteString("</" + name + ">")
}

func escapeXML(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	return b.String()
}
