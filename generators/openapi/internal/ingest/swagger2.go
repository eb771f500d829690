package ingest

import (
	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/swagger"
)

// oldKinds are the root members of Swagger 2.0 that became maps under
// /components.
var oldKinds = map[string]kind{
	"definitions": schemas, "securityDefinitions": securitySchemes, "responses": 2, "parameters": 3,
}

// fields2 are the objects of Swagger 2.0 that differ from those of OpenAPI 3.
// What they hold is converted later, and mended there.
var fields2 = map[shape]map[string]shape{
	operation: {
		"tags": texts, "summary": text, "description": text, "externalDocs": externalDocs,
		"operationId": text, "parameters": parameterList, "responses": responseMap, "deprecated": flag,
		"security": requirementList, "schemes": texts, "consumes": texts, "produces": texts,
	},
	pathItem:    {"parameters": parameterList},
	parameter:   parameter2,
	header:      parameter2,
	itemsObject: parameter2,
	response: {
		"description": text, "schema": schema, "headers": headerMap, "examples": sampleMap,
	},
	securityScheme: {
		"type": text, "description": text, "name": text, "in": text, "flow": text,
		"authorizationUrl": text, "tokenUrl": text, "scopes": textMap,
	},
}

// parameter2 are the members of a parameter, or a header, of Swagger 2.0.
var parameter2 = map[string]shape{
	"name": text, "in": text, "description": text, "required": flag, "allowEmptyValue": flag,
	"schema": schema, "type": types, "format": text, "items": itemsObject, "collectionFormat": text,
	"default": anything, "enum": list, "example": oneExample, "pattern": text, "uniqueItems": flag,
	"multipleOf": number, "minimum": number, "maximum": number, "exclusiveMinimum": bound, "exclusiveMaximum": bound,
	"minLength": count, "maxLength": count, "minItems": count, "maxItems": count,
}

// extensions2 are extensions that were in use before OpenAPI 3 had a field for
// what they say.
var extensions2 = map[string]bool{
	"x-example": true, "x-examples": true, "x-isnullable": true, "x-deprecated": true,
}

// fieldsOf returns the members of an object of fixed fields, or nil.
func (b *builder) fieldsOf(as shape) map[string]shape {
	if b.doc.old {
		if f, ok := fields2[as]; ok {
			return f
		}
	}
	return fields[as]
}

// settleOld makes the root maps of Swagger 2.0 the components, and drops the
// operations that it has not.
func (in *indexer) settleOld() {
	d := in.doc
	d.components = [len(kinds)][]component{}
	copy(d.components[:], in.oldComponents[:])
	ops := d.Operations[:0]
	reOps := make(map[int]bool)
	for i, op := range d.Operations {
		if op.Webhook != "" || op.additional() || op.Method == "QUERY" {
			in.diags.add(framework.Warning, "version", op.Pointer, "Swagger 2.0 has no such operation: left out")
			continue
		}
		if in.reOps[i] {
			reOps[len(ops)] = true
		}
		ops = append(ops, op)
	}
	d.Operations, in.reOps = ops, reOps
}

// rootOf3 makes the root members as OpenAPI 3 has them.
func (in *indexer) rootOf3() {
	d := in.doc
	b := &builder{doc: d, op: &Operation{}, tree: newTree(), diags: diagnostics{file: d.File}}
	defer b.tree.free()
	root := objectNode()
	for _, m := range d.members {
		switch m.name {
		case "paths", "definitions", "responses", "parameters":
			continue
		}
		if d.fits(m.span, maxUnit) {
			root.set(keyText(m.name), *b.tree.parse(d.bytes(m.span)))
		}
	}
	data, err := swagger.UpgradeRoot(root.append(nil))
	if err != nil {
		in.diags.add(framework.Error, "swagger", "", "servers and security cannot be converted: %v", err)
		return
	}
	f := &file{label: d.File, data: data}
	sc := scanner{data: data, file: uint16(len(d.files))}
	if end := sc.value(0, 0); end >= 0 {
		f.root = sc.span(0, end)
		d.root3 = sc.file
		d.files = append(d.files, f)
	}
}

// upgrade turns a small document of Swagger 2.0 into one of OpenAPI 3.
func (b *builder) upgrade(small []byte) []byte {
	data, diags, err := swagger.Upgrade(small)
	for _, f := range diags {
		b.diags.add(f.Severity, f.Rule, f.Pointer, "%s", f.Message)
	}
	if err != nil {
		b.diags.add(framework.Error, "swagger", b.op.Pointer, "the operation cannot be converted to OpenAPI 3: %v", err)
		return small
	}
	return data
}

// old makes the root of a small Swagger 2.0 document.
func (b *builder) oldRoot(root *node, security *node) {
	root.set("swagger", stringNode("2.0"))
	for key, as := range map[string]shape{"host": text, "basePath": text, "schemes": texts, "consumes": texts, "produces": texts} {
		if n := b.rootMember(key, as); n != nil {
			root.set(key, *n)
		}
	}
	if schemas := b.closure.schemas(); len(schemas.kids) > 0 {
		root.set("definitions", schemas)
	}
	if schemes := b.securitySchemes(security); len(schemes.kids) > 0 {
		root.set("securityDefinitions", schemes)
	}
}
