package endpoint

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/apiskills/apiskills/generators/templates"
)

// Words of documents that say nothing: an agent pays for each line it reads.

// plainAnswer are the words with which documents fill the description of an
// answer, which they must give.
var plainAnswer = set("response", "responses", "ok", "okay", "success", "successful", "successfully", "succeeded", "the", "a", "an", "default", "api", "http",
	"request", "requests", "operation", "call", "completed", "returned", "returns", "return", "for", "of", "is", "was", "if", "when", "on", "with", "has", "been", "and",
	"result", "results", "typical", "status", "code", "processed", "executed", "description", "expected", "example", "this", "to", "body", "answer", "done", "undocumented", "none", "todo")

// saysNothing reports whether the description of an answer says no more than
// its status does.
func saysNothing(status, operationID, says string) bool {
	s := templates.Plain(templates.Prose(says), 0)
	if operationID != "" {
		s = strings.ReplaceAll(s, operationID, " ")
	}
	code, _ := strconv.Atoi(status)
	phrase := set(words(http.StatusText(code))...)
	for _, w := range words(s) {
		if !plainAnswer[w] && !phrase[w] && w != strings.ToLower(status) {
			return false
		}
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7f })
}

// plainDocs are the words with which documents describe a link to more.
var plainDocs = set("api", "apis", "method", "methods", "documentation", "docs", "doc", "reference", "references", "more", "info", "information", "see", "find", "out", "learn",
	"read", "official", "the", "about", "this", "here", "details", "detail", "external", "externally", "also", "further", "guide", "for", "on", "in", "at", "by", "a", "an", "of", "and", "to",
	"link", "url", "page", "endpoint", "operation", "resource", "rest", "developer", "developers", "developer", "related", "is", "it", "full", "complete", "additional", "http", "https", "description", "www", "com", "click", "visit")

// repeatsLink reports whether the words beside a link to more documentation
// say no more than that it is one.
func repeatsLink(says string) bool {
	s := templates.Plain(templates.Prose(says), 0)
	for _, w := range words(s) {
		if !plainDocs[w] {
			return false
		}
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7f })
}

var markdownLink = regexp.MustCompile(`(^|[^!\\])\[([^\[\]\n]{2,200})\]\((?:https?://|/|#)[^()\s]{1,600}\)`)

// unlinked returns words of the document with the text of each link in place of
// the link: a line of notation has room for a thought, not for addresses.
func unlinked(s string) string {
	if !strings.Contains(s, "](") {
		return s
	}
	return markdownLink.ReplaceAllString(s, "$1$2")
}

// genericNames are the names that documents give an only example.
var genericNames = set("default", "example", "examples", "sample", "response", "request", "body", "value", "success", "basic", "requestexample", "defaultexample", "examplerequest")

// exampleName returns the name of one of the document's examples as words end
// with it, or "" for a name that tells it from no other.
func exampleName(name string) string {
	w := strings.TrimRight(bare(name), "0123456789")
	if w == "" || genericNames[w] {
		return ""
	}
	return " " + code(name)
}
