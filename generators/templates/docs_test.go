package templates

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func readGuide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTheGuidesFolderIsWhole loads the files of docs/templates.md.
func TestTheGuidesFolderIsWhole(t *testing.T) {
	fsys := fstest.MapFS{}
	text := readGuide(t)
	for _, fence := range []string{"```", "````"} {
		for _, m := range regexp.MustCompile(`(?ms)^`+fence+`[a-z]+ (\S+)\n(.*?\n)`+fence+`$`).FindAllStringSubmatch(text, -1) {
			if _, twice := fsys[m[1]]; !twice {
				fsys[m[1]] = &fstest.MapFile{Data: []byte(m[2])}
			}
		}
	}
	if len(fsys) != 4 {
		t.Fatalf("%d files, want 4", len(fsys))
	}
	g, err := LoadFS(t.Context(), fsys, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := paths(t, g); got != "north/big-lake south/tarn" || diagnostics(t, g) != "" {
		t.Errorf("paths: %s\n%s", got, diagnostics(t, g))
	}
	got := file(t, g, "north/big-lake", "SKILL.md")
	for _, want := range []string{"\nIt is 212 m deep.\n", "|---|---|\n| Elm | North |\n| Reed | North |\n", "from the *west* rises", "\nweather --at 'Big Lake'\n", "in distress"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := file(t, g, "north/big-lake", "references/rescue.md"); got != "```bash\ncall --channel 16 \"Big Lake\"\n```\n" {
		t.Errorf("got %q", got)
	}
	if got := file(t, g, "south/tarn", "references/rescue.md"); got != "" {
		t.Errorf("got %q", got)
	}
}

// TestTheGuideHasEachFunction keeps its table complete, and true.
func TestTheGuideHasEachFunction(t *testing.T) {
	_, table, _ := strings.Cut(readGuide(t), "| Function | Gives |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	listed := map[string]bool{"html": true, "js": true} // which only say that they are not there
	for row := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(row, "|")
		for _, m := range regexp.MustCompile("`([a-zA-Z]+)[^`]*`").FindAllStringSubmatch(cells[1], -1) {
			listed[m[1]] = true
			if recordFunctions[m[1]] == nil {
				t.Errorf("there is no function %s", m[1])
			}
		}
	}
	for name := range recordFunctions {
		if !listed[name] && !strings.HasPrefix(name, "_") {
			t.Errorf("the guide does not have %s", name)
		}
	}
}
