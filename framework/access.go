package framework

import (
	"context"
	"fmt"
	"iter"
)

// PerCaller reports whether what is served depends on the caller: whether there
// is an Options.Allow. A result from such a catalog is for its caller alone.
func (c *Catalog) PerCaller() bool {
	c.ready()
	return c.opts.Allow != nil
}

// visible returns the record of the skill at path, if the caller may see it. What
// may not be seen is not made, so that it is as quick to answer as what is not
// there.
func (c *Catalog) visible(ctx context.Context, path string) (*record, error) {
	if c.opts.Allow != nil && !c.opts.Allow(ctx, path) {
		return nil, fmt.Errorf("skill %q: %w", path, ErrNotFound)
	}
	r, err := c.record(ctx, path)
	if err != nil {
		return nil, err
	}
	if !c.allowed(ctx, r) {
		return nil, fmt.Errorf("skill %q: %w", path, ErrNotFound)
	}
	return r, nil
}

// allowed reports whether the caller may see a skill and all that is nested in
// it.
func (c *Catalog) allowed(ctx context.Context, r *record) bool {
	if c.opts.Allow == nil {
		return true
	}
	if !c.opts.Allow(ctx, r.path) {
		return false
	}
	for _, path := range r.nested {
		if !c.opts.Allow(ctx, path) {
			return false
		}
	}
	return true
}

// allow returns what reports whether the caller that ctx belongs to may see the
// skill at a path. What runs under a guard has a context that is nobody's.
func (c *Catalog) allow(ctx context.Context) func(path string) bool {
	if c.opts.Allow == nil {
		return func(string) bool { return true }
	}
	return func(path string) bool { return c.opts.Allow(ctx, path) }
}

// allowedPaths yields the paths between after and before that allow permits.
func (c *Catalog) allowedPaths(ctx context.Context, allow func(string) bool, after, before string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for p, err := range c.paths(ctx, after, before) {
			if err == nil && !allow(p) {
				continue
			}
			if !yield(p, err) {
				return
			}
		}
	}
}
