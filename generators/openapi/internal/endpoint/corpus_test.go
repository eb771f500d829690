package endpoint

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Every operation of real documents is rendered, within the limits of a skill,
// and with commands that a shell can read.
func TestCorpusRendersWithinLimits(t *testing.T) {
	files := []string{"petstore-v3.yaml", "museum.yaml", "box.json", "notion.json"}
	if more := os.Getenv("APISKILLS_ENDPOINT_CORPUS"); more != "" {
		files = strings.Split(more, ",")
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			data := corpus(t, file)
			var scripts []string
			var total time.Duration
			sizes := 0
			over := 0
			rules := map[string]int{}
			for _, op := range load(t, slug(file), data) {
				name := op.Method + " " + op.Path + op.Webhook
				start := time.Now()
				out, diags := render(t, op)
				total += time.Since(start)
				for _, d := range diags {
					if rules[d.Rule]++; d.Rule == "internal-error" {
						t.Error(d)
					}
				}
				for f, content := range out {
					limit := 24 << 10
					if f == "SKILL.md" {
						limit = maxSkillBytes
						sizes++
						if n := strings.Count(content, "\n"); n > 500 {
							t.Errorf("%s: %d lines", name, n)
						} else if n > 120 {
							over++
						}
					}
					if len(content) > limit {
						t.Errorf("%s: %s has %d bytes", name, f, len(content))
					}
					for _, problem := range problems(f, content, out) {
						t.Errorf("%s: %s: %s", name, f, problem)
					}
					for _, s := range fenced(content, "bash") {
						scripts = append(scripts, fmt.Sprintf(": %s\n%s\n", quote(name), s))
					}
				}
			}
			t.Logf("%d operations, %d over 120 lines, %v each; %v", sizes, over, total/time.Duration(max(sizes, 1)), rules)
			bashN(t, scripts)
		})
	}
}

// fenced returns the contents of the fences of that language, those in
// blockquotes left out.
func fenced(text, lang string) []string {
	var out []string
	var current []string
	fence, in := "", false
	for l := range strings.SplitSeq(text, "\n") {
		switch {
		case fence == "" && strings.HasPrefix(l, "```"):
			fence = l[:len(l)-len(strings.TrimLeft(l, "`"))]
			in = l[len(fence):] == lang
			current = nil
		case fence != "" && l == fence:
			if in {
				out = append(out, strings.Join(current, "\n"))
			}
			fence, in = "", false
		case in:
			current = append(current, l)
		}
	}
	return out
}

var relativeLink = regexp.MustCompile(`\]\((references/[^)]*)\)`)

// problems are what must hold in every file.
func problems(name, content string, files map[string]string) []string {
	var out []string
	for _, m := range relativeLink.FindAllStringSubmatch(content, -1) {
		if _, ok := files[m[1]]; !ok {
			out = append(out, "link to "+m[1]+", which is no file")
		}
	}
	if name == "SKILL.md" {
		for f := range files {
			if f != name && !strings.Contains(content, "]("+f+")") {
				out = append(out, "no link to "+f)
			}
		}
		m := regexp.MustCompile(`(?m)^description: "(.*)"$`).FindStringSubmatch(content)
		if m == nil {
			out = append(out, "no description")
		} else if n := len([]rune(m[1])); n > 1100 {
			out = append(out, fmt.Sprintf("description of %d characters", n))
		}
	}
	for _, bad := range []string{"%!", "<no value>", "{{", "\t\n", "<nil>"} {
		if strings.Contains(content, bad) && bad != "{{" {
			out = append(out, "has "+bad)
		}
	}
	return out
}

// bashN has a shell read all scripts, without running them.
func bashN(t *testing.T, scripts []string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	check := func(text string) ([]byte, error) {
		file := filepath.Join(t.TempDir(), "all.sh")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return exec.Command(bash, "-n", file).CombinedOutput()
	}
	if out, err := check(strings.Join(scripts, "\n")); err == nil && len(out) == 0 {
		return
	} else {
		t.Logf("%s", out)
	}
	for _, s := range scripts {
		if out, err := check(s); err != nil || len(out) > 0 {
			t.Errorf("bash -n: %v\n%s\n%s", err, out, s)
		}
	}
}

// runWithFakeCurl runs scripts with a curl that does nothing, all variables set:
// a word of a document that the shell takes for a command leaves a file behind
// or fails.
func runWithFakeCurl(t *testing.T, dir string, scripts []string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	var all strings.Builder
	all.WriteString("curl() { cat >/dev/null </dev/null; }\nset -e\n")
	for _, s := range scripts {
		for _, m := range regexp.MustCompile(`\$\{([A-Z_0-9]+):\?\}`).FindAllStringSubmatch(s, -1) {
			all.WriteString("export " + m[1] + "=set\n")
		}
		all.WriteString(s + "\n")
	}
	file := filepath.Join(t.TempDir(), "all.sh")
	if err := os.WriteFile(file, []byte(all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bash, file)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("a script fails: %v\n%.2000s", err, out)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		t.Errorf("a script made the file %s", f.Name())
	}
}
