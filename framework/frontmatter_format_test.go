package framework

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
)

func TestWhatIsFormattedIsParsedAsItWas(t *testing.T) {
	for _, s := range []string{
		"a", "yes", "1e3", "---", "a\n---\nname: b", `"quotes" \ and 'others'`, "# no comment", "- {a: [b]}", "tab\tand\r\nline", "nul\x00", "\u202e\u2028\ufeff", "é 漢 😀", "!!binary x", "&a *a", strings.Repeat("-", 9), " spaces ",
	} {
		metadata := map[string]string{"plain": s, s: "value", "no": s, "1": s}
		text, err := FormatFrontmatter("on", s, metadata)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ParseFrontmatter([]byte(text + "body\n"))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if f.Name != "on" || f.Description != s || len(f.Warnings) > 0 {
			t.Errorf("%q gives %+v", text, f)
		}
		var fields struct{ Metadata map[string]string }
		if err := json.Unmarshal(f.JSON, &fields); err != nil || !maps.Equal(fields.Metadata, metadata) {
			t.Errorf("%q gives %v, %v", text, fields.Metadata, err)
		}
	}
}

func TestFormatRefusesWhatParseWould(t *testing.T) {
	for name, args := range map[string]struct {
		name, description string
		metadata          map[string]string
	}{
		"no name":                       {"", "a", nil},
		"a bad name":                    {"A_b", "a", nil},
		"a long name":                   {strings.Repeat("a", 65), "a", nil},
		"no description":                {"a", "", nil},
		"an empty description":          {"a", " \n", nil},
		"a long description":            {"a", strings.Repeat("é", 1025), nil},
		"a reserved key":                {"a", "a", map[string]string{"io.modelcontextprotocol/x": "y"}},
		"more than a frontmatter holds": {"a", "a", map[string]string{"x": strings.Repeat("y", 64<<10)}},
	} {
		text, err := FormatFrontmatter(args.name, args.description, args.metadata)
		if !errors.Is(err, ErrInvalidSkill) || text != "" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if _, err := FormatFrontmatter("a", strings.Repeat("é", 1024), nil); err != nil {
		t.Error(err)
	}
}
