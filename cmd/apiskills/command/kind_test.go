package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
)

// notes is a generator as somebody else would write it: a file with a note a line, each
// of which is a skill.
type notes struct {
	lines  []string
	tone   string
	closed *int
}

type notesOptions struct {
	Tone string   `yaml:"tone" doc:"how it is said"`
	Only []string `yaml:"only" doc:"the notes to serve"`
	More Path     `yaml:"more" doc:"a second file"`
}

func (o *notesOptions) Validate() error {
	if o.Tone == "loud" {
		return errors.New("tone: not loud, please")
	}
	return nil
}

func (n *notes) Skill(_ context.Context, path string) (*framework.Skill, error) {
	if !slices.Contains(n.lines, path) {
		return nil, fmt.Errorf("%q: %w", path, framework.ErrNotFound)
	}
	text := fmt.Sprintf("---\nname: %s\ndescription: \"Says %s %s.\"\n---\n\nSay it.\n", path, path, n.tone)
	return &framework.Skill{Files: []framework.File{framework.TextFile("SKILL.md", text)}}, nil
}

func (n *notes) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return framework.PathList(n.lines).Paths(ctx, after)
}

func (n *notes) Close() error { *n.closed++; return nil }

// notesProgram is a build with that kind alone.
func notesProgram(closed *int, more ...Kind) *Program {
	kind := NewKind("notes", "a file with a note a line", notesOptions{Tone: "softly"}, func(_ context.Context, src *Source, o notesOptions) (framework.Generator, error) {
		var lines []string
		for _, file := range []string{src.Path, string(o.More)} {
			if file == "" {
				continue
			}
			src.Uses(file)
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			for _, line := range strings.Fields(string(text)) {
				if len(o.Only) == 0 || slices.Contains(o.Only, line) {
					lines = append(lines, line)
				}
			}
		}
		slices.Sort(lines)
		return &notes{lines, o.Tone, closed}, nil
	})
	return &Program{Name: "notable", Version: "7.1", Kinds: append([]Kind{kind}, more...)}
}

func run(t *testing.T, p *Program, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = p.Run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return status, out.String(), errs.String()
}

func TestABuildWithAKindOfItsOwnHasEveryCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "to-do.txt", "call-mum\nwater-plants\n")
	write(t, "conf/more.txt", "sleep\n")
	write(t, "conf/apiskills.yaml", "documents:\n- kind: notes\n  name: mine\n  path: ../to-do.txt\n  options:\n    more: more.txt\n    tone: slowly\n")
	closed := 0
	tests := []struct {
		args []string
		want []string // in what it prints on standard output
	}{
		{[]string{"list", "notes:to-do.txt"}, []string{"skill://to-do/call-mum/SKILL.md\tSays call-mum softly.", "water-plants"}},
		{[]string{"list", "x=to-do.txt", "--option", "tone=at once", "--option", "only=call-mum"}, []string{"skill://x/call-mum/SKILL.md\tSays call-mum at once.\n"}},
		{[]string{"list", "--config", "conf/apiskills.yaml"}, []string{"skill://mine/sleep/SKILL.md\tSays sleep slowly."}},
		{[]string{"list", "--config", "conf/apiskills.yaml", "--option", "tone=fast"}, []string{"Says sleep fast."}},
		{[]string{"show", "skill://to-do/call-mum/SKILL.md", "to-do.txt"}, []string{`"digest": "sha256:`}},
		{[]string{"read", "skill://to-do/call-mum/SKILL.md", "to-do.txt"}, []string{"Say it."}},
		{[]string{"ls", "skill://to-do", "to-do.txt"}, []string{"call-mum/\nwater-plants/\n"}},
		{[]string{"check", "to-do.txt"}, []string{"0 errors, 0 warnings, 0 notes in 1 document, 2 skills"}},
		{[]string{"check", "--strict", "--replay", "to-do.txt"}, []string{"0 errors, 0 warnings, 0 notes in 1 document, 2 skills"}},
		{[]string{"plan", "to-do.txt"}, []string{"all"}},
		{[]string{"export", "to-do.txt", "--out", "out"}, nil},
		{[]string{"version"}, []string{"notable 7.1\n"}},
		{[]string{"help"}, []string{"notes:PATH", "a file with a note a line (PATH alone, too)", "notable list"}},
		{[]string{"help", "notes"}, []string{"notable serve NAME=notes:PATH", "tone: how it is said (default softly)", "more: a second file"}},
	}
	for _, tt := range tests {
		status, stdout, stderr := run(t, notesProgram(&closed), tt.args...)
		if status != exitOK {
			t.Errorf("%v: exit status %d: %s", tt.args, status, stderr)
		}
		for _, want := range tt.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%v: %q is not in\n%s", tt.args, want, stdout)
			}
		}
	}
	if text, err := os.ReadFile(filepath.Join("out", "to-do", "call-mum", "SKILL.md")); err != nil || !strings.Contains(string(text), "Say it.") {
		t.Errorf("exported: %q, %v", text, err)
	}
	if closed != 11 {
		t.Errorf("%d generators were closed, of eleven", closed)
	}
}

