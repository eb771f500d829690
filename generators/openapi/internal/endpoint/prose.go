package endpoint

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/templates"
)

// maxTitle is the length of a heading in characters.
const maxTitle = 120

// title returns the heading: the summary, else the description's first
// sentence, else words made of the operation's name. It remembers whether the
// heading is shorter than the summary.
func (b *builder) title() templates.Prose {
	summary := templates.Prose(b.aside(b.op.Op.Summary))
	all := templates.Plain(summary, 0)
	if says(all) && len(all) <= maxTitle {
		return summary
	}
	b.longSummary = templates.Plain(templates.Prose(b.op.Op.Summary), 0) != ""
	for _, p := range []templates.Prose{summary, templates.Prose(b.aside(b.op.Op.Description))} {
		if s := strings.TrimRight(firstSentence(p), ". "); says(s) && !strings.HasSuffix(s, "?") {
			return templates.Prose(s)
		}
	}
	if s := made(b.op); says(s) {
		return templates.Prose(s)
	}
	return templates.Prose(b.op.Method + " of " + b.op.Group)
}

// aside returns prose that stands outside of a quotation, as far as it may.
func (b *builder) aside(s string) string {
	if b.op.Quoted {
		return ""
	}
	return s
}

// value returns a string that is a value by its meaning and may be anything: a
// date, a format. Where prose is kept to quotations it has to be a single word.
func (b *builder) value(s string, limit int) string {
	s = templates.Plain(templates.Prose(s), limit)
	if b.op.Quoted && strings.ContainsAny(s, " ") {
		return ""
	}
	return s
}

