package ingest

import "strings"

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// escape returns a reference token as it stands in a JSON Pointer (RFC 6901).
func escape(token string) string {
	if !strings.ContainsAny(token, "~/") {
		return token
	}
	return escaper.Replace(token)
}

// pointer joins reference tokens to a JSON Pointer.
func pointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(escape(t))
	}
	return b.String()
}

// unescape is the inverse of escape. "~" followed by anything else stays.
func unescape(token string) string {
	if !strings.Contains(token, "~") {
		return token
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// maxTokens is how many reference tokens a JSON Pointer may have.
const maxTokens = 256

// tokens splits a JSON Pointer. ok is false if it is none, or too long.
func tokens(ptr string) (toks []string, ok bool) {
	if ptr == "" {
		return nil, true
	}
	if ptr[0] != '/' || strings.Count(ptr, "/") > maxTokens {
		return nil, false
	}
	toks = strings.Split(ptr[1:], "/")
	for i, t := range toks {
		toks[i] = unescape(t)
	}
	return toks, true
}
