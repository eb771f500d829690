package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/endpoint"
	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"
)

var update = flag.Bool("update", false, "write the golden trees anew")

const harbour = "testdata/harbour.yaml"

func source(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(harbour)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func generate(t testing.TB, file string, data []byte) *Generator {
	t.Helper()
	g, err := New(file, data, &Options{Name: "harbour"})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func paths(t testing.TB, g *Generator, after string) []string {
	t.Helper()
	var list []string
	for p, err := range g.Paths(context.Background(), after) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// tree renders everything: "path/file" -> content.
func tree(t testing.TB, g *Generator) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, p := range paths(t, g, "") {
		s, err := g.Skill(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range contents(t, s) {
			all[p+"/"+name] = text
		}
	}
	return all
}

func TestGoldenTree(t *testing.T) {
	g := generate(t, harbour, source(t))
	got := tree(t, g)
	golden := "testdata/harbour.txtar"
	if *update {
		a := &txtar.Archive{Comment: []byte("The skills of harbour.yaml. Made by: go test ./generators/openapi -run TestGoldenTree -update\n")}
		for _, name := range slices.Sorted(maps.Keys(got)) {
			a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(got[name])})
		}
		if err := os.WriteFile(golden, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	a, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range a.Files {
		want[f.Name] = string(f.Data)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if got[name] != want[name] {
			t.Errorf("%s differs; run with -update and look at the difference\n%s", name, firstDifference(got[name], want[name]))
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is gone", name)
		}
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		line := func(l []string) string {
			if i < len(l) {
				return l[i]
			}
			return "(end)"
		}
		if line(g) != line(w) {
			return fmt.Sprintf("line %d\n got %s\nwant %s", i+1, line(g), line(w))
		}
	}
	return ""
}

func TestEverySkillKeepsToTheRules(t *testing.T) {
	g := generate(t, harbour, source(t))
	for _, p := range paths(t, g, "") {
		s, err := g.Skill(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		checkSkill(t, p, contents(t, s))
	}
}

func TestEveryOperationIsOneSkill(t *testing.T) {
	g := generate(t, harbour, source(t))
	got := paths(t, g, "")
	if len(got) != 10 || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != 10 {
		t.Errorf("8 operations, a webhook and the guide: %q", got)
	}
	plain := slices.ContainsFunc(got, func(p string) bool { return strings.HasSuffix(p, "/marks") })
	if plain {
		t.Error("one of two twins took the plain name")
	}
}

// encode writes v as JSON with its keys in a random order and, in half the
// places, white space.
func encode(b *bytes.Buffer, v any, r *rand.Rand) {
	gap := func() {
		if r.Intn(2) == 0 {
			b.WriteString("\n  "[:r.Intn(4)])
		}
	}
	switch v := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		b.WriteByte('{')
		for i, k := range keys {
			if i > 0 {
				b.WriteByte(',')
			}
			gap()
			encode(b, k, r)
			gap()
			b.WriteByte(':')
			gap()
			encode(b, v[k], r)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			gap()
			encode(b, e, r)
		}
		b.WriteByte(']')
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		b.Write(raw)
	}
}

func decoded(t testing.TB) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := yaml.Unmarshal(source(t), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func shuffled(doc map[string]any, seed int64) []byte {
	var b bytes.Buffer
	encode(&b, doc, rand.New(rand.NewSource(seed)))
	return b.Bytes()
}

func sameTree(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s: %s differs\n%s", what, name, firstDifference(got[name], want[name]))
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
}

func TestBytesDependOnTheDocumentAlone(t *testing.T) {
	want := tree(t, generate(t, harbour, source(t)))
	sameTree(t, "another instance", tree(t, generate(t, harbour, source(t))), want)
	sameTree(t, "another file name", tree(t, generate(t, "/else/where.yml", source(t))), want)
	doc := decoded(t)
	for seed := range int64(5) {
		sameTree(t, fmt.Sprintf("JSON, shuffled by %d", seed), tree(t, generate(t, "x.json", shuffled(doc, seed))), want)
	}
	crlf := bytes.ReplaceAll(source(t), []byte("\n"), []byte("\r\n"))
	sameTree(t, "other line ends", tree(t, generate(t, harbour, crlf)), want)
}

func TestBytesDoNotDependOnTheOrderOfAccess(t *testing.T) {
	want := tree(t, generate(t, harbour, source(t)))
	g := generate(t, harbour, source(t))
	list := paths(t, g, "")
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewSource(int64(worker)))
			for _, i := range r.Perm(len(list)) {
				s, err := g.Skill(context.Background(), list[i])
				if err != nil {
					t.Error(err)
					return
				}
				for name, text := range contents(t, s) {
					if want[list[i]+"/"+name] != text {
						t.Errorf("%s/%s differs", list[i], name)
					}
				}
			}
		})
	}
	wg.Wait()
}

