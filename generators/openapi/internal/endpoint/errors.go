package endpoint

import (
	"regexp"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// errors writes the table of what to do with each status of failure, and the
// shapes of their bodies.
func (b *builder) errors() {
	e := &b.e.Errors
	var failures []*answer
	hasDefault := false
	for i := range b.answers {
		a := &b.answers[i]
		if a.status == "default" {
			hasDefault = true
		}
		if !a.success {
			failures = append(failures, a)
		}
	}
	other, retry := b.otherAdvice()
	if len(failures) == 0 {
		lead := "The document describes none."
		if hasDefault {
			lead = "The answer above stands for them, too."
		}
		if b.effect.kind == read {
			e.Text = md(lead, " On any other status, or no answer: wait 1, 2, 4 seconds between 3 tries, then tell the user.")
			return
		}
		e.Text = md(lead, " On any other status, or no answer: ", lowerFirst(other), ". Retry: ", retry, ".")
		return
	}
	var rest []templates.Section
	for i, a := range failures {
		do, retry := b.advice(a)
		row := templates.ErrorRow{Status: a.status, Says: templates.Prose(unlinked(b.aside(a.says()))), Do: cell(do), Retry: cell(retry)}
		if i < b.limits.errorRows {
			e.Rows = append(e.Rows, row)
			continue
		}
		rest = append(rest, templates.Section{Heading: md(a.status), Says: row.Says, Before: []templates.Markdown{md(do, ". Retry: ", retry, ".")}})
	}
	if len(rest) > 0 {
		for _, s := range rest {
			b.section("responses", s)
		}
		e.Rows = append(e.Rows, templates.ErrorRow{Status: count(len(rest), "more", "more"), Do: md("See ", reference("the others", "responses"))})
	}
	if !hasDefault {
		e.Rows = append(e.Rows, templates.ErrorRow{Status: "other, or no answer", Says: "not described", Do: cell(other), Retry: cell(retry)})
	}
	b.errorBodies(failures)
}

// errorBodies shows each shape of an error's body once.
func (b *builder) errorBodies(failures []*answer) {
	type group struct {
		statuses, types []string
		block           *schema.Block
		key             string
	}
	var groups []*group
	var without []string
	for _, a := range failures {
		if len(a.types) == 0 {
			without = append(without, a.status)
			continue
		}
		// Media types of one status that share a schema are one shape.
		for i, t := range a.types {
			if i > 0 && sameSchema(t.media.Schema, a.types[i-1].media.Schema) {
				continue
			}
			var names []string
			for _, o := range a.types[i:] {
				if !sameSchema(o.media.Schema, t.media.Schema) {
					break
				}
				names = append(names, o.name)
			}
			block := b.describeAnswer(t, &schema.Options{Known: b.known})
			key := strings.Join(names, " ") + "\n" + block.Type + "\n" + strings.Join(block.Lines, "\n")
			if j := slices.IndexFunc(groups, func(g *group) bool { return g.key == key }); j >= 0 {
				groups[j].statuses = append(groups[j].statuses, a.status)
				continue
			}
			b.enums(block, a.status+" body")
			groups = append(groups, &group{statuses: []string{a.status}, types: names, block: block, key: key})
		}
	}
	e := &b.e.Errors
	for i, g := range groups {
		verb := " are "
		if len(g.statuses) == 1 {
			verb = " is "
		}
		s := list(g.statuses, "and") + verb + someCodes(g.types, 4, "or")
		others := ""
		if i == len(groups)-1 && len(without) > 0 {
			others = "; the others have no described body"
		}
		switch {
		case strings.HasPrefix(g.block.Type, "@"):
			e.Bodies = append(e.Bodies, templates.Passage{Text: md(s, ": ", g.block.Type, others, ".")})
		case len(g.block.Lines) == 0 && (g.block.Type == "any" || g.block.Type == "object"):
			e.Bodies = append(e.Bodies, templates.Passage{Text: md(s, ", of no described shape", others, ".")})
		case b.limits.fits(g.block.Lines, b.limits.errors) && i < 6:
			code := strings.Join(append([]string{"body: " + g.block.Type}, g.block.Lines...), "\n")
			if g.block.Type == "object" {
				code = strings.Join(g.block.Dedent(), "\n")
			}
			e.Bodies = append(e.Bodies, templates.Passage{Text: md(s, others, ":"), Lang: "text", Code: code})
			b.introduce(g.block)
		default:
			b.section("responses", templates.Section{
				Heading:  md(list(g.statuses, "and"), " ", codes(g.types, "or")),
				Notation: strings.Join(append([]string{"body: " + g.block.Type}, g.block.Lines...), "\n"),
			})
			if names := g.block.Names; len(names) > 0 {
				s += ", with " + someCodes(names, 12, "and")
			}
			e.Bodies = append(e.Bodies, templates.Passage{Text: md(s, ": ", reference("all of it", "responses"), others, ".")})
		}
	}

	// Headers, but for the one that the table speaks of.
	type carried struct {
		statuses []string
		lines    string
	}
	var headers []carried
	for _, a := range failures {
		lines := b.headerLines(a, telling)
		if retry, _ := a.header("Retry-After"); len(lines) == 0 || len(lines) == 1 && retry != "" {
			continue
		}
		text := strings.Join(append([]string{"headers"}, cutLines(lines, 24, 120)...), "\n")
		if i := slices.IndexFunc(headers, func(c carried) bool { return c.lines == text }); i >= 0 {
			headers[i].statuses = append(headers[i].statuses, a.status)
			continue
		}
		headers = append(headers, carried{[]string{a.status}, text})
	}
	for _, h := range headers {
		if s := b.hasHeaders(h.lines); s != "" {
			e.Bodies = append(e.Bodies, templates.Passage{Text: md("Headers of ", list(h.statuses, "and"), ": those of ", s, ".")})
			continue
		}
		e.Bodies = append(e.Bodies, templates.Passage{Text: md("Headers of ", list(h.statuses, "and"), ":"), Lang: "text", Code: h.lines})
	}

	// Of the others there is nothing to say but that they come.
	var silent []carried
	for _, a := range failures {
		var names []string
		for n, ref := range a.response.Headers {
			if ref == nil || ref.Value == nil || strings.EqualFold(n, "Content-Type") || strings.EqualFold(n, "Retry-After") {
				continue
			}
			p := ref.Value.Parameter
			p.Name, p.In = n, "header"
			if !telling(n, schema.DescribeParameter(&p, b.commented(nil))) {
				names = append(names, n)
			}
		}
		if len(names) == 0 {
			continue
		}
		slices.Sort(names)
		text := codes(names, "and")
		if i := slices.IndexFunc(silent, func(c carried) bool { return c.lines == text }); i >= 0 {
			silent[i].statuses = append(silent[i].statuses, a.status)
			continue
		}
		silent = append(silent, carried{[]string{a.status}, text})
	}
	for _, h := range silent {
		e.Bodies = append(e.Bodies, templates.Passage{Text: md("Headers of ", list(h.statuses, "and"), " without a description: ", h.lines, ".")})
	}
}

// hasHeaders returns the status of success whose answer has these headers, as
// lines of notation, or "".
func (b *builder) hasHeaders(notation string) string {
	for i := range b.answers {
		a := &b.answers[i]
		if a.success && strings.Join(append([]string{"headers"}, cutLines(b.headerLines(a, telling), 24, 120)...), "\n") == notation {
			return a.status
		}
	}
	return ""
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// otherAdvice says what to do where nothing is described or nothing came.
func (b *builder) otherAdvice() (do, retry string) {
	f := b.effect
	switch {
	case f.kind == read:
		return "Wait 1, 2, 4 seconds, then tell the user", "3 times"
	case f.key != nil:
		return "Send the same request with the same key", "3 times"
	case f.match != nil:
		return "Read it, see whether the change was made", "only if it was not"
	case f.idempotent:
		return "Repeat it; the end is the same", "3 times"
	case b.op.Method == "PATCH":
		return "Read it, see whether the change was made", "only if it was not"
	case f.kind == destructive:
		return "Find out whether it was done, or ask the user", "only if it was not"
	}
	return "Find out whether it was " + b.done() + ", or ask the user", "only if it was not"
}

// advice says what to do at a status, and whether to try again. It is general
// HTTP practice, bent by what the operation is.
func (b *builder) advice(a *answer) (do, retry string) {
	f := b.effect
	sameKey := ""
	if f.key != nil {
		sameKey = ", same key"
	}
	wait := ""
	if name, h := a.header("Retry-After"); name != "" {
		wait = "Wait " + code(name) + " seconds"
		p := h.Parameter
		p.Name, p.In = name, "header"
		if t := schema.DescribeParameter(&p, b.commented(nil)).Type; strings.HasPrefix(t, "integer") {
			form := "integer"
			if t == "integer 1.." {
				form = "integer, 1 or more"
			}
			wait += " (" + form + ")"
		} else {
			wait = "Wait as " + code(name) + " says"
		}
	}
	switch a.status {
	case "400", "422":
		retry = "after the correction"
		if f.key != nil {
			retry += ", new key"
		}
		return b.correct(a), retry
	case "401":
		article, noun, several := b.auth.noun()
		switch {
		case b.auth.public():
			return "The document asks for no credentials here: tell the user", "no"
		case len(b.auth.ways) == 0 && !b.auth.declared:
			return "Get credentials as Auth above says", "once, with them"
		case several:
			return "Get " + article + "; see the guide", "once" + sameKey + ", with the new ones"
		case f.key != nil:
			return "Get " + article + "; see the guide", "once, same key, new " + noun
		}
		return "Get " + article + "; see the guide", "once, with the new " + noun
	case "402":
		return "Tell the user: it needs a payment or another plan", "no"
	case "403":
		if b.auth.public() {
			return "No credentials are asked for here: tell the user what the answer says", "no"
		}
		var scopes []string
		for _, c := range b.auth.taken() {
			scopes = append(scopes, c.scopes...)
		}
		if len(scopes) > 0 {
			return "Tell the user which scope may be missing: " + codes(slices.Compact(scopes), "or"), "no"
		}
		return "Tell the user which permission is missing", "no"
	case "404":
		names := append(b.pathNames(), b.server.names...)
		check := "the URL"
		if b.body != nil || slices.ContainsFunc(b.params, func(p *openapi3.Parameter) bool { return p.In == "query" }) {
			check = "the ids and names in what you sent"
		}
		if len(names) > 0 {
			names, _ = capped(names, 6)
			check = codes(names, "and")
		}
		if f.kind == destructive && f.idempotent {
			return "On a repeat: it is gone. Else check " + check, "no"
		}
		return "Check " + check + "; else tell the user", "no"
	case "405", "501":
		return "Do not send this; tell the user", "no"
	case "406":
		return "Ask for a media type listed under Answer", "after the correction"
	case "408":
		return b.otherAdvice()
	case "409":
		switch {
		case f.kind == read:
			return "Tell the user what is in the way, as the answer says", "after it is resolved"
		case f.kind == destructive:
			return "Tell the user; ask whether to try again later", "only when the user says so"
		case f.key != nil:
			return "If the key was used before, send the first body again or take a new key; else resolve the conflict that the answer names", "after it is resolved"
		}
		return "Read the current state and resolve the conflict; do not resend as it is", "after it is resolved"
	case "410":
		if b.replacement != nil {
			return "Use the replacement above", "no"
		}
		return "It is gone for good: stop, and tell the user", "no"
	case "412":
		if f.match != nil {
			return "Read it again; if the change still makes sense, send it with the new `ETag`", "after reading again"
		}
		return "A condition of the request does not hold: read the current state, decide again", "after reading again"
	case "413":
		return "Send less, or ask the user for a smaller file", "after the correction"
	case "414", "431":
		return "Send fewer or shorter values", "after the correction"
	case "415":
		if b.body != nil && len(b.body.types) == 1 && b.body.types[0].form != multipartForm {
			return "Send " + code("Content-Type: "+b.body.types[0].sent), "after the correction"
		}
		if b.body != nil && b.body.types[0].form == multipartForm {
			return "Use a type listed under Inputs for that part", "after the correction"
		}
		return "Use a type listed under Inputs", "after the correction"
	case "423":
		return "It is locked: tell the user", "when it is unlocked"
	case "424":
		return "Something it depends on failed: tell the user", "no"
	case "425", "429":
		if wait == "" {
			wait = "Wait as `Retry-After` says, else 1, 2, 4 seconds"
			if len(a.types) > 0 {
				for _, name := range sortedKeys(members(a.types[0].media.Schema)) {
					if bare(name) == "retryafter" {
						wait = "Wait as " + code(name) + " says (inferred)"
					}
				}
			}
		}
		return wait, "after the wait" + sameKey
	case "428":
		if f.match != nil {
			return "Send " + code(f.match.Name), "after the correction"
		}
		return "Send the condition that the answer names", "after the correction"
	case "451":
		return "Not available for legal reasons: tell the user", "no"
	case "4XX":
		retry = "after the correction"
		if b.auth.public() || b.declares("401") && b.declares("403") {
			return b.correct(a), retry
		}
		return b.correct(a) + "; at 401 or 403 get valid credentials", retry
	}
	if len(a.status) == 3 && a.status[0] == '4' {
		return b.correct(a) + ", or tell the user", "after the correction"
	}
	// 5xx, default and what has no number.
	do, retry = b.otherAdvice()
	if a.status == "default" && !b.describesClientErrors() {
		at := "At 4XX"
		if name := b.flagged(); name != "" {
			at += ", or where " + code(name) + " is `false`"
		}
		at += ": " + lowerFirst(b.correct(a))
		if !b.auth.public() && !b.declares("401") {
			at += ", at 401 get valid credentials"
		}
		return at + ". Else: " + lowerFirst(do), "as the status says"
	}
	if wait != "" {
		return wait + "; " + strings.TrimPrefix(lowerFirst(do), "wait 1, 2, 4 seconds, then "), retry
	}
	return do, retry
}

// describesClientErrors reports whether a status for faulty requests in general
// is described, so that "default" does not stand for it.
func (b *builder) describesClientErrors() bool {
	return b.declares("400") || b.declares("422") || b.declares("4XX")
}

// messages are the members in which errors say in words what is wrong, the
// most precise first; pointing are those in which a list of faults says where.
var (
	messages = []string{"detail", "error_description", "error_message", "errorMessage", "message", "msg", "error", "description", "reason", "title"}
	pointing = []string{"pointer", "field", "path", "loc", "location", "at", "param", "parameter", "property", "attribute", "source"}
)

// correct says how to correct a request, by the members that the error has.
func (b *builder) correct(a *answer) string {
	if len(a.types) == 0 || !a.types[0].isJSON() {
		return "Correct the request by the inputs above"
	}
	envelope := ""
	found := members(a.types[0].media.Schema)
	if inner := members(found["error"]); len(inner) > 0 { // {"error": {"message": ...}}
		found, envelope = inner, "error."
	}
	var names []string
	list, points := faultList(found)
	if list != "" && points && a.status == "422" {
		return "Correct the members that " + code(envelope+list) + " points to"
	}
	for _, m := range messages {
		if found[m] != nil && m != list && (m != "title" || list == "") {
			names = append(names, envelope+m)
			break
		}
	}
	if list != "" {
		names = append(names, envelope+list)
	} else if found["param"] != nil {
		names = append(names, envelope+"param")
	}
	if len(names) == 0 {
		return "Correct the request by the inputs above"
	}
	return "Correct the request by " + codes(names, "and")
}

// faultList returns the member of an error that lists what is wrong, each
// fault an object, and whether these say where it is. The names that such
// lists usually have come first.
func faultList(found map[string]*openapi3.SchemaRef) (name string, points bool) {
	for _, n := range append([]string{"errors", "faults", "violations", "details"}, sortedKeys(found)...) {
		ref := found[n]
		if ref == nil || ref.Value == nil {
			continue
		}
		item := members(ref.Value.Items)
		if ref.Value.Items == nil || len(item) == 0 && n != "errors" {
			continue
		}
		return n, slices.ContainsFunc(pointing, func(p string) bool { return item[p] != nil })
	}
	return "", false
}

var tellingHeader = regexp.MustCompile(`(?i)^(retry-after|(x-)?rate-?limit.*|location|.+-location|link|etag)$`)

// telling reports whether a header of an error says more than that it is
// there: one that an agent acts on, or one that the document describes.
func telling(name string, block *schema.Block) bool {
	return tellingHeader.MatchString(name) || block.Comment != "" || len(block.Lines) > 0 || strings.ContainsAny(block.Type, `"|`)
}
