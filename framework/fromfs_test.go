package framework

import (
	"archive/zip"
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// tree makes a file system; an empty content of a SKILL.md is that of a skill at its path.
func tree(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		if dir, ok := strings.CutSuffix(name, "/"+skillFile); ok && text == "" {
			text = skillMD(dir, "About "+dir)
		}
		m[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return m
}

var handWritten = map[string]string{
	"README.md":                      "for those who write here",
	"deploy/SKILL.md":                "",
	"deploy/scripts/run.sh":          "run",
	"deploy/scripts/deep/er.txt":     "deeper",
	"deploy/rollback/SKILL.md":       "",
	"deploy/rollback/steps.md":       "steps",
	"deploy/parts/far/SKILL.md":      "",
	"deploy-old/SKILL.md":            "",
	"runbooks/mail/restart/SKILL.md": "",
	"runbooks/mail/notes.txt":        "of no skill",
	"runbooks/wiki/SKILL.md":         "",
}

var handWrittenPaths = []string{"deploy", "deploy-old", "deploy/parts/far", "deploy/rollback", "runbooks/mail/restart", "runbooks/wiki"}

// onDisk writes a tree into a folder.
func onDisk(t testing.TB, fsys fs.FS) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, fsys); err != nil {
		t.Fatal(err)
	}
	return dir
}

