package framework

import (
	"context"
	"errors"
	"iter"
)

// The abilities as functions, for the As methods of wrappers.
type (
	listerFunc     func(ctx context.Context, after string) iter.Seq2[string, error]
	featurerFunc   func(ctx context.Context) ([]string, error)
	watcherFunc    func(ctx context.Context, changed func(path string)) error
	diagnoserFunc  func(ctx context.Context) iter.Seq[Diagnostic]
	templaterFunc  func(ctx context.Context) ([]Template, error)
	summarizerFunc func(ctx context.Context) iter.Seq2[Summary, error]
)

func (f listerFunc) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return f(ctx, after)
}

func (f featurerFunc) Featured(ctx context.Context) ([]string, error) { return f(ctx) }

func (f watcherFunc) Watch(ctx context.Context, changed func(path string)) error {
	return f(ctx, changed)
}

func (f diagnoserFunc) Diagnostics(ctx context.Context) iter.Seq[Diagnostic] { return f(ctx) }

func (f templaterFunc) Templates(ctx context.Context) ([]Template, error) { return f(ctx) }

func (f summarizerFunc) Summaries(ctx context.Context) iter.Seq2[Summary, error] { return f(ctx) }

// adapt sets what target points to, an ability of g that was changed by a
// wrapper, if g has it.
func adapt[T any](g Generator, target *T, change func(inner T) T) bool {
	inner, ok := As[T](g)
	if ok {
		*target = change(inner)
	}
	return ok
}

// pathsOf yields the paths of g after a path, and none if g is no Lister.
func pathsOf(ctx context.Context, g Generator, after string) iter.Seq2[string, error] {
	lister, ok := As[Lister](g)
	if !ok {
		return func(func(string, error) bool) {}
	}
	return lister.Paths(ctx, after)
}

// serves reports whether g has a skill at path, also one that fails. It asks the
// Lister if there is one, since a skill may be dear.
func serves(ctx context.Context, g Generator, path string) (bool, error) {
	if lister, ok := As[Lister](g); ok && path != "" {
		for p, err := range lister.Paths(ctx, beforePath(path)) {
			return err == nil && p == path, err
		}
		return false, ctx.Err()
	}
	_, err := g.Skill(ctx, path)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return !errors.Is(err, ErrNotFound), nil
}
