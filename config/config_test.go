package config

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// load writes the file, if there is text for it, into a new working directory
// and loads from there.
func load(t *testing.T, file string, args ...string) (*Config, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if file != "" {
		if err := os.WriteFile(DefaultFile, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	for _, s := range settings {
		if s.flag != "" {
			AddFlags(flags, s.key)
		}
	}
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	return Load(&Options{Flags: flags})
}

func TestDefaultsApplyWithoutAFile(t *testing.T) {
	got, err := load(t, "")
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Prose: "full", Cache: true, Transport: "http", Addr: "127.0.0.1:8080", Listing: "auto",
		PageSize: 250, MaxPages: 48, MaxBody: 4 << 20, SkillTimeout: 10 * time.Second,
		Refresh: 5 * time.Minute,
		HTTP:    HTTP{Path: "/mcp", MaxConnections: 1024, MaxRequests: 256, Timeout: 30 * time.Second},
		Log:     Log{Level: slog.LevelInfo, Format: "text"},
	}
	got.Featured, got.HTTP.Hosts, got.HTTP.Origins = nil, nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestFlagsWinOverEnvironmentOverFileOverDefault(t *testing.T) {
	const file = "listing: guide\naddr: 127.0.0.1:1\ntransport: stdio\nlog:\n  level: error\n  format: json\n"
	t.Setenv("APISKILLS_LISTING", "none")
	t.Setenv("APISKILLS_ADDR", "127.0.0.1:2")
	t.Setenv("APISKILLS_LOG_LEVEL", "debug")
	t.Setenv("APISKILLS_TRANSPORT", "") // an empty variable is not set
	c, err := load(t, file, "--listing", "all")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ from, got, want string }{
		{"flag", c.Listing, "all"},
		{"environment", c.Addr, "127.0.0.1:2"},
		{"environment", c.Log.Level.String(), "DEBUG"},
		{"file", c.Transport, "stdio"},
		{"file", c.Log.Format, "json"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.from, tt.got, tt.want)
		}
	}
	if c.PageSize != 250 {
		t.Errorf("default: got %d, want 250", c.PageSize)
	}
}

func TestProseOfADocumentBeatsTheFileAndNothingElse(t *testing.T) {
	const file = "prose: quoted\ndocuments:\n  - {path: a.yaml}\n  - {path: b.yaml, prose: none}\n"
	prose := func(args ...string) [3]string {
		t.Helper()
		c, err := load(t, file, args...)
		if err != nil {
			t.Fatal(err)
		}
		return [3]string{c.Prose, c.Documents[0].Prose, c.Documents[1].Prose}
	}
	if got, want := prose(), [3]string{"quoted", "", "none"}; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := prose("--prose", "full"), [3]string{"full", "", ""}; got != want {
		t.Errorf("with a flag: got %q, want %q", got, want)
	}
	t.Setenv("APISKILLS_PROSE", "none")
	if got, want := prose(), [3]string{"none", "", ""}; got != want {
		t.Errorf("with a variable: got %q, want %q", got, want)
	}
}

func TestPathsAreRelativeToTheFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "conf", "skills.yaml")
	abs := filepath.Join(dir, "abs.yaml")
	os.Mkdir(filepath.Dir(file), 0o700)
	text := "documents:\n  - {name: one, path: ../one.yaml}\n  - path: '" + abs + "'\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(&Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	want := []Document{{Kind: OpenAPI, Name: "one", Path: filepath.Join(dir, "one.yaml")}, {Kind: OpenAPI, Path: abs}}
	if !reflect.DeepEqual(c.Documents, want) {
		t.Errorf("got %v, want %v", c.Documents, want)
	}
}

func TestFeaturedKeepsOrderAndCase(t *testing.T) {
	c, err := load(t, "featured: [b/B, 'a c']\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"b/B", "a c"}; !reflect.DeepEqual(c.Featured, want) {
		t.Errorf("got %q, want %q", c.Featured, want)
	}
}

