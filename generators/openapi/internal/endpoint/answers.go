package endpoint

import (
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// An answer is one status of the document's responses.
type answer struct {
	status   string // as the document has it: "200", "4XX", "default"
	success  bool
	response *openapi3.Response
	types    []mediaType
	ref      string // what it only refers to, of a degraded operation
}

// responses returns the answers by status. "default" counts as success where
// the document describes no other.
func (b *builder) responses() []answer {
	if b.op.Op.Responses == nil {
		return nil
	}
	var out []answer
	success := false
	m := b.op.Op.Responses.Map()
	for status, ref := range m {
		a := answer{status: plainStatus(status), response: &openapi3.Response{}}
		if ref != nil && ref.Value != nil {
			a.response = ref.Value
		}
		if len(a.status) == 3 && a.status != "default" {
			a.status = strings.ToUpper(a.status)
			a.success = '1' <= a.status[0] && a.status[0] <= '3'
		}
		success = success || a.success
		a.types = mediaTypes(a.response.Content)
		out = append(out, a)
	}
	sort.Slice(out, func(i, j int) bool {
		if (out[i].status == "default") != (out[j].status == "default") {
			return out[j].status == "default"
		}
		return out[i].status < out[j].status
	})
	if n := len(out); !success && n > 0 && out[n-1].status == "default" && !failing(out[n-1], out[:n-1]) {
		out[n-1].success = true
	}
	return out
}

var errorWords = regexp.MustCompile(`(?i)\b(errors?|fail(s|ed|ures?)?|problems?|faults?|unexpected|exceptions?|invalid)\b`)

// failing reports whether an answer for all statuses is that of failures: by its
// words, its media type, its schema's name, or because failures share the schema.
func failing(a answer, others []answer) bool {
	says := a.says()
	if errorWords.MatchString(says) && !strings.Contains(strings.ToLower(says), "success") {
		return true
	}
	for _, t := range a.types {
		if strings.Contains(t.name, "problem+") {
			return true
		}
		if t.media.Schema == nil || t.media.Schema.Ref == "" {
			continue
		}
		name := words(t.media.Schema.Ref[strings.LastIndexByte(t.media.Schema.Ref, '/')+1:])
		if slices.ContainsFunc(name, func(w string) bool { return errorWords.MatchString(w) }) {
			return true
		}
		for _, o := range others {
			if slices.ContainsFunc(o.types, func(t2 mediaType) bool { return sameSchema(t2.media.Schema, t.media.Schema) }) {
				return true
			}
		}
	}
	return false
}

var notStatus = regexp.MustCompile(`[^A-Za-z0-9-]+`)

// plainStatus returns the key of an answer without what no status has: it
// stands in headings and tables as it is.
func plainStatus(s string) string {
	if s = cut(strings.Trim(notStatus.ReplaceAllString(s, "-"), "-"), 40); s == "" {
		return "unnamed"
	}
	return s
}

// declares reports whether the document describes the status.
func (b *builder) declares(status string) bool { return b.answer(status) != nil }

func (b *builder) answer(status string) *answer {
	for i := range b.answers {
		if b.answers[i].status == status {
			return &b.answers[i]
		}
	}
	return nil
}

// expected returns the first answer of success whose body has members, as JSON
// or XML, or nil.
func (b *builder) expected() *answer {
	for i, a := range b.answers {
		if a.success && len(a.types) > 0 && (a.types[0].isJSON() || a.types[0].isXML()) {
			return &b.answers[i]
		}
	}
	return nil
}

func (a *answer) says() string {
	if a.response.Description == nil {
		return ""
	}
	return *a.response.Description
}

// header returns the name of the answer's header as the document spells it.
func (a *answer) header(name string) (string, *openapi3.Header) {
	for n, ref := range a.response.Headers {
		if strings.EqualFold(n, name) && ref != nil && ref.Value != nil {
			return n, ref.Value
		}
	}
	return "", nil
}

// headerLines returns the notation of the answer's headers, of those that keep
// accepts if it is not nil.
func (b *builder) headerLines(a *answer, keep func(name string, block *schema.Block) bool) []string {
	var names []string
	for n, ref := range a.response.Headers {
		if ref != nil && ref.Value != nil && !strings.EqualFold(n, "Content-Type") {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	var lines []string
	for _, n := range names {
		h := a.response.Headers[n].Value
		p := h.Parameter
		p.Name, p.In = n, "header"
		block := schema.DescribeParameter(&p, b.commented(nil))
		if keep != nil && !keep(n, block) {
			continue
		}
		line := "  " + memberName(n) + ": " + block.Type
		if given(&p) {
			if x := schema.ParameterSample(&p, b.sampling(nil)); x.Origin == schema.FromDocument {
				if s, err := schema.SerializeHeader(&p, x.Value); err == nil && s != "" && len(s) <= 200 {
					line += "  => " + singleLine(n+": "+s)
				}
			}
		}
		if block.Comment != "" {
			line += "  # " + block.Comment
		}
		lines = append(lines, line)
		for _, l := range block.Lines {
			lines = append(lines, "  "+l)
		}
	}
	return lines
}

// answerViews writes the answers of success.
func (b *builder) answerViews() {
	limit := b.limits.read
	if b.effect.kind != read {
		limit = b.limits.write
	}
	mark := b.errorComponents()
	shown := false
	for i := range b.answers {
		a := &b.answers[i]
		if !a.success {
			continue
		}
		view := b.answerView(a, limit, mark)
		if name := b.flag(a); name != "" && !shown {
			view.Before = append(view.Before, md("Look at ", code(name), " first, whatever the status is: ", code("true"), " is success, ", code("false"), " is an error, by the shapes of both."))
		}
		b.e.Answers = append(b.e.Answers, view)
		shown = true
	}
	if !shown {
		b.e.Answers = append(b.e.Answers, templates.Answer{Heading: "Success", After: []templates.Markdown{"The document does not describe the answer of success: take any 2XX for one, and read what it holds."}})
	}
}

// flag returns the member that can only be true in an answer of success and
// only be false in an error's: such an API may send both with status 200.
func (b *builder) flag(a *answer) string {
	if len(a.types) == 0 || !a.types[0].isJSON() {
		return ""
	}
	only := func(ref *openapi3.SchemaRef, want bool) bool {
		if ref == nil || ref.Value == nil {
			return false
		}
		s := ref.Value
		return s.Const == want || len(s.Enum) == 1 && s.Enum[0] == want
	}
	found := members(a.types[0].media.Schema)
	for _, name := range sortedKeys(found) {
		if !only(found[name], true) {
			continue
		}
		for _, o := range b.answers {
			if !o.success && len(o.types) > 0 && only(member(o.types[0].media.Schema, name), false) {
				return name
			}
		}
	}
	return ""
}

// flagged is flag of the first answer of success.
func (b *builder) flagged() string {
	for i := range b.answers {
		if b.answers[i].success {
			return b.flag(&b.answers[i])
		}
	}
	return ""
}

func (b *builder) answerView(a *answer, limit int, mark map[string]bool) templates.Answer {
	v := templates.Answer{}
	if says := a.says(); !saysNothing(a.status, b.op.OperationID, says) {
		v.Says = templates.Prose(says)
	}
	several := len(a.types) > 1
	switch {
	case several:
		v.Heading = md(a.status, ", by `Accept`")
	case len(a.types) == 1:
		v.Heading = md(a.status, " ", code(a.types[0].name))
	case a.status == "204" || a.status == "304" || b.op.Method == "HEAD":
		v.Heading = md(a.status, ", no body")
	default:
		v.Heading = md(a.status, ", no described body")
	}
	if a.status == "default" {
		v.Heading = md("any status", strings.TrimPrefix(string(v.Heading), "default"))
		v.Before = append(v.Before, "The document describes one answer for all statuses: read the status first.")
	}
	var lines []string
	if h := b.headerLines(a, nil); len(h) > 0 {
		lines = append([]string{"headers"}, cutLines(h, 24, 120)...)
	}

	if o := b.sameBody(a); o != nil && b.op.Webhook == "" {
		v.Notation = strings.Join(lines, "\n")
		v.After = append(v.After, md("The body is that of ", o.status, "."))
		b.answerNotes(a, &v)
		return v
	}

	// Media types with one schema share a line.
	type shape struct {
		names []string
		t     mediaType
	}
	var shapes []shape
	for _, t := range a.types {
		if i := slices.IndexFunc(shapes, func(s shape) bool { return sameSchema(s.t.media.Schema, t.media.Schema) }); i >= 0 && t.media.Schema != nil {
			shapes[i].names = append(shapes[i].names, t.name)
			continue
		}
		shapes = append(shapes, shape{[]string{t.name}, t})
	}
	spilled := false
	budget := limit
	for i, s := range shapes {
		heading := "body"
		if several {
			names, more := capped(s.names, 16)
			heading += " " + strings.Join(names, " | ")
			if more > 0 {
				heading += " | ... " + count(more, "more", "more")
			}
		}
		if block, ok := b.asSent(a, s.t); ok {
			if b.limits.fits(block.Lines, limit) {
				lines = append(append(lines, heading+": "+block.Type), block.Lines...)
				continue
			}
		}
		block := b.describeAnswer(s.t, &schema.Options{Known: b.known, Mark: mark})
		if p := s.t.pieces(block); p != "" {
			if several {
				p = strings.Replace(p, "This", code(s.t.name), 1)
			}
			v.Before = append(v.Before, md(p))
		}
		b.enums(block, a.status+" body")
		if b.limits.fits(block.Lines, budget) && i < max(b.limits.otherTypes, 1) {
			lines = append(append(lines, bodyHeading(heading, block, "")), block.Lines...)
			budget -= len(block.Lines)
			b.introduce(block)
			continue
		}
		spilled = true
		whole := b.describeAnswer(s.t, nil)
		names := strings.Join(s.names, " | ")
		section := templates.Section{
			Heading:  md(a.status, " ", code(names)),
			Notation: strings.Join(append([]string{bodyHeading("body", whole, "")}, whole.Lines...), "\n"),
		}
		if x := b.answerSample(s.t, a); x != nil {
			lang, text := showBody(s.t, x.Value, b.components())
			section.Examples = append(section.Examples, templates.Passage{Text: md("Example (", originOf(x), "):"), Lang: lang, Code: text})
		}
		b.section("responses", section)
		if i > 0 {
			if !slices.ContainsFunc(v.After, func(m templates.Markdown) bool { return strings.Contains(string(m), destination("responses")) }) {
				v.After = append(v.After, md(reference("The other media types", "responses"), "."))
			}
			if i < 6 {
				lines = append(lines, cut(bodyHeading(heading, whole, ""), 160))
			}
			continue
		}
		if b.effect.kind == read {
			o := &schema.Options{TopOnly: true, SkipVariants: true}
			top := b.describeAnswer(s.t, o)
			what := "Nested members"
			if !b.limits.fits(top.Lines, limit) {
				top = b.silentAnswer(s.t, o)
				what = "Nested members and the document's words"
			}
			if b.limits.fits(top.Lines, limit) && len(top.Lines) > 0 {
				lines = append(append(lines, bodyHeading(heading, top, "")), top.Lines...)
				v.After = append(v.After, md(reference(what, "responses"), "."))
				continue
			}
		}
		of := ""
		if several {
			of = someCodes(s.names, 8, "or") + " "
		}
		s := reference("The "+of+"body", "responses") + ": " + code(cut(whole.Type, 80))
		if len(whole.Required) > 0 {
			s += "; always there: " + someCodes(whole.Required, 12, "and")
		} else if len(whole.Names) > 0 {
			s += "; it can have " + someCodes(whole.Names, 12, "and")
		}
		v.After = append(v.After, md(s+"."))
	}
	v.Notation = strings.Join(lines, "\n")

	if len(a.types) > 0 && !(spilled && b.effect.kind != read) {
		t := a.types[0]
		where := ""
		if several {
			where = ", " + code(t.name)
		}
		show := func(x *schema.Example) {
			lang, text := showBody(t, x.Value, b.components())
			v.Examples = append(v.Examples, templates.Passage{Text: md("Example (", originOf(x), ")", where, ":"), Lang: lang, Code: text})
		}
		x := b.answerSample(t, a)
		switch {
		case x == nil:
		case len(x.Value.String()) <= b.limits.example && strings.Count(x.Value.String(), "\n") < b.limits.answer:
			show(x)
		default:
			if made := b.shorter(t, x); made != nil {
				show(made)
			}
			if !spilled { // else it stands beside the notation
				lang, text := showBody(t, x.Value, b.components())
				b.section("responses", templates.Section{
					Heading:  md(a.status, " ", code(t.name)),
					Examples: []templates.Passage{{Text: md("Example (", originOf(x), "):"), Lang: lang, Code: text}},
				})
				v.After = append(v.After, md(reference("A longer example", "responses"), "."))
			}
		}
	}
	b.answerNotes(a, &v)
	return v
}

// sameBody returns the answer of success before a that has the same body, or nil.
func (b *builder) sameBody(a *answer) *answer {
	for i := range b.answers {
		o := &b.answers[i]
		if o == a {
			return nil
		}
		if !o.success || len(o.types) != len(a.types) || len(a.types) == 0 || a.types[0].media.Schema == nil {
			continue
		}
		same := true
		for j, t := range a.types {
			same = same && t.name == o.types[j].name && sameSchema(t.media.Schema, o.types[j].media.Schema)
		}
		if same {
			return o
		}
	}
	return nil
}

// describeAnswer describes the body of an answer; streams have items instead.
func (b *builder) describeAnswer(t mediaType, o *schema.Options) *schema.Block {
	return answerBlock(t, b.commented(o))
}

// silentAnswer is describeAnswer without the document's words.
func (b *builder) silentAnswer(t mediaType, o *schema.Options) *schema.Block {
	return answerBlock(t, b.silent(o))
}

func answerBlock(t mediaType, o *schema.Options) *schema.Block {
	o.XML = t.isXML()
	block := schema.Describe(t.media.Schema, schema.Response, o)
	block.Type = bodyType(t, block)
	return block
}

// bodyType returns the type of a body. One that the document says nothing of
// but its media type is bytes or text, unless that is JSON.
func bodyType(t mediaType, block *schema.Block) string {
	switch {
	case len(block.Lines) > 0:
	case t.form == binaryForm && (block.Type == "any" || block.Type == "string"):
		return "file"
	case t.form == textForm && block.Type == "any" && t.media.Schema == nil:
		return "string"
	}
	return block.Type
}

// pieces says what one piece of a stream is: the schema is that of an event or
// a line, not of the whole. It returns "" for what comes as one.
func (t mediaType) pieces(block *schema.Block) string {
	structured := len(block.Lines) > 0 || strings.Contains(block.Type, "object") || strings.HasPrefix(block.Type, "@")
	switch {
	case t.isEvents() && slices.Contains(block.Names, "data") && (slices.Contains(block.Names, "event") || slices.Contains(block.Names, "id")):
		return "Each event has these fields; `data` is JSON."
	case t.isEvents() && structured:
		return "This is each event's `data`, as JSON."
	case t.isLines() && block.Type != "string" && block.Type != "file":
		return "This is one JSON value a line."
	}
	return ""
}

func (t mediaType) isEvents() bool {
	return strings.HasPrefix(strings.ToLower(t.name), "text/event-stream")
}

func (t mediaType) isLines() bool {
	base, _, _ := strings.Cut(strings.ToLower(t.name), ";")
	base = strings.TrimSpace(base)
	return strings.HasSuffix(base, "ndjson") || strings.HasSuffix(base, "jsonl") || strings.HasSuffix(base, "json-lines") ||
		strings.HasSuffix(base, "jsonlines") || strings.HasSuffix(base, "json-seq") || strings.HasSuffix(base, "stream+json")
}

// asSent describes an answer by its difference to the request, where both have
// one schema.
func (b *builder) asSent(a *answer, t mediaType) (*schema.Block, bool) {
	if b.body == nil || b.effect.kind == read || !t.isJSON() || !b.body.types[0].isJSON() || t.media.Schema == nil || t.media.Schema.Ref == "" {
		return nil, false
	}
	if !sameSchema(t.media.Schema, b.body.types[0].media.Schema) {
		return nil, false
	}
	return schema.Added(t.media.Schema, b.commented(nil))
}

// answerSample returns an example of the answer, or nil where none says more
// than the notation.
func (b *builder) answerSample(t mediaType, a *answer) *schema.Example {
	s := t.media.Schema
	if t.form == binaryForm || s != nil && isFile(s, 0) {
		return nil
	}
	if s == nil && t.media.Example == nil && len(t.media.Examples) == 0 {
		return nil
	}
	x := schema.MediaTypeSample(t.media, schema.Response, b.sampling(nil))
	b.faults(x, "answer "+a.status+" "+t.name)
	x = orOwn(x, t.media)
	if x.Origin == schema.Made && (!x.Valid || t.form != jsonForm || !hasContent(x.Value) || hollow(x.Value, 0)) {
		return nil
	}
	return x
}

// hasContent reports whether v is an object or array with something in it.
func hasContent(v *schema.Value) bool { return len(v.Members())+len(v.Items()) > 0 }

// hollow reports whether an object in v has no members: a made example that
// says less than the notation beside it.
func hollow(v *schema.Value, depth int) bool {
	if v.IsObject() && len(v.Members()) == 0 || depth > 64 {
		return true
	}
	for _, item := range v.Items() {
		if hollow(item, depth+1) {
			return true
		}
	}
	for _, m := range v.Members() {
		if hollow(m.Value, depth+1) {
			return true
		}
	}
	return false
}

// shorter returns an example made from the schema in place of the document's
// own, if that is too long for SKILL.md.
func (b *builder) shorter(t mediaType, x *schema.Example) *schema.Example {
	if x.Origin == schema.Made || t.form != jsonForm || t.media.Schema == nil {
		return nil
	}
	made := schema.Sample(t.media.Schema, schema.Response, b.sampling(nil))
	if made.Valid && made.Origin == schema.Made && hasContent(made.Value) && !hollow(made.Value, 0) && len(made.Value.String()) <= b.limits.example && strings.Count(made.Value.String(), "\n") < b.limits.answer {
		return made
	}
	return nil
}

// showBody returns a value as the body of a media type, and the language of its
// fence.
func showBody(t mediaType, v *schema.Value, comps openapi3.Schemas) (lang, text string) {
	switch {
	case t.isJSON():
		return "json", v.String()
	case v.IsObject() || v.IsArray():
		if t.isXML() {
			return "xml", textOf(t, v, comps)
		}
		return "json", v.String()
	}
	return "text", v.Text()
}

// answerNotes says what to do with the answer.
func (b *builder) answerNotes(a *answer, v *templates.Answer) {
	etag, _ := a.header("ETag")
	location, _ := a.header("Location")
	switch {
	case a.status == "304":
		v.After = append(v.After, "Use the copy you have.")
	case location != "" && strings.HasPrefix(a.status, "3"):
		v.After = append(v.After, md("Follow ", code(location), " (", code("curl -L"), "); send credentials only to the same host."))
	case slices.Contains([]string{"301", "302", "303", "307", "308", "3XX"}, a.status):
		v.After = append(v.After, "Follow `Location` if the answer has it (`curl -L`); send credentials only to the same host.")
	case a.status == "202":
		v.After = append(v.After, b.pollAdvice(a)...)
	case etag != "" && b.effect.kind == read && b.hasHeader("If-None-Match"):
		v.Before = append(v.Before, md("Keep ", code(etag), ": it is what ", code("If-None-Match"), " takes here, and what ", code("If-Match"), " takes on a change (inferred)."))
	case etag != "" && b.effect.match != nil && b.effect.kind == write:
		v.After = append(v.After, md("The header ", code(etag), " is the new version: use it for the next change."))
	}
}

func (b *builder) hasHeader(name string) bool {
	return slices.ContainsFunc(b.params, func(p *openapi3.Parameter) bool { return p.In == "header" && strings.EqualFold(p.Name, name) })
}

// errorComponents are the components that the bodies of errors consist of. An
// answer that has one inside names it, so that the errors can refer to it.
func (b *builder) errorComponents() map[string]bool {
	mark := map[string]bool{}
	for _, a := range b.answers {
		if a.success {
			continue
		}
		for _, t := range a.types {
			if t.media.Schema != nil && t.media.Schema.Ref != "" {
				mark[strings.TrimPrefix(t.media.Schema.Ref, "#/components/schemas/")] = true
			}
		}
	}
	return mark
}
