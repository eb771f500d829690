package schema

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// xmlNodeKey is the extension of an XML Object that holds a nodeType of OpenAPI
// 3.2 for which older versions have no member: text, cdata or none.
const xmlNodeKey = "x-apiskills-xml-node"

const maxXMLDepth = 20

var xmlName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// XML returns a value as an XML document, as the xml hints of its schema say.
// What has no hint is an element of its own name; an array is an element for
// each item.
func XML(ref *openapi3.SchemaRef, v *Value, comps openapi3.Schemas) string {
	x := &xmlWriter{walker: newWalker(Request, comps)}
	name := "root"
	if ref != nil && component(ref.Ref) != "" {
		name = component(ref.Ref)
	}
	x.element(name, ref, v, 0, map[string]string{})
	return x.out.String()
}

type xmlWriter struct {
	*walker
	out strings.Builder
}

// hints returns the xml hints of a schema, seen through its wrappers, or nil.
func (w *walker) hints(ref *openapi3.SchemaRef) *openapi3.XML {
	for range maxAlias {
		if ref == nil || ref.Value == nil {
			return nil
		}
		if h := ref.Value.XML; h != nil {
			return h
		}
		inner, _ := alias(ref.Value)
		ref = inner
	}
	return nil
}

func nodeOf(h *openapi3.XML) string {
	if h == nil {
		return ""
	}
	kind, _ := h.Extensions[xmlNodeKey].(string)
	return kind
}

// named returns the name that hints give an element or attribute of a name, and
// the declaration of its namespace, if that is not in scope yet.
func named(name string, h *openapi3.XML, scope map[string]string, attribute bool) (qualified, declare string, inner map[string]string) {
	inner = scope
	if h != nil && h.Name != "" {
		name = h.Name
	}
	if !xmlName.MatchString(name) {
		name = "item"
	}
	if h == nil {
		return name, "", inner
	}
	prefix := h.Prefix
	if !xmlName.MatchString(prefix) {
		prefix = ""
	}
	known, bound := scope[prefix]
	if ns := h.Namespace; ns != "" && !(attribute && prefix == "") && (!bound || known != ns) {
		inner = make(map[string]string, len(scope)+1)
		for k, v := range scope {
			inner[k] = v
		}
		inner[prefix] = ns
		at := "xmlns"
		if prefix != "" {
			at += ":" + prefix
		}
		declare = " " + at + `="` + escapeXML(ns) + `"`
		bound = true
	}
	if prefix != "" && bound { // a prefix of no namespace would not be read
		name = prefix + ":" + name
	}
	return name, declare, inner
}

// element writes a value as an element: members as elements or attributes, an
// array as an element per item, wrapped in one if the schema says so.
func (x *xmlWriter) element(name string, ref *openapi3.SchemaRef, v *Value, depth int, scope map[string]string) {
	if depth > maxXMLDepth {
		return
	}
	h := x.hints(ref)
	kind := nodeOf(h)
	if v.IsArray() {
		var items *openapi3.SchemaRef
		if sh := x.shapeOf(ref); sh != nil {
			items = sh.items
		}
		if wrapped := depth == 0 || h != nil && h.Wrapped; wrapped {
			q, declare, inner := named(name, h, scope, false)
			x.out.WriteString("<" + q + declare + ">")
			for _, item := range v.Items() {
				x.element(name, items, item, depth+1, inner)
			}
			x.out.WriteString("</" + q + ">")
			return
		}
		for _, item := range v.Items() {
			x.element(name, items, item, depth+1, scope)
		}
		return
	}
	scalar := !v.IsObject()
	switch {
	case scalar && kind == "cdata":
		x.out.WriteString("<![CDATA[" + strings.ReplaceAll(visible(v.Text()), "]]>", "]]]]><![CDATA[>") + "]]>")
		return
	case scalar && kind == "text":
		x.out.WriteString(escapeXML(v.Text()))
		return
	}
	q, declare, inner := named(name, h, scope, false)
	if kind != "none" || depth == 0 {
		x.out.WriteString("<" + q + declare)
	}
	props := x.propsOf(ref, v)
	var rest []Member
	for _, m := range v.Members() {
		ph := x.hints(props[m.Name])
		if ph == nil || !ph.Attribute || m.Value.IsObject() || m.Value.IsArray() || kind == "none" && depth > 0 {
			rest = append(rest, m)
			continue
		}
		attribute, declare, next := named(m.Name, ph, inner, true)
		inner = next
		x.out.WriteString(declare + " " + attribute + `="` + escapeXML(m.Value.Text()) + `"`)
	}
	if kind != "none" || depth == 0 {
		x.out.WriteString(">")
	}
	if scalar && !v.IsNull() {
		x.out.WriteString(escapeXML(v.Text()))
	}
	for _, m := range rest {
		x.element(m.Name, props[m.Name], m.Value, depth+1, inner)
	}
	if kind != "none" || depth == 0 {
		x.out.WriteString("</" + q + ">")
	}
}

func (w *walker) shapeOf(ref *openapi3.SchemaRef) *shape {
	if ref == nil || ref.Value == nil {
		return nil
	}
	core, _ := w.unwrap(ref)
	if core == nil || core.Value == nil {
		return nil
	}
	return w.shape(core.Value)
}

// propsOf returns the schemas of the members that v may have: those of the
// schema, and of the alternatives that v is one of.
func (w *walker) propsOf(ref *openapi3.SchemaRef, v *Value) map[string]*openapi3.SchemaRef {
	out := map[string]*openapi3.SchemaRef{}
	sh := w.shapeOf(ref)
	if sh == nil {
		return out
	}
	add := func(sh *shape) {
		for n, p := range sh.props {
			if out[n] == nil {
				out[n] = p
			}
		}
	}
	add(sh)
	if lay := w.layout(sh); lay.disc != nil {
		if chosen := lay.choose(v.Get(lay.disc.name).Text()); chosen != nil {
			add(chosen.shape)
		}
	}
	for _, g := range sh.groups {
		for _, o := range g.options {
			if reason, _ := w.check(o, v); reason == "" {
				if inner := w.shapeOf(o); inner != nil {
					add(inner)
				}
			}
		}
	}
	for _, m := range v.Members() {
		if out[m.Name] == nil && sh.other != nil {
			out[m.Name] = sh.other
		}
	}
	return out
}

func escapeXML(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	return b.String()
}

// visible leaves out what XML cannot hold.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, s)
}

// xmlFacet returns how a value is written in XML, or nothing.
func (x *describer) xmlFacet(ref *openapi3.SchemaRef, member string) []string {
	h := x.hints(ref)
	if h == nil {
		return nil
	}
	var parts []string
	switch kind := nodeOf(h); {
	case h.Attribute:
		parts = append(parts, "attribute")
	case kind == "text" || kind == "cdata" || kind == "none":
		parts = append(parts, kind)
	}
	if h.Wrapped {
		parts = append(parts, "wrapped")
	}
	if h.Name != "" && h.Name != member {
		parts = append(parts, "name "+name(h.Name))
	}
	if h.Prefix != "" {
		parts = append(parts, "prefix "+name(h.Prefix))
	}
	if h.Namespace != "" {
		parts = append(parts, "namespace "+quote(h.Namespace))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"xml(" + strings.Join(parts, ", ") + ")"}
}
