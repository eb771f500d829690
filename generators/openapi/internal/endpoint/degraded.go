package endpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// degraded makes the view of an operation whose description could not be
// loaded. It says what its JSON says of itself, without following references,
// and that it is not all.
func degraded(op *Operation) (*templates.Endpoint, []framework.Diagnostic) {
	o := *op
	if o.Degraded == "" {
		o.Degraded = "it could not be read"
	}
	raw := rawOperation(op.Raw)
	o.Op = raw.operation()
	o.Item = &openapi3.PathItem{}
	if o.Doc == nil {
		o.Doc = &openapi3.T{}
	}
	if op.Doc == nil && o.Op.Servers == nil {
		o.Server, o.ServerBase = "", "" // the document may well have some
	}
	b := &builder{op: &o, limits: levels[0], known: map[string]bool{}, e: &templates.Endpoint{}}
	e := b.e
	e.API, e.Group, e.Name = op.API, op.Group, op.Name
	e.Method, e.Path, e.Webhook, e.OperationID, e.Pointer = op.Method, op.Path, op.Webhook, op.OperationID, op.Pointer
	e.Degraded = md("the document's description of this operation could not be read completely (", templates.Inline(templates.Prose(cut(oneLine(o.Degraded), 200))), "). What is below is what it says by itself; types, samples and what it only refers to are missing. Look at the document before you call it.")

	b.server = b.servers()
	if op.Doc == nil && o.Op.Servers == nil {
		b.diags = nil // of the servers, for the same reason
		origin := Variable(op.API, "origin")
		b.server.notes = []templates.Markdown{md("Which server it is on is not known here: take the URL from \"Servers\" in the guide, and keep it in ", code(origin), ".")}
	}
	b.effect.kind, b.effect.inferred = Effect(op.Method, op.Path, op.Webhook, op.OperationID)
	b.effect.idempotent = slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"}, op.Method)
	e.Title, e.Quoted = b.title(), op.Quoted
	b.document()
	e.URL = b.server.base.display() + pathForDisplay(op.Path)
	b.deprecation()
	e.Effect = b.effectView()
	e.Server, e.Notes = b.server.text, b.server.notes
	e.Auth = templates.Auth{Text: "not known. See the guide for the credentials of this API."}
	b.guidance()
	e.ProseFirst = b.effect.kind == destructive || op.Webhook != ""

	// Names, places and media types; no types.
	var lines []string
	for _, place := range places {
		var members []string
		for _, p := range raw.Parameters {
			if p.In == place && p.Name != "" {
				line := "  " + memberName(p.Name)
				if p.Required || place == "path" {
					line += "*"
				}
				members = append(members, line+": any"+comment(p.Description))
			}
		}
		for _, name := range b.pathNames() {
			line := "  " + memberName(name) + "*: any"
			if place == "path" && !slices.ContainsFunc(members, func(m string) bool { return strings.HasPrefix(m, line) }) {
				members = append(members, line)
			}
		}
		if len(members) > 0 {
			sort.Strings(members)
			lines = append(append(lines, place), cutLines(members, 60, 120)...)
		}
	}
	references := 0
	for _, p := range raw.Parameters {
		if p.Ref != "" {
			references++
		}
	}
	if references > 0 {
		e.Inputs.After = append(e.Inputs.After, md("And ", count(references, "parameter", "parameters"), " that the operation only refers to."))
	}
	switch {
	case raw.RequestBody.Ref != "":
		e.Inputs.After = append(e.Inputs.After, md("The body is the one at ", code(raw.RequestBody.Ref), "."))
	case len(raw.RequestBody.Content) > 0:
		star := ""
		if raw.RequestBody.Required {
			star = "*"
		}
		for _, name := range sortedKeys(raw.RequestBody.Content) {
			lines = append(lines, "body"+star+" "+oneLine(name)+": any")
		}
	}
	e.Inputs.Notation = strings.Join(cutLines(lines, 80, 120), "\n")
	b.legends()

	var answers []answer
	for _, status := range sortedKeys(raw.Responses) {
		r := raw.Responses[status]
		a := answer{status: plainStatus(status), response: &openapi3.Response{Description: &r.Description}, ref: oneLine(r.Ref)}
		for _, name := range sortedKeys(r.Content) {
			a.types = append(a.types, mediaType{name: oneLine(name), media: &openapi3.MediaType{}})
		}
		answers = append(answers, a)
	}
	t := b.receiveTable(answers)
	if len(answers) == 0 {
		t.Rows = [][]templates.Markdown{{"any", "nothing that could be read", "not known"}}
	}
	if op.Webhook != "" {
		e.Receive = t
	} else if op.AddressCut {
		e.Receive = t
		e.Call.Passages = []templates.Passage{{Text: "No command can be given: the path above is cut. Take the whole of it from the document."}}
	} else {
		e.Receive = t
		e.Errors.Text = md("On a status that is no success, or no answer: ", lowerFirst(first(b.otherAdvice())), ".")
		c := &command{method: op.Method, url: slices.Clone(b.server.base)}
		for _, p := range pathParts(op.Path) {
			if p.parameter != "" {
				c.url = c.url.add(b.variableOnly(c, p.parameter)...)
			} else {
				before, after, found := strings.Cut(p.text, "?")
				c.url = c.url.add(piece{text: escapePath(before)})
				if found {
					c.url = c.url.add(piece{text: "?" + escapeQuery(after)})
				}
			}
		}
		c.url = merge(c.url)
		e.Call.Passages = []templates.Passage{{Text: "Method and URL only: add what the inputs require.", Lang: "bash", Code: c.String()}}
	}
	b.related()
	head := op.Method + " " + addressPath(op.Path)
	if op.Webhook != "" {
		head = "webhook " + op.Method + " " + oneLine(op.Webhook)
	}
	parts := []string{"INCOMPLETE: the document's description could not be read; look at it before you call this."}
	if b.effect.kind == destructive {
		parts = append(parts, "Destructive.")
	}
	e.Description = fit(cmp.Or(b.authorsDescription(), headOf(templates.Plain(e.Title, maxTitle), head)), parts)
	e.Metadata = metadata(&o, b.effect.kind, o.Op.Deprecated, op.OperationID)
	e.Source = md("Stated at ", code(op.Pointer), ". Advice under Effect and Errors is general HTTP practice.")
	e.References = b.references()
	b.report(framework.Error, "degraded-operation", op.Pointer, "the operation could not be loaded (%s); its skill has names only", oneLine(o.Degraded))
	return e, b.diags
}

