package endpoint

import (
	"regexp"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// The effects.
const (
	read        = "read"
	write       = "write"
	destructive = "destructive"
	receive     = "receive"
)

// An effect is what the call does to the world and how it may be repeated.
type effect struct {
	kind     string
	inferred bool // from a name, against what the method promises
	// key is the header that makes a repeat safe, match the one that makes a
	// change conditional.
	key, match *openapi3.Parameter
	idempotent bool
}

// Effect returns what a call does, as far as its method and its names tell:
// "read", "write", "destructive" or "receive". Names matter where an API puts
// the verb into them: POST /files.delete, GET /?Action=TerminateInstances.
// It reports in inferred that they did.
func Effect(method, path, webhook, operationID string) (kind string, inferred bool) {
	if webhook != "" {
		return receive, false
	}
	switch strings.ToUpper(method) {
	case "DELETE":
		return destructive, false
	case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "SEARCH", "PROPFIND", "REPORT":
		if rpcVerb(path) != "" {
			switch first := words(rpcVerb(path)); {
			case len(first) > 0 && destroys[first[0]]:
				return destructive, true
			case len(first) > 0 && !reads[first[0]] && actionParameter.MatchString(path):
				return write, true
			}
		}
		return read, false
	}
	if endingVerb(path, operationID) != "" {
		return destructive, true
	}
	return write, false
}

// ends are the verbs after which something is over, or money has moved: a
// method that only writes does not say so.
var ends = set("delete", "destroy", "purge", "erase", "wipe", "terminate", "drop", "remove", "cancel", "revoke", "refund", "close",
	"archive", "void", "abort", "kill", "expire", "withdraw", "deactivate", "suspend", "ban", "uninstall", "evict", "discard", "deprovision")

// endingVerb returns the verb that says of a call that something is over after
// it, or "". It stands first in the operationId, after a group of the API, or
// last; or it is the action in the path. An operationId that begins with
// another verb has the last word: createRefund makes something, and so does
// createRemoveToken.
func endingVerb(path, operationID string) string {
	last := ""
	if parts := pathParts(path); len(parts) > 0 && parts[len(parts)-1].parameter == "" {
		p := strings.TrimRight(parts[len(parts)-1].text, "/")
		last = p[strings.LastIndexByte(p, '/')+1:]
	}
	w := words(operationID)
	if len(w) > 1 && methodWords[w[0]] {
		w = w[1:]
	}
	told := false // what it does, and that it is something else
	for i, v := range w[:min(3, len(w))] {
		if destroys[v] || i == 0 && ends[v] {
			return v
		}
		if told = creates[v] || reads[v] || changes[v]; told {
			break
		}
	}
	if n := len(w); n > 0 && !told && last != "" && ends[w[n-1]] {
		return w[n-1]
	}
	for _, name := range []string{rpcVerb(path), last} {
		w := words(name)
		if told && len(w) > 1 {
			continue
		}
		for i, v := range w {
			if destroys[v] && i < 3 || ends[v] && (i == 0 || i == len(w)-1) {
				return v
			}
		}
	}
	return ""
}

var (
	methodWords = set("post", "put", "patch", "get")
	changes     = set("update", "set", "replace", "edit", "change", "modify", "enable", "start", "run", "submit", "send")
)

// destroys are the verbs after which something is gone.
var destroys = set("delete", "destroy", "purge", "erase", "wipe", "terminate", "drop", "remove")

// reads are the verbs that leave everything as it is.
var reads = set("get", "list", "describe", "search", "find", "query", "lookup", "read", "fetch", "show", "count", "check",
	"test", "estimate", "preview", "head", "view", "export", "download", "verify", "validate", "scan", "select", "poll", "receive")

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

var actionParameter = regexp.MustCompile(`(?i)[?#&/](action|method|operation|cmd)=([A-Za-z][A-Za-z0-9_.]*)`)

// rpcVerb returns the name of the action that a path carries, as in
// /?Action=DescribeVpcs, /#Action=DescribeVpcs, /files.delete or
// /items:batchDelete, or "".
func rpcVerb(path string) string {
	if m := actionParameter.FindStringSubmatch(path); m != nil {
		return m[2]
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	if strings.ContainsAny(last, "{}") && !strings.Contains(last, "}:") {
		return ""
	}
	if i := strings.LastIndexAny(last, ".:"); i >= 0 && i < len(last)-1 {
		return last[i+1:]
	}
	if w := words(last); len(w) > 0 && destroys[w[0]] {
		return last
	}
	return ""
}

// words splits a name at case changes and at what is no ASCII letter or digit, in
// lower case: "getHTTPStatus-2" is get, http, status, 2. It is by hand since names
// are split all the time.
func words(s string) []string {
	upper := func(i int) bool { return i < len(s) && 'A' <= s[i] && s[i] <= 'Z' }
	lower := func(i int) bool { return i < len(s) && 'a' <= s[i] && s[i] <= 'z' }
	digit := func(i int) bool { return i < len(s) && '0' <= s[i] && s[i] <= '9' }
	var words []string
	start := 0
	end := func(i int) {
		if i > start {
			words = append(words, strings.ToLower(s[start:i]))
		}
		start = i
	}
	for i := range len(s) {
		switch {
		case !upper(i) && !lower(i) && !digit(i):
			end(i)
			start = i + 1
		case i > start && upper(i) && (!upper(i-1) || lower(i+1)):
			end(i)
		}
	}
	end(len(s))
	return words
}

var idempotencyKey = regexp.MustCompile(`(?i)^(x-)?idempotency-?(key|token|id)$`)

func (b *builder) effects() effect {
	op := b.op
	var f effect
	f.kind, f.inferred = Effect(op.Method, op.Path, op.Webhook, op.OperationID)
	for _, p := range b.params {
		if p.In != "header" {
			continue
		}
		switch {
		case idempotencyKey.MatchString(p.Name):
			f.key = p
		case strings.EqualFold(p.Name, "If-Match"):
			f.match = p
		}
	}
	f.idempotent = slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "SEARCH", "PROPFIND", "REPORT"}, op.Method) && !(f.inferred && op.Method == "GET")
	return f
}

