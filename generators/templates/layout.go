package templates

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/apiskills/apiskills/framework"
)

const (
	skillFile = "SKILL.md"
	suffix    = ".tmpl"

	// maxSteps bounds the work of the templates of one skill: each piece of
	// text, value, round of a loop and call of a template is a step.
	maxSteps = 250_000
	maxCalls = 1000 // of templates within each other
	maxDeep  = 16   // folders within each other
)

// A layout is what the skills of a folder are laid out with. It is immutable.
type layout struct {
	templates *template.Template
	files     []layoutFile // SKILL.md first
	def       *definition
}

// A layoutFile is a file of each skill.
type layoutFile struct {
	name     string // in the skill
	template string // "" for a file that is copied
	content  []byte // of that
}

// readLayout reads what is in the folder besides the definition and the
// records.
func readLayout(ctx context.Context, fsys fs.FS, def *definition, records []source) (*layout, error) {
	l := &layout{def: def, files: []layoutFile{{name: skillFile}}}
	w := &placer{sources: map[string]*parse.Tree{}, out: template.New("").Funcs(recordFunctions).Option("missingkey=error"), done: map[string]bool{}}
	l.templates = w.out
	other := map[string]bool{definitionFile: true}
	for _, s := range records {
		other[s.name] = true
	}
	taken := map[string]string{} // files by name in the skill, in lower case
	owner := map[string]string{} // of a template that a file defines
	total := 0
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("read the folder: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		switch left := strings.HasPrefix(path.Base(name), ".") || def.ignores(name); {
		case name == ".":
			return nil
		case d.IsDir() && left:
			return fs.SkipDir
		case d.IsDir() && strings.Count(name, "/") >= maxDeep:
			return &Error{File: name, Msg: fmt.Sprintf("more than %d folders within each other", maxDeep)}
		case d.IsDir(), left, other[name]:
			return nil
		}
		out, isTemplate := strings.CutSuffix(name, suffix)
		if !relative.MatchString(out) {
			return &Error{File: name, Msg: "names of files have letters, digits, point, hyphen and low line: rename it, or name it at ignore in " + definitionFile}
		}
		key := strings.ToLower(out)
		if first := taken[key]; first != "" {
			return &Error{File: name, Msg: "makes the same file of the skill as " + first}
		}
		taken[key] = name
		if key == "skill.md" && name != skillFile+suffix {
			return &Error{File: name, Msg: "is made from a template named " + skillFile + suffix}
		}
		if out != skillFile && path.Base(out) == skillFile {
			return &Error{File: name, Msg: "would be a skill within each skill: rename it, or name its folder at ignore in " + definitionFile}
		}
		limit := maxTemplate
		if !isTemplate {
			limit = framework.MaxTotalBytes
		}
		data, err := readRegular(fsys, name, limit)
		if err != nil {
			return err
		}
		f := layoutFile{name: out, template: name}
		if isTemplate {
			if err := parseFile(w, owner, name, data); err != nil {
				return err
			}
		} else {
			f.template, f.content = "", data
			if total += len(data); total > framework.MaxTotalBytes {
				return &Error{File: name, Msg: fmt.Sprintf("the files that are copied have more than the %d MiB of a skill", framework.MaxTotalBytes>>20)}
			}
		}
		if out == skillFile {
			l.files[0] = f
			return nil
		}
		if l.files = append(l.files, f); len(l.files) > framework.MaxResources {
			return &Error{File: name, Msg: fmt.Sprintf("a skill may have %d files: name what is none of a skill at ignore in %s", framework.MaxResources, definitionFile)}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if l.files[0].template == "" {
		return nil, &Error{File: skillFile + suffix, Msg: "no such file: it is the template of what comes after the frontmatter of each skill"}
	}
	for _, f := range l.files {
		if f.template == "" {
			continue
		}
		if err := w.rewriteFile(f.template, ""); err != nil {
			return nil, recordFault(err)
		}
	}
	for _, e := range append([]expression{def.path, def.description}, def.metadata...) {
		if err := e.parse(w); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// parseFile reads the templates of a file: its own, and those that it defines.
func parseFile(w *placer, owner map[string]string, name string, data []byte) error {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return &Error{File: name, Line: 1 + bytes.Count(data[:i], []byte("\n")), Msg: "a template is text, and has no NUL"}
	}
	if name == skillFile+suffix && bytes.HasPrefix(data, []byte("---\n")) {
		return &Error{File: name, Line: 1, Msg: "the frontmatter is written from path, description and metadata in " + definitionFile + ": leave it out here"}
	}
	t, err := template.New(name).Funcs(recordFunctions).Parse(string(data))
	if err != nil {
		return recordFault(err)
	}
	for _, t := range t.Templates() {
		if t.Tree == nil || t.Tree.Root == nil {
			continue
		}
		if first := owner[t.Name()]; first != "" || strings.HasPrefix(t.Name(), "=") {
			return &Error{File: name, Msg: fmt.Sprintf("the template %q cannot be defined here: %s has it", t.Name(), cmp.Or(first, definitionFile))}
		}
		owner[t.Name()] = name
		w.sources[t.Name()] = t.Tree
	}
	return nil
}

func readRegular(fsys fs.FS, name string, limit int) ([]byte, error) {
	f, err := openRegular(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > limit {
		return nil, &Error{File: name, Msg: fmt.Sprintf("larger than %d MiB", limit>>20)}
	}
	return data, nil
}

// value returns what an expression says of a record.
func (l *layout) value(ctx context.Context, e *expression, fields map[string]any) (string, error) {
	m := &meter{ctx: ctx}
	if err := l.templates.ExecuteTemplate(m, e.valueTemplate(), fields); err != nil {
		return "", e.locate(err)
	}
	return strings.TrimSpace(m.out.String()), nil
}

// path returns the path of a record's skill.
func (l *layout) path(ctx context.Context, fields map[string]any) (string, error) {
	p, err := l.value(ctx, &l.def.path, fields)
	if err != nil {
		return "", err
	}
	segments := strings.Split(p, "/")
	for _, s := range segments {
		if !framework.ValidName(s) {
			return "", fmt.Errorf("path: the segment %.80q of %.200q is not 1 to 64 lower-case letters and digits with single hyphens between them; make one of a text with {{slug}}", s, p)
		}
	}
	if len(segments) > maxSegments {
		return "", fmt.Errorf("path: %.200q has more than %d segments", p, maxSegments)
	}
	return p, nil
}

const maxSegments = 8 // of a path below the mount

// render returns the files of a record's skill.
func (l *layout) render(ctx context.Context, path string, fields map[string]any) ([]RenderedFile, error) {
	front, err := l.frontmatter(ctx, path, fields)
	if err != nil {
		return nil, err
	}
	m := &meter{ctx: ctx}
	out := make([]RenderedFile, 0, len(l.files))
	for _, f := range l.files {
		if f.template == "" {
			if m.size += len(f.content); m.size > maxRendered {
				return nil, errRendered
			}
			out = append(out, RenderedFile{f.name, f.content})
			continue
		}
		m.out.Reset()
		if err := l.templates.ExecuteTemplate(m, f.template, fields); err != nil {
			return nil, recordFault(err)
		}
		text := tidy(m.out.Bytes())
		switch empty := len(bytes.TrimSpace(text)) == 0; {
		case empty && f.name == skillFile:
			return nil, &Error{File: f.template, Msg: "it says nothing for this record"}
		case empty:
			continue
		case f.name == skillFile:
			text = append([]byte(front+"\n\n"), text...)
		}
		out = append(out, RenderedFile{f.name, text})
	}
	return out, nil
}

func (l *layout) frontmatter(ctx context.Context, p string, fields map[string]any) (string, error) {
	description, err := l.value(ctx, &l.def.description, fields)
	if err != nil {
		return "", err
	}
	if Line(description) == "" {
		return "", &Error{File: definitionFile, Line: l.def.description.line, Msg: "description says nothing for this record"}
	}
	var metadata []Pair
	for i := range l.def.metadata {
		e := &l.def.metadata[i]
		v, err := l.value(ctx, e, fields)
		if err != nil {
			return "", err
		}
		if v = Line(v); v != "" {
			metadata = append(metadata, Pair{strings.TrimPrefix(e.key, metadataPrefix), v})
		}
	}
	return Frontmatter(path.Base(p), description, metadata)
}

var errRendered = fmt.Errorf("the files of the skill are larger than %d MiB together", maxRendered>>20)

// A meter is what templates write to. It ends those that do too much: a loop
// that prints nothing writes nothing at each round.
type meter struct {
	ctx   context.Context
	out   bytes.Buffer
	size  int // of all files
	steps int
	calls int // of templates that have not ended
}

func (m *meter) Write(p []byte) (int, error) {
	if m.steps++; m.steps > maxSteps {
		return 0, fmt.Errorf("the templates take more than %d steps: a loop or a template that calls itself does not end", maxSteps)
	}
	switch string(p) {
	case entered:
		if m.calls++; m.calls > maxCalls {
			return 0, fmt.Errorf("more than %d calls of templates within each other: a template that calls itself does not end", maxCalls)
		}
		return len(p), nil
	case left:
		m.calls--
		return len(p), nil
	}
	if m.size += len(p); m.size > maxRendered {
		return 0, errRendered
	}
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	return m.out.Write(p)
}

var shown = regexp.MustCompile(`(?s)^executing ".*?" at <` + showName + ` [^>]*>: (?:error calling ` + showName + `: )?(.*)$`)

// recordFault makes an error of text/template an [*Error] that says where it is
// and what to do.
func recordFault(err error) error {
	err = located(err)
	f := new(Error)
	if !errors.As(err, &f) {
		return err
	}
	msg := f.Msg
	if m := shown.FindStringSubmatch(msg); m != nil {
		msg = m[1]
	}
	if strings.Contains(msg, "map has no entry for key") {
		msg += ": the record has no such field; give it a value at defaults in " + definitionFile + ", or ask with {{has}} or {{get}}"
	}
	return &Error{File: f.File, Line: f.Line, Msg: msg}
}
