package templates

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/apiskills/apiskills/framework"
)

// define is a definition for records in a file.
func define(file string) string {
	return "files: " + file + "\npath: '{{slug .name}}'\ndescription: About {{.name}}.\n"
}

func TestAllFormatsMakeTheSameSkill(t *testing.T) {
	const template = "{{.name}}: {{code .note}}\n{{range .tags}}\n- {{.}}\n{{- end}}\n"
	want := "---\nname: a\ndescription: \"About a.\"\n---\n\na: `x, \"y\" z`\n\n- one\n- two\n"
	for name, files := range map[string]map[string]string{
		"json":       {"skills.yaml": define("r.json"), "r.json": `[{"name":"a","note":"x, \"y\"\nz","tags":["one","two"]}]`},
		"one object": {"skills.yaml": define("r.json"), "r.json": "\ufeff\n" + `{"name":"a","note":"x, \"y\"\nz","tags":["one","two"]}`},
		"ndjson":     {"skills.yaml": define("r.jsonl"), "r.jsonl": "\ufeff\n" + `{"name":"a","note":"x, \"y\"\nz","tags":["one","two"]}`},
		"yaml":       {"skills.yaml": define("r.yml"), "r.yml": "# alerts\n---\nname: a\nnote: |-\n  x, \"y\"\n  z\ntags: [one, two]\n"},
		"yaml list":  {"skills.yaml": define("r.yaml"), "r.yaml": "- name: a\n  note: \"x, \\\"y\\\"\\nz\"\n  tags: [one, two]\n"},
		"inline":     {"skills.yaml": "records:\n- name: a\n  note: 'x, \"y\" z'\n  tags: [one, two]\npath: '{{.name}}'\ndescription: About {{.name}}.\n"},
		"csv": {
			"skills.yaml": define("r.csv"), "r.csv": "\ufeffname,note,tags\r\na,\"x, \"\"y\"\"\r\nz\",one;two\r\n",
			"SKILL.md.tmpl": strings.Replace(template, "range .tags", `range split ";" .tags`, 1),
		},
	} {
		if files["SKILL.md.tmpl"] == "" {
			files["SKILL.md.tmpl"] = template
		}
		g := load(t, files)
		if got := file(t, g, "a", "SKILL.md"); got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, want)
		}
		if paths(t, g) != "a" || diagnostics(t, g) != "" {
			t.Errorf("%s: %s\n%s", name, paths(t, g), diagnostics(t, g))
		}
	}
}

