package endpoint

import (
	"slices"
	"strings"

	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// behaviour says what follows from the answers: pages and polling. Both are
// inferred from names, and say so.
func (b *builder) behaviour() {
	if b.effect.kind != read {
		return
	}
	if heading, text := b.pages(); text != "" {
		b.e.Behaviour = append(b.e.Behaviour, templates.Behaviour{Heading: md(heading), Text: md(text)})
	}
	if heading, text := b.polling(); text != "" {
		b.e.Behaviour = append(b.e.Behaviour, templates.Behaviour{Heading: md(heading), Text: md(text)})
	}
}

var (
	endStates = set("succeeded", "success", "successful", "failed", "failure", "completed", "complete", "done", "finished", "cancelled",
		"canceled", "error", "errored", "expired", "aborted", "rejected", "timedout", "deleted", "ready", "partialsuccess", "incomplete", "stopped")
	openStates = set("queued", "pending", "running", "processing", "inprogress", "started", "starting", "waiting", "created", "scheduled",
		"new", "active", "validating", "finalizing", "cancelling", "canceling", "submitted", "accepted", "building", "deploying", "executing", "working", "initializing", "notstarted", "open")
)

// states returns the end states of the member status or state of a schema, if
// some of its values mean an end and some do not.
func states(ref *openapi3.SchemaRef) (name string, ends []string) {
	found := members(ref)
	for _, n := range []string{"status", "state", "job_status", "jobStatus", "phase"} {
		s := found[n]
		if s == nil || s.Value == nil {
			continue
		}
		values := s.Value.Enum
		for _, part := range s.Value.AllOf {
			if part != nil && part.Value != nil {
				values = append(slices.Clone(values), part.Value.Enum...)
			}
		}
		open := false
		ends = nil
		for _, v := range values {
			text, _ := v.(string)
			switch w := bare(text); {
			case endStates[w]:
				ends = append(ends, text)
			case openStates[w]:
				open = true
			}
		}
		if open && len(ends) > 0 && len(ends) <= 8 {
			return n, ends
		}
	}
	return "", nil
}

// polling says how to wait for the end of what a read shows, where the answer
// says how long to wait.
func (b *builder) polling() (heading, text string) {
	a := b.expected()
	if a == nil {
		return "", ""
	}
	retry, _ := a.header("Retry-After")
	name, ends := states(a.types[0].media.Schema)
	if retry == "" || name == "" {
		return "", ""
	}
	s := codes(ends, "and") + " are the end. Otherwise wait " + code(retry) + " seconds (5 if it is absent) and ask again."
	if len(ends) == 1 {
		s = codes(ends, "and") + " is the end. Otherwise wait " + code(retry) + " seconds (5 if it is absent) and ask again."
	}
	found := members(a.types[0].media.Schema)
	for _, n := range []string{"problem", "error", "errors", "failure", "failure_reason", "last_error", "message"} {
		if i := slices.IndexFunc(ends, func(s string) bool { return strings.HasPrefix(bare(s), "fail") || strings.HasPrefix(bare(s), "error") }); i >= 0 && found[n] != nil {
			s += " On " + code(ends[i]) + ", report " + code(n) + " to the user."
			break
		}
	}
	return "Polling (inferred from " + code(name) + ", " + code(retry) + ")", s
}

var statusURLNames = []string{"status_url", "statusUrl", "statusURL", "polling_url", "pollUrl", "poll_url", "operation_url", "job_url", "url", "href", "self", "uri", "location"}

// statusURL returns the member of an accepting answer that holds the address
// to poll, by its name and format, or "".
func (b *builder) statusURL(a *answer) string {
	if len(a.types) == 0 {
		return ""
	}
	found := members(a.types[0].media.Schema)
	for i, n := range statusURLNames {
		if m := found[n]; m != nil && m.Value != nil && m.Value.Type.Includes("string") && (i < 7 || m.Value.Format == "uri" || m.Value.Format == "url") {
			return n
		}
	}
	return ""
}

// pollAdvice says how to follow an answer that only accepts the work.
func (b *builder) pollAdvice(a *answer) []templates.Markdown {
	wait := "Wait a few seconds"
	if retry, _ := a.header("Retry-After"); retry != "" {
		wait = "Wait " + code(retry) + " seconds"
	}
	if b.effect.kind == read {
		return []templates.Markdown{md("Not ready yet. ", wait, ", then send the same request again.")}
	}
	s := "Not done yet. "
	var target *link
	for i := range b.links {
		if l := &b.links[i]; l.status == a.status && l.target != nil && l.target.Method == "GET" {
			target = l
			break
		}
	}
	location, _ := firstHeader(a, "Location", "Operation-Location", "Azure-AsyncOperation")
	switch {
	case target != nil:
		target.used = true
		s += wait + ", then poll " + targetText(*target.target)
		if len(target.values) > 0 {
			s += " with " + list(target.values, "and")
		}
	case location != "":
		s += wait + ", then poll the URL in the header " + code(location)
	case b.statusURL(a) != "":
		s += wait + ", then poll the URL in " + code(b.statusURL(a)) + " of this answer (inferred from its name)"
	default:
		id := ""
		if len(a.types) > 0 {
			for _, n := range []string{"id", "job_id", "jobId", "task_id", "taskId", "operation_id", "operationId", "request_id"} {
				if member(a.types[0].media.Schema, n) != nil {
					id = " that takes its " + code(n)
					break
				}
			}
		}
		return []templates.Markdown{md(s, "The document does not say how to follow it: look in the guide for a read of the same group", id, ". Do not send it again meanwhile.")}
	}
	if len(a.types) > 0 && a.types[0].isJSON() {
		if name, ends := states(a.types[0].media.Schema); name != "" {
			s += ", until " + code(name) + " is " + codes(ends, "or") + " (end states inferred from their names)"
		}
	}
	again := "Do not send it again meanwhile."
	if b.op.Method == "DELETE" {
		again = "Do not delete again meanwhile."
	}
	return []templates.Markdown{md(s, ". ", again)}
}
