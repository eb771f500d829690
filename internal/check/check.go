package check

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"golang.org/x/sync/errgroup"
)

// A Document is one that a catalog serves, with the bytes it was read from.
type Document struct {
	// Name is that under which diagnostics know it.
	Name string
	// API is the first segment of its skills' URIs.
	API string
	// Generator makes its skills.
	Generator framework.Generator
	// Made is what makes skills of the document, where Generator has hand-written ones
	// and files over them; nil: Generator. What is said of the document is looked for in
	// what is made of it.
	Made framework.Generator
	// Data are its bytes if it is an OpenAPI document; nil if it is of another
	// kind, of which nothing but the skills is looked at. Files are those of the
	// files that it refers to, by their path from its folder.
	Data  []byte
	Files map[string][]byte
	// Derived: Data are not the bytes of the file, so that lines mean nothing.
	Derived bool
	// Server and RefRoot are what the generator was told, if anything: the URL
	// of the API, and the folder within which references are followed.
	Server, RefRoot string
}

// Options say what is looked at.
type Options struct {
	// Off are IDs of rules whose findings are left out.
	Off []string
	// Strict has each document validated as a whole, too.
	Strict bool
	// Replay has the commands of the skills run against a stand-in for the API
	// on the loopback interface, where that is possible; see [CanReplay].
	Replay bool
	// Diagnostics returns what making the skills of the catalog has found.
	Diagnostics func() []framework.Diagnostic
	// Progress is called with the number of skills that are done.
	Progress func(skills int)
}

// A Report is what was found.
type Report struct {
	Documents []DocumentReport // in the order given
}

// A DocumentReport has the findings of a document and of its skills, sorted.
type DocumentReport struct {
	Name, API string
	Skills    int
	Findings  []Finding

	written bool // the text of its skills may be somebody else's than this program's
}

// Findings yields the findings of all documents.
func (r *Report) Findings() iter.Seq[*Finding] {
	return func(yield func(*Finding) bool) {
		for i := range r.Documents {
			for j := range r.Documents[i].Findings {
				if !yield(&r.Documents[i].Findings[j]) {
					return
				}
			}
		}
	}
}

// Count returns how many findings have a severity.
func (r *Report) Count(s framework.Severity) int {
	n := 0
	for f := range r.Findings() {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Run makes each skill of the catalog and holds skills and documents against
// the rules. The documents are those that the catalog serves. An error is one
// of ctx, of a listing, or an ID in opts that is no rule's.
func Run(ctx context.Context, catalog *framework.Catalog, docs []Document, opts *Options) (*Report, error) {
	r, err := newRun(catalog, docs, opts)
	if err != nil {
		return nil, err
	}
	if err := r.skills(ctx); err != nil {
		return nil, err
	}
	r.mentioned()
	r.diagnostics(ctx)
	report := &Report{}
	for _, d := range r.docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d.holes()
		if opts.Strict && d.Data != nil {
			d.strict(ctx)
		}
		if opts.Replay && d.Data != nil {
			if err := r.replay(ctx, d); err != nil {
				return nil, err
			}
		}
		findings := d.found.finish()
		d.locate(findings)
		slices.SortFunc(findings, compare)
		report.Documents = append(report.Documents, DocumentReport{d.Name, d.API, d.skills, findings, d.Data == nil || d.Made != nil})
	}
	return report, ctx.Err()
}

// A run is one run of the rules.
type run struct {
	catalog *framework.Catalog
	opts    *Options
	docs    []*document
	// served has the path of each file and directory that is served, and wanted
	// the URIs that skills have, each with the first that has it.
	served map[string]bool
	wanted map[string]wanted
}

type wanted struct {
	mention
	skill string
	doc   *document
}

// A document is a Document while it is looked at.
type document struct {
	Document
	found    *collection
	excluded map[string]bool // pointers of operations that are not served on purpose
	sources  map[string]*source
	survey   *survey
	books    *books
	twins    *twins
	skills   int
}

func newRun(catalog *framework.Catalog, docs []Document, opts *Options) (*run, error) {
	r := &run{catalog: catalog, opts: opts, served: map[string]bool{}, wanted: map[string]wanted{}}
	off, err := CheckOff(opts.Off)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		doc := &document{Document: d, found: newCollection(off), twins: newTwins(), sources: map[string]*source{}, excluded: map[string]bool{}}
		if g, ok := framework.As[interface{ Excluded() iter.Seq[string] }](d.Generator); ok {
			for at := range g.Excluded() {
				doc.excluded[at] = true
			}
		}
		doc.read(catalog.Scheme())
		r.docs = append(r.docs, doc)
	}
	return r, nil
}

// CheckOff returns the IDs as a set, or an error for one that is no rule's.
func CheckOff(ids []string) (map[string]bool, error) {
	off := map[string]bool{}
	for _, id := range ids {
		if _, ok := Find(id); !ok {
			return nil, unknown(id)
		}
		off[id] = true
	}
	return off, nil
}

// unknown is the error for an ID that is no rule's.
func unknown(id string) error {
	if near := Near(id); len(near) > 0 {
		return fmt.Errorf("no rule %.80q; did you mean %s?", id, strings.Join(near, ", "))
	}
	return fmt.Errorf("no rule %.80q; --explain all lists them", id)
}

func (d *document) add(rule, file, pointer, message string, args ...any) {
	r, _ := Find(rule)
	d.found.add(Finding{Rule: rule, Severity: r.Severity, File: file, Pointer: pointer, Message: fmt.Sprintf(message, args...)})
}

