package skilltest

import (
	"context"
	"fmt"
	"slices"

	"github.com/apiskills/apiskills/framework"
)

// TestSnapshots checks what has to hold while the source of g changes: change
// changes it, and returns when g shows it. A skill that was made before keeps its
// bytes, also those that nobody had read yet, and a version that stays stands for
// the same bytes. At least one of the skills that are looked at must be another
// after the change: there are up to 48 of those listed, evenly spread, and those
// given as paths. The error joins all faults, as that of [TestGenerator] does.
func TestSnapshots(ctx context.Context, g framework.Generator, change func() error, paths ...string) error {
	c := newChecker(ctx, g)
	c.walk()
	c.given = slices.Compact(slices.Sorted(slices.Values(paths)))
	c.choose()
	unread := map[string]*framework.Skill{}
	for _, p := range c.sample {
		skill, err, ok := c.ask(c.ctx, p)
		if !ok || err != nil {
			continue
		}
		r, ok := c.readFiles(c.ctx, p, skill)
		if !ok {
			continue
		}
		r.drop(nil)
		c.readings[p] = r
		unread[p], _, _ = c.ask(c.ctx, p)
	}
	if c.over {
		return c.err()
	}
	if err := change(); err != nil {
		return fmt.Errorf("the source was not changed: %w", err)
	}
	changed := false
	for _, p := range c.sample {
		before := c.readings[p]
		if before == nil || before.skill.Dynamic {
			continue
		}
		for _, old := range []*framework.Skill{before.skill, unread[p]} {
			if old == nil || c.unstable[p] {
				continue
			}
			if r, ok := c.readFiles(c.ctx, p, old); ok {
				if d := differ(before, r); d != nil {
					c.unstable[p] = true
					c.fault("snapshot", p, d.file, "of a skill that was made before the source changed, %s; take all that its files need into the Skill", d.text)
				}
			}
		}
		now, ok := c.read(c.ctx, p)
		if !ok || c.unstable[p] {
			continue
		}
		d := differ(before, now)
		changed = changed || d != nil
		if d != nil && now.err == nil && before.version() != "" && before.version() == now.version() {
			c.fault("version", p, d.file, "after the source changed, %s, and yet the version is %.80q as before; make the version of the bytes, or of all that they depend on", d.text, now.version())
		}
	}
	if !changed && !c.over && len(c.faults) == 0 && !c.pathsChanged() {
		c.fault("unchanged", "", "", "no skill is another after the change, so that nothing is tested; let change wait until the generator shows it, or give the path of the skill that it changes")
	}
	return c.err()
}

// pathsChanged reports whether there are other paths than before.
func (c *checker) pathsChanged() bool {
	if c.lister == nil {
		return false
	}
	l, ok := c.paths(c.ctx, "", maxPaths, nil)
	return ok && (l.err != nil || !slices.Equal(l.paths, c.listed))
}
