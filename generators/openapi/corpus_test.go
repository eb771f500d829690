package openapi

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apiskills/apiskills/framework"
)

// corpus returns the path of a document of the corpus, or skips the test.
func corpus(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("APISKILLS_CORPUS")
	if dir == "" {
		t.Skip("APISKILLS_CORPUS names no directory of documents")
	}
	file := dir + string(filepath.Separator) + name
	if _, err := os.Stat(file); err != nil {
		t.Skipf("not in the corpus: %v", err)
	}
	return file
}

// corpusNames returns the names of the documents of the corpus, or skips the test.
func corpusNames(t testing.TB) []string {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(corpus(t, ".")))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"digitalocean/DigitalOcean-public.v2.yaml", "matrix-client-server/api/client-server/sync.yaml"}
	for _, file := range files {
		if ext := filepath.Ext(file.Name()); ext == ".json" || ext == ".yaml" {
			names = append(names, file.Name())
		}
	}
	return names
}

func loadCorpus(t testing.TB, name string) *Generator {
	t.Helper()
	opts := &Options{}
	if root, _, ok := strings.Cut(name, "/api/"); ok { // it refers to files beside its own folder
		opts.RefRoot = corpus(t, root)
	}
	g, err := Load(context.Background(), corpus(t, name), opts)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestCorpusRenders reads documents from the field: every operation is a skill,
// and every skill keeps to the rules. It renders all skills of a few
// documents and one in ten of the others, since other tests make all of them.
func TestCorpusRenders(t *testing.T) {
	whole := []string{"box.json", "notion.json", "openai.yaml"}
	for _, name := range corpusNames(t) {
		t.Run(name, func(t *testing.T) {
			g := loadCorpus(t, name)
			step := 10
			if slices.Contains(whole, name) {
				step = 1
			}
			if testing.Short() {
				step *= 10
			}
			var lines, bytes []int
			var times []time.Duration
			skills, degraded, references := 0, 0, 0
			for d := range g.Diagnostics(context.Background()) {
				if d.Severity == framework.Error {
					t.Error(d)
				}
			}
			for p := range g.Paths(context.Background(), "") {
				if skills++; skills%step != 0 && p != g.guideName() {
					continue
				}
				start := time.Now()
				s, err := g.Skill(context.Background(), p)
				if err != nil {
					t.Errorf("%s: %v", p, err)
					continue
				}
				if p != g.guideName() {
					times = append(times, time.Since(start))
				} else {
					t.Logf("the guide took %v", time.Since(start))
				}
				files := contents(t, s)
				checkSkill(t, p, files)
				lines = append(lines, strings.Count(files["SKILL.md"], "\n"))
				bytes = append(bytes, len(files["SKILL.md"]))
				references += len(files) - 1
				for _, d := range s.Diagnostics {
					if d.Rule == "degraded-operation" {
						degraded++
						if degraded <= 5 {
							t.Log(d)
						}
					}
				}
			}
			if want := len(g.doc.Operations) + 1; skills != want {
				t.Errorf("%d paths for %d operations and the guide", skills, want-1)
			}
			slices.Sort(lines)
			slices.Sort(bytes)
			slices.Sort(times)
			if degraded > 0 {
				t.Errorf("%d skills are degraded", degraded)
			}
			t.Logf("%d skills, %d degraded, %d references; lines %s; bytes %s; time %s", skills, degraded, references, spread(lines), spread(bytes), spread(times))
		})
	}
}

func spread[T any](sorted []T) string {
	if len(sorted) == 0 {
		return "none"
	}
	n := len(sorted) - 1
	return fmt.Sprintf("p50 %v p95 %v max %v", sorted[n/2], sorted[n*95/100], sorted[n])
}

// contents reads all files of a skill.
func contents(t testing.TB, s *framework.Skill) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, f := range s.Files {
		b, err := f.Content(context.Background())
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if _, twice := files[f.Name]; twice {
			t.Errorf("%s is there twice", f.Name)
		}
		files[f.Name] = string(b)
	}
	return files
}

