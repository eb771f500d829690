package templates

// Markdown is text that the program wrote: the strings of a document in it
// have already been made safe. Templates print it as it is.
type Markdown string

// An Endpoint is everything that the skill of one operation or webhook says,
// in the order in which it says it. Its templates are endpoint.md.tmpl for SKILL.md (which
// goes on to endpoint_webhook.md.tmpl for a webhook) and
// endpoint_reference.md.tmpl for each [Reference].
//
// Fields of type [Prose] are words of the document: print them with inline,
// cell, quote or comment. Fields of type string come from the document too
// unless their comment says otherwise: print them with code, fence or yaml.
// What has nothing to say is empty, and its section is left out.
type Endpoint struct {
	// API, Group and Name are the segments of the skill's path, all slugs.
	API, Group, Name string

	// Description is the frontmatter's description: one line, at most 1,024
	// characters, METHOD and path within the first 120.
	Description string
	// Metadata is the frontmatter's metadata, ascending by key. Keys are ours.
	Metadata []Pair

	// Title is the heading: the document's summary, or one made from the
	// method and the path.
	Title Prose
	// Method is in upper case. Path is the path template as the document has
	// it, Webhook the name of a webhook: one of the two is empty.
	Method, Path, Webhook string
	OperationID           string
	// URL is the whole URL, with the path template and the values by default
	// of the server's variables.
	URL string
	// Pointer is the JSON Pointer of the operation in the document.
	Pointer string

	// Degraded says why the document's description of this operation could
	// not be read completely.
	Degraded Markdown
	// Notes are further facts about the URL.
	Notes []Markdown

	// Deprecation says since when or until when, and what to use instead.
	Deprecation Markdown
	Effect      Effect
	Auth        Auth
	// Server says that the operation does not use the API's own servers, or
	// which others there are.
	Server Markdown

	// Guidance is what the API's authors say to agents (x-skill). It is to be
	// quoted if Quoted is set: then no prose of the document stands outside of
	// quotations. Vouched says that it is not of the document, but of those who
	// serve the skills.
	Guidance Prose
	Quoted   bool
	Vouched  bool
	// GuidanceMore says where the rest of it is, "" if that is all.
	GuidanceMore Markdown
	// ProseFirst asks for the words of the document above the call: for
	// destructive operations and webhooks.
	ProseFirst bool

	Call    Call
	Inputs  Inputs
	Answers []Answer
	// Behaviour is what follows from the answers: pages, polling.
	Behaviour []Behaviour
	Errors    Errors
	// Receive lists the answers that a receiver of a webhook can give; of a
	// degraded operation, the statuses that could be read.
	Receive *Table

	Document Document
	Related  []Markdown
	// Source is the closing line: where the document states all this.
	Source Markdown

	References []Reference
}

// Subject names the operation in a heading: METHOD and path, or the webhook.
func (e *Endpoint) Subject() string {
	if e.Webhook != "" {
		return "webhook " + e.Webhook
	}
	return e.Method + " " + e.Path
}

// A Pair is a key and its value.
type Pair struct{ Key, Value string }

// Effect says what the call does to the world, and whether it may be repeated.
type Effect struct {
	// Kind is read, write, destructive or receive.
	Kind string
	// Text goes on after the kind. Repeat is a fact of its own where Text
	// asks for the user's consent.
	Text, Repeat Markdown
}

// Auth says which credentials the call needs.
type Auth struct {
	// Text is the whole of it, or what stands above the list of Ways.
	Text Markdown
	// Ways are the alternatives, in the document's order, if there are several.
	Ways []Markdown
}

// A Passage is a paragraph and a block of code under it. Either may be empty.
type Passage struct {
	Text Markdown
	// Lang is the fence's language; Code has no final newline.
	Lang, Code string
}

// Call is the command, and what to know about it.
type Call struct {
	// Passages begin with the command.
	Passages []Passage
}

// Inputs describes all that can be sent.
type Inputs struct {
	// Before stands above the notation: rules that hold for the whole body.
	Before []Markdown
	// Legend explains the marks that occur in this file.
	Legend Markdown
	// Variants compares the alternatives of the body.
	Variants *Table
	// Notation is the block of notation lines.
	Notation string
	// After stands below the notation.
	After []Markdown
}

// A Table is compared row by row. Cells are Markdown, safe inside a table.
type Table struct {
	Head []Markdown
	Rows [][]Markdown
}

// An Answer is one status of success or redirection.
type Answer struct {
	// Heading is the status and its media type.
	Heading Markdown
	Says    Prose
	// Before and After stand around the notation and the example.
	Before   []Markdown
	Legend   Markdown
	Notation string
	Examples []Passage
	After    []Markdown
}

// A Behaviour is what an agent does next with an answer.
type Behaviour struct {
	Heading, Text Markdown
}

// Errors tells what to do with each other status.
type Errors struct {
	// Text stands in place of the table if the document describes no error.
	Text Markdown
	Rows []ErrorRow
	// Bodies are the shapes of the answers.
	Bodies []Passage
}

// An ErrorRow is one status of failure.
type ErrorRow struct {
	Status string // ours: "404", "4XX", "default"
	Says   Prose
	// Do and Retry are advice, safe inside a table.
	Do, Retry Markdown
}

// Document is what the document says at length.
type Document struct {
	Text Prose
	// Suspicious is true if the text looks like instructions to an agent.
	Suspicious bool
	// More links to the rest of the text.
	More Markdown
	// DocsURL and DocsText are the external documentation.
	DocsURL  Markdown
	DocsText Prose
}

// Empty reports whether there is nothing to say.
func (d Document) Empty() bool {
	return d.Text == "" && d.More == "" && d.DocsURL == ""
}

// A Reference is a further file of the skill: the answer to one question that
// not every call raises.
type Reference struct {
	// Name is the file's name without its ending, "responses" for
	// references/responses.md; a slug.
	Name string
	// Kind is the question: request, parameters, responses, examples, enums,
	// callbacks or description. Several files may be of one kind.
	Kind     string
	Title    Markdown
	Intro    []Markdown
	Legend   Markdown
	Sections []Section
	// Source is the closing line.
	Source Markdown
}

// File is the reference's name in the skill.
func (r *Reference) File() string { return "references/" + r.Name + ".md" }

// A Section is a part of a reference.
type Section struct {
	Heading  Markdown
	Says     Prose
	Before   []Markdown
	Notation string
	Examples []Passage
	// Table stands at the end, under the paragraph TableText.
	TableText Markdown
	Table     *Table
}

// endpointFile is one file to render: its name, its template and the data.
type endpointFile struct {
	name, template string
	data           any
}

// files returns the files of the skill, SKILL.md first.
func (e *Endpoint) files() []endpointFile {
	files := []endpointFile{{"SKILL.md", "endpoint.md.tmpl", e}}
	for i := range e.References {
		r := &e.References[i]
		files = append(files, endpointFile{r.File(), "endpoint_reference.md.tmpl", r})
	}
	return files
}
