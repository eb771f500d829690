package templates

import (
	"html"
	"regexp"
	"strings"
)

// decode returns the characters that a piece of Markdown text stands for:
// backslash escapes and character references resolved, hidden characters
// removed, also those that only a reference named.
func decode(raw []byte) string {
	s := string(raw)
	if !strings.ContainsAny(s, `\&`) {
		return clean(s)
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			i++
			b.WriteByte(s[i])
		case c == '&':
			if m := reference.FindString(s[i:]); m != "" {
				b.WriteString(strings.ReplaceAll(html.UnescapeString(m), "\n", " "))
				i += len(m) - 1
			} else {
				b.WriteByte(c)
			}
		default:
			b.WriteByte(c)
		}
	}
	return clean(b.String())
}

var reference = regexp.MustCompile(`^&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});`)

func isPunct(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

// markdownOf writes runs as Markdown in which nothing but emphasis and code
// spans can have a meaning: no HTML, link, image, or reference. What only the
// beginning of a line can mean is up to guard.
func markdownOf(runs []run) string {
	var b strings.Builder
	for _, r := range join(runs) {
		switch r.kind {
		case mark, line:
			b.WriteString(r.text)
		case coded:
			b.WriteString(Code(r.text))
		case words:
			escape(&b, r.text)
		}
	}
	return b.String()
}

// join makes adjacent words one run, so that what is dangerous only in a row
// is seen in a row. Code that would need a delimiter so long that a careless
// reader takes it for a fence becomes words.
func join(runs []run) []run {
	out := make([]run, 0, len(runs))
	var b strings.Builder
	for i, r := range runs {
		if r.kind == coded && strings.Contains(r.text, "``") {
			r.kind = words
		}
		if r.kind != words {
			out = append(out, r)
			continue
		}
		b.WriteString(r.text)
		if next := i + 1; next == len(runs) || runs[next].kind != words && !(runs[next].kind == coded && strings.Contains(runs[next].text, "``")) {
			out = append(out, run{words, b.String()})
			b.Reset()
		}
	}
	return out
}

// escape writes s so that Markdown gives it back: the characters that could
// begin a construct are escaped where they could, and only there, because the
// text is mostly read as it is.
func escape(b *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		next := byte('(') // the worst that a following run can begin with
		if i+1 < len(s) {
			next = s[i+1]
		}
		switch {
		case c == '`':
			b.WriteString("\\`")
		case c == '\\' && (isPunct(next) || next == '\n'):
			b.WriteString(`\\`)
		case c == '<' && (i+1 == len(s) || next == '/' || next == '!' || next == '?' || isLetter(next)):
			b.WriteString("&lt;")
		case c == '&' && reference.MatchString(s[i:]):
			b.WriteString("&amp;")
		case c == ']' && (next == '(' || next == '[' || next == ':'):
			b.WriteString(`\]`)
		default:
			b.WriteByte(c)
		}
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

var (
	atx       = regexp.MustCompile(`^#{1,6}([ \t]|$)`)
	bullet    = regexp.MustCompile(`^[-+*]([ \t]|$)`)
	numbered  = regexp.MustCompile(`^([0-9]{1,9})([.)])([ \t]|$)`)
	underline = regexp.MustCompile(`^(-[- \t]*|=[= \t]*|_[_ \t]*|\*[* \t]*|\+[+ \t]*)$`)
	delimiter = regexp.MustCompile(`^[|:\-\s]*-[|:\-\s]*$`)
)

// guard returns a line of running text that begins no block: no heading, rule,
// underline, list, quote, fence, table or indented code.
func guard(l string) string {
	l = strings.Trim(l, " \t")
	switch {
	case l == "":
		return l
	case numbered.MatchString(l):
		return numbered.ReplaceAllString(l, `${1}\${2}${3}`)
	case l[0] == '>', strings.HasPrefix(l, "~~~"), strings.HasPrefix(l, "```"),
		atx.MatchString(l), bullet.MatchString(l), underline.MatchString(l), delimiter.MatchString(l):
		return `\` + l
	}
	return l
}

// escapePipes makes Markdown fit for a cell of a table.
func escapePipes(s string) string {
	if !strings.Contains(s, "|") {
		return s
	}
	var b strings.Builder
	slashes := 0
	for i := range len(s) {
		c := s[i]
		if c == '|' && slashes%2 == 0 {
			b.WriteByte('\\')
		}
		if c == '\\' {
			slashes++
		} else {
			slashes = 0
		}
		b.WriteByte(c)
	}
	return b.String()
}

// TableCell returns Markdown of this program on one line as a cell of a table
// has it: with every "|" escaped that is not, and a code span that no table can
// hold as words.
func TableCell(m Markdown) Markdown {
	s := string(m)
	if !strings.Contains(s, "|") {
		return m
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		n := 1
		switch {
		case s[i] == '\\' && i+1 < len(s):
			n = 2
			b.WriteString(s[i : i+2])
		case s[i] == '|':
			b.WriteString(`\|`)
		case s[i] == '`':
			fence := s[i : len(s)-len(strings.TrimLeft(s[i:], "`"))]
			end := closing(s[i+len(fence):], len(fence))
			n = len(fence)
			if end < 0 {
				b.WriteString(fence)
				break
			}
			code := s[i+len(fence) : i+len(fence)+end]
			n += end + len(fence)
			if len(code) > 2 && code[0] == ' ' && code[len(code)-1] == ' ' {
				code = code[1 : len(code)-1]
			}
			b.WriteString(CodeCell(code))
		default:
			b.WriteByte(s[i])
		}
		i += n
	}
	return Markdown(b.String())
}

// closing returns where the next run of exactly n backticks begins in s, or -1.
func closing(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if run == n {
			return i
		}
		i += run
	}
	return -1
}

// plainOf writes runs as plain text without markup, for places that are not
// Markdown. Code keeps its backticks: they are read as quotation marks.
func plainOf(runs []run) string {
	var b strings.Builder
	for _, r := range runs {
		switch r.kind {
		case line:
			b.WriteByte(' ')
		case coded:
			if strings.Contains(r.text, "`") {
				b.WriteString(r.text)
			} else {
				b.WriteString("`" + r.text + "`")
			}
		case words:
			b.WriteString(r.text)
		}
	}
	return noTags(strings.Join(strings.Fields(b.String()), " "))
}

var tagLike = regexp.MustCompile(`<([/!?]*)([A-Za-z-][^<>]*)>`)

// noTags makes what looks like a tag in plain text a word in braces: some
// hosts refuse a description that has tags, and a placeholder stays readable.
func noTags(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	s = tagLike.ReplaceAllString(s, "{$2}")
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		if s[i] == '<' && i+1 < len(s) && (isLetter(s[i+1]) || strings.IndexByte("/!?", s[i+1]) >= 0) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// longestRun returns the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest, n := 0, 0
	for i := range len(s) {
		if s[i] == c {
			n++
			longest = max(longest, n)
		} else {
			n = 0
		}
	}
	return longest
}