var (
	fileName = regexp.MustCompile(`^(SKILL\.md|references/[a-z0-9._-]+\.md)$`)
	linkDest = regexp.MustCompile(`\]\(([^)]*)\)`)
)

// checkSkill checks what holds for every generated skill.
func checkSkill(t testing.TB, p string, files map[string]string) {
	t.Helper()
	fm, err := framework.ParseFrontmatter([]byte(files["SKILL.md"]))
	if err != nil {
		t.Errorf("%s: %v", p, err)
		return
	}
	if fm.Name != path.Base(p) {
		t.Errorf("%s: the frontmatter has the name %q", p, fm.Name)
	}
	if len(fm.Warnings) > 0 {
		t.Errorf("%s: parsers read the frontmatter differently: %v", p, fm.Warnings)
	}
	total := 0
	for name, text := range files {
		total += len(text)
		if !fileName.MatchString(name) {
			t.Errorf("%s: a file is called %q", p, name)
		}
		checkText(t, p+"/"+name, text)
		for _, m := range linkDest.FindAllStringSubmatch(outsideCode(text), -1) {
			if _, ok := files[path.Join(path.Dir(name), m[1])]; !ok {
				t.Errorf("%s/%s: the link to %q leads nowhere", p, name, m[1])
			}
		}
	}
	// SKILL.md: under 500 lines and 5,000 tokens of three bytes.
	if n := strings.Count(files["SKILL.md"], "\n"); n >= 500 {
		t.Errorf("%s: SKILL.md has %d lines", p, n)
	}
	if n := len(files["SKILL.md"]); n > 15000 {
		t.Errorf("%s: SKILL.md has %d bytes", p, n)
	}
	if len(files) > maxFiles || total > maxBytes {
		t.Errorf("%s: %d files of %d bytes", p, len(files), total)
	}
}

// checkText checks the form of a file: lines end in LF, the text in one; no
// white space at the end of lines, no blank lines in a row outside code, every
// fence closed.
func checkText(t testing.TB, name, text string) {
	t.Helper()
	if strings.ContainsAny(text, "\r\x00") {
		t.Errorf("%s: a control character", name)
	}
	if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
		t.Errorf("%s does not end in one newline", name)
	}
	if strings.HasPrefix(text, "---\n") {
		_, text, _ = strings.Cut(text[4:], "\n---\n")
	}
	prose := outsideCode(text)
	if strings.Contains(prose, "\n\n\n") {
		t.Errorf("%s: blank lines in a row", name)
	}
	for l := range strings.SplitSeq(prose, "\n") {
		if strings.TrimRight(l, " \t") != l {
			t.Errorf("%s: white space at the end of %q", name, l)
		}
	}
	if n := strings.Count(prose, "```"); n%2 != 0 {
		t.Errorf("%s: a fence is not closed", name)
	}
}

// outsideCode returns text without what stands in fences and code spans.
func outsideCode(text string) string {
	var out []string
	fence := ""
	for l := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimLeft(strings.TrimPrefix(l, ">"), " ")
		run := bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
		switch {
		case fence == "" && len(run) >= 3 && !strings.Contains(bare[len(run):], "`"):
			fence = run
			out = append(out, run)
		case fence != "" && len(run) >= len(fence) && strings.Trim(bare, "`") == "":
			fence = ""
			out = append(out, run)
		case fence == "":
			out = append(out, codeSpan.ReplaceAllString(l, "code"))
		}
	}
	return strings.Join(out, "\n")
}

var codeSpan = regexp.MustCompile("``[^`].*?``|`[^`]+`")

func BenchmarkGuide(b *testing.B) {
	g, err := Load(context.Background(), corpus(b, "github-api.json"), nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := g.Skill(context.Background(), g.guideName()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSkill(b *testing.B) {
	g, err := Load(context.Background(), corpus(b, "github-api.json"), nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := g.Skill(context.Background(), g.entries[i%len(g.entries)].path); err != nil {
			b.Fatal(err)
		}
	}
}
