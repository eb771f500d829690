package check

import "github.com/apiskills/apiskills/framework"

// documentRules are about what a document says, or does not say.
var documentRules = []Rule{
	{
		"operation-without-prose", framework.Note, Source, "An operation has neither a summary nor a description of its own",
		"The skill's description is made of method, path and members, which says what is sent but not what for. A text that repeats method and path, or the operationId, counts as none.",
		"Give the operation a summary, and say in a description when to use it.",
	},
	{
		"operation-without-responses", framework.Warning, Source, "An operation has no response",
		"The skill cannot say what a success looks like, nor what to do about an error.",
		"Describe at least the response of a success.",
	},
	{
		"path-conflict", framework.Warning, Source, "Two paths differ only in the names of their parameters",
		"OpenAPI takes them for the same path and does not allow both. Where they have a method in common nobody can know which of them answers. Each operation is served.",
		"Keep one of the paths, or make a fixed segment differ.",
	},
	{
		"path-template", framework.Warning, Source, "A path is not written as OpenAPI has it",
		"It begins with a slash and goes after the server's URL; the names of parameters stand in braces.",
		"Correct the path.",
	},
	{
		"path-field", framework.Warning, Source, "A path has a field that OpenAPI does not",
		"A method that is misspelt is none, so that its operation has no skill.",
		"Correct the name, or let it begin with x-.",
	},
	{
		"unused-path-parameter", framework.Warning, Source, "A path parameter is not in the path",
		"It has no place in the URL, so that it is not sent.",
		"Put its name in braces into the path, or take the parameter out.",
	},
	{
		"response-status", framework.Warning, Source, "A response has a name that is no status",
		"Nobody can receive such a status, so that a skill may leave it out.",
		"Name responses by a status of three digits, by a range such as 4XX, or default.",
	},
	{
		"server-variable", framework.Warning, Source, "A variable of a server's URL is not described well",
		"Each needs a default, which is one of its values if these are listed: else the command cannot be run as it is.",
		"Describe the variable under the server's variables, with a default.",
	},
	{
		"webhook-security", framework.Note, Source, "A webhook states no security of its own",
		"The security at the root is for calls to the API. It is not inherited by webhooks, which the API sends: the skill names no credentials.",
		"State the webhook's own security; [] says that it has none.",
	},
	{
		"internal-operation", framework.Warning, Source, "An operation marked x-internal is served",
		"The mark says that the operation is not for everybody, and the skill is.",
		"Leave such operations out with the rule exclude: [{internal: true}], or take the mark away.",
	},
	{
		"openapi-invalid", framework.Warning, Source, "The document is not valid OpenAPI",
		"The whole document was loaded and validated by kin-openapi, which happens with --strict alone. What it says may be about a part that no skill needs.",
		"Correct what the message names.",
	},
	{
		"relative-server", framework.Warning, Source, "The server's URL has no host",
		"A document in a file does not say where it was found, so nobody can complete the URL. Commands take the host from a variable.",
		"Give the server an absolute URL, or give the URL with --server.",
	},
	{
		"server-credentials", framework.Warning, Source, "A server's URL has credentials in it",
		"A skill is read by many; what stands before the @ is left out of it.",
		"Take the credentials out of the URL, change them, and declare a security scheme.",
	},
	{
		"unused-filter", framework.Warning, Source, "A rule of include or exclude picks no operation",
		"It may be misspelt: then what it should leave out is served.",
		"Correct the rule, or take it out. A glob's * stops at a slash.",
	},
	{
		"overlay-no-match", framework.Warning, Source, "An action of an overlay selects nothing",
		"The document has changed since the overlay was written, or the query is misspelt: the action changes nothing.",
		"Correct the query, or take the action out.",
	},
	{
		"twin-name", framework.Warning, Source, "Several operations would have one name",
		"Each of them took a short hash, so that no address changes its meaning. Such names say less.",
		"Give each operation an operationId of its own, also without regard to case and punctuation.",
	},
	{
		"long-name", framework.Note, Source, "A skill's name was cut",
		"Names have at most 64 characters, and Latin letters alone. This one took a short hash to stay unique.",
		"Give the operation an operationId that is shorter, in Latin letters.",
	},
	{
		"duplicate-operation-id", framework.Warning, Source, "Two operations have the same operationId",
		"Links and replacements that name it cannot know which one is meant.",
		"Give each operation its own operationId.",
	},
	{
		"budget", framework.Note, Source, "Not all schemas of an operation are expanded",
		"The operation reaches more schemas than a skill has room for. The outermost are shown, what to send before what comes back; the others are named.",
		"Nothing has to be done. Smaller schemas, and fewer of them for one operation, are shown whole.",
	},
	{
		"examples", framework.Note, Source, "Examples were left out",
		"The operation's examples are larger than a skill has room for.",
		"Nothing has to be done. Short examples are kept.",
	},
	{
		"enum", framework.Note, Source, "A long list of values was cut",
		"The list is longer than a skill has room for. Its first values are kept.",
		"Nothing has to be done. A description that says what the values have in common helps.",
	},
	{
		"degraded-operation", framework.Error, Source, "An operation could not be loaded",
		"Its description is so far from OpenAPI that it cannot be mended. The skill is made of what can be read, and says so.",
		"Correct what the message names.",
	},
	{
		"internal-error", framework.Error, Renderer, "An internal error while a skill was made",
		"The skill is made of names only, and says so.",
		"Report it with the operation's part of the document.",
	},
	{
		"more-diagnostics", framework.Warning, Source, "There are more faults than are reported",
		"One document or one skill may have 500.",
		"Correct those that are reported, and check again.",
	},
}

// proseRules are about the texts of a document. What they report has been dealt
// with in the skills; the author should know of it all the same.
var proseRules = []Rule{
	{
		"prose-hidden-characters", framework.Warning, Source, "A text has characters that cannot be seen",
		"Zero-width, bidirectional, tag and control characters can hide words from people that a model reads, or show them in another order. Skills are made without them.",
		"Find out where the characters come from, and take them out.",
	},
	{
		"prose-html-comment", framework.Warning, Source, "A text has an HTML comment",
		"Nobody sees a comment in the rendered documentation, but a model would read it. Skills are made without it.",
		"Take the comment out of the text; a comment of YAML is read by nobody else.",
	},
	{
		"prose-html", framework.Note, Source, "Texts have HTML tags",
		"Skills have what tags mean for the text, and not the tags. Reported once for a document.",
		"Nothing has to be done. Markdown is what OpenAPI asks for.",
	},
	{
		"prose-instructions", framework.Warning, Source, "A text gives instructions to its reader",
		"It speaks to a model, or of its rules, rather than of the API. The skill quotes it as the document's words and warns of it. The detector knows a few phrases: it misses others, and can be wrong.",
		"Look at the text. If it is meant well, say it without speaking to the reader, or use x-skill.",
	},
}
