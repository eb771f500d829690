package templates

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apiskills/apiskills/framework"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"gopkg.in/yaml.v3"
)

// nasty are texts that try to be something else than text. They seed the fuzz
// targets, and each property is tested on all of them.
var nasty = []string{
	"",
	"plain words",
	"# heading\n\ntext\n\nsetext\n======\n\nother\n---",
	"---\nname: forged\n---\n\n***\n___\n",
	"```\nnever closed",
	"~~~~\nopen tilde\n# not a heading",
	"````sh\ncurl x | sh\n```\n````\nafter",
	"`````\n````\n```\n",
	"a `b` ``c ` d`` ` e",
	"` <b>x</b> `` y",
	"<script>alert(1)</script> after <style>p{}</style>",
	"<script>never closed",
	"<!-- hidden --> shown <!-- open",
	"a <!--\n\nacross blocks `code` -->\n\nb",
	"&lt;script&gt;alert(1)&lt;/script&gt;",
	"&#60;img src=x onerror=y&#62; &#x60;&#x60;&#x60; &amp;lt;b&amp;gt;",
	"&#x200b;&#x202e;&#xE0041;&#10;# x",
	"\\<b\\> \\` \\[a](b) \\# \\\\",
	"![alt](https://x.example/p.png) ![ref][r]\n\n[r]: https://x.example",
	"[text](https://x.example/a_b_c) [rel](/x) [js](javascript:alert(1)) <https://y.example> <javascript:x>",
	"[a]: https://x.example \"t\"\n\n[a] [a][] [b][a]",
	"[^1] and\n\n[^1]: note",
	"| a | b |\n|---|---|\n| 1 | `x\\|y` |\n| 2 | ```|``` |",
	"a | b\n--- | ---\nc | d\n\n|:-:|\n|---|",
	"> quoted\n>> deeper\nlazy",
	"- a\n  - b\n    - c\n\n          code\n1. x\n2) y\n- [ ] z",
	"    indented <b>code</b> ```",
	"\t\tx\n \t# y\n+ z",
	"1. a\n\n   b\n\n   ```\n   c\n",
	"<p>para <code>a|b</code></p><ul><li>one<li>two</ul><table><tr><td>x</td></tr></table><pre>y\n```\nz</pre>",
	"<ol><li><p>one</p></li><li>two<ul><li>three</li></ul></li></ol>",
	"<a href=\"https://x.example/\">text</a> <id> <owner>/<repo> </div> <b",
	"<div\nclass=\"x\n\n# y\">",
	"<div title='\n```\n'>",
	"<?php x ?> <![CDATA[ y ]]> <!DOCTYPE z> <!a",
	"zero\u200bwidth bidi\u202eabc\u202c tag\U000e0041 bom\ufeff soft\u00ad nul\x00 esc\x1b[31m ls\u2028ps\u2029nel\u0085",
	"invalid \xff\xfe utf8 \xc3",
	"emphasis **bold** _it_ *a*b* ** x ** ***",
	"line  \nbreak\\\nnext",
	"Größenlängen \u9577\u9577 \U0001f600 é",
	"C:\\path\\*x*\\",
	"`a``b` `` ` `` ```` ``` ````",
	"<b x='`'>y",
	"`<b x='``'>y`",
	"*<*b>* `x`<`y`b>",
	"&`x`lt; &**lt;**",
	"]`x`(https://y) [a]**(b)** ![x]`y`(z)",
	"- \n-\n-    x\n\n      y",
	"a\n    ===\nb\n   ---",
	"#\n##  \n#x\n# x #",
	"$(id) `id` 'x' \"y\" \\ $HOME !x",
	"-- - ---" + strings.Repeat(" -", 60) + " , - -",
	strings.Repeat(">", 200) + " x",
	strings.Repeat("- ", 200) + "x",
	strings.Repeat("*", 300) + "a" + strings.Repeat("_", 300),
	strings.Repeat("[", 300) + strings.Repeat("](x)", 300),
	strings.Repeat("word ", 9000),
	strings.Repeat("\u9577", 30000),
}

func parseMarkdown(s string) (ast.Node, []byte) {
	src := []byte(s)
	return goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(src)), src
}

// inert returns what is wrong with text that should have no structure but its
// own: HTML, headings, images, links other than autolinks.
func inert(doc ast.Node, src []byte) (fault string) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || fault != "" {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.RawHTML:
			fault = "raw HTML: " + string(n.Segments.Value(src))
		case *ast.HTMLBlock:
			fault = "an HTML block"
		case *ast.Heading:
			fault = "a heading"
		case *ast.Image:
			fault = "an image"
		case *ast.Link:
			fault = "a link to " + string(n.Destination)
		case *ast.ThematicBreak:
			fault = "a rule"
		case *ast.CodeBlock:
			fault = "indented code"
		}
		return ast.WalkContinue, nil
	})
	return fault
}

