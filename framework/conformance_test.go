package framework_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skilltest"
)

// TestComposedGeneratorsKeepTheRules runs the conformance kit over what makes
// generators of others, and of folders.
func TestComposedGeneratorsKeepTheRules(t *testing.T) {
	folder := func() framework.Generator {
		return framework.FromFS(fstest.MapFS{
			"mail/restart-mail/SKILL.md":            text("restart-mail", "Restarts mail.", "See [notes](references/notes.md) and [a part](part/SKILL.md)."),
			"mail/restart-mail/references/notes.md": {Data: []byte("Back to [it](../SKILL.md).\n"), Mode: 0o644},
			"mail/restart-mail/part/SKILL.md":       text("part", "A part.", "Of [it](../SKILL.md)."),
			"mail/stop-mail/SKILL.md":               text("stop-mail", "Stops mail.", "Stop it."),
			"mail/README.md":                        {Data: []byte("no skill\n"), Mode: 0o644},
			"wiki/restart-wiki/SKILL.md":            text("restart-wiki", "Restarts the wiki.", "Restart it."),
		}, nil)
	}
	greet := func() framework.Generator {
		return listed{greetings{"greet-moon": "the moon", "greet-world": "the world"}}
	}
	for _, test := range []struct {
		name  string
		open  func() framework.Generator
		paths []string
	}{
		{"FromFS", folder, []string{"mail/restart-mail", "mail/restart-mail/part", "wiki/restart-wiki"}},
		{"Filter", func() framework.Generator {
			return framework.Filter(folder(), func(path string) bool { return !strings.HasPrefix(path, "wiki/") })
		}, []string{"mail/stop-mail"}},
		{"Filter of no Lister", func() framework.Generator {
			return framework.Filter(greetings{"greet-moon": "the moon", "greet-world": "the world"}, func(path string) bool { return path == "greet-moon" })
		}, []string{"greet-moon"}},
		{"Overlay", func() framework.Generator { return framework.Overlay(folder(), greet()) }, []string{"greet-moon", "mail/stop-mail"}},
		{"OverlayFS", func() framework.Generator {
			return framework.OverlayFS(folder(), fstest.MapFS{
				"wiki/restart-wiki/more.md": {Data: []byte("More.\n"), Mode: 0o644},
				"wiki/stop-wiki/SKILL.md":   text("stop-wiki", "Stops the wiki.", "Stop it."),
			}, nil)
		}, []string{"wiki/restart-wiki", "wiki/stop-wiki"}},
		{"WithTimeout", func() framework.Generator { return framework.WithTimeout(folder(), time.Minute) }, []string{"mail/stop-mail"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			skilltest.Run(t, func(testing.TB) framework.Generator { return test.open() }, test.paths...)
		})
	}
}

// TestSkillsOfAFolderAreSnapshots changes a file of a folder that is served.
func TestSkillsOfAFolderAreSnapshots(t *testing.T) {
	dir := t.TempDir()
	write := func(body string) error {
		file := text("stop-mail", "Stops mail.", body)
		return os.WriteFile(filepath.Join(dir, "stop-mail", "SKILL.md"), file.Data, 0o600)
	}
	if err := os.Mkdir(filepath.Join(dir, "stop-mail"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := write("Stop it."); err != nil {
		t.Fatal(err)
	}
	g := framework.FromFS(os.DirFS(dir), nil)
	if err := skilltest.TestSnapshots(t.Context(), g, func() error { return write("Ask first.") }); err != nil {
		t.Error(err)
	}
}