func TestFaultsOfAKindOfItsOwnAreNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "to-do.txt", "call-mum\n")
	write(t, "___.txt", "call-mum\n")
	write(t, "twins/to-do.txt", "sleep\n")
	write(t, "bad.yaml", "documents:\n- path: to-do.txt\n  options:\n    tome: x\n")
	write(t, "api.yaml", "documents:\n- path: to-do.txt\n  server: https://x.example\n")
	write(t, "none.yaml", "documents:\n- path: to-do.txt\n  kind: note\n")
	write(t, "openapi.yaml", "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {responses: {'200': {description: ok}}}}}\n")
	write(t, "optional.yaml", "documents:\n- path: openapi.yaml\n  kind: openapi\n  options: {tone: x}\n")
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"list", "nowhere.txt"}, "notable: open nowhere.txt: "},
		{[]string{"list", "to-do.txt", "--option", "tome=x"}, `notable: --option "tome=x": unknown option "tome"; did you mean "tone"?`},
		{[]string{"list", "to-do.txt", "--option", "tone=loud"}, "notable: --option: tone: not loud, please"},
		{[]string{"list", "--config", "bad.yaml"}, `notable: bad.yaml:4: documents[0].options: unknown key "tome"`},
		{[]string{"list", "--config", "api.yaml"}, `notable: api.yaml:3: documents[0].server: is for documents of the kind openapi, and this one is of the kind "notes"`},
		{[]string{"list", "--config", "none.yaml"}, `notable: none.yaml:3: documents[0].kind: unknown kind "note"; did you mean "notes"?`},
		{[]string{"list", "--config", "optional.yaml"}, "an OpenAPI document has no options"},
		{[]string{"list", "___.txt"}, "notable: ___.txt: no name for it can be made of its path; give one, as in name=notes:___.txt"},
		{[]string{"list", "to-do.txt", "twins/to-do.txt"}, `both have the name "to-do", which begins their skills' URIs; name one of them, as in to-do-2=notes:twins/to-do.txt`},
		{[]string{"list", "to-do.txt", "--exclude", "deprecated"}, "are for OpenAPI documents, and there is none"},
		{[]string{"list", "openapi:openapi.yaml", "--option", "tone=x"}, "--option is for documents that are not OpenAPI, and there is none"},
	}
	closed := 0
	for _, tt := range tests {
		status, stdout, stderr := run(t, notesProgram(&closed, OpenAPI()), tt.args...)
		if status != exitUnusable || stdout != "" {
			t.Errorf("%v: exit status %d: %s", tt.args, status, stdout)
		}
		if !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: %q is not in\n%s", tt.args, tt.want, stderr)
		}
	}
	if status, _, stderr := run(t, notesProgram(&closed), "list", "to-do.txt", "--exclude", "deprecated"); status != exitUnusable || !strings.Contains(stderr, "unknown flag: --exclude") {
		t.Errorf("a build without OpenAPI has its flags: %s", stderr)
	}
}

