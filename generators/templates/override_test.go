package templates

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
)

func TestAnOverrideTakesThePlaceOfOneTemplate(t *testing.T) {
	s, err := Override(fstest.MapFS{"guide_notation.md.tmpl": {Data: []byte("# Ours\n")}, ".hidden": {}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Version() == Default().Version() {
		t.Error("the version does not change with a template")
	}
	files, err := s.RenderGuide(&Guide{Name: "x-guide", Description: "A guide."})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, f := range files {
		found = found || string(f.Content) == "# Ours\n"
	}
	if !found {
		t.Error("the template of the directory is not used")
	}
}

func TestAFaultyOverrideNamesFileAndLine(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"unknown name", "endpoint.tmpl", "", "endpoint.tmpl: no template has this name; there are endpoint.md.tmpl, "},
		{"syntax", "endpoint.md.tmpl", "a\nb {{if}}\n", "endpoint.md.tmpl:2: missing value for if"},
		{"unknown function", "endpoint.md.tmpl", "\n\n{{shout .Title}}\n", `endpoint.md.tmpl:3: function "shout" not defined`},
		{"unknown field", "guide.md.tmpl", "{{.Name}}\n{{.Nam}}\n", `guide.md.tmpl:2: executing "guide.md.tmpl" at <.Nam>`},
		{"unknown field in a list", "guide_group.md.tmpl", "{{range .Groups}}\n{{range .Ids}}{{.Nam}}{{end}}{{end}}\n", `guide_group.md.tmpl:2: executing`},
		{"unknown template", "endpoint.md.tmpl", "{{template \"none\" .}}\n", "endpoint.md.tmpl:1: "},
		{"no frontmatter", "endpoint.md.tmpl", "# {{.Title}}\n", "endpoint.md.tmpl:1: the skill does not begin with its frontmatter"},
		{"only where nothing is there", "guide.md.tmpl", "{{if not .Servers}}{{.Nam}}{{end}}\n", "guide.md.tmpl:1: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Override(fstest.MapFS{tt.file: {Data: []byte(tt.text)}})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if got := e.Error(); len(got) < len(tt.want) || got[:len(tt.want)] != tt.want {
				t.Errorf("got  %s\nwant %s...", got, tt.want)
			}
		})
	}
}

// If this fails, a template was added that the samples do not reach.
func TestTheSamplesReachEveryTemplate(t *testing.T) {
	names, err := fs.Glob(embedded, "*.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(embedded, name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "endpoint_parts.md.tmpl" { // definitions alone
			text = []byte(`{{define "endpoint closing"}}{{.Nope}}{{end}}`)
		} else {
			text = append([]byte("{{.Nope}}"), text...)
		}
		_, err = Override(fstest.MapFS{name: {Data: text}})
		var e *Error
		if !errors.As(err, &e) || e.File != name || e.Line != 1 {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
