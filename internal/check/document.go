package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/generators/templates"
)

// methods are the fields of a path item that are operations.
var methods = map[string]bool{
	"get": true, "put": true, "post": true, "delete": true, "options": true,
	"head": true, "patch": true, "trace": true, "query": true,
}

// An operation is what the rules of a document look at, as far as it stands in
// the document itself.
type operation struct {
	path, method, id     string
	webhook, elsewhere   bool
	summary, description string
	responses, security  bool
	internal, stated     bool // x-internal, and whether it is the operation's own
}

// A survey is what one walk of a document gathers.
type survey struct {
	add func(rule, file, pointer, message string, args ...any)

	file       string // that is walked
	operations map[string]*operation
	order      []string        // of the pointers of operations
	internal   map[string]bool // path items
	security   bool            // at the root
	tags       int
	firstTag   string // where the first HTML tag stands, "file#pointer"
	uris       map[string]bool
	places     places
}

func newSurvey(add func(rule, file, pointer, message string, args ...any)) *survey {
	return &survey{add: add, operations: map[string]*operation{}, internal: map[string]bool{}, uris: map[string]bool{}}
}

// document takes a value of the document itself.
func (s *survey) document(v value) {
	p := v.path
	s.places.take(v)
	if len(p) == 1 && p[0] == "security" && v.kind == '[' {
		return
	}
	if len(p) == 2 && p[0] == "security" {
		s.security = true
	}
	if len(p) < 3 || p[0] != "paths" && p[0] != "webhooks" {
		return
	}
	n := 3 // where the operation's members are
	switch {
	case methods[p[2]]:
	case p[2] == "additionalOperations" && len(p) > 3:
		n = 4
	case len(p) == 3 && p[2] == "x-internal":
		s.internal[pointer(p[:2])] = v.text == "true"
		return
	default:
		return
	}
	if len(p) == n {
		if v.kind == '{' {
			at := pointer(p)
			if s.operations[at] == nil {
				s.order = append(s.order, at)
			}
			s.operations[at] = &operation{path: p[1], method: strings.ToUpper(p[n-1]), webhook: p[0] == "webhooks"}
		}
		return
	}
	if len(p) > n+2 {
		return
	}
	op := s.operations[pointer(p[:n])]
	if op == nil {
		return
	}
	switch name := p[n]; {
	case len(p) == n+2:
		if name == "responses" && !strings.HasPrefix(p[n+1], "x-") {
			op.responses = true // also where it is a reference
		}
	case name == "$ref":
		op.elsewhere = true
	case name == "summary" && v.kind == '"':
		op.summary = v.text
	case name == "description":
		if op.description = v.text; v.kind == '{' { // a reference, in place of a text
			op.description = "elsewhere"
		}
	case name == "operationId":
		op.id = v.text
	case name == "security":
		op.security = true
	case name == "x-internal":
		op.internal, op.stated = v.text == "true", true
	}
}

// report reports what the walk has gathered. excluded has the pointers of the
// operations that are not served on purpose.
func (s *survey) report(file string, excluded map[string]bool) {
	for _, at := range s.order {
		op := s.operations[at]
		if op.elsewhere || excluded[at] {
			continue
		}
		if why := op.prose(); why != "" {
			s.add("operation-without-prose", file, at, "%s; its description is made of what it sends and answers", why)
		}
		if !op.responses && !op.webhook {
			s.add("operation-without-responses", file, at, "the operation has no response; its skill cannot say what comes back")
		}
		if op.webhook && s.security && !op.security {
			s.add("webhook-security", file, at, "the webhook states no security, and does not inherit the root's; its skill names no credentials")
		}
		if op.internal || !op.stated && s.internal[at[:strings.LastIndexByte(at, '/')]] {
			s.add("internal-operation", file, at, "the operation is marked x-internal, and is served; exclude: [{internal: true}] leaves it out")
		}
	}
	s.conflicts(file, excluded)
	s.places.report(func(rule, at, message string, args ...any) { s.add(rule, file, at, message, args...) })
	if s.tags > 0 {
		where, at, _ := strings.Cut(s.firstTag, "#")
		s.add("prose-html", where, at, "HTML tags in texts of the document: %d; skills have what they mean, and not the tags. This is the first", s.tags)
	}
}

// prose says why an operation has no words of its own, "" if it has.
func (op *operation) prose() string {
	summary, description := words(op.summary), words(op.description)
	if summary == "" && description == "" {
		return "the operation has neither a summary nor a description"
	}
	for _, s := range []string{summary, description} {
		switch s {
		case "", words(op.method + " " + op.path), words(op.path), words(op.id):
		default:
			return ""
		}
	}
	return "the operation's summary or description repeats what its operationId, or its method and path, say"
}

