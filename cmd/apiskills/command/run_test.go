package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/apiskills/apiskills/framework"
)

// A fakeSource is a generator of the skills listed; one called "broken" cannot
// be made.
type fakeSource struct{ framework.PathList }

func (fakeSource) Skill(_ context.Context, path string) (*framework.Skill, error) {
	if strings.HasSuffix(path, "broken") {
		return nil, errors.New("out of paper")
	}
	var diags []framework.Diagnostic
	if strings.HasSuffix(path, "worn") {
		diags = []framework.Diagnostic{{Severity: framework.Error, Rule: "worn", Message: path + " lost a leaf"}, {Severity: framework.Note, Rule: "old", Message: "it is old"}}
	}
	text := fmt.Sprintf("---\nname: %s\ndescription: Does %s.\n---\n", filepath.Base(path), path)
	return &framework.Skill{Files: []framework.File{framework.TextFile("SKILL.md", text)}, Diagnostics: diags}, nil
}

// runFake runs the command over fake sources instead of documents: the path of
// a DOC is the list of its skills.
func runFake(t *testing.T, ctx context.Context, stdout io.Writer, args ...string) (status int, stderr string) {
	t.Helper()
	var errs bytes.Buffer
	kind := NewKind("fake", "the paths of its skills, with commas between them", struct{}{}, func(_ context.Context, src *Source, _ struct{}) (framework.Generator, error) {
		return fakeSource{strings.Split(src.Path, ",")}, nil
	})
	p := &Program{Kinds: []Kind{kind}}
	return p.Run(ctx, args, strings.NewReader(""), stdout, &errs), errs.String()
}

func TestListPrintsTheOthersWhenASkillFails(t *testing.T) {
	for _, flags := range [][]string{{"--log-level=error"}, {"--log-level=error", "--json"}} {
		var out bytes.Buffer
		status, stderr := runFake(t, t.Context(), &out, append([]string{"list", "x=a,broken,c"}, flags...)...)
		if status != exitFailed {
			t.Errorf("%v: exit status %d, want %d", flags, status, exitFailed)
		}
		if !strings.Contains(stderr, "apiskills: skill://x/broken/SKILL.md: ") || !strings.Contains(stderr, "out of paper") {
			t.Errorf("%v: the failed skill is not named: %s", flags, stderr)
		}
		for _, uri := range []string{"skill://x/a/SKILL.md", "skill://x/c/SKILL.md"} {
			if !strings.Contains(out.String(), uri) {
				t.Errorf("%v: %s is lost:\n%s", flags, uri, &out)
			}
		}
		if len(flags) > 1 && !json.Valid(out.Bytes()) {
			t.Errorf("no JSON:\n%s", &out)
		}
	}
}

func TestErrorsThatOnlyMakingASkillFindsArePrinted(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"list", "x=a,b-worn,c-worn"}, {"export", "x=a,b-worn,c-worn", "--out", "out"}} {
		status, stderr := runFake(t, t.Context(), io.Discard, args...)
		want := "error: b-worn lost a leaf (worn)\nerror: c-worn lost a leaf (worn)\n"
		if status != exitOK || !strings.HasPrefix(stderr, want) || strings.Contains(stderr, "it is old") {
			t.Errorf("%v: exit status %d: %s", args, status, stderr)
		}
		if _, stderr = runFake(t, t.Context(), io.Discard, append(args, "--verbose", "--log-level=error", "--out", "again")...); args[0] == "export" && strings.Count(stderr, "it is old") != 1 {
			t.Errorf("%v --verbose: %s", args, stderr)
		}
	}
}

