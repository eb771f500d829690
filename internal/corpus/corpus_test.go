package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apiskills/apiskills/internal/ledger"
	"gopkg.in/yaml.v3"
)

// TestCorpus has the command list and export every document, and checks that
// each operation is one skill, complete and well-formed, and that all of it
// opens no connection.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("APISKILLS_CORPUS")
	if dir == "" {
		t.Skip("APISKILLS_CORPUS names no directory of documents")
	}
	docs, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	command := build(t)
	l := listen(t)
	t.Run("documents", func(t *testing.T) { // so that all of them have ended below
		for _, d := range docs {
			t.Run(d.name, func(t *testing.T) {
				if testing.Short() && d.bytes > 600_000 {
					t.Skip("large, left out with -short")
				}
				if slices.Contains(alike, d.name) && !*everyDocument {
					t.Skip("it is like a smaller one; with -every-document")
				}
				t.Parallel()
				c, err := read(d.path)
				if err != nil {
					t.Fatal(err)
				}
				out := filepath.Join(t.TempDir(), "skills")
				args := []string{d.path}
				if d.refRoot != "" {
					args = append(args, "--ref-root", d.refRoot)
				}
				var entries []*entry
				if err := json.Unmarshal(command(t, l, append([]string{"list", "--json"}, args...)...), &entries); err != nil {
					t.Fatal(err)
				}
				command(t, l, append([]string{"export", "--out", out}, args...)...)
				check(t, c, entries, out)
			})
		}
	})
	if n := l.connections.Load(); n > 0 {
		t.Errorf("%d connections were opened", n)
	}
}

// An entry is a skill as the list command prints it, with its files.
type entry struct {
	URI         string
	Frontmatter struct {
		Name, Description string
		Metadata          map[string]string
	}
	Resources []struct{ URI string }

	files map[string]string
}

// key is that of the operation that an entry says it is of; "" for a guide.
func (e *entry) key() string {
	m := e.Frontmatter.Metadata
	if m["kind"] == "guide" {
		return ""
	}
	return m["pointer"]
}

func check(t *testing.T, d *ledger.Document, entries []*entry, dir string) {
	if want := len(d.Operations()) + 1; len(entries) != want {
		t.Errorf("%d skills, want %d", len(entries), want)
	}
	uris, names, keys := map[string]bool{}, map[string]bool{}, map[string]*entry{}
	for _, e := range entries {
		name, key := e.Frontmatter.Name, e.key()
		if uris[e.URI] || names[name] || keys[key] != nil {
			t.Errorf("%s: its URI, its name or its operation, %q, is there twice", e.URI, key)
		}
		uris[e.URI], names[name], keys[key] = true, true, e
		e.read(t, dir)
		e.checkFrontmatter(t)
		e.checkLinks(t)
	}
	guide := keys[""]
	if guide == nil {
		t.Fatal("no guide")
	}
	guideText := strings.Join(slices.Collect(maps.Values(guide.files)), "\n")
	for _, e := range entries {
		for name, text := range e.files {
			for _, uri := range skillURI.FindAllString(text, -1) {
				if !uris[uri] {
					t.Errorf("%s: %s names the skill %s, which does not exist", e.URI, name, uri)
				}
			}
		}
		if e != guide && !strings.Contains(guideText, e.URI) {
			t.Errorf("the guide does not name %s", e.URI)
		}
	}
	for _, op := range d.Operations() {
		if e := keys[op.Pointer]; e == nil || e.Frontmatter.Metadata["method"] != op.Method {
			t.Errorf("no skill for %s %s", op.Method, op.Path)
		}
	}
}

var (
	skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	skillURI  = regexp.MustCompile(`skill://[a-z0-9/-]+/SKILL\.md`)
	linkDest  = regexp.MustCompile(`\]\(([^)\s]*)\)`)
)

// read reads the exported files of a skill, which must be those that its entry
// lists.
func (e *entry) read(t *testing.T, dir string) {
	t.Helper()
	e.files = map[string]string{}
	base := strings.TrimSuffix(e.URI, "SKILL.md")
	for _, r := range e.Resources {
		name, ok := strings.CutPrefix(r.URI, base)
		if !ok {
			t.Errorf("%s lists the file %s", e.URI, r.URI)
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(r.URI, "skill://"))))
		if err != nil {
			t.Error(err)
		}
		e.files[name] = string(data)
	}
}

// checkFrontmatter reads the frontmatter as a host would, with a parser of YAML.
func (e *entry) checkFrontmatter(t *testing.T) {
	t.Helper()
	head, _, ok := strings.Cut(strings.TrimPrefix(e.files["SKILL.md"], "---\n"), "\n---\n")
	if !ok || !strings.HasPrefix(e.files["SKILL.md"], "---\n") {
		t.Errorf("%s has no frontmatter", e.URI)
		return
	}
	got := e.Frontmatter
	got.Metadata = nil
	got.Name, got.Description = "", ""
	if err := yaml.Unmarshal([]byte(head), &got); err != nil {
		t.Errorf("%s: %v", e.URI, err)
	} else if !reflect.DeepEqual(got, e.Frontmatter) {
		t.Errorf("%s: the frontmatter is %v, its entry has %v", e.URI, got, e.Frontmatter)
	}
	if n := got.Name; !skillName.MatchString(n) || len(n) > 64 || n != path.Base(path.Dir(e.URI)) {
		t.Errorf("%s has the name %q", e.URI, n)
	}
	if n := len([]rune(got.Description)); n == 0 || n > 1024 {
		t.Errorf("%s: the description has %d characters", e.URI, n)
	}
}

