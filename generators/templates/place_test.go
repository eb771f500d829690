package templates

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// bodyOf makes the body of a skill of one record whose field x is v.
func bodyOf(t testing.TB, template, v string) (string, error) {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"name": "a", "x": v})
	if err != nil {
		t.Fatal(err)
	}
	g, err := LoadFS(t.Context(), folderOf(map[string]string{"r.ndjson": string(raw), "SKILL.md.tmpl": template}), nil)
	if err != nil {
		return "", err
	}
	s, err := g.Skill(t.Context(), "a")
	if err != nil {
		return "", err
	}
	b, err := s.Files[0].Content(t.Context())
	_, body, _ := strings.Cut(string(b), "---\n\n")
	return body, err
}

func TestThePlaceDecidesWhatAValueBecomes(t *testing.T) {
	const f = "```"
	for _, tt := range []struct{ name, template, value, want string }{
		{"text", "a {{.x}}", "b\n\n# c <i>d</i> `e`", "a b c d `e`: \n"},
		{"beginning of a line", "{{.x}}", "7\\) b", "7\\) b"},
		{"list", "- {{.x}}", "# b\n- c", "- b: c"},
		{"nothing is cut", "a {{.x}}", strings.Repeat("word ", 1000) + "end", "a " + strings.Repeat("word ", 1000) + "end"},
		{"cell", "| a |\n|---|\n| {{.x}} |", "b|c\nd", "| a |\n|---|\n| b\\|c d |"},
		{"cell in a loop", "| a |\n|---|\n{{range split \"\\n\" .x}}| {{.}} |\n{{end}}", "b|c\nd", "| a |\n|---|\n| b\\|c |\n| d |"},
		{"code in a cell", "| {{code .x}} |", "b|c", "| `b\\|c` |"},
		{"span", "a `get {{.x}}` b", "c*d*<e>", "a `get c*d*<e>` b"},
		{"block", f + "promql\n{{.x}}\n" + f, "sum(a{b=~\"c|d\"})\n  > <e>", f + "promql\nsum(a{b=~\"c|d\"})\n  > <e>\n" + f},
		{"block in a list", "- a\n  " + f + "\n  {{.x}}\n  " + f, "<e>", "- a\n  " + f + "\n  <e>\n  " + f},
		{"shell", f + "bash\nget {{.x}}\n" + f, "a; rm -rf ~ $(b) 'c'\n" + f, f + "bash\nget $'a; rm -rf ~ $(b) \\x27c\\x27\\n" + f + "'\n" + f},
		{"shell, quoted", f + "sh\nget \"https://a.example/{{.x}}\"\n" + f, "b-1", f + "sh\nget \"https://a.example/b-1\"\n" + f},
		{"shell, after a comment", f + "sh\n# it's {{.x}}\nget {{.x}}\n" + f, "b c", f + "sh\n# it's 'b c'\nget 'b c'\n" + f},
		{"shell, several lines with a quotation mark", f + "sh\nget {{.x}}\n" + f, "a\n'; rm -rf ~ '", f + "sh\nget $'a\\n\\x27; rm -rf ~ \\x27'\n" + f},
		{"shell, written as a class", f + "{.bash}\nget {{.x}}\n" + f, "b c", f + "{.bash}\nget 'b c'\n" + f},
		{"shell, by another name", f + "dash\nget {{.x}}\n" + f, "b c", f + "dash\nget 'b c'\n" + f},
		{"another shell", f + "powershell\nget {{.x}} {{verbatim .x}}\n" + f, "b-1", f + "powershell\nget b-1 b-1\n" + f},
		{"shell, verbatim", f + "bash\n{{verbatim .x}}\n" + f, "get 'b' | wc -l", f + "bash\nget 'b' | wc -l\n" + f},
		{"shell, sh", f + "bash\nget {{sh .x}}\n" + f, "b c", f + "bash\nget 'b c'\n" + f},
		{"fence of four", "````md\n" + f + "bash\n{{.x}}\n````", "b c", "````md\n" + f + "bash\nb c\n````"},
		{"fence", "a\n\n{{fence \"bash\" .x}}", "get\n" + f + "\nb", "a\n\n````bash\nget\n" + f + "\nb\n````"},
		{"fence in a list", "1. a\n\n   {{fence \"bash\" .x}}", "b\nc", "1. a\n\n   " + f + "bash\n   b\n   c\n   " + f},
		{"quote", "{{quote .x}}", "b\n\nc", "> b\n>\n> c"},
		{"destination", "[a]({{.x}})", "https://b.example/c_(d) e", "[a](https://b.example/c_%28d%29%20e)"},
		{"in a destination", "[a](https://b.example/{{.x}})", "c) [d](e", "[a](https://b.example/c%29%20%5Bd%5D%28e)"},
		{"printf", "a {{printf \"%s!\" .x}}", "<i>b</i>", "a b!"},
		{"printf in code", "{{code (printf \"get %s\" .x)}}", "b_`c", "``get b_`c``"},
		{"template", "{{define \"t\"}}{{.x}}{{end}}{{template \"t\" .}}\n| {{template \"t\" .}} |", "b|c", "b|c\n| b\\|c |"},
		{"template in a span", "{{define \"t\"}}{{.x}}{{end}}`{{template \"t\" .}}`", "<b>", "`<b>`"},
		{"after a block", f + "bash\nget\n" + f + "\n{{.x}}", "<b>c</b>", f + "bash\nget\n" + f + "\nc"},
		{"after a tag", "<b>a</b> 1 < 2 {{.x}}", "c", "<b>a</b> 1 < 2 c"},
		{"after a comment", "<!-- a\n-->\n{{.x}}", "c", "<!-- a\n-->\nc"},
		{"after a placeholder in code", "`<a` {{.x}}", "c", "`<a` c"},
		{"the definition of a link", "[a]: {{.x}}", "https://b.example/c d", "[a]: https://b.example/c%20d"},
		{"a footnote", "[^1]: {{.x}}", "b c", "[^1]: b c"},
		{"behind a character for <", "a &lt;{{.x}} \\<{{.x}}", "b", "a &lt;b \\<b"},
		{"within code of a tag", "`<{{.x}}>`", "b", "`<b>`"},
		{"a destination in brackets", "[a](<{{.x}}>)", "https://b.example", "[a](<https://b.example>)"},
		{"after a tag of several lines", "<br\n/>\n{{.x}}", "b", "<br\n/>\nb"},
		{"branches with code", "{{if .x}}`{{.x}}`{{else}}`b`{{end}} {{.x}}", "<i>c</i>", "`<i>c</i>` c"},
		{"branches", f + "bash\nget{{if .x}} {{.x}}{{end}}\n" + f, "b c", f + "bash\nget 'b c'\n" + f},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := bodyOf(t, tt.template, tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(got) != strings.TrimSpace(tt.want) && tt.name != "text" {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if tt.name == "text" && (strings.Contains(got, "<i>") || strings.Count(got, "\n") != 1) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestAValueThatDoesNotFitItsPlaceIsAnError(t *testing.T) {
	const f = "```"
	for _, tt := range []struct{ name, template, value, want string }{
		{"backtick in a span", "`{{.x}}`", "a`b", "SKILL.md.tmpl:1: the value has a backtick"},
		{"fence in a block", f + "\n{{.x}}\n" + f, "a\n  " + f + "\n# b", "SKILL.md.tmpl:2: the value has a line that would end the code block"},
		{"fence of tildes", "~~~\n{{.x}}\n~~~", "a\n~~~~", "would end the code block"},
		{"several lines, indented", "- " + f + "\n  {{.x}}\n  " + f, "a\nb", "several lines"},
		{"verbatim with a fence", f + "sh\n{{verbatim .x}}\n" + f, "a\n" + f, "would end the code block"},
		{"substitution in double quotes", f + "bash\nget \"{{.x}}\"\n" + f, "$(rm -rf ~)", "leave the quotation marks away"},
		{"quotes begun lines before", f + "bash\nget '\n{{.x}}\n'\n" + f, "a b", "leave the quotation marks away"},
		{"here-document", f + "bash\ncat <<EOF\n{{.x}}\nEOF\n" + f, "$(rm)", "here-document"},
		{"a shell with other quotation marks", f + "fish\nget {{.x}}\n" + f, "a b\\", "quotation marks of its own"},
		{"quotation marks of PowerShell", f + "pwsh\nget '{{.x}}'\n" + f, "a'b", "leave the quotation marks away"},
		{"backslash", f + "bash\nget \\{{.x}}\n" + f, "a b", "after a backslash"},
		{"script in a link", "[a]({{.x}})", "javascript:b", "no URL of the web"},
		{"lines within a line", "a {{quote .x}}", "b\n\nc", "needs a line of its own"},
		{"Markdown in code", f + "\n{{code .x}}\n" + f, "b", "this is Markdown"},
		{"the second round of a loop", "{{range split \",\" .x}}{{fence \"\" .}}{{end}}", "a,b", "needs a line of its own"},
		{"no such field", "a\n{{.y}}", "b", `SKILL.md.tmpl:2: executing "SKILL.md.tmpl" at <.y>: map has no entry for key "y": the record has no such field; give it a value at defaults in skills.yaml`},
		{"index", "{{index . \"y\"}}", "b", `there is no "y"`},
		{"html", "{{html .x}}", "b", "html is not there"},
		{"a list", "{{split \",\" .x}}", "a,b", "go through it with {{range}}"},
		{"other types", "{{if gt .x 3}}{{end}}", "4", "make a number of a text with {{number}}"},
		{"nothing said", "{{if eq .x \"b\"}}{{.x}}{{end}}", "c", "it says nothing for this record"},
		// Of the template alone.
		{"block not closed", "a\n" + f + "\n{{.x}}", "b", "a code block is not closed"},
		{"block in a branch", "{{if .x}}" + f + "bash\n{{end}}{{.x}}\n" + f, "b", "begins or ends in one branch"},
		{"quotation in a loop", f + "sh\n{{range split \",\" .x}}'{{end}}\n" + f, "b", "begins in a loop and does not end there"},
		{"language", f + "{{.x}}\na\n" + f, "b", "the language of a code block has to be written out"},
		{"template in a block", "{{define \"t\"}}{{.x}}{{end}}" + f + "\n{{template \"t\" .}}\n" + f, "b", "cannot be called within a code block"},
		{"no template", "a\n{{template \"t\" .}}", "b", `SKILL.md.tmpl:2: there is no template "t"`},
		{"frontmatter", "---\nname: a\n---\n{{.x}}", "b", "SKILL.md.tmpl:1: the frontmatter is written from path"},
		{"tag", "<a href=\"{{.x}}\">b</a>", "c", "within a tag or a comment of HTML"},
		{"comment", "a <!-- {{.x}} -->", "c", "within a tag or a comment of HTML"},
		{"comment of several lines", "a\n<!-- b\n{{.x}}\n-->", "c", "SKILL.md.tmpl:3: a value cannot stand within a tag or a comment of HTML"},
		{"behind <", "a <{{.x}}>", "i", "SKILL.md.tmpl:1: a value cannot stand right behind <"},
		{"tag of several lines", "<img\n  src=\"{{.x}}\">", "c", "SKILL.md.tmpl:2: a value cannot stand within a tag"},
		{"a tag in one branch", "{{if .x}}a{{else}}<img {{end}}{{.x}}>", "src=a", "begins or ends in one branch"},
		{"code in one branch", "{{if eq .x \"b\"}}`{{end}}{{.x}}", "<i>", "begins or ends in one branch"},
		{"a destination that has a beginning in one branch", "[a]({{if eq .x \"b\"}}https://a.example/{{end}}{{.x}})", "javascript:c", "begins or ends in one branch"},
		{"code in a loop", "{{range split \",\" .x}}`{{end}}{{.x}}", "<i>", "begins in a loop"},
		{"code that a template leaves open", "{{define \"t\"}}`{{end}}{{template \"t\"}}{{.x}}`", "<i>", "nor may a code span"},
		{"a template in a destination", "{{define \"t\"}}{{.}}{{end}}[a]({{template \"t\" .x}})", "javascript:b", "cannot be called within a link"},
		{"script in the definition of a link", "[a]: {{.x}}", "javascript:b", "no URL of the web"},
		{"syntax", "a\n{{.x", "b", "SKILL.md.tmpl:2: unclosed action"},
		{"no function", "a\n{{shout .x}}", "b", `SKILL.md.tmpl:2: function "shout" not defined`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := bodyOf(t, tt.template, tt.value)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v, %q\nwant %s", err, got, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "_show") {
				t.Errorf("the error has a name of ours: %v", err)
			}
		})
	}
}

// structure returns the kinds of the blocks of a text, and how many links,
// images and pieces of HTML it has.
func structure(s string) string {
	src := []byte(s)
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(src))
	var b strings.Builder
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindText, ast.KindString, ast.KindEmphasis, ast.KindCodeSpan, ast.KindTextBlock, ast.KindParagraph:
			return ast.WalkContinue, nil
		}
		if entering {
			b.WriteString("(" + n.Kind().String())
		} else {
			b.WriteString(")")
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// attacks are texts that mean to leave the place that they are put in.
var attacks = []string{
	"# a", "a\n# b", "a\n\n# b", "a\n===", "---", "```\na", "a\n```\nb\n", "~~~", "> a", "- a", "1. a", "| a |\n|---|\n| b |", "a | b", "    a",
	"<script>a</script>", "<!-- a", "a --> b", "<a href=\"x\">b</a>", "[a](https://b.example)", "![a](https://b.example)", "[a]: https://b.example", "a](https://b.example) [b",
	"<https://a.example>", "a\n| b", "\\", "`", "``", "a`b", "a\\`b", "a\rb\r\r# c", "a\u2028# b", "a\u0085# b", "\t# a", "*a", "a  \n# b", "&lt;b&gt;", "&#35; a", "[a][b]", "a\\",
	"'; rm -rf ~; '", "$(rm)", "\"; rm; \"", "a\n'\n", "`rm`", "a\\\nb", "{{.name}}", "---\nname: b\n---", "- - - - # a", "10) a", "+", "=", "__", "a\n\n\n    b", "\x00", "\xff# a",
}

// TestNoTextLeavesItsPlace compares the structure of what a template makes of a
// hostile text with that of a harmless one.
func TestNoTextLeavesItsPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("renders thousands of texts, one after the other")
	}
	const f = "```"
	for _, template := range []string{
		"before\n\n{{.x}}\n\nafter\n", "before\n{{.x}}\nafter\n", "# {{.x}}\n\nafter\n", "- {{.x}}\n- after\n", "> {{.x}}\n\nafter\n", "a **{{.x}}** b\n", "1. {{.x}}\n   {{.x}}\n",
		"| a | b |\n|---|---|\n| {{.x}} | after |\n\nafter\n", "| a |\n|---|\n| {{code .x}} |\n", "| a |\n|---|\n| {{inline .x}} |\n",
		"a {{code .x}} b\n\n# after\n", "{{fence \"text\" .x}}\n\n# after\n", "- a\n\n  {{fence \"text\" .x}}\n\n- after\n", "a {{.x}}\n{{.x}} b\n",
		f + "bash\nget {{.x}}\n" + f + "\n\nafter\n", f + "bash\n{{.x}}\n" + f + "\n\nafter\n", "- " + f + "bash\n  {{.x}}\n  " + f + "\n- after\n", "{{define \"t\"}}{{.x}}{{end}}- {{template \"t\" .}}\n- after",
		"{{with .x}}{{.}}{{end}} after", "[a](https://b.example/{{.x}}) after", "{{printf \"%s\" .x}}\nafter", "{{lower .x}} after", "{{range split \"a\" .x}}\n- {{.}}\n{{end}}\n\n## after\n", "a {{verbatim .x}}", "{{sh .x}} after",
	} {
		plain, err := bodyOf(t, template, "word")
		if err != nil {
			t.Fatalf("%s: %v", template, err)
		}
		loop := strings.Contains(template, "range")
		for _, attack := range attacks {
			got, err := bodyOf(t, template, attack)
			if err != nil {
				t.Errorf("%q in %q: %v", attack, template, err)
				continue
			}
			want, have := structure(plain), structure(got)
			if loop { // as many items as there are parts
				want, have = strings.ReplaceAll(want, "(ListItem)", ""), strings.ReplaceAll(have, "(ListItem)", "")
			}
			if want != have {
				t.Errorf("%q in %q has the structure %s, want %s:\n%s", attack, template, have, want, got)
			}
		}
	}
}

