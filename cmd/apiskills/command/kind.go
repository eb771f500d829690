package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"
	"unicode"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/names"
)

// A Kind makes generators of one kind of source. [NewKind] returns one.
type Kind struct {
	name, summary string
	about         []string                                                 // a line for each option
	check         func(o config.DocumentOptions) error                     // nil: it has no options
	place         func(flag string, where func(path string) string) string // of the paths in a --option
	open          func(ctx context.Context, src *Source) (framework.Generator, error)
}

// NewKind returns a kind of generator under a name, which users write before a
// path, NAME:PATH, or after kind: in the configuration file. The name consists of
// lower-case letters, digits and single hyphens, two at least; summary is a line for
// the help.
//
// O is the struct of the options of a document of this kind. Its fields have yaml tags,
// and doc tags for the help. They are decoded over defaults, strictly: an unknown key, a
// value of another type and what a method Validate() error of *O refuses are errors that
// name the file and the line, or the flag --option KEY=VALUE. A field of the type [Path]
// is a file or folder, which in the configuration file is relative to that file. An
// option that is a list is given by several flags, or by one of the form KEY=[a, b].
//
// open returns the generator of a document. It is called once for each at the start, and
// by serve again for what is to be read anew; documents are opened side by side. Its
// errors should say what is wrong and where; they are printed as they are. It should
// return soon after ctx is done. A generator that is an io.Closer is closed when the
// command ends, or a minute after another one took its place.
func NewKind[O any](name, summary string, defaults O, open func(ctx context.Context, src *Source, options O) (framework.Generator, error)) Kind {
	decode := func(o config.DocumentOptions) (O, error) {
		options := defaults
		err := o.Decode(&options)
		return options, err
	}
	return Kind{
		name: name, summary: summary, about: config.DescribeOptions(&defaults),
		place: func(flag string, where func(string) string) string { return config.PlaceFlag(&defaults, flag, where) },
		check: func(o config.DocumentOptions) error { _, err := decode(o); return err },
		open: func(ctx context.Context, src *Source) (framework.Generator, error) {
			options, err := decode(src.doc.Options)
			if err != nil {
				return nil, err
			}
			return open(ctx, src, options)
		},
	}
}

// A Path is a file or a folder among the options of a kind.
type Path = config.Path

// A Source is what a user gave to make skills of.
type Source struct {
	// Name is the first segment of the URIs of the skills: what the user gave, or else
	// made of the last element of Path, "" if nothing can be made of that. Where Named is
	// false, open may set it to what the source calls itself.
	Name string
	// Named reports whether the user gave the name.
	Named bool
	// Path is the file or folder as the user wrote it, seen from the working directory;
	// or a URL; or "-" for Stdin.
	Path string
	// Stdin is standard input where Path is "-", and nil otherwise.
	Stdin io.Reader
	// Logger is the log of the command.
	Logger *slog.Logger

	doc  config.Document
	s    *session
	uses func(path string) // nil: nobody wants to know
}

// URI returns the URI of the SKILL.md of the skill at a path, for skills that name others.
// It has the Name, so one that open sets is set before.
func (s *Source) URI(path string) string {
	return (&url.URL{Scheme: "skill", Host: s.Name, Path: "/" + path + "/SKILL.md"}).String()
}

// Uses says that the generator is made of a file, or of a folder and what is in it:
// serve --watch opens the source anew when that changes. Path itself, if it is a file,
// need not be named; if it is a folder, it does. Uses is to be called before open returns.
// The generator then need not notice changes itself. If it never changes, let it be a
// [framework.Watcher] whose Watch waits for the end of its context: serve runs that, with
// or without --watch, and asks for no skill again until the source is opened anew.
func (s *Source) Uses(path string) {
	if s.uses != nil {
		s.uses(path)
	}
}

