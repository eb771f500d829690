package templates

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// Quote returns p as one blockquote: every line is marked, and nothing in p
// can end it or mean anything outside it. It keeps paragraphs, lists, tables
// and code; headings become bold, links their text, images their alternative
// text. It is cut at 20,000 characters. Prose that says nothing gives "".
func Quote(p Prose) string { return quoteLines(blockLines(p, maxQuote)) }

// QuoteHead is Quote of the first paragraphs of p, at most limit characters or
// else the beginning of the first. more reports that there is more to say.
func QuoteHead(p Prose, limit int) (quote string, more bool) {
	w := &blockWriter{left: limit, whole: true}
	w.document(p)
	return quoteLines(w.lines), w.cut
}

// Text is Quote without the quotation marks, for words that the author meant
// for the reader of the skill.
func Text(p Prose) string { return strings.Join(blockLines(p, maxQuote), "\n") }

func quoteLines(lines []string) string {
	for i, l := range lines {
		lines[i] = strings.TrimRight("> "+l, " \t")
	}
	return strings.Join(lines, "\n")
}

func blockLines(p Prose, limit int) []string {
	w := &blockWriter{left: limit}
	w.document(p)
	return w.lines
}

// A blockWriter writes a tree as lines of Markdown whose structure is only its
// own.
type blockWriter struct {
	src   []byte
	lines []string
	left  int  // characters that may still be written
	whole bool // stop between blocks rather than in one
	cut   bool // something was left out: write no more
	last  ast.Node
}

func (w *blockWriter) document(p Prose) {
	if strings.TrimSpace(string(p)) == "" {
		return
	}
	doc, src := p.parse(maxSource)
	w.src = src
	w.blocks(doc, "", 0)
	for len(w.lines) > 0 && w.lines[len(w.lines)-1] == "" {
		w.lines = w.lines[:len(w.lines)-1]
	}
}

// blocks writes the children of n, indented.
func (w *blockWriter) blocks(n ast.Node, indent string, depth int) {
	for c := n.FirstChild(); c != nil && !w.cut; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			w.paragraph(c, inlines(c, w.src), indent)
		case *ast.Heading:
			var runs []run
			for _, r := range inlines(c, w.src) {
				switch r.kind {
				case mark:
				case line:
					runs = append(runs, run{words, " "})
				default:
					runs = append(runs, r)
				}
			}
			if len(runs) > 0 {
				w.paragraph(c, runs, indent)
			}
		case *ast.FencedCodeBlock:
			w.code(c, string(c.Language(w.src)), indent)
		case *ast.CodeBlock:
			w.code(c, "", indent)
		case *ast.HTMLBlock:
			var b strings.Builder
			for i := range c.Lines().Len() {
				l := c.Lines().At(i)
				b.Write(l.Value(w.src))
			}
			w.paragraph(c, literal(b.String()), indent)
		case *ast.List:
			w.list(c, indent, depth+1)
		case *east.Table:
			w.table(c, indent)
		case *ast.ThematicBreak:
		default: // blockquotes too: this is inside one
			if depth < 4*maxNesting {
				w.blocks(c, indent, depth+1)
			}
		}
	}
}

// literal makes runs of text that is no Markdown.
func literal(s string) []run {
	var runs []run
	for i, l := range strings.Split(strings.Trim(s, "\n"), "\n") {
		if i > 0 {
			runs = append(runs, run{line, "\n"})
		}
		runs = append(runs, run{words, clean(l)})
	}
	return runs
}

// separate begins the block n: after a blank line, unless the author had none
// and none is needed.
func (w *blockWriter) separate(n ast.Node) {
	if len(w.lines) == 0 {
		return
	}
	tight := !n.HasBlankPreviousLines()
	switch w.last.(type) {
	case *ast.Heading:
		_, table := n.(*east.Table)
		_, heading := n.(*ast.Heading)
		tight = tight && !table && !heading
	case *ast.Paragraph, *ast.TextBlock:
		switch n.(type) {
		case *ast.FencedCodeBlock, *ast.List:
		default:
			tight = false
		}
	default:
		tight = false
	}
	if !tight {
		w.blank()
	}
}

func (w *blockWriter) blank() {
	if n := len(w.lines); n > 0 && w.lines[n-1] != "" {
		w.lines = append(w.lines, "")
	}
}

