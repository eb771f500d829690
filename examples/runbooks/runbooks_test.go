package runbooks

import (
	"bytes"
	"encoding/csv"
	"flag"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"mvdan.cc/sh/v3/syntax"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/templates"
)

var update = flag.Bool("update", false, "write the skills to "+golden)

// golden has every file of every skill, to be read and to show in a difference
// what a change does to what agents read.
const golden = "../../testdata/runbooks.txtar"

func load(t *testing.T) *templates.Generator {
	t.Helper()
	g, err := templates.Load(t.Context(), ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// skills renders everything that a catalog of the folder serves.
func skills(t *testing.T) *txtar.Archive {
	t.Helper()
	catalog, err := framework.NewCatalog([]framework.Mount{{Prefix: "runbooks", Generator: load(t)}}, nil)
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
		if data, ok := want[f.Name]; !ok || !bytes.Equal(data, f.Data) {
			t.Errorf("%s is new or has changed; if this is meant: go test ./examples/runbooks -update", f.Name)
		}
		delete(want, f.Name)
	}
	for name := range want {
		t.Errorf("%s is gone", name)
	}
}

// TestEachAlertIsOneSkill reads the file a second time.
func TestEachAlertIsOneSkill(t *testing.T) {
	f, err := os.Open("alerts.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	g := load(t)
	for d := range g.Diagnostics(t.Context()) {
		t.Errorf("%s", d)
	}
	served := map[string]bool{}
	for p, err := range g.Paths(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		served[strings.ReplaceAll(path.Base(p), "-", "")] = true
	}
	if len(rows) != 13 || len(served) != len(rows)-1 {
		t.Errorf("%d skills of %d alerts, want 12", len(served), len(rows)-1)
	}
	for _, row := range rows[1:] {
		if !served[strings.ToLower(row[0])] {
			t.Errorf("no skill of %s", row[0])
		}
	}
}

// TestWhatASkillNamesIsThere follows the relative links, and the names of other
// skills.
func TestWhatASkillNamesIsThere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	other := regexp.MustCompile(`[Uu]se the skill ([a-z0-9-]+)`)
	archive := skills(t)
	served, names := map[string]bool{}, map[string]bool{}
	for _, f := range archive.Files {
		served[f.Name] = true
		if path.Base(f.Name) == "SKILL.md" {
			names[path.Base(path.Dir(f.Name))] = true
		}
	}
	links, others := 0, 0
	for _, f := range archive.Files {
		for _, m := range link.FindAllSubmatch(f.Data, -1) {
			links++
			if !served[path.Join(path.Dir(f.Name), string(m[1]))] {
				t.Errorf("%s links to %s, which is not in its skill", f.Name, m[1])
			}
		}
		for _, m := range other.FindAllSubmatch(f.Data, -1) {
			others++
			if !names[string(m[1])] {
				t.Errorf("%s names the skill %s, which is not there", f.Name, m[1])
			}
		}
	}
	if links == 0 || others == 0 {
		t.Errorf("%d links and %d names of skills were looked at", links, others)
	}
}

// changes are the commands that change something. None of them is to be looked
// with.
var changes = regexp.MustCompile(`kubectl( -n \S+)? (delete|scale|apply|create|patch|edit|set|annotate|label|cordon|drain|debug|run|rollout (undo|restart))|pg_(cancel|terminate)_backend|--reset-offsets|solverctl (cancel|skip)`)

// TestCommandsToLookChangeNothing also has a shell's parser read them.
func TestCommandsToLookChangeNothing(t *testing.T) {
	block := regexp.MustCompile("(?s)\n```bash\n(.*?\n)```\n")
	blocks := 0
	for _, f := range skills(t).Files {
		for _, m := range block.FindAllSubmatch(f.Data, -1) {
			blocks++
			if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(bytes.NewReader(m[1]), f.Name); err != nil {
				t.Error(err)
			}
			if found := changes.Find(m[1]); found != nil {
				t.Errorf("%s looks with %s", f.Name, found)
			}
		}
	}
	if blocks != 12 {
		t.Errorf("%d blocks of commands, want one for each alert", blocks)
	}
}

// TestEverySkillSaysWhatOnCallHasToKnow keeps the sections, none of them empty.
func TestEverySkillSaysWhatOnCallHasToKnow(t *testing.T) {
	for _, f := range skills(t).Files {
		if path.Base(f.Name) != "SKILL.md" {
			continue
		}
		text := string(f.Data)
		for _, want := range []string{"\n## Look\n", "\n```promql\n", "\n## Judge\n\n| You see |", "\n## Act\n", "ask the person on call first", "\n- ", "\n**Mind:** ", "\n## Wake someone when\n\n- "} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q", f.Name, want)
			}
		}
		// Where a command was made harmless for a line of text, it is no command
		// any more.
		if strings.Contains(text, "\\`") || strings.Contains(text, "<no value>") {
			t.Errorf("%s has text that is escaped or missing", f.Name)
		}
		if n := strings.Count(text, "\n"); n > 100 {
			t.Errorf("%s has %d lines; somebody reads it at night", f.Name, n)
		}
	}
}
