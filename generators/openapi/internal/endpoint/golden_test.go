package endpoint

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the golden skills anew")

func orchard(t testing.TB) []*Operation {
	t.Helper()
	data, err := os.ReadFile("testdata/orchard.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return load(t, "orchard", data)
}

// The skills of a document that has every construct are the golden ones.
func TestSkillsAreTheGoldenOnes(t *testing.T) {
	const golden = "testdata/skills.txtar"
	var got txtar.Archive
	for _, op := range orchard(t) {
		files, _ := render(t, op)
		var names []string
		for name, content := range files {
			names = append(names, name)
			for _, p := range problems(name, content, files) {
				t.Errorf("%s: %s: %s", op.Name, name, p)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			got.Files = append(got.Files, txtar.File{Name: op.Group + "/" + op.Name + "/" + name, Data: []byte(files[name])})
		}
	}
	data := txtar.Format(&got)
	if *update {
		if err := os.WriteFile(golden, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(data, want) {
		return
	}
	old := map[string]string{}
	for _, f := range txtar.Parse(want).Files {
		old[f.Name] = string(f.Data)
	}
	for _, f := range got.Files {
		if old[f.Name] != string(f.Data) {
			t.Errorf("%s differs (run with -update and read the difference):\n%s", f.Name, firstDifference(old[f.Name], string(f.Data)))
		}
		delete(old, f.Name)
	}
	for name := range old {
		t.Errorf("%s is not rendered any more", name)
	}
}

func firstDifference(old, now string) string {
	a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "- " + a[i] + "\n+ " + b[i]
		}
	}
	return "one is longer"
}

// The same operation gives the same view, however its maps are ordered.
func TestViewIsDeterministic(t *testing.T) {
	first := map[string]map[string]string{}
	for range 5 {
		for _, op := range orchard(t) {
			files, _ := render(t, op)
			if first[op.Pointer] == nil {
				first[op.Pointer] = files
				continue
			}
			for name, content := range files {
				if first[op.Pointer][name] != content {
					t.Fatalf("%s: %s differs between two runs:\n%s", op.Pointer, name, firstDifference(first[op.Pointer][name], content))
				}
			}
		}
	}
}

// Every command of the document is one that a shell can read.
func TestCommandsParse(t *testing.T) {
	var scripts []string
	for _, op := range orchard(t) {
		files, _ := render(t, op)
		for _, content := range files {
			scripts = append(scripts, fenced(content, "bash")...)
		}
	}
	if len(scripts) < 15 {
		t.Fatalf("only %d commands found", len(scripts))
	}
	bashN(t, scripts)
}