// effectView words the effect. The wording is the same for all operations.
func (b *builder) effectView() templates.Effect {
	f, op := b.effect, b.op
	v := templates.Effect{Kind: f.kind}
	switch f.kind {
	case receive:
		v.Text = "receive. You do not call this; you answer it."
	case read:
		v.Text = "read. Changes nothing; safe to repeat."
	case destructive:
		var s strings.Builder
		verb := endingVerb(op.Path, op.OperationID)
		switch {
		case f.inferred && !destroys[verb] && verb != "":
			s.WriteString("taken for DESTRUCTIVE (inferred from " + code(verb) + " in its name: it may not be possible to undo it)")
		case f.inferred:
			s.WriteString("DESTRUCTIVE (inferred from its name)")
		default:
			s.WriteString("DESTRUCTIVE")
		}
		s.WriteString(". **Ask the user before this call:** name ")
		ids := b.targets()
		if len(ids) == 0 {
			ids, _ = capped(b.requiredMembers(), 4)
		}
		if len(ids) > 0 {
			s.WriteString("the " + codes(ids, "and"))
		} else {
			s.WriteString("what it is about")
		}
		s.WriteString(" and what goes with it")
		if b.e.Document.Text != "" {
			s.WriteString(" (see \"From the document\")")
		}
		s.WriteString(", and wait for a yes. One yes is for one call.")
		v.Text = md(s.String())
		switch {
		case f.match != nil:
			v.Repeat = md("refused when ", code(f.match.Name), " is not the current version.")
		case f.idempotent && b.declares("404"):
			v.Repeat = "idempotent; a 404 on a repeat means that it is gone."
		case f.idempotent:
			v.Repeat = "idempotent; a repeat has the same end."
		default:
			v.Repeat = md("not idempotent by its method: a repeat can do it twice", b.unless(), ". No answer: find out what was done, or ask the user.")
		}
	default:
		var s string
		switch {
		case f.key != nil && f.key.Required:
			s = "Safe to repeat only with the same " + code(f.key.Name) + " and the same body."
		case f.key != nil:
			s = "Safe to repeat only if it was sent with " + code(f.key.Name) + ", and then with the same one and the same body."
		case f.match != nil && f.match.Required:
			s = "Refused"
			if b.declares("412") {
				s += " with 412"
			}
			s += " when " + code(f.match.Name) + " is not the current version, so nobody's change is lost. After a time-out read first: the change may have been made."
		case f.idempotent:
			s = "Idempotent: the same request again has the same end."
			if f.match != nil {
				s += " Send " + code(f.match.Name) + " so that nobody's change is lost."
			}
		case op.Method == "PATCH":
			s = "Not idempotent by its method: after a time-out read first, the change may have been made."
			if f.match != nil {
				s += " Send " + code(f.match.Name) + " so that nobody's change is lost."
			}
		default:
			s = "Not idempotent: a repeat can " + b.does() + " it twice" + b.unless() + ". No answer: find out whether it was " + b.done() + ", or ask the user."
			if b.readsByName() {
				s = "Not idempotent by its method, though its name says that it only reads (inferred)."
			}
		}
		if f.inferred {
			s = "Inferred from its name, against its method. " + s
		}
		v.Text = md("write. ", s)
	}
	return v
}

// unless names the parameter with which a repeat is recognized.
func (b *builder) unless() string {
	p := b.repeats()
	if p == nil {
		return ""
	}
	return ", unless both are sent with the same " + code(p.Name) + " (inferred from its words)"
}

// stores reports whether the call adds something, rather than does something
// to what is there: by its answer, its name, or its path, which for an action
// goes on after the id of what it is done to.
func (b *builder) stores() bool {
	first := words(b.op.OperationID)
	if len(first) > 1 && strings.EqualFold(first[0], b.op.Method) {
		first = first[1:]
	}
	if b.declares("201") || len(first) > 0 && creates[first[0]] {
		return true
	}
	parts := pathParts(b.op.Path)
	action := len(parts) > 1 && parts[len(parts)-1].parameter == "" && parts[len(parts)-2].parameter != ""
	return !action && rpcVerb(b.op.Path) == ""
}

func (b *builder) does() string {
	if b.stores() {
		return "store"
	}
	return "do"
}

func (b *builder) done() string {
	if b.stores() {
		return "stored"
	}
	return "done"
}

// pathNames returns the names of the path's parameters, in its order.
func (b *builder) pathNames() []string {
	var names []string
	for _, p := range pathParts(b.op.Path) {
		if p.parameter != "" && !slices.Contains(names, p.parameter) {
			names = append(names, p.parameter)
		}
	}
	return names
}
