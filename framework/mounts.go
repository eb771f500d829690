package framework

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// A Mount places a generator's skills below a path.
type Mount struct {
	// Prefix is the path of one or more segments that the generator's paths
	// follow, or "" for the whole namespace. A mount below another one owns its
	// subtree: the outer generator's paths in it are hidden.
	Prefix string
	// Generator must not be nil. SetMounts takes it for the one that was at the
	// prefix before if == does.
	Generator Generator
}

// mounts are what a catalog serves at a time. They do not change; others take
// their place.
type mounts struct {
	all    []*mount   // longest prefix first
	ranges []keyRange // ascending, disjoint
}

type mount struct {
	prefix   string
	gen      Generator
	guard    *guard
	lister   Lister // or nil
	watching atomic.Bool
	gone     atomic.Bool // another one, or none, took its place
	unwatch  context.CancelFunc
}

// A keyRange is an interval of paths, lo < path < hi, that one mount owns.
type keyRange struct {
	lo, hi string
	mount  *mount
}

// above is greater than each continuation of a path: it is the last code point,
// a noncharacter, and no valid path has it.
const above = "\U0010FFFF"

// newMounts checks a list of mounts, and takes over those of old that stay.
func (c *Catalog) newMounts(list []Mount, old *mounts) (*mounts, error) {
	ms := &mounts{}
	for _, m := range list {
		if m.Generator == nil {
			return nil, fmt.Errorf("the mount at %q has no generator", m.Prefix)
		}
		if m.Prefix != "" {
			if err := cmp.Or(validPath(m.Prefix), validAuthority(m.Prefix)); err != nil {
				return nil, fmt.Errorf("mount prefix: %w", err)
			}
		}
		if slices.ContainsFunc(ms.all, func(other *mount) bool { return other.prefix == m.Prefix }) {
			return nil, fmt.Errorf("two generators are mounted at %q; give one of them another prefix", m.Prefix)
		}
		if i := slices.IndexFunc(old.all, func(other *mount) bool { return other.prefix == m.Prefix && same(other.gen, m.Generator) }); i >= 0 {
			ms.all = append(ms.all, old.all[i])
			continue
		}
		lister, _ := As[Lister](m.Generator)
		ms.all = append(ms.all, &mount{
			prefix: m.Prefix, gen: m.Generator, guard: newGuard(c.opts.Concurrency, c.opts.SkillTimeout), lister: lister,
			unwatch: func() {},
		})
	}
	slices.SortFunc(ms.all, func(a, b *mount) int {
		return cmp.Or(cmp.Compare(len(b.prefix), len(a.prefix)), strings.Compare(a.prefix, b.prefix))
	})
	ms.ranges = ms.layout()
	return ms, nil
}

// same reports whether two generators are one. Those that cannot be compared are
// taken for two.
func same(a, b Generator) (is bool) {
	defer func() {
		if recover() != nil {
			is = false
		}
	}()
	return a == b
}