func TestListIsInOrder(t *testing.T) {
	var paths []string
	for i := range 500 {
		paths = append(paths, fmt.Sprintf("p%03d", i))
	}
	var out bytes.Buffer
	if status, stderr := runFake(t, t.Context(), &out, "list", "x="+strings.Join(paths, ",")); status != exitOK {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(paths) {
		t.Fatalf("%d lines, want %d", len(lines), len(paths))
	}
	for i, line := range lines {
		if want := "skill://x/" + paths[i] + "/SKILL.md\tDoes " + paths[i] + "."; line != want {
			t.Fatalf("line %d is %q, want %q", i+1, line, want)
		}
	}
}

// A closedPipe is a pipe whose reader is gone.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestAClosedPipeEndsQuietly(t *testing.T) {
	for _, args := range [][]string{{"list", "x=a"}, {"list", "x=a", "--json"}, {"read", "skill://x/a/SKILL.md", "x=a"}, {"version"}, {"help"}} {
		if status, stderr := runFake(t, t.Context(), closedPipe{}, args...); status != exitOK || stderr != "" {
			t.Errorf("%v: exit status %d: %s", args, status, stderr)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestAFailedWriteIsAFailure(t *testing.T) {
	for _, args := range [][]string{{"list", "x=a"}, {"list", "x=a", "--json"}, {"show", "skill://x/a/SKILL.md", "x=a"}, {"version"}} {
		if status, stderr := runFake(t, t.Context(), fullDisk{}, args...); status != exitFailed || !strings.Contains(stderr, "no space") {
			t.Errorf("%v: exit status %d: %s", args, status, stderr)
		}
	}
}

func TestAnInterruptEndsTheWorkWithoutATrace(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"list", "x=a"}, {"export", "x=a", "--out", "new/out"}} {
		var out bytes.Buffer
		status, stderr := runFake(t, ctx, &out, args...)
		if status != exitFailed || out.Len() > 0 || stderr != "apiskills: interrupted\n" {
			t.Errorf("%v: exit status %d: %s", args, status, stderr)
		}
	}
	wantEntries(t, ".")
}

func TestAFailedExportLeavesEverythingAsItWas(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("full/x", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--out", "new/er/out"}, {"--out", "full", "--force"}} {
		status, stderr := runFake(t, t.Context(), io.Discard, append([]string{"export", "x=a,broken,c"}, args...)...)
		if status != exitFailed || !strings.Contains(stderr, "out of paper") {
			t.Errorf("%v: exit status %d: %s", args, status, stderr)
		}
	}
	wantEntries(t, ".", "full")
	wantEntries(t, "full", "x")
}

func wantEntries(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s has %q, want %q", dir, got, want)
	}
}

// interrupting is a file system during whose third Open the interrupt comes.
type interrupting struct {
	fs.FS
	cancel func()
	opened int
}

func (i *interrupting) Open(name string) (fs.File, error) {
	if i.opened++; i.opened == 3 {
		i.cancel()
	}
	return i.FS.Open(name)
}

func TestAnInterruptAmidAnExportLeavesEverythingAsItWas(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "out")
	if err := os.MkdirAll(filepath.Join(target, "old"), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	files := fstest.MapFS{"a/SKILL.md": {}, "b/SKILL.md": {}, "c/SKILL.md": {}}
	err := writeTree(target, &countingFS{FS: &interrupting{FS: files, cancel: cancel}, ctx: ctx, progress: new(progress)})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	wantEntries(t, dir, "out")
	wantEntries(t, target, "old")
}

func TestExportThroughASymbolicLinkKeepsTheLink(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("real", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", "link"); err != nil {
		t.Skip(err)
	}
	if status, stderr := runFake(t, t.Context(), io.Discard, "export", "x=a", "--out", "link"); status != exitOK {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	wantEntries(t, ".", "link", "real")
	wantEntries(t, "real/x", "a")
}

func TestTextOfADocumentCannotTouchTheTerminal(t *testing.T) {
	tests := map[string]string{
		"two\n lines\t here ":   "two lines here",
		"red \x1b[31m":          `red \u001b[31m`,
		"c1 \u009b31m":          `c1 \u009b31m`,
		"bidi \u202e back":      `bidi \u202e back`,
		"bell\a":                `bell\u0007`,
		"bad \xff byte":         `bad \ufffd byte`,
		"plain: ünïcödé 你好 ok.": "plain: ünïcödé 你好 ok.",
		"":                      "",
		"\u2028separator":       "separator",
	}
	for in, want := range tests {
		if got := plain(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
