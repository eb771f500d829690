package templates

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// replaceHTML rewrites the HTML in a Markdown text as Markdown: comments,
// scripts and styles go with their content, tags that structure text become
// breaks, list markers, table rows and code, an image becomes its alternative
// text, and every other tag goes. code tells the byte ranges of src that
// Markdown reads as code; they are copied as they are.
//
// The result is not safe by itself, and need not be: what is made of it parses
// it as Markdown and escapes what is left.
func replaceHTML(src string, code []span) string {
	if !strings.Contains(src, "<") {
		return src
	}
	// The tokenizer sees code as filler, so that a tag in it is none. Offsets
	// stay the same.
	mask := []byte(src)
	for _, c := range code {
		for i := c.start; i < c.end; i++ {
			if mask[i] != '\n' {
				mask[i] = 'x'
			}
		}
	}
	for i := 0; i+1 < len(mask); i++ {
		if mask[i] == '\\' {
			if i++; mask[i] == '<' {
				mask[i] = 'x' // escaped: it begins no tag
			}
		}
	}
	// A comment that is never closed is one to no Markdown reader.
	if at := bytes.LastIndex(mask, []byte("-->")) + 1; bytes.Contains(mask[at:], []byte("<!--")) {
		blank := []byte("    ")
		text := []byte(src)
		for {
			n := bytes.Index(mask[at:], []byte("<!--"))
			if n < 0 {
				break
			}
			at += n
			copy(mask[at:], blank)
			copy(text[at:], blank)
		}
		src = string(text)
	}

	r := &rewriter{src: src, mask: string(mask), ends: endTags(mask), row: -1, rows: -1}
	for restarts := 0; ; restarts++ {
		rest := r.run()
		if rest == "" {
			break
		}
		// A tag without an end: its "<" is text, what follows is read again.
		if restarts == 64 {
			r.text(r.at, len(src))
			break
		}
		r.text(r.at, r.at+1)
	}
	r.closeCode()
	return r.out.String()
}

// elements are the names that are tags of HTML to us: atom.Lookup knows
// attributes and events too, and they make good placeholders.
var elements = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(`a abbr acronym address applet area article aside audio b base
		basefont bdi bdo big blink blockquote body br button canvas caption center cite code col colgroup
		data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font
		footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input
		ins kbd label legend li link main map mark marquee math menu meta meter nav nobr noembed noframes
		noscript object ol optgroup option output p param picture plaintext pre progress q rp rt ruby s
		samp script section select small source span strike strong style sub summary sup svg table tbody
		td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp`) {
		m[n] = true
	}
	return m
}()

func element(name []byte) atom.Atom {
	if !elements[string(name)] {
		return 0
	}
	if a := atom.Lookup(name); a != 0 {
		return a
	}
	return atom.Span // known to us alone; nothing is done about either
}

type span struct{ start, end int }

var endTag = regexp.MustCompile(`</[a-zA-Z][^\s/>]*`)

func endTags(mask []byte) map[string]bool {
	ends := map[string]bool{}
	for _, m := range endTag.FindAll(mask, -1) {
		ends[strings.ToLower(string(m[2:]))] = true
	}
	return ends
}

type rewriter struct {
	src, mask string
	ends      map[string]bool // names of all end tags
	at        int             // offset of the next token
	out       strings.Builder
	last      byte // last byte of out

	blocks int   // open block tags: white space means nothing in them
	lists  []int // open lists: the next number, or -1 for bullets
	row    int   // cells of the current table row, -1 outside a row
	rows   int   // rows of the current table, -1 outside a table
	code   *strings.Builder
	pre    bool
	hrefs  []string
}

