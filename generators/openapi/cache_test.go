package openapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

// served is all that a generator says: its skills, and its diagnostics.
func served(t testing.TB, g *Generator) string {
	t.Helper()
	var b strings.Builder
	all := tree(t, g)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "== %s\n%s\n", name, all[name])
	}
	for d := range g.Diagnostics(context.Background()) {
		fmt.Fprintln(&b, d)
	}
	return b.String()
}

// A cacheTest is a document that is loaded again and again with one cache.
type cacheTest struct {
	path string
	opts Options
}

func newCacheTest(t testing.TB, path string, opts Options) *cacheTest {
	opts.CacheDir, opts.CacheVersion = filepath.Join(t.TempDir(), "cache"), "test"
	return &cacheTest{path, opts}
}

// entries returns the files of the cache with what they have.
func (c *cacheTest) entries(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(c.opts.CacheDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[f] = string(data)
	}
	return all
}

// load loads the document, compares it with what it is without a cache, and reports
// whether it came from the cache: else the entry was written anew, under a new key.
func (c *cacheTest) load(t testing.TB) (hit bool) {
	t.Helper()
	before := c.entries(t)
	read := func(to map[string]string) func(string, []byte) {
		return func(name string, data []byte) {
			if old, ok := to[name]; ok {
				t.Errorf("%q is read twice, with %d and %d bytes", name, len(old), len(data))
			}
			to[name] = string(data)
		}
	}
	cached, fresh := c.opts, c.opts
	got, want := map[string]string{}, map[string]string{}
	cached.OnRead, fresh.OnRead = read(got), read(want)
	fresh.CacheDir = ""
	g, err := Load(t.Context(), c.path, &cached)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Load(t.Context(), c.path, &fresh)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := served(t, g), served(t, plain); got != want {
		t.Errorf("other skills than without a cache: %s", firstDifference(got, want))
	}
	if !maps.Equal(got, want) {
		t.Errorf("OnRead was given other files: %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	return maps.Equal(before, c.entries(t))
}

func (c *cacheTest) expect(t testing.TB, hit bool, why string) {
	t.Helper()
	if got := c.load(t); got != hit {
		t.Errorf("%s: from the cache: %t", why, got)
	}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// editInPlace replaces a text in a file by one of the same length, and leaves its time as it
// was.
func editInPlace(t testing.TB, file, old, now string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(old) != len(now) || !bytes.Contains(data, []byte(old)) {
		t.Fatalf("cannot replace %q by %q", old, now)
	}
	write(t, file, strings.Replace(string(data), old, now, 1))
	if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

func TestADocumentFromTheCacheGivesTheSameSkills(t *testing.T) {
	yaml := string(source(t))
	json, _, err := ApplyOverlays(harbour, source(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"harbour.yaml": yaml, "harbour.json": string(json), "farm.yaml": farm,
		"old.yaml": "swagger: 2.0\ninfo: {title: T, version: 1}\nhost: h.example\nschemes: [https]\npaths: {/a: {post: {parameters: [{name: b, in: body, schema: {$ref: '#/definitions/D'}}], responses: {200: {description: ok}}}}}\ndefinitions: {D: {type: object, properties: {x: {type: string}}}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := folderOf(t, map[string]string{name: text})
			c := newCacheTest(t, filepath.Join(dir, name), Options{})
			c.expect(t, false, "the first time")
			c.expect(t, true, "the second time")
			for _, data := range c.entries(t) {
				if has := len(data) > len(text)/2; has != (filepath.Ext(name) == ".yaml") {
					t.Errorf("an entry of %d bytes for a document of %d", len(data), len(text))
				}
			}
			c.opts.Name, c.opts.Prose = "another", ProseNone
			c.opts.Include = []Rule{{Operation: "/**"}}
			c.expect(t, true, "with options that come after it was read")
			write(t, c.path, text+" ")
			c.expect(t, false, "after an edit")
			c.opts.CacheVersion = "another"
			c.expect(t, false, "in another program")
			c.opts.CacheVersion = "test"
			c.expect(t, true, "in the first program again")
		})
	}
}

func TestAnEditThatLeavesSizeAndTimeAsTheyWereIsNoticed(t *testing.T) {
	dir := folderOf(t, map[string]string{"farm.yaml": farm})
	c := newCacheTest(t, filepath.Join(dir, "farm.yaml"), Options{})
	c.expect(t, false, "the first time")
	editInPlace(t, c.path, "/crops", "/corps")
	c.expect(t, false, "after an edit")
	c.expect(t, true, "after that")
}

func TestAFileThatIsReferredToCountsAsTheDocumentDoes(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"api/openapi.json": referring("../models/a.yaml"),
		"models/a.yaml":    "{type: object, properties: {b: {$ref: b.json}, none: {$ref: none.yaml}}}",
		"models/b.json":    `{"type":"object","properties":{"deep":{"type":"string"}}}`,
	})
	c := newCacheTest(t, filepath.Join(dir, "api", "openapi.json"), Options{RefRoot: dir})
	c.expect(t, false, "the first time")
	c.expect(t, true, "the second time")
	editInPlace(t, filepath.Join(dir, "models", "b.json"), "deep", "dark")
	c.expect(t, false, "after an edit of a file behind another")
	c.expect(t, true, "after that")
	write(t, filepath.Join(dir, "models", "none.yaml"), "{type: string}")
	c.expect(t, false, "after a missing file came")
	c.expect(t, true, "after that")
	write(t, filepath.Join(dir, "models", "a.yaml"), "{type: object, properties: {c: {$ref: c.json}}}")
	c.expect(t, false, "after an edit that leads elsewhere")
	c.expect(t, true, "after that")
	if err := os.Remove(filepath.Join(dir, "models", "a.yaml")); err != nil {
		t.Fatal(err)
	}
	c.expect(t, false, "after a file went")
	c.opts.RefRoot = ""
	c.expect(t, false, "with another root for references")
}

func TestOverlaysCountAsTheDocumentDoes(t *testing.T) {
	dir := folderOf(t, map[string]string{"farm.yaml": farm})
	c := newCacheTest(t, filepath.Join(dir, "farm.yaml"), Options{})
	a, b := saying("$.paths['/crops'].get", "one"), saying("$.paths['/none'].get", "two")
	for _, step := range []struct {
		overlays []Overlay
		hit      bool
		why      string
	}{
		{nil, false, "the first time"},
		{[]Overlay{a}, false, "with an overlay"},
		{[]Overlay{a}, true, "with it again"},
		{[]Overlay{saying("$.paths['/crops'].get", "two")}, false, "with another text in it"},
		{[]Overlay{a, b}, false, "with a second one"},
		{[]Overlay{a, b}, true, "with both again"},
		{[]Overlay{b, a}, false, "in another order"},
		{[]Overlay{{Name: "renamed.yaml", Data: b.Data}, a}, false, "under another name"},
		{nil, false, "without one"},
	} {
		c.opts.Overlays = step.overlays
		c.expect(t, step.hit, step.why)
	}
}

func TestADamagedEntryIsWrittenAnew(t *testing.T) {
	dir := folderOf(t, map[string]string{"farm.yaml": farm})
	c := newCacheTest(t, filepath.Join(dir, "farm.yaml"), Options{})
	c.expect(t, false, "the first time")
	var file, whole string
	for file, whole = range c.entries(t) {
	}
	for i := 0; i < len(whole); i += 1 + len(whole)/40 {
		damaged := []byte(whole)
		damaged[i] ^= 0x40
		for what, data := range map[string]string{"byte": string(damaged), "cut at": whole[:i]} {
			write(t, file, data)
			c.expect(t, false, fmt.Sprint(what, " ", i))
			c.expect(t, true, fmt.Sprint("after ", what, " ", i))
		}
	}
}

func TestACacheThatCannotBeUsedChangesNothing(t *testing.T) {
	dir := folderOf(t, map[string]string{"farm.yaml": farm, "file": ""})
	c := newCacheTest(t, filepath.Join(dir, "farm.yaml"), Options{})
	c.opts.CacheDir = filepath.Join(dir, "file")
	c.load(t)
	c.load(t)
	c.opts.CacheDir = filepath.Join(dir, "unused")
	c.opts.CacheVersion = "" // and Go knows no version of a test
	c.load(t)
	if _, err := os.Stat(c.opts.CacheDir); err == nil {
		t.Error("something is kept by a program of which nobody knows the version")
	}
}

func TestFilesThatAreReadForTheCacheAreNotReadTwice(t *testing.T) {
	files := &countingFiles{text: "{type: string}"}
	o := &Options{Files: files, CacheDir: filepath.Join(t.TempDir(), "cache"), CacheVersion: "test"}
	for i, want := range []string{"{type: string}", "{type: string}", "{type: integer}", "", "", "{type: string}"} {
		files.text, files.read = want, 0
		if _, err := New("a.json", []byte(referring("b.yaml")), o); err != nil {
			t.Fatal(err)
		}
		if files.read != 1 {
			t.Errorf("load %d: read %d times", i, files.read)
		}
	}
	o.Files = nil
	g, err := New("a.json", []byte(referring("b.yaml")), o)
	if err != nil || len(found(g)) != 1 {
		t.Errorf("without files: %v, %v", found(g), err)
	}
}

type countingFiles struct {
	text string
	read int
}

func (f *countingFiles) Read(string) ([]byte, error) {
	if f.read++; f.text == "" {
		return nil, errors.New("does not exist")
	}
	return []byte(f.text), nil
}

func TestSeveralProgramsMayUseOneCacheAtOnce(t *testing.T) {
	dir := folderOf(t, map[string]string{"farm.yaml": farm})
	c := newCacheTest(t, filepath.Join(dir, "farm.yaml"), Options{})
	texts := []string{farm, farm + "# more\n"}
	var want []string
	for _, text := range texts {
		g, err := New(c.path, []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, served(t, g))
	}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for range 20 {
				o := c.opts
				g, err := New(c.path, []byte(texts[i%2]), &o)
				if err != nil {
					t.Error(err)
					return
				}
				if served(t, g) != want[i%2] {
					t.Error("skills of another document")
				}
			}
		})
	}
	wait.Wait()
}

