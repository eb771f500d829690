package endpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apiskills/apiskills/generators/templates"
)

// A rule is what must hold of each skill, as far as a program can tell from the
// document: it returns what is wrong.
type rule struct {
	name  string
	check func(op *Operation, e *templates.Endpoint, files map[string]string) string
}

var (
	secret       = regexp.MustCompile(`(?i)-H ['"]?(authorization|cookie|x-api-key): *[^"'$]*[a-z0-9]{6,}['"]`)
	sectionOrder = []string{"\n# ", "\n## Guidance", "\n## Call\n", "\n## Inputs\n", "\n## Answer\n", "\n### Errors\n", "\n## Related\n"}
)

var rules = []rule{
	{"the description has at most 1,024 characters, method and path among the first 120", func(op *Operation, e *templates.Endpoint, _ map[string]string) string {
		if n := utf8.RuneCountInString(e.Description); n > maxDescription {
			return fmt.Sprint(n, " characters")
		}
		address := op.Method + " " + addressPath(op.Path)
		if op.Webhook != "" {
			address = "webhook " + op.Method
		}
		head := string([]rune(e.Description)[:min(headLength, utf8.RuneCountInString(e.Description))])
		if room := string([]rune(address)[:min(80, utf8.RuneCountInString(address))]); !strings.Contains(head, room) {
			return "no " + room + " in: " + head
		}
		return ""
	}},
	{"SKILL.md has at most 500 lines and 5,000 tokens, each reference 24 KiB", func(_ *Operation, _ *templates.Endpoint, files map[string]string) string {
		for name, content := range files {
			switch {
			case name == "SKILL.md" && (len(content) > maxSkillBytes || strings.Count(content, "\n") > 500):
				return fmt.Sprintf("%d bytes, %d lines", len(content), strings.Count(content, "\n"))
			case len(content) > 24<<10:
				return fmt.Sprintf("%s has %d bytes", name, len(content))
			case !utf8.ValidString(content) || strings.Contains(content, "\r"):
				return name + " is not UTF-8 with LF"
			}
		}
		return ""
	}},
	{"every link resolves, and every reference is linked from SKILL.md", func(_ *Operation, _ *templates.Endpoint, files map[string]string) string {
		for name, content := range files {
			if p := problems(name, content, files); len(p) > 0 {
				return name + ": " + p[0]
			}
		}
		return ""
	}},
	{"method, URL, effect and credentials stand above the call", func(op *Operation, e *templates.Endpoint, files map[string]string) string {
		if op.Webhook != "" {
			return ""
		}
		head, _, found := strings.Cut(files["SKILL.md"], "\n## Call\n")
		for _, w := range []string{"`" + op.Method + " ", "- **Effect:** ", "- **Auth:** "} {
			if !found || !strings.Contains(head, w) {
				return "no " + w
			}
		}
		return ""
	}},
	{"the sections stand in their order", func(op *Operation, _ *templates.Endpoint, files map[string]string) string {
		if op.Webhook != "" {
			return ""
		}
		at := 0
		for _, h := range sectionOrder {
			if i := strings.Index(files["SKILL.md"], h); i >= 0 && i < at {
				return strings.TrimSpace(h) + " stands too early"
			} else if i >= 0 {
				at = i
			}
		}
		return ""
	}},
	{"every status of the document is told", func(op *Operation, _ *templates.Endpoint, files map[string]string) string {
		if op.Op == nil || op.Webhook != "" || op.Degraded != "" || op.Op.Responses == nil {
			return ""
		}
		var all strings.Builder
		for _, content := range files {
			all.WriteString(content)
		}
		for status := range op.Op.Responses.Map() {
			status = plainStatus(status)
			if !regexp.MustCompile(`(?im)^(### |## |\| )(`+regexp.QuoteMeta(status)+`|any status)\b`).MatchString(all.String()) || status == "" {
				return "no " + status
			}
		}
		return ""
	}},
	{"every input of the document is told", func(op *Operation, _ *templates.Endpoint, files map[string]string) string {
		if op.Op == nil || op.Webhook != "" || op.Degraded != "" {
			return ""
		}
		all := files["SKILL.md"] + files["references/parameters.md"] + files["references/parameters-2.md"]
		for _, p := range (&builder{op: op}).parameters() {
			if !strings.Contains(all, memberName(p.Name)) {
				return "no " + p.In + " " + p.Name
			}
		}
		return ""
	}},
	{"what is required is in the command", func(op *Operation, e *templates.Endpoint, _ map[string]string) string {
		if op.Op == nil || op.Webhook != "" || op.Degraded != "" || op.AddressCut {
			return ""
		}
		command := e.Call.Passages[0].Code
		for _, p := range (&builder{op: op}).parameters() {
			if p.Required && p.In == "header" && !strings.Contains(strings.ToLower(command), strings.ToLower(singleLine(p.Name))) {
				return "no header " + p.Name
			}
		}
		if strings.Contains(command, "{") && strings.Contains(strings.SplitN(command, "\n", 2)[0], "/{") {
			return "a placeholder in " + command
		}
		return ""
	}},
	{"no secret stands in a command", func(_ *Operation, e *templates.Endpoint, files map[string]string) string {
		for _, s := range fenced(files["SKILL.md"], "bash") {
			if m := secret.FindString(s); m != "" {
				return m
			}
		}
		return ""
	}},
	{"the user is asked before what destroys, and the ids come from variables", func(op *Operation, e *templates.Endpoint, files map[string]string) string {
		if e.Effect.Kind != destructive || op.AddressCut || op.Op == nil {
			return ""
		}
		if !strings.Contains(string(e.Effect.Text), "Ask the user before this call") {
			return string(e.Effect.Text)
		}
		b := &builder{op: op}
		for _, p := range b.parameters() {
			if p.In == "path" && !fixed(p) && len(p.Content) == 0 && !strings.Contains(e.Call.Passages[0].Code, ":?}") {
				return "no variable for " + p.Name
			}
		}
		return ""
	}},
	{"what is deprecated says so above the call", func(op *Operation, e *templates.Endpoint, files map[string]string) string {
		if op.Op != nil && op.Op.Deprecated && op.Degraded == "" && (e.Deprecation == "" || !strings.Contains(e.Description, "DEPRECATED")) {
			return "not said"
		}
		return ""
	}},
	{"a reference to the document's words has some to refer to", func(_ *Operation, e *templates.Endpoint, _ map[string]string) string {
		if e.Document.Text == "" && strings.Contains(string(e.Effect.Text)+string(e.Deprecation), "From the document") {
			return "none"
		}
		return ""
	}},
	{"no words that only repeat the status", func(op *Operation, e *templates.Endpoint, _ map[string]string) string {
		for _, a := range e.Answers {
			if s := strings.TrimSpace(strings.ToLower(string(a.Says))); slices.Contains([]string{"ok", "response", "success", "ok.", "successful response.", "default response"}, s) {
				return s
			}
		}
		return ""
	}},
}

