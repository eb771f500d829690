package framework

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// want returns what a catalog has at each path: the files of a skill, or nil for one
// that is invalid.
func (c *composition) want() map[string]map[string]string {
	skills := map[string]map[string]string{}
	for p := range c.skills {
		skills[p] = c.entry(p)
	}
	return skills
}

// entry returns the files of a skill with those of the skills nested in it, by name,
// or nil for one that is invalid.
func (c *composition) entry(path string) map[string]string {
	if c.refused[path] || !c.lister && enclosed(path, keys(c.skills)) {
		return nil
	}
	all := maps.Clone(c.skills[path])
	if !c.lister {
		return all
	}
	for p := range c.listed {
		dir, ok := strings.CutPrefix(p, path+"/")
		if !ok {
			continue
		}
		for name := range c.skills[path] {
			if strings.HasPrefix(name, dir+"/") {
				return nil
			}
		}
		if c.entry(p) == nil {
			return nil
		}
		for name, text := range c.skills[p] {
			all[dir+"/"+name] = text
		}
	}
	return all
}

func (c *composition) check(t *testing.T, cat *Catalog) {
	t.Helper()
	want := c.want()
	for _, p := range compositionPaths {
		files, ok := want[p]
		e, err := cat.Get(t.Context(), cat.URI("m/"+p))
		switch {
		case !ok && !errors.Is(err, ErrNotFound):
			t.Errorf("%s is none of its skills, but: %v, %v", p, e, err)
		case ok && files == nil && !errors.Is(err, ErrInvalidSkill):
			t.Errorf("%s is invalid, but: %v, %v", p, e, err)
		case files == nil:
		case err != nil:
			t.Errorf("%s: %v", p, err)
		default:
			got := map[string]string{}
			for _, res := range e.Resources {
				content, err := cat.Read(t.Context(), res.URI)
				if err != nil || DigestOf(content.Bytes) != res.Digest {
					t.Errorf("%s: %v, or another digest", res.URI, err)
					continue
				}
				got[strings.TrimPrefix(res.URI, "skill://m/"+p+"/")] = string(content.Bytes)
			}
			if !maps.Equal(got, files) {
				t.Errorf("%s has %q, want %q", p, got, files)
			}
		}
	}
	c.checkListing(t, cat, want)
	for name, ok := range map[string]bool{
		"lister": can[Lister](c.g), "featurer": can[Featurer](c.g), "watcher": can[Watcher](c.g), "closer": can[io.Closer](c.g),
	} {
		if ok != c.able[name] {
			t.Errorf("it is a %s: %v, want %v", name, ok, c.able[name])
		}
	}
}

func can[T any](g Generator) bool {
	_, ok := As[T](g)
	return ok
}

func (c *composition) checkListing(t *testing.T, cat *Catalog, want map[string]map[string]string) {
	t.Helper()
	listed := slices.Sorted(maps.Keys(c.listed))
	if !c.lister {
		listed = nil
	} else {
		for _, after := range append([]string{"", "a/", "a/b/", "zz"}, compositionPaths...) {
			i, found := slices.BinarySearch(listed, after)
			if found {
				i++
			}
			if got := paths(t, c.g, after); !slices.Equal(got, listed[i:]) {
				t.Errorf("paths after %q are %q, want %q", after, got, listed[i:])
			}
			if lister, _ := As[Lister](c.g); i < len(listed) {
				for p, err := range lister.Paths(t.Context(), after) { // broken off
					if p != listed[i] || err != nil {
						t.Errorf("the first path after %q is %q, %v", after, p, err)
					}
					break
				}
			}
		}
	}
	var uris []string
	shown := maps.Clone(c.featured)
	for _, p := range listed {
		shown[p] = true
	}
	for p := range shown {
		if want[p] != nil {
			uris = append(uris, cat.URI("m/"+p))
		}
	}
	got, _ := listAll(t, cat)
	slices.Sort(got)
	slices.Sort(uris)
	if !slices.Equal(got, uris) {
		t.Errorf("listed are %q, want %q", got, uris)
	}
	for _, uri := range uris { // each skill as files
		if !c.lister || len(c.refused) > 0 {
			break // where they clash with an unlisted skill there are two answers
		}
		root := strings.TrimSuffix(strings.TrimPrefix(uri, "skill://"), "/"+skillFile)
		files := map[string]string{}
		fsys := cat.FS(t.Context())
		err := fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				var text []byte
				text, err = fs.ReadFile(fsys, name)
				files[strings.TrimPrefix(name, root+"/")] = string(text)
			}
			return err
		})
		if p := strings.TrimPrefix(root, "m/"); err != nil || !maps.Equal(files, want[p]) {
			t.Errorf("the folder of %s has %q, want %q: %v", p, files, want[p], err)
		}
	}
}

// TestCompositionsAreAsANaiveModelSays holds random trees of wrappers against maps, and
// then what becomes of each in the same catalog: a version must not bring back what
// is out of date.
func TestCompositionsAreAsANaiveModelSays(t *testing.T) {
	running := runtime.NumGoroutine()
	for seed := range uint64(200) {
		var cat *Catalog
		for revision := range uint64(3) {
			r := newRandomly(seed, revision)
			c := r.tree(3)
			mounts := []Mount{{"m", c.g}}
			if cat == nil {
				cat = catalog(t, nil, mounts...)
			} else if err := cat.SetMounts(mounts); err != nil {
				t.Fatal(err)
			}
			if !c.doubtful {
				c.check(t, cat)
			}
			if closer, ok := As[io.Closer](c.g); ok {
				if err := closer.Close(); err != nil {
					t.Error(err)
				}
			}
			if r.opened != 0 {
				t.Errorf("%d closers were not closed, or more than once", r.opened)
			}
			if t.Failed() {
				t.Fatalf("seed %d, revision %d: %s", seed, revision, c.text)
			}
		}
	}
	if now := runtime.NumGoroutine(); now > running+5 {
		t.Errorf("%d goroutines are running, and were %d", now, running)
	}
}
