package bookshop

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the skills to "+golden)

// golden has every file of every skill of the bookshop, to be read and to
// show in a difference what a change does to what agents read.
const golden = "../../testdata/bookshop.txtar"

// skills renders everything that the document's catalog serves.
func skills(t *testing.T) *txtar.Archive {
	t.Helper()
	g, err := openapi.Load(t.Context(), "openapi.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := framework.NewCatalog([]framework.Mount{{Prefix: g.API(), Generator: g}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tree := catalog.FS(t.Context())
	archive := &txtar.Archive{}
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// TestSkillsAreTheStoredOnes keeps the bytes that somebody may have approved.
// Run it with -update when they are meant to change.
func TestSkillsAreTheStoredOnes(t *testing.T) {
	archive := skills(t)
	if *update {
		if err := os.WriteFile(golden, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	stored, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{}
	for _, f := range stored.Files {
		want[f.Name] = f.Data
	}
	for _, f := range archive.Files {
		switch data, ok := want[f.Name]; {
		case !ok:
			t.Errorf("%s is new", f.Name)
		case !bytes.Equal(data, f.Data):
			t.Errorf("%s has changed: %s", f.Name, firstDifference(data, f.Data))
		}
		delete(want, f.Name)
	}
	for name := range want {
		t.Errorf("%s is gone", name)
	}
	if t.Failed() {
		t.Log("if this is meant: go test ./examples/bookshop -update")
	}
}

func firstDifference(want, got []byte) string {
	w, g := strings.SplitAfter(string(want), "\n"), strings.SplitAfter(string(got), "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "-" + w[i] + "+" + g[i]
		}
	}
	return "one is longer than the other"
}

// TestEachOperationIsOneSkill counts what is served, with the guide and the
// webhooks.
func TestEachOperationIsOneSkill(t *testing.T) {
	n := 0
	for _, f := range skills(t).Files {
		if path.Base(f.Name) == "SKILL.md" {
			n++
		}
	}
	if n != 25+2+1 {
		t.Errorf("%d skills, want one for each of 25 operations and 2 webhooks, and a guide", n)
	}
}

// TestLinksStayInTheirSkill follows the relative links of each file: they
// resolve against the root of the skill (Skills extension, "Relative
// References") to a file of the same skill.
func TestLinksStayInTheirSkill(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	archive := skills(t)
	served := map[string]bool{}
	for _, f := range archive.Files {
		served[f.Name] = true
	}
	links := 0
	for _, f := range archive.Files {
		root, _, _ := strings.Cut(f.Name, "/references/")
		root = strings.TrimSuffix(root, "/SKILL.md")
		for _, m := range link.FindAllStringSubmatch(string(f.Data), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			if strings.Contains(m[1], "..") || !served[path.Join(root, m[1])] {
				t.Errorf("%s links to %s, which is not in its skill", f.Name, m[1])
			}
		}
	}
	if links == 0 {
		t.Error("no file has a link")
	}
}

// TestCommandsAreShell gives each command to bash, which reads and does not
// run it.
func TestCommandsAreShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash to read the commands")
	}
	block := regexp.MustCompile("(?s)\n```bash\n(.*?\n)```\n")
	commands := 0
	for _, f := range skills(t).Files {
		for _, m := range block.FindAllSubmatch(f.Data, -1) {
			commands++
			cmd := exec.CommandContext(t.Context(), bash, "-n")
			cmd.Stdin = bytes.NewReader(m[1])
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s: %v %s\n%s", f.Name, err, out, m[1])
			}
		}
	}
	if commands < 25 {
		t.Errorf("%d commands, want at least one for each operation", commands)
	}
}
