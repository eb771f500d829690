package openapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	gmtext "github.com/yuin/goldmark/text"
	"gopkg.in/yaml.v3"
	"mvdan.cc/sh/v3/syntax"
)

// outline is the structure of a file of a skill, as its readers parse it: the
// frontmatter's keys, the blocks with their levels, languages, columns and
// links, the words of the commands, the lines of the notation. What stands in a
// blockquote is not part of it, nor what text there is in a place that has
// some: these are the document's. faults are what no file may have, whatever
// the document says.
type shape struct {
	blocks []string
	faults []string
}

func (o *shape) add(format string, args ...any) {
	o.blocks = append(o.blocks, fmt.Sprintf(format, args...))
}
func (o *shape) fault(format string, args ...any) {
	o.faults = append(o.faults, fmt.Sprintf(format, args...))
}

// seen remembers what was read: most files are as they were.
var seen = map[string]shape{}

func outlineOf(name, content string, files []string) shape {
	key := strings.Join(files, " ") + "\x00" + name + "\x00" + content
	o, ok := seen[key]
	if !ok {
		if len(seen) > 4000 {
			clear(seen)
		}
		o = outlineFile(name, content, files)
		seen[key] = o
	}
	return o
}

// outlineFile reads a file. files are the names of all files of the skill.
func outlineFile(name, content string, files []string) shape {
	var o shape
	if !utf8.ValidString(content) {
		o.fault("no UTF-8")
	}
	for i, r := range content {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || r == 0x2028 || r == 0x2029 || 0xfe00 <= r && r <= 0xfe0f) {
			o.fault("the character %U at byte %d", r, i)
			break
		}
	}
	body := content
	if name == "SKILL.md" {
		rest, ok := strings.CutPrefix(content, "---\n")
		front, rest, found := strings.Cut(rest, "\n---\n")
		if !ok || !found {
			o.fault("no frontmatter")
			return o
		}
		o.frontmatter(front)
		body = rest
	}
	src := []byte(body)
	doc := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser().Parse(gmtext.NewReader(src))
	guidance := false // of the authors: its blocks are theirs
	for c := doc.FirstChild(); c != nil; c = c.NextSibling() {
		if h, ok := c.(*ast.Heading); ok {
			guidance = strings.Contains(string(h.Lines().Value(src)), "Guidance of the API's authors")
		} else if guidance {
			o.inside(c, src)
			continue
		}
		o.block(c, src, files)
	}
	return o
}

var metadataKeys = []string{"api", "api-version", "degraded", "deprecated", "effect", "kind", "method", "openapi", "operation-id", "path", "pointer", "webhook"}

func (o *shape) frontmatter(front string) {
	var v struct {
		Name, Description string
		Metadata          map[string]string
	}
	d := yaml.NewDecoder(strings.NewReader(front))
	d.KnownFields(true)
	if err := d.Decode(&v); err != nil {
		o.fault("frontmatter: %v", err)
		return
	}
	if n := len([]rune(v.Description)); n == 0 || n > 1024 || strings.ContainsAny(v.Description, "\n\r\t") {
		o.fault("description %q", v.Description)
	}
	if regexp.MustCompile(`<[/!?A-Za-z]`).MatchString(v.Description) {
		o.fault("a tag in the description %q", v.Description)
	}
	var keys []string
	for k := range v.Metadata {
		if !slices.Contains(metadataKeys, k) {
			o.fault("metadata key %q", k)
		}
		if k != "operation-id" && k != "api-version" && k != "deprecated" { // absent where their value is empty
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	o.add("front %s", strings.Join(keys, " "))
}

// inside checks what is in a quotation.
func (o *shape) inside(n ast.Node, src []byte) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link, *ast.Image, *ast.AutoLink, *ast.RawHTML, *ast.HTMLBlock, *ast.Heading, *ast.ThematicBreak, *ast.LinkReferenceDefinition:
			o.fault("%s in a quotation: %q", n.Kind(), near(n, src))
		case *ast.FencedCodeBlock:
			if l := string(n.Language(src)); slices.Contains([]string{"sh", "bash", "shell", "console", "zsh"}, l) {
				o.fault("a fence of %s in a quotation", l)
			}
		}
		return ast.WalkContinue, nil
	})
}

func near(n ast.Node, src []byte) string {
	for n != nil && n.Type() == ast.TypeInline {
		n = n.Parent()
	}
	if n == nil || n.Lines() == nil {
		return ""
	}
	return string(n.Lines().Value(src))
}

