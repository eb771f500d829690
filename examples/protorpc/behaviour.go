package protorpc

import (
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/apiskills/apiskills/framework/names"
	"github.com/apiskills/apiskills/generators/templates"
)

// An effect is what a call does to the world.
type effect string

const (
	read        effect = "read"
	write       effect = "write"
	destructive effect = "destructive"
)

var (
	readVerbs    = []string{"get", "list", "search", "find", "lookup", "look", "watch", "track", "describe", "count", "query", "fetch", "read", "check", "validate", "estimate", "preview", "batch-get", "export", "download", "subscribe", "tail", "health"}
	destroyVerbs = []string{"delete", "remove", "cancel", "purge", "drop", "destroy", "revoke", "close", "terminate", "wipe", "reset", "undo", "abort", "kill", "batch-delete", "expire"}
)

// effectOf returns the effect of a call, and what it is known by.
func effectOf(r *rpc) (effect, string) {
	switch level(r) {
	case descriptorpb.MethodOptions_NO_SIDE_EFFECTS:
		return read, "`idempotency_level = NO_SIDE_EFFECTS`"
	}
	if rules := httpRules(r); len(rules) > 0 {
		switch {
		case strings.HasPrefix(rules[0], "`GET "):
			return read, "inferred from its HTTP method"
		case strings.HasPrefix(rules[0], "`DELETE "):
			return destructive, "inferred from its HTTP method"
		}
	}
	name := names.Slug(string(r.Name()))
	begins := func(verb string) bool { return name == verb || strings.HasPrefix(name, verb+"-") }
	if slices.ContainsFunc(destroyVerbs, begins) {
		return destructive, "inferred from its name"
	}
	if level(r) == descriptorpb.MethodOptions_IDEMPOTENT {
		return write, "`idempotency_level = IDEMPOTENT`"
	}
	if slices.ContainsFunc(readVerbs, begins) {
		return read, "inferred from its name"
	}
	return write, "inferred: nothing says that it only reads"
}

func level(r *rpc) descriptorpb.MethodOptions_IdempotencyLevel {
	o, _ := r.Options().(*descriptorpb.MethodOptions)
	return o.GetIdempotencyLevel()
}

func idempotent(r *rpc) bool {
	return level(r) != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN
}

func effectSays(e effect, r *rpc) string {
	switch {
	case e == read:
		return "read. It may be repeated"
	case e == destructive && idempotent(r):
		return "destructive. Ask the user first; the same request may be repeated"
	case e == destructive:
		return "destructive. Ask the user first, and do not repeat it without looking whether it was done"
	case idempotent(r):
		return "write. The same request may be repeated, and has its effect once"
	}
	return "write. Do not repeat it without looking whether it was done"
}

// behaviour says what an agent does with the answer, as far as the names of
// fields tell.
func behaviour(r *rpc) string {
	field := func(m protoreflect.MessageDescriptor, name protoreflect.Name) bool {
		f := m.Fields().ByName(name)
		return f != nil && f.Kind() == protoreflect.StringKind && !f.IsList()
	}
	if field(r.Input(), "page_token") && field(r.Output(), "next_page_token") {
		return "**Pages** (inferred from the names): send `nextPageToken` of an answer as `pageToken` of the next request, all else unchanged. An empty or missing `nextPageToken` ends the list."
	}
	if r.Output().FullName() == "google.longrunning.Operation" {
		return "**Long-running:** the answer is an operation. Ask for it by its `name` with `google.longrunning.Operations/GetOperation` until `done` is true; then it has `response` or `error`."
	}
	return ""
}

// A status is a gRPC status code and what to do about it.
type status struct{ code, means, do, retry string }

// statuses are in the order of their numbers.
var statuses = []status{
	{"CANCELLED", "the call was broken off, as a rule by the caller", "Look whether that was meant", "if it was not"},
	{"UNKNOWN", "the server failed and does not say how", "Read the message; tell the user", "no"},
	{"INVALID_ARGUMENT", "the request is wrong, whatever the state of the server is", "Correct the fields that the message names", "after the correction"},
	{"DEADLINE_EXCEEDED", "the time was over; the work may be done all the same", "Look whether it was done; allow more time with `-max-time`", "a read: yes"},
	{"NOT_FOUND", "what the request names is not there", "Check the ids; else tell the user", "no"},
	{"ALREADY_EXISTS", "what was to be made is there", "Read what is there; change that, or take another id", "no"},
	{"PERMISSION_DENIED", "the caller is known and may not do this", "Tell the user which right is missing", "no"},
	{"RESOURCE_EXHAUSTED", "a quota is used up, or there is no room", "Wait as the message or its `RetryInfo` says", "after a pause, longer each time"},
	{"FAILED_PRECONDITION", "the state does not allow this", "Bring about the state that the message names first", "after that"},
	{"ABORTED", "another call was in the way", "Begin again with reading", "from the reading on"},
	{"OUT_OF_RANGE", "the request is past the end of what there is", "Stop there", "no"},
	{"UNIMPLEMENTED", "the server does not have this call", "Check the address and the version", "no"},
	{"INTERNAL", "the server is broken", "Tell the user, with the message", "no"},
	{"UNAVAILABLE", "the server cannot be reached at the moment", "Wait, then try again", "after a pause, longer each time"},
	{"DATA_LOSS", "data is lost for good", "Stop, and tell the user", "no"},
	{"UNAUTHENTICATED", "the credentials are missing or wrong", "Get valid ones; ask the user for them", "once, with new ones"},
}

var codes = regexp.MustCompile(`\b[A-Z][A-Z_]{3,}[A-Z]\b`)

// errorsOf is the table of the codes that a comment names.
func errorsOf(r *rpc, says templates.Prose, e effect) string {
	named := map[string]bool{}
	for _, code := range codes.FindAllString(string(says), 1000) {
		named[strings.Replace(code, "CANCELED", "CANCELLED", 1)] = true
	}
	rows := ""
	for _, s := range statuses {
		if named[s.code] {
			rows += "| " + s.code + " | " + s.means + " | " + s.do + " | " + s.retry + " |\n"
		}
	}
	last := "| other, or no answer | not described | Read the message, and look whether it was done | only if it was not |"
	switch {
	case e != read && idempotent(r):
		last = "| other, or no answer | not described | Read the message | with the same request, after a pause |"
	case e == read:
		last = "| other, or no answer | not described | Read the message | after a pause, a few times |"
	}
	text := "The comment names no codes. grpcurl prints the code and the message, and exits with 64 and the number of the code.\n\n"
	if rows != "" {
		text = "The comment names these; what to do is what they mean in gRPC. grpcurl prints the code and the message, and exits with 64 and the number of the code.\n\n"
	}
	return text + "| Code | Means | Do | Retry |\n|---|---|---|---|\n" + rows + last
}
