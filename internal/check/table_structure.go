package check

import "github.com/apiskills/apiskills/framework"

// structureRules are about values that are not what OpenAPI or its file formats
// have at their place.
var structureRules = []Rule{
	{
		"ref", framework.Error, Source, "A reference leads nowhere",
		"What it should bring is missing from the skill, which says so. References are followed within the document's folder, or the one that --ref-root names, and never over the network unless the document came from there.",
		"Correct the reference, or give --ref-root.",
	},
	{
		"ref-cycle", framework.Error, Source, "A reference leads back to itself",
		"What it should bring is left out.",
		"Have the reference lead to a value.",
	},
	{
		"type", framework.Warning, Source, "A value has the wrong type",
		"It is left out: OpenAPI has something else at its place.",
		"Correct the value.",
	},
	{
		"size", framework.Error, Source, "A value is too large",
		"It is left out. A single value may take so much room as a whole skill at most.",
		"Make the value smaller, or split it.",
	},
	{
		"nesting", framework.Error, Source, "Values are nested too deeply",
		"What is deeper than the limit is left out.",
		"Name the inner parts as components, and refer to them.",
	},
	{
		"version", framework.Warning, Source, "An operation does not exist in this version of OpenAPI",
		"It is left out.",
		"Correct the version that the document states, or take the operation out.",
	},
	{
		"path-item-type", framework.Error, Source, "A path is no object",
		"It is left out, with what it should hold.",
		"Correct the value.",
	},
	{
		"path-length", framework.Error, Source, "A path is too long",
		"It is left out.",
		"Shorten the path.",
	},
	{
		"webhook-name", framework.Error, Source, "A webhook has no name",
		"It is left out.",
		"Give it a name.",
	},
	{
		"method-field", framework.Error, Source, "additionalOperations has a method that has a field of its own",
		"The method's own field is served; this operation is left out.",
		"Put the operation under the method's own field.",
	},
	{
		"method-case", framework.Error, Source, "A method is not written as OpenAPI has it",
		"Fields of a path item are in lower case; another spelling is no method, and is not served.",
		"Write the method in lower case.",
	},
	{
		"too-many-operations", framework.Error, Source, "The document has too many operations",
		"Those past the limit are left out.",
		"Split the document.",
	},
	{
		"duplicate-key", framework.Warning, Source, "A key is given twice in one object",
		"Parsers differ in which of the values they take; here it is the last one.",
		"Keep one of them.",
	},
	{
		"yaml-documents", framework.Warning, Source, "The file has several YAML documents",
		"The first one is read.",
		"Split the file, or take out the line ---.",
	},
	{
		"alias-cycle", framework.Error, Source, "A YAML alias contains itself",
		"It is read as null.",
		"Refer to a component in place of the alias.",
	},
	{
		"yaml-key", framework.Error, Source, "A key in YAML is no plain value",
		"It is left out.",
		"Make the key a text.",
	},
	{
		"yaml-merge", framework.Warning, Source, "A YAML merge key has no mapping",
		"It is left out.",
		"Give << a mapping, or an alias of one.",
	},
	{
		"schema-and-content", framework.Warning, Source, "A parameter has both schema and content",
		"OpenAPI allows one of them. content is left out.",
		"Keep one of them.",
	},
	{
		"tuple", framework.Warning, Source, "A schema has an array for items",
		"OpenAPI 3.0 and Swagger 2.0 have one schema there. Read as prefixItems, which may be what was meant.",
		"Write one schema, or prefixItems in OpenAPI 3.1.",
	},
	{
		"required-flag", framework.Warning, Source, "A property says required: true of itself",
		"In a schema required is a list of names beside properties. Read as if the name stood there.",
		"List the name under required.",
	},
	{
		"security-scheme", framework.Warning, Source, "Security names a scheme that is not declared, or one that is not whole",
		"The skill cannot say how to get or send the credentials.",
		"Declare the scheme, or correct its name or type.",
	},
}

