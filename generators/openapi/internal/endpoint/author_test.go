package endpoint

import (
	"strings"
	"testing"
)

func TestLongMarkdownIsCutAtALineAndItsFenceClosed(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		n          int
		want       string
	}{
		{"short", "a\nb", 10, "a\nb"},
		{"at a line", "first\nsecond\nthird", 14, "first\nsecond\n\n..."},
		{"in a fence", "```text\none\ntwo\n```", 13, "```text\none\n```\n\n..."},
		{"in a quoted fence", "> ````\n> ```\n> two\n> ````", 15, "> ````\n> ```\n> ````\n\n..."},
		{"after a fence", "```\none\n```\nlast line", 15, "```\none\n```\n\n..."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := shortened(tt.text, tt.n); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestGuidanceOfAnySizeLeavesRoomForTheCall(t *testing.T) {
	for _, guidance := range []string{
		strings.Repeat("Go early. ", 400), strings.Repeat("é\n\n", 30000), "```\n" + strings.Repeat("x\n", 40000), strings.Repeat("- a\n", 5000),
		strings.Repeat("word", 20000),
	} {
		op := one(t, "GET", "/owls", "{summary: List, responses: {'200': {description: ok}}}", "")
		op.Author.Guidance = guidance
		files, _ := render(t, op)
		if n := len(files["SKILL.md"]); n > maxSkillBytes {
			t.Errorf("%.20q: SKILL.md has %d bytes", guidance, n)
		}
		if n := len(files["references/guidance.md"]); n > 26<<10 {
			t.Errorf("%.20q: the guidance has %d bytes", guidance, n)
		}
		if strings.Count(files["references/guidance.md"], "```")%2 != 0 {
			t.Errorf("%.20q: a fence is open", guidance)
		}
	}
}
