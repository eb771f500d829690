package framework

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
)

// generated is a base of OverlayFS: an API with a nested skill.
func generated() *able {
	g := ableOf("generated", "api-guide", "pets/add-pet", "pets/add-pet/batch", "pets/list-pets")
	for _, s := range g.skills {
		s.Files = append(s.Files, File{Name: "references/api.md", MIMEType: "text/x-api", Content: TextFile("", "generated").Content})
	}
	return g
}

func TestFilesOverASkillReplaceAndAddFiles(t *testing.T) {
	c := catalog(t, nil, Mount{"m", OverlayFS(generated(), tree(map[string]string{
		"pets/add-pet/references/api.md":  "by hand",
		"pets/add-pet/examples/one.md":    "an example",
		"pets/add-pet/batch/from.txt":     "of the nested skill",
		"pets/add-pet/batch/deep/er.md":   "of the nested skill too",
		"pets/list-pets/SKILL.md":         "",
		"pets/list-pets/notes.md":         "notes",
		"getting-started/SKILL.md":        "",
		"getting-started/steps/first.md":  "first",
		"pets/list-pets/references/.keep": "",
	}), nil)})
	uris, _ := listAll(t, c)
	slices.Sort(uris)
	if want := []string{"skill://m/api-guide/SKILL.md", "skill://m/getting-started/SKILL.md", "skill://m/pets/add-pet/SKILL.md",
		"skill://m/pets/add-pet/batch/SKILL.md", "skill://m/pets/list-pets/SKILL.md"}; !slices.Equal(uris, want) {
		t.Error(uris)
	}
	for file, want := range map[string]string{
		"api-guide/references/api.md":      "generated",
		"pets/add-pet/references/api.md":   "by hand",
		"pets/add-pet/examples/one.md":     "an example",
		"pets/add-pet/from.txt":            "generated",
		"pets/add-pet/batch/from.txt":      "of the nested skill",
		"pets/add-pet/batch/deep/er.md":    "of the nested skill too",
		"pets/list-pets/notes.md":          "notes",
		"getting-started/steps/first.md":   "first",
		"pets/list-pets/from.txt":          "",
		"pets/list-pets/references/api.md": "",
	} {
		content, err := c.Read(t.Context(), "skill://m/"+file)
		if want == "" {
			if !errors.Is(err, ErrNotFound) {
				t.Errorf("%s is left of the generated skill: %v", file, err)
			}
		} else if err != nil || string(content.Bytes) != want {
			t.Errorf("%s: %v, %v", file, content, err)
		} else if strings.HasSuffix(file, "api.md") && content.MIMEType != "text/x-api" {
			t.Errorf("%s: the media type is %s", file, content.MIMEType)
		}
	}
	page, err := c.ReadDirectory(t.Context(), "skill://m/pets/add-pet", "")
	if err != nil || len(page.Resources) != 5 {
		t.Errorf("%+v, %v", page, err)
	}
	e, err := c.Get(t.Context(), "skill://m/pets/add-pet/SKILL.md")
	if err != nil || len(e.Resources) != 4+4 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestWholeSkillLeavesFilesBelowANestedGeneratedSkillToIt(t *testing.T) {
	c := catalog(t, nil, Mount{"m", OverlayFS(generated(), tree(map[string]string{
		"pets/add-pet/SKILL.md": "", "pets/add-pet/own.md": "own", "pets/add-pet/batch/more.md": "more",
	}), nil)})
	e, err := c.Get(t.Context(), "skill://m/pets/add-pet/SKILL.md")
	if err != nil || len(e.Resources) != 2+4 {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err := c.Get(t.Context(), "skill://m/pets/add-pet/batch/SKILL.md"); err != nil || len(e.Resources) != 4 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestFilesOverASkillChangeItsVersion(t *testing.T) {
	base := generated()
	versions := map[string]bool{}
	for _, files := range []map[string]string{
		{}, {"pets/list-pets/a.md": ""}, {"pets/list-pets/a.md": "a"}, {"pets/list-pets/SKILL.md": ""},
	} {
		s, err := OverlayFS(base, tree(files), nil).Skill(t.Context(), "pets/list-pets")
		if err != nil || s.Version == "" || versions[s.Version] {
			t.Errorf("%v: %+v, %v", files, s, err)
		}
		versions[s.Version] = true
	}
	if s := base.skills["pets/list-pets"]; len(s.Files) != 3 || s.Version != "v1" || content(t, s, "references/api.md") != "generated" {
		t.Error("the generator's own skill was changed")
	}
}

func TestFileThatCannotBeReadIsNotReplacedByTheGeneratedOne(t *testing.T) {
	m := refusing{tree(map[string]string{"pets/list-pets/from.txt": "x", "api-guide/SKILL.md": "", "pets/add-pet/x/y.md": ""}),
		map[string]error{"pets/list-pets/from.txt": fs.ErrPermission, "api-guide": fs.ErrPermission}}
	g := OverlayFS(generated(), m, nil)
	for _, p := range []string{"pets/list-pets", "api-guide"} {
		if s, err := g.Skill(t.Context(), p); !errors.Is(err, fs.ErrPermission) || errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v, %v", p, s, err)
		}
	}
	if _, err := g.Skill(t.Context(), "pets/add-pet"); err != nil {
		t.Errorf("a neighbour: %v", err)
	}
	if got := paths(t, g, ""); !slices.Equal(got, []string{"api-guide", "pets/add-pet", "pets/add-pet/batch", "pets/list-pets"}) {
		t.Error(got)
	}
}

func TestFilesOfNoSkillAreDiagnosed(t *testing.T) {
	m := tree(map[string]string{
		"README.md":                   "of no skill",
		"pets/notes.md":               "of no skill",
		"pets/add-pet/notes.md":       "of a generated skill",
		"pets/add-pet/deep/notes.md":  "of a generated skill",
		"pets/add-dog/notes.md":       "of a skill that is not there any more",
		"own/SKILL.md":                "",
		"own/x/y.md":                  "of a skill here",
		"pets/list-pets/SKILL.md":     "",
		"Pets/list-pets/.hidden/x.md": "skipped",
	})
	for _, base := range []Generator{generated(), bare{generated()}} {
		var got []string
		for _, d := range diagnosed(t, OverlayFS(base, m, nil)) {
			if d.Rule == "file-of-no-skill" {
				got = append(got, d.File)
				if dir := d.File[:max(0, strings.LastIndexByte(d.File, '/'))]; !strings.Contains(d.Message, `"`+dir) {
					t.Error(d)
				}
			}
			if d.Skill == "pets/list-pets" {
				t.Errorf("a fault of the hidden skill: %v", d)
			}
		}
		if want := []string{"README.md", "pets/notes.md", "pets/add-dog/notes.md"}; !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%q, not %q", got, want)
		}
	}
	for _, d := range diagnosed(t, FromFS(m, nil)) {
		if d.Rule == "file-of-no-skill" {
			t.Errorf("beside skills of a folder alone other files may be: %v", d)
		}
	}
}

func TestOverlayFSTellsOfChangesOfBothSides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memoryWriter{files: tree(map[string]string{"pets/list-pets/deep/x.md": "x", "own/SKILL.md": ""})}
		base := generated()
		base.tell = nil
		c := catalog(t, nil, Mount{"m", OverlayFS(base, m, nil)})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- c.Watch(ctx) }()
		synctest.Wait()
		changes := []struct {
			write, text string
			read, want  string
		}{
			{"pets/list-pets/deep/x.md", "longer", "pets/list-pets/deep/x.md", "longer"},
			{"pets/list-pets/from.txt", "by hand", "pets/list-pets/from.txt", "by hand"},
			{"own/SKILL.md", skillMD("own", "Changed"), "own/SKILL.md", skillMD("own", "Changed")},
			{"pets/add-pet/SKILL.md", skillMD("add-pet", "By hand"), "pets/add-pet/SKILL.md", skillMD("add-pet", "By hand")},
		}
		for _, change := range changes {
			if _, err := c.Read(t.Context(), "skill://m/"+change.read); err != nil && !errors.Is(err, ErrNotFound) {
				t.Fatal(err)
			}
			m.write(change.write, change.text)
			time.Sleep(defaultInterval)
			synctest.Wait()
			if content, err := c.Read(t.Context(), "skill://m/"+change.read); err != nil || string(content.Bytes) != change.want {
				t.Errorf("%s: %v, %v", change.write, content, err)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if _, ok := As[Watcher](OverlayFS(memoryOf("a"), fstest.MapFS{}, nil)); ok {
		t.Error("the base is not watched, and its changes would be told by nobody")
	}
}

func TestOverlayFSOnDiskIsTheSame(t *testing.T) {
	m := tree(map[string]string{"pets/add-pet/batch/from.txt": "x", "pets/list-pets/SKILL.md": "", "own/SKILL.md": ""})
	memory, disk := OverlayFS(generated(), m, nil), OverlayFS(generated(), os.DirFS(onDisk(t, m)), nil)
	all := paths(t, memory, "")
	if got := paths(t, disk, ""); !slices.Equal(got, all) {
		t.Error(got)
	}
	for _, p := range all {
		a, errA := memory.Skill(t.Context(), p)
		b, errB := disk.Skill(t.Context(), p)
		if errA != nil || errB != nil || a.Version != b.Version || !slices.Equal(names(a), names(b)) {
			t.Errorf("%s: %+v, %v; %+v, %v", p, a, errA, b, errB)
		}
	}
}

func TestFilterAroundOverlayFSHidesWhatIsWrittenByHandToo(t *testing.T) {
	m := tree(map[string]string{"own/SKILL.md": "", "pets/list-pets/SKILL.md": ""})
	keep := func(p string) bool { return p != "own" && p != "pets/list-pets" }
	if got := paths(t, Filter(OverlayFS(generated(), m, nil), keep), ""); !slices.Equal(got, []string{"api-guide", "pets/add-pet", "pets/add-pet/batch"}) {
		t.Error(got)
	}
	if got := paths(t, OverlayFS(Filter(generated(), keep), m, nil), ""); !slices.Contains(got, "pets/list-pets") {
		t.Error(got)
	}
}
