package framework

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Filter returns a generator of those skills of g whose paths keep accepts. The
// others are unknown everywhere: to Skill and Paths, among the featured, in what
// a Watcher tells, in diagnostics and summaries, and a template is left out that
// begins like excluded skills alone. A Diagnostic that names no skill stays. The
// skill that an excluded one is nested in stays too, without it.
//
// keep gets paths relative to g, also of skills that do not exist. It must say
// the same of a path each time, and may be called concurrently. A nil keep keeps
// all.
//
// The abilities of g are kept. Paths looks at the excluded paths between others
// too: where few of many are kept, a Lister that knows is faster.
func Filter(g Generator, keep func(path string) bool) Generator {
	if g == nil || keep == nil {
		return g
	}
	return &filter{g, keep}
}

type filter struct {
	g    Generator
	keep func(path string) bool
}

func (f *filter) Unwrap() Generator { return f.g }

func (f *filter) Skill(ctx context.Context, path string) (*Skill, error) {
	if !f.keep(path) {
		return nil, fmt.Errorf("skill %q: %w", path, ErrNotFound)
	}
	return f.g.Skill(ctx, path)
}

func (f *filter) As(target any) bool {
	switch t := target.(type) {
	case *Lister:
		return adapt(f.g, t, func(l Lister) Lister {
			return listerFunc(func(ctx context.Context, after string) iter.Seq2[string, error] {
				return filterSeq(ctx, l.Paths(ctx, after), f.keep)
			})
		})
	case *Featurer:
		return adapt(f.g, t, func(inner Featurer) Featurer {
			return featurerFunc(func(ctx context.Context) ([]string, error) {
				paths, err := inner.Featured(ctx)
				if err != nil {
					return nil, err
				}
				return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !f.keep(p) }), nil
			})
		})
	case *Watcher:
		return adapt(f.g, t, func(inner Watcher) Watcher {
			return watcherFunc(func(ctx context.Context, changed func(string)) error {
				return inner.Watch(ctx, func(path string) {
					if path == "" || f.keep(path) {
						changed(path)
					}
				})
			})
		})
	case *Diagnoser:
		return adapt(f.g, t, func(inner Diagnoser) Diagnoser {
			return diagnoserFunc(func(ctx context.Context) iter.Seq[Diagnostic] {
				return func(yield func(Diagnostic) bool) {
					for d := range inner.Diagnostics(ctx) {
						if (d.Skill == "" || f.keep(d.Skill)) && !yield(d) {
							return
						}
					}
				}
			})
		})
	case *Templater:
		return adapt(f.g, t, func(inner Templater) Templater {
			return templaterFunc(func(ctx context.Context) ([]Template, error) { return f.templates(ctx, inner) })
		})
	case *Summarizer:
		return adapt(f.g, t, func(inner Summarizer) Summarizer {
			return summarizerFunc(func(ctx context.Context) iter.Seq2[Summary, error] {
				return filterSeq(ctx, inner.Summaries(ctx), func(s Summary) bool { return f.keep(s.Path) })
			})
		})
	}
	return false
}

// templates leaves out those whose literal beginning no skill has that is kept.
func (f *filter) templates(ctx context.Context, inner Templater) ([]Template, error) {
	all, err := inner.Templates(ctx)
	if _, ok := As[Lister](f); !ok || err != nil {
		return all, err
	}
	var kept []Template
	for _, t := range all {
		start, _, _ := strings.Cut(t.Path, "{")
		after := ""
		if start != "" {
			after = beforePath(start)
		}
		for p, err := range pathsOf(ctx, f, after) {
			if err != nil {
				return nil, err
			}
			if strings.HasPrefix(p, start) {
				kept = append(kept, t)
			}
			break
		}
	}
	return kept, ctx.Err()
}

// filterSeq yields what keep accepts, and errors. It looks at ctx where it does
// not yield: a walk over what is excluded ends with its caller's patience too.
func filterSeq[T any](ctx context.Context, seq iter.Seq2[T, error], keep func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range seq {
			if err == nil && !keep(v) {
				if err = ctx.Err(); err == nil {
					continue
				}
				var none T
				v = none
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}
