package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/apiskills/apiskills"

// A goPackage is what the tests need of the output of go list.
type goPackage struct {
	ImportPath string
	Name       string
	Dir        string
	Doc        string
	Export     string // with -export, the file that has the compiled types
	GoFiles    []string
	Standard   bool
	Imports    []string // direct, without those of tests
	Deps       []string // all, transitively
}

// list returns the packages that match the arguments of go list.
func list(t *testing.T, args ...string) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-e", "-json=ImportPath,Name,Dir,Doc,Export,GoFiles,Standard,Imports,Deps"}, args...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var packages []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// root is the module's directory; tests run in that of their package.
const root = "../.."

// in reports whether the import path is one of the trees or below one.
func in(importPath string, trees ...string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool {
		return importPath == tree || strings.HasPrefix(importPath, tree+"/")
	})
}

// ours makes import paths of directories of the module.
func ours(dirs ...string) []string {
	paths := make([]string, len(dirs))
	for i, dir := range dirs {
		paths[i] = module + "/" + dir
	}
	return paths
}

const (
	mcpGo = "github.com/mark3labs/mcp-go"
	viper = "github.com/spf13/viper"
	cobra = "github.com/spf13/cobra"
	kin   = "github.com/getkin/kin-openapi"
)

// TestFrameworkNeedsLittle keeps the package that generator authors import
// free of everything but the standard library and four small modules.
func TestFrameworkNeedsLittle(t *testing.T) {
	allowed := []string{"gopkg.in/yaml.v3", "github.com/hashicorp/golang-lru/v2", "golang.org/x/sync", "github.com/bmatcuk/doublestar/v4"}
	for _, p := range list(t, "-deps", "./framework") {
		if p.Standard || slices.Contains(ours("framework", "internal/printable"), p.ImportPath) || in(p.ImportPath, allowed...) {
			continue
		}
		t.Errorf("framework depends on %s", p.ImportPath)
	}
}

// TestOneImporter keeps each large dependency behind one door, so that it can
// be replaced without touching the rest.
func TestOneImporter(t *testing.T) {
	doors := []struct {
		dependency string
		importers  []string
	}{
		{viper, ours("config")},
		{cobra, ours("cmd")},
		{"github.com/theory/jsonpath", ours("generators/openapi/internal/overlay")},
		{mcpGo, ours("framework/skillsmcp", "cmd", "examples", "internal/bench/mcpserver")},
		{kin, ours("generators/openapi", "generators/templates", "internal/bench", "internal/corpus", "internal/replay", "internal/check")},
	}
	for _, p := range list(t, "./...") {
		for _, door := range doors {
			if in(p.ImportPath, door.importers...) {
				continue
			}
			for _, imported := range p.Imports {
				if in(imported, door.dependency) {
					t.Errorf("%s imports %s, which only %s may", p.ImportPath, imported, strings.Join(door.importers, ", "))
				}
			}
		}
	}
}

// TestImportsPointDown keeps a package from depending, even indirectly, on
// one that stands above it or beside it.
func TestImportsPointDown(t *testing.T) {
	rules := []struct {
		dir string
		not []string
	}{
		{"framework", append(ours("config", "generators", "cmd", "examples"), viper, cobra)},
		{"framework/skilltest", append(ours("framework/skillsmcp"), mcpGo, kin)},
		{"generators", append(ours("config", "cmd", "examples", "framework/skillsmcp"), mcpGo, viper, cobra)},
		{"generators/templates", ours("generators/openapi")},
		{"generators/openapi/internal/diskcache", append(ours("framework", "generators/templates", "generators/openapi/internal/ingest"), kin)},
		{"config", append(ours("framework", "generators", "cmd", "examples"), mcpGo)},
		{"cmd", ours("examples")},
		// It checks what these make, by a reading of its own.
		{"internal/ledger", ours("framework", "generators", "config", "cmd", "examples")},
		// What checks the generator reads nothing through it.
		{"internal/replay", append(ours("generators", "framework", "config", "cmd"), mcpGo, viper, cobra)},
	}
	for _, rule := range rules {
		for _, p := range list(t, "./"+rule.dir+"/...") {
			for _, dep := range p.Deps {
				if in(dep, rule.not...) {
					t.Errorf("%s depends on %s", p.ImportPath, dep)
				}
			}
		}
	}
}

// TestEachPackageSaysWhatLivesThere asks for a doc.go with a package comment.
func TestEachPackageSaysWhatLivesThere(t *testing.T) {
	for _, p := range list(t, "./...") {
		text, err := os.ReadFile(filepath.Join(p.Dir, "doc.go"))
		switch {
		case err != nil:
			t.Errorf("%s has no doc.go", p.ImportPath)
		case !bytes.HasPrefix(text, []byte("// ")) && !bytes.HasPrefix(text, []byte("/*")):
			t.Errorf("%s: doc.go does not begin with the package comment", p.ImportPath)
		case p.Doc == "":
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// TestNoUnfinishedWork keeps notes to oneself out of the code: what is left
// undone belongs into the documentation or into the tracker.
func TestNoUnfinishedWork(t *testing.T) {
	marks := []string{"TO" + "DO", "FIX" + "ME", "XX" + "X:"}
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "node_modules" || name == ".git" || name == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, mark := range marks {
				if strings.Contains(line, mark) {
					t.Errorf("%s:%d: %s", path, i+1, strings.TrimSpace(line))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Fatalf("no Go file found below %s", root)
	}
}
