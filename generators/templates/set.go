package templates

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"sort"
	"strings"
	"sync"
	"text/template"
)

//go:embed *.tmpl
var embedded embed.FS

// A Set is the templates that skills are rendered with. It is immutable and
// safe for concurrent use.
type Set struct {
	templates *template.Template
	version   string
}

// A RenderedFile is one file of a rendered skill.
type RenderedFile struct {
	Name    string // below the skill's directory, as in "references/errors.md"
	Content []byte // UTF-8, lines end in LF, one newline at the end
}

var defaultSet = sync.OnceValues(func() (*Set, error) { return Parse(embedded) })

// Default returns the set that is built in.
func Default() *Set {
	s, err := defaultSet()
	if err != nil {
		panic(err) // the templates are part of the program: a test renders all of them
	}
	return s
}

// Limits of a template and of a file that one renders, in bytes.
const (
	maxTemplate = 1 << 20
	maxRendered = 16 << 20
)

// Parse reads the *.tmpl files at the root of each file system, one template a
// file; a later file system's replace those of the same name before it.
func Parse(sources ...fs.FS) (*Set, error) {
	t := template.New("").Funcs(functions).Option("missingkey=error")
	sum := sha256.New()
	for _, fsys := range sources {
		names, err := fs.Glob(fsys, "*.tmpl")
		if err != nil {
			return nil, fmt.Errorf("list templates: %w", err)
		}
		sort.Strings(names)
		for _, name := range names {
			info, err := fs.Stat(fsys, name)
			if err != nil {
				return nil, fmt.Errorf("read template: %w", err)
			}
			if !info.Mode().IsRegular() || info.Size() > maxTemplate {
				return nil, &Error{File: name, Msg: fmt.Sprintf("a template is a regular file of at most %d KiB", maxTemplate>>10)}
			}
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				return nil, fmt.Errorf("read template: %w", err)
			}
			if _, err := t.New(name).Parse(string(text)); err != nil {
				return nil, fmt.Errorf("parse template: %w", located(err))
			}
			fmt.Fprintf(sum, "%s\x00%d\x00%s", name, len(text), text)
		}
	}
	return &Set{templates: t, version: hex.EncodeToString(sum.Sum(nil)[:12])}, nil
}

// Version stands for the text of all templates of the set. It says nothing
// about the functions that they call.
func (s *Set) Version() string { return s.version }

// RenderEndpoint renders the skill of one operation, SKILL.md first.
func (s *Set) RenderEndpoint(e *Endpoint) ([]RenderedFile, error) { return s.render(e.files()) }

// render executes one template a file.
func (s *Set) render(files []endpointFile) ([]RenderedFile, error) {
	out := make([]RenderedFile, 0, len(files))
	var buf bytes.Buffer
	for _, f := range files {
		buf.Reset()
		if err := s.templates.ExecuteTemplate(&limited{&buf, f.template}, f.template, f.data); err != nil {
			return nil, fmt.Errorf("render %s: %w", f.name, located(err))
		}
		out = append(out, RenderedFile{Name: f.name, Content: tidy(buf.Bytes())})
	}
	return out, nil
}

// A limited writer ends a template that never would.
type limited struct {
	*bytes.Buffer
	template string
}

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxRendered {
		return 0, &Error{File: l.template, Msg: fmt.Sprintf("what it renders is larger than %d MiB", maxRendered>>20)}
	}
	return l.Buffer.Write(p)
}

// tidy ends lines in LF and the text in one of them and, outside fences,
// removes white space at the ends of lines and blank lines after another.
func tidy(text []byte) []byte {
	out := make([]byte, 0, len(text)+1)
	fence := ""
	blank := true // nothing but blank lines so far, or a blank line before
	for l := range bytes.SplitSeq(text, []byte("\n")) {
		l = bytes.TrimSuffix(l, []byte("\r"))
		if fence == "" {
			l = bytes.TrimRight(l, " \t")
			if len(l) == 0 {
				if !blank {
					out = append(out, '\n')
				}
				blank = true
				continue
			}
			fence = opensFence(string(l))
		} else if t := strings.TrimSpace(string(l)); strings.HasPrefix(t, fence) && strings.Trim(t, fence[:1]) == "" {
			fence = ""
		}
		blank = false
		out = append(append(out, l...), '\n')
	}
	return append(bytes.TrimRight(out, "\n"), '\n')
}

// opensFence returns the run of characters that begins a fence, or "".
func opensFence(l string) string {
	l = strings.TrimLeft(l, " ")
	for _, c := range []string{"`", "~"} {
		n := len(l) - len(strings.TrimLeft(l, c))
		if n >= 3 && (c == "~" || !strings.Contains(l[n:], "`")) {
			return l[:n]
		}
	}
	return ""
}
