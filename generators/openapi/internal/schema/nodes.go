package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// node describes a schema as it is used in one place.
func (x *describer) node(ref *openapi3.SchemaRef, path string, level int) *node {
	if ref == nil || ref.Value == nil {
		return &node{text: "any"}
	}
	core, ann := x.unwrap(ref)
	if core.Value == nil {
		return &node{text: "any"}
	}
	n := x.core(core, path, level)
	n.null = n.null || ann.null
	if ann.def != nil {
		if lit := ValueOf(ann.def).Line(); len(lit) <= maxLiteral {
			n.facets = append(n.facets, "default "+lit)
		} else {
			x.block.Unshown = append(x.block.Unshown, "default")
		}
	}
	if x.opts.XML {
		n.facets = append(n.facets, x.xmlFacet(ref, path[strings.LastIndexByte(path, '.')+1:])...)
	}
	if ann.writeOnly && x.dir == Request {
		n.facets = append(n.facets, "writeOnly")
	}
	if ann.deprecated {
		n.facets = append(n.facets, "deprecated")
	}
	return n
}

// stub is the node of a shape that is not expanded.
func (x *describer) stub(text, named string, required []string) *node {
	x.block.Stubbed = true
	if !plainName(named) {
		named = quote(capWords(oneLine(named), 80))
	}
	n := &node{text: text + " (" + named + ", not expanded)", multi: true}
	if len(required) > 0 {
		names := make([]string, 0, len(required))
		for _, r := range required {
			names = append(names, name(r))
		}
		n.tail = "  required: " + strings.Join(names, ", ")
	}
	return n
}

// stubName returns the name of a schema that is not expanded: its component,
// or the last name in its pointer that is no keyword and no number.
func stubName(at string) string {
	tokens := strings.Split(at, "/")
	for i := len(tokens) - 1; i > 0; i-- {
		switch t := tokens[i]; t {
		case "items", "schema", "properties", "additionalProperties", "allOf", "oneOf", "anyOf", "not", "content":
		default:
			if strings.Trim(t, "0123456789") != "" {
				return component("/" + t)
			}
		}
	}
	return component(at)
}

// core describes a schema without what its place adds.
func (x *describer) core(ref *openapi3.SchemaRef, path string, level int) *node {
	s := ref.Value
	if x.built > x.most || !x.spend() {
		return x.stub(typeWord(s), labelName(ref, path), nil)
	}
	comp := component(ref.Ref)
	if comp != "" && x.opts.Known[comp] && len(s.Properties)+len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) > 0 {
		return &node{kind: reference, label: &label{name: comp}, null: x.shape(s).null}
	}
	var key any = s
	if ref.Ref != "" {
		key = ref.Ref
		if old := x.bodies[key]; old != nil && !sameBody(old, s) {
			key = s // the reference has siblings that change it
		}
	}
	if l := x.labels[key]; l != nil {
		if l.ready {
			return &node{kind: reference, label: l, null: x.shape(s).null}
		}
		return x.stub("any", labelName(ref, path), nil)
	}
	if x.active[s] {
		return x.stub("any", labelName(ref, path), nil)
	}
	x.active[s] = true
	defer delete(x.active, s)

	sh := x.shape(s)
	if sh.stub != "" {
		var req []string
		for n := range sh.required {
			req = append(req, n)
		}
		slices.Sort(req)
		if slices.Equal(sh.types, []string{"boolean"}) { // there is no more to it
			return &node{text: "boolean", null: sh.null}
		}
		n := x.stub(typeWord(s), stubName(sh.stub), req)
		n.null = sh.null
		return n
	}
	if sh.always != nil {
		if !*sh.always {
			return &node{text: "never"}
		}
		return &node{text: "any"}
	}
	x.block.Unshown = append(x.block.Unshown, sh.unshown...)

	l := &label{name: comp}
	x.labels[key], x.bodies[key] = l, s
	n := x.shaped(sh, ref, l, path, level)
	x.addRules(n, sh, path, level)
	n.null = n.null || sh.null
	if !l.ready {
		delete(x.labels, key) // short enough to be said again
	}
	return n
}

