package ingest

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestADescriptionIsCutAtAWordOutsideOfMarkup(t *testing.T) {
	words := strings.Repeat("word ", 60)
	link := "[see the long guide of it](https://example.com/" + strings.Repeat("x", 300) + ")"
	for _, tt := range []struct{ name, in, want string }{
		{"short", "a b", "a b"},
		{"words", words, strings.Repeat("word ", 48)[:239] + " …"},
		{"the target of a link is not seen", words[:150] + link + " end", words[:150] + link + " end"},
		{"never inside a link", words[:235] + link + " " + words, words[:234] + " …"},
		{"nor inside code", words[:235] + "`a b c d e f g h` " + words, words[:234] + " …"},
		{"tags are not seen", words[:200] + strings.Repeat("<br/>", 40) + "end", words[:200] + strings.Repeat("<br/>", 40) + "end"},
		{"a long word at the place of the cut stays", words[:160] + strings.Repeat("u", 200) + " " + words, words[:160] + strings.Repeat("u", 200) + " …"},
		{"one word", strings.Repeat("u", 5000), strings.Repeat("u", maxRaw+1) + " …"},
		{"open brackets", strings.Repeat("[", 5000), strings.Repeat("[", maxRaw+1) + " …"},
	} {
		got := trimText(tt.in)
		if got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
		if !utf8.ValidString(got) {
			t.Errorf("%s: %q is not UTF-8", tt.name, got)
		}
		if again := trimText(got); len(again) > len(got)+4 {
			t.Errorf("%s: grows when it is cut again", tt.name)
		}
	}
}
