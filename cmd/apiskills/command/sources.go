package command

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
	"golang.org/x/sync/errgroup"
)

// A source is an opened document.
type source struct {
	config.Document
	generator framework.Generator
	made      framework.Generator // without the skills that lie over it
	prefix    string              // first segment of its skills' URIs
}

// open opens the documents of the configuration and returns their catalog.
// Those that cannot be used are named, and kept in a.broken, as long as there is
// another. An error is one of the input, unless the context ended.
func (a *app) open(ctx context.Context, s *session) (*framework.Catalog, []source, error) {
	if len(s.Documents) == 0 {
		return nil, nil, unusable(a.errNoDocuments(s.File))
	}
	sources := make([]source, len(s.Documents))
	faults := make([]error, len(s.Documents))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, doc := range s.Documents {
		group.Go(func() error {
			sources[i], faults[i] = a.openDocument(ctx, doc, s, nil)
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

func (a *app) errNoDocuments(file string) error {
	where := "there is no " + config.DefaultFile + " in this folder"
	if file != "" {
		where = file + " lists none under documents"
	}
	return errors.New(strings.Join([]string{
		"no document: none is given, and " + where,
		"give one:           " + a.name + " serve openapi.yaml",
		"give it a name:     " + a.name + " serve shop=openapi.yaml",
		"or write a configuration file, as \"" + a.name + " help config\" shows",
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
		return fmt.Errorf("%s and %s both have the name %q, which begins their skills' URIs; name one of them, as in %s-2=%s",
			display(other.Document), display(src.Document), src.prefix, src.prefix, argument(config.Document{Kind: src.Kind, Path: src.Path}, same))
	}
	return nil
}
