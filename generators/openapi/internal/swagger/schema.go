package swagger

import (
	"slices"
	"strconv"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// maxNesting is how deep schemas may be nested inside one another.
const maxNesting = 256

// stubKey marks a schema that is not expanded; its value names what is missing.
const stubKey = "x-apiskills-stub"

// omittedKey says how many values of an enum are left out.
const omittedKey = "x-apiskills-enum-omitted"

// A keyword says what the value of a schema's member is.
type keyword uint8

const (
	dropped keyword = iota
	text
	flag
	number
	count
	bound // a boolean, or a number
	texts
	textsMap
	list
	literal
	schemaWord
	schemaOrFlag
	schemaList
	schemaMap
	special // dealt with in schema
)

// keywords are the members of schemas that stay: those of Swagger 2.0, and those
// of JSON Schema that people use all the same. Others are left out.
var keywords = map[string]keyword{
	"title": text, "description": text, "format": text, "pattern": text,
	"contentMediaType": text, "contentEncoding": text,
	"default": literal, "const": literal, "example": literal, "enum": list,
	"multipleOf": number, "minimum": number, "maximum": number,
	"exclusiveMinimum": bound, "exclusiveMaximum": bound,
	"minLength": count, "maxLength": count, "minItems": count, "maxItems": count,
	"minProperties": count, "maxProperties": count, "minContains": count, "maxContains": count,
	"uniqueItems": flag, "nullable": flag, "readOnly": flag, "writeOnly": flag,
	"deprecated": flag, "allowEmptyValue": flag,
	"allOf": schemaList, "oneOf": schemaList, "anyOf": schemaList, "prefixItems": schemaList,
	"properties": schemaMap, "patternProperties": schemaMap, "dependentSchemas": schemaMap,
	"dependentRequired": textsMap,
	"not":               schemaWord, "contains": schemaWord, "propertyNames": schemaWord,
	"if": schemaWord, "then": schemaWord, "else": schemaWord, "contentSchema": schemaWord,
	"additionalProperties": schemaOrFlag, "unevaluatedProperties": schemaOrFlag, "unevaluatedItems": schemaOrFlag,
	"type": special, "items": special, "required": special, "discriminator": special,
	"xml": special, "externalDocs": special,
}

// nullables are the extensions that say a value may be null.
var nullables = []string{"x-nullable", "x-isnullable"}

// schema rewrites a schema of Swagger 2.0 as one of OpenAPI 3.0. name is that of
// the definition that it is, or "". What is no schema becomes one that allows
// everything.
func (u *upgrader) schema(v any, name string) object {
	o, ok := v.(object)
	if !ok {
		if b, isBool := v.(bool); isBool && !b {
			return object{"not": object{}}
		} else if !isBool {
			u.note(framework.Warning, "type", "a schema is no object: anything is allowed")
		}
		return object{}
	}
	if u.depth == maxNesting {
		u.note(framework.Error, "nesting", "schemas are nested too deeply: this one is not expanded")
		return object{stubKey: shorten(u.pointer())}
	}
	u.depth++
	defer func() { u.depth-- }()
	if ref, ok := o["$ref"].(string); ok {
		return u.schemaRef(ref)
	}
	out := make(object, len(o)+1)
	for _, k := range sorted(o) {
		if isExtension(k) {
			if !slices.Contains(nullables, k) {
				out[k] = o[k]
			}
			continue
		}
		u.keyword(out, o, k)
	}
	u.mendType(out, o["type"])
	u.mendRequired(out, o)
	if d, ok := o["discriminator"]; ok {
		u.discriminator(out, d, name)
	}
	for _, k := range nullables {
		if null, ok := asFlag(o[k]); ok && null {
			out["nullable"] = true
		}
	}
	if _, ok := out["example"]; !ok {
		if v, ok := schemaExample(o); ok {
			out["example"] = v
		}
	}
	delete(out, "x-example")
	delete(out, "x-examples")
	return out
}

// keyword adds the member k of the schema o to out.
func (u *upgrader) keyword(out, o object, k string) {
	v := o[k]
	ok := true
	switch keywords[k] {
	case text:
		out[k], ok = asText(v)
	case flag:
		out[k], ok = asFlag(v)
	case number:
		out[k], ok = asNumber(v)
	case count:
		out[k], ok = asCount(v)
	case bound:
		if out[k], ok = asFlag(v); !ok {
			out[k], ok = asNumber(v)
		}
	case list:
		if l, isList := v.([]any); isList {
			out[k] = l
		} else {
			out[k] = []any{v}
		}
	case literal:
		out[k] = v
	case textsMap:
		var m object
		if m, ok = v.(object); ok {
			sets := make(object, len(m))
			for _, name := range sorted(m) {
				if t, isTexts := asTexts(m[name]); isTexts {
					sets[name] = listOf(t)
				}
			}
			out[k] = sets
		}
	case schemaWord:
		out[k] = u.member(k, v)
	case schemaOrFlag:
		if b, isFlag := asFlag(v); isFlag {
			out[k] = b
		} else if v != nil {
			out[k] = u.member(k, v)
		}
	case schemaList:
		var l []any
		if l, ok = v.([]any); ok {
			out[k] = u.schemas(k, l)
		}
	case schemaMap:
		var m object
		if m, ok = v.(object); ok {
			u.enter(k)
			set := make(object, len(m))
			for _, name := range sorted(m) {
				if m[name] == nil {
					continue // `name:` with nothing after it
				}
				set[name] = u.member(name, m[name])
			}
			u.leave(1)
			out[k] = set
		}
	case special:
		switch k {
		case "items":
			u.items(out, o)
		case "xml":
			ok = u.fixed(out, k, v, map[string]keyword{"name": text, "namespace": text, "prefix": text, "attribute": flag, "wrapped": flag})
		case "externalDocs":
			ok = u.externalDocs(out, v)
		}
	}
	if !ok {
		delete(out, k)
		if v != nil {
			u.wrongType(k)
		}
	}
}

// member rewrites the schema that is the member k of the current value.
func (u *upgrader) member(k string, v any) object {
	u.enter(k)
	defer u.leave(1)
	return u.schema(v, "")
}

func (u *upgrader) schemas(k string, l []any) []any {
	out := make([]any, len(l))
	u.enter(k)
	for i, v := range l {
		out[i] = u.member(strconv.Itoa(i), v)
	}
	u.leave(1)
	return out
}

// fixed adds an object of scalar members.
func (u *upgrader) fixed(out object, k string, v any, members map[string]keyword) bool {
	o, ok := v.(object)
	if !ok {
		return false
	}
	u.enter(k)
	defer u.leave(1)
	fixed := object{}
	for _, name := range sorted(o) {
		var ok bool
		switch members[name] {
		case text:
			fixed[name], ok = asText(o[name])
		case flag:
			fixed[name], ok = asFlag(o[name])
		default:
			continue
		}
		if !ok {
			delete(fixed, name)
			u.wrongType(name)
		}
	}
	out[k] = fixed
	return true
}

func (u *upgrader) externalDocs(out object, v any) bool {
	if s, ok := v.(string); ok {
		v = object{"url": s}
	}
	return u.fixed(out, "externalDocs", v, map[string]keyword{"url": text, "description": text})
}

// items rewrites the items of an array. An array of schemas, one for each
// position, is prefixItems since JSON Schema 2020-12; with one schema in it, it
// is what people write for a list of that.
func (u *upgrader) items(out, o object) {
	v := o["items"]
	l, isList := v.([]any)
	switch {
	case v == nil:
	case !isList:
		out["items"] = u.member("items", v)
	case len(l) == 1:
		out["items"] = u.schemas("items", l)[0]
		u.note(framework.Warning, "tuple", "an array stands for items: read as items of its one schema")
	case o["prefixItems"] == nil && len(l) > 0:
		out["prefixItems"] = u.schemas("items", l)
		u.note(framework.Warning, "tuple", "an array stands for items: read as prefixItems")
	}
}

// mendType rewrites type: a file is a string of bytes, and null beside another
// type means nullable.
func (u *upgrader) mendType(out object, v any) {
	switch v := v.(type) {
	case nil:
	case string:
		if v == "file" {
			out["type"], out["format"] = "string", "binary"
			return
		}
		out["type"] = v
	case []any:
		names, _ := asTexts(v)
		if i := slices.Index(names, "null"); i >= 0 && len(names) > 1 {
			names = slices.Delete(names, i, i+1)
			out["nullable"] = true
		}
		switch len(names) {
		case 0:
		case 1:
			out["type"] = names[0]
		default:
			out["type"] = listOf(names)
		}
	default:
		u.wrongType("type")
	}
}

// mendRequired collects the names of required properties. Properties that say
// `required: true` of themselves are not what Swagger does, but plain enough.
func (u *upgrader) mendRequired(out, o object) {
	var names []string
	switch v := o["required"].(type) {
	case nil:
	case []any, string:
		if _, ok := asFlag(v); !ok { // else this one is required, its parent's business
			names, _ = asTexts(v)
		}
	case bool:
	default:
		u.wrongType("required")
	}
	flagged := false
	if props, ok := o["properties"].(object); ok {
		for _, name := range sorted(props) {
			p, _ := props[name].(object)
			if p == nil || p["$ref"] != nil {
				continue
			}
			if _, isList := p["required"].([]any); isList {
				continue
			}
			if is, ok := asFlag(p["required"]); ok && is {
				flagged = true
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	if flagged {
		u.note(framework.Warning, "required-flag", "has properties with `required: true`: read as the schema's required list")
	}
	if len(names) > 0 {
		out["required"] = listOf(names)
	}
}

// discriminator rewrites a discriminator. In Swagger 2.0 it is the name of a
// property whose value is the name of a definition that has the schema in its
// allOf, or of the schema itself (Swagger 2.0, "Composition and Inheritance").
func (u *upgrader) discriminator(out object, v any, name string) {
	d := object{}
	switch v := v.(type) {
	case string:
		d["propertyName"] = v
		if mapping := u.mapping(name); len(mapping) > 0 {
			d["mapping"] = mapping
		}
	case object:
		property, ok := asText(v["propertyName"])
		if !ok {
			u.wrongType("discriminator")
			return
		}
		d["propertyName"] = property
		if m, ok := v["mapping"].(object); ok {
			mapping := object{}
			for _, value := range sorted(m) {
				ref, _ := m[value].(string)
				if r, ok := u.schemaRef(ref)["$ref"]; ok {
					mapping[value] = r
				}
			}
			d["mapping"] = mapping
		} else if mapping := u.mapping(name); len(mapping) > 0 {
			d["mapping"] = mapping
		}
	default:
		u.wrongType("discriminator")
		return
	}
	out["discriminator"] = d
}

// discriminatorValues are the extensions by which a definition states its value,
// where that is not its name.
var discriminatorValues = []string{"x-ms-discriminator-value", "x-discriminator-value"}

// mapping returns the definitions derived from the named one, by the value of its
// discriminator.
func (u *upgrader) mapping(name string) object {
	if name == "" {
		return nil
	}
	u.findSubtypes()
	mapping := object{}
	seen := map[string]bool{name: true}
	queue := slices.Clone(u.subtypes[name])
	for len(queue) > 0 {
		sub := queue[0]
		queue = queue[1:]
		if seen[sub] {
			continue
		}
		seen[sub] = true
		value := sub
		if o, ok := u.definitions[sub].(object); ok {
			for _, x := range discriminatorValues {
				if s, ok := asText(o[x]); ok {
					value = s
				}
			}
		}
		if mapping[value] == nil {
			mapping[value] = componentRef(sub)
		}
		queue = append(queue, u.subtypes[sub]...)
	}
	return mapping
}

// findSubtypes notes which definitions have which in their allOf.
func (u *upgrader) findSubtypes() {
	if u.subtypes != nil {
		return
	}
	u.subtypes = map[string][]string{}
	for _, name := range sorted(u.definitions) {
		o, _ := u.definitions[name].(object)
		parts, _ := o["allOf"].([]any)
		for _, p := range parts {
			part, _ := p.(object)
			ref, _ := part["$ref"].(string)
			if base, ok := u.definitionName(ref); ok {
				u.subtypes[base] = append(u.subtypes[base], name)
			}
		}
	}
}

// schemaExample returns the example that a schema has as an extension.
func schemaExample(o object) (any, bool) {
	if v, ok := o["x-example"]; ok {
		return v, true
	}
	switch v := o["x-examples"].(type) {
	case []any:
		if len(v) > 0 {
			return v[0], true
		}
	case object:
		if e, ok := v["application/json"]; ok {
			return e, true
		}
		if names := sorted(v); len(names) > 0 {
			return v[names[0]], true
		}
	}
	return nil, false
}

func componentRef(name string) string { return "#/components/schemas/" + escapeRef(name) }

// escapeRef escapes a name for a pointer in a URI fragment. Only the percent sign
// needs it, so that it does not start an escape; the rest is read as it stands.
func escapeRef(name string) string { return strings.ReplaceAll(escape(name), "%", "%25") }

// definitionName returns the name of the definition that ref leads to. A name
// alone is what Swagger 1.2 had.
func (u *upgrader) definitionName(ref string) (string, bool) {
	path, ok := tokens(ref)
	switch {
	case !ok:
		_, ok = u.definitions[ref]
		return ref, ok && ref != ""
	case len(path) == 2 && path[0] == "definitions":
		_, ok = u.definitions[path[1]]
		return path[1], ok
	case len(path) == 3 && path[0] == "components" && path[1] == "schemas":
		_, ok = u.definitions[path[2]]
		return path[2], ok
	}
	return "", false
}

// schemaRef rewrites a reference to a schema. Schemas that are no definitions
// become components, because nothing is left where they were. In the place of a
// reference that leads nowhere, or back to itself, stands a stub.
func (u *upgrader) schemaRef(ref string) object {
	if out, ok := u.refs[ref]; ok {
		return out
	}
	out := object{stubKey: shorten(ref)}
	if why := u.leadsNowhere(ref); why != "" {
		u.note(framework.Error, "ref", "refers to %q, which %s", shorten(ref), why)
	} else if name, ok := u.definitionName(ref); ok {
		out = object{"$ref": componentRef(name)}
	} else {
		path, _ := tokens(ref)
		name := u.freeName(path)
		out = object{"$ref": componentRef(name)}
		u.extra = append(u.extra, extraSchema{name, path})
	}
	u.refs[ref] = out
	return out
}

// leadsNowhere says why a reference leads to no schema, if it does not.
func (u *upgrader) leadsNowhere(ref string) (why string) {
	for range maxAliases {
		var v any
		if name, ok := u.definitionName(ref); ok {
			v = u.definitions[name]
		} else if path, ok := tokens(ref); !ok {
			return "is not in the document"
		} else if o, ok := lookup(u.doc, path); !ok {
			return "is not in the document"
		} else {
			v = o
		}
		o, _ := v.(object)
		next, ok := o["$ref"].(string)
		if !ok {
			return ""
		}
		ref = next
	}
	return "leads back to itself"
}

// An extraSchema is a schema that becomes a component without being a definition.
type extraSchema struct {
	name string
	path []string
}

// freeName makes a component name of the tokens of a pointer.
func (u *upgrader) freeName(path []string) string {
	stem := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.', r == '-':
			return r
		}
		return '_'
	}, strings.Join(path, "-"))
	if len(stem) > maxQuoted {
		stem = stem[:maxQuoted]
	}
	name := stem
	for i := 2; ; i++ {
		_, taken := u.definitions[name]
		if !taken && !u.names[name] {
			u.names[name] = true
			return name
		}
		name = stem + "-" + strconv.Itoa(i)
	}
}

// components rewrites the definitions, and what else references led to.
func (u *upgrader) components() object {
	out := make(object, len(u.definitions))
	for _, name := range sorted(u.definitions) {
		u.path = append(u.path[:0], "definitions", name)
		out[name] = u.schema(u.definitions[name], name)
	}
	for len(u.extra) > 0 {
		e := u.extra[0]
		u.extra = u.extra[1:]
		if o, ok := lookup(u.doc, e.path); ok {
			if u.inlined -= weight(o); u.inlined < 0 {
				out[e.name] = object{stubKey: e.name}
				continue
			}
			u.path = append(u.path[:0], e.path...)
			out[e.name] = u.schema(o, "")
		}
	}
	return out
}
