package templates

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/apiskills/apiskills/framework"
)

// Options configure a Generator. The zero value and nil mean the defaults.
type Options struct {
	// Folder is what messages put before the names of files. [Load] takes its
	// directory by default.
	Folder string
	// Time is how long the templates of one skill may take; 10 seconds by
	// default.
	Time time.Duration
}

// A Generator makes one skill of each record of a folder. It implements
// [framework.Generator], Lister, Featurer, Diagnoser and Summarizer.
//
// It knows the records that were there when it was made. Of those in files it
// keeps no more than the path of the skill and where the record is, and reads
// the record again for each skill; the error for one that is not there any more
// wraps [ErrChanged]. To take in changes make a new one.
type Generator struct {
	fsys    fs.FS
	folder  string
	time    time.Duration
	layout  *layout
	sources []source
	entries []entry // ascending by path
	faults  []framework.Diagnostic
	more    int // faults that are only counted
}

// An entry is one skill.
type entry struct {
	path string
	record
}

const (
	maxFaults   = 1000
	defaultTime = 10 * time.Second
)

// Load reads the folder dir and returns the generator of its skills. Nothing
// outside of it is read, also not through symbolic links. A fault of the
// definition or of a template is an [*Error]; a record's fault is a diagnostic,
// unless no record is left.
func Load(ctx context.Context, dir string, opts *Options) (*Generator, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder of templates: %w", err)
	}
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Folder = cmp.Or(o.Folder, dir)
	g, err := LoadFS(ctx, rootFS{root}, &o)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return g, nil
}

// rootFS opens files without waiting for the other end of a pipe.
type rootFS struct{ root *os.Root }

func (r rootFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return r.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// LoadFS is [Load] for a file system, which the generator goes on reading from.
// Files that can be read from anywhere (io.ReaderAt or io.Seeker) are not read
// from their beginning for each record.
func LoadFS(ctx context.Context, fsys fs.FS, opts *Options) (*Generator, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	g := &Generator{fsys: fsys, folder: o.Folder, time: cmp.Or(max(o.Time, 0), defaultTime)}
	def, err := readDefinition(fsys)
	if err != nil {
		return nil, g.inFolder(err)
	}
	if g.sources, err = def.sources(fsys); err != nil {
		return nil, g.inFolder(err)
	}
	if g.layout, err = readLayout(ctx, fsys, def, g.sources); err != nil {
		return nil, g.inFolder(err)
	}
	if err := g.index(ctx); err != nil {
		return nil, err
	}
	if len(g.entries) == 0 && len(g.faults) > 0 {
		return nil, fmt.Errorf("%s: no record can be used; the first fault: %s", cmp.Or(g.folder, "the folder"), g.faults[0])
	}
	for _, p := range def.featured {
		if _, ok := g.find(p.text); !ok {
			g.report(framework.Diagnostic{
				Severity: framework.Warning, Rule: "featured-not-found", File: g.file(definitionFile), Line: p.line,
				Message: fmt.Sprintf("no record makes the featured skill %.200q", p.text),
			})
		}
	}
	g.try(ctx)
	return g, nil
}

// inFolder puts the folder before the file of an [*Error].
func (g *Generator) inFolder(err error) error {
	if f := new(Error); errors.As(err, &f) {
		return &Error{File: g.file(f.File), Line: f.Line, Msg: f.Msg}
	}
	return err
}

func (g *Generator) file(name string) string { return path.Join(g.folder, name) }

func (g *Generator) find(p string) (*entry, bool) {
	i, ok := sort.Find(len(g.entries), func(i int) int { return strings.Compare(p, g.entries[i].path) })
	if !ok {
		return nil, false
	}
	return &g.entries[i], true
}

// Skill implements [framework.Generator]. The skill is whole when it is
// returned: which files it has is up to the templates. Its diagnostics are about
// texts of the record that are not meant for readers of documentation.
func (g *Generator) Skill(ctx context.Context, p string) (*framework.Skill, error) {
	e, ok := g.find(p)
	if !ok {
		return nil, fmt.Errorf("no record makes a skill %.200q: %w", p, framework.ErrNotFound)
	}
	files, fields, err := g.render(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", g.file(g.sources[e.source].name), e.line, err)
	}
	s := &framework.Skill{Diagnostics: g.concerns(e, fields)}
	sum := sha256.New()
	for _, f := range files {
		fmt.Fprintf(sum, "%s\x00%d\x00%s", f.Name, len(f.Content), f.Content)
		content := f.Content
		s.Files = append(s.Files, framework.File{Name: f.Name, Content: func(context.Context) ([]byte, error) { return slices.Clone(content), nil }})
	}
	s.Version = hex.EncodeToString(sum.Sum(nil))
	return s, nil
}

func (g *Generator) render(ctx context.Context, e *entry) ([]RenderedFile, map[string]any, error) {
	ctx, cancel := context.WithTimeout(ctx, g.time)
	defer cancel()
	fields, err := g.fields(ctx, e, g.open)
	if err != nil {
		return nil, nil, err
	}
	files, err := g.layout.render(ctx, e.path, fields)
	return files, fields, g.inFolder(err)
}

// fields reads a record again.
func (g *Generator) fields(ctx context.Context, e *entry, open opener) (map[string]any, error) {
	fields, err := g.sources[e.source].read(ctx, open, e.record)
	if err == nil {
		g.complete(fields)
	}
	return fields, err
}

func (g *Generator) open(name string) (fs.File, func(), error) {
	f, err := openRegular(g.fsys, name)
	if err != nil {
		return nil, nil, err
	}
	return f, func() { _ = f.Close() }, nil
}

// Paths implements framework.Lister.
func (g *Generator) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		i := sort.Search(len(g.entries), func(i int) bool { return g.entries[i].path > after })
		for _, e := range g.entries[i:] {
			if !yield(e.path, nil) {
				return
			}
		}
	}
}

// Featured implements framework.Featurer: those of the definition that there
// are.
func (g *Generator) Featured(context.Context) ([]string, error) {
	var out []string
	for _, p := range g.layout.def.featured {
		if _, ok := g.find(p.text); ok && !slices.Contains(out, p.text) {
			out = append(out, p.text)
		}
	}
	return out, nil
}

// Diagnostics implements framework.Diagnoser: the records that have no skill,
// the first 1,000 of them, and what is wrong with the first skill of each file.
func (g *Generator) Diagnostics(context.Context) iter.Seq[framework.Diagnostic] {
	return func(yield func(framework.Diagnostic) bool) {
		for _, d := range g.faults {
			if !yield(d) {
				return
			}
		}
		if g.more > 0 {
			yield(framework.Diagnostic{Severity: framework.Warning, Rule: "more-diagnostics", File: g.folder, Message: fmt.Sprintf("%d more faults are not shown", g.more)})
		}
	}
}