// at returns the map at a path of keys.
func at(doc map[string]any, keys ...string) map[string]any {
	for _, k := range keys {
		doc = doc[k].(map[string]any)
	}
	return doc
}

func TestAnEditChangesOnlyWhatReachesIt(t *testing.T) {
	before := tree(t, generate(t, "x.json", shuffled(decoded(t), 1)))
	for _, c := range []struct {
		name string
		edit func(doc map[string]any)
		want []string // the skills that change
	}{
		{"a summary", func(d map[string]any) { at(d, "paths", "/tide", "get")["summary"] = "Tides" }, []string{"harbour-guide", "tide/get-tide"}},
		{"the version", func(d map[string]any) { at(d, "info")["version"] = "4" }, []string{"harbour-guide"}},
		{"the title", func(d map[string]any) { at(d, "info")["title"] = "Port" }, []string{"harbour-guide"}},
		{"the description", func(d map[string]any) { at(d, "info")["description"] = "Short." }, []string{"harbour-guide"}},
		{"a tag's description", func(d map[string]any) { d["tags"].([]any)[0].(map[string]any)["description"] = "New" }, []string{"harbour-guide"}},
		{"a schema", func(d map[string]any) {
			at(d, "components", "schemas", "Tide", "properties")["at"] = map[string]any{"type": "string"}
		}, []string{"tide/get-tide"}},
		{"a component nobody reaches", func(d map[string]any) {
			at(d, "components", "schemas")["New"] = map[string]any{"type": "string"}
		}, nil},
		{"a new operation", func(d map[string]any) {
			at(d, "paths")["/buoys"] = map[string]any{"get": map[string]any{"tags": []any{"Berths"}, "operationId": "listBuoys", "responses": map[string]any{"200": map[string]any{"description": "ok"}}}}
		}, []string{"berths/list-buoys", "harbour-guide"}},
		{"an operation less", func(d map[string]any) { delete(at(d, "paths"), "/moorings") }, []string{"berths/moor", "harbour-guide"}},
		{"a scheme that one needs", func(d map[string]any) {
			at(d, "components", "securitySchemes", "visitor", "flows", "clientCredentials")["tokenUrl"] = "https://other.example/token"
		}, []string{"berths/get-berth", "berths/list-berths", "berths/moor", "grosse/put-vessels-id-measures", "harbour-guide", "notation/marks-*"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := decoded(t)
			c.edit(doc)
			after := tree(t, generate(t, "x.json", shuffled(doc, 2)))
			changed := map[string]bool{}
			skill := func(name string) string {
				name, _, _ = strings.Cut(name, "/references/")
				return strings.TrimSuffix(name, "/SKILL.md")
			}
			for name, text := range before {
				if after[name] != text {
					changed[skill(name)] = true
				}
			}
			for name := range after {
				if _, ok := before[name]; !ok {
					changed[skill(name)] = true
				}
			}
			for p := range changed {
				if !slices.ContainsFunc(c.want, func(w string) bool {
					ok, _ := filepath.Match(w, p)
					return ok || strings.HasSuffix(w, "*") && strings.HasPrefix(p, strings.TrimSuffix(w, "*"))
				}) {
					t.Errorf("%s changed", p)
				}
			}
			for _, w := range c.want {
				if !strings.Contains(w, "*") && !changed[w] {
					t.Errorf("%s did not change", w)
				}
			}
		})
	}
}