// operationRules are about what is found while an operation is described.
var operationRules = []Rule{
	{
		"unknown-security-scheme", framework.Error, Source, "Security names a scheme that does not exist",
		"The skill says that the scheme is not defined; nobody can know which credentials to send.",
		"Declare the scheme under components.securitySchemes, or correct the name.",
	},
	{
		"unknown-security-type", framework.Warning, Source, "A security scheme has an unknown type",
		"The skill cannot say where its credentials travel.",
		"Use apiKey, http, mutualTLS, oauth2 or openIdConnect.",
	},
	{
		"unresolved-link", framework.Warning, Source, "A link names no operation of the document",
		"The skill cannot point to the one that follows.",
		"Correct operationId or operationRef.",
	},
	{
		"unresolved-replacement", framework.Warning, Source, "x-replaced-by names no operation of the document",
		"The skill says that the operation is deprecated, but not what to use in its place.",
		"Correct the operationId or the pointer.",
	},
	{
		"ignored-header-parameter", framework.Note, Source, "A header parameter is ignored",
		"OpenAPI has other places for Accept, Content-Type and Authorization: media types and security.",
		"Nothing has to be done. Security schemes and content say the same in the right place.",
	},
	{
		"unknown-parameter-place", framework.Warning, Source, "A parameter is in an unknown place",
		"It cannot be shown.",
		"Use path, query, header or cookie.",
	},
	{
		"undeclared-path-parameter", framework.Warning, Source, "A parameter of the path is not described",
		"It is taken for a string.",
		"Describe it under parameters, with in: path and required: true.",
	},
	{
		"parameter-style", framework.Warning, Source, "A parameter cannot be sent as its style says",
		"OpenAPI does not say how the style writes such a value. It is shown as JSON.",
		"Choose a style that fits the type, or describe the parameter by content.",
	},
	{
		"example-invalid", framework.Warning, Source, "An example does not fit its schema",
		"It is not used: a caller who copies it is refused, or the schema is wrong. The sample is made of the schema.",
		"Correct the example or the schema.",
	},
	{
		"sample-invalid", framework.Warning, Source, "No sample fits a schema",
		"The schema asks for what no value has, or for what could not be made. The sample is a guess, and says so.",
		"Give an example that fits, or look for what contradicts itself in the schema.",
	},
	{
		"pattern-unsupported", framework.Warning, Source, "No text could be made for a pattern",
		"The sample does not match the pattern.",
		"Give an example that does.",
	},
}

// swaggerRules are about what Swagger 2.0 has, and OpenAPI 3 has not.
var swaggerRules = []Rule{
	{
		"swagger", framework.Error, Source, "A part of a Swagger 2.0 document cannot be converted",
		"It is missing from the skills.",
		"Correct what the message names.",
	},
	{
		"two-bodies", framework.Warning, Source, "An operation has two bodies",
		"A request has one. The first is kept.",
		"Keep one of them.",
	},
	{
		"two-fields", framework.Warning, Source, "A form has a field twice",
		"The first one is kept.",
		"Keep one of them.",
	},
	{
		"form-and-body", framework.Warning, Source, "An operation has a body beside form parameters",
		"A request has one or the other. The message says how it was read.",
		"Keep one of them.",
	},
	{
		"response", framework.Error, Source, "A response cannot be read",
		"Nothing but its status is kept.",
		"Correct the response.",
	},
	{
		"header", framework.Warning, Source, "A response header cannot be read",
		"It is left out.",
		"Correct the header.",
	},
	{
		"parameter", framework.Error, Source, "A parameter cannot be read",
		"It is left out.",
		"Correct the parameter.",
	},
	{
		"parameter-in", framework.Warning, Source, "A parameter is in a place that does not exist",
		"The message says how it was read.",
		"Use path, query, header, body or formData.",
	},
	{
		"collection-format", framework.Warning, Source, "A collectionFormat has no counterpart",
		"OpenAPI 3 has no style that writes lists in this way, or the parameter's place does not know it. The message says how it was read.",
		"Nothing has to be done where the API wants it so.",
	},
	{
		"host", framework.Warning, Source, "host, basePath or schemes is a URL",
		"Its parts were put where they belong.",
		"Give host without a scheme, and basePath as a path.",
	},
	{
		"oauth-flow", framework.Warning, Source, "An OAuth flow has the wrong name",
		"It was told by the URLs that it has.",
		"Use implicit, password, application or accessCode.",
	},
	{
		"form-types", framework.Note, Source, "Form parameters do not fit the media types",
		"The form is sent as the message says.",
		"Say under consumes how the form is sent.",
	},
}
