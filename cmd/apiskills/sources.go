package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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

func openOpenAPI(ctx context.Context, doc config.Document, s *session) (framework.Generator, string, error) {
	g, err := openapi.Load(ctx, doc.Path, &openapi.Options{Name: doc.Name, Logger: s.log})
	if err != nil {
		return nil, "", err
	}
	return g, g.API(), nil
}

// A source is an opened document.
type source struct {
	config.Document
	generator framework.Generator
	prefix    string // first segment of its skills' URIs
}

// open opens the documents of the configuration and returns their catalog. An
// error is one of the input, unless the context ended.
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
	// Each broken document is named, not the first alone.
	if err := errors.Join(faults...); err != nil {
		return nil, nil, unusable(err)
	}
	if err := checkPrefixes(sources); err != nil {
		return nil, nil, unusable(err)
	}
	mounts := make([]framework.Mount, len(sources))
	for i, src := range sources {
		mounts[i] = framework.Mount{Prefix: src.prefix, Generator: src.generator}
	}
	maxPages := s.MaxPages
	if maxPages == 0 {
		maxPages = -1
	}
	catalog, err := framework.NewCatalog(mounts, &framework.Options{
		Listing:      framework.Listing(s.Listing),
		Featured:     s.Featured,
		PageSize:     s.PageSize,
		MaxPages:     maxPages,
		SkillTimeout: s.SkillTimeout,
		Logger:       s.log,
	})
	return catalog, sources, unusable(err)
}

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
			other.Path, src.Path, src.prefix, src.prefix, src.Path)
	}
	return nil
}
