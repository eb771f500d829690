package templates

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden reports whether r is a character that no reader sees, or one that
// changes how its neighbours are seen: controls, format characters (zero
// width, bidirectional, tags), variation selectors, fillers, private use and
// noncharacters. Newline and tab are controls too: callers keep those first.
func hidden(r rune) bool {
	switch {
	case r < 0x20 || 0x7f <= r && r < 0xa0:
		return true
	case r < 0xa0:
		return false
	case 0xfe00 <= r && r <= 0xfe0f, 0xe0000 <= r && r <= 0xe0fff: // variation selectors, tags
		return true
	case r == 0x34f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0, r == 0x2800: // blanks that are letters by category
		return true
	case 0x180b <= r && r <= 0x180f:
		return true
	case r&0xfffe == 0xfffe, 0xfdd0 <= r && r <= 0xfdef: // noncharacters
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Co)
}

// clean removes hidden characters and invalid UTF-8 from s, makes every line
// end a single newline and every other space a plain one. Newlines and tabs
// stay.
func clean(s string) string {
	if isPlainASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == utf8.RuneError && n == 1:
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == '\r':
			if i == len(s) || s[i] != '\n' {
				b.WriteByte('\n')
			}
		case r == 0x85 || r == 0x2028 || r == 0x2029, unicode.Is(unicode.Zs, r):
			b.WriteByte(' ')
		case hidden(r):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isPlainASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// cleanLine is clean with every run of white space made one space and none at
// the ends.
func cleanLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// cutWords shortens s to at most limit characters, " ..." included, at the end
// of a word where there is one in the second half, and not within a URL or
// between two backticks.
func cutWords(s string, limit int) string {
	if limit <= 0 || len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	const more = " ..."
	keep := max(limit-len(more), 1)
	end := 0 // byte offset of the character after the last that is kept
	for i := range s {
		if keep == 0 {
			end = i
			break
		}
		keep--
	}
	head := s[:end]
	if s[end] != ' ' {
		i := strings.LastIndexByte(head, ' ')
		if i >= len(head)/2 || i >= 0 && isWeb(strings.TrimLeft(s[i+1:], "(<")) {
			head = head[:i]
		}
	}
	// Half of a code span says something else than the whole.
	if i := strings.LastIndexByte(head, '`'); i > 0 && strings.Count(head, "`")%2 == 1 {
		head = head[:i]
	}
	if head = strings.TrimRight(head, " ,;:-"); head == "" {
		return more[1:]
	}
	return head + more
}