func TestVersionStandsForTheBytes(t *testing.T) {
	a, b := generate(t, harbour, source(t)), generate(t, "x.json", shuffled(decoded(t), 3))
	doc := decoded(t)
	at(doc, "paths", "/tide", "get")["summary"] = "Tides"
	c := generate(t, "x.json", shuffled(doc, 3))
	seen := map[string]string{}
	for _, p := range paths(t, a, "") {
		version := func(g *Generator) string {
			s, err := g.Skill(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			return s.Version
		}
		va, vb, vc := version(a), version(b), version(c)
		if va == "" || va != vb {
			t.Errorf("%s: versions %q and %q of the same bytes", p, va, vb)
		}
		if other, ok := seen[va]; ok {
			t.Errorf("%s and %s have one version", p, other)
		}
		seen[va] = p
		if edited := p == "tide/get-tide" || p == "harbour-guide"; (va != vc) != edited {
			t.Errorf("%s: after the edit the version is %q, was %q", p, vc, va)
		}
	}
}

func TestPathsStartAnywhere(t *testing.T) {
	g := generate(t, harbour, source(t))
	all := paths(t, g, "")
	for i, p := range all {
		if got := paths(t, g, p); !slices.Equal(got, all[i+1:]) {
			t.Errorf("after %q: %q", p, got)
		}
		if got := paths(t, g, p+"-"); !slices.Equal(got, all[i+1:]) {
			t.Errorf("after %q: %q", p+"-", got)
		}
	}
	if got := paths(t, g, "zzz"); len(got) != 0 {
		t.Errorf("after the last: %q", got)
	}
}

func TestUnknownPathIsNotFound(t *testing.T) {
	g := generate(t, harbour, source(t))
	for _, p := range []string{"", "berths", "berths/", "berths/x", "harbour-guide/x", "Berths/get-berth", "../x", strings.Repeat("a/", 5000)} {
		if s, err := g.Skill(context.Background(), p); !errors.Is(err, framework.ErrNotFound) {
			t.Errorf("Skill(%.40q) = %v, %v", p, s, err)
		}
	}
}

func TestCancelledRequestIsNotAFault(t *testing.T) {
	g := generate(t, harbour, source(t))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := g.Skill(ctx, "berths/get-berth"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := g.Watch(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Watch: %v", err)
	}
}

func TestWhatKinCannotLoadIsDegradedNotLost(t *testing.T) {
	g := generate(t, harbour, source(t))
	for i := range g.doc.Operations {
		op := &g.doc.Operations[i]
		view := &endpoint.Operation{
			API: g.api, Group: "x", Name: "y", URI: func(group, name string) string { return group + name }, GuideURI: "skill://x",
			Method: op.Method, Path: op.Path, Webhook: op.Webhook, OperationID: op.OperationID, Pointer: op.Pointer, Raw: g.doc.Raw(op), Target: g.target,
		}
		small := []byte(`{"openapi": "3.1.0", "paths": [], "servers": [7, {"url": "https://still.example"}]}`)
		err := load(context.Background(), small, view)
		if err == nil {
			t.Fatal("the broken document was loaded")
		}
		d := g.degrade(view, small, "kin-openapi cannot load it", err)
		if d.Severity != framework.Error || d.Pointer != op.Pointer || d.Rule != "degraded-operation" {
			t.Errorf("diagnostic %v", d)
		}
		files, _, err := g.render(view)
		if err != nil {
			t.Fatal(err)
		}
		s := contents(t, &framework.Skill{Files: content(files)})
		checkSkill(t, "x/y", s)
		if !strings.Contains(s["SKILL.md"], "kin-openapi cannot load it") || !strings.Contains(s["SKILL.md"], op.Method) {
			t.Errorf("the skill does not say what it lacks:\n%s", s["SKILL.md"])
		}
		if strings.Contains(s["SKILL.md"], "_ORIGIN") {
			t.Errorf("the skill does not know the server:\n%s", s["SKILL.md"])
		}
	}
}

func TestReferencesToElsewhereAreNotFollowed(t *testing.T) {
	view := &endpoint.Operation{Method: "GET", Path: "/x"}
	for _, ref := range []string{"https://localhost:1/x.json", "file:///etc/passwd", "../openapi_test.go", "//x/y"} {
		doc := fmt.Sprintf(`{"openapi":"3.0.3","info":{"title":"","version":""},"paths":{"/x":{"get":{"responses":{"200":{"$ref":%q}}}}}}`, ref)
		if err := load(context.Background(), []byte(doc), view); err == nil {
			t.Errorf("%s was followed", ref)
		}
	}
}

func TestUnusableInput(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.yaml")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, want string }{
		{"no file", filepath.Join(dir, "none.yaml"), "no such file"},
		{"a directory", dir, "is a directory"},
		{"an empty file", empty, "empty"},
	} {
		_, err := Load(context.Background(), c.path, nil)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.path+":") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, name := range []string{"A", "a_b", "a--b", "ä", strings.Repeat("a", 59), "a/b"} {
		if _, err := New(harbour, source(t), &Options{Name: name}); err == nil {
			t.Errorf("the name %q passed", name)
		}
	}
}

func TestNameOfTheAPI(t *testing.T) {
	for title, want := range map[string]string{
		"Harbour":                   "harbour",
		"The Harbour: API (v3)":     "the-harbour-api-v3",
		"港":                         "doc",
		strings.Repeat("Long ", 40): "long-long-long-long-long-long-long-long-long-long-long",
	} {
		doc := fmt.Sprintf(`{"openapi":"3.0.3","info":{"title":%q,"version":"1"},"paths":{"/x":{"get":{"responses":{"200":{"description":"ok"}}}}}}`, title)
		g, err := New("some/doc.json", []byte(doc), nil)
		if err != nil {
			t.Fatal(err)
		}
		if g.API() != want {
			t.Errorf("%q: %q, want %q", title, g.API(), want)
		}
		s, err := g.Skill(context.Background(), g.guideName())
		if err != nil {
			t.Fatal(err)
		}
		checkSkill(t, g.guideName(), contents(t, s))
	}
}

func TestFeaturedIsTheGuide(t *testing.T) {
	g := generate(t, harbour, source(t))
	got, err := g.Featured(context.Background())
	if err != nil || !slices.Equal(got, []string{"harbour-guide"}) {
		t.Errorf("Featured = %q, %v", got, err)
	}
}

var _ interface {
	framework.Generator
	framework.Lister
	framework.Featurer
	framework.Watcher
	framework.Diagnoser
} = (*Generator)(nil)