// run reads tokens until the end, or until a tag that has no end, and returns
// what it could not read.
func (r *rewriter) run() (rest string) {
	z := html.NewTokenizer(strings.NewReader(r.mask[r.at:]))
	skip := atom.Atom(0)
	for {
		kind := z.Next()
		raw := len(z.Raw())
		start, end := r.at, r.at+raw
		switch kind {
		case html.ErrorToken:
			return r.mask[r.at:]
		case html.TextToken:
			if skip == 0 {
				r.text(start, end)
			}
		case html.CommentToken, html.DoctypeToken:
			if !strings.HasSuffix(r.mask[start:end], ">") {
				r.text(start, end)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if strings.HasPrefix(r.mask[start:end], "<http:") || strings.HasPrefix(r.mask[start:end], "<https:") || strings.HasPrefix(r.mask[start:end], "<mailto:") {
				r.text(start, end) // an autolink of Markdown
				break
			}
			name, more := z.TagName()
			a := element(name)
			attrs := map[string]string{}
			for more && len(attrs) < 64 {
				var k, v []byte
				k, v, more = z.TagAttr()
				attrs[string(k)] = string(v)
			}
			if !r.ends[string(name)] {
				z.NextIsNotRawText()
			} else if a == atom.Script || a == atom.Style || a == atom.Iframe || a == atom.Noscript || a == atom.Noembed || a == atom.Noframes {
				if kind == html.StartTagToken {
					skip = a
				}
			}
			r.start(a, start, end, attrs)
		case html.EndTagToken:
			name, _ := z.TagName()
			a := element(name)
			if a == skip {
				skip = 0
			}
			r.end(a)
		}
		r.at = end
	}
}

func (r *rewriter) write(s string) {
	if s != "" {
		r.out.WriteString(s)
		r.last = s[len(s)-1]
	}
}

// text copies src[start:end].
func (r *rewriter) text(start, end int) {
	s := r.src[start:end]
	r.at = end
	switch {
	case r.code != nil:
		r.code.WriteString(html.UnescapeString(s))
	case r.rows >= 0:
		r.write(strings.ReplaceAll(s, "\n", " "))
	case r.blocks > 0:
		// Code in the text keeps its lines only by accident here, which is
		// right for HTML.
		lines := strings.Split(s, "\n")
		for i, l := range lines {
			if i > 0 {
				r.write("\n" + r.indent())
			}
			if i > 0 || r.last == '\n' || r.last == ' ' {
				l = strings.TrimLeft(l, " \t")
			}
			r.write(l)
		}
	default:
		r.write(s)
	}
}

func (r *rewriter) indent() string { return strings.Repeat("  ", min(len(r.lists), 8)) }

// breakLine ends the line, and with it the paragraph if blank is set.
func (r *rewriter) breakLine(blank bool) {
	if r.code != nil {
		if !r.pre {
			r.code.WriteByte(' ')
		} else if !blank {
			r.code.WriteByte('\n')
		}
		return
	}
	if r.rows >= 0 {
		r.write(" ")
		return
	}
	if blank {
		r.write("\n\n" + r.indent())
	} else {
		r.write("\n" + r.indent())
	}
}

func (r *rewriter) start(a atom.Atom, start, end int, attrs map[string]string) {
	switch a {
	case 0:
		// A name in angle brackets is often a placeholder, as in
		// /users/<login>. One that is closed somewhere is a tag.
		name := strings.Trim(r.src[start:end], "</>")
		if len(attrs) == 0 && !r.ends[strings.ToLower(name)] && placeholder.MatchString(name) {
			r.write("{" + name + "}")
		}
	case atom.Br:
		r.breakLine(false)
	case atom.Hr:
		r.breakLine(true)
	case atom.Img:
		if r.code == nil {
			r.write(strings.Join(strings.Fields(attrs["alt"]), " "))
		}
	case atom.A:
		r.hrefs = append(r.hrefs, attrs["href"])
	case atom.Code, atom.Tt, atom.Kbd, atom.Samp:
		if r.code == nil && r.ends[a.String()] {
			r.code = &strings.Builder{}
		}
	case atom.Pre:
		r.blocks++
		if r.code == nil && r.ends["pre"] && r.rows < 0 {
			r.code, r.pre = &strings.Builder{}, true
		}
	case atom.Ul, atom.Ol:
		r.blocks++
		n := -1
		if a == atom.Ol {
			n = 1
		}
		if len(r.lists) == 0 {
			r.breakLine(true)
		}
		r.lists = append(r.lists, n)
	case atom.Li:
		r.blocks++
		marker := "- "
		depth := len(r.lists)
		if depth > 0 {
			if n := &r.lists[depth-1]; *n > 0 {
				marker = strconv.Itoa(*n) + ". "
				*n++
			}
		}
		if r.code == nil && r.rows < 0 {
			r.write("\n" + strings.Repeat("  ", max(min(depth, 8)-1, 0)) + marker)
		} else {
			r.breakLine(false)
		}
	case atom.Table:
		r.blocks++
		r.breakLine(true)
		if r.code == nil {
			r.rows, r.row = 0, -1
		}
	case atom.Tr:
		if r.rows >= 0 {
			r.endRow()
			r.write("\n|")
			r.row = 0
		}
	case atom.Td, atom.Th:
		if r.row >= 0 {
			r.row++
			r.write(" ")
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.blocks++
		if r.code == nil && r.rows < 0 {
			r.write("\n\n#### ")
		}
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Blockquote, atom.Dl, atom.Dt, atom.Dd, atom.Details, atom.Summary, atom.Header, atom.Footer, atom.Figure, atom.Center:
		r.blocks++
		if r.last != ' ' || !strings.HasSuffix(r.out.String(), "- ") { // a paragraph that begins a list item
			r.breakLine(true)
		}
	}
}

var placeholder = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,39}$`)

func (r *rewriter) end(a atom.Atom) {
	switch a {
	case atom.A:
		if n := len(r.hrefs); n > 0 {
			href := strings.TrimSpace(r.hrefs[n-1])
			r.hrefs = r.hrefs[:n-1]
			if r.code == nil && isWeb(href) && !strings.HasSuffix(r.out.String(), href) {
				r.write(" (<" + safeURL(href) + ">)")
			}
		}
	case atom.Code, atom.Tt, atom.Kbd, atom.Samp:
		if !r.pre {
			r.closeCode()
		}
	case atom.Pre:
		r.closeCode()
		r.closeBlock()
	case atom.Ul, atom.Ol:
		if n := len(r.lists); n > 0 {
			r.lists = r.lists[:n-1]
		}
		r.closeBlock()
		if len(r.lists) == 0 {
			r.breakLine(true)
		}
	case atom.Li:
		r.closeBlock()
	case atom.Tr:
		r.endRow()
	case atom.Td, atom.Th:
		if r.row >= 0 {
			r.write(" |")
		}
	case atom.Table:
		r.endRow()
		r.rows = -1
		r.closeBlock()
		r.breakLine(true)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.P, atom.Div, atom.Section, atom.Article, atom.Blockquote, atom.Dl, atom.Dt, atom.Dd, atom.Details, atom.Summary, atom.Header, atom.Footer, atom.Figure, atom.Center:
		r.closeBlock()
		r.breakLine(true)
	}
}

func (r *rewriter) closeBlock() {
	if r.blocks > 0 {
		r.blocks--
	}
}

func (r *rewriter) endRow() {
	if r.row > 0 && r.rows == 0 {
		r.write("\n|" + strings.Repeat("---|", r.row))
	}
	if r.row > 0 {
		r.rows++
	}
	r.row = -1
}

// closeCode writes what stood in a code or pre element.
func (r *rewriter) closeCode() {
	if r.code == nil {
		return
	}
	s := r.code.String()
	pre := r.pre
	r.code, r.pre = nil, false
	switch {
	case pre:
		r.write("\n\n" + Fence("", strings.Trim(s, "\n")) + "\n\n")
	case strings.TrimSpace(s) != "":
		r.write(Code(strings.Trim(cleanLine(s), "`")))
	}
}

// isWeb reports whether url is absolute, with a scheme that a reader may
// follow.
func isWeb(url string) bool {
	l := strings.ToLower(url[:min(len(url), 8)])
	return strings.HasPrefix(l, "https://") || strings.HasPrefix(l, "http://")
}

// safeURL percent-encodes what would end or break a URL in running text.
func safeURL(url string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(url) {
		c := url[i]
		if c <= ' ' || c == 0x7f || strings.IndexByte("<>\"`\\^{|}[]", c) >= 0 {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
