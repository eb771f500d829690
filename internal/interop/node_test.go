package interop

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// node returns the Node.js to run the packages with: the one that is pinned
// beside them, since one of the suites needs a newer one than many machines
// have, else that of the machine. Without the packages the test is skipped, or
// fails where APISKILLS_INTEROP=required.
func node(t *testing.T) string {
	t.Helper()
	missing := t.Skipf
	if os.Getenv("APISKILLS_INTEROP") == "required" {
		missing = t.Fatalf
	}
	if _, err := os.Stat("node_modules/@modelcontextprotocol/client"); err != nil {
		missing("the packages are not installed: npm ci --prefix internal/interop")
	}
	pinned, err := filepath.Glob("node_modules/node-*/bin/node")
	if err == nil && len(pinned) > 0 {
		path, err := filepath.Abs(pinned[0])
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	path, err := exec.LookPath("node")
	if err != nil {
		missing("no Node.js: %v", err)
	}
	return path
}

// run runs a script or a package's command and returns its standard output.
func run(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), node(t), args...)
	cmd.Env = append(os.Environ(), "HOME="+scratch, "NO_COLOR=1") // some keep settings there
	return output(t.Context(), t, cmd)
}

// A driver is one of the scripts beside this file.
type driver struct{ script, era string }

func (d driver) String() string { return d.script + "/" + d.era }

// args are the driver's script and arguments for a target: "--url", URL or
// "--", COMMAND...
func (d driver) args(sample, expect int, target ...string) []string {
	args := []string{d.script + ".mjs", "--era", d.era, "--sample", strconv.Itoa(sample), "--expect", strconv.Itoa(expect)}
	return append(args, target...)
}

// run runs the driver and logs the counts that it prints.
func (d driver) run(t *testing.T, sample, expect int, target ...string) {
	t.Helper()
	t.Logf("%s", run(t, d.args(sample, expect, target...)...))
}

// count returns the operations and webhooks of a document, counted by a script
// that shares no code with the product.
func count(t *testing.T, doc string) int {
	t.Helper()
	fields := strings.Split(strings.TrimSpace(string(run(t, "count.mjs", doc))), "\t")
	if len(fields) != 3 {
		t.Fatalf("count.mjs printed %q", fields)
	}
	n := 0
	for _, field := range fields[1:] {
		m, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		n += m
	}
	return n
}

// TestHosts serves each document whole and has every host library list it,
// compare, read and verify, on each transport and in each era that it knows.
func TestHosts(t *testing.T) {
	drivers := []driver{{"client", "modern"}, {"client", "legacy"}, {"legacy", "legacy"}, {"second", "modern"}, {"second", "legacy"}}
	node(t)
	for _, doc := range documents(t) {
		t.Run(doc.name, func(t *testing.T) {
			want := count(t, doc.path) + 1 // the guide
			url := serve(t, doc.path, "all")
			for _, d := range drivers {
				t.Run("http/"+d.String(), func(t *testing.T) {
					d.run(t, doc.sample, want, "--url", url)
				})
				t.Run("stdio/"+d.String(), func(t *testing.T) {
					d.run(t, doc.sample, want, append([]string{"--", binary(t)}, stdioArgs(doc.path, "all")...)...)
				})
			}
		})
	}
}

// TestUnlistedSkills has a host find skills that no listing shows in the
// guides' files, and then get, read, verify and walk them by URI.
func TestUnlistedSkills(t *testing.T) {
	node(t)
	for _, doc := range documents(t) {
		want := count(t, doc.path)
		for _, listing := range []string{"guide", "none"} {
			t.Run(doc.name+"/"+listing, func(t *testing.T) {
				url := serve(t, doc.path, listing)
				driver{"unlisted", "modern"}.run(t, doc.sample, want, "--url", url)
				driver{"unlisted", "legacy"}.run(t, min(doc.sample, 20), want, "--url", url)
			})
		}
	}
}

// TestInspector has the Inspector verify every listed skill, in both eras.
func TestInspector(t *testing.T) {
	node(t)
	for _, doc := range documents(t) {
		t.Run(doc.name, func(t *testing.T) {
			want := count(t, doc.path) + 1
			url := serve(t, doc.path, "all")
			for _, era := range []string{"modern", "legacy"} {
				t.Run(era, func(t *testing.T) {
					out := run(t, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
						"--cli", "--server-url", url, "--transport", "http", "--protocol-era", era, "--format", "json",
						"--method", "skills/list", "--verify", "--require-digests",
						"--skill-catalog-max-skills", "10000", "--skill-catalog-max-bytes", strconv.Itoa(1<<30))
					if verified := strings.Count(string(out), `"outcome":"verified"`); verified != want {
						t.Errorf("verified %d skills, want %d", verified, want)
					}
				})
			}
		})
	}
}