func (w *blockWriter) paragraph(n ast.Node, runs []run, indent string) {
	size := 0
	for _, r := range runs {
		size += len([]rune(r.text))
	}
	if size > w.left {
		w.cut = true
		if w.whole && len(w.lines) > 0 {
			return
		}
		runs, _ = cutRuns(runs, w.left)
	}
	w.left -= size
	s := markdownOf(runs)
	if _, ok := n.(*ast.Heading); ok {
		if s = strings.TrimSpace(s); s != "" {
			s = "**" + s + "**"
		}
	}
	if strings.TrimSpace(s) == "" {
		return
	}
	w.separate(n)
	for l := range strings.SplitSeq(s, "\n") {
		if l = guard(oneLine(l)); l != "" {
			w.lines = append(w.lines, indent+l)
		}
	}
	w.last = n
}

func (w *blockWriter) code(n ast.Node, lang, indent string) {
	var b strings.Builder
	for i := range n.Lines().Len() {
		l := n.Lines().At(i)
		b.Write(l.Value(w.src))
	}
	s := strings.TrimRight(clean(b.String()), "\n \t")
	if strings.TrimSpace(s) == "" {
		return
	}
	size := len([]rune(s))
	if size > w.left {
		w.cut = true
		if w.whole && len(w.lines) > 0 {
			return
		}
		s = string([]rune(s)[:max(w.left, 0)])
		if i := strings.LastIndexByte(s, '\n'); i > 0 {
			s = s[:i]
		}
		s += "\n..."
	}
	w.left -= size
	w.separate(n)
	for l := range strings.SplitSeq(Fence(quotedLanguage(lang), s), "\n") {
		w.lines = append(w.lines, strings.TrimRight(indent+l, " \t"))
	}
	w.last = n
}

// quotedLanguage is the language of code that somebody else wrote. A shell's is
// not kept: the commands of a skill are its own.
func quotedLanguage(lang string) string {
	lang = strings.ToLower(lang)
	if shellOf(lang) != "" {
		return "text"
	}
	return lang
}

// What quotation marks are in a shell.
const (
	posixShell = "posix" // as ShellWord writes them
	otherShell = "other"
)

// shellOf says which shell the language of a code block is of, "" if of none.
func shellOf(lang string) string {
	switch shellName.FindString(strings.ToLower(strings.TrimLeft(lang, "{."))) {
	case "sh", "bash", "shell", "zsh", "dash", "ash", "ksh", "console", "shellsession", "shell-session", "bash-session", "sh-session", "terminal":
		return posixShell
	case "fish", "csh", "tcsh", "nu", "nushell", "powershell", "pwsh", "ps1", "cmd", "bat", "batch", "dosbatch":
		return otherShell
	}
	return ""
}

var shellName = regexp.MustCompile(`^[a-z0-9-]+`)

func (w *blockWriter) list(l *ast.List, indent string, depth int) {
	number := l.Start
	first := true
	for item := l.FirstChild(); item != nil && !w.cut; item = item.NextSibling() {
		marker := "- "
		if l.IsOrdered() {
			marker = ordinal(number)
			number++
		}
		if depth > maxNesting {
			w.blocks(item, indent, depth+1)
			continue
		}
		inner := &blockWriter{src: w.src, left: w.left, whole: w.whole && len(w.lines) == 0, cut: false}
		inner.blocks(item, "", depth+1)
		w.left, w.cut = inner.left, inner.cut
		if len(inner.lines) == 0 {
			continue
		}
		if first {
			w.separate(l)
		} else if !l.IsTight {
			w.blank()
		}
		first = false
		pad := strings.Repeat(" ", len(marker))
		for i, text := range inner.lines {
			switch {
			case i == 0:
				text = indent + marker + text
			case text != "":
				text = indent + pad + text
			}
			w.lines = append(w.lines, text)
		}
		w.last = l
	}
}

func (w *blockWriter) table(t *east.Table, indent string) {
	columns := min(len(t.Alignments), 64)
	var rows []string
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		var b strings.Builder
		b.WriteString("|")
		n := 0
		for c := row.FirstChild(); c != nil && n < columns; c = c.NextSibling() {
			s := cellOf(inlines(c, w.src), w.left)
			b.WriteString(" " + s)
			if s != "" {
				b.WriteByte(' ')
			}
			b.WriteByte('|')
			w.left -= len(s)
			n++
		}
		b.WriteString(strings.Repeat(" |", columns-n))
		rows = append(rows, b.String())
		if len(rows) == 1 {
			rows = append(rows, "|"+strings.Repeat("---|", columns))
		}
		if w.left <= 0 {
			w.cut = true
			break
		}
	}
	if columns == 0 || len(rows) == 0 {
		return
	}
	w.blank()
	for _, r := range rows {
		w.lines = append(w.lines, indent+r)
	}
	w.last = t
}
