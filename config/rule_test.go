package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestRulesAreReadTheSameFromAFlagAndAFile(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		flag, file string
		want       Rule
	}{
		{"operation=GET /pets/**", `operation: "GET /pets/**"`, Rule{Operation: "GET /pets/**"}},
		{"operation=GET /pets?a=b", `operation: GET /pets?a=b`, Rule{Operation: "GET /pets?a=b"}},
		{"tag=Pets*", "tag: Pets*", Rule{Tag: "Pets*"}},
		{"group=pets", "group: pets", Rule{Group: "pets"}},
		{"operationId=listPets", "operationId: listPets", Rule{OperationID: "listPets"}},
		{"deprecated", "deprecated: true", Rule{Deprecated: &yes}},
		{"deprecated=true", "deprecated: True", Rule{Deprecated: &yes}},
		{"internal=false", "internal: false", Rule{Internal: &no}},
	}
	for _, tt := range tests {
		got, err := ParseRule(tt.flag)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: got %+v, %v", tt.flag, got, err)
		}
		c, err := load(t, "documents:\n  - path: a\n    exclude:\n      - "+tt.file+"\n")
		if err != nil {
			t.Errorf("%s: %v", tt.file, err)
		} else if got := c.Documents[0].Exclude; !reflect.DeepEqual(got, []Rule{tt.want}) {
			t.Errorf("%s: got %+v", tt.file, got)
		}
	}
}

func TestFaultyRulesSayWhatWouldBeRight(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "use operation=, tag=",
		"GET /pets":          "use operation=, tag=",
		"tags=Pets":          `did you mean "tag"?`,
		"operationid=x":      `did you mean "operationId"?`,
		"tag":                `write one like "tag=Pets"`,
		"operation=":         `write one like "operation=GET /pets/**"`,
		"deprecated=perhaps": "neither true nor false",
		"deprecated=":        "neither true nor false",
	} {
		if _, err := ParseRule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestOnlyPathsOfTheFileAreRelativeToIt(t *testing.T) {
	const file = "templates: t\ndocuments:\n  - {path: 'https://x.example/a.yaml'}\n  - {path: a.yaml, refRoot: ..}\n"
	dir := t.TempDir()
	write(t, filepath.Join(dir, "conf.yaml"), file)
	c, err := Load(&Options{File: filepath.Join(dir, "conf.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	if c.Documents[0].Path != "https://x.example/a.yaml" {
		t.Errorf("a URL became %s", c.Documents[0].Path)
	}
	for _, tt := range [][2]string{
		{c.Documents[1].RefRoot, filepath.Dir(dir)},
		{c.Templates, filepath.Join(dir, "t")},
	} {
		if tt[0] != tt[1] {
			t.Errorf("got %s, want %s", tt[0], tt[1])
		}
	}
	if c, err = load(t, "templates: t\n", "--templates", "u"); err != nil || c.Templates != "u" {
		t.Errorf("a flag became %s, %v", c.Templates, err)
	}
	t.Setenv("APISKILLS_TEMPLATES", "v")
	if c, err = Load(&Options{File: filepath.Join(dir, "conf.yaml")}); err != nil || c.Templates != "v" {
		t.Errorf("a variable became %s, %v", c.Templates, err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
