package openapi

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func farmWith(t *testing.T, snippets map[string]string, mode ProseMode) *Generator {
	t.Helper()
	text := strings.Replace(farm, crops, "x-skill: {guidance: Of the document.}, "+crops, 1)
	g, err := New("farm.yaml", []byte(text), &Options{Snippets: folderOf(t, snippets), Prose: mode})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestSnippetsTakeThePlaceOfTheDocumentsGuidance(t *testing.T) {
	for _, mode := range []ProseMode{ProseFull, ProseQuoted, ProseNone} {
		g := farmWith(t, map[string]string{
			"operations/list-crops.md": "\ufeffGo **early**.\r\n",
			"groups/field-work.md":     "Wear boots.",
			"groups/webhooks.md":       "Check who calls.",
			"guide.md":                 "Shut the gate.",
			"README.txt":               "passed over",
			".git/x.md":                "passed over",
			"operations/.x.md":         "passed over",
		}, mode)
		if d := found(g); len(d) > 0 {
			t.Errorf("diagnostics: %v", d)
		}
		const heading = "Guidance of the API's authors\n\n"
		list, guide := filesOf(t, g, "field-work/list-crops"), filesOf(t, g, "farm-guide")
		for _, tt := range [][2]string{
			{list["SKILL.md"], heading + "Go **early**.\n"}, {guide["SKILL.md"], heading + "Shut the gate.\n"},
			{guide["references/field-work.md"], heading + "Wear boots.\n"}, {guide["references/webhooks.md"], heading + "Check who calls.\n"},
		} {
			if !strings.Contains(tt[0], tt[1]) {
				t.Errorf("%s: %q is not in\n%s", mode, tt[1], tt[0])
			}
		}
		if strings.Contains(list["SKILL.md"], "Of the document") {
			t.Errorf("%s: the document's guidance is there too", mode)
		}
	}
}

func TestASnippetChangesItsSkillAlone(t *testing.T) {
	before := versions(t, farmWith(t, map[string]string{}, ProseFull))
	for name, want := range map[string]string{
		"operations/sow-crop.md": "field-work/sow-crop", "operations/on-rain.md": "webhooks/on-rain",
		"groups/barn.md": "farm-guide", "guide.md": "farm-guide",
	} {
		after := versions(t, farmWith(t, map[string]string{name: "Words."}, ProseFull))
		if got := changed(before, after); !slices.Equal(got, []string{want}) {
			t.Errorf("%s changed %v, want %s", name, got, want)
		}
	}
}

func TestSnippetsForNothingAndUnusableOnesAreReported(t *testing.T) {
	g := farmWith(t, map[string]string{
		"operations/no-crop.md": "x", "operations/List-Crops.md": "x", "groups/cellar.md": "x", "tags/barn.md": "x", "other.md": "x",
		"operations/sow-crop.md": "\xff", "operations/burn-hay.md": " \n", "guide.md": strings.Repeat("x", 64<<10+1),
	}, ProseFull)
	var got []string
	for d := range g.Diagnostics(context.Background()) {
		got = append(got, d.Rule+" "+strings.Join(strings.Split(filepath.ToSlash(d.File), "/")[strings.Count(filepath.ToSlash(g.diags[0].File), "/")-1:], "/"))
	}
	slices.Sort(got)
	for i, want := range []string{"no-match", "no-match", "no-match", "no-match", "no-match", "unusable", "unusable", "unusable"} {
		if len(got) != 8 || !strings.HasPrefix(got[i], "snippet-"+want) {
			t.Fatalf("got %q", got)
		}
	}
	if s := filesOf(t, g, "farm-guide")["SKILL.md"]; strings.Contains(s, "Guidance of") {
		t.Error("a snippet that is too large is used")
	}
}

func TestSnippetsDoNotLeaveTheirFolder(t *testing.T) {
	secret := filepath.Join(folderOf(t, map[string]string{"secret.md": "xyzzy"}), "secret.md")
	dir := folderOf(t, map[string]string{"operations/sow-crop.md": "fine", "real.txt": "inside"})
	if err := os.Symlink(secret, filepath.Join(dir, "guide.md")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for link, target := range map[string]string{"operations/list-crops.md": secret, "operations/burn-hay.md": "../real.txt", "groups": filepath.Dir(secret)} {
		if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	g, err := New("farm.yaml", []byte(farm), &Options{Snippets: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got := found(g); !slices.Equal(got, []string{"snippet-unusable ", "snippet-unusable ", "snippet-unusable "}) {
		t.Errorf("got %q", got)
	}
	for path := range strings.SplitSeq(pathsOf(t, g), " ") {
		for name, text := range filesOf(t, g, path) {
			if strings.Contains(text, "xyzzy") {
				t.Errorf("%s/%s has it", path, name)
			}
		}
	}
	if s := filesOf(t, g, "barn/burn-hay")["SKILL.md"]; !strings.Contains(s, "inside") {
		t.Error("a link within the folder is not followed")
	}
}

func TestAFolderOfSnippetsMustBeThere(t *testing.T) {
	if _, err := New("farm.yaml", []byte(farm), &Options{Snippets: filepath.Join(t.TempDir(), "none")}); err == nil || !strings.Contains(err.Error(), "folder of snippets cannot be opened") {
		t.Errorf("got %v", err)
	}
}