func checkVisible(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("not UTF-8: %q", s)
	}
	for _, r := range s {
		if r != '\n' && r != '\t' && hidden(r) {
			t.Errorf("hidden character %U in %q", r, s)
		}
	}
}

func checkQuote(t *testing.T, p Prose) {
	t.Helper()
	got := Quote(p)
	checkVisible(t, got)
	if got == "" {
		return
	}
	for l := range strings.SplitSeq(got, "\n") {
		if l != ">" && !strings.HasPrefix(l, "> ") {
			t.Errorf("Quote(%q): a line is not marked: %q", p, l)
		}
		if strings.TrimRight(l, " \t") != l {
			t.Errorf("Quote(%q): white space at the end of %q", p, l)
		}
	}
	doc, src := parseMarkdown("before\n\n" + got + "\n\nafter\n")
	if doc.ChildCount() != 3 || doc.FirstChild().NextSibling().Kind() != ast.KindBlockquote {
		t.Errorf("Quote(%q) = %q: not exactly one blockquote", p, got)
	}
	if fault := inert(doc, src); fault != "" {
		t.Errorf("Quote(%q) = %q: it has %s", p, got, fault)
	}
}

func checkLines(t *testing.T, p Prose) {
	t.Helper()
	for name, s := range map[string]string{"Inline": Inline(p), "Comment": Comment(p), "Cell": Cell(p), "Plain": Plain(p, 0), "Sentences": Sentences(p, 80)} {
		checkVisible(t, s)
		if strings.ContainsAny(s, "\n\t") || strings.TrimSpace(s) != s {
			t.Errorf("%s(%q) = %q: not one trimmed line", name, p, s)
		}
	}
	if n := utf8.RuneCountInString(Comment(p)); n > maxComment {
		t.Errorf("Comment(%q) has %d characters", p, n)
	}
	if s := Plain(p, 0); tag.MatchString(s) {
		t.Errorf("Plain(%q) = %q: has a tag", p, s)
	}
	if s := Inline(p); s != "" {
		doc, src := parseMarkdown(s)
		if fault := inert(doc, src); fault != "" {
			t.Errorf("Inline(%q) = %q: it has %s", p, s, fault)
		}
		if doc.ChildCount() != 1 || doc.FirstChild().Kind() != ast.KindParagraph {
			t.Errorf("Inline(%q) = %q: not a paragraph", p, s)
		}
	}
	cell := Cell(p)
	slashes := 0
	for i := range len(cell) {
		if cell[i] == '|' && slashes%2 == 0 {
			t.Errorf("Cell(%q) = %q: a pipe is not escaped", p, cell)
		}
		if cell[i] == '\\' {
			slashes++
		} else {
			slashes = 0
		}
	}
	doc, src := parseMarkdown("| a | b | c |\n|---|---|---|\n| x | " + cell + " | z |\n| the | next | row |\n")
	table := doc.FirstChild()
	if table.NextSibling() != nil || table.ChildCount() != 3 || table.FirstChild().NextSibling().ChildCount() != 3 || table.LastChild().ChildCount() != 3 {
		t.Errorf("Cell(%q) = %q: it tears the table", p, cell)
	} else if z := textOf(table.FirstChild().NextSibling().LastChild(), src); !strings.Contains(z, "z") {
		t.Errorf("Cell(%q) = %q: it moves the cell after it", p, cell)
	}
	if fault := inert(doc, src); fault != "" {
		t.Errorf("Cell(%q) = %q: it has %s", p, cell, fault)
	}
}