// words is a text without regard to case, spaces and punctuation.
func words(s string) string {
	if len(s) > 1000 { // no name is nearly as long
		return "long"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r > 127:
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, s)
}

// conflicts reports paths that are the same but for the names of parameters.
func (s *survey) conflicts(file string, excluded map[string]bool) {
	served := map[string]map[string]bool{} // methods by path
	for _, at := range s.order {
		if op := s.operations[at]; !op.webhook && !excluded[at] {
			if served[op.path] == nil {
				served[op.path] = map[string]bool{}
			}
			served[op.path][op.method] = true
		}
	}
	first := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(served)) {
		shape := template(path)
		other, taken := first[shape]
		if !taken {
			first[shape] = path
			continue
		}
		both := "they have no method in common, so that each request has one meaning"
		for m := range served[path] {
			if served[other][m] {
				both = "nobody can know which of them answers; each is served"
			}
		}
		s.add("path-conflict", file, pointer([]string{"paths", path}), "the path %q is the same as %q but for names: %s", short(path), short(other), both)
	}
}

// template is a path without the names of its parameters.
func template(path string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(path, '{')
		if start < 0 {
			break
		}
		n := strings.IndexAny(path[start+1:], "{}")
		if n < 0 || path[start+1+n] != '}' {
			b.WriteString(path[:start+1])
			path = path[start+1:]
			continue
		}
		b.WriteString(path[:start] + "{}")
		path = path[start+n+2:]
	}
	return b.String() + path
}

// short is a text of the document as a message quotes it.
func short(s string) string {
	if len(s) > 120 {
		return strings.ToValidUTF8(s[:120], "") + "..."
	}
	return s
}

// prose looks at a string of any file.
func (s *survey) prose(v value, scheme string) {
	if v.again {
		return
	}
	if n := len(v.path); n > 0 && hidden(v.path[n-1]) {
		s.inspect(v.path, v.path[n-1], false)
	}
	if v.kind != '"' {
		return
	}
	isProse, isText := kindOf(v.path)
	if !isProse && !hidden(v.text) {
		return
	}
	if isProse && strings.Contains(v.text, scheme+"://") {
		for _, uri := range mentions(v.text, scheme) {
			if len(s.uris) < maxFindings {
				s.uris[uri] = true
			}
		}
	}
	if isProse && len(v.text) >= 8 || hidden(v.text) {
		s.inspect(v.path, v.text, isText)
	}
}

// inspect reports what is of concern in a text, one finding for each kind.
// Markup is looked at in what is text to readers.
func (s *survey) inspect(path []string, text string, isText bool) {
	isProse, _ := kindOf(path)
	of := map[templates.ConcernKind][]templates.Concern{}
	for _, c := range templates.Inspect(text) {
		of[c.Kind] = append(of[c.Kind], c)
	}
	at := pointer(path)
	say := func(rule, what string, list []templates.Concern) {
		if len(list) == 0 {
			return
		}
		more := ""
		if len(list) > 1 {
			more = fmt.Sprintf(", and %d more places", len(list)-1)
		}
		s.add(rule, s.file, at, what+more, list[0].Text)
	}
	say("prose-hidden-characters", "the text has characters that cannot be seen: %s", of[templates.HiddenCharacters])
	if !isProse {
		return
	}
	say("prose-instructions", "the text seems to instruct its reader: %q", of[templates.Instruction])
	if !isText {
		return
	}
	say("prose-html-comment", "the text has an HTML comment, which skills leave out: %q", of[templates.HTMLComment])
	if tags := of[templates.HTMLTag]; len(tags) > 0 {
		if s.tags += len(tags); s.firstTag == "" {
			s.firstTag = s.file + "#" + at
		}
	}
}

// kindOf says whether the string at a path is prose, and if so whether it is
// text in Markdown. What stands in an example or in a list of values is data.
func kindOf(path []string) (prose, markdown bool) {
	last := len(path) - 1
	extension := false
	for i, t := range path {
		above := ""
		if i > 0 {
			above = path[i-1]
		}
		if above == "properties" || above == "headers" || above == "paths" || above == "responses" || above == "schemas" {
			continue // a name
		}
		switch t {
		case "example", "default", "enum", "const":
			return false, false
		case "examples":
			if i+2 != last || path[last] != "summary" && path[last] != "description" {
				return false, false
			}
		}
		extension = extension || strings.HasPrefix(t, "x-")
	}
	switch path[last] {
	case "description", "summary", "title":
		return true, true
	}
	return extension, false
}

// hidden reports whether a text may have characters that cannot be seen.
func hidden(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return true
		}
	}
	return false
}
