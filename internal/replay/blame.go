package replay

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// A fault lies in the document where the document itself can be shown to
// contradict itself. What is shown is computed here, from the document alone;
// whatever cannot be shown stays a fault of the command.

// blame moves the fault of a parameter to the document if it lies there.
func (o *operation) blame(f *fault, p *openapi3.Parameter) *fault {
	if f.class != InCommand || f.rule != "parameter" && f.rule != "filter" {
		return f
	}
	ref := p.Schema
	if _, media := contentOf(p); media != nil {
		ref = media.Schema
	}
	if why := flaw(ref); why != "" {
		return &fault{InDocument, "schema-flaw", fmt.Sprintf("the %s parameter %s: %s", p.In, p.Name, why)}
	}
	if st := styleOf(p); st.name != "deepObject" && len(p.Content) == 0 && !sendable(p.Schema) {
		return &fault{InDocument, "no-serialization", fmt.Sprintf("the %s parameter %s has items or members that are objects or arrays, for which the style %s has no form", p.In, p.Name, st.name)}
	}
	return f
}

// sendable reports whether some value of a schema can be written in a style
// that is flat: a scalar, scalars, or an object that needs scalars only
// (OpenAPI 3.1.1, 4.8.12.3).
func sendable(ref *openapi3.SchemaRef) bool {
	if ref == nil || ref.Value == nil {
		return true
	}
	simple := func(ref *openapi3.SchemaRef) bool { s := shapeOf(ref); return s != array && s != object }
	switch s := ref.Value; shapeOf(ref) {
	case array:
		return s.Items == nil || simple(s.Items)
	case object:
		some := len(s.Properties) == 0
		for name, p := range s.Properties {
			if simple(p) {
				some = true
			} else if slices.Contains(s.Required, name) {
				return false
			}
		}
		return some || open(s)
	}
	return true
}

// blameBody moves the fault of a body to the document if it lies there.
func (o *operation) blameBody(f *fault, media *openapi3.MediaType, v any) *fault {
	if f.class != InCommand {
		return f
	}
	if why := flaw(media.Schema); why != "" {
		return &fault{InDocument, "schema-flaw", "the body: " + why}
	}
	for name, x := range examples(media) {
		err := o.valid(media.Schema, x)
		if err == nil {
			continue
		}
		// The command sends what the document shows, which the document refuses.
		if reflect.DeepEqual(x, v) {
			return &fault{InDocument, "example-contradicts-schema", fmt.Sprintf("%s is what is sent, and its schema refuses it: %v", name, short(err))}
		}
		// Members that are read-only are shown as sent: which of the two is
		// meant cannot be told.
		if !o.doc.IsOpenAPI31OrLater() && media.Schema.Value.VisitJSON(x, openapi3.VisitAsRequest(), openapi3.DisableReadOnlyValidation()) == nil &&
			media.Schema.Value.VisitJSON(v, openapi3.VisitAsRequest(), openapi3.DisableReadOnlyValidation()) == nil {
			return &fault{InDocument, "example-sends-read-only", fmt.Sprintf("%s has members that are read-only, as the body that is sent: %v", name, short(err))}
		}
	}
	return f
}

// examples returns the examples of a media type, as plain values.
func examples(media *openapi3.MediaType) map[string]any {
	out := map[string]any{}
	add := func(name string, v any) {
		data, err := json.Marshal(v)
		var x any
		if v != nil && err == nil && json.Unmarshal(data, &x) == nil {
			out[name] = x
		}
	}
	add("the example", media.Example)
	for name, e := range media.Examples {
		if e != nil && e.Value != nil {
			add("the example "+name, e.Value.Value)
		}
	}
	if media.Schema != nil && media.Schema.Value != nil {
		add("the example of the schema", media.Schema.Value.Example)
		for _, e := range media.Schema.Value.Examples {
			add("an example of the schema", e)
		}
	}
	return out
}
