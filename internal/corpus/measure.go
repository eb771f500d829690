package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"runtime"
	"slices"
	"time"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi"
	"github.com/apiskills/apiskills/internal/ledger"
)

// A row is what the table says of a document.
type row struct {
	document
	version         string // of OpenAPI
	calls, webhooks int
	skills          int
	degraded        int
	found           map[string]int // findings that the document's author can mend, by rule
	ours            int            // findings that are faults of this program
	first           float64        // time to the first skill ÷ kin-openapi's load; 0 if it loads nothing
	all             float64        // time for every skill ÷ kin-openapi's load
}

// measure reads a document by every way, round after round.
func measure(ctx context.Context, d document, rounds int) (*row, error) {
	doc, err := read(d.path)
	if err != nil {
		return nil, err
	}
	r := &row{document: d, version: doc.Version}
	r.calls, r.webhooks = count(doc)
	report, err := findings(ctx, d)
	if err != nil {
		return nil, err
	}
	r.found, r.ours = bySide(report)
	r.degraded = r.found[degraded]
	var first, all []float64
	for range rounds {
		anchor, kinErr := timed(func() error { return kinLoad(ctx, d, doc) })
		one, err := timed(func() error { return firstSkill(ctx, d) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
		every, err := timed(func() (err error) { r.skills, err = everySkill(ctx, d); return err })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
		if kinErr == nil {
			first, all = append(first, one/anchor), append(all, every/anchor)
		}
	}
	r.first, r.all = median(first), median(all)
	return r, nil
}

// timed returns how long f took, in seconds, on a heap without leftovers.
func timed(f func() error) (float64, error) {
	runtime.GC()
	start := time.Now()
	err := f()
	return time.Since(start).Seconds(), err
}

// median returns 0 for no values.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// kinLoad loads the document whole with kin-openapi, and converts it to OpenAPI
// 3 if it is Swagger 2.0.
func kinLoad(ctx context.Context, d document, doc *ledger.Document) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if doc.Version == "2.0" {
		data, err := doc.JSON()
		if err != nil {
			return err
		}
		var whole openapi2.T
		if err := json.Unmarshal(data, &whole); err != nil {
			return err
		}
		_, err = openapi2conv.ToV3(&whole)
		return err
	}
	loader := openapi3.NewLoader()
	loader.Context = ctx
	loader.IsExternalRefsAllowed = true
	loader.ReadFromURIFunc = func(loader *openapi3.Loader, location *url.URL) ([]byte, error) {
		return openapi3.ReadFromFile(loader, location) // and nothing over the network
	}
	_, err = loader.LoadFromFile(d.path)
	return err
}

func load(ctx context.Context, d document) (*openapi.Generator, error) {
	return openapi.Load(ctx, d.path, &openapi.Options{RefRoot: d.refRoot})
}

// firstSkill loads the document and makes one skill, from its middle.
func firstSkill(ctx context.Context, d document) error {
	g, err := load(ctx, d)
	if err != nil {
		return err
	}
	var paths []string
	for p, err := range g.Paths(ctx, "") {
		if err != nil {
			return err
		}
		paths = append(paths, p)
	}
	s, err := g.Skill(ctx, paths[len(paths)/2])
	if err != nil {
		return err
	}
	for _, f := range s.Files {
		if _, err := f.Content(ctx); err != nil {
			return err
		}
	}
	return nil
}

// everySkill loads the document and makes each skill with its digests, one
// after the other. It returns their number.
func everySkill(ctx context.Context, d document) (int, error) {
	g, err := load(ctx, d)
	if err != nil {
		return 0, err
	}
	catalog, err := framework.NewCatalog([]framework.Mount{{Prefix: g.API(), Generator: g}}, &framework.Options{
		SkillTimeout: time.Minute,
		Logger:       slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return 0, err
	}
	skills := 0
	for path, err := range catalog.Paths(ctx, "") {
		if err != nil {
			return 0, err
		}
		if _, err := catalog.Get(ctx, catalog.URI(path)); err != nil {
			return 0, err
		}
		skills++
	}
	return skills, nil
}
