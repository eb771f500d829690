package openapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
	"github.com/apiskills/apiskills/generators/openapi/internal/names"
	"github.com/apiskills/apiskills/generators/templates"
)

// An Error says why a document cannot be used at all, and where. Faults that
// cost less than the document are diagnostics.
type Error = ingest.Error

// Options configure a Generator. The zero value and nil mean the defaults.
type Options struct {
	// Name is the API's name: the first segment of every URI. It is a slug of
	// at most 58 characters; the default is the slug of the document's title.
	Name string
	// Scheme is the scheme of the URIs that the skills name; "skill" by
	// default. It must be that of the catalog.
	Scheme string
	// Budget bounds the small document that a skill is made from, in bytes of
	// canonical JSON; 32 KiB by default. Schemas beyond it are not expanded.
	Budget int
	// RefRoot is the directory within which references to other files are
	// followed: that of the document by default. The document must be inside it.
	// It counts for [Load] alone.
	RefRoot string
	// Files reads the files that references lead to, in the place of a directory:
	// for documents that come from somewhere else.
	Files Files
	// Server is the URL of the API if the document names no server; a relative
	// one is resolved against it. It is absolute, over HTTP. An absolute URL in
	// the document stands.
	Server string
	// AllowPrivate has [Fetch] connect to private and special addresses too.
	AllowPrivate bool
	// IfNoneMatch has [Fetch] return [ErrNotModified] if the document still has
	// this entity tag, which [Generator.ETag] gave.
	IfNoneMatch string
	// Templates render the skills; [templates.Default] by default.
	Templates *templates.Set
	// Prose is how much of the document's prose the skills carry; [ProseFull] by
	// default.
	Prose ProseMode
	// Overlays change the document before it is read, in their order; see
	// [ApplyOverlays].
	Overlays []Overlay
	// Snippets is a folder of Markdown files that are shown as guidance:
	// operations/NAME.md in the skill of that name, groups/GROUP.md beside that
	// group in the guide, and guide.md in the guide. They take the place of what
	// x-skill says. "": none.
	Snippets string
	// Include and Exclude choose what is served: what some rule of Include
	// picks, or everything if it has none, but for what a rule of Exclude picks.
	// A document of which nothing is left cannot be used.
	Include, Exclude []Rule
	// OnRead, unless nil, is called with the bytes of the document, after its
	// overlays and under the name "", and of each file that its references lead to, under its path from the
	// document's folder. They must not be changed.
	OnRead func(file string, data []byte)
	// CacheDir is a folder, made if it is not there, to keep what was found in the
	// document, and the document itself if it is YAML or has overlays: read again and
	// found unchanged, it is not parsed again. Several processes may share it. It takes
	// at most 1 GiB. One that cannot be used, or that others may write to, is not used.
	// "": none.
	CacheDir string
	// CacheVersion identifies the program, of which another version reads documents
	// in another way. By default Go's build information does; without it, as in a
	// program built from uncommitted files, nothing is cached.
	CacheVersion string
	// Logger receives what was found in the document, at debug level; nothing by
	// default. Faults are diagnostics instead.
	Logger *slog.Logger

	base *url.URL // where the document was found
}

const (
	defaultBudget = 32 << 10
	maxDocument   = 256 << 20
	maxName       = 64
	maxAPIName    = 58 // and "-guide" make the 64 that a skill's name may have
)

// A Generator makes the skills of one document. It implements
// [framework.Generator], Lister, Featurer, Watcher and Diagnoser.
type Generator struct {
	api        string
	scheme     string
	budget     int
	doc        *ingest.Document
	ops        []ingest.Operation // of doc, those that are served
	unmatched  []string           // rules
	excluded   []string           // pointers of operations that are not served
	templates  *templates.Set
	prose      ProseMode
	server     string // where the document names none, or ""
	serverBase string // of relative ones, or ""
	etag       string
	entries    []entry // ascending by path
	at         []int32 // entries by index of the operation
	authors    *authors
	titled     bool // nobody chose the API's name
	snippets   snippets
	diags      []framework.Diagnostic
}

// An entry is one skill.
type entry struct {
	path string // "group/name", or the guide's name
	op   int32  // index into ops; guideEntry for the guide
}

const guideEntry = -1

