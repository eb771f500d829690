package templates

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/apiskills/apiskills/framework"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// functions is what a template can call besides the built-in functions of
// text/template.
var functions = template.FuncMap{
	"inline":    Inline,
	"plain":     Plain,
	"cell":      cellAny,
	"quote":     Quote,
	"text":      Text,
	"comment":   Comment,
	"fence":     Fence,
	"code":      Code,
	"link":      Link,
	"sh":        ShellWord,
	"yaml":      framework.QuoteYAML,
	"front":     Frontmatter,
	"quoteHead": func(p Prose, limit int) string { q, _ := QuoteHead(p, limit); return q },
	"codeCell":  CodeCell,
	"base":      base,
	"join":      func(sep string, list []string) string { return strings.Join(list, sep) },
	"hasPrefix": func(prefix, s string) bool { return strings.HasPrefix(s, prefix) },
	"add":       func(a, b int) int { return a + b },
}

// Inline returns p as one line of Markdown that can stand anywhere in a line:
// emphasis and code spans stay, blocks are joined, longer code is left out. It
// is cut at 400 characters.
func Inline(p Prose) string {
	runs, _ := cutRuns(flatten(p), maxInline)
	return guard(oneLine(markdownOf(runs)))
}

// Plain returns p as one line of plain text without markup or tags, cut at the
// end of a word to at most limit characters; 0 is no limit. It is for places
// that are not Markdown, such as a description.
func Plain(p Prose, limit int) string { return cutWords(plainOf(flatten(p)), limit) }

// titled reports whether a paragraph is a heading in disguise: all of it is
// emphasized, and it ends no sentence.
func titled(runs []run) bool {
	n := len(runs) - 1
	if n < 2 || runs[0].kind != mark || runs[n].kind != mark {
		return false
	}
	marks := 0
	for _, r := range runs {
		if r.kind == mark {
			marks++
		}
	}
	s := strings.TrimSpace(plainOf(runs))
	return marks == 2 && s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?")
}

// Sentences returns the first sentences of the first paragraph of p that fit
// into limit characters, as [Plain] does, or the beginning of the first.
func Sentences(p Prose, limit int) string {
	doc, src := p.parse(maxLine)
	var runs []run
	for c := doc.FirstChild(); c != nil; c = c.NextSibling() {
		switch c.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			next := inlines(c, src)
			if len(next) > 0 {
				runs = next
			}
		}
		if len(runs) > 0 && !(titled(runs) && c.NextSibling() != nil) {
			break
		}
	}
	s := plainOf(runs)
	if s == "" {
		s = Plain(p, 0)
	}
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	head := string([]rune(s)[:limit])
	end := 0
	for i, r := range head {
		switch r {
		case '.', '!', '?':
			rest := s[i+1:]
			if strings.HasPrefix(rest, " ") && len(rest) > 1 && !isLower(rest[1]) && !abbreviated(head[:i]) && strings.Count(head[:i], "`")%2 == 0 {
				end = i + 1
			}
		case '。', '！', '？':
			end = i + utf8.RuneLen(r)
		}
	}
	if end > 0 {
		return s[:end]
	}
	return cutWords(s, limit)
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// abbreviated reports whether a point after s ends no sentence: "e.g", "1".
func abbreviated(s string) bool {
	w := s[strings.LastIndexByte(s, ' ')+1:]
	switch strings.ToLower(strings.TrimLeft(w, "(")) {
	case "e.g", "i.e", "etc", "vs", "cf", "no", "resp", "approx":
		return true
	}
	return len(w) <= 1
}

// Comment returns p as the words after "# " in a line of notation: one line of
// plain text, cut at 160 characters.
func Comment(p Prose) string { return Plain(p, maxComment) }

// Cell returns p as the content of a table's cell, on one line and with every
// "|" escaped. It is cut at 160 characters.
func Cell(p Prose) string { return cellOf(flatten(p), maxCell) }

// cellAny is Cell for a template: a string is treated as a Prose but not cut.
// Markdown of ours is only fitted into the cell.
func cellAny(x any) (string, error) {
	switch x := x.(type) {
	case Prose:
		return Cell(x), nil
	case Markdown:
		return string(TableCell(Markdown(cleanLine(string(x))))), nil
	case string:
		return cellOf(flatten(Prose(x)), maxSource), nil
	}
	return "", fmt.Errorf("cell of a %T: want Prose, Markdown or string", x)
}

// CodeCell returns s as a code span in a table's cell, or as words where a code
// span in a table cannot say it. Hidden characters are removed, and each run of
// white space is one space, none at the ends: where that matters, have it in a Fence.
func CodeCell(s string) string { return cellOf([]run{{coded, cleanLine(s)}}, maxSource) }

