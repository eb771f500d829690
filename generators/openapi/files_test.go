package openapi

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

// folderOf writes files below a new folder and returns it.
func folderOf(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// referring is a document whose one schema is a reference.
func referring(ref string) string {
	return fmt.Sprintf(`{"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{"/x":{"get":{"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":%q}}}}}}}}}`, ref)
}

const secret = `{"type":"object","properties":{"secret_member":{"type":"string"}}}`

// render loads the document, and returns its one skill and the diagnostics.
func render(t testing.TB, file string, opts *Options) (string, []framework.Diagnostic) {
	t.Helper()
	g, err := Load(context.Background(), file, opts)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for p := range g.Paths(context.Background(), "") {
		s, err := g.Skill(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range contents(t, s) {
			all.WriteString(text)
		}
	}
	var diags []framework.Diagnostic
	for d := range g.Diagnostics(context.Background()) {
		diags = append(diags, d)
	}
	return all.String(), diags
}

func TestNothingOutsideTheFolderIsRead(t *testing.T) {
	dir := folderOf(t, map[string]string{"outside.json": secret, "passwd": secret, "in/api/sub/a.json": secret})
	api := filepath.Join(dir, "in", "api")
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(api, name)); err != nil {
			t.Skip(err)
		}
	}
	link(filepath.Join(dir, "outside.json"), "absolute.json")
	link(filepath.Join("..", "..", "outside.json"), "relative.json")
	link(filepath.Join("..", ".."), "folder")
	link(filepath.Join("sub", "a.json"), "good.json")
	sparse, err := os.Create(filepath.Join(api, "huge.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := sparse.Truncate(2 << 30); err != nil {
		t.Skip(err)
	}
	sparse.Close()
	if err := os.Mkdir(filepath.Join(api, "dir.json"), 0o777); err != nil {
		t.Fatal(err)
	}
	makeFIFO(t, filepath.Join(api, "fifo.json"))
	for ref, want := range map[string]string{
		"../../outside.json":      "--ref-root " + filepath.ToSlash(dir) + " ",
		"sub/../../../passwd":     "no .json",
		"../../../etc/passwd":     "no .json",
		"absolute.json":           "symbolic link",
		"relative.json":           "symbolic link",
		"folder/outside.json":     "symbolic link",
		"huge.json":               "2147483648 bytes",
		"dir.json":                "is a directory",
		"fifo.json":               "no regular file",
		"none.json":               "does not exist",
		"file:///etc/passwd":      "file: URL",
		"http://169.254.169.254/": "network",
		"sub/a.json":              "",
		"good.json":               "",
		"./sub//a.json#":          "",
	} {
		file := filepath.Join(api, "openapi.json")
		if err := os.WriteFile(file, []byte(referring(ref)), 0o666); err != nil {
			t.Fatal(err)
		}
		text, diags := render(t, file, nil)
		if strings.Contains(text, "secret_member") != (want == "") {
			t.Errorf("%s: read: %v", ref, want != "")
		}
		if want == "" && len(diags) > 0 || want != "" && (len(diags) != 1 || !strings.Contains(diags[0].Message, want) || !strings.Contains(diags[0].Message, ref)) {
			t.Errorf("%s: %v, want %q", ref, diags, want)
		}
	}
}

func TestARefRootIsWhatTheDiagnosticSays(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"a/b/openapi.json": referring("../../c/one.json"),
		"c/one.json":       `{"allOf":[{"$ref":"../c/two.yaml"}]}`,
		"c/two.yaml":       secret,
	})
	file := filepath.Join(dir, "a", "b", "openapi.json")
	text, diags := render(t, file, nil)
	if strings.Contains(text, "secret_member") || len(diags) != 1 {
		t.Fatalf("without a root: %v", diags)
	}
	_, hint, _ := strings.Cut(diags[0].Message, "--ref-root ")
	root, _, _ := strings.Cut(hint, " ")
	text, diags = render(t, file, &Options{RefRoot: root})
	if !strings.Contains(text, "secret_member") || len(diags) != 0 {
		t.Errorf("with the root %s: %v", root, diags)
	}
	if _, diags = render(t, file, &Options{RefRoot: filepath.Join(dir, "a")}); len(diags) != 1 || !strings.Contains(diags[0].Message, "--ref-root "+filepath.ToSlash(dir)+" ") {
		t.Errorf("with too small a root: %v", diags)
	}
	for root, want := range map[string]string{filepath.Join(dir, "c"): "not inside", filepath.Join(dir, "none"): "not inside"} {
		if _, err := Load(context.Background(), file, &Options{RefRoot: root}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("root %s: %v", root, err)
		}
	}
}

func TestADocumentOfBytesReadsNoFiles(t *testing.T) {
	dir := folderOf(t, map[string]string{"a.json": secret})
	t.Chdir(dir)
	g, err := New("openapi.json", []byte(referring("a.json")), &Options{RefRoot: dir})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for d := range g.Diagnostics(context.Background()) {
		if n++; !strings.Contains(d.Message, "no folder") {
			t.Errorf("diagnostic %v", d)
		}
	}
	if n != 1 {
		t.Errorf("%d diagnostics", n)
	}
}

func TestWordsOfTagsMayStandInAnotherFile(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"openapi.yaml": "openapi: 3.0.0\ninfo: {title: T, version: '1', description: {$ref: 'words.yaml#/info'}}\ntags: [{name: things, description: {$ref: 'words.yaml#/tag'}}]\npaths: {/x: {get: {tags: [things], responses: {}}}}\n",
		"words.yaml":   "info: What it is all about\ntag: Things of every kind\n",
	})
	text, diags := render(t, filepath.Join(dir, "openapi.yaml"), nil)
	for _, want := range []string{"What it is all about", "Things of every kind"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if len(diags) > 0 {
		t.Error(diags)
	}
}
