package ledger

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"gopkg.in/yaml.v3"
)

// maxMarkdown is how much of a file is read: more than any skill may have.
const maxMarkdown = 4 << 20

// A block is a leaf block of Markdown. Quotations have none: they are words of
// the document, which must not stand in for what the skill itself has to say.
type block struct {
	kind  blockKind
	level int      // of a heading
	info  string   // of a fence
	text  string   // source, lines joined by "\n"
	cells []string // of a table row
	line  int      // of the text's first line
}

type blockKind int

const (
	heading blockKind = iota
	paragraph
	item
	fence
	row
)

// A section is a heading with what stands under it, up to the next heading.
type section struct {
	file   string
	h2, h3 string // "" where there is none
	line   int
	blocks []block
}

// A page is a rendered file.
type page struct {
	name     string
	meta     map[string]string // frontmatter metadata
	metaLine map[string]int
	sections []section
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()

// readPage parses a file.
func readPage(f File) *page {
	p := &page{name: f.Name}
	source := f.Content
	if len(source) > maxMarkdown {
		source = source[:maxMarkdown]
	}
	lines := 0
	if rest, ok := bytes.CutPrefix(source, []byte("---\n")); ok {
		if end := bytes.Index(rest, []byte("\n---\n")); end >= 0 {
			p.front(rest[:end])
			cut := 4 + end + 5
			lines = bytes.Count(source[:cut], []byte("\n"))
			source = source[cut:]
		}
	}
	current := section{file: p.name, line: 1}
	for _, b := range blocks(source) {
		b.line += lines
		if b.kind != heading {
			current.blocks = append(current.blocks, b)
			continue
		}
		p.sections = append(p.sections, current)
		next := section{file: p.name, h2: current.h2, h3: b.text, line: b.line}
		switch {
		case b.level == 1:
			next.h2, next.h3 = "", ""
		case b.level == 2:
			next.h2, next.h3 = b.text, ""
		}
		current = next
	}
	p.sections = append(p.sections, current)
	return p
}

// front reads the frontmatter.
func (p *page) front(data []byte) {
	defer func() { _ = recover() }() // of the parser of YAML
	var n yaml.Node
	if yaml.Unmarshal(data, &n) != nil || n.Kind != yaml.DocumentNode || n.Content[0].Kind != yaml.MappingNode {
		return
	}
	root := n.Content[0].Content
	for i := 0; i+1 < len(root); i += 2 {
		if root[i].Value != "metadata" {
			continue
		}
		p.meta, p.metaLine = map[string]string{}, map[string]int{}
		members := root[i+1].Content
		for j := 0; j+1 < len(members); j += 2 {
			p.meta[members[j].Value] = members[j+1].Value
			p.metaLine[members[j].Value] = members[j].Line + 1 // below the dashes
		}
	}
}

// blocks returns the leaf blocks of a source, by line.
func blocks(source []byte) []block {
	starts := []int{0}
	for i, c := range source {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	lineOf := func(offset int) int {
		i, ok := slices.BinarySearch(starts, offset)
		if ok {
			return i + 1
		}
		return i
	}
	var out []block
	add := func(n ast.Node, b block) {
		lines := n.Lines()
		if lines.Len() > 0 {
			b.line = lineOf(lines.At(0).Start)
		}
		b.text = strings.TrimSuffix(string(lines.Value(source)), "\n")
		out = append(out, b)
	}
	root := markdown.Parse(text.NewReader(source))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			add(n, block{kind: heading, level: n.Level})
		case *ast.FencedCodeBlock:
			info := ""
			if n.Info != nil {
				info = string(n.Info.Value(source))
			}
			if n.Lines().Len() > 0 {
				add(n, block{kind: fence, info: info})
			}
		case *ast.Paragraph:
			add(n, block{kind: paragraph})
		case *ast.TextBlock:
			add(n, block{kind: item})
		case *extast.TableRow, *extast.TableHeader:
			b := block{kind: row}
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				cell := strings.TrimSpace(string(c.Lines().Value(source)))
				if b.line == 0 && c.Lines().Len() > 0 {
					b.line = lineOf(c.Lines().At(0).Start)
				}
				b.cells = append(b.cells, cell)
			}
			b.text = strings.Join(b.cells, " | ")
			out = append(out, b)
		case *ast.Document, *ast.List, *ast.ListItem, *extast.Table:
			return ast.WalkContinue, nil
		}
		return ast.WalkSkipChildren, nil
	})
	slices.SortStableFunc(out, func(a, b block) int { return cmp.Compare(a.line, b.line) })
	return out
}

// spans returns the code spans of a text, in order.
func spans(text string) []string {
	var out []string
	for {
		start := strings.IndexByte(text, '`')
		if start < 0 {
			return out
		}
		text = text[start:]
		ticks := text[:len(text)-len(strings.TrimLeft(text, "`"))]
		text = text[len(ticks):]
		end := -1
		for i := 0; i < len(text); {
			n := strings.IndexByte(text[i:], '`')
			if n < 0 {
				break
			}
			i += n
			run := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
			if run == len(ticks) {
				end = i
				break
			}
			i += run
		}
		if end < 0 {
			continue
		}
		s := strings.ReplaceAll(text[:end], "\n", " ")
		if len(s) > 2 && s[0] == ' ' && s[len(s)-1] == ' ' && strings.Trim(s, " ") != "" {
			s = s[1 : len(s)-1]
		}
		out = append(out, s)
		text = text[end+len(ticks):]
	}
}