func textOf(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok {
			b.Write(t.Segment.Value(src))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

var tag = regexp.MustCompile(`<[A-Za-z/!?]`)

func checkFence(t *testing.T, s string) {
	t.Helper()
	got := Fence("text", s)
	checkVisible(t, got)
	doc, src := parseMarkdown("before\n\n" + got + "\n\nafter\n")
	if doc.ChildCount() != 3 || doc.FirstChild().NextSibling().Kind() != ast.KindFencedCodeBlock {
		t.Fatalf("Fence(%q) = %q: not exactly one block of code", s, got)
	}
	lines := doc.FirstChild().NextSibling().Lines()
	if have, want := strings.TrimRight(string(lines.Value(src)), "\n"), strings.TrimRight(clean(s), "\n"); have != want {
		t.Errorf("Fence(%q) gives %q back", s, have)
	}
}

func checkCode(t *testing.T, s string) {
	t.Helper()
	got := Code(s)
	checkVisible(t, got)
	doc, src := parseMarkdown("a " + got + " b")
	p := doc.FirstChild()
	if p == nil || p.ChildCount() != 3 || p.FirstChild().NextSibling().Kind() != ast.KindCodeSpan {
		t.Fatalf("Code(%q) = %q: not exactly one code span", s, got)
	}
	var b strings.Builder
	for c := p.FirstChild().NextSibling().FirstChild(); c != nil; c = c.NextSibling() {
		b.Write(c.(*ast.Text).Segment.Value(src))
	}
	want := strings.NewReplacer("\n", " ", "\t", " ").Replace(clean(s))
	if want == "" {
		want = " "
	}
	if b.String() != want {
		t.Errorf("Code(%q) = %q gives %q back", s, got, b.String())
	}
}

func checkYAML(t *testing.T, s string) {
	t.Helper()
	got := framework.QuoteYAML(s)
	if strings.ContainsAny(got, "\n\r") {
		t.Errorf("QuoteYAML(%q) = %q: more than a line", s, got)
	}
	checkVisible(t, got)
	var m map[string]any
	if err := yaml.Unmarshal([]byte("k: "+got+"\n"), &m); err != nil {
		t.Fatalf("QuoteYAML(%q) = %q: %v", s, got, err)
	}
	if want := strings.ToValidUTF8(s, "\uFFFD"); m["k"] != want {
		t.Errorf("QuoteYAML(%q) = %q gives %q back", s, got, m["k"])
	}
}

// shells runs scripts that print words, many in one go: starting a shell is
// what costs.
func checkShell(t *testing.T, shell string, words []string) {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skipf("no %s here", shell)
	}
	var script, want strings.Builder
	for _, w := range words {
		script.WriteString("printf '%s\\001' " + ShellWord(w) + "\n")
		want.WriteString(strings.ReplaceAll(strings.ToValidUTF8(w, ""), "\x00", "") + "\x01")
	}
	cmd := exec.Command(path)
	cmd.Stdin = strings.NewReader(script.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	if string(out) != want.String() {
		got, want := strings.Split(string(out), "\x01"), strings.Split(want.String(), "\x01")
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("%s: ShellWord(%q) gives %q back", shell, words[i], got[i])
			}
		}
	}
}

func TestAlertsAreNotes(t *testing.T) {
	for in, want := range map[string]string{
		"> [!NOTE]\n> Mind the gap.":         "> **Note:** Mind the gap.",
		"Before.\n\n> [!WARNING]\n>\n> Hot.": "> Before.\n>\n> **Warning:**\n> Hot.",
		"> [!TIP] Here.":                     "> **Tip:** Here.",
		"See [!NOTE] in `x`.":                "> See [!NOTE] in `x`.",
	} {
		if got := Quote(Prose(in)); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
	if got := Inline("> [!NOTE]\n> Mind the gap."); got != "**Note:** Mind the gap." {
		t.Errorf("inline: %q", got)
	}
	if got := Plain("> [!NOTE]\n> Mind the gap.", 0); got != "Note: Mind the gap." {
		t.Errorf("plain: %q", got)
	}
}

func TestProseCannotLeaveItsPlace(t *testing.T) {
	for i, s := range nasty {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			checkQuote(t, Prose(s))
			checkLines(t, Prose(s))
			checkFence(t, s)
			checkCode(t, s)
			checkYAML(t, s)
			// And next to each other, as fields of a document are.
			other := nasty[(i*7+3)%len(nasty)]
			checkQuote(t, Prose(s+other))
			checkQuote(t, Prose(s+"\n"+other))
			checkLines(t, Prose(s+" "+other))
		})
	}
}

func TestShellWordIsOneWord(t *testing.T) {
	var printable []string
	for _, s := range nasty {
		printable = append(printable, strings.Map(func(r rune) rune {
			if hidden(r) || r == 0x2028 || r == 0x2029 || r == utf8.RuneError {
				return -1
			}
			return r
		}, s))
	}
	checkShell(t, "sh", printable)
	var all []string
	for _, s := range nasty {
		all = append(all, strings.ReplaceAll(s, "\x01", ""))
	}
	checkShell(t, "bash", all)
}

func FuzzProse(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkQuote(t, Prose(s))
		checkLines(t, Prose(s))
		Suspicious(Prose(s))
	})
}

func FuzzLiterals(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkFence(t, s)
		checkCode(t, s)
		checkYAML(t, s)
	})
}
