package endpoint

import (
	"strings"
	"testing"
)

// What decides which parts leave SKILL.md is the number of lines it will have.
func TestHeightIsTheNumberOfLinesRendered(t *testing.T) {
	for _, op := range orchard(t) {
		if op.Webhook != "" {
			continue
		}
		e := view(t, op)
		if got, want := height(e), strings.Count(skill(t, op), "\n"); got != want {
			t.Errorf("%s: %d lines, rendered %d", op.Name, got, want)
		}
	}
}