func TestFaultsNameFileLineAndKey(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"unknown value", "listing: al\n", `apiskills.yaml:1: listing: unknown value "al"; use auto, all, featured, guide or none`},
		{"unknown key", "\nlistng: all\n", `apiskills.yaml:2: unknown key "listng"; did you mean "listing"?`},
		{"other spelling", "page_size: 1\n", `apiskills.yaml:1: unknown key "page_size"; did you mean "pageSize"?`},
		{"other case", "Listing: all\n", `apiskills.yaml:1: unknown key "Listing"; did you mean "listing"?`},
		{"key of a group at the top", "level: info\n", `apiskills.yaml:1: unknown key "level"; write level within log`},
		{"key with a dot", "log.level: info\n", `apiskills.yaml:1: unknown key "log.level"; write level within log`},
		{"top key in a group", "log:\n  listing: all\n", `apiskills.yaml:2: log: unknown key "listing"; listing belongs at the top`},
		{"key near nothing", "log:\n  colour: red\n", `apiskills.yaml:2: log: unknown key "colour"; known here: level, format, access`},
		{"key in a document", "documents:\n  - path: a\n    nam: b\n", `apiskills.yaml:3: documents[0]: unknown key "nam"; did you mean "name"?`},
		{"rule that is empty", "documents:\n  - path: a\n    exclude: [{}]\n", `apiskills.yaml:3: documents[0].exclude[0]: is empty; known here: operation, tag, group, operationId, deprecated, internal`},
		{"key in a rule", "documents:\n  - path: a\n    include:\n      - tags: b\n", `apiskills.yaml:4: documents[0].include[0]: unknown key "tags"; did you mean "tag"?`},
		{"rule that is no list", "documents:\n  - path: a\n    include: {tag: b}\n", `apiskills.yaml:3: documents[0].include: want a list, got keys with values`},
		{"text for a truth value", "documents:\n  - path: a\n    exclude: [{deprecated: \"yes\"}]\n", `apiskills.yaml:3: documents[0].exclude[0].deprecated: want true or false, got the text "yes"`},
		{"standard input", "documents:\n  - path: '-'\n", `apiskills.yaml:2: documents[0].path: standard input can be given as an argument only`},
		{"number for a truth value", "allowPrivate: 1\n", `apiskills.yaml:1: allowPrivate: want true or false, got the number "1"`},
		{"merge key", "<<: {listing: all}\n", `apiskills.yaml:1: a key must be plain text, got the value "<<" of type "!!merge"`},
		{"duplicate key", "listing: all\nlisting: all\n", `apiskills.yaml:2: key "listing" stands here again, first on line 1; keep one`},
		{"number for text", "documents:\n- path: a\n- path: b\n  name: 007\n", `apiskills.yaml:4: documents[1].name: want a string, got the number "007"; quote it`},
		{"text for number", "pageSize: many\n", `apiskills.yaml:1: pageSize: want a whole number, got the text "many"`},
		{"fraction for number", "pageSize: 1.0\n", `apiskills.yaml:1: pageSize: want a whole number, got the number "1.0"`},
		{"number too large", "pageSize: 99999999999999999999\n", `apiskills.yaml:1: pageSize: want a whole number, got the number "99999999999999999999"`},
		{"list for text", "listing: [all]\n", `apiskills.yaml:1: listing: want a string, got a list`},
		{"text for list", "documents: a.yaml\n", `apiskills.yaml:1: documents: want a list, got the text "a.yaml"`},
		{"text for a document", "documents: [a.yaml]\n", `apiskills.yaml:1: documents[0]: want keys with values (path, name, kind, options, skills, server, refRoot, prose, overlays, snippets, include, exclude), got the text "a.yaml"`},
		{"text for a group", "log: debug\n", `apiskills.yaml:1: log: want keys with values (level, format, access), got the text "debug"`},
		{"list for the file", "- listing\n", `apiskills.yaml:1: want keys with values (documents, allowPrivate, templates, prose, cache, transport, addr, watch, refresh, findSkills, insecure, http, tokens, listing, featured, pageSize, maxPages, maxBody, skillTimeout, check, log), got a list`},
		{"no value", "listing:\n", `apiskills.yaml:1: listing: want a string, got no value`},
		{"nothing to see", "tokens: [{name: a, env: A, allow: []}]\n", `apiskills.yaml:1: tokens[0].allow: is empty; leave it out, or name something`},
		{"no path", "documents:\n- name: a\n", `apiskills.yaml:2: documents[0]: has no path`},
		{"empty path", "documents:\n- path: ''\n", `apiskills.yaml:2: documents[0].path: is empty`},
		{"bad name", "documents:\n- {path: a, name: A_b}\n", `apiskills.yaml:2: documents[0].name: unusable name "A_b"; use a-z, 0-9 and single hyphens between them`},
		{"alias", "addr: &a 127.0.0.1:1\nlisting: *a\n", `apiskills.yaml:2: listing: want a string, got the alias *a; write the value out`},
		{"custom tag", "listing: !mode all\n", `apiskills.yaml:1: listing: want a string, got the value "all" of type "!mode"; quote it`},
		{"key that is a number", "1: all\n", `apiskills.yaml:1: a key must be plain text, got the number "1"`},
		{"second document", "listing: all\n---\nlisting: all\n", `apiskills.yaml:2: a second YAML document begins here; keep one`},
		{"below range", "pageSize: 0\n", `apiskills.yaml:1: pageSize: 0 is out of range; use 1 to 10000`},
		{"size out of range", "maxBody: 1MiB\npageSize: 1\nskillTimeout: 1h\n", `apiskills.yaml:3: skillTimeout: 1h is out of range; use 10ms to 10m0s`},
		{"not a size", "maxBody: 4 megabytes\n", `apiskills.yaml:1: maxBody: "4 megabytes" is not a size; write bytes, or a number with KiB or MiB, as in 4MiB`},
		{"number for a duration", "skillTimeout: 10\n", `apiskills.yaml:1: skillTimeout: want a duration, got the number "10"; quote it`},
		{"not a duration", "skillTimeout: 10 seconds\n", `apiskills.yaml:1: skillTimeout: "10 seconds" is not a duration; write one like 500ms, 10s or 2m`},
		{"address without a port", "addr: localhost\n", `apiskills.yaml:1: addr: unusable address "localhost"; write host:port, as in 127.0.0.1:8080`},
		{"port too large", "addr: localhost:99999\n", `apiskills.yaml:1: addr: unusable port "99999"; use 0 to 65535`},
		{"unknown kind", "documents:\n- path: a\n  kind: openap\n", `apiskills.yaml:3: documents[0].kind: unknown kind "openap"; did you mean "openapi"?`},
		{"options that are none", "documents:\n- path: a\n  options: 1\n", `apiskills.yaml:3: documents[0].options: want keys with values, got the number "1"`},
		{"broken YAML", "listing: all\n  addr: [\n", `apiskills.yaml:2: not readable as YAML: mapping values are not allowed in this context`},
		{"several faults, by line", "listing: al\npageSize: 0\n", "apiskills.yaml:1: listing: unknown value \"al\"; use auto, all, featured, guide or none\napiskills.yaml:2: pageSize: 0 is out of range; use 1 to 10000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.file)
			if err == nil {
				t.Fatal("no error")
			}
			if err.Error() != tt.want {
				t.Errorf("\ngot  %s\nwant %s", err, tt.want)
			}
			var e *Error
			if !errors.As(err, &e) {
				t.Errorf("%T is no *Error", err)
			}
		})
	}
}

