package templates

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Prose is text that a document's author wrote, Markdown with or without HTML.
// It is data, and nobody vouches for it: it reaches a file only through the
// functions of this package, each of which makes it safe for one place.
type Prose string

// String returns [Inline] of p, so that a template that prints a Prose as it
// is does no harm.
func (p Prose) String() string { return Inline(p) }

// Limits on prose. The first two bound the work, in bytes: for a block and for
// a line; the others bound what is shown, in characters.
const (
	maxSource  = 64 << 10
	maxLine    = 4 << 10
	maxQuote   = 20000
	maxInline  = 400
	maxCell    = 160
	maxComment = 160
	maxNesting = 8
)

// markdown parses prose: CommonMark and the tables of GitHub's dialect, which
// documents use and readers see.
var markdown = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
})

// parse returns the tree of p without hidden characters and HTML, and the
// source that the tree's segments refer to. What is beyond limit bytes is cut.
func (p Prose) parse(limit int) (ast.Node, []byte) {
	s := string(p)
	if len(s) > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		s = s[:limit] + " ..."
	}
	s = bound(clean(s))
	if strings.Contains(s, "[!") {
		s = alert.ReplaceAllStringFunc(s, func(m string) string {
			p := alert.FindStringSubmatch(m)
			return p[1] + "**" + p[2] + strings.ToLower(p[3]) + ":** "
		})
	}
	if strings.Contains(s, "<") {
		src := []byte(s)
		s = replaceHTML(s, codeSpans(markdown().Parse(text.NewReader(src)), src))
		s = bound(s)
	}
	src := []byte(s)
	return markdown().Parse(text.NewReader(src)), src
}

// alert is the first line of one of GitHub's alerts, and the mark that the next
// line begins with: outside of GitHub the kind is a word like others.
var alert = regexp.MustCompile(`(?m)^([ \t]*>[ \t]*)\[!([A-Z])([A-Z]{2,11})\][ \t]*(?:\n[ \t]*>[ \t]*)?`)

// bound takes from s what would make parsing it cost more than it says: the
// time grows with the square of the number of open brackets, marks of emphasis
// and levels of nesting, and a table has its columns in every row. No honest
// text comes near the limits.
func bound(s string) string {
	const many, columns, deep = 2000, 100, 32
	for _, c := range []string{"[", "*", "_", "`", "<", "~"} {
		if strings.Count(s, c) <= many {
			continue
		}
		at := 0
		for range many {
			at += strings.Index(s[at:], c) + 1
		}
		s = s[:at] + strings.ReplaceAll(s[at:], c, " ")
	}
	wide := strings.Count(s, "|") > columns
	nested := strings.Count(s, ">")+strings.Count(s, "-")+strings.Count(s, "*")+strings.Count(s, "+")+strings.Count(s, ".")+strings.Count(s, ")") > deep
	if !wide && !nested {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.Count(l, "|") > columns {
			l = strings.ReplaceAll(l, "|", " ")
		}
		lines[i] = unnest(l, deep)
	}
	return strings.Join(lines, "\n")
}

// unnest drops what follows the first deep markers of quotes and lists that l
// begins with, as far as it consists of such markers.
func unnest(l string, deep int) string {
	markers := 0
	for i := range len(l) {
		switch c := l[i]; {
		case strings.IndexByte(" \t0123456789", c) >= 0:
		case strings.IndexByte(">-*+.)", c) >= 0:
			if markers++; markers > deep {
				return l[:i] + strings.TrimLeft(l[i:], " \t0123456789>-*+.)")
			}
		default:
			return l
		}
	}
	return l
}

// codeSpans returns the ranges of src that are code, ascending.
func codeSpans(doc ast.Node, src []byte) []span {
	var spans []span
	add := func(start, end int) { spans = append(spans, span{start, end}) }
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for i := range n.Lines().Len() {
				l := n.Lines().At(i)
				add(l.Start, l.Stop)
			}
			return ast.WalkSkipChildren, nil
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					add(t.Segment.Start, t.Segment.Stop)
				}
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return spans
}

// A run is a piece of inline text.
type run struct {
	kind runKind
	text string
}

type runKind uint8

const (
	words runKind = iota // text, decoded
	coded                // a code span's content
	mark                 // a marker of emphasis
	line                 // the end of a line
)

// inlines returns the inline content of the block n.
func inlines(n ast.Node, src []byte) []run {
	var out []run
	add := func(kind runKind, s string) {
		if s != "" {
			out = append(out, run{kind, s})
		}
	}
	plain := func(c ast.Node) string {
		var b strings.Builder
		_ = ast.Walk(c, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if t, ok := n.(*ast.Text); ok && entering {
				b.WriteString(decode(t.Segment.Value(src)))
				if t.SoftLineBreak() || t.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
			return ast.WalkContinue, nil
		})
		return b.String()
	}
	var walk func(n ast.Node, depth int)
	walk = func(n ast.Node, depth int) {
		if depth > 4*maxNesting {
			add(words, plain(n))
			return
		}
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			switch c := c.(type) {
			case *ast.Text:
				v := c.Segment.Value(src)
				if c.IsRaw() {
					add(words, clean(string(v)))
				} else {
					add(words, decode(v))
				}
				if c.SoftLineBreak() || c.HardLineBreak() {
					add(line, "\n")
				}
			case *ast.String:
				add(words, clean(string(c.Value)))
			case *ast.CodeSpan:
				var b strings.Builder
				for t := c.FirstChild(); t != nil; t = t.NextSibling() {
					if t, ok := t.(*ast.Text); ok {
						b.Write(t.Segment.Value(src))
					}
				}
				add(coded, cleanLine(b.String()))
			case *ast.Emphasis:
				m := strings.Repeat("*", c.Level)
				add(mark, m)
				walk(c, depth+1)
				add(mark, m)
			case *ast.Link:
				walk(c, depth+1)
				url := decode(c.Destination)
				if isWeb(url) && strings.TrimSpace(plain(c)) != strings.TrimSpace(url) {
					add(words, " ("+safeURL(url)+")")
				}
			case *ast.AutoLink:
				url := string(c.URL(src))
				if isWeb(url) {
					url = safeURL(url)
				}
				add(words, clean(strings.TrimPrefix(url, "mailto:")))
			case *ast.Image:
				add(words, plain(c))
			case *ast.RawHTML: // what replaceHTML could not read
			default:
				walk(c, depth+1)
			}
		}
	}
	walk(n, 0)
	return join(out)
}

// cutRuns shortens runs to limit characters at the end of a word. It reports
// whether it did.
func cutRuns(runs []run, limit int) ([]run, bool) {
	total := 0
	for _, r := range runs {
		if r.kind != mark {
			total += utf8.RuneCountInString(r.text)
		}
	}
	if total <= limit {
		return runs, false
	}
	left := max(limit, 8)
	var out []run
	open := 0
	for _, r := range runs {
		n := utf8.RuneCountInString(r.text)
		if r.kind == mark {
			open++
			out = append(out, r)
			continue
		}
		if n+4 <= left {
			left -= n
			out = append(out, r)
			continue
		}
		if r.kind == words && left > 4 {
			r.text = cutWords(r.text, min(left, n-1))
			if r.text == "..." {
				r.text = " ..."
			}
			out = append(out, r)
		} else {
			out = append(out, run{words, " ..."})
		}
		break
	}
	if open%2 != 0 { // emphasis that is not closed any more: leave all of it
		kept := out[:0:0]
		for _, r := range out {
			if r.kind != mark {
				kept = append(kept, r)
			}
		}
		out = kept
	}
	return out, true
}
