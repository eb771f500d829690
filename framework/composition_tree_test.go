package framework

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing/fstest"
	"time"
)

// A composition is a tree of wrappers, and what it has by a naive model of maps.
type composition struct {
	text string // the tree, for messages
	g    Generator

	// skills are the files of each skill that Skill returns, by path and name.
	skills map[string]map[string]string
	// listed are the paths that Paths yields, if it is a Lister.
	lister bool
	listed map[string]bool
	// refused are paths of skills that fail, since they are nested unlisted.
	refused map[string]bool

	able     map[string]bool // abilities by name
	featured map[string]bool

	// doubtful reports whether a skill that is served but not listed came into one of
	// an overlay around it. Nobody sees to it that it is refused.
	doubtful bool
}

// randomly makes trees. Those of one seed have one shape, and those of another
// revision other skills and files: a leaf that has changed has another version.
type randomly struct {
	*rand.Rand // for the shape
	change     *rand.Rand
	seed       uint64
	leaves     int
	opened     int // closers that are not closed
}

func newRandomly(seed, revision uint64) *randomly {
	return &randomly{Rand: rand.New(rand.NewPCG(seed, 1)), change: rand.New(rand.NewPCG(seed, 1000+revision)), seed: seed}
}

var compositionPaths = []string{"a", "a-b", "a/b", "a/b/c", "a/c", "b", "b/a", "c"}

func some(r *rand.Rand, share float64) (paths []string) {
	for _, p := range compositionPaths {
		if r.Float64() < share {
			paths = append(paths, p)
		}
	}
	return paths
}

// abilities are chosen for leaves: Generator is embedded as an interface, so that
// nothing is promoted.
type (
	onlySkill   struct{ Generator }
	alsoListing struct {
		Generator
		PathList
	}
	alsoFeaturing struct {
		Generator
		Lister
		featurerFunc
	}
	alsoWatching struct {
		Generator
		Lister
		watcherFunc
	}
	alsoClosing struct {
		Generator
		Lister
		closerFunc
	}
)

type closerFunc func() error

func (f closerFunc) Close() error { return f() }

func (r *randomly) leaf() *composition {
	r.leaves++
	version := fmt.Sprint(r.change.IntN(2))
	own := rand.New(rand.NewPCG(r.seed<<8+uint64(r.leaves), uint64(version[0])))
	id := fmt.Sprintf("leaf%d.%s", r.leaves, version)
	c := &composition{skills: map[string]map[string]string{}, listed: map[string]bool{}, refused: map[string]bool{}, able: map[string]bool{}, featured: map[string]bool{}}
	m := &memory{skills: map[string]*Skill{}}
	paths := some(own, 0.4)
	for _, p := range paths {
		files := map[string]string{skillFile: skillMD(p, "Of "+id)}
		if own.IntN(2) == 0 {
			files["x.txt"] = id
		}
		if own.IntN(8) == 0 {
			files["b/notes.txt"] = id // clashes where a skill is nested at b
		}
		s := &Skill{}
		for name, text := range files {
			s.Files = append(s.Files, TextFile(name, text))
		}
		if own.IntN(3) > 0 {
			s.Version = version
		}
		m.skills[p], c.skills[p] = s, files
	}
	c.text = fmt.Sprintf("%s%q", id, paths)
	if r.IntN(4) == 0 {
		c.g, c.text = onlySkill{m}, c.text+" unlisted"
		return c
	}
	c.lister = true
	for _, p := range paths {
		c.listed[p] = true
	}
	c.able["lister"] = true
	switch list := PathList(paths); r.IntN(4) {
	case 0:
		c.g = alsoListing{m, list}
	case 1:
		c.featured = keys(c.skills)
		c.g, c.able["featurer"] = alsoFeaturing{m, list, func(context.Context) ([]string, error) { return paths, nil }}, true
	case 2:
		c.able["watcher"] = true
		c.g = alsoWatching{m, list, func(ctx context.Context, changed func(string)) error { <-ctx.Done(); return nil }}
	case 3:
		r.opened++
		c.able["closer"] = true
		c.g = alsoClosing{m, list, func() error { r.opened--; return nil }}
	}
	return c
}

func (r *randomly) tree(depth int) *composition {
	if depth == 0 || r.IntN(6) == 0 {
		return r.leaf()
	}
	switch r.IntN(5) {
	case 0:
		inner := r.tree(depth - 1)
		inner.g, inner.text = WithTimeout(inner.g, time.Hour), "timeout("+inner.text+")"
		return inner
	case 1:
		inner := r.tree(depth - 1)
		inner.g, inner.text = &custom{inner.g}, "custom("+inner.text+")"
		inner.featured = map[string]bool{} // "mine", which is not served
		return inner
	case 2:
		return r.filter(r.tree(depth - 1))
	case 3:
		return r.overlayFS(r.tree(depth - 1))
	}
	return overlaid(r.tree(depth-1), r.tree(depth-1))
}