// TestConformance runs the protocol's own scenarios. A warning counts as a
// failure: what the specification says SHOULD be is done.
func TestConformance(t *testing.T) {
	node(t)
	url := serve(t, bookshop, "all")
	for _, scenario := range []string{
		"sep-2640-skills-enumeration",
		"sep-2640-skills-manifest",
		"sep-2640-skills-directory",
		"sep-2164-resource-not-found",
	} {
		t.Run(scenario, func(t *testing.T) {
			results := t.TempDir()
			run(t, "node_modules/@modelcontextprotocol/conformance/dist/index.js", "server", "--url", url, "--scenario", scenario, "-o", results)
			files, err := filepath.Glob(filepath.Join(results, "*", "checks.json"))
			if err != nil || len(files) != 1 {
				t.Fatalf("results are in %q (%v), want one file", files, err)
			}
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			var checks []struct{ ID, Status, Description, ErrorMessage string }
			if err := json.Unmarshal(data, &checks); err != nil {
				t.Fatal(err)
			}
			passed := 0
			for _, c := range checks {
				switch c.Status {
				case "SUCCESS":
					passed++
				case "INFO":
				default:
					t.Errorf("%s: %s: %s: %s", c.Status, c.ID, c.Description, c.ErrorMessage)
				}
			}
			if passed == 0 {
				t.Error("the scenario checked nothing")
			}
			t.Logf("%d checks passed", passed)
		})
	}
}

// TestEveryOperationIsOneSkill compares the list command with a count of each
// document's operations and webhooks by other code.
func TestEveryOperationIsOneSkill(t *testing.T) {
	node(t)
	docs := []string{bookshop}
	if dir, ok := corpus(); ok {
		docs = append(docs, realDocuments(t, dir)...)
	}
	for _, doc := range docs {
		t.Run(filepath.Base(doc), func(t *testing.T) {
			entries := list(t, doc)
			names, uris := make(map[string]bool), make(map[string]bool)
			for _, e := range entries {
				name, _ := e.Frontmatter["name"].(string)
				if names[name] || uris[e.URI] {
					t.Errorf("%s, or its name, is there twice", e.URI)
				}
				names[name], uris[e.URI] = true, true
			}
			if want := count(t, doc) + 1; len(entries) != want {
				t.Errorf("got %d skills, want %d", len(entries), want)
			}
			t.Logf("%d skills", len(entries))
		})
	}
}

// whole are the documents of the corpus of which every skill is got, read,
// verified and walked.
var whole = map[string]bool{
	largest: true, "stripe.json": true, "slack-swagger2.json": true, "DigitalOcean-public.v2.yaml": true,
}

// TestRealDocuments has the official client go over the documents of the corpus,
// whose names and prose nobody here chose.
func TestRealDocuments(t *testing.T) {
	dir, ok := corpus()
	if !ok {
		t.Skip("APISKILLS_CORPUS names no directory of real documents, or APISKILLS_INTEROP is not required")
	}
	node(t)
	t.Parallel() // with TestFrontmatterHasOneReading
	for _, doc := range unlike(realDocuments(t, dir)) {
		t.Run(filepath.Base(doc), func(t *testing.T) {
			want, sample := count(t, doc)+1, 20
			if whole[filepath.Base(doc)] {
				sample = want
			}
			driver{"client", "modern"}.run(t, sample, want, "--url", serve(t, doc, "all"))
		})
	}
}

// unlike leaves out the large documents of which a smaller one of the kind is there.
func unlike(docs []string) []string {
	alike := []string{"kubernetes-swagger2.json", "aws-ec2.yaml", "google-compute-v1.yaml", "azure-webapps-swagger2.yaml"}
	return slices.DeleteFunc(docs, func(doc string) bool { return slices.Contains(alike, filepath.Base(doc)) })
}

// realDocuments returns the documents of a corpus: the first column of its
// MANIFEST.tsv, below a line of headings.
func realDocuments(t *testing.T, dir string) []string {
	t.Helper()
	manifest, err := os.ReadFile(filepath.Join(dir, "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var docs []string
	for line := range strings.Lines(string(manifest)) {
		file, _, _ := strings.Cut(line, "\t")
		docs = append(docs, filepath.Join(dir, filepath.FromSlash(file)))
	}
	if len(docs) < 2 {
		t.Fatalf("no document in %s/MANIFEST.tsv", dir)
	}
	return docs[1:]
}