func TestOneServerHasDocumentsOfSeveralKinds(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "to-do.txt", "call-mum\n")
	write(t, "openapi.yaml", "openapi: 3.1.0\ninfo: {title: T, version: '1'}\nservers: [{url: https://t.example}]\npaths: {/a: {get: {summary: Get it, responses: {'200': {description: ok}}}}}\n")
	closed := 0
	status, stdout, stderr := run(t, notesProgram(&closed, OpenAPI()), "list", "mine=to-do.txt", "openapi:openapi.yaml", "--exclude", "deprecated", "--option", "tone=x")
	if status != exitOK {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	for _, want := range []string{"skill://mine/call-mum/", "skill://t/t-guide/"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%s is not in\n%s", want, stdout)
		}
	}
}

func TestAProgramWhoseKindsCannotWorkPanicsAtOnce(t *testing.T) {
	open := func(context.Context, *Source, struct{}) (framework.Generator, error) { return nil, nil }
	for name, kinds := range map[string][]Kind{
		"none":      nil,
		"zero":      {{}},
		"one twice": {OpenAPI(), OpenAPI()},
		"a drive":   {NewKind("c", "", struct{}{}, open)},
		"a scheme":  {NewKind("HTTP", "", struct{}{}, open)},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			(&Program{Kinds: kinds}).Run(t.Context(), []string{"version"}, nil, &bytes.Buffer{}, &bytes.Buffer{})
		}()
	}
	if status, _, stderr := run(t, &Program{Kinds: []Kind{NewKind("nothing", "", struct{}{}, open)}}, "list", "x=y"); status != exitUnusable || !strings.Contains(stderr, "y: the kind nothing made no generator") {
		t.Errorf("a kind that makes no generator: exit status %d: %s", status, stderr)
	}
}

