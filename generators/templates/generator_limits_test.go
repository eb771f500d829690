package templates

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/apiskills/apiskills/framework"
)

func TestTemplatesThatDoNotEndAreErrorsOfTheSkill(t *testing.T) {
	if testing.Short() {
		t.Skip("counts many steps, one after the other")
	}
	long := strings.Repeat("x", 1<<19)
	for _, tt := range []struct{ name, template, want string }{
		{"loop without output", "{{range 1000000000000}}{{end}}", "more than 250000 steps"},
		{"loops in loops", "{{range 100000}}{{range 100000}}{{with .}}{{end}}{{end}}{{end}}", "more than 250000 steps"},
		{"endless output", "{{range 100000}}" + long + "{{end}}", "larger than 16 MiB"},
		{"calls itself", `{{define "t"}}{{template "t" .}}{{end}}{{template "t" .}}`, "more than 1000 calls of templates within each other"},
		{"calls itself twice", `{{define "t"}}{{if lt (len .) 90}}{{template "t" (print . "x")}}{{template "t" (print . "x")}}{{end}}{{end}}{{template "t" "x"}}`, "more than 250000 steps"},
		{"NUL for a call", "{{define \"t\"}}{{template \"t\" .}}\x00-{{end}}{{template \"t\" .}}", "has no NUL"},
		{"doubling", `{{$s := "xxxxxxxxxx"}}{{range 60}}{{$s = print $s $s}}{{end}}{{len $s}}`, "longer than 4 MiB"},
		{"doubling by replace", `{{$s := "xxxxxxxxxx"}}{{range 60}}{{$s = replace "x" "xx" $s}}{{end}}{{len $s}}`, "longer than 4 MiB"},
		{"wide", `{{$s := printf "%900000d%900000d%900000d%900000d%900000d" 1 1 1 1 1}}{{len $s}}`, "three digits at most"},
		{"width as a value", `{{printf "%*d" 900000 1}}`, "three digits at most"},
		{"wide, many times", `{{printf (replace "x" "%999[1]d" "` + strings.Repeat("x", 1<<17) + `") 1}}`, "longer than 4 MiB"},
		{"a long text, many times", `{{$s := "` + strings.Repeat("y", 1<<17) + `"}}{{printf (replace "x" "%[1]s" "` + strings.Repeat("x", 1<<17) + `") $s}}`, "longer than 4 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := LoadFS(t.Context(), folderOf(map[string]string{"r.ndjson": `{"name":"a"}`, "SKILL.md.tmpl": tt.template}), &Options{Time: time.Hour})
			if err == nil {
				_, err = g.Skill(t.Context(), "a")
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestTemplatesEndWithTheirContext(t *testing.T) {
	g := load(t, map[string]string{"r.ndjson": `{"name":"a"}`})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Skill(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	g.time = time.Nanosecond
	if _, err := g.Skill(t.Context(), "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestFoldersBeyondTheirLimitsAreRefused(t *testing.T) {
	files := map[string]string{"r.ndjson": `{"name":"a"}`}
	for i := range framework.MaxResources {
		files["f/"+strings.Repeat("x", i+1)] = "x"
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"definition", map[string]string{"skills.yaml": strings.Repeat("#", maxDefinition+1)}, "skills.yaml: larger than 1 MiB"},
		{"template", map[string]string{"r.ndjson": "", "a.md.tmpl": strings.Repeat("x", maxTemplate+1)}, "a.md.tmpl: larger than 1 MiB"},
		{"files", files, "a skill may have 512 files"},
		{"size", map[string]string{"r.ndjson": "", "a": strings.Repeat("x", 9<<20), "b": strings.Repeat("x", 9<<20)}, "the files that are copied have more than the 16 MiB"},
		{"one file", map[string]string{"r.ndjson": "", "a": strings.Repeat("x", 17<<20)}, "a: larger than 16 MiB"},
		{"yaml", map[string]string{"skills.yaml": define("r.yaml"), "r.yaml": strings.Repeat("#", maxYAML+1)}, "the file is larger than 4 MiB"},
		{"levels", map[string]string{"r.ndjson": "", "SKILL.md.tmpl": strings.Repeat("{{range .x}}", 20) + strings.Repeat("{{end}}", 20)}, "more than 12 levels"},
		{"folders", map[string]string{"r.ndjson": "", strings.Repeat("d/", 40) + "a": ""}, "more than 16 folders"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := LoadFS(t.Context(), folderOf(tt.files), nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %.300v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestFaultsAreShownUpToALimit(t *testing.T) {
	g := load(t, map[string]string{"r.ndjson": strings.Repeat("x\n", 3*maxFaults) + `{"name":"a"}`})
	n, last := 0, framework.Diagnostic{}
	for d := range g.Diagnostics(t.Context()) {
		n++
		last = d
	}
	if n != maxFaults+1 || !strings.Contains(last.Message, "2000 more faults") {
		t.Errorf("%d diagnostics, the last one is %s", n, last)
	}
}

func TestAFileWithoutARecordOfItsNameIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"two of one name", map[string]string{"r.ndjson": "", "a.md": "", "a.md.tmpl": ""}, "a.md.tmpl: makes the same file of the skill as a.md"},
		{"without regard to case", map[string]string{"r.ndjson": "", "a.md": "", "A.md": ""}, "makes the same file"},
		{"a copied SKILL.md", map[string]string{"r.ndjson": "", "SKILL.md": ""}, "SKILL.md: is made from a template named SKILL.md.tmpl"},
		{"a skill in a folder", map[string]string{"r.ndjson": "", "out/b/SKILL.md": ""}, "out/b/SKILL.md: would be a skill within each skill"},
		{"skill.md", map[string]string{"r.ndjson": "", "skill.md.tmpl": ""}, "makes the same file"},
		{"spaces", map[string]string{"r.ndjson": "", "a b.md": ""}, "a b.md: names of files have letters"},
		{"one definition twice", map[string]string{"r.ndjson": "", "a.tmpl": `{{define "x"}}1{{end}}`, "b.tmpl": `{{define "x"}}2{{end}}`}, `b.tmpl: the template "x" cannot be defined here: a.tmpl has it`},
		{"the name of an expression", map[string]string{"r.ndjson": "", "a.tmpl": `{{define "=path"}}1{{end}}`}, "cannot be defined here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := LoadFS(t.Context(), folderOf(tt.files), nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	fsys := folderOf(map[string]string{"r.ndjson": ""})
	delete(fsys, "SKILL.md.tmpl")
	if _, err := LoadFS(t.Context(), fsys, nil); err == nil || !strings.Contains(err.Error(), "SKILL.md.tmpl: no such file") {
		t.Error(err)
	}
	if _, err := LoadFS(t.Context(), fstest.MapFS{}, nil); err == nil || !strings.Contains(err.Error(), "skills.yaml: no such file") {
		t.Error(err)
	}
}

// Load reads nothing outside its folder, and waits for no pipe.
func TestNothingIsReadOutsideTheFolder(t *testing.T) {
	for _, tt := range []struct{ name, link string }{{"a file", "a.md"}, {"records", "r.ndjson"}, {"the definition", "skills.yaml"}, {"a template", "SKILL.md.tmpl"}} {
		dir := t.TempDir()
		outside := filepath.Join(t.TempDir(), "outside")
		write(t, outside, `{"name":"secret"}`)
		for name, f := range folderOf(map[string]string{"r.ndjson": `{"name":"a"}`}) {
			if name != tt.link {
				write(t, filepath.Join(dir, name), string(f.Data))
			}
		}
		if err := os.Symlink(outside, filepath.Join(dir, tt.link)); err != nil {
			t.Skip(err)
		}
		if _, err := Load(t.Context(), dir, nil); err == nil || !strings.Contains(err.Error(), "escapes") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestADirectoryIsServed(t *testing.T) {
	dir := t.TempDir()
	for name, f := range folderOf(map[string]string{"r.ndjson": `{"name":"a"}` + "\nx\n"}) {
		write(t, filepath.Join(dir, name), string(f.Data))
	}
	g, err := Load(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := file(t, g, "a", "SKILL.md"); !strings.HasSuffix(got, "# a\n") {
		t.Error(got)
	}
	if got, want := diagnostics(t, g), filepath.ToSlash(dir)+"/r.ndjson:2: error: "; !strings.HasPrefix(filepath.ToSlash(got), want) {
		t.Errorf("got %s", got)
	}
}
