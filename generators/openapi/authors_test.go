package openapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

// farm has tags, operations with and without words of the authors, a path
// with them, and a webhook.
const farm = `openapi: 3.1.0
info: {title: Farm, version: "1"}
servers: [{url: https://farm.example}]
tags:
  - {name: Field Work, description: Out there.}
  - {name: Barn, description: In there.}
paths:
  /crops:
    get: {operationId: listCrops, tags: [Field Work], summary: List crops, responses: {"204": {description: ok}}}
    post: {operationId: sowCrop, tags: [Field Work], summary: Sow a crop, responses: {"204": {description: ok}}}
  /hay:
    delete: {operationId: burnHay, tags: [Barn], summary: Burn the hay, responses: {"204": {description: ok}}}
webhooks:
  rain: {post: {operationId: onRain, tags: [Barn], summary: It rains, responses: {"204": {description: ok}}}}
`

// farmSaying returns the farm with texts put before others, each of which stands
// once in the document.
func farmSaying(t *testing.T, pairs ...string) *Generator {
	t.Helper()
	text := farm
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(text, pairs[i]) != 1 {
			t.Fatalf("%q stands %d times in the document", pairs[i], strings.Count(text, pairs[i]))
		}
		text = strings.Replace(text, pairs[i], pairs[i+1]+pairs[i], 1)
	}
	g, err := New("farm.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func pathsOf(t *testing.T, g *Generator) string {
	t.Helper()
	var list []string
	for p, err := range g.Paths(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return strings.Join(list, " ")
}

func filesOf(t *testing.T, g *Generator, path string) map[string]string {
	t.Helper()
	s, err := g.Skill(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return contents(t, s)
}

// found lists the diagnostics as "rule pointer".
func found(g *Generator) []string {
	var list []string
	for d := range g.Diagnostics(context.Background()) {
		list = append(list, d.Rule+" "+d.Pointer)
	}
	return list
}

const (
	crops = "operationId: listCrops"
	hay   = "operationId: burnHay"
	rain  = "operationId: onRain"
	field = "name: Field Work"
	barn  = "name: Barn"
)

func TestAuthorsMoveSkills(t *testing.T) {
	const plain = "barn/burn-hay farm-guide field-work/list-crops field-work/sow-crop webhooks/on-rain"
	for _, tt := range []struct {
		name  string
		pairs []string
		want  string
	}{
		{"nothing said", nil, plain},
		{"a name", []string{crops, "x-skill: {name: look}, "}, "barn/burn-hay farm-guide field-work/look field-work/sow-crop webhooks/on-rain"},
		{"a group", []string{crops, "x-skill: {group: eyes}, "}, "barn/burn-hay eyes/list-crops farm-guide field-work/sow-crop webhooks/on-rain"},
		{"a name that has another operation already: both take a hash", []string{crops, "x-skill: {name: sow-crop}, "}, "barn/burn-hay farm-guide field-work/sow-crop-c9494b field-work/sow-crop-e4fce2 webhooks/on-rain"},
		{"the guide's name stays the guide's", []string{crops, "x-skill: {name: farm-guide}, "}, "barn/burn-hay farm-guide field-work/farm-guide-c9494b field-work/sow-crop webhooks/on-rain"},
		{"a path's group, but for an operation's own", []string{"\n    get:", "\n    x-skill: {group: fields}", hay, "x-skill: {group: fields}, "}, "farm-guide fields/burn-hay fields/list-crops fields/sow-crop webhooks/on-rain"},
		{"a tag's name", []string{field, "x-skill: {name: fields}, "}, "barn/burn-hay farm-guide fields/list-crops fields/sow-crop webhooks/on-rain"},
		{"a tag's group", []string{field, "x-skill: {group: barn}, "}, "barn/burn-hay barn/list-crops barn/sow-crop farm-guide webhooks/on-rain"},
		{"an operation's group before its tag's", []string{field, "x-skill: {name: fields}, ", crops, "x-skill: {group: eyes}, "}, "barn/burn-hay eyes/list-crops farm-guide fields/sow-crop webhooks/on-rain"},
		{"a webhook's group, but no tag's", []string{barn, "x-skill: {name: hay}, ", rain, "x-skill: {group: news, name: rain}, "}, "farm-guide field-work/list-crops field-work/sow-crop hay/burn-hay news/rain"},
		{"an operation hidden", []string{crops, "x-skill: {hide: true}, "}, "barn/burn-hay farm-guide field-work/sow-crop webhooks/on-rain"},
		{"in short", []string{crops, "x-skill: false, "}, "barn/burn-hay farm-guide field-work/sow-crop webhooks/on-rain"},
		{"a path hidden", []string{"\n    get:", "\n    x-skill: {hide: true}"}, "barn/burn-hay farm-guide webhooks/on-rain"},
		{"a tag hidden, webhooks too", []string{barn, "x-skill: {hide: true}, "}, "farm-guide field-work/list-crops field-work/sow-crop"},
		{"but for what says otherwise", []string{barn, "x-skill: false, ", rain, "x-skill: {hide: false}, ", hay, "x-skill: true, "}, plain},
		{"the API", []string{"paths:", "x-skill: {name: acre}\n"}, "acre-guide barn/burn-hay field-work/list-crops field-work/sow-crop webhooks/on-rain"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := farmSaying(t, tt.pairs...)
			if got := pathsOf(t, g); got != tt.want {
				t.Errorf("\ngot  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTheUsersNameBeatsTheAuthors(t *testing.T) {
	g, err := New("farm.yaml", []byte(farm+"x-skill: {name: acre}\n"), &Options{Name: "mine"})
	if err != nil || g.API() != "mine" {
		t.Errorf("%v, %v", g, err)
	}
}

func TestHiddenOperationsAreExcludedEverywhere(t *testing.T) {
	g := farmSaying(t, crops, "x-skill: {hide: true}, ")
	if _, err := g.Skill(t.Context(), "field-work/list-crops"); !errors.Is(err, framework.ErrNotFound) {
		t.Errorf("it is served: %v", err)
	}
	if got := slices.Collect(g.Excluded()); !slices.Equal(got, []string{"/paths/~1crops/get"}) {
		t.Errorf("excluded: %v", got)
	}
	for name, text := range filesOf(t, g, "farm-guide") {
		if strings.Contains(text, "list-crops") || strings.Contains(text, "GET /crops") {
			t.Errorf("%s names it", name)
		}
	}
	if _, err := New("a.yaml", []byte(strings.ReplaceAll(farm, "operationId", "x-skill: false, operationId")), nil); err == nil || !strings.Contains(err.Error(), "x-skill hides all of its operations") {
		t.Errorf("a document that hides all: %v", err)
	}
}

func TestAuthorsWordsTakeTheirPlaces(t *testing.T) {
	g := farmSaying(t,
		crops, "x-skill: {description: 'Look at the *crops*.', guidance: \"Go **early**.\\n\\n# Boots <b>on</b>\"}, ",
		"\n    get:", "\n    x-skill: {guidance: Mind the fence.}",
		field, "x-skill: {description: All the fields., guidance: Wear boots.}, ",
		"paths:", "x-skill: {description: 'The way around the farm.', guidance: Shut the gate.}\n")
	if d := found(g); len(d) > 0 {
		t.Errorf("diagnostics: %v", d)
	}
	const heading = "## Guidance of the API's authors\n\n"
	list, sow := filesOf(t, g, "field-work/list-crops")["SKILL.md"], filesOf(t, g, "field-work/sow-crop")["SKILL.md"]
	guide := filesOf(t, g, "farm-guide")
	for _, tt := range []struct{ what, text, want string }{
		{"description, with the call before it", list, "\ndescription: \"GET /crops: Look at the crops.\"\n"},
		{"guidance, written anew and not quoted", list, heading + "Go **early**.\n\n**Boots on**\n"},
		{"guidance of the path, where the operation has none", sow, heading + "Mind the fence.\n"},
		{"description of the guide", guide["SKILL.md"], "\ndescription: \"The way around the farm.\"\n"},
		{"guidance of the guide", guide["SKILL.md"], heading + "Shut the gate.\n"},
		{"description of a group", guide["references/field-work.md"], "> All the fields.\n"},
		{"guidance of a group", guide["references/field-work.md"], heading + "Wear boots.\n"},
		{"index", guide["SKILL.md"], "| All the fields. |"},
	} {
		if !strings.Contains(tt.text, tt.want) {
			t.Errorf("%s: %q is not in\n%s", tt.what, tt.want, tt.text)
		}
	}
	if strings.Contains(guide["references/field-work.md"], "Out there") {
		t.Error("the document's words stand beside the authors'")
	}
}

func TestGuidanceOfSeveralTagsInOneGroupIsShownInTheirOrder(t *testing.T) {
	g := farmSaying(t, field, "x-skill: {group: all, guidance: Second.}, ", barn, "x-skill: {group: all, guidance: First.}, ")
	if text := filesOf(t, g, "farm-guide")["references/all.md"]; !strings.Contains(text, "First.\n\nSecond.\n") {
		t.Errorf("%s", text)
	}
}

func TestWhatAuthorsSayWrongIsReportedAndCountsAsNotSaid(t *testing.T) {
	long := strings.Repeat("long ", 300)
	for _, tt := range []struct{ name, before, said, want string }{
		{"unknown member", crops, "{guidence: x}", "x-skill-member /paths/~1crops/get/x-skill/guidence"},
		{"not an object", crops, "text", "x-skill-type /paths/~1crops/get/x-skill"},
		{"null", crops, "null", "x-skill-type /paths/~1crops/get/x-skill"},
		{"a list", crops, "[]", "x-skill-type /paths/~1crops/get/x-skill"},
		{"name that is no slug", crops, "{name: Look At}", "x-skill-name /paths/~1crops/get/x-skill/name"},
		{"name that is too long", crops, "{name: " + strings.Repeat("a", 65) + "}", "x-skill-name /paths/~1crops/get/x-skill/name"},
		{"name that leads elsewhere", crops, "{name: ../x}", "x-skill-name /paths/~1crops/get/x-skill/name"},
		{"name that is a number", crops, "{name: 7}", "x-skill-type /paths/~1crops/get/x-skill/name"},
		{"group that is empty", crops, "{group: ''}", "x-skill-name /paths/~1crops/get/x-skill/group"},
		{"description that is empty", crops, "{description: ' <br> '}", "x-skill-description /paths/~1crops/get/x-skill/description"},
		{"description that is too long", crops, "{description: '" + long + "'}", "x-skill-description /paths/~1crops/get/x-skill/description"},
		{"guidance that is empty", crops, "{guidance: ' '}", "x-skill-type /paths/~1crops/get/x-skill/guidance"},
		{"hide that is a text", crops, "{hide: 'yes'}", "x-skill-type /paths/~1crops/get/x-skill/hide"},
		{"name of a path", "\n    get:", "{name: x}", "x-skill-member /paths/~1crops/x-skill/name"},
		{"tag", barn, "{group: A}", "x-skill-name /tags/1/x-skill/group"},
		{"tag with two groups", barn, "{group: a, name: b}", "x-skill-member /tags/1/x-skill/group"},
		{"the document hidden", "paths:", "false", "x-skill-member /x-skill"},
		{"the document with a group", "paths:", "{group: a}", "x-skill-member /x-skill/group"},
		{"a name too long for an API", "paths:", "{name: " + strings.Repeat("a", 59) + "}", "x-skill-name /x-skill/name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, after := "x-skill: ", ", "
			switch tt.before {
			case "paths:":
				after = "\n"
			case "\n    get:":
				before, after = "\n    x-skill: ", ""
			}
			g := farmSaying(t, tt.before, before+tt.said+after)
			if got := found(g); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			want := "barn/burn-hay farm-guide field-work/list-crops field-work/sow-crop webhooks/on-rain"
			if tt.name == "tag with two groups" {
				want = strings.Replace(want, "barn/", "b/", 1)
			}
			if got := pathsOf(t, g); got != want {
				t.Errorf("skills: %s", got)
			}
			for path := range strings.SplitSeq(pathsOf(t, g), " ") {
				checkSkill(t, path, filesOf(t, g, path))
			}
		})
	}
}

func TestReportsOfAuthorsWordsAreLimitedInNumber(t *testing.T) {
	var b strings.Builder
	for i := range 3 * maxReports {
		fmt.Fprintf(&b, "x%d: 1, ", i)
	}
	if n := len(found(farmSaying(t, crops, "x-skill: {"+b.String()+"}, "))); n > maxReports {
		t.Errorf("%d diagnostics", n)
	}
}

func TestLongGuidanceHasAFileOfItsOwn(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "Rule %d: walk, do not run.\\n\\n", i)
	}
	g := farmSaying(t, crops, "x-skill: {guidance: \""+b.String()+"```\\ncode\"}, ")
	files := filesOf(t, g, "field-work/list-crops")
	checkSkill(t, "field-work/list-crops", files)
	if s := files["SKILL.md"]; len(s) > 6000 || !strings.Contains(s, "[the whole guidance](references/guidance.md)") || !strings.Contains(s, "Rule 1:") {
		t.Errorf("%d bytes:\n%s", len(s), s)
	}
	if s := files["references/guidance.md"]; !strings.Contains(s, "Rule 299:") || !strings.Contains(s, "Guidance of the API's authors: `GET /crops`") || strings.Contains(s, "> Rule") {
		t.Errorf("the file lacks it:\n%s", s)
	}
}

func TestAuthorsWordsObeyTheModeOfProse(t *testing.T) {
	text := strings.Replace(farm, crops, "x-skill: {description: Look., guidance: Go early.}, "+crops, 1)
	for mode, want := range map[ProseMode]string{
		ProseFull:   "\n\nGo early.\n",
		ProseQuoted: "\n\n> Go early.\n",
		ProseNone:   "",
	} {
		g, err := New("farm.yaml", []byte(text), &Options{Prose: mode})
		if err != nil {
			t.Fatal(err)
		}
		s := filesOf(t, g, "field-work/list-crops")["SKILL.md"]
		if want != "" && !strings.Contains(s, want) || want == "" && strings.Contains(s, "early") {
			t.Errorf("%s: %q is not in\n%s", mode, want, s)
		}
		if strings.Contains(s, "Look.") != (mode == ProseFull) {
			t.Errorf("%s: description\n%s", mode, s)
		}
	}
}

func TestXSkillIsReadInOtherFilesAndOlderDocuments(t *testing.T) {
	files := docFiles{"path.yaml": "x-skill: {group: elsewhere}\nget: {operationId: a, x-skill: {name: other}, responses: {}}\n"}
	g, err := New("a.yaml", []byte("openapi: 3.0.0\ninfo: {title: T, version: '1'}\npaths: {/a: {$ref: path.yaml}}\n"), &Options{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	if got := pathsOf(t, g); got != "elsewhere/other t-guide" {
		t.Errorf("got %s", got)
	}
	g, err = New("a.yaml", []byte("swagger: '2.0'\ninfo: {title: T, version: '1'}\nx-skill: {name: old}\npaths: {/a: {get: {x-skill: {name: other, guidance: Go.}, responses: {}}}}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := pathsOf(t, g); got != "a/other old-guide" {
		t.Errorf("got %s", got)
	}
	if s := filesOf(t, g, "a/other")["SKILL.md"]; !strings.Contains(s, "authors\n\nGo.\n") {
		t.Errorf("no guidance in\n%s", s)
	}
}

type docFiles map[string]string

func (f docFiles) Read(name string) ([]byte, error) {
	if s, ok := f[name]; ok {
		return []byte(s), nil
	}
	return nil, errors.New("does not exist")
}

// versions returns what stands for the bytes of each skill.
func versions(t *testing.T, g *Generator) map[string]string {
	t.Helper()
	m := map[string]string{}
	for p := range strings.SplitSeq(pathsOf(t, g), " ") {
		s, err := g.Skill(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		m[p] = s.Version
	}
	return m
}

// changed lists the skills whose bytes differ.
func changed(a, b map[string]string) []string {
	var list []string
	for p := range maps.Keys(a) {
		if a[p] != b[p] {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}