func zipped(t testing.TB, fsys fs.FS) fs.FS {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if err := w.AddFS(fsys); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func names(s *Skill) []string {
	var names []string
	for _, f := range s.Files {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

func TestEachKindOfFileSystemGivesTheSameSkills(t *testing.T) {
	memory := tree(handWritten)
	dir := onDisk(t, memory)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	catalogued := catalog(t, nil, Mount{"", FromFS(memory, nil)}).FS(t.Context())
	versions := map[string]string{}
	for name, fsys := range map[string]fs.FS{
		"memory": memory, "disk": os.DirFS(dir), "root": root.FS(), "zip": zipped(t, memory), "catalog": catalogued,
	} {
		g := FromFS(fsys, nil)
		if got := paths(t, g, ""); !slices.Equal(got, handWrittenPaths) {
			t.Errorf("%s: %v", name, got)
		}
		for _, p := range handWrittenPaths {
			s, err := g.Skill(t.Context(), p)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if known, ok := versions[p]; ok && known != s.Version || s.Version == "" {
				t.Errorf("%s: %s has the version %q, and %q elsewhere", name, p, s.Version, known)
			}
			versions[p] = s.Version
		}
		s, _ := g.Skill(t.Context(), "deploy")
		if got := names(s); !slices.Equal(got, []string{"SKILL.md", "scripts/deep/er.txt", "scripts/run.sh"}) {
			t.Errorf("%s: the files of nested skills are not its own: %v", name, got)
		}
		for _, p := range []string{"runbooks", "runbooks/mail", "deploy/scripts", "README.md", "none", "deploy/none", "", ".", "..", "../x", "/deploy", "deploy/", "deploy//rollback", "Deploy", "de\x00ploy"} {
			if _, err := g.Skill(t.Context(), p); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s: %q: %v", name, p, err)
			}
		}
	}
}

//go:embed testdata/skills
var embedded embed.FS

func TestEmbeddedSkillsAreServed(t *testing.T) {
	sub, err := fs.Sub(embedded, "testdata/skills")
	if err != nil {
		t.Fatal(err)
	}
	c := catalog(t, nil, Mount{"m", FromFS(sub, nil)})
	if uris, _ := listAll(t, c); !slices.Equal(uris, []string{"skill://m/hello/SKILL.md"}) {
		t.Error(uris)
	}
}

func TestFolderIsServedWithItsNestedSkills(t *testing.T) {
	c := catalog(t, nil, Mount{"m", FromFS(tree(handWritten), nil)})
	uris, _ := listAll(t, c)
	if len(uris) != len(handWrittenPaths) {
		t.Error(uris)
	}
	e, err := c.Get(t.Context(), "skill://m/deploy/SKILL.md")
	if err != nil || len(e.Resources) != 6 {
		t.Errorf("%v, %v", e, err)
	}
	if err := fstest.TestFS(c.FS(t.Context()), "m/deploy/scripts/run.sh", "m/deploy/rollback/steps.md", "m/runbooks/wiki/SKILL.md"); err != nil {
		t.Error(err)
	}
	if _, err := c.Read(t.Context(), "skill://m/runbooks/mail/notes.txt"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a file of no skill: %v", err)
	}
}

func TestSkillOfAFolderIsASnapshot(t *testing.T) {
	m := tree(map[string]string{"a/SKILL.md": "", "a/x.txt": "before"})
	g := FromFS(m, nil)
	s, err := g.Skill(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	m["a/x.txt"].Data = []byte("after!")
	if got := content(t, s, "x.txt"); got != "before" {
		t.Error(got)
	}
	b, _ := s.Files[0].Content(t.Context())
	b[0] = '!'
	if again, _ := s.Files[0].Content(t.Context()); again[0] == '!' {
		t.Error("callers share the bytes")
	}
	changed, _ := g.Skill(t.Context(), "a")
	if changed.Version == s.Version {
		t.Error("other bytes have the same version")
	}
}

func TestVersionIsOfNamesAndBytes(t *testing.T) {
	versions := map[string]map[string]string{}
	for _, files := range []map[string]string{
		{"a/SKILL.md": ""},
		{"a/SKILL.md": "", "a/x": ""},
		{"a/SKILL.md": "", "a/x": "y"},
		{"a/SKILL.md": "", "a/xy": ""},
		{"a/SKILL.md": "", "a/x": "", "a/y": ""},
		{"a/SKILL.md": "", "a/x": "1 y 0 "},
		{"a/SKILL.md": "", "a/x/y": ""},
	} {
		s, err := FromFS(tree(files), nil).Skill(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := versions[s.Version]; ok {
			t.Errorf("%v and %v have the same version", files, other)
		}
		versions[s.Version] = files
	}
}

func TestPathsOfAFolderBeginAfterAnyPathWithoutReadingWhatIsBefore(t *testing.T) {
	m := tree(handWritten)
	for _, after := range append([]string{"", "deploy/", "deploy/a", "deploy/parts", "deploy/parts/far/x", "deploy0", "runbooks", "runbooks/mail/zz", "~", "\xff"}, handWrittenPaths...) {
		i, found := slices.BinarySearch(handWrittenPaths, after)
		if found {
			i++
		}
		if got := paths(t, FromFS(m, nil), after); !slices.Equal(got, handWrittenPaths[i:]) {
			t.Errorf("after %q: %v", after, got)
		}
	}
	read := &opened{FS: m}
	for p := range pathsOf(t.Context(), FromFS(read, nil), "deploy/zz") {
		if p != "runbooks/mail/restart" {
			t.Error(p)
		}
		break
	}
	if want := []string{".", "deploy", "runbooks", "runbooks/mail", "runbooks/mail/restart"}; !slices.Equal(read.names, want) {
		t.Errorf("%v were opened, not %v", read.names, want)
	}
}

// opened is a file system that notes what is opened.
type opened struct {
	fs.FS
	names []string
}

func (o *opened) Open(name string) (fs.File, error) {
	o.names = append(o.names, name)
	return o.FS.Open(name)
}

func TestLimitsAreKeptWhileReading(t *testing.T) {
	many := map[string]string{"a/SKILL.md": ""}
	for i := range MaxResources {
		many[fmt.Sprintf("a/f%03d.txt", i)] = "x"
	}
	large := tree(map[string]string{"a/SKILL.md": "", "a/y.bin": "", "a/z.bin": ""})
	large["a/y.bin"].Data = make([]byte, MaxTotalBytes-10)
	large["a/z.bin"].Data = make([]byte, 100)
	links := map[string]string{"a/SKILL.md": ""}
	crowded := tree(links)
	for i := range maxSkillEntries {
		crowded[fmt.Sprintf("a/.f%05d", i)] = &fstest.MapFile{}
	}
	for name, test := range map[string]struct {
		fsys fs.FS
		says string
	}{
		"files":       {tree(many), "512 files"},
		"bytes":       {large, "16777216 bytes"},
		"a liar":      {endless{tree(map[string]string{"a/SKILL.md": ""})}, "16777216 bytes"},
		"entries":     {crowded, "entries"},
		"depth":       {tree(map[string]string{"a/SKILL.md": "", "a" + strings.Repeat("/d", 15) + "/f": "x"}), "deeper than 16"},
		"empty depth": {fstest.MapFS{"a/SKILL.md": {}, "a" + strings.Repeat("/d", 15): {Mode: fs.ModeDir}}, "deeper than 16"},
		"a name":      {tree(map[string]string{"a/SKILL.md": "", "a/b\x01c": "x"}), "can be named so"},
	} {
		_, err := FromFS(test.fsys, nil).Skill(t.Context(), "a")
		if !errors.Is(err, ErrInvalidSkill) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	deepest := "s" + strings.Repeat("/d", 14)
	g := FromFS(tree(map[string]string{deepest + "/SKILL.md": "", deepest + "/x/SKILL.md": ""}), nil)
	if got := paths(t, g, ""); !slices.Equal(got, []string{deepest}) {
		t.Error(got)
	}
}

// endless says that files are small, and never ends them.
type endless struct{ fstest.MapFS }

func (f endless) Open(name string) (fs.File, error) {
	file, err := f.MapFS.Open(name)
	if _, ok := file.(fs.ReadDirFile); err != nil || ok {
		return file, err
	}
	return endlessFile{file}, nil
}

type endlessFile struct{ fs.File }

func (endlessFile) Read(p []byte) (int, error) { return len(p), nil }

func TestUnreadableFileIsAnErrorOfItsSkillAlone(t *testing.T) {
	broken := fs.ErrPermission
	m := refusing{tree(map[string]string{"a/SKILL.md": "", "a/x.txt": "", "b/SKILL.md": "", "closed/SKILL.md": "", "z/SKILL.md": ""}),
		map[string]error{"a/x.txt": broken, "closed": broken}}
	g := FromFS(m, nil)
	for _, p := range []string{"a", "closed"} {
		if _, err := g.Skill(t.Context(), p); !errors.Is(err, broken) || errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if got := paths(t, g, ""); !slices.Equal(got, []string{"a", "b", "z"}) {
		t.Errorf("a folder that may not be read took others down: %v", got)
	}
	c := catalog(t, nil, Mount{"m", g})
	if uris, _ := listAll(t, c); len(uris) != 2 {
		t.Error(uris)
	}
	m.errs["closed"] = errors.New("too many open files")
	var last error
	for _, err := range pathsOf(t.Context(), g, "") {
		last = err
	}
	if last == nil {
		t.Error("a listing looks whole though a folder could not be read")
	}
}

func TestFolderThatIsNotThereIsAnErrorAndNotEmpty(t *testing.T) {
	g := FromFS(os.DirFS(filepath.Join(t.TempDir(), "none")), nil)
	if _, err := g.Skill(t.Context(), "a"); err == nil || errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	var last error
	for _, err := range pathsOf(t.Context(), g, "") {
		last = err
	}
	if !errors.Is(last, fs.ErrNotExist) {
		t.Error(last)
	}
	if got := diagnosed(t, g); len(got) != 1 || got[0].Rule != "unreadable-folder" {
		t.Error(got)
	}
}

// refusing does not open some names.
type refusing struct {
	fs.FS
	errs map[string]error
}

func (r refusing) Open(name string) (fs.File, error) {
	if err := r.errs[name]; err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return r.FS.Open(name)
}

func TestDiagnosticsOfAFolderSayWhatIsNotServedAndWhatToDo(t *testing.T) {
	m := tree(map[string]string{
		"SKILL.md":               "at the root",
		"good/SKILL.md":          "",
		"good/.draft.md":         "hidden",
		"good/My Steps/SKILL.md": "",
		"good/My Steps/x.md":     "of a folder that is not served",
		"good/bad\x01name":       "x",
		"lower/skill.md":         "in other letters",
		".git/config":            "hidden",
	})
	m["good/link"] = &fstest.MapFile{Data: []byte("../lower"), Mode: fs.ModeSymlink}
	m["good/pipe"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	m["linked/SKILL.md"] = &fstest.MapFile{Data: []byte("../good/SKILL.md"), Mode: fs.ModeSymlink}
	m["deep"+strings.Repeat("/d", 15)] = &fstest.MapFile{Mode: fs.ModeDir}
	var got []string
	for _, d := range diagnosed(t, FromFS(m, &FSOptions{Name: "docs/skills"})) {
		got = append(got, strings.Join([]string{string(d.Severity), d.Rule, d.File, d.Skill}, " "))
		if d.Message == "" {
			t.Error(d)
		}
	}
	want := []string{
		"error skill-without-folder docs/skills/SKILL.md ",
		"note hidden-file docs/skills/.git ",
		"error too-deep docs/skills/deep" + strings.Repeat("/d", 15) + " ",
		"note hidden-file docs/skills/good/.draft.md good",
		"error invalid-file-name docs/skills/good/bad\x01name good",
		"warning irregular-file docs/skills/good/link good",
		"warning irregular-file docs/skills/good/pipe good",
		"error invalid-skill-name docs/skills/good/My Steps ",
		"warning irregular-file docs/skills/linked/SKILL.md ",
		"warning skill-file-case docs/skills/lower/skill.md ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	delete(m, "good/bad\x01name")
	s, err := FromFS(m, nil).Skill(t.Context(), "good")
	if err != nil || !slices.Equal(names(s), []string{"SKILL.md"}) {
		t.Errorf("what is skipped took the skill down: %v, %v", s, err)
	}
	if got := paths(t, FromFS(m, nil), ""); !slices.Equal(got, []string{"good"}) {
		t.Error(got)
	}
	for range diagnosedOnce(t, FromFS(m, nil)) {
		break
	}
}

func diagnosedOnce(t testing.TB, g Generator) func(func(Diagnostic) bool) {
	d, _ := As[Diagnoser](g)
	return d.Diagnostics(t.Context())
}

// TestNothingButRegularFilesOfTheFolderIsOpened has links out of the folder, and a
// pipe that nobody writes to, which would hold up whoever opens it.
func TestNothingButRegularFilesOfTheFolderIsOpened(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows, and there are no pipes in folders")
	}
	outside := onDisk(t, tree(map[string]string{"secret/SKILL.md": "", "secret/key.txt": "secret"}))
	dir := onDisk(t, tree(map[string]string{"a/SKILL.md": ""}))
	for _, link := range [][2]string{
		{filepath.Join(outside, "secret"), "secret"},
		{filepath.Join(outside, "secret"), "a/secret"},
		{filepath.Join(outside, "secret/key.txt"), "a/key.txt"},
		{"..", "a/loop"},
	} {
		if err := os.Symlink(link[0], filepath.Join(dir, link[1])); err != nil {
			t.Fatal(err)
		}
	}
	makePipe(t, filepath.Join(dir, "a", "pipe"))
	g := FromFS(os.DirFS(dir), nil)
	if got := paths(t, g, ""); !slices.Equal(got, []string{"a"}) {
		t.Error(got)
	}
	s, err := g.Skill(t.Context(), "a")
	if err != nil || !slices.Equal(names(s), []string{"SKILL.md"}) {
		t.Errorf("%v, %v", s, err)
	}
	for _, p := range []string{"secret", "a/secret", "a/loop/a"} {
		if _, err := g.Skill(t.Context(), p); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if got := diagnosed(t, g); len(got) != 5 {
		t.Error(got)
	}
}

// TestFileThatIsReplacedWhileItIsReadIsNotOpened replaces what a listing of the
// folder said by something else before it is opened.
func TestFileThatIsReplacedWhileItIsReadIsNotOpened(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
	outside := onDisk(t, tree(map[string]string{"key.txt": "secret", "sub/SKILL.md": ""}))
	for name, replace := range map[string]func(path string) error{
		"by a link":   func(path string) error { return os.Symlink(filepath.Join(outside, "key.txt"), path) },
		"by a folder": func(path string) error { return os.Mkdir(path, 0o777) },
	} {
		dir := onDisk(t, tree(map[string]string{"a/SKILL.md": "", "a/x.txt": "mine"}))
		file := filepath.Join(dir, "a", "x.txt")
		swap := &swapping{FS: os.DirFS(dir), at: "a/x.txt", do: func() {
			if err := errors.Join(os.Remove(file), replace(file)); err != nil {
				t.Error(err)
			}
		}}
		if s, err := FromFS(swap, nil).Skill(t.Context(), "a"); !errors.Is(err, errReplaced) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	dir := onDisk(t, tree(map[string]string{"a/SKILL.md": ""}))
	swap := &swapping{FS: os.DirFS(dir), at: "a", do: func() {
		if err := errors.Join(os.RemoveAll(filepath.Join(dir, "a")), os.Symlink(filepath.Join(outside, "sub"), filepath.Join(dir, "a"))); err != nil {
			t.Error(err)
		}
	}}
	if s, err := FromFS(swap, nil).Skill(t.Context(), "a"); !errors.Is(err, errReplaced) {
		t.Errorf("a folder by a link: %v, %v", s, err)
	}
}

// swapping calls do right before at is opened.
type swapping struct {
	fs.FS
	at string
	do func()
}

func (s *swapping) Open(name string) (fs.File, error) {
	if name == s.at {
		s.do()
	}
	return s.FS.Open(name)
}

// TestPipeThatTakesThePlaceOfAListedFileIsNotOpened: whoever opens it waits for a
// writer, and no look at what was opened comes in time.
func TestPipeThatTakesThePlaceOfAListedFileIsNotOpened(t *testing.T) {
	m := tree(map[string]string{"a/SKILL.md": "", "a/x.txt": "mine"})
	m["a/x.txt"].Mode = fs.ModeNamedPipe
	read := &opened{FS: staleFS{m}}
	if s, err := FromFS(read, nil).Skill(t.Context(), "a"); !errors.Is(err, errReplaced) {
		t.Errorf("%v, %v", s, err)
	}
	if slices.Contains(read.names, "a/x.txt") {
		t.Error("it was opened")
	}
}

// staleFS lists each pipe as the file that it was.
type staleFS struct{ fstest.MapFS }

func (f staleFS) Open(name string) (fs.File, error) {
	file, err := f.MapFS.Open(name)
	if dir, ok := file.(fs.ReadDirFile); err == nil && ok {
		return staleDir{dir}, nil
	}
	return file, err
}

type staleDir struct{ fs.ReadDirFile }

func (d staleDir) ReadDir(n int) ([]fs.DirEntry, error) {
	entries, err := d.ReadDirFile.ReadDir(n)
	for i := range entries {
		entries[i] = staleEntry{entries[i]}
	}
	return entries, err
}

type staleEntry struct{ fs.DirEntry }

func (e staleEntry) Type() fs.FileMode { return e.DirEntry.Type() &^ fs.ModeNamedPipe }

func TestReadingAFolderEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := FromFS(tree(handWritten), nil)
	if _, err := g.Skill(ctx, "deploy"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var last error
	for _, err := range pathsOf(ctx, g, "") {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Error(last)
	}
}

func TestFolderIsNoWatcherWithANegativeInterval(t *testing.T) {
	g := FromFS(tree(handWritten), &FSOptions{Interval: -1})
	if got := lookups(g); got["Watcher"] || !got["Lister"] || !got["Diagnoser"] {
		t.Error(got)
	}
	if got := lookups(FromFS(tree(handWritten), &FSOptions{Interval: time.Hour})); !got["Watcher"] {
		t.Error(got)
	}
}
