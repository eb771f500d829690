package endpoint

import (
	"sort"
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// What the API sends and the reader's receiver answers: webhooks, and the
// callbacks of an operation.

// webhookDescription is the description of a webhook.
func (b *builder) webhookDescription() string {
	op := b.op
	summary := templates.Plain(b.e.Title, maxTitle)
	head := headOf(summary, "webhook "+op.Method+" "+oneLine(op.Webhook)+", sent by the API to your receiver")
	parts := []string{"Use to build, test or explain a receiver of this event; there is nothing to call."}
	if op.Op.Deprecated {
		parts = append([]string{"DEPRECATED."}, parts...)
	}
	var facts []string
	if b.body != nil {
		block := b.describe(b.body.types[0].media.Schema, schema.Response, &schema.Options{TopOnly: true, SkipVariants: true})
		if names, more := capped(block.Names, 6); len(names) > 0 {
			s := "The body has " + oneLine(strings.Join(names, ", "))
			if more > 0 {
				s += " and " + count(more, "more", "more")
			}
			facts = append(facts, s)
		}
	}
	if s := b.signature(); s != "" {
		facts = append(facts, "a signature is in "+s)
	}
	if len(facts) > 0 {
		parts = append(parts, upperFirst(sentence(strings.Join(facts, "; "))))
	}
	return fit(head, parts)
}

// signature returns the header that carries a signature, or "".
func (b *builder) signature() string {
	for _, p := range b.params {
		if p.In == "header" && strings.Contains(strings.ToLower(p.Name), "signature") {
			return oneLine(p.Name)
		}
	}
	return ""
}

// receive says what a receiver of the webhook can answer.
func (b *builder) receive() {
	if s := b.signature(); s != "" && len(b.auth.ways) == 0 {
		b.e.Auth.Text = md("the document states no credentials. Check the signature in ", code(s), " as \"From the document\" says before you trust the body.")
		if strings.TrimSpace(b.op.Op.Description) == "" {
			b.e.Auth.Text = md("the document states no credentials. A signature is in ", code(s), "; how it is made is not described: find out before you trust the body.")
		}
	}
	b.e.Receive = b.receiveTable(b.answers)
}

func (b *builder) receiveTable(answers []answer) *templates.Table {
	t := &templates.Table{Head: []templates.Markdown{"Status", "The document says", "Body"}}
	for i, a := range answers {
		if i == 40 {
			break
		}
		body := "none"
		if len(a.types) > 0 {
			var names []string
			for _, m := range a.types {
				names = append(names, m.name)
			}
			body = someCodes(names, 3, "or")
			block := b.describe(a.types[0].media.Schema, schema.Request, &schema.Options{TopOnly: true, SkipVariants: true})
			if len(block.Names) > 0 {
				body += " with " + someCodes(block.Names, 8, "and")
			} else if block.Type != "any" {
				body += ", " + code(cut(block.Type, 60))
			}
		}
		says := templates.Cell(templates.Prose(unlinked(b.aside(a.says()))))
		if a.ref != "" {
			says = "see " + templates.CodeCell(cut(a.ref, 150))
		}
		t.Rows = append(t.Rows, []templates.Markdown{md(a.status), md(says), cell(body)})
	}
	if len(t.Rows) == 0 {
		t.Rows = append(t.Rows, []templates.Markdown{"any 2XX", "nothing: the document describes no answer", "none"})
	}
	return t
}

// tryReceiver shows a delivery that the reader can send to their receiver.
func (b *builder) tryReceiver() {
	c := &command{method: b.op.Method, url: variable("RECEIVER_URL")}
	var query []string
	for _, p := range b.params {
		if !p.Required {
			continue
		}
		switch p.In {
		case "header":
			c.args = append(c.args, "-H "+quote(singleLine(p.Name+": "+b.serialize(p, b.sample(p).Value))))
		case "query":
			query = append(query, tame(b.serialize(p, b.sample(p).Value)))
		}
	}
	if len(query) > 0 {
		c.url = c.url.add(piece{text: "?" + strings.Join(query, "&")})
	}
	for _, cred := range b.auth.taken() {
		for _, h := range cred.headers {
			c.args = append(c.args, "-H "+h.String())
		}
		c.args = append(c.args, cred.options...)
	}
	lead := "A delivery made from the schema."
	var after []templates.Passage
	if b.body != nil {
		t := b.body.types[0]
		x := schema.MediaTypeSample(t.media, schema.Response, b.sampling(nil))
		b.faults(x, "body "+t.name)
		if x.Origin == schema.FromDocument {
			lead = "A delivery with the document's example."
		}
		if s := x.Value.String(); len(s) > 2*b.limits.example && t.form == jsonForm {
			b.example("A delivery", "json", s)
			c.args = append(c.args, "-H "+quote("Content-Type: "+singleLine(t.sent)), "--data-binary @delivery.json")
			after = append(after, templates.Passage{Text: md("`delivery.json` is a body like ", reference("the example", "examples"), ".")})
		} else {
			b.withBody(c, t, x.Value)
		}
	}
	if b.signature() != "" {
		lead = strings.TrimSuffix(lead, ".") + "; its signature is a placeholder, so a receiver that checks it must refuse this one."
	}
	b.e.Call.Passages = append([]templates.Passage{{Text: md(lead), Lang: "bash", Code: c.String()}}, after...)
}

// callbacks describes the requests that the API sends because of this one.
func (b *builder) callbacks() {
	var names []string
	for n, ref := range b.op.Op.Callbacks {
		if ref != nil && ref.Value != nil && ref.Value.Len() > 0 {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return
	}
	sort.Strings(names)
	var triggers []string
	for _, n := range names {
		callback := b.op.Op.Callbacks[n].Value
		var urls []string
		for url := range callback.Map() {
			urls = append(urls, url)
		}
		sort.Strings(urls)
		for _, url := range urls {
			item := callback.Value(url)
			if item == nil {
				continue
			}
			where, trigger := callbackURL(url)
			if trigger != "" {
				triggers = append(triggers, trigger)
			}
			operations := item.Operations()
			var methods []string
			for m := range operations {
				methods = append(methods, m)
			}
			sort.Strings(methods)
			for _, m := range methods {
				b.section("callbacks", b.callback(n, m, where, item, operations[m]))
			}
		}
	}
	if !b.hasSection("callbacks") {
		return
	}
	note := "The API can call you later: " + reference("callbacks", "callbacks") + "."
	if len(triggers) > 0 {
		note = "If the body has " + codes(dedupe(triggers), "or") + ", the API calls it later: " + reference("callbacks", "callbacks") + "."
	}
	if n := len(b.e.Answers); n > 0 {
		for i := range b.e.Answers {
			if i == n-1 || strings.HasPrefix(string(b.e.Answers[i].Heading), "20") {
				b.e.Answers[i].After = append(b.e.Answers[i].After, md(note))
				break
			}
		}
	}
}

func dedupe(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// callbackURL words the expression that gives a callback's URL, and returns
// the member of the body that sets it off, if it is one.
func callbackURL(url string) (where, trigger string) {
	inner, ok := strings.CutPrefix(url, "{")
	if inner, closed := strings.CutSuffix(inner, "}"); ok && closed && !strings.ContainsAny(inner, "{}") {
		if pointer, ok := strings.CutPrefix(inner, "$request.body#"); ok {
			return "the body's " + code(pointer), strings.TrimPrefix(pointer, "/")
		}
		if name, ok := strings.CutPrefix(inner, "$request.query."); ok {
			return "the query's " + code(name), ""
		}
		if name, ok := strings.CutPrefix(inner, "$request.header."); ok {
			return "the header " + code(name), ""
		}
	}
	return code(url), ""
}

func (b *builder) callback(name, method, where string, item *openapi3.PathItem, op *openapi3.Operation) templates.Section {
	o := *b.op
	o.Method, o.Path, o.Op, o.Item, o.OperationID = method, "", op, item, op.OperationID
	sub := &builder{op: &o, limits: b.limits, comments: b.comments, known: map[string]bool{}, e: &templates.Endpoint{}}
	sub.params = sub.parameters()
	sub.body = sub.requestBody()
	sub.answers = sub.responses()
	s := templates.Section{Heading: md(code(name), ": ", method, " to ", where)}
	says := op.Description
	if strings.TrimSpace(says) == "" {
		says = op.Summary
	}
	s.Says = templates.Prose(says)
	var lines []string
	place := ""
	for _, p := range sub.params {
		if p.In != place {
			place = p.In
			lines = append(lines, place)
		}
		lines = append(lines, sub.parameterLines(p)...)
	}
	if sub.body != nil {
		for i, t := range sub.body.types {
			if i > 0 && sameSchema(t.media.Schema, sub.body.types[i-1].media.Schema) {
				continue
			}
			star := ""
			if sub.body.required {
				star = "*"
			}
			block := b.describe(t.media.Schema, schema.Response, requestOptions(t))
			lines = append(append(lines, bodyHeading("body"+star+" "+t.name, block, sub.body.says)), block.Lines...)
		}
		t := sub.body.types[0]
		if t.form == jsonForm {
			x := schema.MediaTypeSample(t.media, schema.Response, b.sampling(nil))
			sub.faults(x, "callback "+name)
			s.Examples = append(s.Examples, templates.Passage{Text: md("Example (", originOf(x), "):"), Lang: "json", Code: x.Value.String()})
		}
	}
	s.Notation = strings.Join(lines, "\n")
	s.TableText = "Answer it with:"
	s.Table = sub.receiveTable(sub.answers)
	b.diags = append(b.diags, sub.diags...)
	return s
}