// layout cuts the namespace at the edges of each mount, so that the paths of
// all mounts can be walked in one ascending order.
func (ms *mounts) layout() []keyRange {
	var edges []string
	for _, m := range ms.all {
		if m.prefix == "" {
			edges = append(edges, "", above)
		} else {
			edges = append(edges, m.prefix+"/", m.prefix+"/"+above)
		}
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	var ranges []keyRange
	for i := 0; i+1 < len(edges); i++ {
		lo, hi := edges[i], edges[i+1]
		for _, m := range ms.all { // longest prefix first
			if m.prefix == "" || strings.HasPrefix(lo, m.prefix+"/") && lo != m.prefix+"/"+above {
				ranges = append(ranges, keyRange{lo, hi, m})
				break
			}
		}
	}
	return ranges
}

// byPrefix returns the mounts in ascending order of their prefixes.
func (ms *mounts) byPrefix() []*mount {
	return slices.SortedFunc(slices.Values(ms.all), func(a, b *mount) int { return strings.Compare(a.prefix, b.prefix) })
}

// owner returns the mount that answers for a path, and the path relative to it.
func (ms *mounts) owner(path string) (m *mount, rel string, ok bool) {
	for _, m := range ms.all {
		if m.prefix == "" {
			return m, path, true
		}
		if rest, ok := strings.CutPrefix(path, m.prefix); ok && (rest == "" || rest[0] == '/') {
			return m, strings.TrimPrefix(rest, "/"), rest != ""
		}
	}
	return nil, "", false
}

// skill asks the generator for the skill at rel.
func (m *mount) skill(ctx context.Context, rel string) (*Skill, error) {
	skill, err := m.gen.Skill(ctx, rel)
	if err == nil && skill == nil {
		err = invalidSkill("the generator returned neither a skill nor an error")
	}
	return skill, err
}

func (m *mount) path(rel string) string {
	if m.prefix == "" {
		return rel
	}
	return m.prefix + "/" + rel
}

// SetMounts replaces the mounts while the catalog serves. What was rendered of a
// mount with the same prefix and generator is kept; of one with another
// generator each skill is asked for again, and kept if its version is the same.
// Requests that began before are answered from the generators that were there
// then. Cursors stay valid. It fails as NewCatalog does, and changes nothing
// then.
func (c *Catalog) SetMounts(list []Mount) error {
	c.ready()
	c.setting.Lock()
	defer c.setting.Unlock()
	old := c.mounts.Load()
	ms, err := c.newMounts(list, old)
	if err != nil {
		return err
	}
	removed := slices.DeleteFunc(slices.Clone(old.all), func(m *mount) bool { return slices.Contains(ms.all, m) })
	added := slices.DeleteFunc(slices.Clone(ms.all), func(m *mount) bool { return slices.Contains(old.all, m) })
	if len(removed)+len(added) == 0 {
		return nil
	}
	for _, m := range removed {
		m.gone.Store(true)
		m.unwatch()
	}
	c.mounts.Store(ms)
	c.generation.Add(1)
	for _, m := range slices.Concat(removed, added) {
		c.forget(m.prefix) // what it is nested in
	}
	c.generation.Add(1) // as in changed
	for _, m := range added {
		if c.watch != nil {
			c.watch.start(c, m)
		}
	}
	c.tell()
	return nil
}

// A watch is a call of Catalog.Watch in progress.
type watch struct {
	ctx   context.Context
	group *errgroup.Group
}

// Watch runs the Watchers among the generators, also of mounts that are set
// later, until ctx is done or one fails. It returns nil when ctx is done, and
// otherwise the error of the one that failed, whose mount it names. Only one call
// can be in progress; another one fails.
func (c *Catalog) Watch(ctx context.Context) error {
	c.ready()
	group, ctx := errgroup.WithContext(ctx)
	w := &watch{ctx, group}
	c.setting.Lock()
	if c.watch != nil {
		c.setting.Unlock()
		return errors.New("the catalog is being watched already")
	}
	c.watch = w
	group.Go(func() error { // keeps the group going until no mount can be added
		<-ctx.Done()
		c.setting.Lock()
		defer c.setting.Unlock()
		c.watch = nil
		return nil
	})
	for _, m := range c.mounts.Load().all {
		w.start(c, m)
	}
	c.setting.Unlock()
	return group.Wait()
}

// start runs the Watcher of a mount, if it has one, until the mount is gone.
func (w *watch) start(c *Catalog, m *mount) {
	watcher, ok := As[Watcher](m.gen)
	if !ok {
		return
	}
	ctx, cancel := context.WithCancel(w.ctx)
	m.unwatch = cancel
	w.group.Go(func() error {
		defer cancel()
		m.watching.Store(true)
		defer m.watching.Store(false)
		err := watcher.Watch(ctx, func(rel string) {
			if !m.gone.Load() {
				c.changed(m, rel)
			}
		})
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("watch of the mount %q: %w", m.prefix, err)
		}
		return nil
	})
}

func (c *Catalog) changed(m *mount, rel string) {
	c.generation.Add(1) // first: what is under way must not be kept
	if rel == "" {
		c.records.purge()
	} else {
		c.forget(m.path(rel))
	}
	// Again: what was made since of records that are forgotten now is not kept.
	c.generation.Add(1)
	c.tell()
}

// tell drops what was kept of all skills together, and lets those know of a
// change who want to.
func (c *Catalog) tell() {
	c.failures.purge()
	c.pages.purge()
	c.mu.Lock()
	callbacks := slices.Clone(c.onChange)
	c.mu.Unlock()
	for _, f := range callbacks {
		f()
	}
}
