package ingest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	minShown  = 180     // characters of a schema's description that a reader may see ...
	maxShown  = 240     // ... at least and, but for a longer word, at most
	maxRaw    = 2 << 10 // bytes of it, markup included
	maxMarkup = 600     // bytes of a link, a tag or a code span that is kept whole
)

// trimText cuts the description of a schema, of which a comment shows the
// beginning, and says so with an ellipsis. What a reader does not see, such as
// the target of a link, does not count; the cut is at a word, and never inside a
// link, a tag or a code span.
func trimText(s string) string {
	if len(s) <= maxShown {
		return s
	}
	shown, cut, atCut, space := 0, 0, 0, true
	for i := 0; i < len(s); {
		if shown > maxShown && atCut >= minShown || i > maxRaw {
			if cut == 0 { // one long word
				cut = i
			}
			return strings.TrimRightFunc(s[:cut], unicode.IsSpace) + " …"
		}
		if n, visible := markup(s[i:]); n > 0 {
			if i+n > maxRaw && cut > 0 {
				return strings.TrimRightFunc(s[:cut], unicode.IsSpace) + " …"
			}
			i += n
			shown += visible
			space = false
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			if !space {
				shown++
				cut, atCut = i, shown
			}
			space = true
		} else {
			shown++
			space = false
		}
		i += n
	}
	return s
}

// markup returns the length of the link, image, tag or code span that s begins
// with, and how many of its characters are seen; or 0.
func markup(s string) (length, visible int) {
	switch s[0] {
	case '<':
		if len(s) > 1 && (s[1] == '/' || s[1] == '!' || 'a' <= s[1]|0x20 && s[1]|0x20 <= 'z') {
			if n := strings.IndexByte(s[:min(len(s), maxMarkup)], '>'); n > 0 {
				return n + 1, 0
			}
		}
	case '[':
		end := strings.IndexByte(s[:min(len(s), maxMarkup)], ']')
		if end < 0 || end+1 >= len(s) || s[end+1] != '(' {
			return 0, 0
		}
		rest := s[end+1:]
		if n := strings.IndexByte(rest[:min(len(rest), maxMarkup)], ')'); n > 0 {
			return end + 1 + n + 1, utf8.RuneCountInString(s[1:end])
		}
	case '`':
		ticks := len(s) - len(strings.TrimLeft(s, "`"))
		rest := s[ticks:]
		if n := strings.Index(rest[:min(len(rest), maxMarkup)], s[:ticks]); ticks < 3 && n >= 0 {
			return 2*ticks + n, utf8.RuneCountInString(rest[:n])
		}
	}
	return 0, 0
}
