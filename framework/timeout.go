package framework

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
)

// WithTimeout returns a generator whose calls of g get contexts that end after d:
// Skill, the Content of each file, Featured, Templates, and a whole iteration of
// Paths, with the time that its caller spends between two paths. An error after
// that wraps context.DeadlineExceeded, and an iteration that ended without one
// yields it, so that a part is not taken for the whole.
//
// It serves a source that needs less, or more often ends in time, than
// Options.SkillTimeout grants each call: a generator that heeds its context. Of
// one that does not, the catalog gives the call up after its own time. A d that
// is not positive sets no limit.
func WithTimeout(g Generator, d time.Duration) Generator {
	if g == nil || d <= 0 {
		return g
	}
	return &timeout{g, d}
}

type timeout struct {
	g Generator
	d time.Duration
}

func (t *timeout) Unwrap() Generator { return t.g }

// limit calls f with a context that ends in time.
func limit[T any](ctx context.Context, d time.Duration, f func(context.Context) (T, error)) (T, error) {
	own, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	v, err := f(own)
	return v, late(ctx, own, d, err)
}

// late returns err, and says so if it is the fault of the deadline of own, which
// was made of ctx: drivers have many words for that.
func late(ctx, own context.Context, d time.Duration, err error) error {
	if err == nil || ctx.Err() != nil || own.Err() == nil ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrNotFound) {
		return err
	}
	return fmt.Errorf("not done after %v: %w: %w", d, context.DeadlineExceeded, err)
}

func (t *timeout) Skill(ctx context.Context, path string) (*Skill, error) {
	skill, err := limit(ctx, t.d, func(ctx context.Context) (*Skill, error) { return t.g.Skill(ctx, path) })
	if err != nil || skill == nil {
		return nil, err
	}
	limited := *skill
	limited.Files = slices.Clone(skill.Files)
	for i := range limited.Files {
		if content := limited.Files[i].Content; content != nil {
			limited.Files[i].Content = func(ctx context.Context) ([]byte, error) { return limit(ctx, t.d, content) }
		}
	}
	return &limited, nil
}

func (t *timeout) As(target any) bool {
	switch target := target.(type) {
	case *Lister:
		return adapt(t.g, target, func(inner Lister) Lister {
			return listerFunc(func(ctx context.Context, after string) iter.Seq2[string, error] {
				return t.paths(ctx, inner, after)
			})
		})
	case *Featurer:
		return adapt(t.g, target, func(inner Featurer) Featurer {
			return featurerFunc(func(ctx context.Context) ([]string, error) { return limit(ctx, t.d, inner.Featured) })
		})
	case *Templater:
		return adapt(t.g, target, func(inner Templater) Templater {
			return templaterFunc(func(ctx context.Context) ([]Template, error) { return limit(ctx, t.d, inner.Templates) })
		})
	}
	return false
}

func (t *timeout) paths(ctx context.Context, inner Lister, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		own, cancel := context.WithTimeout(ctx, t.d)
		defer cancel()
		for p, err := range inner.Paths(own, after) {
			if !yield(p, late(ctx, own, t.d, err)) || err != nil {
				return
			}
		}
		if err := own.Err(); err != nil {
			yield("", late(ctx, own, t.d, err))
		}
	}
}
