package schema

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxComment is the length in characters that the default Options.Comment
// leaves of a text.
const maxComment = 160

// hidden reports whether a rune of a document must not reach a reader as it
// is, since it is invisible, moves what stands beside it, or ends a line.
func hidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0: // C0, DEL, C1
		return true
	case r == 0x2028, r == 0x2029: // line and paragraph separator
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0:
		return true // letters and marks without a glyph
	case r >= 0xe0000 && r <= 0xe0fff: // tags, variation selectors supplement
		return true
	case r >= 0xe000 && r <= 0xf8ff, r >= 0xf0000: // private use
		return true
	}
	return unicode.Is(unicode.Cf, r) // bidi, zero width, soft hyphen, BOM
}

// oneLine is the default of Options.Comment.
func oneLine(s string) string {
	var b strings.Builder
	space, n := false, 0
	for _, r := range s {
		if unicode.IsSpace(r) || r == 0x2028 || r == 0x2029 {
			space = b.Len() > 0
			continue
		}
		if hidden(r) || r == utf8.RuneError {
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
			n++
		}
		b.WriteRune(r)
		// What is cut off must not cost anything.
		if n++; n > maxComment+1 {
			break
		}
	}
	return capWords(b.String(), maxComment)
}

// capWords cuts s to at most limit characters, at a word, and says so.
func capWords(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	const more = " ..."
	r := []rune(s)[:limit-len(more)]
	if i := strings.LastIndexByte(string(r), ' '); i > 0 {
		return string(r)[:i] + more
	}
	return string(r) + more
}

// appendString appends s as a JSON string that stays one visible line: HTML
// characters stand as they are, hidden ones are escaped.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case hidden(r):
			b = appendEscaped(b, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// appendEscaped appends r as \uXXXX, or as two of them.
func appendEscaped(b []byte, r rune) []byte {
	hex := func(c rune) {
		const digits = "0123456789abcdef"
		b = append(b, '\\', 'u', digits[c>>12&15], digits[c>>8&15], digits[c>>4&15], digits[c&15])
	}
	if r > 0xffff {
		hi, lo := utf16.EncodeRune(r)
		hex(hi)
		hex(lo)
		return b
	}
	hex(r)
	return b
}

func quote(s string) string { return string(appendString(nil, s)) }

// plainName reports whether s can stand in a line without quotation marks.
func plainName(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '_', c == '.', c == '$', c == '-':
		default:
			return false
		}
	}
	return s != ""
}

// name returns a member's or component's name as it stands in a line.
func name(s string) string {
	if plainName(s) {
		return s
	}
	return quote(s)
}

// token returns a format or a media type if it is one that can stand between
// parentheses, else "".
func token(s string) string {
	if len(s) > 100 {
		return ""
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if plainName(s[i:i+1]) || c == '/' || c == '+' || c == '*' || c == '!' || c == '#' || c == '&' || c == '^' || c == ':' {
			continue
		}
		return ""
	}
	return s
}

// regex returns a pattern between slashes. Slashes inside are escaped, and so
// is what is hidden, in a way the common dialects read alike.
func regex(p string) string {
	b := make([]byte, 0, len(p)+2)
	b = append(b, '/')
	escaped := false
	for _, r := range p {
		switch {
		case r == '/' && !escaped:
			b = append(b, `\/`...)
		case hidden(r):
			if escaped { // a backslash before it says nothing
				b = b[:len(b)-1]
			}
			switch r {
			case '\n':
				b = append(b, `\n`...)
			case '\r':
				b = append(b, `\r`...)
			case '\t':
				b = append(b, `\t`...)
			default:
				b = appendEscaped(b, r)
			}
		default:
			b = utf8.AppendRune(b, r)
		}
		escaped = r == '\\' && !escaped
	}
	return string(append(b, '/'))
}
