package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi"
	rules "github.com/apiskills/apiskills/internal/check"
)

// findings holds a document and its skills against the rules of the command
// check.
func findings(ctx context.Context, d document) (*rules.Report, error) {
	doc := rules.Document{Name: d.path, RefRoot: d.refRoot, Files: map[string][]byte{}}
	g, err := openapi.Load(ctx, d.path, &openapi.Options{RefRoot: d.refRoot, OnRead: func(file string, data []byte) {
		if file == "" {
			doc.Data = data
		} else {
			doc.Files[file] = data
		}
	}})
	if err != nil {
		return nil, err
	}
	doc.API, doc.Generator = g.API(), g
	var mu sync.Mutex
	var found []framework.Diagnostic
	catalog, err := framework.NewCatalog([]framework.Mount{{Prefix: doc.API, Generator: g}}, &framework.Options{
		SkillTimeout: time.Minute,
		Logger:       slog.New(slog.DiscardHandler),
		OnDiagnostics: func(d []framework.Diagnostic) {
			mu.Lock()
			defer mu.Unlock()
			found = append(found, d...)
		},
	})
	if err != nil {
		return nil, err
	}
	report, err := rules.Run(ctx, catalog, []rules.Document{doc}, &rules.Options{
		Diagnostics: func() []framework.Diagnostic { return found },
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	return report, nil
}

// bySide counts the findings of the document's side by rule, and those of the
// renderer's.
func bySide(report *rules.Report) (source map[string]int, renderer int) {
	source = map[string]int{}
	for f := range report.Findings() {
		if r, _ := rules.Find(f.Rule); r.Side == rules.Renderer {
			renderer++
		} else {
			source[f.Rule]++
		}
	}
	return source, renderer
}