// keyOf is what makes two uses of a schema the same.
func keyOf(ref *openapi3.SchemaRef) any {
	if ref.Ref != "" {
		return ref.Ref
	}
	return ref.Value
}

// introduce makes l the name of a shape that is about to be described.
func (x *describer) introduce(l *label, ref *openapi3.SchemaRef, path string) *label {
	l.ready = true
	l.name, l.comp = labelName(ref, path), component(ref.Ref)
	l.used = l.comp != "" && x.opts.Mark[l.comp]
	x.shown = append(x.shown, l)
	return l
}

// nameLabels makes the names of the labels in use unique; components keep
// theirs.
func (x *describer) nameLabels() {
	taken := map[string]bool{}
	for _, fromDocument := range []bool{true, false} {
		for _, l := range x.shown {
			if !l.used || (l.comp != "") != fromDocument {
				continue
			}
			base := l.name
			for i := 2; taken[l.name]; i++ {
				l.name = base + "-" + strconv.Itoa(i)
			}
			taken[l.name] = true
		}
	}
}

// labelName is what a shape is called: its component, else the member it is.
func labelName(ref *openapi3.SchemaRef, path string) string {
	if c := component(ref.Ref); c != "" {
		return c
	}
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		path = path[i+1:]
	}
	if path == "" {
		return "self"
	}
	return path
}

// sameBody reports whether b is a or a copy of it that only annotates.
func sameBody(a, b *openapi3.Schema) bool {
	return a == b || len(a.Properties) == len(b.Properties) && slices.Equal(a.Required, b.Required) &&
		slices.Equal(a.AllOf, b.AllOf) && slices.Equal(a.OneOf, b.OneOf) && slices.Equal(a.AnyOf, b.AnyOf) &&
		maps.Equal(a.Properties, b.Properties)
}

func typeWord(s *openapi3.Schema) string {
	for _, t := range s.Type.Slice() {
		if t != "null" {
			return baseWord(t)
		}
	}
	if len(s.Properties)+len(s.Required) > 0 {
		return "object"
	}
	return "any"
}

func baseWord(t string) string {
	switch t {
	case "string", "integer", "number", "boolean", "object", "array":
		return t
	}
	return "any"
}

// shaped describes a shape. Where that has a body, the node carries l.
func (x *describer) shaped(sh *shape, ref *openapi3.SchemaRef, l *label, path string, level int) *node {
	if len(sh.parts) > 0 {
		n := &node{text: "any", body: &body{}}
		n.label = x.introduce(l, ref, path)
		x.choices(n, []group{{all: true, options: sh.parts}}, path, level)
		return n
	}
	if len(sh.enum) > 0 {
		n := x.enum(sh.enum, sh.omitted, path)
		n.body = x.meanings(sh, keyOf(ref))
		return n
	}
	lay := x.layout(sh)
	own := *sh
	own.groups = lay.rest(sh)

	// Alternatives without members of their own stand in one line.
	kinds := sh.kinds()
	if lay.disc == nil && len(own.groups) == 1 && (len(kinds) == 0 || len(sh.types) > 0 && !sh.is("object")) {
		if values, says := x.constants(own.groups[0]); values != nil {
			n := x.enum(values, 0, path)
			n.body = x.meanings(&shape{enum: values, says: says}, keyOf(ref))
			return n
		}
		if n := x.oneLine(own.groups[0], sh, path, level); n != nil {
			return n
		}
	}
	if lay.disc != nil && !slices.Contains(kinds, "object") {
		kinds = append(slices.Clip(kinds), "object")
	}
	var alts []*node
	for _, k := range kinds {
		if k == "object" {
			alts = append(alts, x.object(&own, lay, ref, l, path, level))
		} else {
			alts = append(alts, x.scalar(&own, k, path, level))
		}
	}
	var n *node
	switch len(alts) {
	case 0:
		n = &node{text: "any"}
	case 1:
		n = alts[0]
	default:
		n = &node{kind: unionOf, alts: alts}
		// Facets stand at the end, behind all the types.
		for _, a := range alts {
			n.facets = append(n.facets, a.facets...)
			a.facets = nil
		}
	}
	if slices.Contains(kinds, "object") || len(own.groups) == 0 {
		return n
	}

	// What is left are choices among shapes that have lines.
	if len(kinds) == 0 {
		n.label = x.introduce(l, ref, path)
	}
	if n.body == nil {
		n.body = &body{}
	}
	x.choices(n, own.groups, path, level)
	return n
}

