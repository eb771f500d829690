package templates

import (
	"context"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

const maxSummary = 1024 // bytes

// Summaries implements framework.Summarizer: the text has the description and
// then the texts of the record, as far as they fit.
func (g *Generator) Summaries(ctx context.Context) iter.Seq2[framework.Summary, error] {
	return func(yield func(framework.Summary, error) bool) {
		files := map[string]fs.File{}
		defer func() {
			for _, f := range files {
				_ = f.Close()
			}
		}()
		open := func(name string) (fs.File, func(), error) {
			f, ok := files[name]
			if _, anywhere := f.(io.ReaderAt); ok && anywhere {
				return f, func() {}, nil
			}
			f, err := openRegular(g.fsys, name)
			if err != nil {
				return nil, nil, err
			}
			if _, anywhere := f.(io.ReaderAt); anywhere && len(files) < 64 {
				files[name] = f
				return f, func() {}, nil
			}
			return f, func() { _ = f.Close() }, nil
		}
		for i := range g.entries {
			e := &g.entries[i]
			if err := ctx.Err(); err != nil {
				yield(framework.Summary{}, err)
				return
			}
			if !yield(framework.Summary{Path: e.path, Text: g.summary(ctx, e, open)}, nil) {
				return
			}
		}
	}
}

// summary is "" for a record that cannot be read: its skill says why.
func (g *Generator) summary(ctx context.Context, e *entry, open opener) string {
	fields, err := g.fields(ctx, e, open)
	if err != nil {
		return ""
	}
	text, _ := g.layout.value(ctx, &g.layout.def.description, fields)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if s, ok := fields[name].(string); ok && len(text) < maxSummary {
			text += " " + s
		}
	}
	if text = Line(text); len(text) > maxSummary {
		text = strings.ToValidUTF8(text[:maxSummary], "")
	}
	return text
}