// label is the name of a file of the document as diagnostics have it.
func (d *document) label(file string) string {
	if file == "" {
		return d.Name
	}
	return path.Join(path.Dir(strings.ReplaceAll(d.Name, `\`, "/")), file)
}

// read walks the files of the document.
func (d *document) read(scheme string) {
	d.survey = newSurvey(d.add)
	if d.Data == nil {
		return
	}
	for _, name := range append([]string{""}, slices.Sorted(maps.Keys(d.Files))...) {
		data := d.Files[name]
		if name == "" {
			data = d.Data
		}
		src, err := read(data)
		if err != nil {
			continue // the generator, which reads more, has said what is wrong
		}
		d.survey.file = d.label(name)
		d.sources[d.survey.file] = src
		_ = src.walk(func(v value) error { // it was read once already
			if len(v.path) == 0 {
				return nil
			}
			if name == "" {
				d.survey.document(v)
			}
			d.survey.prose(v, scheme)
			return nil
		})
	}
	d.survey.report(d.Name, d.excluded)
	d.books = openBooks(d)
}

// skills looks at each skill of the catalog, a few at once, and keeps of it what
// is found alone.
func (r *run) skills(ctx context.Context) error {
	done := 0
	batch := make([]string, 0, 2*runtime.GOMAXPROCS(0))
	flush := func() error {
		results := make([]*examined, len(batch))
		group, ctx := errgroup.WithContext(ctx)
		for i, p := range batch {
			group.Go(func() (err error) {
				if results[i], err = examine(ctx, r.catalog, p); err == nil {
					err = results[i].underneath(ctx, r.of(p))
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for _, x := range results {
			r.take(x)
		}
		done += len(batch)
		batch = batch[:0]
		if r.opts.Progress != nil {
			r.opts.Progress(done)
		}
		return nil
	}
	for p, err := range r.catalog.Paths(ctx, "") {
		if err != nil {
			return err
		}
		if batch = append(batch, p); len(batch) == cap(batch) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// of returns the document of a skill's path.
func (r *run) of(skill string) *document {
	api, _, _ := strings.Cut(skill, "/")
	for _, d := range r.docs {
		if d.API == api {
			return d
		}
	}
	return nil
}

// take enters a skill.
func (r *run) take(x *examined) {
	d := r.of(x.path)
	if d == nil {
		return
	}
	d.skills++
	for dir := x.path; dir != "."; dir = path.Dir(dir) {
		r.served[dir] = true
	}
	for _, f := range x.files {
		for name := x.path + "/" + f.Name; name != x.path; name = path.Dir(name) {
			r.served[name] = true
		}
	}
	for _, f := range x.findings {
		d.found.add(f)
	}
	for _, m := range x.mentions {
		if _, known := r.wanted[m.uri]; !known {
			r.wanted[m.uri] = wanted{m, x.uri, d}
		}
	}
	if x.operation != "" {
		method, address, _ := strings.Cut(x.operation, " ")
		if like := d.twins.add(x.uri, x.desc, x.operation, address, method); like != "" {
			r, _ := Find("near-duplicate")
			d.found.add(Finding{
				Rule: r.ID, Severity: r.Severity, Pointer: x.pointer, File: d.Name, Skill: x.uri,
				Message: fmt.Sprintf("the description says almost the same as that of %s", like),
			})
		}
	}
	d.books.add(x)
}

// mentioned reports the URIs in skills that nothing is served at.
func (r *run) mentioned() {
	for uri, w := range r.wanted {
		at := strings.TrimSuffix(strings.TrimPrefix(uri, r.catalog.Scheme()+"://"), "/")
		if r.served[at] {
			continue
		}
		id := "unserved-skill"
		if w.doc.survey.uris[uri] {
			id = "document-skill-uri"
		}
		rule, _ := Find(id)
		w.doc.found.add(Finding{
			Rule: id, Severity: rule.Severity, File: w.file, Line: w.line, Skill: w.skill, inSkill: true,
			Message: fmt.Sprintf("%s is not served", short(uri)),
		})
	}
}

// diagnostics makes findings of what generators found.
func (r *run) diagnostics(ctx context.Context) {
	all := slices.Collect(r.catalog.Diagnostics(ctx))
	if r.opts.Diagnostics != nil {
		all = append(all, r.opts.Diagnostics()...)
	}
	for _, g := range all {
		f := Finding{Rule: g.Rule, Severity: g.Severity, File: g.File, Line: g.Line, Pointer: g.Pointer, Message: g.Message}
		var d *document
		if g.Skill != "" {
			f.Skill, d = r.catalog.URI(g.Skill), r.of(g.Skill)
		}
		for i := 0; i < len(r.docs) && d == nil; i++ {
			if _, ok := r.docs[i].sources[g.File]; ok || r.docs[i].Name == g.File || strings.Contains(g.File, r.docs[i].Name) {
				d = r.docs[i]
			}
		}
		if d == nil {
			d = r.docs[0]
		}
		if f.File == "" {
			f.File = d.Name
		}
		d.found.add(f)
	}
}

// locate gives findings of the document their lines.
func (d *document) locate(findings []Finding) {
	byFile := map[string][]string{}
	for _, f := range findings {
		if !f.inSkill && f.Line == 0 && f.Pointer != "" {
			byFile[f.File] = append(byFile[f.File], f.Pointer)
		}
	}
	for file, pointers := range byFile {
		src := d.sources[file]
		if src == nil || d.Derived && file == d.Name {
			continue
		}
		lines := src.lines(pointers)
		for i := range findings {
			if f := &findings[i]; !f.inSkill && f.File == file && f.Line == 0 && f.Pointer != "" {
				f.Line = lines[f.Pointer]
			}
		}
	}
}
