package framework

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// FuzzFromFS makes a tree of the lines of a text, each the name of a file; one
// that ends with @ is a link, and one that ends with | a pipe.
func FuzzFromFS(f *testing.F) {
	f.Add("a/SKILL.md\na-b/SKILL.md\na/b/SKILL.md\na/c/x.md\na.b/SKILL.md", "a")
	f.Add("SKILL.md\n.x/SKILL.md\na/B/SKILL.md\na/SKILL.md\na/l@\np|", "a/B")
	f.Add("a/SKILL.md/x\nb/skill.md\nc/SKILL.md@\nd"+strings.Repeat("/d", 18)+"/SKILL.md", "")
	f.Add("a\\b/SKILL.md\n\xff/SKILL.md\na\x01/SKILL.md\n\U0010FFFF/SKILL.md", "\xff")
	f.Fuzz(func(t *testing.T, list, after string) {
		if len(list) > 512 {
			return
		}
		m := fstest.MapFS{}
		for name := range strings.SplitSeq(list, "\n") {
			file := &fstest.MapFile{Data: []byte(skillMD(path.Dir(name), "Fuzzed"))}
			if link, ok := strings.CutSuffix(name, "@"); ok {
				name, file = link, &fstest.MapFile{Data: []byte("."), Mode: fs.ModeSymlink}
			} else if pipe, ok := strings.CutSuffix(name, "|"); ok {
				name, file = pipe, &fstest.MapFile{Mode: fs.ModeNamedPipe}
			}
			m[name] = file
		}
		delete(m, ".") // a root that is a file
		want := skillFolders(m)
		for _, base := range []Generator{nil, memoryOf("a", "a/b", "a/b/c", "z")} {
			g, folders := FromFS(m, nil), want
			if base != nil {
				g = OverlayFS(base, m, nil)
				folders = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(want), paths(t, base, "")...))))
			}
			if got := paths(t, g, ""); !slices.Equal(got, folders) {
				t.Fatalf("paths %q, not %q", got, folders)
			}
			i, found := slices.BinarySearch(folders, after)
			if found {
				i++
			}
			if got := paths(t, g, after); !slices.Equal(got, folders[i:]) {
				t.Fatalf("after %q: %q, not %q", after, got, folders[i:])
			}
			for _, p := range folders {
				if s, err := g.Skill(t.Context(), p); (s == nil) == (err == nil) || errors.Is(err, ErrNotFound) {
					t.Fatalf("%q: %v, %v", p, s, err)
				}
			}
			if _, err := g.Skill(t.Context(), after); err == nil && !slices.Contains(folders, after) {
				t.Fatalf("%q is a skill, and not among the paths", after)
			}
			for _, d := range diagnosed(t, g) {
				if d.Rule == "" || d.Message == "" || d.Severity == "" {
					t.Fatal(d)
				}
			}
		}
	})
}

// skillFolders finds the skills of a tree in another way: by the names of all
// files.
func skillFolders(m fstest.MapFS) []string {
	found := map[string]bool{}
files:
	for name, file := range m {
		dir, ok := strings.CutSuffix(name, "/"+skillFile)
		if !ok || file.Mode != 0 || validPath(name) != nil || !ValidName(path.Base(dir)) {
			continue
		}
		for above := dir; above != "."; above = path.Dir(above) {
			if m[above] != nil || strings.HasPrefix(path.Base(above), ".") {
				continue files
			}
		}
		found[dir] = true
	}
	return slices.Sorted(maps.Keys(found))
}