func first[A, B any](a A, _ B) A { return a }

// variableOnly is a path parameter of which only the name is known.
func (b *builder) variableOnly(c *command, name string) word {
	v := b.idVariable(name)
	c.before = append(c.before, "# "+v+": the "+cut(oneLine(name), 60)+", percent-encoded")
	return variable(v)
}

// raw is what an operation's JSON says without its references. Each member is
// read by itself, so that one of the wrong type costs no other.
type raw struct {
	Summary, Description string
	Deprecated           bool
	Extensions           map[string]any
	Servers              []rawServer
	Parameters           []rawParameter
	RequestBody          rawBody
	Responses            map[string]rawBody
}

type rawServer struct {
	URL       string `json:"url"`
	Variables map[string]struct {
		Default string   `json:"default"`
		Enum    []string `json:"enum"`
	} `json:"variables"`
}

type rawParameter struct {
	Ref         string `json:"$ref"`
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

type rawBody struct {
	Ref         string                     `json:"$ref"`
	Description string                     `json:"description"`
	Required    bool                       `json:"required"`
	Content     map[string]json.RawMessage `json:"content"`
}

func rawOperation(data []byte) raw {
	var r raw
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return r
	}
	_ = json.Unmarshal(members["summary"], &r.Summary)
	_ = json.Unmarshal(members["description"], &r.Description)
	_ = json.Unmarshal(members["deprecated"], &r.Deprecated)
	_ = json.Unmarshal(members["requestBody"], &r.RequestBody)
	_ = json.Unmarshal(members["servers"], &r.Servers)
	var parameters []json.RawMessage
	_ = json.Unmarshal(members["parameters"], &parameters)
	for _, m := range parameters {
		var p rawParameter
		if json.Unmarshal(m, &p) == nil || p.Name != "" {
			r.Parameters = append(r.Parameters, p)
		}
	}
	var responses map[string]json.RawMessage
	_ = json.Unmarshal(members["responses"], &responses)
	r.Responses = map[string]rawBody{}
	for status, m := range responses {
		if strings.HasPrefix(status, "x-") {
			continue
		}
		var a rawBody
		_ = json.Unmarshal(m, &a)
		r.Responses[status] = a
	}
	r.Extensions = map[string]any{}
	for name, m := range members {
		if strings.HasPrefix(name, "x-") {
			var v any
			if d := json.NewDecoder(bytes.NewReader(m)); d.Decode(&v) == nil {
				r.Extensions[name] = v
			}
		}
	}
	return r
}

func (r raw) operation() *openapi3.Operation {
	op := &openapi3.Operation{Summary: r.Summary, Description: r.Description, Deprecated: r.Deprecated, Extensions: r.Extensions}
	for _, s := range r.Servers {
		if op.Servers == nil {
			op.Servers = &openapi3.Servers{}
		}
		server := &openapi3.Server{URL: s.URL, Variables: map[string]*openapi3.ServerVariable{}}
		for name, v := range s.Variables {
			server.Variables[name] = &openapi3.ServerVariable{Default: v.Default, Enum: v.Enum}
		}
		*op.Servers = append(*op.Servers, server)
	}
	return op
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
