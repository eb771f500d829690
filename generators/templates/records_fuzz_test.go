package templates

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/apiskills/apiskills/framework"
)

// checkRecords loads a file of records and asks for each skill: what was found
// at first is what is found again, and no skill breaks a rule.
func checkRecords(t *testing.T, name string, data []byte) {
	fsys := fstest.MapFS{
		"skills.yaml":   {Data: []byte("files: " + name + "\npath: '{{slug .name}}'\ndescription: About {{.name}}.\n")},
		"SKILL.md.tmpl": {Data: []byte("# {{.name}}\n\n{{range $k, $v := .}}\n- {{$k}} {{code (json $v)}}\n{{end}}")},
		name:            {Data: data},
	}
	g, err := LoadFS(t.Context(), fsys, nil)
	if err != nil {
		return
	}
	for p, err := range g.Paths(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		s, err := g.Skill(t.Context(), p)
		if errors.Is(err, ErrChanged) {
			t.Fatalf("%s: %v", p, err)
		}
		if err != nil {
			continue
		}
		b, err := s.Files[0].Content(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := framework.ParseFrontmatter(b); err != nil {
			t.Errorf("%s: %v\n%s", p, err, b)
		}
	}
}

func FuzzRecordsCSV(f *testing.F) {
	f.Add([]byte("\ufeffname,x\r\na,\"b\r\n\"\"c\"\"\"\r\n\r\nd,\n"))
	f.Add([]byte("name\n\"a\nb\n\"c\"d\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkRecords(t, "r.csv", data)
		// Where package csv has no fault to find, each of its rows is found.
		r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		if err != nil || len(data) > maxRecord {
			return
		}
		var got [][]string
		s, w := &rows{}, &window{r: bytes.NewReader(data), line: 1}
		if err := w.skipMark(); err != nil {
			t.Fatal(err)
		}
		err = w.each(t.Context(), s, func(_ record, raw []byte, fault error) error {
			row, err := decodeRow(raw)
			if fault != nil || err != nil {
				t.Errorf("%q: %v %v", raw, fault, err)
			}
			got = append(got, row)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		a, _ := json.Marshal(want)
		b, _ := json.Marshal(got)
		if len(got)+len(want) > 0 && !bytes.Equal(a, b) {
			t.Errorf("%q: got %s, want %s", data, b, a)
		}
	})
}

func FuzzRecordsJSON(f *testing.F) {
	f.Add([]byte(`[{"name":"a","x":[1,"]}",{"y":"\\\""}]}, {"name":"b"}]`))
	f.Add([]byte(` {"name":"a"} `))
	f.Add([]byte(`[1,}],,"]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkRecords(t, "r.json", data)
		// Of a valid array each element is found.
		var want []json.RawMessage
		if json.Unmarshal(data, &want) != nil || bytes.TrimSpace(data)[0] != '[' || len(data) > maxRecord {
			return
		}
		var got [][]byte
		w := &window{r: bytes.NewReader(data), line: 1}
		err := w.each(t.Context(), &array{}, func(_ record, raw []byte, fault error) error {
			if fault != nil {
				t.Errorf("%q: %v", raw, fault)
			}
			got = append(got, bytes.Clone(raw))
			return nil
		})
		if err != nil || len(got) != len(want) {
			t.Fatalf("%q: %d elements, want %d: %v", data, len(got), len(want), err)
		}
		for i := range got {
			if !bytes.Equal(bytes.TrimSpace(got[i]), bytes.TrimSpace(want[i])) {
				t.Errorf("%q: element %d is %q, want %q", data, i, got[i], want[i])
			}
		}
	})
}

func FuzzRecordsNDJSON(f *testing.F) {
	f.Add([]byte("\ufeff{\"name\":\"a\"}\r\n\n{\"name\":null}\nx"))
	f.Fuzz(func(t *testing.T, data []byte) { checkRecords(t, "r.ndjson", data) })
}

func FuzzRecordsYAML(f *testing.F) {
	f.Add([]byte("name: &a x\n---\n- {name: *a, y: [1.0, 0x1f, ~, 2026-01-01]}\n- !!str z\n"))
	f.Fuzz(func(t *testing.T, data []byte) { checkRecords(t, "r.yaml", data) })
}

func FuzzDefinition(f *testing.F) {
	f.Add([]byte("records: [{a: b}]\npath: '{{slug .a}}'\ndescription: |\n  {{.a}}\nmetadata: {x: '{{.a}}'}\nfeatured: [b]\nignore: '*.go'\ndefaults: {c: 1}\n"))
	f.Add([]byte("files: '*.csv'\npath: {{.a}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := LoadFS(t.Context(), fstest.MapFS{"skills.yaml": {Data: data}, "SKILL.md.tmpl": {Data: []byte("x")}, "r.csv": {Data: []byte("a\nb\n")}}, nil)
		if err == nil {
			for range g.Paths(t.Context(), "") {
			}
		}
	})
}

// FuzzTemplate looks for a template that does not end, or panics, and for a
// value that is no place's.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"{{range .l}}{{.}}{{else}}`{{end}}", "```sh\n{{.x}} '{{.x}}'\n```\n", "| {{.x}} |\n[a]({{.x}})", "{{define \"t\"}}  {{template \"t\" .}}{{end}}{{template \"t\" .}}", "{{with $x := .x}}{{$x | code}}{{end}}{{break}}", "{{block \"b\" .}}- ~~~\n  {{.x}}\n  ~~~\n{{end}}"} {
		f.Add(s, "a`b\n```\n# c")
	}
	f.Fuzz(func(t *testing.T, template, x string) {
		x = strings.ToValidUTF8(x, "")
		raw, err := json.Marshal(map[string]any{"name": "a", "x": x, "l": []string{x, "y"}, "m": map[string]any{x: nil}, "n": 3})
		if err != nil {
			t.Fatal(err)
		}
		g, err := LoadFS(t.Context(), folderOf(map[string]string{"r.ndjson": string(raw), "SKILL.md.tmpl": template}), nil)
		if err != nil {
			return
		}
		if s, err := g.Skill(t.Context(), "a"); err == nil {
			if _, err := s.Files[0].Content(t.Context()); err != nil && !errors.Is(err, io.EOF) {
				t.Error(err)
			}
		}
	})
}