func TestCorpusFromTheCacheIsTheSame(t *testing.T) {
	for _, name := range []string{"github-api.json", "museum.yaml", "digitalocean/DigitalOcean-public.v2.yaml", "slack-swagger2.json"} {
		path := corpus(t, name)
		o := &Options{CacheDir: filepath.Join(t.TempDir(), "cache"), CacheVersion: "test"}
		var all []string
		for range 3 {
			g, err := Load(t.Context(), path, o)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for i, p := range paths(t, g, "") {
				if i%20 == 0 || p == g.guideName() {
					s, err := g.Skill(t.Context(), p)
					if err != nil {
						t.Fatal(err)
					}
					fmt.Fprintln(&b, p, contents(t, s), s.Version)
				}
			}
			for d := range g.Diagnostics(t.Context()) {
				if d.Severity == framework.Error {
					fmt.Fprintln(&b, d)
				}
			}
			all = append(all, b.String())
			o.OnRead = nil
		}
		if all[0] != all[1] || all[0] != all[2] {
			t.Errorf("%s: the skills differ", name)
		}
	}
}

func TestOnlyABuildThatIsKnownExactlyHasAVersion(t *testing.T) {
	other := debug.Module{Path: "example.com/other", Version: "(devel)"}
	ours := debug.Module{Path: module, Version: "(devel)"}
	released := debug.Module{Path: module, Version: "v1.0.0", Sum: "h1:x"}
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "abc"}
	clean := debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	dirty := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	folder := released
	folder.Replace = &debug.Module{Path: "../apiskills"}
	for name, tt := range map[string]struct {
		info  debug.BuildInfo
		known bool
	}{
		"release":                    {debug.BuildInfo{Main: released}, true},
		"commit":                     {debug.BuildInfo{Main: ours, Settings: []debug.BuildSetting{commit, clean}}, true},
		"uncommitted":                {debug.BuildInfo{Main: ours, Settings: []debug.BuildSetting{commit, dirty}}, false},
		"no version control":         {debug.BuildInfo{Main: ours}, false},
		"other program":              {debug.BuildInfo{Main: other, Deps: []*debug.Module{&released}, Settings: []debug.BuildSetting{commit, dirty}}, true},
		"other program, our folder":  {debug.BuildInfo{Main: other, Deps: []*debug.Module{&folder}}, false},
		"other program, no our code": {debug.BuildInfo{Main: other}, false},
	} {
		if got := buildOf(&tt.info) != ""; got != tt.known {
			t.Errorf("%s: known: %t", name, got)
		}
	}
	a := debug.BuildInfo{Main: released}
	b := a
	b.Deps = []*debug.Module{{Path: "gopkg.in/yaml.v3", Version: "v3.0.1", Sum: "h1:y"}}
	if buildOf(&a) == buildOf(&b) {
		t.Error("other dependencies make no other version")
	}
}
