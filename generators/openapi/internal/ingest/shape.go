package ingest

// A shape is what a value is by its place in the OpenAPI specification.
type shape uint8

const (
	anything shape = iota // not looked into
	text                  // a string
	flag                  // a boolean
	number
	count      // an integer of 0 or more
	bound      // a number, or a boolean in 3.0 (exclusiveMinimum)
	texts      // an array of strings
	types      // a string or an array of strings
	list       // an array of anything
	textMap    // an object of strings
	textsMap   // an object of arrays of strings
	anyMap     // an object of anything
	oneExample // a literal example
	exampleSet // a schema's array of examples
	sampleMap  // an object of literal examples
	schema
	boolOrSchema
	schemaList
	schemaMap
	discriminator
	xml
	externalDocs
	operation
	pathItem
	operationMap
	parameter
	parameterList
	header
	headerMap
	requestBody
	response
	responseMap
	mediaType
	mediaTypeMap
	encoding
	encodingMap
	encodingList
	example
	exampleMap
	link
	linkMap
	callback
	callbackMap
	server
	serverList
	serverVariable
	serverVariableMap
	securityScheme
	requirementList
	flows
	flow
	itemsObject // the items of a parameter of Swagger 2.0
	dropped     // left out
)

// elementOf is the shape of the elements of an array and of the members of a map.
var elementOf = map[shape]shape{
	texts: text, textMap: text, textsMap: texts, sampleMap: oneExample,
	schemaList: schema, schemaMap: schema,
	operationMap: operation, parameterList: parameter, headerMap: header,
	responseMap: response, mediaTypeMap: mediaType, encodingMap: encoding,
	encodingList: encoding, exampleMap: example, linkMap: link, callback: pathItem,
	callbackMap: callback, serverList: server, serverVariableMap: serverVariable,
	requirementList: textsMap,
}

// isList are the shapes that are arrays; the others of elementOf are objects.
var isList = map[shape]bool{
	texts: true, schemaList: true, parameterList: true, encodingList: true,
	serverList: true, requirementList: true,
}

