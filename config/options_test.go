package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

type limits struct {
	Rows int           `yaml:"rows" doc:"how many rows are read"`
	Wait time.Duration `yaml:"wait"`
}

// wikiOptions are those of a kind as somebody else would write it.
type wikiOptions struct {
	Space  string            `yaml:"space" doc:"the space to read"`
	Tables []string          `yaml:"tables" doc:"globs of tables"`
	Counts bool              `yaml:"counts"`
	Style  Path              `yaml:"style"`
	Extra  []Path            `yaml:"extra"`
	Labels map[string]string `yaml:"labels"`
	Limits limits            `yaml:"limits"`
	Ratio  *float64          `yaml:"ratio"`
	Spare  string            `yaml:"-"`
	hidden string
}

func (o *wikiOptions) Validate() error {
	if o.Space == "void" {
		return errors.New("space: there is no space void")
	}
	return nil
}

// decode loads a file whose second document is of the kind wiki with these options.
func decode(t *testing.T, options string, flags ...string) (wikiOptions, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	text := "documents:\n- path: a.yaml\n- kind: wiki\n  path: wiki.db\n"
	if options != "" {
		text += "  options:\n" + options
	}
	if err := os.MkdirAll("conf", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("conf/f.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := wikiOptions{Space: "main", Limits: limits{Rows: 10}}
	c, err := Load(&Options{File: "conf/f.yaml", Kinds: []string{OpenAPI, "wiki"}})
	if err != nil {
		return o, err
	}
	if got := c.Documents[0]; got.Kind != OpenAPI || got.Options.Given() {
		t.Errorf("the first document is %+v", got)
	}
	return o, c.Documents[1].Options.WithFlags(flags).Decode(&o)
}

func TestOptionsAreDecodedOverTheirDefaults(t *testing.T) {
	half := 0.5
	tests := []struct {
		name, options string
		flags         []string
		want          wikiOptions
	}{
		{"none", "", nil, wikiOptions{Space: "main", Limits: limits{Rows: 10}}},
		{"some", "    tables: [a, b]\n    counts: true\n    limits: {wait: 2s}\n", nil,
			wikiOptions{Space: "main", Tables: []string{"a", "b"}, Counts: true, Limits: limits{10, 2 * time.Second}}},
		{"paths are relative to the file", "    style: s.css\n    extra: [x, /y]\n", nil,
			wikiOptions{Space: "main", Style: Path(filepath.Join("conf", "s.css")), Extra: []Path{Path(filepath.Join("conf", "x")), "/y"}, Limits: limits{Rows: 10}}},
		{"paths of flags are as they are", "", []string{"style=s.css"}, wikiOptions{Space: "main", Style: "s.css", Limits: limits{Rows: 10}}},
		{"flags beat the file", "    space: one\n    tables: [a]\n", []string{"space=two", "tables=b"}, wikiOptions{Space: "two", Tables: []string{"b"}, Limits: limits{Rows: 10}}},
		{"flags of a list add up", "", []string{"tables=a", "tables=[b, c]"}, wikiOptions{Space: "main", Tables: []string{"a", "b", "c"}, Limits: limits{Rows: 10}}},
		{"a string needs no quotes in a flag", "", []string{"space=007", "tables=*"}, wikiOptions{Space: "007", Tables: []string{"*"}, Limits: limits{Rows: 10}}},
		{"a struct in a flag", "", []string{"limits={rows: 3, wait: 1m}", "ratio=0.5"}, wikiOptions{Space: "main", Limits: limits{3, time.Minute}, Ratio: &half}},
		{"keys keep their case", "    labels: {Team: Ops, \"no\": \"yes\"}\n", nil, wikiOptions{Space: "main", Labels: map[string]string{"Team": "Ops", "no": "yes"}, Limits: limits{Rows: 10}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := decode(t, tt.options, tt.flags...)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestFaultsOfOptionsNameTheirPlace(t *testing.T) {
	file := filepath.Join("conf", "f.yaml")
	tests := []struct {
		name, options string
		flags         []string
		want          string
	}{
		{"unknown key", "    tablse: [a]\n", nil, file + `:6: documents[1].options: unknown key "tablse"; did you mean "tables"?`},
		{"unknown key below", "    limits:\n      row: 1\n", nil, file + `:7: documents[1].options.limits: unknown key "row"; did you mean "rows"?`},
		{"field without a key", "    spare: x\n", nil, file + `:6: documents[1].options: unknown key "spare"`},
		{"field that is not exported", "    hidden: x\n", nil, file + `:6: documents[1].options: unknown key "hidden"`},
		{"number for a string", "    space: 7\n", nil, file + `:6: documents[1].options.space: want a string, got the number "7"; quote it`},
		{"number in a list of strings", "    tables:\n    - a\n    - 7\n", nil, file + `:8: documents[1].options.tables[1]: want a string`},
		{"no value", "    space:\n", nil, file + `:6: documents[1].options.space: want a value, got no value`},
		{"another type", "    space: a\n    counts: often\n", nil, file + ":7: documents[1].options.counts: want true or false, got the text \"often\""},
		{"an alias", "    space: &a x\n    style: *a\n", nil, file + `:7: documents[1].options.style: want a value, got the alias *a`},
		{"a key twice", "    space: a\n    space: b\n", nil, file + `:7: documents[1].options: key "space" stands here again`},
		{"what the kind refuses", "    space: void\n", nil, file + `:6: documents[1].options: space: there is no space void`},
		{"a fraction for a whole number", "    limits: {rows: 1.5}\n", nil, file + `:6: documents[1].options.limits.rows: want a whole number, got the number "1.5"`},
		{"a number for a duration", "    limits: {wait: 10}\n", nil, file + `:6: documents[1].options.limits.wait: want a duration such as 10s, got the number "10"`},
		{"a text for a number", "    ratio: half\n", nil, file + `:6: documents[1].options.ratio: want a number, got the text "half"`},
		{"a fraction in a flag", "", []string{"limits={rows: 1.5}"}, `--option "limits={rows: 1.5}": rows: want a whole number`},
		{"an alias in a flag", "", []string{"labels={a: &a x, b: *a}"}, `got the alias *a`},
		{"unknown flag", "", []string{"spacer=x"}, `--option "spacer=x": unknown option "spacer"; did you mean "space"?`},
		{"flag without a value", "", []string{"space"}, `--option "space": write KEY=VALUE`},
		{"flag of another type", "", []string{"counts=often"}, `--option "counts=often": want true or false, got the text "often"`},
		{"flag that is no YAML", "", []string{"limits={rows: "}, `--option "limits={rows: ": `},
		{"unknown key in a flag", "", []string{"limits={row: 1}"}, `--option "limits={row: 1}": unknown key "row"; did you mean "rows"?`},
		{"empty flag", "", []string{"counts="}, `--option "counts=": has no value`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := decode(t, tt.options, tt.flags...)
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %v", err, tt.want)
			}
			if fault := new(Error); !errors.As(err, &fault) {
				t.Errorf("%T is no *Error", err)
			}
		})
	}
}

// Page is embedded in the options of a kind, under a name; paging and Sorting are inline.
type (
	Page    struct{ Size int }
	paging  struct{ From int }
	Sorting struct{ By string }
)

type nested struct {
	Page     `yaml:"page"`
	paging   `yaml:",inline"`
	*Sorting `yaml:",inline"`

	Styles map[string]Path
	Sheets [1]Path
	Labels map[string]string
	Inner  *Page
	Inside limits
}

func decodeNested(t *testing.T, options string, over nested, flags ...string) (nested, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.yaml")
	if err := os.WriteFile(path, []byte("documents:\n- {kind: wiki, path: x, options: "+options+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(&Options{File: path, Kinds: []string{"wiki"}})
	if err != nil {
		t.Fatal(err)
	}
	err = c.Documents[0].Options.WithFlags(flags).Decode(&over)
	for name, style := range over.Styles {
		over.Styles[name] = Path(strings.TrimPrefix(string(style), filepath.Dir(path)+string(filepath.Separator)))
	}
	return over, err
}

func TestWhatTheFileSaysOfEmbeddedStructsIsWhatTheyHave(t *testing.T) {
	for _, tt := range []struct {
		options string
		flags   []string
		want    nested
	}{
		{"{page: {size: 3}, from: 2, by: name}", nil, nested{Page: Page{3}, paging: paging{2}, Sorting: &Sorting{"name"}}},
		{"{}", []string{"page={size: 3}", "from=2", "by=name"}, nested{Page: Page{3}, paging: paging{2}, Sorting: &Sorting{"name"}}},
	} {
		got, err := decodeNested(t, tt.options, nested{}, tt.flags...)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s %q: %+v, %v", tt.options, tt.flags, got, err)
		}
	}
	if got, err := decodeNested(t, "{size: 3}", nested{}); err == nil {
		t.Errorf("a key that the decoder knows nothing of is dropped: %+v", got)
	}
	if got := DescribeOptions(&nested{paging: paging{1}}); !reflect.DeepEqual(got, []string{"page", "from (default 1)", "by", "styles", "sheets", "labels", "inner", "inside"}) {
		t.Errorf("described as %q", got)
	}
}

func TestPathsInMapsAndArraysAreRelativeToTheFileToo(t *testing.T) {
	got, err := decodeNested(t, "{styles: {a: s.css}, sheets: [/b]}", nested{Styles: map[string]Path{"z": "z.css"}})
	if want := (nested{Styles: map[string]Path{"a": "s.css", "z": "z.css"}, Sheets: [1]Path{"/b"}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = decodeNested(t, "{sheets: [s.css]}", nested{})
	if err != nil || !filepath.IsAbs(string(got.Sheets[0])) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestOptionsOfOneDocumentAreNotThoseOfTheNext(t *testing.T) {
	defaults := nested{Labels: map[string]string{"a": "b"}, Inner: &Page{1}, Sorting: &Sorting{"x"}}
	if _, err := decodeNested(t, "{labels: {c: d}, inner: {size: 2}, by: name}", defaults); err != nil {
		t.Fatal(err)
	}
	if want := (nested{Labels: map[string]string{"a": "b"}, Inner: &Page{1}, Sorting: &Sorting{"x"}}); !reflect.DeepEqual(defaults, want) {
		t.Errorf("the defaults became %+v, %+v, %+v", defaults, defaults.Inner, defaults.Sorting)
	}
}

func TestWhatAFlagDoesNotMentionOfAStructStays(t *testing.T) {
	got, err := decodeNested(t, "{inside: {rows: 3}}", nested{Inside: limits{Wait: time.Minute}}, "inside={rows: 4}")
	if err != nil || got.Inside != (limits{4, time.Minute}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWhatIsForOpenAPIAloneIsRefusedElsewhere(t *testing.T) {
	for _, key := range []string{"server: https://x.example", "refRoot: .", "prose: none", "overlays: [a]", "snippets: s", "include: [{tag: a}]", "exclude: [{tag: a}]"} {
		t.Chdir(t.TempDir())
		if err := os.WriteFile(DefaultFile, []byte("documents:\n- kind: wiki\n  path: x\n  "+key+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(&Options{Kinds: []string{OpenAPI, "wiki"}})
		if err == nil || !strings.Contains(err.Error(), "apiskills.yaml:4: documents[0].") || !strings.Contains(err.Error(), "of the kind openapi") {
			t.Errorf("%s: %v", key, err)
		}
		if _, err := Load(&Options{Kinds: []string{"wiki"}}); err == nil {
			t.Errorf("%s is taken where there is no kind openapi", key)
		}
	}
}

func TestOptionsAreDescribedWithTheirDefaults(t *testing.T) {
	got := DescribeOptions(&wikiOptions{Space: "main"})
	want := []string{"space: the space to read (default main)", "tables: globs of tables", "counts", "style", "extra", "labels", "limits", "ratio"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

// FuzzOptions decodes any options: it fails with a place, or all is as the file says.
func FuzzOptions(f *testing.F) {
	f.Add("{space: a, tables: [b], limits: {rows: 1, wait: 1s}}", "tables=x")
	f.Add("{labels: {a: b}, extra: [c], ratio: ~}", "limits={rows: 2}")
	f.Add("&a [*a]", "ratio=&a")
	f.Add("{<<: {space: a}}", "labels={a: [b]}")
	f.Fuzz(func(t *testing.T, file, flag string) {
		if len(file)+len(flag) > 1<<12 || strings.ContainsAny(file, "\n\r\u0085\u2028\u2029") {
			t.Skip()
		}
		path := filepath.Join(t.TempDir(), "f.yaml")
		if err := os.WriteFile(path, []byte("documents:\n- {kind: wiki, path: x, options: "+file+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(&Options{File: path, Flags: pflag.NewFlagSet("", pflag.ContinueOnError), Kinds: []string{"wiki"}})
		if err != nil {
			return
		}
		for _, o := range []DocumentOptions{c.Documents[0].Options, DocumentOptions{}.WithFlags([]string{flag})} {
			var to wikiOptions
			err := o.Decode(&to)
			if fault := new(Error); err != nil && (!errors.As(err, &fault) || fault.Source == "") {
				t.Errorf("%v says no place", err)
			}
			if to.hidden != "" || to.Spare != "" {
				t.Errorf("%+v", to)
			}
		}
	})
}

func TestPlaceFlagPlacesPathsAlone(t *testing.T) {
	for flag, want := range map[string]string{
		"style=s.css": "style=/x/s.css", "extra=a b": "extra=/x/a b", "extra=[a, b]": "extra=[a, b]", "style=https://x.example/y": "style=https://x.example/y",
		"space=s.css": "space=s.css", "style=": "style=", "style": "style", "other=x": "other=x", "style=a=b": "style=/x/a=b",
	} {
		if got := PlaceFlag(&wikiOptions{}, flag, func(path string) string { return "/x/" + path }); got != want {
			t.Errorf("%s became %s, want %s", flag, got, want)
		}
	}
}
