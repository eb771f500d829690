package openapi

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apiskills/apiskills/framework"
)

// Limits of a folder of snippets.
const (
	maxSnippet  = 64 << 10 // bytes of a file
	maxSnippets = 20_000   // files
)

// snippets are what those who serve the skills say to agents, by what they say
// it of: skills of operations and groups by name. The zero value has none.
type snippets struct {
	operations, groups map[string]string
	guide              string
}

// The folders of snippets. Names of skills and of groups are lower-case letters,
// digits and hyphens, so that they are file names everywhere.
const (
	operationSnippets = "operations"
	groupSnippets     = "groups"
	guideSnippet      = "guide.md"
)

// readSnippets reads the folder at dir. Nothing outside of it is opened. A file
// that cannot be used, or says nothing of what is served, is a diagnostic.
func (g *Generator) readSnippets(dir string) error {
	if dir == "" {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return &Error{File: dir, Msg: "the folder of snippets cannot be opened: " + reason(err), Hint: "name a folder that this user may read"}
	}
	defer root.Close()
	r := snippetReader{g: g, dir: dir, folder: &folder{root: root, dir: dir, at: ".", own: true}}
	for _, e := range r.list(".") {
		switch name := e.Name(); {
		case name == guideSnippet:
			g.snippets.guide = r.read(name)
		case name == operationSnippets:
			g.snippets.operations = r.folderOf(name, "skill", g.skillNames())
		case name == groupSnippets:
			g.snippets.groups = r.folderOf(name, "group", g.groupNames())
		case e.IsDir() || path.Ext(name) == ".md":
			r.report(framework.Warning, "snippet-no-match", name, "is no place for snippets: they are in %s/NAME.md, %s/GROUP.md and %s", operationSnippets, groupSnippets, guideSnippet)
		}
	}
	return nil
}

func (g *Generator) skillNames() map[string]bool {
	set := map[string]bool{}
	for _, e := range g.entries {
		if _, name, ok := strings.Cut(e.path, "/"); ok {
			set[name] = true
		}
	}
	return set
}

func (g *Generator) groupNames() map[string]bool {
	set := map[string]bool{}
	for _, e := range g.entries {
		if group, _, ok := strings.Cut(e.path, "/"); ok {
			set[group] = true
		}
	}
	return set
}

// A snippetReader reads one folder of snippets.
type snippetReader struct {
	g      *Generator
	dir    string
	folder *folder
	files  int
}

func (r *snippetReader) report(severity framework.Severity, rule, name, format string, args ...any) {
	if len(r.g.diags) < 2*maxReports {
		r.g.diags = append(r.g.diags, framework.Diagnostic{
			Severity: severity, Rule: rule, File: path.Join(strings.ReplaceAll(r.dir, `\`, "/"), name), Message: fmt.Sprintf(format, args...),
		})
	}
}

// list returns the entries of a folder by name, without those that begin with a
// dot.
func (r *snippetReader) list(name string) []fs.DirEntry {
	entries, err := r.entries(name)
	if err != nil {
		r.report(framework.Warning, "snippet-unusable", name, "cannot be read: %s", reason(err))
		return nil
	}
	if len(entries) > maxSnippets {
		r.report(framework.Warning, "snippet-unusable", name, "has more than %d files: none is used", maxSnippets)
		return nil
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

func (r *snippetReader) entries(name string) ([]fs.DirEntry, error) {
	// To open what is no folder may wait for ever.
	if info, err := r.folder.root.Stat(name); err != nil || !info.IsDir() {
		return nil, cmp.Or(err, errors.New("is no folder"))
	}
	f, err := r.folder.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(maxSnippets + 1)
	if err == io.EOF { // it is empty
		err = nil
	}
	return entries, err
}

// folderOf reads the snippets in a folder that are named after what is served.
func (r *snippetReader) folderOf(dir, what string, served map[string]bool) map[string]string {
	found := map[string]string{}
	for _, e := range r.list(dir) {
		file := path.Join(dir, e.Name())
		name, ok := strings.CutSuffix(e.Name(), ".md")
		switch {
		case !ok:
		case !served[name]:
			r.report(framework.Warning, "snippet-no-match", file, "no %s that is served has the name %.80q", what, name)
		default:
			if s := r.read(file); s != "" {
				found[name] = s
			}
		}
	}
	return found
}

// read returns the text of a snippet, or "" if it cannot be used.
func (r *snippetReader) read(name string) string {
	data, err := r.snippet(name)
	if err != nil {
		r.report(framework.Warning, "snippet-unusable", name, "%v: it is not used", err)
	}
	return data
}

func (r *snippetReader) snippet(name string) (string, error) {
	if r.files++; r.files > maxSnippets {
		return "", fmt.Errorf("is one of more than %d", maxSnippets)
	}
	data, err := r.folder.Read(name)
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	switch {
	case err != nil:
		return "", err
	case len(data) > maxSnippet:
		return "", fmt.Errorf("is larger than %d KiB", maxSnippet>>10)
	case !utf8.Valid(data):
		return "", errors.New("is not UTF-8")
	case len(bytes.TrimSpace(data)) == 0:
		return "", errors.New("is empty")
	}
	return string(bytes.TrimSpace(data)), nil
}
