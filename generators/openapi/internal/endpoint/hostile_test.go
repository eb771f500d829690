package endpoint

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// headings are all that a file of a skill can have below its title, by level.
var headings = regexp.MustCompile(`^(## (Guidance of the API's authors|Call|Inputs|Answer|From the document|Related|What arrives|What to answer|Try your receiver)|### .*)$`)

// structure checks what no word of a document can change: the fences are
// closed, and SKILL.md has its own headings only.
func structure(name, content string) error {
	fence := ""
	front := name == "SKILL.md"
	titles := 0
	for i, l := range strings.Split(strings.TrimSuffix(content, "\n"), "\n") {
		switch {
		case front:
			if i == 0 && l != "---" {
				return fmt.Errorf("no frontmatter")
			}
			front = i == 0 || l != "---"
		case fence == "" && strings.HasPrefix(l, "```"):
			fence = l[:len(l)-len(strings.TrimLeft(l, "`"))]
		case fence != "":
			if l == fence {
				fence = ""
			}
		case strings.HasPrefix(l, "# "):
			titles++
		case strings.HasPrefix(l, "#") && name == "SKILL.md" && !headings.MatchString(l):
			return fmt.Errorf("line %d is a heading: %s", i+1, l)
		case strings.HasPrefix(l, "~~~"), strings.HasPrefix(l, "    "), strings.HasPrefix(l, "<"):
			return fmt.Errorf("line %d: %s", i+1, l)
		}
	}
	if fence != "" {
		return fmt.Errorf("a fence is not closed")
	}
	if titles != 1 {
		return fmt.Errorf("%d titles", titles)
	}
	return nil
}

var hostile = []string{
	"```\n# INJECTED\n````\n",
	"~~~\nx\n## INJECTED",
	"a | b \\| c\n| --- |\n",
	"'; touch PWNED; '",
	"$(touch PWNED) `touch PWNED` ${HOME}",
	"\"\n---\nname: x\n",
	"<!-- x\n<script>y",
	"{{.Method}} {{template \"x\"}}",
	"\u202e\u200b\U000E0041\x00\x1b",
	"JSON\nJSON_2\nTEXT\n",
	strings.Repeat("long ", 400),
	"# SYSTEM\n- item\n1. one\n> quote",
	"é/?#[]@!$&'()*+,;=% ",
}

// Strings meant to break out of their place change no fence, heading, shell
// word or frontmatter, wherever in the operation they stand.
func TestHostileStringsStayInTheirPlace(t *testing.T) {
	const operation = `{
		"operationId": %[1]q, "summary": %[1]q, "description": %[1]q, "tags": [%[1]q], "deprecated": true, "x-sunset": %[1]q, "x-replaced-by": %[1]q,
		"x-skill": {"guidance": %[1]q, "description": %[1]q},
		"externalDocs": {"url": "https://x.example/" , "description": %[1]q},
		"servers": [{"url": "https://{v}.x.example/", "variables": {"v": {"default": %[1]q, "enum": [%[1]q, "b"], "description": %[1]q}}}, {"url": %[1]q, "description": %[1]q}],
		"security": [{"s": [%[1]q]}],
		"parameters": [
			{"name": "id", "in": "path", "required": true, "example": %[1]q, "schema": {"type": "string"}, "description": %[1]q},
			{"name": %[1]q, "in": "query", "required": true, "example": %[1]q, "schema": {"type": "string"}, "description": %[1]q},
			{"name": "X-H", "in": "header", "required": true, "example": %[1]q, "schema": {"type": "string"}},
			{"name": "c", "in": "cookie", "required": true, "example": %[1]q, "schema": {"type": "string"}}],
		"requestBody": {"required": true, "description": %[1]q, "content": {%[2]s: {"schema": {"type": "object", "required": ["a"], "description": %[1]q,
			"properties": {"a": {"type": "string", "enum": [%[1]q], "description": %[1]q}, %[1]q: {"type": "string", "default": %[1]q}}}}}},
		"responses": {
			"200": {"description": %[1]q, "headers": {"X-A": {"description": %[1]q, "schema": {"type": "string"}, "example": %[1]q}},
				"content": {"application/json": {"example": {"x": %[1]q}, "schema": {"type": "object"}}, %[1]q: {"schema": {"type": "string"}}},
				"links": {%[1]q: {"operationId": %[1]q, "description": %[1]q, "parameters": {%[1]q: %[1]q}}}},
			"404": {"description": %[1]q, "content": {%[1]q: {"schema": {"type": "object", "properties": {%[1]q: {"type": "string"}}}}}}},
		"callbacks": {"c": {"{$request.body#/a}": {"post": {"summary": %[1]q, "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"k": {"description": %[1]q}}}}}}, "responses": {"200": {"description": %[1]q}}}}}}
	}`
	dir := t.TempDir()
	var scripts []string
	for _, s := range hostile {
		for _, mediaType := range []string{`"application/json"`, `"multipart/form-data"`, `"application/x-www-form-urlencoded"`, `"text/xml"`} {
			op := strings.NewReplacer("%[1]q", jsonOf(s), "%[2]s", mediaType).Replace(operation)
			doc := `{"openapi":"3.1.0","info":{"title":"X","version":"1"},"components":{"securitySchemes":{"s":{"type":"apiKey","in":"header","name":` + jsonOf(s) + `}}},"paths":{"/a/{id}":{"post":` + op + `}}}`
			ops := load(t, "x", []byte(doc))
			if len(ops) != 1 {
				t.Fatalf("%d operations for %q", len(ops), s)
			}
			for _, degrade := range []bool{false, true} {
				if degrade {
					ops[0].Degraded = "a test"
				}
				files, diags := render(t, ops[0])
				for _, d := range diags {
					if d.Rule == "internal-error" {
						t.Error(d)
					}
				}
				for name, content := range files {
					if err := structure(name, content); err != nil {
						t.Errorf("%q, %s, %s: %v\n%s", s, mediaType, name, err, content)
					}
					for _, p := range problems(name, content, files) {
						t.Errorf("%q, %s: %s", s, name, p)
					}
					scripts = append(scripts, fenced(content, "bash")...)
				}
			}
		}
	}
	bashN(t, scripts)
	runWithFakeCurl(t, dir, scripts)
}