func (o *shape) block(n ast.Node, src []byte, files []string) {
	switch n := n.(type) {
	case *ast.Heading:
		o.add("h%d", n.Level)
		o.inline(n, src, files)
	case *ast.Paragraph, *ast.TextBlock:
		if strings.HasPrefix(near(n, src), "Parts of this text look like instructions") {
			return // as they may
		}
		o.add("p")
		o.inline(n, src, files)
	case *ast.Blockquote:
		o.add("quote")
		o.inside(n, src)
	case *ast.List:
		o.add("list")
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			o.add("item")
			for b := c.FirstChild(); b != nil; b = b.NextSibling() {
				o.block(b, src, files)
			}
		}
		o.add("end of list")
	case *east.Table:
		o.add("table of %d", len(n.Alignments))
		for r := n.FirstChild(); r != nil; r = r.NextSibling() {
			cells := 0
			for c := r.FirstChild(); c != nil; c = c.NextSibling() {
				cells++
				o.inline(c, src, files)
			}
			// goldmark drops what is too much: count the pipes too.
			pipes := 0
			for i, line := 0, rowLine(r, src); i < len(line); i++ {
				if line[i] == '\\' {
					i++
				} else if line[i] == '|' {
					pipes++
				}
			}
			if pipes != len(n.Alignments)+1 {
				o.fault("a row with %d pipes in a table of %d columns: %s", pipes, len(n.Alignments), rowLine(r, src))
			}
			o.add("row of %d", cells)
		}
	case *ast.FencedCodeBlock:
		lang := string(n.Language(src))
		o.fence(lang, string(n.Lines().Value(src)))
	case *ast.ThematicBreak, *ast.HTMLBlock, *ast.CodeBlock, *ast.LinkReferenceDefinition:
		o.fault("%s: %q", n.Kind(), near(n, src))
	default:
		o.fault("a block of the kind %s", n.Kind())
	}
}

func rowLine(row ast.Node, src []byte) string {
	c := row.FirstChild()
	for c != nil && c.Lines().Len() == 0 {
		c = c.NextSibling()
	}
	if c == nil {
		return ""
	}
	at := c.Lines().At(0).Start
	start := strings.LastIndexByte(string(src[:at]), '\n') + 1
	line, _, _ := strings.Cut(string(src[start:]), "\n")
	return line
}

// inline notes links, and what must not be.
func (o *shape) inline(n ast.Node, src []byte, files []string) {
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch c := c.(type) {
		case *ast.Link:
			dest := string(c.Destination)
			if !slices.Contains(files, dest) && !slices.Contains(files, "references/"+dest) {
				o.fault("a link to %q", dest)
			}
			o.add("link")
		case *ast.AutoLink:
			if url := string(c.URL(src)); !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
				o.fault("an autolink to %q", url)
			}
			o.add("autolink")
		case *ast.Image, *ast.RawHTML:
			o.fault("%s: %q", c.Kind(), near(c, src))
		}
		return ast.WalkContinue, nil
	})
}

var fenceLanguages = []string{"bash", "text", "json", "xml", "yaml"}

func (o *shape) fence(lang, code string) {
	if !slices.Contains(fenceLanguages, lang) {
		o.fault("a fence of %q", lang)
	}
	switch lang {
	case "bash":
		o.script(code)
	case "text": // notation: no text makes a line
		o.add("text of %d lines", strings.Count(code, "\n"))
	case "json":
		if !json.Valid([]byte(code)) && !strings.Contains(code, "...") {
			o.fault("no JSON: %s", code)
		}
		o.add("json")
	default:
		o.add("%s", lang)
	}
}

// script notes the commands: their names, how many words they have, which of
// these are options, what is expanded in them, where their input comes from.
func (o *shape) script(code string) {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(code), "")
	if err != nil {
		o.fault("no script: %v\n%s", err, code)
		return
	}
	var b strings.Builder
	params := false
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			fmt.Fprintf(&b, " call")
			for i, w := range n.Args {
				lit := w.Lit()
				if i == 0 && !slices.Contains([]string{"curl", "printf", "base64", "cat", "jq", "tr", "sed"}, lit) {
					o.fault("a command %q in\n%s", lit, code)
				}
				if i == 0 || strings.HasPrefix(lit, "-") {
					fmt.Fprintf(&b, " %s", lit)
				} else {
					b.WriteString(" w")
				}
			}
			for _, a := range n.Assigns {
				fmt.Fprintf(&b, " assign %s", a.Name.Value)
			}
		case *syntax.Redirect:
			fmt.Fprintf(&b, " %s", n.Op)
		case *syntax.ParamExp:
			params = true
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp, *syntax.ExtGlob, *syntax.FuncDecl:
			o.fault("%T in\n%s", n, code)
		case *syntax.BinaryCmd:
			fmt.Fprintf(&b, " %s", n.Op)
		case *syntax.Subshell, *syntax.Block, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause:
			fmt.Fprintf(&b, " %T", n)
		}
		return true
	})
	o.add("script%s, expands: %t", b.String(), params)
}
