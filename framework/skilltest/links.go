package skilltest

import (
	"bytes"
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// checkLinks checks that relative links in the Markdown files of a skill lead to
// files of it, or to those of a skill that it encloses or is nested in.
func (c *checker) checkLinks(r *reading) {
	if len(c.faults["limits"]) > 0 && c.broken[r.path] {
		return // its files may not all have been gathered
	}
	for _, f := range r.files {
		if f.err != nil || len(f.text) > maxLinked || !isMarkdown(f.name) {
			continue
		}
		found, ok := do(c, c.ctx, site{call: "the reader of Markdown", path: r.path, file: f.name, late: "links"}, func(context.Context) []string { return links(f.text) })
		if !ok {
			return
		}
		for _, destination := range found {
			if problem := c.checkLink(r, f.name, destination); problem != "" {
				c.fault("links", r.path, f.name, "the link to %s %s", quote(destination), problem)
			}
		}
	}
}

func isMarkdown(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".md") }

// checkLink says what is wrong with a link, or returns "".
func (c *checker) checkLink(r *reading, file, destination string) string {
	u, err := url.Parse(destination)
	switch {
	case err != nil:
		return "is no reference to a URI; encode its characters"
	case u.Scheme != "":
		return ""
	case u.Host != "" || strings.HasPrefix(u.Path, "/"):
		return "is neither relative nor a whole URI; begin with the scheme"
	case u.Path == "":
		return "" // a place in the same file
	}
	target := path.Join(r.path, path.Dir(file), u.Path)
	if name, ok := strings.CutPrefix(target+"/", r.path+"/"); ok {
		if name = strings.TrimSuffix(name, "/"); name == "" || r.has(name) {
			return ""
		}
		return "leads to no file of the skill; correct it, or add the file"
	}
	for dir := path.Dir(r.path); dir != "."; dir = path.Dir(dir) {
		if target != dir && !strings.HasPrefix(target, dir+"/") || !c.isListed(dir) {
			continue
		}
		if c.hasFile(dir, target) {
			return ""
		}
		for _, p := range c.below(dir) { // a skill nested in the same one, or a directory of such skills
			if strings.HasPrefix(p, target+"/") || c.hasFile(p, target) {
				return ""
			}
		}
	}
	return "leaves the skill; name another skill by its whole URI"
}

// hasFile reports whether target is a file or directory of the skill at path, or
// that skill.
func (c *checker) hasFile(path, target string) bool {
	name, ok := strings.CutPrefix(target+"/", path+"/")
	if !ok {
		return false
	}
	skill, err, ok := c.ask(c.ctx, path)
	return ok && err == nil && slices.ContainsFunc(skill.Files, func(f framework.File) bool { return strings.HasPrefix(f.Name+"/", name) })
}

// links returns the destinations of the links and images of a Markdown file, each
// once, in the order of the text.
func links(source []byte) []string {
	source = withoutFrontmatter(source)
	var found []string
	known := map[string]bool{}
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		var destination []byte
		switch n := n.(type) {
		case *ast.Link:
			destination = n.Destination
		case *ast.Image:
			destination = n.Destination
		default:
			return ast.WalkContinue, nil
		}
		if entering && !known[string(destination)] {
			known[string(destination)] = true
			found = append(found, string(destination))
		}
		return ast.WalkContinue, nil
	}) // the function returns no error
	return found
}

// withoutFrontmatter cuts off what Markdown would take for a heading.
func withoutFrontmatter(source []byte) []byte {
	isFence := func(line []byte) bool { return string(bytes.TrimRight(line, "\r\n")) == "---" }
	first := true
	rest := source
	for line := range bytes.Lines(source) {
		rest = rest[len(line):]
		if !first && isFence(line) {
			return rest
		}
		if first && !isFence(line) {
			break
		}
		first = false
	}
	return source
}
