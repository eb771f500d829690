package templates

import (
	"errors"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

func TestAFaultOfTheDefinitionNamesItsLine(t *testing.T) {
	const good = "files: r.ndjson\npath: '{{slug .name}}'\ndescription: About {{.name}}.\n"
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "skills.yaml:1: is no mapping"},
		{"unknown key", good + "pth: x\n", `skills.yaml:4: unknown key "pth"; there are path, description,`},
		{"a key twice", good + "path: x\n", `skills.yaml:4: "path" stands twice`},
		{"no path", "files: r.ndjson\ndescription: x\n", "path is missing"},
		{"no description", "files: r.ndjson\npath: x\n", "description is missing"},
		{"no records", "path: x\ndescription: x\n", "there are no records"},
		{"path no text", "files: r.ndjson\npath: [x]\ndescription: x\n", "skills.yaml:2: path is a text with expressions"},
		{"braces unquoted", "files: r.ndjson\npath: {{slug .name}}\ndescription: x\n", "skills.yaml:2: "},
		{"syntax of YAML", good + "\tx: 1\n", "skills.yaml:3: found a tab"},
		{"two documents", good + "---\nx: 1\n", "more than one document"},
		{"syntax of an expression", "files: r.ndjson\npath: x\ndescription: |\n  one\n  {{.name\n", "skills.yaml:5: description: unclosed action"},
		{"no such function", "files: r.ndjson\npath: x\ndescription: 'x'\nmetadata:\n  owner: '{{shout .x}}'\n", `skills.yaml:5: metadata.owner: function "shout" not defined`},
		{"a definition within", "files: r.ndjson\npath: '{{define \"x\"}}{{end}}x'\ndescription: x\n", "skills.yaml:2: a template cannot be defined in an expression"},
		{"name of metadata", good + "metadata: {Owner: x}\n", `skills.yaml:4: the name "Owner" of metadata`},
		{"metadata no mapping", good + "metadata: x\n", "skills.yaml:4: metadata is a mapping"},
		{"records no list", good + "records: {a: b}\n", "skills.yaml:4: records is a list of mappings"},
		{"file that is not there", "path: x\ndescription: x\nfiles:\n- none.csv\n", "skills.yaml:4: there is no file none.csv"},
		{"file outside", "path: x\ndescription: x\nfiles: ../a.csv\n", `skills.yaml:3: "../a.csv" is no path below this folder`},
		{"no format", "path: x\ndescription: x\nfiles: a.txt\n", `skills.yaml:3: "a.txt": a file of records ends in .csv`},
		{"pattern", "path: x\ndescription: x\nfiles: 'a[.csv'\n", "skills.yaml:3: \"a[.csv\" is no pattern"},
		{"defaults", good + "defaults: [x]\n", "skills.yaml:4: defaults: a record is a mapping"},
		{"a default", good + "defaults:\n  a: 1\n  b: !!binary aGk=\n", "skills.yaml:6: defaults: the tag \"!!binary\" is not allowed"},
		{"featured", good + "featured: {x: y}\n", "skills.yaml:4: featured is a list of texts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := LoadFS(t.Context(), folderOf(map[string]string{"skills.yaml": tt.text, "r.ndjson": `{"name":"a"}`}), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got  %v\nwant %s", err, tt.want)
			}
			if f := new(Error); !errors.As(err, &f) || f.File != "skills.yaml" {
				t.Errorf("the error does not name the file: %#v", err)
			}
		})
	}
}