// Load reads the document at path and returns its generator. The error for a
// document that cannot be used is an [*Error].
func Load(ctx context.Context, path string, opts *Options) (*Generator, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := readUpTo(path, maxDocument, "OpenAPI document", "split the document")
	if err != nil {
		return nil, err
	}
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Files == nil {
		root, err := openFolder(path, o.RefRoot)
		if err != nil {
			return nil, err
		}
		defer root.close()
		o.Files = root
	}
	return New(path, data, &o)
}

// readUpTo reads a file of at most limit bytes once, with errors that a user can
// act on.
func readUpTo(path string, limit int64, what, hint string) ([]byte, error) {
	fail := func(msg, hint string) ([]byte, error) { return nil, &Error{File: path, Msg: msg, Hint: hint} }
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fail("no such file", "check the path of the "+what)
	case err != nil:
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return fail("cannot be read: "+err.Error(), "")
	case info.IsDir():
		return fail("is a directory", "name the "+what+" in it, such as "+filepath.Join(path, "openapi.yaml"))
	}
	tooLarge := func() ([]byte, error) {
		return fail(fmt.Sprintf("is larger than %d MiB", limit>>20), hint)
	}
	if info.Size() > limit {
		return tooLarge()
	}
	data, err := readFile(path, info.Size(), limit)
	switch {
	case int64(len(data)) > limit:
		return tooLarge()
	case errors.Is(err, fs.ErrPermission):
		return fail("permission denied", "make the file readable for this user")
	case err != nil:
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return fail("cannot be read: "+err.Error(), "")
	}
	return data, nil
}

// readFile is os.ReadFile with a limit: devices and pipes may never end.
func readFile(path string, size, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err = b.ReadFrom(io.LimitReader(f, limit+1))
	return b.Bytes(), err
}

// New returns the generator of a document: data is its bytes, which must not be
// changed any more, and file the name that diagnostics use. References to other
// files are followed only with [Options.Files]. The error for a document that
// cannot be used is an [*Error].
func New(file string, data []byte, opts *Options) (*Generator, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if len(data) > maxDocument {
		return nil, &Error{File: file, Msg: fmt.Sprintf("is larger than %d MiB", maxDocument>>20), Hint: "split the document"}
	}
	if o.OnRead != nil && o.Files != nil {
		o.Files = watched{o.Files, o.OnRead}
	}
	doc, changes, err := readDocument(file, data, &o)
	if err != nil {
		return nil, err
	}
	g := &Generator{
		scheme:    cmp.Or(o.Scheme, "skill"),
		budget:    cmp.Or(max(o.Budget, 0), defaultBudget),
		doc:       doc,
		ops:       doc.Operations,
		templates: cmp.Or(o.Templates, templates.Default()),
	}
	if g.prose, err = proseMode(file, o.Prose); err != nil {
		return nil, err
	}
	if err := g.setServer(&o); err != nil {
		return nil, err
	}
	g.authors = readAuthors(g)
	if g.api, err = apiName(o.Name, g.authors.root.name, file, doc); err != nil {
		return nil, err
	}
	g.titled = o.Name == "" && g.authors.root.name == ""
	if err := g.name(&o); err != nil {
		return nil, err
	}
	g.diags = slices.Concat(changes, g.diags, g.authors.diags)
	if err := g.readSnippets(o.Snippets); err != nil {
		return nil, err
	}
	if o.Logger != nil {
		o.Logger.Debug("indexed an OpenAPI document", "file", file, "api", g.api, "openapi", doc.OpenAPI, "operations", len(doc.Operations), "served", len(g.ops), "diagnostics", len(g.diags))
	}
	return g, nil
}

// apiName returns the first segment of the API's URIs: the user's, else what the
// authors chose, else one made of the title.
func apiName(name, chosen, file string, doc *ingest.Document) (string, error) {
	if name != "" {
		if names.Slug(name) != name || len(name) > maxAPIName {
			return "", &Error{
				File: file,
				Msg:  fmt.Sprintf("%.80q cannot be the name of an API", name),
				Hint: fmt.Sprintf("take lower-case letters, digits and single hyphens, at most %d of them", maxAPIName),
			}
		}
		return name, nil
	}
	if chosen != "" {
		return chosen, nil
	}
	base := filepath.Base(file)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	for _, s := range []string{doc.Title, base} {
		if slug := names.TitleSlug(s); slug != "" {
			return shorten(slug, maxAPIName), nil
		}
	}
	return "api", nil
}

