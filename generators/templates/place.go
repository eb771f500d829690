package templates

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// A place is where in a file an action of a template prints. It is found from
// the literal text before, and decides what becomes of a value there.
type place struct {
	value  bool   // it is no Markdown: nothing of what follows means anything
	line   []byte // the literal text of the line so far, "x" for what was printed
	fence  string // what opened the code block that this is in, or ""
	margin bool   // the block is not indented, so that its lines need not be
	shell  bool   // the block is of a shell
	other  bool   // of one with quotation marks of its own
	script script // what stands in the block so far
	hidden bool   // a comment of HTML goes on
	tag    bool   // a tag of HTML goes on
}

// The kinds of places, in the second argument of the function that prints.
const (
	inText     = "text"     // on a line with other text, or at its beginning
	inOwnLine  = "line"     // at the beginning of a line, perhaps after spaces
	inCell     = "cell"     // in the row of a table
	inSpan     = "span"     // between backticks
	inTarget   = "target"   // at the beginning of a link's destination
	inURL      = "url"      // further on in one
	inBlock    = "block"    // in a code block
	inIndented = "indented" // in a code block that is indented
	inWord     = "word"     // in a shell's code block
	inQuotes   = "quotes"   // in it, where quotation marks would not protect
	inOther    = "other"    // in a code block of a shell with quotation marks of its own
	inValue    = "value"    // no Markdown: a path, a description, metadata
)

// container is what can stand before the first line of a code block.
var container = regexp.MustCompile(`^[ \t]*(?:(?:>|[-*+]|[0-9]{1,9}[.)])[ \t]+|>)*[ \t]*`)

func (p *place) clone() *place {
	c := *p
	c.line = bytes.Clone(p.line)
	return &c
}

// same reports whether what follows means the same after p and q.
func (p *place) same(q *place) bool {
	a, b := p.script, q.script
	a.last, b.last = 0, 0
	return p.fence == q.fence && p.shell == q.shell && p.hidden == q.hidden && p.tag == q.tag && p.context() == q.context() && a == b
}

// context is what of a line is not over at p, and has a value printed as it is: a code
// span, the destination of a link or a tag.
func (p *place) context() string {
	if p.value {
		return ""
	}
	switch kind, _, err := p.kind(); {
	case err != nil:
		return "tag"
	case linkDefinition.Match(p.line): // it ends with its line
		return ""
	case kind == inSpan || kind == inTarget || kind == inURL:
		return kind
	}
	return ""
}

// text moves p over literal text.
func (p *place) text(s []byte) {
	if p.value {
		return
	}
	for _, c := range s {
		if c == '\n' {
			p.endLine()
			continue
		}
		p.line = append(p.line, c)
		if p.shell {
			p.script.read(c)
		}
	}
}

func (p *place) endLine() {
	line := string(p.line)
	p.line = p.line[:0]
	inner := line[len(container.FindString(line)):]
	if p.fence != "" {
		if p.margin {
			inner = strings.TrimLeft(line, " ")
		}
		if t := strings.TrimSpace(inner); strings.HasPrefix(t, p.fence) && strings.Trim(t, p.fence[:1]) == "" {
			p.fence, p.shell, p.other, p.script = "", false, false, script{}
		} else if p.shell {
			p.script.read('\n')
		}
		return
	}
	p.hidden = p.inComment(line)
	if p.hidden {
		return
	}
	p.tag = p.inTag(line) && strings.TrimSpace(line) != ""
	if p.fence = opensFence(inner); p.fence != "" {
		p.margin = inner == line
		language, _, _ := strings.Cut(strings.TrimSpace(inner[len(p.fence):]), " ")
		shell := shellOf(language)
		p.shell, p.other = shell != "", shell == otherShell
	}
}

// printed moves p over what an action prints.
func (p *place) printed() {
	p.line = append(p.line, 'x')
	if p.shell {
		p.script.read('x')
	}
}

// kind returns the kind of place that an action is at. There is more to say of
// two of them: the white space before a place at the beginning of a line, and
// the kind of a shell's code block.
func (p *place) kind() (kind, more string, err error) {
	line := string(p.line)
	inner := line[len(container.FindString(line)):]
	switch {
	case p.shell && p.script.quoted():
		return inQuotes, "", nil
	case p.other && p.margin:
		return inOther, inBlock, nil
	case p.other:
		return inOther, inIndented, nil
	case p.shell && p.margin:
		return inWord, inBlock, nil
	case p.shell:
		return inWord, inIndented, nil
	case p.fence != "" && p.margin:
		return inBlock, "", nil
	case p.fence != "":
		return inIndented, "", nil
	case p.inComment(line) || p.inTag(line):
		return "", "", errors.New("a value cannot stand within a tag or a comment of HTML")
	case opensFence(inner) != "":
		return "", "", errors.New("the language of a code block has to be written out")
	}
	if at := strings.LastIndex(line, "]("); at >= 0 && !strings.ContainsAny(line[at+2:], ") ") {
		if strings.Trim(line[at+2:], "<") == "" {
			return inTarget, "", nil
		}
		return inURL, "", nil
	}
	if m := linkDefinition.FindStringSubmatch(inner); m != nil {
		if strings.Trim(m[1], "<") == "" {
			return inTarget, "", nil
		}
		return inURL, "", nil
	}
	switch {
	case spanOpen(line):
		return inSpan, "", nil
	case strings.HasSuffix(line, "<") && !strings.HasSuffix(line, "\\<"):
		return "", "", errors.New("a value cannot stand right behind <, where it would be a tag of HTML: write &lt; for the character")
	case strings.HasPrefix(inner, "|"):
		return inCell, "", nil
	case strings.TrimSpace(line) == "":
		return inOwnLine, line, nil
	}
	if strings.Trim(inner, "x~") == "" {
		return inText, "~", nil // what was printed may be the beginning of a fence
	}
	return inText, "", nil
}

