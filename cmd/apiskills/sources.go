package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi"
	"golang.org/x/sync/errgroup"
)

// A generatorKind makes generators of one kind of source.
type generatorKind struct {
	name string
	open func(ctx context.Context, doc config.Document, s *session) (generator framework.Generator, prefix string, err error)
}

// generators is the registry of the kinds that the command has. A document is
// opened by the first.
var generators = []generatorKind{
	{name: "openapi", open: openOpenAPI},
}

// stdinLabel is the name of standard input in diagnostics.
const stdinLabel = "stdin"

func openOpenAPI(ctx context.Context, doc config.Document, s *session) (framework.Generator, string, error) {
	options := &openapi.Options{
		Name: doc.Name, Server: doc.Server, RefRoot: doc.RefRoot,
		Prose:    openapi.ProseMode(cmp.Or(doc.Prose, s.Prose)),
		Snippets: doc.Snippets,
		Include:  rules(doc.Include), Exclude: rules(doc.Exclude),
		IfNoneMatch:  s.ifNoneMatch,
		AllowPrivate: s.AllowPrivate, Templates: s.templates, Logger: s.log,
		CacheDir: s.cacheDir, CacheVersion: cacheVersion,
	}
	if s.onRead != nil {
		options.OnRead = func(file string, data []byte) { s.onRead(doc, file, data) }
	}
	for _, path := range doc.Overlays {
		o, err := openapi.ReadOverlay(path)
		if err != nil {
			return nil, "", err
		}
		options.Overlays = append(options.Overlays, o)
	}
	var g *openapi.Generator
	var err error
	switch {
	case doc.Path == config.Stdin:
		g, err = openapi.Read(ctx, stdinLabel, s.stdin, options)
	case doc.IsURL():
		g, err = openapi.Fetch(ctx, doc.Path, options)
	default:
		g, err = openapi.Load(ctx, doc.Path, options)
	}
	if err != nil {
		return nil, "", err
	}
	return g, g.API(), nil
}

// cacheVersion identifies the program to the cache of documents. The linker may set
// it (-X main.cacheVersion=...) for a build of which Go itself knows no version, and
// must then set another for each that differs.
var cacheVersion string

// cacheDir returns the folder that documents are cached in, "" if there is none.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "apiskills")
}

// A source is an opened document.
type source struct {
	config.Document
	generator framework.Generator
	prefix    string // first segment of its skills' URIs
}

// open opens the documents of the configuration and returns their catalog.
// Those that cannot be used are named, and kept in a.broken, as long as there is
// another. An error is one of the input, unless the context ended.
func (a *app) open(ctx context.Context, s *session) (*framework.Catalog, []source, error) {
	if len(s.Documents) == 0 {
		return nil, nil, unusable(errNoDocuments(s.File))
	}
	sources := make([]source, len(s.Documents))
	faults := make([]error, len(s.Documents))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, doc := range s.Documents {
		group.Go(func() error {
			generator, prefix, err := a.generators[0].open(ctx, doc, s)
			sources[i] = source{doc, generator, prefix}
			faults[i] = err
			return nil
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	a.broken = slices.DeleteFunc(faults, func(err error) bool { return err == nil })
	sources = slices.DeleteFunc(sources, func(src source) bool { return src.generator == nil })
	if len(sources) == 0 {
		return nil, nil, unusable(errors.Join(a.broken...))
	}
	a.tellBroken(s, a.broken)
	if err := checkPrefixes(sources); err != nil {
		return nil, nil, unusable(err)
	}
	mounts := make([]framework.Mount, len(sources))
	for i, src := range sources {
		mounts[i] = framework.Mount{Prefix: src.prefix, Generator: src.generator}
	}
	if !s.quiet {
		a.print(s, unusedRules(sources))
	}
	catalog, err := newCatalog(s, mounts)
	return catalog, sources, unusable(err)
}

// tellBroken names the documents that are not served.
func (a *app) tellBroken(s *session, broken []error) {
	a.broken = broken
	for _, err := range broken {
		if s.Log.Format == "json" {
			s.log.Error("a document is not served", "error", err)
		} else {
			a.complain(err)
		}
	}
}

func newCatalog(s *session, mounts []framework.Mount) (*framework.Catalog, error) {
	maxPages := s.MaxPages
	if maxPages == 0 {
		maxPages = -1
	}
	var allow func(context.Context, string) bool
	if s.callers.restricted() {
		allow = s.callers.allow
	}
	return framework.NewCatalog(mounts, &framework.Options{
		Listing:      framework.Listing(s.Listing),
		Featured:     s.Featured,
		PageSize:     s.PageSize,
		MaxPages:     maxPages,
		SkillTimeout: s.SkillTimeout,
		Logger:       s.log,

		OnDiagnostics: s.onDiagnostics,
		Allow:         allow,
	})
}

// unusedRules reports each rule that picks no operation of any document that
// has it.
func unusedRules(sources []source) []framework.Diagnostic {
	var names []string
	used, where := map[string]bool{}, map[string][]string{}
	for _, src := range sources {
		g, ok := framework.As[interface{ UnmatchedRules() []string }](src.generator)
		if !ok {
			continue
		}
		unmatched := g.UnmatchedRules()
		for _, list := range []struct {
			kind  string
			rules []config.Rule
		}{{"include", src.Include}, {"exclude", src.Exclude}} {
			for _, r := range rules(list.rules) {
				name := list.kind + " " + r.String()
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
				used[name] = used[name] || !slices.Contains(unmatched, name)
				where[name] = append(where[name], display(src.Document))
			}
		}
	}
	var diags []framework.Diagnostic
	for _, name := range names {
		if !used[name] {
			diags = append(diags, framework.Diagnostic{
				Severity: framework.Warning, Rule: "unused-filter", File: strings.Join(slices.Compact(where[name]), ", "),
				Message: fmt.Sprintf("the rule %q picks no operation", name),
			})
		}
	}
	return diags
}

func same(path string) string { return path }

func errNoDocuments(file string) error {
	where := "there is no " + config.DefaultFile + " in this folder"
	if file != "" {
		where = file + " lists none under documents"
	}
	return errors.New(strings.Join([]string{
		"no document: none is given, and " + where,
		"give one:           apiskills serve openapi.yaml",
		"give it a name:     apiskills serve shop=openapi.yaml",
		"or write a configuration file, as \"apiskills help config\" shows",
	}, "\n"))
}

// checkPrefixes refuses two sources of one prefix: their URIs would be the
// same.
func checkPrefixes(sources []source) error {
	first := map[string]source{}
	for _, src := range sources {
		other, taken := first[src.prefix]
		if !taken {
			first[src.prefix] = src
			continue
		}
		return fmt.Errorf("%s and %s both have the API name %q, which begins their skills' URIs; name one of them, as in %s-2=%s",
			display(other.Document), display(src.Document), src.prefix, src.prefix, argument(config.Document{Path: src.Path}, same))
	}
	return nil
}