func (r *randomly) filter(inner *composition) *composition {
	out := map[string]bool{}
	for _, p := range some(r.change, 0.2) {
		out[p] = true
		delete(inner.skills, p)
		delete(inner.listed, p)
		delete(inner.refused, p)
		delete(inner.featured, p)
	}
	inner.g = Filter(inner.g, func(path string) bool { return !out[path] })
	inner.text = fmt.Sprintf("without(%q, %s)", slices.Sorted(maps.Keys(out)), inner.text)
	return inner
}

func overlaid(base, over *composition) *composition {
	c := &composition{
		text: "overlay(" + base.text + ", " + over.text + ")", g: Overlay(base.g, over.g), lister: base.lister,
		skills: maps.Clone(base.skills), listed: maps.Clone(base.listed), refused: maps.Clone(base.refused), able: map[string]bool{}, featured: maps.Clone(base.featured),
	}
	maps.Copy(c.featured, over.featured)
	maps.Copy(c.skills, over.skills)
	for p := range over.skills {
		delete(c.refused, p)
	}
	maps.Copy(c.refused, over.refused)
	if base.lister {
		maps.Copy(c.listed, over.listed)
	}
	if base.lister && !over.lister {
		for p := range over.skills {
			if !base.listed[p] && (enclosed(p, base.listed) || enclosed(p, keys(over.skills))) {
				c.refused[p] = true
			}
		}
	}
	c.doubtful = base.doubtful || over.doubtful
	for p := range base.skills {
		c.doubtful = c.doubtful || base.lister && !base.listed[p] && enclosed(p, keys(over.skills))
	}
	for p := range over.skills {
		c.doubtful = c.doubtful || over.lister && !over.listed[p] && enclosed(p, keys(c.skills))
	}
	for _, ability := range []string{"featurer", "closer"} {
		c.able[ability] = base.able[ability] || over.able[ability]
	}
	c.able["lister"] = base.able["lister"]
	c.able["watcher"] = base.able["watcher"] && over.able["watcher"]
	return c
}

func keys[V any](m map[string]V) map[string]bool {
	set := map[string]bool{}
	for k := range m {
		set[k] = true
	}
	return set
}

// enclosed reports whether a skill of a set encloses the one at path.
func enclosed(path string, set map[string]bool) bool {
	for other := range set {
		if strings.HasPrefix(path, other+"/") {
			return true
		}
	}
	return false
}

func (r *randomly) overlayFS(base *composition) *composition {
	files := fstest.MapFS{}
	written := some(r.change, 0.2)
	for _, p := range written {
		files[p+"/"+skillFile] = &fstest.MapFile{Data: []byte(skillMD(p, "By hand")), Mode: 0o644}
	}
	loose := some(r.change, 0.2)
	for _, p := range loose {
		files[p+"/x.txt"] = &fstest.MapFile{Data: []byte("by hand"), Mode: 0o644}
	}
	// What is listed of base, or written, is a skill of its own.
	whole := map[string]bool{}
	for _, p := range written {
		whole[p] = true
	}
	own := maps.Clone(whole)
	if base.lister {
		maps.Copy(own, base.listed)
	}
	patched := &composition{g: base.g, lister: base.lister, skills: map[string]map[string]string{}, listed: base.listed, refused: base.refused, able: base.able, featured: base.featured, doubtful: base.doubtful}
	over := &composition{skills: map[string]map[string]string{}, lister: true, listed: whole, able: map[string]bool{"lister": true, "watcher": true}, featured: map[string]bool{}}
	add := func(skill string, into map[string]string) {
		for name, f := range files {
			rest, ok := strings.CutPrefix(name, skill+"/")
			if !ok {
				continue
			}
			deeper := false
			for dir := range own {
				deeper = deeper || strings.HasPrefix(dir, skill+"/") && strings.HasPrefix(name, dir+"/")
			}
			if !deeper {
				into[rest] = string(f.Data)
			}
		}
	}
	for p, generated := range base.skills {
		patched.skills[p] = maps.Clone(generated)
		add(p, patched.skills[p])
	}
	for p := range whole {
		over.skills[p] = map[string]string{}
		add(p, over.skills[p])
	}
	c := overlaid(patched, over)
	c.g = OverlayFS(base.g, files, nil)
	c.text = fmt.Sprintf("files(%q and of %q, %s)", written, loose, base.text)
	return c
}
