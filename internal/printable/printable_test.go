package printable

import (
	"strings"
	"testing"
)

func TestShortenLeavesNothingButPrintableASCII(t *testing.T) {
	for s, want := range map[string]string{
		"":                               "",
		"skill://a/SKILL.md":             "skill://a/SKILL.md",
		"a b\n\x1b[31m":                  "a%20b%0A%1B[31m",
		"é\xff\x7f":                      "%C3%A9%FF%7F",
		strings.Repeat("x", limit):       strings.Repeat("x", limit),
		strings.Repeat("x", limit+1):     strings.Repeat("x", limit) + "... (201 bytes)",
		strings.Repeat("\x00", 1<<20):    strings.Repeat("%00", 67) + "... (1048576 bytes)",
		strings.Repeat("x", limit) + " ": strings.Repeat("x", limit) + "... (201 bytes)",
	} {
		if got := Shorten(s); got != want {
			t.Errorf("%.40q: %s, want %s", s, got, want)
		}
	}
}
