package templates

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/text"
)

// A Concern is something in a document's text that its readers may want to
// look at: it is kept from the skills, or it may be meant for somebody else
// than a reader of documentation.
type Concern struct {
	Kind ConcernKind
	// Text says what stands there in at most 80 characters, all of which can be
	// seen: the code points of hidden characters, a tag's name in angle
	// brackets, the words of an instruction.
	Text string
	// Start and End are its place in the text, in bytes.
	Start, End int
}

// ConcernKind is what a [Concern] is about.
type ConcernKind string

const (
	// HiddenCharacters are seen by no reader or change how others are seen:
	// controls, zero-width and bidirectional characters, tags. No skill has
	// them.
	HiddenCharacters ConcernKind = "hidden-characters"
	// HTMLComment is one that no reader of the rendered text sees. No skill has
	// it.
	HTMLComment ConcernKind = "html-comment"
	// HTMLTag is a tag, a declaration or a processing instruction. A skill has
	// what it means for the text, and not the tag.
	HTMLTag ConcernKind = "html-tag"
	// Instruction is a phrase that tells an agent what to do, or is about its
	// rules. A skill that quotes it warns of it.
	Instruction ConcernKind = "instruction"
)

const (
	maxConcerns = 20       // that are reported of one kind in one text
	maxTag      = 16 << 10 // bytes of a comment
)

// Inspect returns what is of concern in a text of a document, by place. It reads
// the first 64 KiB and reports at most 20 places of a kind. A text without
// concerns is not thereby harmless: the phrases that it knows are few.
func Inspect(s string) []Concern {
	if len(s) > maxSource {
		s = strings.ToValidUTF8(s[:maxSource], "")
	}
	out := hiddenIn(s)
	comments, tags := htmlIn(s)
	out = append(out, comments...)
	out = append(out, tags...)
	out = append(out, instructionsIn(s, comments)...)
	slices.SortStableFunc(out, func(a, b Concern) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// hiddenIn reports runs of hidden characters, except those that scripts and
// emoji are written with.
func hiddenIn(s string) []Concern {
	if isPlainASCII(s) {
		return nil
	}
	var out []Concern
	before := rune(-1) // the last character that can be seen
	for i := 0; i < len(s) && len(out) < maxConcerns; {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !concealed(r, n) || orthographic(before, r, s[i+n:]) {
			before = r
			i += n
			continue
		}
		start := i
		var names []string
		for i < len(s) && concealed(r, n) {
			if len(names) < 6 {
				names = append(names, pointName(r, n, s[i]))
			}
			i += n
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		what := strings.Join(names, " ")
		if count := utf8.RuneCountInString(s[start:i]); count > len(names) {
			what += fmt.Sprintf(" and %d more", count-len(names))
		}
		out = append(out, Concern{HiddenCharacters, what, start, i})
	}
	return out
}

// concealed reports whether the character r of n bytes is one that clean
// removes or takes for a space, though it is none to the eye.
func concealed(r rune, n int) bool {
	switch {
	case r == utf8.RuneError && n == 1:
		return true
	case r == '\n' || r == '\t' || r == '\r' || n == 0:
		return false
	}
	return hidden(r) || r == 0x2028 || r == 0x2029
}

func pointName(r rune, n int, first byte) string {
	if r == utf8.RuneError && n == 1 {
		return fmt.Sprintf("byte 0x%02X", first)
	}
	return fmt.Sprintf("U+%04X", r)
}

// orthographic reports whether the hidden character r has a use in writing
// where it stands: a byte order mark at the start, a variation of an emoji or
// another symbol, emoji that are joined, joiners and marks of direction
// between the letters of scripts that need them, a hyphen within a word.
func orthographic(before, r rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch r {
	case 0xfeff:
		return before < 0
	case 0xad:
		return unicode.IsLetter(before) && unicode.IsLetter(next)
	case 0xfe0e, 0xfe0f:
		return unicode.Is(unicode.So, before) || unicode.Is(unicode.Sm, before) || unicode.Is(unicode.Po, before) || '0' <= before && before <= '9'
	case 0x200c, 0x200d:
		if unicode.Is(unicode.So, next) {
			return unicode.Is(unicode.So, before) || unicode.Is(unicode.Sk, before) || before == 0xfe0f
		}
		return before > 0x300 && (unicode.IsLetter(before) || unicode.IsMark(before)) && !unicode.Is(unicode.Latin, before)
	case 0x200e, 0x200f, 0x61c:
		return unicode.In(before, unicode.Arabic, unicode.Hebrew) || unicode.In(next, unicode.Arabic, unicode.Hebrew)
	}
	return false
}

// htmlIn reports comments and tags outside of code.
func htmlIn(s string) (comments, tags []Concern) {
	if !strings.Contains(s, "<") {
		return nil, nil
	}
	mask := []byte(s)
	if b := bound(s); len(b) == len(s) { // else offsets would be wrong, and nobody wrote that for readers
		for _, c := range codeSpans(markdown().Parse(text.NewReader([]byte(b))), []byte(b)) {
			for i := c.start; i < c.end; i++ {
				mask[i] = 'x'
			}
		}
	}
	masked := string(mask)
	for i := 0; i < len(masked); i++ {
		if masked[i] == '\\' {
			i++
			continue
		}
		if masked[i] != '<' {
			continue
		}
		n, name, comment := tagAt(masked[i:])
		end := i + n
		switch {
		case n == 0:
			continue
		case comment && len(comments) < maxConcerns:
			comments = append(comments, Concern{HTMLComment, excerpt(s[i:end]), i, end})
		case !comment && len(tags) < maxConcerns:
			tags = append(tags, Concern{HTMLTag, "<" + name + ">", i, end})
		}
		i = end - 1
	}
	return comments, tags
}

// tagAt returns the length of the tag or comment that s begins with, or 0 if
// there is none, and the tag's name.
func tagAt(s string) (n int, name string, comment bool) {
	rest := s[1:]
	if comment = strings.HasPrefix(rest, "!--"); comment || strings.HasPrefix(rest, "?") || len(rest) > 1 && rest[0] == '!' && (isLetter(rest[1]) || rest[1] == '[') {
		stop := ">"
		if comment {
			stop = "-->"
		}
		end := strings.Index(s[:min(len(s), maxTag)], stop)
		if end < 0 {
			return 0, "", comment
		}
		return end + len(stop), rest[:1], comment
	}
	if strings.HasPrefix(rest, "/") {
		n++
	}
	for n < len(rest) && n < 24 && (isLetter(rest[n]) || '0' <= rest[n] && rest[n] <= '9') {
		n++
	}
	name = strings.ToLower(rest[:n])
	if !elements[strings.TrimPrefix(name, "/")] || n == len(rest) || strings.IndexByte(" \t\n\r/>", rest[n]) < 0 {
		return 0, "", false
	}
	end := strings.IndexAny(rest[:min(len(rest), maxLine)], "<>")
	if end < 0 || rest[end] == '<' {
		return 0, "", false
	}
	return end + 2, name, false
}

// excerpt is a piece of a text as a concern shows it.
func excerpt(s string) string {
	if len(s) > maxLine {
		s = strings.ToValidUTF8(s[:maxLine], "")
	}
	return cutWords(cleanLine(s), 80)
}