func TestTheDefinitionSaysWhatSkillsAre(t *testing.T) {
	g := load(t, map[string]string{
		"skills.yaml": `
files: ["teams/*.yaml", "more.csv"]
records:
- {team: Ops, name: Start here, about: All of it., owner: ~}
path: "{{slug .team}}/{{slug .name}}"
description: >
  {{.about}}
  Use when {{.name}} fires.
metadata:
  owner: "{{default \"\" (get . \"owner\")}}"
  alert: "{{.name}}"
featured: [ops/start-here, none]
ignore: ["*.txt", notes, teams/README.md]
`,
		"teams/a.yaml":             "team: A\nname: HTTPErrors\nabout: 'Judge <b> \"errors\".'\nowner: 'on: call'\n",
		"teams/b.yaml":             "team: B\nname: x\nabout: y\n",
		"teams/README.md":          "not copied",
		"more.csv":                 "team,name,about,owner\nC,z,w,\n",
		"deep/note.txt":            "not copied",
		"notes/a.md":               "not copied",
		".git/config":              "not copied",
		"references/copied.md":     "{{copied}}\r\n",
		"references/owner.md.tmpl": `{{with get . "owner"}}Owner: {{.}}{{end}}`,
		"references/parts.tmpl":    `{{define "name"}}{{.name}}{{end}}`,
		"SKILL.md.tmpl":            "# {{template \"name\" .}}\r\n\r\ntext\r\n",
	})
	if got := paths(t, g); got != "a/http-errors b/x c/z ops/start-here" {
		t.Errorf("paths: %s", got)
	}
	featured, err := g.Featured(t.Context())
	if err != nil || strings.Join(featured, " ") != "ops/start-here" {
		t.Errorf("featured: %v %v", featured, err)
	}
	if got, want := diagnostics(t, g), `skills.yaml:12: warning: no record makes the featured skill "none" (featured-not-found)`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want := "---\nname: http-errors\ndescription: \"Judge {b} \\\"errors\\\". Use when HTTPErrors fires.\"\nmetadata:\n  alert: \"HTTPErrors\"\n  owner: \"on: call\"\n---\n\n# HTTPErrors\n\ntext\n"
	if got := file(t, g, "a/http-errors", "SKILL.md"); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	names := func(path string) string {
		s, err := g.Skill(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, f := range s.Files {
			out = append(out, f.Name)
		}
		return strings.Join(out, " ")
	}
	// What says nothing for a record is left out.
	if got := names("a/http-errors"); got != "SKILL.md references/copied.md references/owner.md" {
		t.Errorf("files: %s", got)
	}
	if got := names("b/x"); got != "SKILL.md references/copied.md" {
		t.Errorf("files: %s", got)
	}
	if got := file(t, g, "b/x", "references/copied.md"); got != "{{copied}}\r\n" {
		t.Errorf("a copied file is changed: %q", got)
	}
	var text string
	for s, err := range g.Summaries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		text += s.Path + ": " + s.Text + "\n"
	}
	if !strings.Contains(text, "a/http-errors: Judge <b> \"errors\". Use when HTTPErrors fires. Judge <b> \"errors\". HTTPErrors on: call A\n") {
		t.Errorf("summaries:\n%s", text)
	}
}

func TestTheVersionIsThatOfTheBytes(t *testing.T) {
	version := func(files map[string]string) string {
		s, err := load(t, files).Skill(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		return s.Version
	}
	base := version(map[string]string{"r.ndjson": `{"name":"a"}`})
	if version(map[string]string{"r.ndjson": "\n" + `{"name":"a","more":1}`}) != base {
		t.Error("another version of the same bytes")
	}
	for name, files := range map[string]map[string]string{
		"a template":    {"r.ndjson": `{"name":"a"}`, "SKILL.md.tmpl": "## {{.name}}\n"},
		"another file":  {"r.ndjson": `{"name":"a"}`, "x.md": "x"},
		"a copied file": {"r.ndjson": `{"name":"a"}`, "x.md": "y"},
	} {
		if version(files) == base {
			t.Errorf("%s changes nothing", name)
		}
	}
}

func TestSlugsOfDifferentTextsDiffer(t *testing.T) {
	for in, want := range map[string]string{
		"HighErrorRate": "high-error-rate", "HTTPStatus": "http-status", "listIDs": "list-ids", "v2 API": "v2-api", "Ops' café": "ops-cafe", "a--b__c": "a-b-c", "  x  ": "x", "ÅB": "ab",
	} {
		if got, err := slugOf(in); got != want || err != nil {
			t.Errorf("slug of %q = %q, %v; want %q", in, got, err, want)
		}
	}
	seen := map[string]string{}
	for _, in := range []string{"주문", "상품", "주문 api", "상품 api", strings.Repeat("word ", 20) + "a", strings.Repeat("word ", 20) + "b", strings.Repeat("w", 100)} {
		got, err := slugOf(in)
		if err != nil || !framework.ValidName(got) || seen[got] != "" {
			t.Errorf("slug of %q = %q, %v; %q has it", in, got, err, seen[got])
		}
		seen[got] = in
	}
	if _, err := slugOf("!!"); err == nil {
		t.Error("no letters, and no error")
	}
}
