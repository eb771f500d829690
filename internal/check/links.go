package check

import (
	"bytes"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()

// links follows the links of each Markdown file of a skill, and notes the URIs
// that its texts have.
func (x *examined) links(scheme string) {
	edges := map[string][]string{}
	for _, f := range x.files {
		if path.Ext(f.Name) != ".md" {
			continue
		}
		start := 0
		if f.Name == skillFile {
			start = bodyStart(f.Content)
			for _, uri := range mentions(string(f.Content[:start]), scheme) {
				x.mentions = append(x.mentions, mention{uri, f.Name, lineOf(f.Content, "description:")})
			}
		}
		r := &reader{x: x, name: f.Name, src: f.Content[start:], line: 1 + bytes.Count(f.Content[:start], []byte{'\n'}), scheme: scheme}
		edges[f.Name] = r.read()
	}
	reached := map[string]bool{skillFile: true}
	for queue := []string{skillFile}; len(queue) > 0; queue = queue[1:] {
		for _, next := range edges[queue[0]] {
			if !reached[next] {
				reached[next] = true
				queue = append(queue, next)
			}
		}
	}
	for _, f := range x.files {
		if !reached[f.Name] {
			x.report("unreachable-file", f.Name, 0, "no link leads from SKILL.md to the file")
		}
	}
}

// A reader reads one Markdown file.
type reader struct {
	x      *examined
	name   string
	src    []byte
	line   int // of the first line of src
	scheme string
	leads  []string // files of the skill
}

// read returns the files that links lead to.
func (r *reader) read() []string {
	root := markdown.Parse(text.NewReader(r.src))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // its visitor has no errors
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			r.link(string(n.Destination), n)
		case *ast.Image:
			r.link(string(n.Destination), n)
		case *ast.AutoLink:
			r.link(string(n.URL(r.src)), n)
		case *ast.Text:
			r.words(string(n.Segment.Value(r.src)), n)
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return r.leads
}

func (r *reader) link(destination string, n ast.Node) {
	u, err := url.Parse(destination)
	if err != nil {
		r.x.report("broken-link", r.name, r.lineOf(n), "the link to %q is malformed", short(destination))
		return
	}
	switch {
	case u.Scheme == r.scheme:
		r.mention(destination, n)
		return
	case u.Scheme != "" || u.Host != "":
		return
	case u.Path == "": // to a heading of this file
		return
	}
	target := path.Join(path.Dir(r.name), u.Path)
	if strings.HasPrefix(u.Path, "/") || r.x.file(target) == nil {
		r.x.report("broken-link", r.name, r.lineOf(n), "the link to %q leads to no file of the skill", short(destination))
		return
	}
	r.leads = append(r.leads, target)
}

// words notes the URIs in a text, also in a span of code. What the document
// says is quoted, and is not the skill's own word.
func (r *reader) words(s string, n ast.Node) {
	if !strings.Contains(s, r.scheme+"://") {
		return
	}
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindBlockquote {
			return
		}
	}
	for _, uri := range mentions(s, r.scheme) {
		r.mention(uri, n)
	}
}

func (r *reader) mention(uri string, n ast.Node) {
	m := mention{uri, r.name, r.lineOf(n)}
	if !slices.Contains(r.x.mentions, m) {
		r.x.mentions = append(r.x.mentions, m)
	}
}

// lineOf returns the line of a node: that of its first text, else that of its
// block.
func (r *reader) lineOf(n ast.Node) int {
	at := -1
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && at < 0 {
			at = t.Segment.Start
		}
		return ast.WalkContinue, nil
	})
	for p := n; p != nil && at < 0; p = p.Parent() {
		if p.Type() == ast.TypeBlock && p.Lines().Len() > 0 {
			at = p.Lines().At(0).Start
		}
	}
	if at < 0 {
		return 0
	}
	return r.line + bytes.Count(r.src[:at], []byte{'\n'})
}

// mentions returns the URIs of a scheme in a text, without what follows them in
// a sentence.
func mentions(s, scheme string) []string {
	var found []string
	prefix := scheme + "://"
	for {
		i := strings.Index(s, prefix)
		if i < 0 {
			return found
		}
		rest := s[i+len(prefix):]
		n := 0
		for n < len(rest) && (rest[n] == '/' || rest[n] == '-' || rest[n] == '.' || rest[n] == '_' || rest[n] == '%' ||
			'a' <= rest[n] && rest[n] <= 'z' || 'A' <= rest[n] && rest[n] <= 'Z' || '0' <= rest[n] && rest[n] <= '9') {
			n++
		}
		if uri := strings.TrimRight(rest[:n], "."); uri != "" && (i == 0 || !isWord(s[i-1])) {
			found = append(found, prefix+uri)
		}
		s = rest[n:]
	}
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.'
}
