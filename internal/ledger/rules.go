package ledger

// Rules are all that a finding can name. The first are of what the document
// says and no skill does, as Holes returns them; then those of what is wrong in
// a skill, by Add; then those of the document, by Examples and Faults.
var Rules = []string{
	"operation", "operation-url", "parameter", "request", "request-media-type", "member",
	"response", "response-media-type", "response-header", "security", "callback",

	"operation-unknown", "operation-twice", "operation-pointer", "operation-deprecated",
	"parameter-unknown", "parameter-twice", "parameter-required", "parameter-deprecated",
	"type", "enum", "default",
	"request-unknown", "request-required", "member-required", "response-unknown",
	"security-unknown", "security-optional", "example-made", "example-unannounced",

	"example", "reference",
}
