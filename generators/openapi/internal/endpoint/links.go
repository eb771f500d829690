package endpoint

import (
	"sort"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// A link is one Link object of an answer.
type link struct {
	status string
	target *Target
	values []string // "`sample_id` = `/id` of this answer"
	used   bool     // told at the answer already
	text   templates.Markdown
}

// collectLinks reads the links of all answers, by status and name.
func (b *builder) collectLinks() []link {
	var out []link
	for i := range b.answers {
		a := &b.answers[i]
		var names []string
		for n, ref := range a.response.Links {
			if ref != nil && ref.Value != nil {
				names = append(names, n)
			}
		}
		sort.Strings(names)
		for _, n := range names {
			out = append(out, b.link(a, n, a.response.Links[n].Value))
		}
	}
	return out
}

func (b *builder) link(a *answer, name string, l *openapi3.Link) link {
	out := link{status: a.status}
	who := ""
	if b.op.Target != nil {
		if t, ok := b.op.Target(l.OperationID, l.OperationRef); ok {
			out.target = &t
			who = targetText(t)
		}
	}
	if out.target == nil {
		b.report(framework.Warning, "unresolved-link", b.op.Pointer, "the link %q of %s names %q, which is no operation of the document", name, a.status, l.OperationID+l.OperationRef)
		who = "Link " + code(name)
		if named := l.OperationID + l.OperationRef; named != "" {
			who += " to " + code(named)
		}
		who += " (not described in the document)"
	}
	where := "this answer"
	if !b.onlyStatus(a) {
		where = "the " + a.status + " answer"
	}
	var names []string
	for n := range l.Parameters {
		names = append(names, n)
	}
	sort.Strings(names)
	var facts []string
	for _, n := range names {
		value := expression(l.Parameters[n], where)
		facts = append(facts, "its "+code(n)+" is "+value)
		out.values = append(out.values, code(n)+" = "+value)
	}
	if l.RequestBody != nil {
		facts = append(facts, "its body is "+expression(l.RequestBody, where))
	}
	s := who
	if len(facts) > 0 {
		s += ": " + list(facts, "and")
	} else {
		s += ", from " + where
	}
	if d := templates.Inline(templates.Prose(b.aside(l.Description))); d != "" {
		s += ". " + d
	}
	out.text = md(sentence(s))
	return out
}

// onlyStatus reports whether a is the only answer of success that has links.
func (b *builder) onlyStatus(a *answer) bool {
	for i := range b.answers {
		if o := &b.answers[i]; o != a && len(o.response.Links) > 0 {
			return false
		}
	}
	return true
}

// expression words a runtime expression.
func expression(v any, where string) string {
	s, ok := v.(string)
	if !ok {
		return code(cut(schema.ValueOf(v).Line(), 120))
	}
	trimmed := strings.TrimSuffix(strings.TrimPrefix(s, "{"), "}")
	for _, e := range []struct{ prefix, before, after string }{
		{"$response.body#", "", " of " + where},
		{"$response.header.", "the header ", " of " + where},
		{"$request.body#", "", " of the body sent"},
		{"$request.path.", "the ", " sent in the path"},
		{"$request.query.", "the ", " sent in the query"},
		{"$request.header.", "the header ", " sent"},
	} {
		if rest, found := strings.CutPrefix(trimmed, e.prefix); found && rest != "" {
			return e.before + code(rest) + e.after
		}
	}
	switch trimmed {
	case "$response.body":
		return "the body of " + where
	case "$request.body":
		return "the body sent"
	case "$url":
		return "the URL of this request"
	case "$method":
		return "the method of this request"
	case "$statusCode":
		return "the status of " + where
	}
	return code(s)
}
