package ledger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/generators/openapi"
	"github.com/apiskills/apiskills/internal/ledger"
)

// read reads the document at a path, with the files around it.
func read(t *testing.T, file string) *ledger.Document {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ledger.Read(filepath.Base(file), data, func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(filepath.Dir(file), filepath.FromSlash(name)))
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// skills renders every skill of the document at a path.
func skills(t *testing.T, file, refRoot string, yield func(ledger.Skill)) {
	t.Helper()
	g, err := openapi.Load(t.Context(), file, &openapi.Options{RefRoot: refRoot})
	if err != nil {
		t.Fatal(err)
	}
	for path, err := range g.Paths(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		s, err := g.Skill(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		skill := ledger.Skill{URI: "skill://" + g.API() + "/" + path + "/SKILL.md"}
		for _, f := range s.Files {
			content, err := f.Content(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			skill.Files = append(skill.Files, ledger.File{Name: f.Name, Content: content})
		}
		yield(skill)
	}
}

// manifest returns the documents of the corpus, or skips the test.
func manifest(t *testing.T) (names []string, dir string) {
	t.Helper()
	if dir = os.Getenv("APISKILLS_CORPUS"); dir == "" {
		t.Skip("APISKILLS_CORPUS names no directory of documents")
	}
	data, err := os.ReadFile(filepath.Join(dir, "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	return names, dir
}
