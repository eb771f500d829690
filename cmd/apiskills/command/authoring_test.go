package command

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var fenced = regexp.MustCompile("(?ms)^```(\\w+)(?: (\\S+))?\n(.*?)^```$")

// TestThePageOnAuthorsWordsRuns writes the files that docs/authoring.md shows
// and runs its commands, none of which may find a fault.
func TestThePageOnAuthorsWordsRuns(t *testing.T) {
	page, err := os.ReadFile("../../../docs/authoring.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	wanted := []string{
		"skill://orchard/trees/get-tree/SKILL.md\tLook up one tree: GET /trees/{number}. Use when",
		"A tree that was felled is still found",
		"Ask which orchard is meant",
		"Never guess a number",
		"skill://orchard/orchard-guide/SKILL.md",
		"0 errors, 0 warnings",
	}
	blocks := fenced.FindAllSubmatch(page, -1)
	for _, b := range blocks {
		if name := string(b[2]); name != "" {
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, b[3], 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	ran := 0
	for _, b := range blocks {
		if string(b[1]) != "sh" {
			continue
		}
		for line := range strings.Lines(string(b[3])) {
			args := strings.Fields(line)
			var stdout, stderr bytes.Buffer
			if code := program.Run(t.Context(), args[1:], strings.NewReader(""), &stdout, &stderr); code != 0 || stderr.Len() > 0 {
				t.Errorf("%s: exit status %d\n%s", strings.TrimSpace(line), code, &stderr)
			}
			if ran < len(wanted) && !strings.Contains(stdout.String(), wanted[ran]) {
				t.Errorf("%s: %q is not in\n%s", strings.TrimSpace(line), wanted[ran], &stdout)
			}
			if strings.Contains(stdout.String(), "fell-tree") {
				t.Errorf("%s: what is hidden is there", strings.TrimSpace(line))
			}
			ran++
		}
	}
	if ran != len(wanted) {
		t.Errorf("%d commands, want %d", ran, len(wanted))
	}
}