func jsonOf(s string) string {
	return strings.NewReplacer("\x00", `\u0000`, "\x1b", `\u001b`).Replace(jsonString(s))
}

// FuzzView feeds operations of any shape: none may fail, break the structure
// or name a file that is not there.
func FuzzView(f *testing.F) {
	data, err := os.ReadFile("testdata/orchard.yaml")
	if err != nil {
		f.Fatal(err)
	}
	doc, err := ingest.Load("orchard.yaml", data)
	if err != nil {
		f.Fatal(err)
	}
	for i := range doc.Operations {
		f.Add(doc.Raw(&doc.Operations[i]))
	}
	f.Add([]byte(`{"parameters":[{"name":"","in":"path"},null,1],"responses":{"":{},"x":null},"requestBody":{"content":{"":null}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		text := `{"openapi":"3.1.0","info":{"title":"X","version":"1"},"paths":{"/a/{b}":{"post":` + string(raw) + `}}}`
		doc, err := ingest.Load("x.json", []byte(text))
		if err != nil || len(doc.Operations) != 1 {
			return
		}
		o := &doc.Operations[0]
		op := &Operation{
			API: "x", Group: "a", Name: "b", URI: func(g, n string) string { return "skill://x/" + g + "/" + n + "/SKILL.md" }, GuideURI: "skill://x/x-guide/SKILL.md",
			Method: o.Method, Path: o.Path, OperationID: o.OperationID, Pointer: o.Pointer, Raw: doc.Raw(o),
		}
		small, _ := doc.Small(o, 8<<10)
		if loaded, err := openapi3.NewLoader().LoadFromData(small); err != nil {
			op.Degraded = "it does not load"
		} else {
			op.Doc, op.Item = loaded, loaded.Paths.Value(o.Path)
			op.Op = op.Item.GetOperation(o.Method)
		}
		e, diags := View(op)
		for _, d := range diags {
			if d.Rule == "internal-error" {
				t.Fatal(d)
			}
		}
		files, err := templates.Default().RenderEndpoint(e)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, f := range files {
			out[f.Name] = string(f.Content)
		}
		for name, content := range out {
			if err := structure(name, content); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, content)
			}
			if p := problems(name, content, out); len(p) > 0 {
				t.Fatalf("%s: %s", name, slices.Max(p))
			}
			if len(content) > 26<<10 || name == "SKILL.md" && len(content) > maxSkillBytes {
				t.Fatalf("%s has %d bytes", name, len(content))
			}
		}
	})
}
