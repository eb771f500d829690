package framework

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"testing"
)

// TestZeroCatalogIsAnEmptyOne calls each method that there is on a catalog of its
// own, that NewCatalog did not make.
func TestZeroCatalogIsAnEmptyOne(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for method := range reflect.TypeFor[*Catalog]().Methods() {
		var c Catalog
		args := []reflect.Value{reflect.ValueOf(&c)}
		for i := 1; i < method.Type.NumIn(); i++ {
			in := method.Type.In(i)
			switch {
			case in == reflect.TypeFor[context.Context]() && method.Name == "Watch":
				args = append(args, reflect.ValueOf(ended)) // it lasts as long as its context
			case in == reflect.TypeFor[context.Context]():
				args = append(args, reflect.ValueOf(t.Context()))
			default:
				args = append(args, reflect.Zero(in))
			}
		}
		for _, out := range method.Func.Call(args) {
			if out.Type().CanSeq() && out.Kind() == reflect.Func {
				for v := range out.Seq() {
					t.Errorf("%s yields %v", method.Name, v)
				}
			}
			if out.Type().CanSeq2() && out.Kind() == reflect.Func {
				for k, v := range out.Seq2() {
					t.Errorf("%s yields %v, %v", method.Name, k, v)
				}
			}
		}
	}

	var c Catalog
	equal(t, "scheme", c.Scheme(), "skill")
	if page, err := c.List(t.Context(), ""); err != nil || len(page.Entries) > 0 || page.NextCursor != "" {
		t.Errorf("List = %+v, %v", page, err)
	}
	for name, err := range map[string]error{
		"Get":           second(c.Get(t.Context(), "skill://a/SKILL.md")),
		"Read":          second(c.Read(t.Context(), "skill://a/SKILL.md")),
		"ReadDirectory": second(c.ReadDirectory(t.Context(), "skill://a", "")),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if entries, err := fs.ReadDir(c.FS(t.Context()), "."); err != nil || len(entries) > 0 {
		t.Errorf("the root of FS has %v, %v", entries, err)
	}
	if err := c.SetMounts([]Mount{{"", memoryOf("a")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(t.Context(), "skill://a/SKILL.md"); err != nil {
		t.Errorf("with a mount: %v", err)
	}
}

func TestZeroValueWorksOrSaysWhatToDo(t *testing.T) {
	for name, test := range map[string]struct {
		do   func() (any, error)
		want any
		says string
	}{
		"nil options": {
			do: func() (any, error) { c, err := NewCatalog(nil, nil); return c.Scheme(), err }, want: "skill",
		},
		"zero options": {
			do: func() (any, error) { c, err := NewCatalog(nil, &Options{}); return c.Scheme(), err }, want: "skill",
		},
		"zero mount": {
			do: func() (any, error) { return NewCatalog([]Mount{{}}, nil) }, says: `the mount at "" has no generator`,
		},
		"zero skill": {
			do: func() (any, error) { return get(t, &Skill{}) }, says: `skill "a": it has no SKILL.md`,
		},
		"zero file": {
			do: func() (any, error) { return get(t, simple("a", File{})) }, says: `file name: "" is not`,
		},
		"file without content": {
			do: func() (any, error) { return get(t, &Skill{Files: []File{{Name: "SKILL.md"}}}) }, says: `file "SKILL.md" has no Content`,
		},
		"file without content, dynamic": {
			do: func() (any, error) {
				s := simple("a", File{Name: "x"})
				s.Dynamic = true
				c := catalog(t, nil, Mount{"", &memory{skills: map[string]*Skill{"a": s}}})
				return c.Read(t.Context(), "skill://a/x")
			}, says: `file "x" has no Content`,
		},
		"nil path list": {
			do: func() (any, error) {
				for p := range PathList(nil).Paths(t.Context(), "") {
					return p, nil
				}
				return nil, nil
			},
		},
		"no generator": {
			do: func() (any, error) { _, ok := As[Lister](nil); return ok, nil }, want: false,
		},
		"zero template": {
			do: func() (any, error) { return nil, new(Template).check() }, says: `the template "" has no name`,
		},
		"zero diagnostic": {do: func() (any, error) { return Diagnostic{}.String(), nil }, want: ""},
		"zero digest": {
			do: marshal(Digest{}), want: `"sha256:` + strings.Repeat("0", 64) + `"`,
		},
		"empty digest":     {do: func() (any, error) { return nil, new(Digest).UnmarshalText(nil) }, says: "is not of the form sha256:{64"},
		"zero frontmatter": {do: marshal(Frontmatter{}), want: `{"name":"","description":""}`},
		"frontmatter by hand": {
			do: marshal(&Frontmatter{Name: "a", Description: "A"}), want: `{"name":"a","description":"A"}`,
		},
		"nil frontmatter": {do: marshal((*Frontmatter)(nil)), want: `null`},
		"zero entry": {
			do: marshal(Entry{}), want: `{"uri":"","frontmatter":{"name":"","description":""},"resources":[]}`,
		},
		"entry by hand": {
			do:   marshal(&Entry{URI: `x://"`, Frontmatter: &Frontmatter{JSON: json.RawMessage(`{"name":"a"}`)}, Resources: []SkillResource{{URI: "u", Size: 3}}}),
			want: `{"uri":"x://\"","frontmatter":{"name":"a"},"resources":[{"uri":"u","digest":"sha256:` + strings.Repeat("0", 64) + `","size":3}]}`,
		},
		"dynamic entry by hand": {
			do: marshal(&Entry{Dynamic: true}), want: `{"uri":"","frontmatter":{"name":"","description":""},"resources":"dynamic"}`,
		},
		"nil entry": {do: marshal((*Entry)(nil)), want: `null`},
		"zero page": {do: marshal(Page{}), want: `{"skills":[]}`},
		"page by hand": {
			do:   marshal(&Page{Entries: []*Entry{{}, {Dynamic: true}}, NextCursor: `"`}),
			want: `{"skills":[{"uri":"","frontmatter":{"name":"","description":""},"resources":[]},{"uri":"","frontmatter":{"name":"","description":""},"resources":"dynamic"}],"nextCursor":"\""}`,
		},
	} {
		got, err := test.do()
		switch {
		case test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)):
			t.Errorf("%s: %v, which should say %q", name, err, test.says)
		case test.says == "" && (err != nil || got != test.want):
			t.Errorf("%s: %v, %v, want %v", name, got, err, test.want)
		}
	}
}

// TestNegativeCachesKeepNothing asks twice.
func TestNegativeCachesKeepNothing(t *testing.T) {
	g := memoryOf("a")
	c := catalog(t, &Options{EntryCacheBytes: -1, ContentCacheBytes: -1}, Mount{"", g})
	for range 2 {
		if _, err := c.Read(t.Context(), "skill://a/SKILL.md"); err != nil {
			t.Error(err)
		}
	}
	s := c.Stats()
	if s.Renders != 2 || s.Entries.Len+s.Contents.Len+s.Pages.Len != 0 {
		t.Errorf("%+v", s)
	}
}

// get returns the entry of a skill at "a".
func get(t *testing.T, s *Skill) (*Entry, error) {
	c := catalog(t, nil, Mount{"", &memory{skills: map[string]*Skill{"a": s}}})
	return c.Get(t.Context(), "skill://a/SKILL.md")
}

func marshal(v any) func() (any, error) {
	return func() (any, error) {
		b, err := json.Marshal(v)
		return string(b), err
	}
}

// TestPageFromACatalogIsTheResultOfSkillsList holds the bytes of pages that are
// kept and of those that are not against what their entries marshal to.
func TestPageFromACatalogIsTheResultOfSkillsList(t *testing.T) {
	c := catalog(t, &Options{PageSize: 2}, Mount{"m", memoryOf("a", "b", "c")})
	for cursor := ""; ; {
		page, err := c.List(t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(struct {
			Skills     []*Entry `json:"skills"`
			NextCursor string   `json:"nextCursor,omitempty"`
		}{page.Entries, page.NextCursor})
		if err != nil {
			t.Fatal(err)
		}
		kept := *page
		kept.encoded = page.encode
		for _, p := range []Page{*page, kept} {
			if got, err := p.MarshalJSON(); err != nil || string(got) != string(want) {
				t.Errorf("%s, %v, want %s", got, err, want)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
}

// The version of a TextSkill stands for names and texts, and for nothing else.
func TestVersionOfATextSkillStandsForItsFiles(t *testing.T) {
	version := func(files ...string) string {
		m := map[string]string{}
		for i := 0; i < len(files); i += 2 {
			m[files[i]] = files[i+1]
		}
		return TextSkill(m).Version
	}
	seen := map[string][]string{}
	for _, files := range [][]string{{}, {"a", "b"}, {"a", "bc"}, {"ab", "c"}, {"a", "b", "c", "d"}, {"a", "b1 c1 d"}, {"b", "a"}, {"a", ""}, {"a", "", "b", ""}} {
		v := version(files...)
		if v == "" || seen[v] != nil {
			t.Errorf("%q has the version %q of %q", files, v, seen[v])
		}
		seen[v] = files
		if again := version(files...); again != v {
			t.Errorf("%q has two versions", files)
		}
	}
	if version("a", "b", "c", "d") != version("c", "d", "a", "b") {
		t.Error("the version depends on an order")
	}
}
