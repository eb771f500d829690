package skilltest

import (
	"bytes"
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
		for _, destination := range links(f.text) {
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
		name, ok := strings.CutPrefix(target, dir+"/")
		if !ok || !c.isListed(dir) {
			continue
		}
		if skill, err, ok := c.ask(c.ctx, dir); ok && err == nil {
			for _, f := range skill.Files {
				if f.Name == name || strings.HasPrefix(f.Name, name+"/") {
					return ""
				}
			}
		}
		for _, p := range c.below(dir) { // a skill nested in the same one
			if name, ok := strings.CutPrefix(target, p+"/"); ok {
				if skill, err, ok := c.ask(c.ctx, p); ok && err == nil && slices.ContainsFunc(skill.Files, func(f framework.File) bool { return f.Name == name }) {
					return ""
				}
			}
		}
	}
	return "leaves the skill; name another skill by its whole URI"
}

// links returns the destinations of the links and images of a Markdown file, each
// once, in the order of the text.
func links(source []byte) []string {
	source = withoutFrontmatter(source)
	var found []string
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
		if entering && !slices.Contains(found, string(destination)) {
			found = append(found, string(destination))
		}
		return ast.WalkContinue, nil
	}) // the function returns no error
	return found
}

// withoutFrontmatter cuts off what Markdown would take for a heading.
func withoutFrontmatter(source []byte) []byte {
	rest, ok := bytes.CutPrefix(source, []byte("---\n"))
	if !ok {
		return source
	}
	if _, body, ok := bytes.Cut(rest, []byte("\n---\n")); ok {
		return body
	}
	return source
}