// openDocument opens a document. It returns the first segment of its skills' URIs too.
func (a *app) openDocument(ctx context.Context, doc config.Document, s *session, uses func(path string)) (source, error) {
	kind, ok := a.kind(doc.Kind)
	if !ok {
		return source{}, fmt.Errorf("%s: unknown kind %q", display(doc), doc.Kind) // the configuration knows them
	}
	src := &Source{Name: cmp.Or(doc.Name, nameOf(doc.Path)), Named: doc.Name != "", Path: doc.Path, Logger: s.log, doc: doc, s: s, uses: uses}
	if doc.Path == config.Stdin {
		src.Stdin = s.stdin
	}
	g, err := kind.openSafely(ctx, src)
	if err != nil {
		return source{}, a.adviseKind(doc, err)
	}
	if g == nil {
		return source{}, fmt.Errorf("%s: the kind %s made no generator", display(doc), kind.name)
	}
	a.keep(g)
	made := g
	if g, err = withSkills(g, doc, src); err != nil {
		a.drop(made)
		return source{}, err
	}
	if src.Name == "" {
		a.drop(made)
		return source{}, fmt.Errorf("%s: no name for it can be made of its path; give one, as in %s", display(doc), argument(config.Document{Name: "name", Kind: doc.Kind, Path: doc.Path}, same))
	}
	return source{doc, g, made, src.Name}, nil
}

// openSafely is open, of which a panic is an error of the document.
func (k Kind) openSafely(ctx context.Context, src *Source) (g framework.Generator, err error) {
	defer func() {
		if v := recover(); v != nil {
			g, err = nil, fmt.Errorf("%s: the kind %s failed: panic: %v\n%s", display(src.doc), k.name, v, debug.Stack())
		}
	}()
	return k.open(ctx, src)
}

// adviseKind says of a folder that was taken for an OpenAPI document how to give it.
func (a *app) adviseKind(doc config.Document, err error) error {
	if info := stat(doc.Path); doc.Kind != config.OpenAPI || info == nil || !info.IsDir() {
		return err
	}
	kind := "folder"
	if stat(filepath.Join(doc.Path, "skills.yaml")) != nil {
		kind = "templates"
	}
	if _, ok := a.kind(kind); !ok {
		return err
	}
	return fmt.Errorf("%w; or, as it is none, say %s", err, argument(config.Document{Name: doc.Name, Kind: kind, Path: doc.Path}, same))
}

// nameOf makes a name of a path: of its last element without extension, which has a
// letter: what follows the last point in 1.2 is none. It is "" where that has no letters
// or digits to make one of.
func nameOf(p string) string {
	base := path.Base(filepath.ToSlash(p))
	if base == "." || base == ".." { // of the folder that it stands for
		base = path.Base(filepath.ToSlash(absolute(p)))
	}
	if ext := path.Ext(base); ext != base && strings.ContainsFunc(ext, unicode.IsLetter) {
		base = strings.TrimSuffix(base, ext)
	}
	if !strings.ContainsFunc(base, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return names.Slug(base)
}

// kind returns the kind of a name.
func (a *app) kind(name string) (Kind, bool) {
	for _, k := range a.kinds {
		if k.name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// kindNames are the names of the kinds, that of documents that name none first.
func (a *app) kindNames() []string {
	names := make([]string, len(a.kinds))
	for i, k := range a.kinds {
		names[i] = k.name
	}
	return names
}

// readsOpenAPI reports whether the command has the kind for OpenAPI documents, and
// with it the flags that are for these alone.
func (a *app) readsOpenAPI() bool {
	_, ok := a.kind(config.OpenAPI)
	return ok
}

// help is what "help KIND" prints.
func (k Kind) help(program string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n  %s serve NAME=%s:PATH\n", k.name, k.summary, program, k.name)
	if len(k.about) > 0 {
		fmt.Fprintf(&b, "\nOptions, as --option KEY=VALUE or under options in the configuration file:\n\n")
		for _, line := range k.about {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	return b.String()
}
