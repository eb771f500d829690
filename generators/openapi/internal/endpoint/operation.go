package endpoint

import (
	"fmt"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// An Operation is one operation or webhook with all that its view is made of.
type Operation struct {
	// API, Group and Name are the segments of the skill's path.
	API, Group, Name string

	// URI returns the URI of the SKILL.md of another skill of this API.
	URI func(group, name string) string
	// GuideURI is the URI of the guide's SKILL.md.
	GuideURI string

	Method, Path string
	Webhook      string // the webhook's name; then Path is empty
	OperationID  string
	Pointer      string // JSON Pointer of the operation
	File         string // the document's name in diagnostics

	// Doc is the small document, Item and Op the operation in it.
	Doc  *openapi3.T
	Item *openapi3.PathItem
	Op   *openapi3.Operation
	// Raw is the operation's JSON object.
	Raw []byte

	// Server is the URL of the API if the document names no server, and
	// ServerBase what a relative one is resolved against: absolute URLs over
	// HTTP, or "" if nobody knows.
	Server, ServerBase string

	// PathServers: the path has servers of its own. The small document has
	// those that hold for the operation at its root, wherever they are from.
	PathServers bool

	// Target finds the operation that a Link or x-replaced-by names.
	Target func(operationID, operationRef string) (t Target, ok bool)

	// Quoted keeps the document's prose to quotations: blockquotes, and the
	// words after "# ". In its other places stands what the names say.
	Quoted bool

	// Author has the words that win over what is generated.
	Author Author

	// Degraded says why Doc could not be loaded; the view is then made of Raw.
	Degraded string
	// AddressCut: Path or Webhook is not whole. No command can be given then.
	AddressCut bool
}

// A Target is another operation of the same API, by its address only.
type Target struct{ URI, Method, Path string }

// The size of a SKILL.md: at three bytes a token, 15,000 bytes are the 5,000
// tokens it may cost. The aim leaves room for the templates' own words. Most
// skills have fewLines: what is rarely needed goes to references before that.
const (
	maxSkillBytes = 15000
	aimBytes      = 13000
	aimLines      = 420
	fewLines      = 112
)

// View returns what the skill of op says. It never fails: what it cannot use
// of the document is left out, and reported.
func View(op *Operation) (e *templates.Endpoint, diags []framework.Diagnostic) {
	defer func() {
		// A fault of this program must cost one operation its details, not the
		// API its skills.
		if r := recover(); r != nil {
			if op.Degraded != "" {
				panic(r)
			}
			o := *op
			o.Degraded = "an internal error"
			e, diags = View(&o)
			diags = append(diags, framework.Diagnostic{
				Severity: framework.Error, Rule: "internal-error", File: op.File, Pointer: op.Pointer,
				Message: fmt.Sprintf("an internal error while describing the operation: %v; described by name only", r),
			})
		}
	}()
	if op.Degraded != "" || op.Op == nil {
		return degraded(op)
	}
	for i, l := range levels {
		b := &builder{op: op, limits: l, known: map[string]bool{}}
		e = b.build()
		bytes, lines := size(e)
		most := aimLines
		if i < lastComfortable {
			most = fewLines
		}
		if bytes <= aimBytes && lines <= most || i == len(levels)-1 {
			return e, b.diags
		}
	}
	panic("unreachable")
}

// limits say how much of each part stays in SKILL.md.
type limits struct {
	inputs     int // notation lines of the parameters
	request    int // notation lines of the body
	read       int // notation lines of the answer to a read
	write      int // notation lines of the answer to a write
	errors     int // notation lines of an error's body
	lineBytes  int // bytes of notation per line allowed, on average
	example    int // bytes of an example
	answer     int // lines of an answer's example
	sample     int // lines of the body in the command
	prose      int // bytes of the document's prose
	variants   int // when blocks
	errorRows  int // rows of the table of errors
	tableRows  int // rows of other tables
	otherTypes int // further media types of a body
}

// levels are tried in turn until the skill is small enough. The last one
// bounds it whatever the document says.
var levels = []limits{
	{inputs: 60, request: 60, read: 60, write: 20, errors: 30, lineBytes: 90, example: 2000, answer: 24, sample: 40, prose: 1200, variants: 4, errorRows: 40, tableRows: 30, otherTypes: 6},
	{inputs: 60, request: 60, read: 45, write: 12, errors: 6, lineBytes: 90, example: 2000, answer: 12, sample: 24, prose: 1000, variants: 4, errorRows: 40, tableRows: 30, otherTypes: 4},
	{inputs: 60, request: 60, read: 30, write: 6, errors: 0, lineBytes: 90, example: 1600, answer: 6, sample: 14, prose: 800, variants: 4, errorRows: 40, tableRows: 20, otherTypes: 3},
	{inputs: 60, request: 60, read: 20, write: 0, errors: 0, lineBytes: 90, example: 1200, answer: 1, sample: 12, prose: 600, variants: 4, errorRows: 20, tableRows: 16, otherTypes: 2},
	{inputs: 40, request: 40, read: 30, write: 6, errors: 6, lineBytes: 80, example: 1200, answer: 10, sample: 24, prose: 900, variants: 4, errorRows: 30, tableRows: 20, otherTypes: 3},
	{inputs: 25, request: 20, read: 12, write: 6, errors: 0, lineBytes: 80, example: 600, answer: 6, sample: 14, prose: 600, variants: 0, errorRows: 25, tableRows: 12, otherTypes: 2},
	{inputs: 12, request: 8, read: 6, write: 0, errors: 0, lineBytes: 80, example: 300, answer: 1, sample: 8, prose: 300, variants: 0, errorRows: 15, tableRows: 6, otherTypes: 1},
}

// lastComfortable is the first level that is not asked to have few lines: an
// operation that is long without its rare parts may as well keep some.
const lastComfortable = 3

// fits reports whether notation may stay in SKILL.md.
func (l limits) fits(lines []string, limit int) bool {
	if len(lines) > limit {
		return false
	}
	n := 0
	for _, line := range lines {
		n += len(line) + 1
	}
	return n <= max(limit, 6)*l.lineBytes
}

// A builder makes one view.
type builder struct {
	op     *Operation
	limits limits
	diags  []framework.Diagnostic

	params  []*openapi3.Parameter // all, in the order of the notation
	server  server
	auth    auth
	effect  effect
	body    *body
	answers []answer // of success, then of failure, each by status
	links   []link

	paged       *pager
	longSummary bool                           // the heading is shorter than the summary
	sunset      string                         // x-sunset
	replacement *Target                        // what x-replaced-by names
	sections    map[string][]templates.Section // of the reference files, by kind
	guessed     []string                       // parameters of which the document does not say how they are sent
	undescribed []string                       // path parameters that the document does not describe
	secrets     []string                       // inputs that take the secret of the credential
	asks        string                         // the Accept that the document describes as a parameter
	ownExample  *schema.Value                  // the document's, too long for the command
	longEnums   []longEnum                     // enumerations that are not shown in full

	comments map[string]string // words of the document as comments
	known    map[string]bool   // components that SKILL.md introduced as @Name

	e *templates.Endpoint
}

func (b *builder) report(severity framework.Severity, rule, pointer, format string, args ...any) {
	b.diags = append(b.diags, framework.Diagnostic{
		Severity: severity, Rule: rule, File: b.op.File, Pointer: pointer, Message: fmt.Sprintf(format, args...),
	})
}

// paragraph makes one of several short ones.
func paragraph(list []templates.Markdown) []templates.Markdown {
	if len(list) < 2 {
		return list
	}
	out := list[:1:1]
	for _, m := range list[1:] {
		out[0] += " " + m
	}
	return out
}

func (b *builder) build() *templates.Endpoint {
	op := b.op
	b.e = &templates.Endpoint{
		API: op.API, Group: op.Group, Name: op.Name,
		Method: op.Method, Path: op.Path, Webhook: op.Webhook, OperationID: op.OperationID, Pointer: op.Pointer,
	}
	e := b.e

	// Facts first, since the sections refer to each other's.
	b.params = b.parameters()
	b.server = b.servers()
	b.auth = b.security()
	b.body = b.requestBody()
	b.answers = b.responses()
	b.links = b.collectLinks()
	b.effect = b.effects()

	e.Title, e.Quoted = b.title(), op.Quoted
	b.document()
	e.URL = b.server.base.display() + pathForDisplay(op.Path)
	b.deprecation()
	e.Effect = b.effectView()
	e.Auth = b.auth.view()
	e.Server = b.server.text
	e.Notes = append(e.Notes, b.server.notes...)
	e.Notes = append(e.Notes, b.missing()...)
	if beta := op.Op.Extensions["x-beta"]; beta == true || beta == "true" {
		e.Notes = append(e.Notes, "**Beta:** the document marks it so; it can change without notice.")
	}
	b.guidance()
	e.ProseFirst = b.effect.kind == destructive || op.Webhook != ""

	b.inputs()
	b.call()
	if op.Webhook != "" {
		b.receive()
	} else {
		b.answerViews()
		b.behaviour()
		b.errors()
		b.callbacks()
	}
	b.related()
	e.Description = b.description()
	e.Metadata = b.metadata()
	e.Source = b.source()
	e.References = b.references()
	b.legends()
	e.Inputs.After = paragraph(e.Inputs.After)
	for i := range e.Answers {
		e.Answers[i].After = paragraph(e.Answers[i].After)
	}
	return e
}
