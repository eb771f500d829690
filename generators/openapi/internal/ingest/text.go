package ingest

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// unquote decodes a JSON string with its quotes.
func unquote(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// view is unquote without a copy where there is nothing to decode: the string is
// the text itself, which lives and must not change as long as the document.
func view(raw []byte) string {
	if len(raw) < 3 || raw[0] != '"' || bytes.IndexByte(raw, '\\') >= 0 {
		return unquote(raw)
	}
	return unsafe.String(&raw[1], len(raw)-2)
}

// canonical returns the one spelling this package gives to a JSON string: short
// escapes where JSON has them, \u for the other characters that JSON, YAML or a
// terminal could take amiss, everything else as it is. It returns raw itself
// where that is canonical already.
func canonical(raw []byte) []byte {
	plain := true
	for i := 0; i < len(raw); i++ {
		if c := raw[i]; c == '\\' || c >= 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return raw
	}
	if bytes.IndexByte(raw, '\\') < 0 && !hasAwkward(raw) {
		return raw
	}
	return appendString(make([]byte, 0, len(raw)+16), unquote(raw))
}

func hasAwkward(b []byte) bool {
	for i := 0; i < len(b); {
		if b[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if awkward(r) {
			return true
		}
		i += n
	}
	return false
}

// awkward reports whether a character is written as \u: those that YAML does not
// take as they are, or takes for a line break or a byte order mark.
func awkward(r rune) bool {
	return r < ' ' || 0x7f <= r && r <= 0x9f || r == 0x2028 || r == 0x2029 ||
		r == 0xfeff || r == 0xfffe || r == 0xffff
}

// appendString appends s as a canonical JSON string.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			dst = append(dst, '\\', byte(r))
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			if awkward(r) {
				dst = append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
			} else {
				dst = utf8.AppendRune(dst, r)
			}
		}
	}
	return append(dst, '"')
}

// quoted returns s as a canonical JSON string.
func quoted(s string) []byte { return appendString(make([]byte, 0, len(s)+2), s) }

// index parses an array index of a JSON Pointer; -1 if it is none.
func index(token string) int {
	if token == "" || len(token) > 9 || token[0] == '0' && token != "0" {
		return -1
	}
	n, err := strconv.ParseUint(token, 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

// shortenTo cuts a text to at most n bytes and an ellipsis, at a space if one is
// near.
func shortenTo(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = strings.ToValidUTF8(s[:n], "")
	if i := strings.LastIndexByte(s, ' '); i > n/2 {
		s = s[:i]
	}
	return s + "…"
}
