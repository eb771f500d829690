package openapi

import (
	"strings"
	"testing"
)

func TestGuideSaysWhereTagsStandAmongEachOther(t *testing.T) {
	g, err := New("a.json", []byte(`{"openapi":"3.2.0","info":{"title":"T","version":"1"},
		"tags":[{"name":"Products","kind":"nav"},{"name":"Books","summary":"Only books","parent":"Products"},{"name":"Maps","parent":"Other `+"`"+` | <b>thing"}],
		"paths":{"/p":{"get":{"tags":["Products"],"responses":{}}},"/b":{"get":{"tags":["Books"],"responses":{}}},"/m":{"get":{"tags":["Maps"],"responses":{}}}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	skill, err := g.Skill(t.Context(), g.guideName())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"references/products.md": "Tag of the kind `nav`.",
		"references/books.md":    "Part of the group `products`.\n\n> Only books",
		"references/maps.md":     "Part of ``Other ` | thing``.",
	}
	for _, f := range skill.Files {
		content, err := f.Content(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if line := want[f.Name]; line != "" && !strings.Contains(string(content), line) {
			t.Errorf("%s lacks %q:\n%s", f.Name, line, content)
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("no files %v", want)
	}
}
