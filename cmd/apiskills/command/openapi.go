package command

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi"
)

// OpenAPI is the kind of OpenAPI documents: a skill for each operation. With it the
// command has the flags that pick operations and change documents.
func OpenAPI() Kind {
	return Kind{
		name: config.OpenAPI, summary: "an OpenAPI document in YAML or JSON: a skill for each operation",
		open: openOpenAPI,
	}
}

// stdinLabel is the name of standard input in diagnostics.
const stdinLabel = "stdin"

func openOpenAPI(ctx context.Context, src *Source) (framework.Generator, error) {
	doc, s := src.doc, src.s
	options := &openapi.Options{
		Name: doc.Name, Server: doc.Server, RefRoot: doc.RefRoot,
		Prose:    openapi.ProseMode(cmp.Or(doc.Prose, s.Prose)),
		Snippets: doc.Snippets,
		Include:  rules(doc.Include), Exclude: rules(doc.Exclude),
		IfNoneMatch:  s.ifNoneMatch,
		AllowPrivate: s.AllowPrivate, Templates: s.templates, Logger: s.log,
		CacheDir: s.cacheDir, CacheVersion: cacheVersion,
		OnRead: func(file string, data []byte) {
			if s.onRead != nil {
				s.onRead(doc, file, data)
			}
			if file != "" && !doc.IsURL() && doc.Path != config.Stdin {
				src.Uses(filepath.Join(filepath.Dir(doc.Path), filepath.FromSlash(file)))
			}
		},
	}
	for _, path := range doc.Overlays {
		src.Uses(path)
		o, err := openapi.ReadOverlay(path)
		if err != nil {
			return nil, err
		}
		options.Overlays = append(options.Overlays, o)
	}
	if doc.Snippets != "" {
		src.Uses(doc.Snippets)
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
		return nil, err
	}
	src.Name = g.API()
	return g, nil
}

// cacheVersion identifies the program to the cache of documents. The linker may set
// it (-X github.com/apiskills/apiskills/cmd/apiskills/command.cacheVersion=...) for a
// build of which Go itself knows no version, and must then set another for each that
// differs.
var cacheVersion string

// cacheDir returns the folder that documents are cached in, "" if there is none.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "apiskills")
}