// linkDefinition matches a line that defines a link for others, and no footnote, as far as
// its destination.
var linkDefinition = regexp.MustCompile(`^\[[^\]^][^\]]*\]:[ \t]*([^ \t]*)$`)

// inComment reports whether the line ends within a comment of HTML.
func (p *place) inComment(line string) bool {
	begin, end := strings.LastIndex(line, "<!--"), strings.LastIndex(line, "-->")
	return begin > end || p.hidden && end < 0
}

// inTag reports whether the line ends within a tag of HTML.
func (p *place) inTag(line string) bool {
	return openTag.MatchString(line) || p.tag && !strings.Contains(line, ">")
}

// openTag matches a line that ends within a tag of HTML.
var openTag = regexp.MustCompile("(^|[^\\\\`])<[A-Za-z/!?][^>`]*$")

// spanOpen reports whether line ends within a code span.
func spanOpen(line string) bool {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '`':
			n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
			end := closing(line[i+n:], n)
			if end < 0 {
				return true
			}
			i += n + end + n - 1
		}
	}
	return false
}

// A script is the state of a shell's reader at some place: as much of it as
// tells whether a word in single quotes is one word there.
type script struct {
	quote    byte // ' or " that is open, or 0
	last     byte
	escaped  bool
	comment  bool
	document bool // a here-document may have begun
}

func (s *script) read(c byte) {
	last := s.last
	s.last = c
	switch {
	case s.comment:
		s.comment = c != '\n'
	case s.escaped:
		s.escaped = false
	case c == '\\' && s.quote != '\'':
		s.escaped = true
	case s.quote != 0:
		if c == s.quote {
			s.quote = 0
		}
	case c == '\'' || c == '"' || c == '`':
		s.quote = c
	case c == '#' && (last == 0 || strings.IndexByte(" \t\n;|&(", last) >= 0):
		s.comment = true
	case c == '<' && last == '<':
		s.document = true
	}
}

// quoted reports whether quotation marks would not make a word of a value here.
func (s *script) quoted() bool { return s.quote != 0 || s.document || s.escaped }

// A noMarkdown is a text that stands for itself in a code block.
type noMarkdown string

// show returns what the value v becomes at a place.
func show(kind, more string, v any) (string, error) {
	if kind == inValue {
		s, err := valueText(v)
		return strings.ReplaceAll(s, "\x00", ""), err
	}
	markdown, ours := v.(Markdown)
	_, ready := v.(noMarkdown)
	if ours && (kind == inSpan || kind == inBlock || kind == inIndented || kind == inWord || kind == inOther || kind == inQuotes || kind == inTarget || kind == inURL) {
		return "", errors.New("this is Markdown, and means nothing in code or in a URL: print the value itself")
	}
	s, err := valueText(v)
	if err != nil {
		return "", err
	}
	switch kind {
	case inOwnLine:
		if ours {
			return strings.ReplaceAll(s, "\n", "\n"+more), nil
		}
		return lineOf(s), nil
	case inCell:
		if ours {
			return string(TableCell(Markdown(cleanLine(string(markdown))))), nil
		}
		return cellOf(flattenUpTo(Prose(s), maxSource), maxSource), nil
	case inSpan:
		if s = cleanLine(s); strings.Contains(s, "`") {
			return "", errors.New("the value has a backtick, which would end the code: have {{code}} in the place of the backticks around it")
		}
		return s, nil
	case inTarget, inURL:
		if s = cleanLine(s); kind == inTarget && !isWeb(s) {
			return "", fmt.Errorf("%.80q is no URL of the web", s)
		}
		return parentheses.Replace(safeURL(s)), nil
	case inWord:
		if ready {
			return blockText(s, more)
		}
		return ShellWord(s), nil
	case inOther:
		if ready {
			return blockText(s, more)
		}
		if !shellSafe.MatchString(s) {
			return "", fmt.Errorf("%.80q cannot be a word of this shell, which has quotation marks of its own: values are quoted for bash and sh", s)
		}
		return s, nil
	case inQuotes:
		if !shellSafe.MatchString(s) {
			return "", fmt.Errorf("%.80q may not stand between quotation marks, after a backslash or in a here-document of a shell: leave the quotation marks away, since values are quoted here", s)
		}
		return s, nil
	case inBlock, inIndented:
		return blockText(s, kind)
	}
	if ours {
		if strings.Contains(s, "\n") {
			return "", errors.New("this has several lines: it needs a line of its own")
		}
	} else {
		s = lineOf(s)
	}
	if more == "~" && strings.HasPrefix(s, "~") {
		s = `\` + s
	}
	return s, nil
}

var parentheses = strings.NewReplacer("(", "%28", ")", "%29")

// lineOf is Inline without its limit: what is printed is not cut silently.
func lineOf(s string) string { return guard(oneLine(markdownOf(flattenUpTo(Prose(s), maxSource)))) }

// blockText returns s as the text of a code block, which it cannot end.
func blockText(s, kind string) (string, error) {
	s = strings.TrimRight(clean(s), "\n")
	if kind == inIndented && strings.Contains(s, "\n") {
		return "", errors.New("the value has several lines, and the code block is indented: have {{fence}} on a line of its own")
	}
	for l := range strings.SplitSeq(s, "\n") {
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "```") || strings.HasPrefix(l, "~~~") {
			return "", errors.New("the value has a line that would end the code block: have {{fence}} in the place of it")
		}
	}
	return s, nil
}