// obey reports the rules that skills of a document break. It returns the lines
// of each SKILL.md, and all commands.
func obey(t *testing.T, api string, data []byte) (lines []int, scripts []string) {
	t.Helper()
	faults := map[string]int{}
	n := 0
	for op := range operations(t, api, data) {
		// Of the large ones every sixth: the rules of check see all of them.
		if n++; n > 60 && n%6 != 0 {
			continue
		}
		e, _ := View(op)
		rendered, err := templates.Default().RenderEndpoint(e)
		if err != nil {
			t.Fatalf("%s %s: %v", op.Method, op.Path, err)
		}
		files := map[string]string{}
		for _, f := range rendered {
			files[f.Name] = string(f.Content)
		}
		for _, r := range rules {
			if fault := r.check(op, e, files); fault != "" {
				if faults[r.name]++; faults[r.name] <= 3 {
					t.Errorf("%s %s%s: %s: %s", op.Method, op.Path, op.Webhook, r.name, fault)
				}
			}
		}
		lines = append(lines, strings.Count(files["SKILL.md"], "\n"))
		for _, content := range files {
			for _, s := range fenced(content, "bash") {
				scripts = append(scripts, fmt.Sprintf(": %s\n%s\n", quote(op.Method+" "+op.Path), s))
			}
		}
	}
	for name, n := range faults {
		if n > 3 {
			t.Errorf("%d more: %s", n-3, name)
		}
	}
	return lines, scripts
}

// The skills of this repository's own documents keep the rules, and are short.
func TestOwnDocumentsKeepTheRulesOfSkills(t *testing.T) {
	for _, path := range []string{"testdata/orchard.yaml", "../../testdata/harbour.yaml", "../../../../examples/bookshop/openapi.yaml"} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines, scripts := obey(t, slug(path), data)
			slices.Sort(lines)
			if n := len(lines); lines[n*9/10] > 120 || lines[n-1] > 150 {
				t.Errorf("lines of skills: %v", lines)
			}
			bashN(t, scripts)
		})
	}
}

// What a program can tell of a good skill holds for every operation of every
// document of the corpus, and nine of ten have at most 120 lines.
func TestCorpusKeepsTheRulesOfSkills(t *testing.T) {
	dir := os.Getenv("APISKILLS_CORPUS")
	if dir == "" {
		t.Skip("APISKILLS_CORPUS is not set")
	}
	if testing.Short() {
		t.Skip("renders some thousand skills")
	}
	var documents []string
	for _, pattern := range []string{"*.json", "*.yaml"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	if len(documents) == 0 {
		t.Skip("no documents")
	}
	slices.Sort(documents)
	for _, path := range documents {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines, scripts := obey(t, slug(path), data)
			bashN(t, scripts)
			slices.Sort(lines)
			if n := len(lines); n >= 50 {
				t.Logf("%d skills: median %d lines, nine of ten %d, longest %d", n, lines[n/2], lines[n*9/10], lines[n-1])
				if lines[n*9/10] > 120 {
					t.Errorf("one in ten has %d lines or more", lines[n*9/10])
				}
			}
			runtime.GC()
		})
	}
}