// shorten cuts a slug to at most n bytes, between two words if it can.
func shorten(slug string, n int) string {
	if len(slug) <= n {
		return slug
	}
	if i := strings.LastIndexByte(slug[:n+1], '-'); i > 0 {
		return slug[:i]
	}
	return slug[:n]
}

// name gives each operation its path, and leaves out what is not served.
func (g *Generator) name(o *Options) error {
	table, err := g.filter(o, names.Choose(g.api, g.ops, g.authors.chosen))
	if err != nil {
		return err
	}
	ops := g.ops
	g.diags = slices.Clone(g.doc.Diagnostics)
	g.entries = make([]entry, 0, len(ops)+1)
	g.entries = append(g.entries, entry{g.guideName(), guideEntry})
	for i, n := range table {
		g.entries = append(g.entries, entry{n.Group + "/" + n.Name, int32(i)})
		if d, ok := hashed(&ops[i], g.authors.chosen(&ops[i]).Name, n); ok {
			d.File = g.doc.File
			g.diags = append(g.diags, d)
		}
	}
	slices.SortFunc(g.entries, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	g.at = make([]int32, len(ops))
	for i, e := range g.entries {
		if e.op != guideEntry {
			g.at[e.op] = int32(i)
		}
	}
	return nil
}

// hashed reports a name that took a hash: it says less than its author meant.
func hashed(op *ingest.Operation, chosen string, n names.Name) (d framework.Diagnostic, ok bool) {
	plain := cmp.Or(chosen, names.Slug(op.OperationID))
	if plain == "" {
		plain = names.Slug(op.Method + " " + cmp.Or(op.Webhook, op.Path))
	}
	d = framework.Diagnostic{Skill: n.Group + "/" + n.Name, Pointer: op.Pointer}
	switch {
	case plain == n.Name:
		return d, false
	case plain == "" || len(plain) > maxName:
		d.Severity, d.Rule = framework.Note, "long-name"
		d.Message = fmt.Sprintf("the name %.100q is longer than %d characters and was cut; a shorter operationId would be kept", plain, maxName)
		if plain == "" {
			d.Message = "the operation has no name in Latin letters and took a hash; an operationId would be kept"
		}
	default:
		d.Severity, d.Rule = framework.Warning, "twin-name"
		d.Message = fmt.Sprintf("several operations would have the name %q; each took a hash. Give each its own operationId, or its own name in x-skill, also without regard to case", plain)
	}
	return d, true
}

// API returns the API's name: the prefix at which a catalog mounts g.
func (g *Generator) API() string { return g.api }

// NamedByTitle reports whether the API has its name from the document's title,
// with which it would change.
func (g *Generator) NamedByTitle() bool { return g.titled }

func (g *Generator) guideName() string { return names.Guide(g.api) }

// uri returns the URI of a SKILL.md.
func (g *Generator) uri(path string) string {
	return g.scheme + "://" + g.api + "/" + path + "/SKILL.md"
}

// path returns the path of an operation's skill.
func (g *Generator) path(op int32) string { return g.entries[g.at[op]].path }

// find returns the position of the first entry whose path is not below path.
func (g *Generator) find(path string) (int, bool) {
	return slices.BinarySearchFunc(g.entries, path, func(e entry, p string) int { return strings.Compare(e.path, p) })
}

// Paths implements [framework.Lister].
func (g *Generator) Paths(_ context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		i, found := g.find(after)
		if found {
			i++
		}
		for _, e := range g.entries[i:] {
			if !yield(e.path, nil) {
				return
			}
		}
	}
}

// Featured implements [framework.Featurer]: the guide comes first.
func (g *Generator) Featured(context.Context) ([]string, error) { return []string{g.guideName()}, nil }

// Watch implements [framework.Watcher]. The document was read once, so nothing
// ever changes.
func (g *Generator) Watch(ctx context.Context, _ func(path string)) error {
	<-ctx.Done()
	return ctx.Err()
}

// Diagnostics implements [framework.Diagnoser] with the faults that overlays,
// indexing, naming and snippets found.
func (g *Generator) Diagnostics(context.Context) iter.Seq[framework.Diagnostic] {
	return slices.Values(g.diags)
}