// fields are the members that objects of fixed fields have. Extensions and
// unknown members are dealt with in keepField.
var fields = map[shape]map[string]shape{
	schema: {
		"title": text, "description": text, "format": text, "pattern": text,
		"contentMediaType": text, "contentEncoding": text,
		"type": types, "enum": list, "const": anything, "default": anything,
		"example": oneExample, "examples": exampleSet,
		"multipleOf": number, "minimum": number, "maximum": number,
		"exclusiveMinimum": bound, "exclusiveMaximum": bound,
		"minLength": count, "maxLength": count, "minItems": count, "maxItems": count,
		"minProperties": count, "maxProperties": count, "minContains": count, "maxContains": count,
		"uniqueItems": flag, "nullable": flag, "readOnly": flag, "writeOnly": flag,
		"deprecated": flag, "allowEmptyValue": flag,
		"required": texts, "dependentRequired": textsMap,
		"allOf": schemaList, "oneOf": schemaList, "anyOf": schemaList, "prefixItems": schemaList,
		"properties": schemaMap, "patternProperties": schemaMap, "dependentSchemas": schemaMap,
		"items": schema, "not": schema, "contains": schema, "propertyNames": schema,
		"if": schema, "then": schema, "else": schema, "contentSchema": schema,
		"additionalProperties": boolOrSchema, "unevaluatedItems": boolOrSchema,
		"unevaluatedProperties": boolOrSchema,
		"discriminator":         discriminator, "xml": xml, "externalDocs": externalDocs,
		// Definitions are reached through references, and travel as components.
		"$defs": dropped, "definitions": dropped,
		// Identifiers would change how references are resolved; they are resolved here.
		"$id": dropped, "id": dropped, "$anchor": dropped, "$dynamicAnchor": dropped,
		"$recursiveAnchor": dropped, "$schema": dropped, "$vocabulary": dropped, "$comment": dropped,
	},
	discriminator: {"propertyName": text, "mapping": textMap, "defaultMapping": text},
	xml:           {"name": text, "namespace": text, "prefix": text, "attribute": flag, "wrapped": flag, "nodeType": text},
	externalDocs:  {"url": text, "description": text},
	operation: {
		"tags": texts, "summary": text, "description": text, "externalDocs": externalDocs,
		"operationId": text, "parameters": parameterList, "requestBody": requestBody,
		"responses": responseMap, "callbacks": callbackMap, "deprecated": flag,
		"security": requirementList, "servers": serverList,
	},
	pathItem: {
		"summary": text, "description": text, "parameters": parameterList, "servers": serverList,
		"get": operation, "put": operation, "post": operation, "delete": operation, "options": operation,
		"head": operation, "patch": operation, "trace": operation, "query": operation,
		"additionalOperations": operationMap,
	},
	parameter: {
		"name": text, "in": text, "description": text, "required": flag, "deprecated": flag,
		"allowEmptyValue": flag, "allowReserved": flag, "style": text, "explode": flag,
		"schema": schema, "content": mediaTypeMap, "example": oneExample, "examples": exampleMap,
	},
	header: {
		"description": text, "required": flag, "deprecated": flag, "allowEmptyValue": flag,
		"allowReserved": flag, "style": text, "explode": flag,
		"schema": schema, "content": mediaTypeMap, "example": oneExample, "examples": exampleMap,
		"name": dropped, "in": dropped,
	},
	requestBody: {"description": text, "required": flag, "content": mediaTypeMap},
	response:    {"summary": text, "description": text, "headers": headerMap, "content": mediaTypeMap, "links": linkMap},
	mediaType: {
		"schema": schema, "itemSchema": schema, "example": oneExample, "examples": exampleMap,
		"encoding": encodingMap, "itemEncoding": encoding, "prefixEncoding": encodingList,
	},
	encoding: {
		"contentType": text, "headers": headerMap, "style": text, "explode": flag, "allowReserved": flag,
		"encoding": encodingMap, "itemEncoding": encoding, "prefixEncoding": encodingList,
	},
	example: {"summary": text, "description": text, "value": oneExample, "externalValue": text, "dataValue": oneExample, "serializedValue": text},
	link: {
		"operationRef": text, "operationId": text, "parameters": anyMap, "requestBody": anything,
		"description": text, "server": server,
	},
	server:         {"url": text, "description": text, "name": text, "variables": serverVariableMap},
	serverVariable: {"enum": texts, "default": text, "description": text},
	securityScheme: {
		"type": text, "description": text, "name": text, "in": text, "scheme": text, "bearerFormat": text,
		"openIdConnectUrl": text, "oauth2MetadataUrl": text, "flows": flows, "deprecated": flag,
	},
	flows: {"implicit": flow, "password": flow, "clientCredentials": flow, "authorizationCode": flow, "deviceAuthorization": flow},
	flow:  {"authorizationUrl": text, "tokenUrl": text, "refreshUrl": text, "deviceAuthorizationUrl": text, "scopes": textMap},
}

// extensions are the ones that something reads. The others are weight; they can
// still be seen in the raw operation.
var extensions = map[string]bool{
	"x-skill": true, "x-sunset": true, "x-replaced-by": true, "x-internal": true,
	"x-enumDescriptions": true, "x-enum-descriptions": true, "x-enum-varnames": true, "x-enumNames": true,
	"x-nullable": true, "x-beta": true, "x-deprecated": true, "x-amazon-apigateway-authtype": true,
}

// Members that this package adds.
const (
	// stubKey marks a schema that is not expanded. Its value is the component's
	// name, or the JSON Pointer of a schema that has none.
	stubKey = "x-apiskills-stub"
	// omittedKey tells how many values of an enum are left out.
	omittedKey = "x-apiskills-enum-omitted"
	// missingKey lists, in an operation, what could not be read: an array of
	// objects with the pointer and the ref of each.
	missingKey = "x-apiskills-missing"
)

// refKinds are the shapes that may be a Reference Object.
var refKinds = map[shape]bool{
	parameter: true, header: true, requestBody: true, response: true, mediaType: true,
	example: true, link: true, callback: true, securityScheme: true, pathItem: true,
}
