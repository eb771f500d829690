package framework

import (
	"context"
	"iter"
)

// A Summary is what a search looks for a skill by.
type Summary struct {
	Path string // of the skill
	// Text is in the words of the source; it is not shown to anybody.
	Text string
}

// A Summarizer describes its skills without making them, for a search over all.
type Summarizer interface {
	// Summaries yields the skills that Lister.Paths does, in the same order. An
	// error ends the iteration.
	Summaries(ctx context.Context) iter.Seq2[Summary, error]
}

// Summaries yields a summary of each skill that the caller may see and that can
// be enumerated, its path with the mount's prefix. Skills of a generator that is
// no Summarizer have their path alone. An error ends the iteration.
func (c *Catalog) Summaries(ctx context.Context) iter.Seq2[Summary, error] {
	c.ready()
	return func(yield func(Summary, error) bool) {
		allow := c.allow(ctx)
		ms := c.mounts.Load()
		for _, m := range ms.byPrefix() {
			summaries := pathsOnly(ctx, m)
			if s, ok := As[Summarizer](m.gen); ok {
				summaries = s.Summaries(ctx)
			}
			for s, err := range summaries {
				if err != nil {
					yield(Summary{}, err)
					return
				}
				s.Path = m.path(s.Path)
				if owner, _, ok := ms.owner(s.Path); !ok || owner != m || validSkillPath(s.Path) != nil || !allow(s.Path) {
					continue
				}
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}

func pathsOnly(ctx context.Context, m *mount) iter.Seq2[Summary, error] {
	return func(yield func(Summary, error) bool) {
		if m.lister == nil {
			return
		}
		for p, err := range m.lister.Paths(ctx, "") {
			if !yield(Summary{Path: p}, err) || err != nil {
				return
			}
		}
	}
}