// enum describes enumerated values, and how many more there are.
func (x *describer) enum(values []*Value, omitted int, path string) *node {
	lits := make([]string, 0, len(values))
	for _, v := range values {
		lits = append(lits, v.Line())
	}
	shown := lits
	if len(lits) > enumLimit {
		shown = lits[:enumShown]
	}
	kept := make([]string, 0, len(shown))
	for _, l := range shown {
		if len(l) <= maxLiteral {
			kept = append(kept, l)
		}
	}
	more := len(lits) - len(kept) + omitted
	n := &node{text: strings.Join(kept, " | "), multi: len(kept) > 1}
	if more > 0 {
		if omitted > 0 {
			lits = append(lits, "... "+strconv.Itoa(omitted)+" more")
		}
		x.block.Enums = append(x.block.Enums, Enum{Path: path, Values: lits})
		if len(kept) > 0 {
			n.text += " | "
		}
		n.text += "... " + strconv.Itoa(more) + " more"
		n.multi = true
	}
	return n
}

// scalar describes the values of one type other than object.
func (x *describer) scalar(sh *shape, kind, path string, level int) *node {
	n := &node{text: baseWord(kind)}
	if f := token(sh.format); f != "" && kind != "array" && kind != "boolean" {
		n.media = f
	}
	switch kind {
	case "string":
		switch media := token(sh.media); {
		case sh.format == "binary" || media != "" && !sh.encoded:
			n.text, n.media = "file", media
		case media != "" && n.media != "":
			n.media += " " + media
		case media != "":
			n.media = media
		}
		n.facets = append(n.facets, sh.len.facet("len")...)
		for _, p := range sh.patterns {
			if len(p) > maxLiteral {
				x.block.Unshown = append(x.block.Unshown, "pattern")
				continue
			}
			n.facets = append(n.facets, regex(p))
		}
	case "integer", "number":
		n.facets = append(n.facets, between(sh.lo, sh.hi)...)
		for _, s := range sh.steps {
			n.facets = append(n.facets, "step "+string(numberOf(s)))
		}
	case "array":
		if len(sh.prefix) > 0 && level < maxLevels && !(x.opts.TopOnly && level > 0) {
			n.body = x.tuple(sh, path, level)
			if sh.items != nil && sh.items.Value != nil && nothing(sh.items.Value) {
				n.facets = append(n.facets, "closed")
			}
		} else {
			n.kind = arrayOf
			n.item = x.item(sh.items, path, level)
		}
		if sh.unique {
			n.facets = append(n.facets, "unique")
		}
		n.facets = append(n.facets, sh.size.facet("size")...)
	}
	return n
}

// tuple describes the items of an array that differ by their place.
func (x *describer) tuple(sh *shape, path string, level int) *body {
	b := &body{}
	for i, p := range sh.prefix {
		x.built++
		_, ann := x.unwrap(p)
		m := &member{node: x.item(p, join(path, "item "+strconv.Itoa(i+1)), level+1)}
		m.comment = x.prose(ann)
		b.items = append(b.items, m)
	}
	if s := sh.items; s != nil && s.Value != nil && !nothing(s.Value) {
		b.other = x.item(s, join(path, "<other>"), level+1)
	}
	return b
}

// item describes what an array or a map holds. A default says nothing there,
// since an item cannot be left out.
func (x *describer) item(ref *openapi3.SchemaRef, path string, level int) *node {
	n := x.node(ref, path, level)
	n.facets = slices.DeleteFunc(n.facets, func(f string) bool { return strings.HasPrefix(f, "default ") })
	return n
}
