package archtest

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/config"
)

// blocks returns the fenced code blocks of a language in the README.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	rest := string(text)
	for {
		_, after, ok := strings.Cut(rest, "\n```"+language+"\n")
		if !ok {
			return found
		}
		block, after, ok := strings.Cut(after, "\n```\n")
		if !ok {
			t.Fatalf("a block of %s is not closed", language)
		}
		found, rest = append(found, block+"\n"), "\n"+after
	}
}

// TestReadmeBeginsWithTheTwoCommands keeps what a newcomer types first.
func TestReadmeBeginsWithTheTwoCommands(t *testing.T) {
	found := blocks(t, "sh")
	want := []string{"go run ./cmd/apiskills serve examples/bookshop/openapi.yaml\n", "go test ./...\n"}
	if len(found) < len(want) || !reflect.DeepEqual(found[:len(want)], want) {
		t.Errorf("the first blocks are %q, want %q", found, want)
	}
	if _, err := os.Stat(filepath.Join(root, "examples/bookshop/openapi.yaml")); err != nil {
		t.Error(err)
	}
}

// TestReadmeShowsTheCompiledGenerator keeps the generator of the README that
// which its example builds and tests.
func TestReadmeShowsTheCompiledGenerator(t *testing.T) {
	found := blocks(t, "go")
	if len(found) != 1 {
		t.Fatalf("%d blocks of Go, want 1", len(found))
	}
	source, err := os.ReadFile(filepath.Join(root, "examples/minimal/main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), found[0]) {
		t.Errorf("examples/minimal/main.go does not contain\n%s", found[0])
	}
}

// TestReadmeShowsTheDefaults keeps the configuration of the README complete
// enough to copy: it loads, and each value in it is the default.
func TestReadmeShowsTheDefaults(t *testing.T) {
	// Other blocks of YAML are for hosts.
	found := slices.DeleteFunc(blocks(t, "yaml"), func(text string) bool { return !strings.HasPrefix(text, "documents:") })
	if len(found) != 1 {
		t.Fatalf("%d blocks of YAML begin with documents, want 1", len(found))
	}
	load := func(text string) *config.Config {
		file := filepath.Join(t.TempDir(), "apiskills.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(&config.Options{File: file})
		if err != nil {
			t.Fatal(err)
		}
		c.File = ""
		return c
	}
	got, want := load(found[0]), load("")
	if len(got.Documents) != 1 || len(got.Featured) != 1 {
		t.Errorf("%d documents and %d featured skills, want one of each", len(got.Documents), len(got.Featured))
	}
	got.Documents, got.Featured = want.Documents, want.Featured
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the README has\n%+v\nthe defaults are\n%+v", got, want)
	}
}