// says reports whether a text has anything to read.
func says(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

var sentenceEnd = regexp.MustCompile(`[.!?] +[A-Z]`)

// firstSentence returns the first sentence of p as plain text, or "" if it is
// longer than a heading may be.
func firstSentence(p templates.Prose) string {
	s := templates.Sentences(p, maxTitle)
	if strings.HasSuffix(s, " ...") {
		return ""
	}
	for _, m := range sentenceEnd.FindAllStringIndex(s, -1) {
		if head := s[:m[0]+1]; !abbreviation.MatchString(head) {
			return head
		}
	}
	return s
}

var abbreviation = regexp.MustCompile(`(?i)(^|[\s(])(e\.g|i\.e|etc|vs|cf|no|approx|incl|resp|[a-z])\.$`)

// Made names an operation by its address.
func Made(method, path, webhook, operationID string) string {
	return made(&Operation{Method: method, Path: path, Webhook: webhook, OperationID: operationID})
}

// made names an operation that the document does not describe.
func made(op *Operation) string {
	if w := words(op.OperationID); len(w) > 1 && op.OperationID != "" {
		return upperFirst(strings.Join(w, " "))
	}
	if op.Webhook != "" {
		return upperFirst(strings.Join(words(op.Webhook), " "))
	}
	verb := map[string]string{"GET": "Get", "PUT": "Put", "POST": "Post to", "PATCH": "Change", "DELETE": "Delete", "HEAD": "Look up the headers of"}[op.Method]
	if verb == "" {
		verb = op.Method
	}
	var noun, id string
	for _, p := range pathParts(op.Path) {
		if p.parameter != "" {
			id = p.parameter
			continue
		}
		if w := words(p.text); len(w) > 0 {
			segments := strings.Split(strings.Trim(p.text, "/"), "/")
			if last := words(segments[len(segments)-1]); len(last) > 0 {
				noun, id = strings.Join(last, " "), ""
			}
		}
	}
	if noun == "" {
		return verb + " the root"
	}
	if id != "" {
		return verb + " " + noun + " by " + strings.Join(words(id), " ")
	}
	return verb + " " + noun
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// deprecation says until when, and what to use instead.
func (b *builder) deprecation() {
	op := b.op
	name, ok := op.Op.Extensions["x-replaced-by"], false
	var id, ref string
	switch r := name.(type) {
	case string:
		if strings.ContainsAny(r, "#/") {
			ref = r
		} else {
			id = r
		}
	case map[string]any:
		id, _ = r["operationId"].(string)
		ref, _ = r["operationRef"].(string)
	}
	if id != "" || ref != "" {
		var t Target
		if op.Target != nil {
			t, ok = op.Target(id, ref)
		}
		if ok {
			b.replacement = &t
		} else {
			b.report(framework.Warning, "unresolved-replacement", op.Pointer, "x-replaced-by names %q, which is no operation of the document", id+ref)
		}
	}
	b.sunset = b.value(stringOf(op.Op.Extensions["x-sunset"]), 40)
	if !op.Op.Deprecated {
		if b.sunset != "" {
			b.e.Deprecation = md("the document ends it on ", templates.Inline(templates.Prose(b.sunset)), ".")
		}
		return
	}
	s := "the document says so and gives no date."
	if b.sunset != "" {
		s = "the document ends it on " + templates.Inline(templates.Prose(b.sunset)) + "."
	}
	switch {
	case b.replacement != nil:
		s += " Use " + targetText(*b.replacement) + " instead; say so to the user."
	case id+ref != "":
		s += " It names " + code(id+ref) + " as the replacement, which it does not describe; say so to the user."
	case b.e.Document.Text != "":
		s += " What replaces it may stand in \"From the document\", else in the guide; say so to the user."
	default:
		s += " Look for a replacement in the guide; say so to the user."
	}
	b.e.Deprecation = md(s)
}

func stringOf(v any) string { s, _ := v.(string); return s }

// targetText names another operation by its skill.
func targetText(t Target) string {
	return code(t.URI) + " (" + code(t.Method+" "+t.Path) + ")"
}

// missing names the parts that the operation refers to and that could not be
// read.
func (b *builder) missing() []templates.Markdown {
	list, _ := b.op.Op.Extensions["x-apiskills-missing"].([]any)
	var refs []string
	for _, m := range list {
		part, _ := m.(map[string]any)
		ref := stringOf(part["ref"])
		if ref == "" {
			ref = stringOf(part["pointer"])
		}
		if ref = oneLine(ref); ref != "" && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	s := "**Incomplete:** the document refers to what could not be read: " + someCodes(refs, 5, "and")
	return []templates.Markdown{md(s, ". It is missing below.")}
}

// document quotes what the document says at length.
func (b *builder) document() {
	d := &b.e.Document
	op := b.op.Op
	description := strings.TrimSpace(op.Description)
	if b.longSummary {
		description = strings.TrimSpace(op.Summary) + "\n\n" + description
	} else if sameWords(description, templates.Plain(b.e.Title, 0)) {
		description = "" // it would only repeat the heading
	}
	prose := templates.Prose(description)
	if prose != "" && templates.Quote(prose) != "" {
		d.Suspicious = templates.Suspicious(prose) || templates.Suspicious(templates.Prose(op.Summary))
		d.Text = prose
		if len(templates.Quote(prose)) > b.limits.prose {
			head, rest := firstParagraphs(string(prose), b.limits.prose)
			if rest {
				d.Text = templates.Prose(head)
				b.section("description", templates.Section{Says: prose})
				d.More = md(reference("The whole text", "description"), ".")
			}
		}
	} else {
		d.Suspicious = templates.Suspicious(templates.Prose(op.Summary))
	}
	if docs := op.ExternalDocs; docs != nil {
		if url := oneLine(docs.URL); strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
			d.DocsURL = md("<", escape(url, "$&()*+,;=:@/?#", true), ">")
			if !repeatsLink(docs.Description) {
				d.DocsText = templates.Prose(docs.Description)
			}
		}
	}
}

// firstParagraphs returns the paragraphs that fit into n bytes, at least a
// part of the first one, and whether there is more.
func firstParagraphs(s string, n int) (string, bool) {
	paragraphs := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n\n")
	head := ""
	for i, p := range paragraphs {
		if i > 0 && len(head)+len(p) > n || i > 0 && (strings.Count(head+p, "```")%2 == 1 || strings.Count(head+p, "~~~")%2 == 1) {
			break
		}
		if i > 0 {
			head += "\n\n"
		}
		head += p
		if len(head) > n {
			break
		}
	}
	if len(head) > 2*n {
		head = templates.Sentences(templates.Prose(head), n)
	}
	return head, len(head) < len(s)
}

// related names the operations that this one names, and the guide.
func (b *builder) related() {
	op := b.op
	var lines []templates.Markdown
	for _, l := range b.links {
		if !l.used {
			lines = append(lines, l.text)
		}
	}
	what := "operations on " + strings.ReplaceAll(op.Group, "-", " ")
	if op.Group == "default" {
		what = "operations"
	}
	if op.Webhook != "" {
		what = "webhooks"
	}
	if op.GuideURI != "" {
		// The group's name, not its file: that depends on the other groups.
		lines = append(lines, md("More ", what, ": ", code(op.GuideURI), ", group ", code(op.Group), "."))
	}
	b.e.Related = append(b.e.Related, lines...)
}

// source is the closing line.
func (b *builder) source() templates.Markdown {
	if b.op.Webhook != "" {
		return md("Stated at ", code(b.op.Pointer), " and what it refers to, unless marked inferred or made or advice.")
	}
	var parts []string
	parts = append(parts, "Effect")
	if b.e.Effect.Repeat != "" {
		parts = append(parts, "Repeat")
	}
	if len(b.e.Errors.Rows) > 0 {
		parts = append(parts, "Do", "Retry")
	} else {
		parts = append(parts, "Errors")
	}
	return md("Stated at ", code(b.op.Pointer), " and what it refers to, unless marked inferred or made. Advice under ", list(parts, "and"), " is general HTTP practice.")
}

// metadata are the facts that a host can filter by.
func (b *builder) metadata() []templates.Pair {
	return metadata(b.op, b.e.Effect.Kind, b.op.Op.Deprecated, b.op.OperationID)
}

func metadata(op *Operation, effect string, deprecated bool, id string) []templates.Pair {
	var pairs []templates.Pair
	add := func(key, value string) {
		if value = oneLine(value); value != "" {
			pairs = append(pairs, templates.Pair{Key: key, Value: value})
		}
	}
	if deprecated {
		add("deprecated", "true")
	}
	if op.Degraded != "" {
		add("degraded", "true")
	}
	add("effect", effect)
	add("method", op.Method)
	add("operation-id", id)
	add("path", op.Path)
	add("pointer", op.Pointer)
	add("webhook", op.Webhook)
	slices.SortFunc(pairs, func(a, b templates.Pair) int { return strings.Compare(a.Key, b.Key) })
	return pairs
}
