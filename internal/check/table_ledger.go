package check

import "github.com/apiskills/apiskills/framework"

// ledgerPrefix begins the IDs of the rules of internal/ledger here: its own are
// of parts of a document, and other rules are called so too.
const ledgerPrefix = "ledger-"

// ledgerRules are those of internal/ledger: what a document says is in its
// skills, and nothing else is.
var ledgerRules = []Rule{
	missing("operation", "An operation has no skill", "Each operation is one skill, unless a rule leaves it out."),
	missing("operation-url", "A skill does not state its method and path", "Nobody can make the call without them."),
	missing("parameter", "A parameter is missing from its skill", "Whoever makes the call does not know of it."),
	missing("request", "A request body is missing from its skill", "Whoever makes the call sends nothing."),
	missing("request-media-type", "A media type of a request is missing from its skill", "It is one of the forms that the API takes."),
	missing("member", "A required member of a body is missing from its skill", "The API refuses a body without it."),
	missing("response", "A response is missing from its skill", "Whoever gets it does not know what it means."),
	missing("response-media-type", "A media type of a response is missing from its skill", "It is one of the forms in which the answer may come."),
	missing("response-header", "A header of a response is missing from its skill", "The document thinks it worth to be known."),
	missing("security", "An alternative of the security is missing from its skill", "Each of the alternatives lets the call through."),
	missing("callback", "A callback is missing from its skill", "Whoever makes the call does not know what the API sends later."),
	wrong("operation-unknown", "A skill is of an operation that the document does not have"),
	wrong("operation-twice", "An operation has two skills"),
	wrong("operation-pointer", "A skill's pointer is not that of its operation"),
	wrong("operation-deprecated", "A skill and the document differ in whether the operation is deprecated"),
	wrong("parameter-unknown", "A skill has a parameter that the document does not have"),
	wrong("parameter-twice", "A skill has a parameter twice"),
	wrong("parameter-required", "A skill and the document differ in whether a parameter is required"),
	wrong("parameter-deprecated", "A skill and the document differ in whether a parameter is deprecated"),
	wrong("type", "A skill and the document differ in a type"),
	wrong("enum", "A skill does not have a value that the document allows"),
	wrong("example-made", "A sample that was made breaks its schema"),
	wrong("example-unannounced", "A sample of the document breaks its schema, and the skill does not say so"),
	wrong("default", "A skill and the document differ in a default"),
	wrong("request-unknown", "A skill has a body that the document does not have"),
	wrong("request-required", "A skill and the document differ in whether the body is required"),
	wrong("member-required", "A skill does not mark a required member of a body as such"),
	wrong("response-unknown", "A skill has a response that the document does not have"),
	wrong("security-unknown", "A skill asks for credentials in a way that the document does not have"),
	wrong("security-optional", "A skill and the document differ in whether the call works without credentials"),
}

func missing(id, title, why string) Rule {
	return Rule{
		ID: ledgerPrefix + id, Severity: framework.Error, Side: Renderer, Title: title, Why: why,
		Do: "With templates of your own, see that they print the part. Otherwise report it with the operation's part of the document.",
	}
}

func wrong(id, title string) Rule {
	return Rule{
		ID: ledgerPrefix + id, Severity: framework.Error, Side: Renderer, Title: title,
		Why: "The skill says what the document does not, which was found by reading both once more. Who goes by the skill makes a wrong call, or takes an answer wrongly.",
		Do:  "Report it with the operation's part of the document.",
	}
}