// checkLinks checks that relative links lead to files of the skill.
func (e *entry) checkLinks(t *testing.T) {
	t.Helper()
	for name, text := range e.files {
		for _, m := range linkDest.FindAllStringSubmatch(prose(text), -1) {
			if _, ok := e.files[path.Join(path.Dir(name), m[1])]; !ok {
				t.Errorf("%s: in %s the link to %q leads nowhere", e.URI, name, m[1])
			}
		}
	}
}

// prose returns Markdown without its code.
func prose(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(strings.TrimSpace(line), "> ")
		switch ticks := bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]; {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence != "" && len(ticks) >= len(fence) && len(ticks) == len(bare):
			fence = ""
		case fence == "":
			b.WriteString(codeSpan.ReplaceAllString(line, ""))
		}
	}
	return b.String()
}

var codeSpan = regexp.MustCompile("``+ .*? ``+|``[^`].*?``|`[^`]+`")

// TestNothingIsFetched has references and URLs of every kind lead to a listener,
// which must see no connection.
func TestNothingIsFetched(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	command := build(t)
	l := listen(t)
	doc := filepath.Join(t.TempDir(), "openapi.yaml")
	text := strings.ReplaceAll(planted, "URL", "http://"+l.Addr().String())
	if err := os.WriteFile(doc, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var entries []*entry
	if err := json.Unmarshal(command(t, l, "list", "--json", doc), &entries); err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 {
		t.Errorf("%d skills, want one and the guide", len(entries))
	}
	if n := l.connections.Load(); n > 0 {
		t.Errorf("%d connections were opened", n)
	}
}

const planted = `openapi: 3.1.0
$self: URL/openapi.yaml
jsonSchemaDialect: URL/dialect
info: {title: Ferries, version: "1", license: {name: own, url: URL/license}}
externalDocs: {url: URL/docs}
servers: [{url: URL/v1}]
security: [{login: []}, {token: []}]
paths:
  /elsewhere: {$ref: URL/item.yaml}
  /sailings:
    get:
      externalDocs: {url: URL/docs}
      parameters: [{$ref: "URL/parameter.yaml#/day"}]
      responses:
        "200":
          description: sailings
          headers: {Next: {$ref: URL/header.yaml}}
          links: {next: {operationRef: URL/openapi.yaml#/paths/~1next/get}}
          content:
            application/json:
              schema: {$schema: URL/dialect, $id: URL/schema, type: object, properties: {port: {$ref: URL/port.yaml}}}
              examples: {one: {externalValue: URL/one.json}, two: {$ref: URL/two.yaml}}
        "404": {$ref: URL/response.yaml}
      callbacks: {sailed: {$ref: URL/callback.yaml}}
components:
  securitySchemes:
    login: {type: openIdConnect, openIdConnectUrl: URL/.well-known/openid-configuration}
    token: {type: oauth2, flows: {clientCredentials: {tokenUrl: URL/token, scopes: {}}}}
`

// TestPageHasTheCounts runs the whole of it on the example. No time is judged.
func TestPageHasTheCounts(t *testing.T) {
	example, err := os.ReadFile("../../examples/bookshop/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"MANIFEST.tsv": "file\tbytes\nbookshop.yaml\t1\n", "bookshop.yaml": string(example)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := read(filepath.Join(dir, "bookshop.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	calls, hooks := count(d)
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-dir", dir, "-rounds", "1"}, &out); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("\n| bookshop.yaml | %s | %d | %d | %d | 0 | ", d.Version, calls, hooks, calls+hooks+1)
	if calls == 0 || hooks == 0 || !strings.Contains(out.String(), want) {
		t.Errorf("no line begins with %q:\n%s", want, &out)
	}
}

// build builds the command, and returns a function that runs it to its end and
// returns what it prints. It must exit with 0.
func build(t *testing.T) func(t *testing.T, l *listener, args ...string) []byte {
	t.Helper()
	looksAtSources(t)
	binary := filepath.Join(t.TempDir(), "apiskills.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../../cmd/apiskills").CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v\n%s", err, out)
	}
	return func(t *testing.T, l *listener, args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), binary, args...)
		cmd.Env = os.Environ()
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
			cmd.Env = append(cmd.Env, name+"=http://"+l.Addr().String(), strings.ToLower(name)+"=http://"+l.Addr().String())
		}
		cmd.Env = append(cmd.Env, "NO_PROXY=", "no_proxy=")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("apiskills %s: %v\n%s", args[0], err, stderr.Bytes())
		}
		return stdout.Bytes()
	}
}

// looksAtSources has the go command see that the test depends on every file
// that the command may be built from.
func looksAtSources(t *testing.T) {
	t.Helper()
	for _, dir := range []string{"cmd", "config", "framework", "generators", "internal/check", "internal/ledger", "internal/replay"} {
		if err := filepath.WalkDir("../../"+dir, func(_ string, _ os.DirEntry, err error) error { return err }); err != nil {
			t.Fatal(err)
		}
	}
}

// A listener counts connections, and closes them.
type listener struct {
	net.Listener
	connections atomic.Int64
}

func listen(t *testing.T) *listener {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{Listener: inner}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			l.connections.Add(1)
			conn.Close()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	return l
}