func TestFaultsAreLimitedInNumber(t *testing.T) {
	_, err := load(t, strings.Repeat("x: 1\n", 1000))
	if n := strings.Count(err.Error(), "\n"); n != maxErrors {
		t.Errorf("%d lines follow the first, want %d", n, maxErrors)
	}
	if !strings.HasSuffix(err.Error(), "990 more faults") {
		t.Errorf("the rest is not counted: %s", err)
	}
}

func TestFilesWithoutSettingsAreFine(t *testing.T) {
	for _, file := range []string{"\n", "# nothing yet\n", "---\n", "{}\n", "\ufeff# BOM\n", "log: {}\n"} {
		if _, err := load(t, file); err != nil {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func TestUnreadableFilesAreErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, file := range map[string]string{"missing": "none.yaml", "directory": "."} {
		if _, err := Load(&Options{File: file}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	os.WriteFile("big.yaml", make([]byte, maxFile+1), 0o600)
	_, err := Load(&Options{File: "big.yaml"})
	if err == nil || !strings.Contains(err.Error(), "larger than 1MiB") {
		t.Errorf("too large: %v", err)
	}
}

func TestBadVariablesAreErrors(t *testing.T) {
	t.Setenv("APISKILLS_PAGE_SIZE", "many")
	_, err := load(t, "")
	want := `APISKILLS_PAGE_SIZE: "many" is not a whole number; use 1 to 10000`
	if err == nil || err.Error() != want {
		t.Errorf("\ngot  %v\nwant %s", err, want)
	}
}

func TestBadFlagsAreErrors(t *testing.T) {
	_, err := load(t, "", "--listing", "al")
	if err == nil || !strings.Contains(err.Error(), `unknown value "al"; use auto,`) {
		t.Errorf("got %v", err)
	}
}

func TestUnknownVariablesAreWarnings(t *testing.T) {
	got := unknownVariables([]string{
		"PATH=/bin", "APISKILLS_LISTING=all", "APISKILLS_LISTNG=all", "APISKILLS_DOCUMENTS=a", "APISKILLS_PORT=tcp://10.0.0.1:80", "APISKILLS_EMPTY=",
	})
	want := []string{
		"environment variable APISKILLS_DOCUMENTS sets nothing; documents is a list, which only the file holds",
		"environment variable APISKILLS_LISTNG sets nothing; did you mean APISKILLS_LISTING?",
		"environment variable APISKILLS_PORT sets nothing",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\ngot  %q\nwant %q", got, want)
	}
}

func TestEveryScalarCanBeSetByItsVariable(t *testing.T) {
	for _, s := range settings {
		if s.scalar != nil {
			t.Setenv(s.env(), s.def)
		}
	}
	c, err := load(t, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Warnings) > 0 {
		t.Errorf("own variables are not known: %q", c.Warnings)
	}
}

func TestExampleIsAConfigurationOfDefaults(t *testing.T) {
	want, err := load(t, "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := load(t, Example())
	if err != nil {
		t.Fatalf("%v\n%s", err, Example())
	}
	for _, s := range settings {
		if s.scalar == nil && !strings.Contains(Example(), s.example) {
			t.Errorf("%s is not shown", s.key)
		}
		if s.scalar != nil && !strings.Contains(Example(), s.env()) {
			t.Errorf("%s is not shown", s.env())
		}
	}
	if len(got.Documents) != 1 || len(got.Featured) != 2 || len(got.Check.Off) != 1 {
		t.Errorf("lists are empty: %+v", got)
	}
	got.File, got.Documents, got.Featured, want.Featured = "", nil, nil, nil
	got.Check.Off, want.Check.Off = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestDocumentArguments(t *testing.T) {
	long := strings.Repeat("a", 59)
	tests := []struct {
		arg  string
		want Document
		err  string
	}{
		{"a.yaml", Document{Path: "a.yaml"}, ""},
		{"shop=a.yaml", Document{Name: "shop", Path: "a.yaml"}, ""},
		{"shop-2=a=b.yaml", Document{Name: "shop-2", Path: "a=b.yaml"}, ""},
		{"./a=b.yaml", Document{Path: "./a=b.yaml"}, ""},
		{"folder:skills", Document{Kind: "folder", Path: "skills"}, ""},
		{"shop=folder:./a=b:c", Document{Kind: "folder", Name: "shop", Path: "./a=b:c"}, ""},
		{"shop=folder:", Document{}, `document "shop=folder:" has no path; write path or name=path`},
		{"./folder:skills", Document{Path: "./folder:skills"}, ""},
		{"directory:skills", Document{Path: "directory:skills"}, ""},
		{"-", Document{Path: "-"}, ""},
		{"shop=-", Document{Name: "shop", Path: "-"}, ""},
		{"shop=https://x.example/a?b=c", Document{Name: "shop", Path: "https://x.example/a?b=c"}, ""},
		{"https://x.example/a?b=c", Document{Path: "https://x.example/a?b=c"}, ""},
		{"Shop=a.yaml", Document{Path: "Shop=a.yaml"}, ""},
		{"=a.yaml", Document{Path: "=a.yaml"}, ""},
		{"shop=", Document{}, `document "shop=" has no path; write path or name=path`},
		{"", Document{}, `document "" has no path; write path or name=path`},
		{long + "=a", Document{}, "name of 59 characters; use at most 58"},
	}
	for _, tt := range tests {
		if tt.want.Kind == "" && tt.err == "" {
			tt.want.Kind = OpenAPI
		}
		got, err := ParseDocument(tt.arg, []string{OpenAPI, "folder"})
		if !reflect.DeepEqual(got, tt.want) || (err == nil) != (tt.err == "") {
			t.Errorf("%q: got %v, %v", tt.arg, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: got %v, want %s", tt.arg, err, tt.err)
		}
	}
}

// FuzzFile holds the strict pass against viper: what passes, viper reads to the
// same values; what fails has a position within the file.
func FuzzFile(f *testing.F) {
	f.Add([]byte(Example()))
	f.Add([]byte("documents:\n- {path: a, name: b}\nlog: {level: debug}\n"))
	f.Add([]byte("pageSize: 0x10\nmaxPages: 0b11\nmaxBody: 1_024\n"))
	f.Add([]byte("pageSize: !!int \"12\"\nlisting: !!str all\n"))
	f.Add([]byte("addr: &a 127.0.0.1:1\nlisting: *a\n<<: *a\n"))
	f.Add([]byte("? {a: b}\n: - - - c\n--- \n...\n"))
	f.Add([]byte("listing: |\n  all\nfeatured: [a, 'b', \"\\x41\"]\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		if err := (&checker{file: "f.yaml", kinds: []string{OpenAPI}, options: map[string]*yaml.Node{}}).check(data); err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%T: %v", err, err)
			}
			if e.Line < 0 || e.Line > len(data)+1 {
				t.Fatalf("line %d of a file of %d bytes", e.Line, len(data))
			}
			return
		}
		file := filepath.Join(dir, "f.yaml")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(&Options{File: file})
		if err != nil {
			t.Fatalf("passes the check, and then: %v", err)
		}
		for _, d := range c.Documents {
			if d.Path == "" || (d.Name != "" && checkName(d.Name) != nil) {
				t.Fatalf("document %+v", d)
			}
		}
		if c.PageSize < 1 || c.MaxPages < 0 || c.MaxBody < 1<<10 || c.SkillTimeout <= 0 || c.Addr == "" {
			t.Fatalf("out of range: %+v", c)
		}
	})
}

// TestMain unsets the variable that other packages' tests find a corpus by: it would be
// reported as one that sets nothing.
func TestMain(m *testing.M) {
	os.Unsetenv("APISKILLS_CORPUS")
	os.Exit(m.Run())
}