func cellOf(runs []run, limit int) string {
	runs, _ = cutRuns(runs, limit)
	for i, r := range runs {
		switch {
		case r.kind == line:
			runs[i] = run{words, " "}
		case r.kind == coded && strings.Contains(r.text, `\|`):
			// No code span in a table can say this.
			runs[i].kind = words
		}
	}
	return escapePipes(guard(oneLine(markdownOf(join(runs)))))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// flatten returns the inline content of all blocks of p, joined. Code blocks
// of more than a line and tables are left out.
func flatten(p Prose) []run { return flattenUpTo(p, maxLine) }

func flattenUpTo(p Prose, limit int) []run {
	if s := strings.TrimSpace(string(p)); isPlainASCII(s) && len(s) <= maxInline && !strings.ContainsAny(s, "\\`*_[]<>&~\n\t") {
		// Most summaries: nothing to parse, if the beginning is a word.
		switch {
		case s == "":
			return nil
		case isLetter(s[0]):
			return []run{{words, s}}
		}
	}
	doc, src := p.parse(limit)
	var out []run
	glue := func(s string) {
		if n := len(out); n > 0 && s != " " {
			if r := out[n-1]; r.kind == words && r.text != "" && strings.IndexByte(".:;,!?", r.text[len(r.text)-1]) >= 0 {
				s = " "
			}
		}
		if len(out) > 0 {
			out = append(out, run{words, s})
		}
	}
	var walk func(n ast.Node, depth int)
	walk = func(n ast.Node, depth int) {
		between := " "
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			switch c := c.(type) {
			case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
				if runs := inlines(c, src); len(runs) > 0 {
					glue(between)
					out = append(out, runs...)
				}
				between = " "
				if _, ok := c.(*ast.Heading); ok {
					between = ": "
				}
			case *ast.FencedCodeBlock, *ast.CodeBlock:
				s := " ..."
				if c.Lines().Len() == 1 {
					l := c.Lines().At(0)
					s = cleanLine(string(l.Value(src)))
				}
				switch {
				case s == " ...", len(s) > 60:
					out = append(out, run{words, " ..."})
				case s != "":
					glue(" ")
					out = append(out, run{coded, s})
				}
				between = " "
			case *ast.HTMLBlock:
				var b strings.Builder
				for i := range c.Lines().Len() {
					l := c.Lines().At(i)
					b.Write(l.Value(src))
				}
				glue(" ")
				out = append(out, run{words, cleanLine(b.String())})
			case *east.Table:
				out = append(out, run{words, " ..."})
			case *ast.ListItem:
				if c.PreviousSibling() != nil {
					glue("; ")
				} else {
					glue(": ")
				}
				n := len(out)
				if depth < 4*maxNesting {
					walk(c, depth+1)
				}
				// The item's own glue was written above.
				if len(out) > n && n > 0 && out[n].kind == words && out[n].text == " " {
					out[n].text = ""
				}
			case *ast.ThematicBreak:
			default:
				if depth < 4*maxNesting {
					walk(c, depth+1)
				}
			}
		}
	}
	walk(doc, 0)
	return join(out)
}

var language = regexp.MustCompile(`^[a-z0-9+-]{1,20}$`)

// Fence returns content as a fenced code block that nothing in it can end.
// lang is left out unless it consists of the characters a-z, 0-9, "+" and "-".
// Hidden characters are removed: encode the ones that matter before.
func Fence(lang, content string) string {
	content = clean(content)
	if !language.MatchString(lang) {
		lang = ""
	}
	f := strings.Repeat("`", max(3, longestRun(content, '`')+1))
	return f + lang + "\n" + strings.TrimRight(content, "\n") + "\n" + f
}

// Code returns s as a code span, on one line: line ends and tabs are spaces, of
// which as many stay as there were. Hidden characters are removed. Of an empty s it
// is a span of one space.
func Code(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, clean(s))
	if s == "" {
		return "` `"
	}
	f := "`"
	for hasRun(s, len(f)) {
		f += "`"
	}
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' ' && strings.Trim(s, " ") != "" {
		s = " " + s + " "
	}
	return f + s + f
}

// hasRun reports whether s has a run of exactly n backticks.
func hasRun(s string, n int) bool {
	run := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] == '`' {
			run++
			continue
		}
		if run == n {
			return true
		}
		run = 0
	}
	return false
}

var relative = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`)

// Link returns a link to another file of the same skill. dest is relative to
// the file that the link is in, and may not leave its directory.
func Link(text, dest string) (string, error) {
	if !relative.MatchString(dest) {
		return "", fmt.Errorf("link to %q: not the relative path of a file below this one", dest)
	}
	var b strings.Builder
	escape(&b, cleanLine(text))
	s := strings.NewReplacer("[", `\[`, `\]`, `\]`, "]", `\]`).Replace(b.String())
	return "[" + s + "](" + dest + ")", nil
}

var shellSafe = regexp.MustCompile(`^[A-Za-z0-9@%+=:,./_-]+$`)

// ShellWord returns s as one word of a command line, in single quotes unless
// it needs none. Characters that no line of a script should hold are written
// as escapes in bash's $'...' form, which is one word in other shells too; NUL, which
// no argument can hold, is dropped.
func ShellWord(s string) string {
	if shellSafe.MatchString(s) {
		return s
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", "")
	if !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && (hidden(r) || r == 0x2028 || r == 0x2029) }) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\'': // not \', which ends the word where a shell does not know $'
			b.WriteString(`\x27`)
		case r == '\\':
			b.WriteString(`\\`)
		case hidden(r), r == 0x2028, r == 0x2029:
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString("'")
	return b.String()
}

var metadataKey = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Frontmatter returns the frontmatter of a SKILL.md with its fences: name, description
// and metadata, the latter ascending by key, as framework.FormatFrontmatter has them. The
// description is cut to its limit, and what looks like a tag in it is written in braces.
func Frontmatter(name, description string, metadata []Pair) (string, error) {
	fields := make(map[string]string, len(metadata))
	for _, m := range metadata {
		if _, twice := fields[m.Key]; twice || !metadataKey.MatchString(m.Key) {
			return "", fmt.Errorf("frontmatter: metadata key %q is twice there or not in kebab-case", m.Key)
		}
		fields[m.Key] = m.Value
	}
	text, err := framework.FormatFrontmatter(name, cutWords(noTags(Line(description)), 1024), fields)
	return strings.TrimSuffix(text, "\n"), err
}

// Line returns s on one line without hidden characters. It is no Markdown: what
// stands in s for a reader of Markdown still does.
func Line(s string) string { return cleanLine(s) }

// ordinal is the marker of an ordered list's item.
func ordinal(n int) string {
	if n < 0 || n > 999_999_999 {
		n = 1
	}
	return strconv.Itoa(n) + ". "
}