func TestAFileOfAnyKindIsWatched(t *testing.T) {
	dir := t.TempDir()
	doc, more := filepath.Join(dir, "a.txt"), filepath.Join(dir, "more.txt")
	write(t, doc, "one\n")
	write(t, more, "two\n")
	closed := 0
	a := notesProgram(&closed).newApp(nil, nil, &bytes.Buffer{})
	flags := a.serveCommand().Flags()
	if err := flags.Parse([]string{"--option", "more=" + more}); err != nil {
		t.Fatal(err)
	}
	s, err := a.configure(flags, []string{doc})
	if err != nil {
		t.Fatal(err)
	}
	sh, err := a.newShelf(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := sh.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{doc, more} {
		if _, ok := sh.slots[0].files[file]; !ok {
			t.Errorf("%s is not watched: %v", file, sh.slots[0].files)
		}
	}
	write(t, more, "two\nthree\n")
	readAnew(t, sh, 0)
	if _, err := sh.catalog.Get(t.Context(), "skill://a/three/SKILL.md"); err != nil {
		t.Error(err)
	}
	if closed != 0 {
		t.Error("the generator of before is closed while it may still be asked")
	}
	if a.closeAll(); closed != 2 {
		t.Errorf("%d generators were closed, of two", closed)
	}
}

func TestASourceKnowsTheURIsOfItsSkills(t *testing.T) {
	tests := []struct {
		doc, name, uri string
		named          bool
	}{
		{"x=a.txt", "x", "skill://x/one/two/SKILL.md", true},
		{"dir/Shop Data.db", "shop-data", "skill://shop-data/one/two/SKILL.md", false},
		{"dir/주문.db", "", "", false},
		{"wiki://Wiki.example/Team", "team", "skill://team/one/two/SKILL.md", false},
	}
	for _, tt := range tests {
		var got Source
		var uri string
		kind := NewKind("seen", "", struct{}{}, func(_ context.Context, src *Source, _ struct{}) (framework.Generator, error) {
			got, uri = *src, src.URI("one/two")
			return fakeSource{[]string{"one"}}, nil
		})
		if status, _, stderr := run(t, &Program{Kinds: []Kind{kind}}, "list", tt.doc); status != exitOK {
			t.Errorf("%s: exit status %d: %s", tt.doc, status, stderr)
		}
		if tt.uri == "" { // a hash
			tt.name, tt.uri = got.Name, "skill://"+got.Name+"/one/two/SKILL.md"
		}
		if got.Name != tt.name || got.Named != tt.named || uri != tt.uri || !framework.ValidName(got.Name) {
			t.Errorf("%s: %q, %v, %s", tt.doc, got.Name, got.Named, uri)
		}
	}
}

// TestAFolderOfSkillsIsWatchedOnce looks at who tells of its changes: the generator, or
// else the shelf, which opens the document anew. Without --watch nobody does.
func TestAFolderOfSkillsIsWatchedOnce(t *testing.T) {
	for _, still := range []bool{false, true} { // as documents are
		for _, watch := range []bool{false, true} {
			options := &framework.FSOptions{}
			if still {
				options.Interval = -1
			}
			used := false
			src := &Source{s: &session{Config: &config.Config{Watch: watch}}, uses: func(string) { used = true }}
			g, err := withSkills(framework.FromFS(fstest.MapFS{}, options), config.Document{Skills: t.TempDir()}, src)
			if err != nil {
				t.Fatal(err)
			}
			_, watched := framework.As[framework.Watcher](g)
			if watched != (watch && !still) || used == watched {
				t.Errorf("with watch %t, over a source that is a Watcher: %t: it is a Watcher: %t, and the shelf is told: %t", watch, !still, watched, used)
			}
		}
	}
}

func TestTheConfigurationOfAHostHasAbsolutePathsInOptions(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "to-do.txt", "sleep\n")
	write(t, "more.txt", "eat\n")
	closed := 0
	status, _, stderr := run(t, notesProgram(&closed), "serve", "to-do.txt", "--transport", "stdio", "--option", "more=more.txt", "--option", "tone=more.txt", "--option", "only=[eat, sleep]")
	if status != exitOK {
		t.Fatal(stderr)
	}
	_, text, _ := strings.Cut(stderr, "For the configuration of a host:")
	var host struct{ McpServers map[string]hostServer }
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&host); err != nil {
		t.Fatal(err)
	}
	want := []string{"serve", "--option", "more=" + absolute("more.txt"), "--option", "tone=more.txt", "--option", "only=[eat, sleep]", "--transport", "stdio", "notes:" + absolute("to-do.txt")}
	if got := host.McpServers["notable"].Args; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestAPanicOfAKindIsAnErrorOfItsDocument(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.txt", "eat\n")
	closed := 0
	broken := NewKind("broken", "a source that fails", struct{}{}, func(context.Context, *Source, struct{}) (framework.Generator, error) { panic("no such luck") })
	status, stdout, stderr := run(t, notesProgram(&closed, broken), "list", "a.txt", "broken:b")
	if status != exitFailed || !strings.Contains(stdout, "skill://a/eat/") || !strings.Contains(stderr, "b: the kind broken failed: panic: no such luck") {
		t.Errorf("exit status %d, %q, %s", status, stdout, stderr)
	}
}

func TestAGeneratorThatIsNotServedIsClosed(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.txt", "eat\n")
	closed := 0
	if status, _, _ := run(t, notesProgram(&closed), "list", "a.txt", "--skills", "nowhere"); status != exitUnusable || closed != 1 {
		t.Errorf("exit status %d, closed %d times", status, closed)
	}
}
