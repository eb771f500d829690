package interop

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// An entry is a skill of a listing, and where its SKILL.md was exported to.
type entry struct {
	URI         string         `json:"uri"`
	File        string         `json:"file"`
	Frontmatter map[string]any `json:"frontmatter"`
}

var (
	listing sync.Mutex
	listed  = map[string][]entry{}
)

// list returns the entries of a document's skills, as the command lists them.
func list(t *testing.T, doc string) []entry {
	t.Helper()
	listing.Lock()
	defer listing.Unlock()
	entries, ok := listed[doc]
	if !ok {
		if err := json.Unmarshal(command(t, "list", doc, "--json"), &entries); err != nil {
			t.Fatal(err)
		}
		listed[doc] = entries
	}
	return entries
}

// TestFrontmatterHasOneReading exports the skills of every document and has each
// parser of frontmatter read them: all must read what the entries publish.
func TestFrontmatterHasOneReading(t *testing.T) {
	t.Parallel() // with TestRealDocuments
	docs := []string{bookshop, awkward(t)}
	if dir, ok := corpus(); ok {
		docs = append(docs, unlike(realDocuments(t, dir))...)
	}
	var all []entry
	for i, doc := range docs {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		command(t, "export", doc, "--out", dir)
		for _, e := range list(t, doc) {
			e.File = filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(e.URI, "skill://")))
			all = append(all, e)
		}
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	skills := filepath.Join(t.TempDir(), "skills.json")
	if err := os.WriteFile(skills, data, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Run("JavaScript", func(t *testing.T) {
		node(t)
		t.Logf("%s", run(t, "frontmatter.mjs", skills))
	})
	t.Run("Python", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), python(t), "frontmatter.py", skills)
		t.Logf("%s", output(t.Context(), t, cmd))
	})
}

// TestFrontmatterDriversFindFaults gives the drivers skills that are not as their
// entries say, or that parsers read in several ways.
func TestFrontmatterDriversFindFaults(t *testing.T) {
	both, python3 := []string{"JavaScript", "Python"}, []string{"Python"}
	plain := map[string]any{"name": "a-name", "description": "Words"}
	for _, tt := range []struct {
		name, text  string
		frontmatter map[string]any
		drivers     []string
		want        string // in what they print
	}{
		{"a date", "name: a-name\ndescription: Words\nreleased: 2026-01-01\n", plain, both, "released"},
		{"a number that is one in some versions", "name: a-name\ndescription: 1_000\n", map[string]any{"name": "a-name", "description": "1_000"}, both, "1000"},
		{"a flow mapping", "name: a-name\ndescription: Words\nmetadata: {a: b}\n", map[string]any{"name": "a-name", "description": "Words", "metadata": map[string]any{"a": "b"}}, python3, "refuses"},
		{"three hyphens", "name: a-name\ndescription: \"a --- b\"\n", map[string]any{"name": "a-name", "description": "a --- b"}, python3, "hyphens"},
		{"a field that is unknown", "name: a-name\ndescription: Words\nfurther: x\n", map[string]any{"name": "a-name", "description": "Words", "further": "x"}, python3, "unknown"},
		{"the name of another folder", "name: b-name\ndescription: Words\n", map[string]any{"name": "b-name", "description": "Words"}, python3, "folder"},
		{"a long description", "name: a-name\ndescription: " + strings.Repeat("x", 1025) + "\n", map[string]any{"name": "a-name", "description": strings.Repeat("x", 1025)}, python3, "1024"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a-name")
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "SKILL.md")
			data, err := json.Marshal([]entry{{"skill://a-name/SKILL.md", file, tt.frontmatter}})
			if err != nil {
				t.Fatal(err)
			}
			skills := filepath.Join(t.TempDir(), "skills.json")
			for name, text := range map[string]string{file: "---\n" + tt.text + "---\n\nText\n", skills: string(data)} {
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for _, driver := range tt.drivers {
				t.Run(driver, func(t *testing.T) {
					var cmd *exec.Cmd
					if driver == "Python" {
						cmd = exec.CommandContext(t.Context(), python(t), "frontmatter.py", skills)
					} else {
						cmd = exec.CommandContext(t.Context(), node(t), "frontmatter.mjs", skills)
					}
					out, err := cmd.CombinedOutput()
					if err == nil || !strings.Contains(string(out), tt.want) {
						t.Errorf("the driver does not say %q (%v):\n%s", tt.want, err, tail(out))
					}
				})
			}
		})
	}
}

// python returns a Python that has the two parsers: that of the system, which
// sees the distribution's packages. Without it the test is skipped, or fails
// where APISKILLS_INTEROP_PYTHON=required.
func python(t *testing.T) string {
	t.Helper()
	const path = "/usr/bin/python3"
	if err := exec.CommandContext(t.Context(), path, "-c", "import yaml, strictyaml").Run(); err != nil {
		missing := t.Skipf
		if os.Getenv("APISKILLS_INTEROP_PYTHON") == "required" {
			missing = t.Fatalf
		}
		missing("%s has no PyYAML and strictyaml (%v): apt-get install python3-yaml python3-strictyaml", path, err)
	}
	return path
}

// awkward writes a document whose names and words are those that parsers of YAML
// disagree about, or refuse, and returns its path.
func awkward(t *testing.T) string {
	t.Helper()
	words := []string{
		"yes", "no", "on", "y", "~", "null", "true", "012", "0o17", "0x1f", "1_000", "1e3", "1.0", ".inf", ".nan", "+1", "12:30:45",
		"2026-01-01", "2026-01-01T00:00:00Z", "<<", "=", "!!str x", "&a", "*a", "- a", "? a", "a: b", "a #b", "{a: b}", "[a]", "|", ">",
		"%YAML 1.1", "@a", "`a`", "---", "a --- b", "...", "'", "''", `"`, `\`, `\n`, `\x41`, "a\tb", "a\nb", " a ", "a:", "#a",
		"é", "e\u0301", "ﬁ", "İ", "名前", "\u0085", "\u00a0", "\u2028", "\u200b", "\u202e", "\ufeff", "\ufffe", "\uffff", "\ufffd", "\U0001f600", "\U0001ffff", "\x00", "\x1b[0m", "\x7f",
	}
	paths := map[string]any{}
	for i, w := range words {
		paths[fmt.Sprintf("/%d/%s/{%s}", i, w, w)] = map[string]any{"get": map[string]any{
			"operationId": w, "tags": []string{w}, "summary": w, "description": w + ". " + w,
			"responses": map[string]any{"200": map[string]any{"description": w}},
		}}
	}
	data, err := json.Marshal(map[string]any{
		"openapi": "3.1.0", "info": map[string]any{"title": "Awkward: --- \ufeff \u0085 yes", "version": "1_000", "description": strings.Join(words, " ")}, "paths": paths,
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "awkward.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}