func TestAFaultCostsOneRecordAndNamesItsLine(t *testing.T) {
	long := strings.Repeat("x", maxRecord)
	for _, tt := range []struct{ name, file, text, paths, want string }{
		{"ndjson, no JSON", "r.ndjson", "{\"name\":\"a\"}\n{\"name\":\n{\"name\":\"c\"}\n", "a c", "r.ndjson:2: error: the JSON ends too early; this record has no skill (unusable-record)"},
		{"ndjson, too much", "r.ndjson", "{\"name\":\"a\"} {}\n{\"name\":\"c\"}", "c", ":1: error: something follows the record"},
		{"ndjson, no object", "r.ndjson", "[1]\n\n{\"name\":\"c\"}", "c", ":1: error: a record is an object"},
		{"ndjson, too large", "r.ndjson", "{\"name\":\"a\"}\n{\"name\":\"" + long + "\"}\n{\"name\":\"c\"}", "a c", ":2: error: the record is larger than 1024 KiB"},
		{"ndjson, far too large", "r.ndjson", "{\"name\":\"a\"}\n{\"name\":\"" + long + long + long + long + "\"}\n{\"name\":\"c\"}", "a c", ":2: error: the record is larger than 1024 KiB"},
		{"ndjson, a name twice", "r.ndjson", "{\"name\":\"a\",\"name\":\"b\"}\n{\"name\":\"c\"}", "c", `:1: error: the name "name" stands twice`},
		{"ndjson, deep", "r.ndjson", strings.Repeat("[", 5000) + "\n{\"name\":\"c\"}", "c", ":1: error: more than 64 levels"},
		{"json, no object", "r.json", "[{\"name\":\"a\"},\n5,\"]\",null,\n{\"name\":\"c\"}]", "a c", ":2: error: a record is an object"},
		{"json, a bad value", "r.json", "[{\"name\":\"a\"},\n{\"name\":nope},\n{\"name\":\"c\"}]", "a c", ":2: error: invalid character"},
		{"json, too large", "r.json", "[{\"name\":\"a\"},\n{\"name\":\"" + long + long + "\"},\n{\"name\":\"c\"}\n]", "a c", ":2: error: the record is larger"},
		{"json, two commas", "r.json", "[{\"name\":\"a\"},,\n{\"name\":\"c\"}]", "a c", ":1: error: there is nothing between two commas"},
		{"json, no comma", "r.json", "[{\"name\":\"a\"}\n{\"name\":\"c\"}]", "a", ":2: error: a comma is missing"},
		{"json, a bracket", "r.json", "[{\"name\":\"a\"},\n}]", "a", ":2: error: there is a bracket too many"},
		{"json, cut short", "r.json", "[{\"name\":\"a\"},\n{\"name\":\"c", "a", ":2: error: the record is not closed"},
		{"json, not closed", "r.json", "[{\"name\":\"a\"},\n", "a", ":2: error: the array is not closed"},
		{"json, then something", "r.json", "[{\"name\":\"a\"}]\n{\"name\":\"c\"}", "a", ":2: error: something follows the array"},
		{"csv, cells missing", "r.csv", "name,x\na,1\nb\nc,\n", "a c", ":3: error: the row has 1 cells, and the header has 2"},
		{"csv, too many cells", "r.csv", "name,x\na,1\n\nb,1,2\nc,3", "a c", ":4: error: the row has 3 cells"},
		{"csv, bare quotation mark", "r.csv", "name,x\na,\"1\n2\"\nb,y \" y\nc,3", "a c", ":4: error: no row of CSV"},
		{"csv, a quotation mark not closed", "r.csv", "name,x\na,1\nb,\"y\nc,3\nd,\"4\"\n", "a c d", ":3: error: no row of CSV"},
		{"csv, not closed at the end", "r.csv", "name,x\na,1\nb,\"y\nc,3\n", "a c", ":3: error: no row of CSV: a quotation mark is not closed"},
		{"csv, too large", "r.csv", "name,x\na,1\nb," + long + long + "\nc,3", "a c", ":3: error: the record is larger"},
		{"yaml, no mapping", "r.yaml", "- name: a\n- 5\n- name: c\n", "a c", ":2: error: a record is a mapping"},
		{"yaml, a tag", "r.yaml", "- name: a\n- name: !!binary aGk=\n- name: c\n", "a c", `:2: error: the tag "!!binary" is not allowed`},
		{"yaml, a merge", "r.yaml", "- &x {name: a}\n- <<: *x\n- name: c\n", "a c", ":2: error: merge keys"},
		{"yaml, itself", "r.yaml", "- name: a\n- &x {name: b, y: *x}\n- name: c\n", "a c", "contains itself"},
		{"yaml, later syntax", "r.yaml", "name: a\n---\nname: [b\n", "a", "no YAML"},
		{"no field", "r.ndjson", "{\"name\":\"a\"}\n{\"nam\":\"b\"}\n{\"name\":\"c\"}\n", "a c", `:2: error: skills.yaml:2: path: executing "=path" at <.name>: map has no entry for key "name"`},
		{"null", "r.ndjson", "{\"name\":\"a\"}\n{\"name\":null}\n{\"name\":\"c\"}\n", "a c", "the value is null: test it with {{with}}"},
		{"no letters", "r.ndjson", "{\"name\":\"a\"}\n{\"name\":\"!!\"}\n{\"name\":\"c\"}\n", "a c", `"!!" has no letters or digits`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := load(t, map[string]string{"skills.yaml": define(tt.file), tt.file: tt.text})
			if got := paths(t, g); got != tt.paths {
				t.Errorf("paths %q, want %q", got, tt.paths)
			}
			if got := diagnostics(t, g); !strings.Contains(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// An address must not change its meaning with the order of the records, or when
// one of them goes.
func TestRecordsOfOnePathHaveNoSkillAnyOfThem(t *testing.T) {
	g := load(t, map[string]string{"r.ndjson": `{"name": "A b"}` + "\n" + `{"name": "c"}` + "\n" + `{"name": "a B"}`})
	if got := paths(t, g); got != "c" {
		t.Errorf("paths: %s", got)
	}
	got := diagnostics(t, g)
	for _, want := range []string{
		":1: error: its path a-b is also that of the record at r.ndjson:3",
		":3: error: its path a-b is also that of the record at r.ndjson:1",
		"(duplicate-path)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if _, err := g.Skill(t.Context(), "a-b"); !errors.Is(err, framework.ErrNotFound) {
		t.Error(err)
	}
}

func TestAHeaderThatIsNoneCostsTheFile(t *testing.T) {
	for header, want := range map[string]string{
		"name,x\ra,b":  "the name of column 2 has a carriage return",
		"name,name":    `columns 1 and 2 are both named "name"`,
		"name,,x":      "column 2 has no name",
		"\"name,x\na,": "r.csv:1: error: the header cannot be used",
	} {
		_, err := LoadFS(t.Context(), folderOf(map[string]string{"skills.yaml": define("r.csv"), "r.csv": header + "\na,b,c\n"}), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", header, err)
		}
	}
	// The others are served.
	g := load(t, map[string]string{"skills.yaml": define("[a.csv, b.csv]"), "a.csv": "name,name\na,b\n", "b.csv": "name\nb\n"})
	if got := paths(t, g); got != "b" {
		t.Errorf("paths: %s", got)
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	const template = "{{range .n}}\n- {{.}}\n{{- end}}\n"
	const numbers = "9007199254740993, 123456789012345678901234567890, 1.50, 0.1, 1e3, -0, 100000000000000000000.25"
	want := "- " + strings.ReplaceAll(numbers, ", ", "\n- ") + "\n"
	for name, text := range map[string]string{"r.json": `[{"name":"a","n":[` + numbers + `]}]`, "r.ndjson": `{"name":"a","n":[` + numbers + `]}`} {
		g := load(t, map[string]string{"skills.yaml": define(name), name: text, "SKILL.md.tmpl": template})
		if got := file(t, g, "a", "SKILL.md"); !strings.HasSuffix(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// YAML's dates and words are texts, as they are in the frontmatter of a skill.
func TestYAMLIsTypedByTheCoreSchema(t *testing.T) {
	raw := "name: a\nn:\n- 2026-01-01\n- 012\n- yes\n- 0x1F\n- 1_000\n- 1.50\n- .5\n- +5\n- 'true'\n- 12345678901234567890\n"
	g := load(t, map[string]string{"skills.yaml": define("r.yaml"), "r.yaml": raw, "SKILL.md.tmpl": "{{fence \"json\" (json .n)}}"})
	got := strings.Join(strings.Fields(file(t, g, "a", "SKILL.md")), " ")
	want := `["2026-01-01", 12, "yes", 31, "1_000", 1.50, 0.5, 5, "true", 12345678901234567890]`
	if !strings.Contains(strings.NewReplacer("[ ", "[", " ]", "]").Replace(got), want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestYAMLAliasesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: a\nl0: &l0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		fmt.Fprintf(&b, "l%d: &l%d [*l%d, *l%d, *l%d, *l%d, *l%d, *l%d, *l%d, *l%d]\n", i+1, i+1, i, i, i, i, i, i, i, i)
	}
	_, err := LoadFS(t.Context(), folderOf(map[string]string{"skills.yaml": define("r.yaml"), "r.yaml": b.String()}), nil)
	if err == nil || !strings.Contains(err.Error(), "aliases included") {
		t.Error(err)
	}
}

func TestNullAndMissingAreNotTheSame(t *testing.T) {
	g := load(t, map[string]string{
		"r.ndjson":      `{"name":"null","x":null}` + "\n" + `{"name":"missing"}` + "\n" + `{"name":"empty","x":""}` + "\n" + `{"name":"there","x":"y"}`,
		"SKILL.md.tmpl": `{{if has . "x"}}has{{else}}lacks{{end}} {{if eq (get . "x") nil}}nil{{end}} {{default "other" (get . "x")}}`,
	})
	for name, want := range map[string]string{"null": "has nil other\n", "missing": "lacks nil other\n", "empty": "has  other\n", "there": "has  y\n"} {
		if got := file(t, g, name, "SKILL.md"); !strings.HasSuffix(got, "\n\n"+want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestDefaultsAreForFieldsThatARecordLacks(t *testing.T) {
	g := load(t, map[string]string{
		"skills.yaml":   "files: r.ndjson\npath: '{{.team}}/{{.name}}'\ndescription: About {{.name}}.\ndefaults: {team: nobody, level: 3}\n",
		"r.ndjson":      `{"name":"a"}` + "\n" + `{"name":"b","team":"x","level":4}`,
		"SKILL.md.tmpl": "{{.level}}",
	})
	if got := paths(t, g); got != "nobody/a x/b" {
		t.Errorf("paths: %s", got)
	}
	if got := file(t, g, "nobody/a", "SKILL.md"); !strings.HasSuffix(got, "\n3\n") {
		t.Errorf("got %q", got)
	}
}

// A changed file is noticed, or the record is still the same.
func TestARecordThatIsNotThereAnyMoreIsAnError(t *testing.T) {
	fsys := folderOf(map[string]string{"r.ndjson": `{"name":"a","x":"1"}` + "\n" + `{"name":"b","x":"2"}` + "\n"})
	g, err := LoadFS(t.Context(), fsys, nil)
	if err != nil {
		t.Fatal(err)
	}
	before, err := g.Skill(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	for text, fails := range map[string]bool{
		`{"name":"a","x":"1"}` + "\n" + `{"name":"b","x":"3"}` + "\n": true,
		`{"name":"a","x":"1"}` + "\n":                                 true,
		"":                                                            true,
		`{"name":"b","x":"2"}` + "\n" + `{"name":"a","x":"1"}` + "\n":                         true,
		`{"name":"z","x":"0"}` + "\n" + `{"name":"b","x":"2"}` + "\n" + `{"name":"c"}` + "\n": false,
	} {
		fsys["r.ndjson"] = &fstest.MapFile{Data: []byte(text)}
		s, err := g.Skill(t.Context(), "b")
		if fails != errors.Is(err, ErrChanged) {
			t.Errorf("%q: %v", text, err)
		}
		if !fails && (err != nil || s.Version != before.Version) {
			t.Errorf("%q: another skill: %v", text, err)
		}
	}
	// The skill that was returned before is a snapshot.
	if _, err := before.Files[0].Content(t.Context()); err != nil {
		t.Error(err)
	}
	delete(fsys, "r.ndjson")
	if _, err := g.Skill(t.Context(), "b"); err == nil || errors.Is(err, framework.ErrNotFound) {
		t.Errorf("a file that is gone: %v", err)
	}
}

// many is a file system with one large file, which is made when it is read. It
// counts the bytes that are read from it.
type many struct {
	fs.FS
	size  int64
	count atomic.Int64
}

const manyRecord = 256 // bytes

func (m *many) Open(name string) (fs.File, error) {
	if name != "r.ndjson" {
		return m.FS.Open(name)
	}
	return &manyFile{m: m, r: io.NewSectionReader(m, 0, m.size)}, nil
}

func (m *many) ReadAt(b []byte, offset int64) (int, error) {
	m.count.Add(int64(len(b)))
	for i := 0; i < len(b); {
		at := offset + int64(i)
		line := fmt.Appendf(nil, `{"name":"Some alert %08d","text":"`, at/manyRecord)
		line = append(line, bytes.Repeat([]byte("x"), manyRecord-3-len(line))...)
		line = append(line, "\"}\n"...)
		i += copy(b[i:], line[at%manyRecord:])
	}
	return len(b), nil
}

type manyFile struct {
	m *many
	r *io.SectionReader
}

func (f *manyFile) Stat() (fs.FileInfo, error)             { return f, nil }
func (f *manyFile) Read(b []byte) (int, error)             { return f.r.Read(b) }
func (f *manyFile) ReadAt(b []byte, at int64) (int, error) { return f.r.ReadAt(b, at) }
func (f *manyFile) Close() error                           { return nil }
func (f *manyFile) Name() string                           { return "r.ndjson" }
func (f *manyFile) Size() int64                            { return f.m.size }
func (f *manyFile) IsDir() bool                            { return false }
func (f *manyFile) Sys() any                               { return nil }
func (f *manyFile) ModTime() time.Time                     { return time.Time{} }
func (f *manyFile) Mode() fs.FileMode                      { return 0o444 }

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// The package comment promises 128 bytes a record. The records of this test
// have 256 bytes each.
func TestAHundredThousandRecordsCostAnIndex(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a hundred thousand records, one after the other")
	}
	const n = 100_000
	m := &many{FS: folderOf(nil), size: n * manyRecord}
	before := heap()
	g, err := LoadFS(t.Context(), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	grown := int64(heap()) - int64(before)
	if each := grown / n; each > 128 {
		t.Errorf("the index takes %d bytes a record, want at most 128", each)
	} else {
		t.Logf("%d bytes a record", each)
	}
	read := m.count.Load()
	if read < n*manyRecord || read > n*manyRecord+2*minWindow {
		t.Errorf("%d bytes were read for %d", read, n*manyRecord)
	}
	for _, name := range []string{"some-alert-00000000", "some-alert-00050000", "some-alert-00099999"} {
		m.count.Store(0)
		if _, err := g.Skill(t.Context(), name); err != nil {
			t.Error(err)
		}
		if got := m.count.Load(); got >= manyRecord {
			t.Errorf("%s: %d bytes were read for one record of %d", name, got, manyRecord-1)
		}
	}
	runtime.KeepAlive(g)
}

func TestLoadingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LoadFS(ctx, &many{FS: folderOf(nil), size: 1 << 50}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestNumbersAreComparedAndAdded(t *testing.T) {
	g := load(t, map[string]string{"r.ndjson": `{"name":"a","i":9007199254740993,"j":9007199254740992,"f":1.50,"c":"007"}`, "SKILL.md.tmpl": `{{gt .i .j}} {{eq .f 1.5}} {{lt .f .i}} {{add .j 1}} {{eq .i (add .j 1)}} {{ge (number "7") 7}} {{eq .c "007" "8"}} {{ne .f 2}} {{eq .name nil}}`})
	if got := file(t, g, "a", "SKILL.md"); !strings.HasSuffix(got, "\n\ntrue true true 9007199254740993 true true true true false\n") {
		t.Errorf("got %q", got)
	}
	for _, template := range []string{`{{eq .f "1.5"}}`, `{{add .f 1}}`, `{{number .c}}`, `{{number "x"}}`} {
		g := load(t, map[string]string{"r.ndjson": `{"name":"a","f":1.50,"c":"007"}`, "SKILL.md.tmpl": template})
		if s, err := g.Skill(t.Context(), "a"); err == nil {
			t.Errorf("%s gives %v", template, s)
		}
	}
}
