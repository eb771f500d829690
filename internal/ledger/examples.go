package ledger

import "strings"

// Examples returns the document's own examples and defaults that their schemas
// refuse, also where no skill shows them. Formats do not count.
func (d *Document) Examples() []Finding {
	w := &exampleWalk{Document: d, seen: map[string]bool{}}
	for _, op := range d.operations {
		w.operation(op)
	}
	components := d.root.get("components")
	if d.swagger() {
		components = d.root
	}
	for _, k := range []string{"schemas", "definitions"} {
		for _, name := range components.get(k).keys() {
			w.schema(components.get(k).get(name), 0)
		}
	}
	for _, k := range []string{"parameters", "headers"} {
		for _, name := range components.get(k).keys() {
			w.parameter(components.get(k).get(name))
		}
	}
	for _, k := range []string{"responses", "requestBodies"} {
		for _, name := range components.get(k).keys() {
			w.body(d.quietly(components.get(k).get(name)), "")
		}
	}
	return w.findings
}

// An exampleWalk goes once to each place that has examples.
type exampleWalk struct {
	*Document
	seen     map[string]bool
	findings []Finding
}

// first reports whether a place was not seen before.
func (w *exampleWalk) first(kind string, p place) bool {
	key := kind + " " + p.String()
	if !p.ok() || w.seen[key] || len(w.findings) > maxFaults {
		return false
	}
	w.seen[key] = true
	return true
}

func (w *exampleWalk) operation(op *operation) {
	for _, p := range op.parameters {
		w.parameter(p.at)
	}
	if op.request != nil {
		for _, f := range op.request.form {
			w.parameter(f.at)
		}
		if w.swagger() {
			w.schema(op.request.at.get("schema"), 0)
		} else {
			w.body(op.request.at, "request")
		}
	}
	for _, r := range op.responses {
		w.body(r.at, "response")
	}
	for _, c := range op.callbacks {
		w.operation(c.operation)
	}
}

// parameter looks at a parameter or a header.
func (w *exampleWalk) parameter(p place) {
	if p = w.quietly(p); !w.first("parameter", p) {
		return
	}
	if w.swagger() {
		w.schema(p, 0)
		if s := p.get("schema"); s.ok() {
			w.schema(s, 0)
		}
		return
	}
	schema := p.get("schema")
	w.values(p, schema, "")
	w.schema(schema, 0)
	w.content(p, "")
}

// body looks at a request body or a response.
func (w *exampleWalk) body(p place, direction string) {
	if !w.first("body"+direction, p) {
		return
	}
	headers := p.get("headers")
	for _, name := range headers.keys() {
		w.parameter(headers.get(name))
	}
	if !w.swagger() {
		w.content(p, direction)
		return
	}
	schema := p.get("schema")
	examples := p.get("examples")
	for _, mediaType := range examples.keys() {
		if isJSON(mediaType) && schema.ok() {
			w.value(examples.get(mediaType), schema, "response")
		}
	}
	w.schema(schema, 0)
}

func (w *exampleWalk) content(p place, direction string) {
	content := p.get("content")
	for _, name := range content.keys() {
		m := w.quietly(content.get(name))
		if !w.first("media"+direction, m) {
			continue
		}
		schema := m.get("schema")
		if isJSON(name) && !strings.HasPrefix(name, "*") {
			w.values(m, schema, direction)
		}
		w.schema(schema, 0)
		w.schema(m.get("itemSchema"), 0)
	}
}

// values looks at example and examples of a parameter or a media type.
func (w *exampleWalk) values(p, schema place, direction string) {
	if !schema.ok() {
		return
	}
	if _, ok := p.object()["example"]; ok {
		w.value(p.get("example"), schema, direction)
	}
	examples := p.get("examples")
	for _, name := range examples.keys() {
		e := w.quietly(examples.get(name))
		for _, k := range []string{"value", "dataValue"} {
			if _, ok := e.object()[k]; ok {
				w.value(e.get(k), schema, direction)
			}
		}
	}
}

func (w *exampleWalk) value(example, schema place, direction string) {
	if reason, _ := w.check(schema, example.value, use{direction: direction}); reason != "" {
		w.findings = append(w.findings, Finding{
			Rule: "example", Pointer: example.String(),
			Message: "its schema does not allow it: " + reason,
		})
	}
}

// schema looks at the examples of a schema and of those in it.
func (w *exampleWalk) schema(p place, depth int) {
	if depth > maxDepth || p.object() == nil || !w.first("schema", p) {
		return
	}
	own := !w.before("1") || !p.get("$ref").ok() // else what stands beside the reference is ignored
	for _, k := range []string{"example", "default"} {
		if v, ok := p.object()[k]; ok && own && (k != "default" || v != nil) {
			w.value(p.get(k), p, "")
		}
	}
	if !w.before("1") {
		for _, example := range p.get("examples").items() {
			w.value(example, p, "")
		}
	}
	if target := w.quietly(p); target.String() != p.String() {
		w.schema(target, depth+1)
	}
	for _, k := range []string{"properties", "patternProperties", "dependentSchemas", "$defs"} {
		members := p.get(k)
		for name := range members.object() {
			w.schema(members.get(name), depth+1)
		}
	}
	for _, k := range []string{"additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "items"} {
		w.schema(p.get(k), depth+1)
	}
	for _, k := range []string{"allOf", "anyOf", "oneOf", "prefixItems"} {
		for _, part := range p.get(k).items() {
			w.schema(part, depth+1)
		}
	}
}