// Values side by side mean no more together than each of them.
func TestTheHalvesOfATextDoNotLeaveTheirPlaceTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("renders thousands of texts, one after the other")
	}
	const halves = `{{$h := split "\u2063" .x}}`
	for _, template := range []string{"{{index $h 0}}{{index $h 1}} b\n\nafter\n", "- {{index $h 0}}{{index $h 1}}\n- after\n", "| a | b |\n|---|---|\n| {{index $h 0}}{{index $h 1}} | after |\n\nafter\n", "~{{index $h 0}}{{inline (index $h 1)}}\n\nafter\n", "a {{with index $h 0}}{{.}}{{end}}{{index $h 1}} b\n"} {
		plain, err := bodyOf(t, halves+template, "wo\u2063rd")
		if err != nil {
			t.Fatalf("%s: %v", template, err)
		}
		for _, attack := range append(attacks, "<i>", "<!a>", "</p>", "<?a?>", "~~~~", "![a](b)") {
			for i := range attack {
				x := strings.TrimSpace(attack[:i]) + "\u2063" + strings.TrimSpace(attack[i:])
				got, err := bodyOf(t, halves+template, x)
				if err != nil {
					t.Errorf("%q in %q: %v", x, template, err)
				} else if structure(got) != structure(plain) && !strings.Contains(structure(got), "(List") { // an item is no more than a line
					t.Errorf("%q in %q has the structure %s, want %s:\n%s", x, template, structure(got), structure(plain), got)
				}
			}
		}
	}
}

// What may not fit is an error, or stays in its place.
func TestNoTextLeavesCodeThatATemplateWrites(t *testing.T) {
	const f = "```"
	for _, template := range []string{"a `{{.x}}` b\n\n# after\n", f + "\n{{.x}}\n" + f + "\n\n# after\n", "- " + f + "\n  {{.x}}\n  " + f + "\n- after\n", f + "bash\nget \"{{.x}}\"\n" + f + "\n\n# after\n", f + "bash\n{{verbatim .x}}\n" + f + "\n\n# after\n"} {
		plain, err := bodyOf(t, template, "word")
		if err != nil {
			t.Fatal(err)
		}
		for _, attack := range attacks {
			if got, err := bodyOf(t, template, attack); err == nil && structure(got) != structure(plain) {
				t.Errorf("%q in %q has the structure %s:\n%s", attack, template, structure(got), got)
			}
		}
	}
}
