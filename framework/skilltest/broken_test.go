package skilltest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/apiskills/apiskills/framework"
)

// table serves skills from a map, and lists them. It has no fault.
type table map[string]*framework.Skill

func (t table) Skill(_ context.Context, path string) (*framework.Skill, error) {
	if s, ok := t[path]; ok {
		return s, nil
	}
	return nil, fmt.Errorf("%.100q: %w", path, framework.ErrNotFound)
}

func (t table) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return framework.PathList(slices.Sorted(maps.Keys(t))).Paths(ctx, after)
}

// markdown is a SKILL.md for a path.
func markdown(p, body string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: Does %s.\n---\n\n%s\n", path.Base(p), path.Base(p), body)
}

// plain is a skill at a path, with further files.
func plain(p string, files ...framework.File) *framework.Skill {
	return &framework.Skill{Files: append([]framework.File{framework.TextFile("SKILL.md", markdown(p, "Do it."))}, files...)}
}

// some are skills without a fault, at three paths.
func some() table {
	t := table{}
	for _, p := range []string{"mail/restart-mail", "mail/stop-mail", "wiki/restart-wiki"} {
		t[p] = plain(p)
	}
	return t
}

// with is some with another skill at mail/restart-mail.
func with(s *framework.Skill) table {
	t := some()
	t[target] = s
	return t
}

const target = "mail/restart-mail"

// bare is a skill of one file.
func bare(s string) *framework.Skill {
	return &framework.Skill{Files: []framework.File{framework.TextFile("SKILL.md", s)}}
}

// made is a table in front of which a function stands.
type made struct {
	table
	skill func(ctx context.Context, path string) (*framework.Skill, error)
}

func (m made) Skill(ctx context.Context, path string) (*framework.Skill, error) {
	return m.skill(ctx, path)
}

// walked is a generator with Paths of its own.
type walked struct {
	framework.Generator
	paths func(ctx context.Context, after string) iter.Seq2[string, error]
}

func (w walked) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return w.paths(ctx, after)
}

// unlisted hides that a generator is a Lister.
type unlisted struct{ framework.Generator }

type featuring struct {
	framework.Lister
	framework.Generator
	featured func(context.Context) ([]string, error)
}

func (f featuring) Featured(ctx context.Context) ([]string, error) { return f.featured(ctx) }

func feature(paths ...string) framework.Generator {
	return featuring{some(), some(), func(context.Context) ([]string, error) { return paths, nil }}
}

type templating struct {
	table
	templates []framework.Template
	err       error
}

func (t templating) Templates(context.Context) ([]framework.Template, error) {
	return t.templates, t.err
}

type summing struct {
	table
	summaries func(ctx context.Context, yield func(framework.Summary, error) bool)
}

func (s summing) Summaries(ctx context.Context) iter.Seq2[framework.Summary, error] {
	return func(yield func(framework.Summary, error) bool) { s.summaries(ctx, yield) }
}

type diagnosing struct {
	table
	diagnostics []framework.Diagnostic
}

func (d diagnosing) Diagnostics(context.Context) iter.Seq[framework.Diagnostic] {
	return slices.Values(d.diagnostics)
}

type watching struct {
	table
	watch func(context.Context) error
}

func (w watching) Watch(ctx context.Context, _ func(string)) error { return w.watch(ctx) }

// changing makes the text of target from a function.
func changing(body func(ctx context.Context) string) framework.Generator {
	t := some()
	return made{t, func(ctx context.Context, p string) (*framework.Skill, error) {
		if p != target {
			return t.Skill(ctx, p)
		}
		return bare(markdown(p, body(ctx))), nil
	}}
}

// content makes the bytes of the SKILL.md of target when they are read.
func content(f func(ctx context.Context) ([]byte, error)) framework.Generator {
	return with(&framework.Skill{Files: []framework.File{{Name: "SKILL.md", Content: f}}})
}

// manyFiles are n files besides SKILL.md.
func manyFiles(n int) (files []framework.File) {
	for i := range n {
		files = append(files, framework.TextFile(fmt.Sprintf("f%d.txt", i), ""))
	}
	return files
}

func yieldAll(paths []string) iter.Seq2[string, error] {
	return framework.PathList(paths).Paths(context.Background(), "")
}

// nested is a skill with another in it, and more that stand beside it.
func nested(outer ...framework.File) table {
	t := some()
	t["guide"] = plain("guide", outer...)
	t["guide/inner/part"] = plain("guide/inner/part", framework.TextFile("notes.md", "See the [guide](../../SKILL.md).\n"))
	return t
}

// A brokenGenerator breaks one rule.
type brokenGenerator struct {
	rule, name string
	// open returns a generator. Its calls that hang end when release is closed.
	open  func(release <-chan struct{}) framework.Generator
	paths []string
}

// fixed opens one generator each time.
func fixed(g framework.Generator) func(<-chan struct{}) framework.Generator {
	return func(<-chan struct{}) framework.Generator { return g }
}

var errBackend = errors.New("the backend is down")

type userKey struct{}

var broken = []brokenGenerator{
	{rule: "panic", name: "for a path that it did not expect", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		if group, _, _ := strings.Cut(p, "/"); group == ".." {
			panic("unexpected group")
		}
		return some().Skill(ctx, p)
	}})},
	{rule: "panic", name: "while a file is read", open: fixed(content(func(context.Context) ([]byte, error) { panic("no text") }))},
	{rule: "hang", name: "one skill", open: func(release <-chan struct{}) framework.Generator {
		return changing(func(context.Context) string { <-release; return "" })
	}},
	{rule: "hang", name: "all paths", open: func(release <-chan struct{}) framework.Generator {
		return walked{some(), func(context.Context, string) iter.Seq2[string, error] { <-release; return yieldAll(nil) }}
	}},
	{rule: "expected-path", name: "not listed", open: fixed(some()), paths: []string{"mail/start-mail"}},
	{rule: "expected-path", name: "not served, and no Lister", open: fixed(unlisted{some()}), paths: []string{"mail/start-mail"}},
	{rule: "expected-path", name: "nothing to check", open: fixed(unlisted{some()})},
	{rule: "path", name: "upper case", open: fixed(table{"mail/Restart": plain("mail/Restart")})},
	{rule: "path", name: "dot segment", open: fixed(table{"../mail": plain("mail"), "mail": plain("mail")})},
	{rule: "paths-failed", name: "after two", open: fixed(walked{some(), func(context.Context, string) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			_ = yield(target, nil) && yield("mail/stop-mail", nil) && yield("", errBackend)
		}
	}})},
	{rule: "paths-order", name: "descending", open: fixed(walked{some(), func(context.Context, string) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for _, p := range slices.Backward(slices.Sorted(maps.Keys(some()))) {
				if !yield(p, nil) {
					return
				}
			}
		}
	}})},
	{rule: "paths-order", name: "a path twice", open: fixed(walked{some(), func(_ context.Context, after string) iter.Seq2[string, error] {
		return yieldAll([]string{target, target, "mail/stop-mail", "wiki/restart-wiki"})
	}})},
	{rule: "paths-repeat", name: "a stream that is read once", open: fixed(walked{some(), func(ctx context.Context, after string) iter.Seq2[string, error] {
		rest := slices.Sorted(maps.Keys(some()))
		return func(yield func(string, error) bool) {
			for len(rest) > 0 {
				p := rest[0]
				rest = rest[1:]
				if p > after && !yield(p, nil) {
					return
				}
			}
		}
	}})},
	{rule: "paths-break", name: "goes on", open: fixed(walked{some(), func(ctx context.Context, after string) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for _, p := range slices.Sorted(maps.Keys(some())) {
				if p > after {
					yield(p, nil)
				}
			}
		}
	}})},
	{rule: "paths-after", name: "ignored", open: fixed(walked{some(), func(ctx context.Context, _ string) iter.Seq2[string, error] {
		return some().Paths(ctx, "")
	}})},
	{rule: "paths-after", name: "included", open: fixed(walked{some(), func(ctx context.Context, after string) iter.Seq2[string, error] {
		paths := slices.Sorted(maps.Keys(some()))
		i, _ := slices.BinarySearch(paths, after)
		return yieldAll(paths[i:])
	}})},
	{rule: "paths-after", name: "only where it is there", open: fixed(walked{some(), func(ctx context.Context, after string) iter.Seq2[string, error] {
		paths := slices.Sorted(maps.Keys(some()))
		if i := slices.Index(paths, after); i >= 0 || after == "" {
			return yieldAll(paths[i+1:])
		}
		return yieldAll(nil)
	}})},
	{rule: "unserved", name: "not known", open: fixed(walked{some(), func(ctx context.Context, after string) iter.Seq2[string, error] {
		return framework.PathList([]string{target, "mail/start-mail", "mail/stop-mail", "wiki/restart-wiki"}).Paths(ctx, after)
	}})},
	{rule: "unserved", name: "fails", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		if p == target {
			return nil, errBackend
		}
		return some().Skill(ctx, p)
	}})},
	{rule: "unserved", name: "neither skill nor error", open: fixed(with(nil))},
	{rule: "unserved", name: "a nested skill", open: fixed(made{nested(), func(ctx context.Context, p string) (*framework.Skill, error) {
		if p == "guide/inner/part" {
			return nil, errBackend
		}
		return nested().Skill(ctx, p)
	}})},
	{rule: "unlisted", name: "an index of a group", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		if p == "mail" {
			return plain(p), nil
		}
		return some().Skill(ctx, p)
	}})},
	{rule: "not-found", name: "the error of a file system", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		if s := some()[p]; s != nil {
			return s, nil
		}
		return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
	}})},
	{rule: "not-found", name: "neither skill nor error", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		return some()[p], nil
	}})},
	{rule: "hostile-path", name: "cleaned", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		return some().Skill(ctx, strings.TrimPrefix(path.Clean("/"+p), "/"))
	}})},
	{rule: "hostile-path", name: "without regard to case", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		return some().Skill(ctx, strings.ToLower(p))
	}})},
	{rule: "hostile-path", name: "decoded", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		if decoded, err := url.PathUnescape(p); err == nil {
			p = strings.TrimRight(decoded, "/ ")
		}
		return some().Skill(ctx, p)
	}})},
	{rule: "hostile-path", name: "the file in the path", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		return some().Skill(ctx, strings.TrimSuffix(p, "/SKILL.md"))
	}})},
	{rule: "content", name: "fails", open: fixed(content(func(context.Context) ([]byte, error) { return nil, errBackend }))},
	{rule: "content", name: "is nil", open: fixed(with(plain(target, framework.File{Name: "notes.txt"})))},
	{rule: "skill-md", name: "missing", open: fixed(with(&framework.Skill{Files: []framework.File{framework.TextFile("README.md", "")}}))},
	{rule: "skill-md", name: "no files", open: fixed(with(&framework.Skill{}))},
	{rule: "frontmatter", name: "missing", open: fixed(with(bare("# Restart\n")))},
	{rule: "frontmatter", name: "no description", open: fixed(with(bare("---\nname: restart-mail\n---\n")))},
	{rule: "frontmatter", name: "long description", open: fixed(with(bare("---\nname: restart-mail\ndescription: " + strings.Repeat("x", 1025) + "\n---\n")))},
	{rule: "frontmatter-ambiguous", name: "a date", open: fixed(with(bare("---\nname: restart-mail\ndescription: Restarts.\nsince: 2024-01-31\n---\n")))},
	{rule: "name", name: "another", open: fixed(with(bare(markdown("restart", ""))))},
	{rule: "file-name", name: "leaves the skill", open: fixed(with(plain(target, framework.TextFile("../x.txt", ""))))},
	{rule: "file-name", name: "absolute", open: fixed(with(plain(target, framework.TextFile("/x.txt", ""))))},
	{rule: "file-name", name: "backslash", open: fixed(with(plain(target, framework.TextFile(`a\b.txt`, ""))))},
	{rule: "file-name", name: "nested SKILL.md", open: fixed(with(plain(target, framework.TextFile("inner/SKILL.md", ""))))},
	{rule: "file-twice", name: "the same", open: fixed(with(plain(target, framework.TextFile("a.txt", "1"), framework.TextFile("a.txt", "2"))))},
	{rule: "file-clash", name: "file and directory", open: fixed(with(plain(target, framework.TextFile("a", ""), framework.TextFile("a/b.txt", ""))))},
	{rule: "media-type", name: "half", open: fixed(with(plain(target, framework.File{Name: "a", MIMEType: "markdown", Content: probe.Content})))},
	{rule: "media-type", name: "no grammar", open: fixed(with(plain(target, framework.File{Name: "a", MIMEType: "text/plain; charset", Content: probe.Content})))},
	{rule: "media-type", name: "that of directories", open: fixed(with(plain(target, framework.File{Name: "a", MIMEType: "inode/directory", Content: probe.Content})))},
	{rule: "limits", name: "files", open: fixed(with(plain(target, manyFiles(512)...)))},
	{rule: "limits", name: "bytes", open: fixed(with(plain(target, framework.TextFile("large.txt", strings.Repeat("x", framework.MaxTotalBytes)))))},
	{rule: "limits", name: "files of nested skills", open: fixed(nested(manyFiles(510)...))},
	{rule: "nested-files", name: "listed by both", open: fixed(nested(framework.TextFile("inner/part/notes.md", "")))},
	{rule: "nested-files", name: "in the place of the directory", open: fixed(nested(framework.TextFile("inner", "")))},
	{rule: "nested-unlisted", name: "no Lister", open: fixed(unlisted{nested()}), paths: []string{"guide", "guide/inner/part"}},
	{rule: "links", name: "no such file", open: fixed(with(bare(markdown(target, "See [more](references/more.md)."))))},
	{rule: "links", name: "an image in another file", open: fixed(with(plain(target, framework.TextFile("a/b.md", "![x](x.png)\n"))))},
	{rule: "links", name: "leaves the skill", open: fixed(with(bare(markdown(target, "See [that][1].\n\n[1]: ../stop-mail/SKILL.md"))))},
	{rule: "links", name: "absolute path", open: fixed(with(bare(markdown(target, "See [that](/mail/stop-mail/SKILL.md)."))))},
	{rule: "determinism", name: "a counter", open: func(<-chan struct{}) framework.Generator {
		n := atomic.Int64{}
		return changing(func(context.Context) string { return fmt.Sprint(n.Add(1)) })
	}},
	{rule: "determinism", name: "a counter of reads", open: func(<-chan struct{}) framework.Generator {
		n := atomic.Int64{}
		return content(func(context.Context) ([]byte, error) { return []byte(markdown(target, fmt.Sprint(n.Add(1)))), nil })
	}},
	{rule: "determinism", name: "dynamic now and then", open: func(<-chan struct{}) framework.Generator {
		n := atomic.Int64{}
		return made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
			if p != target {
				return some().Skill(ctx, p)
			}
			s := plain(p)
			s.Dynamic = n.Add(1)%2 == 0
			return s, nil
		}}
	}},
	{rule: "order", name: "numbered as they are asked for", open: func(<-chan struct{}) framework.Generator {
		var mu sync.Mutex
		seen := map[string]bool{}
		return made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
			if some()[p] == nil {
				return some().Skill(ctx, p)
			}
			mu.Lock()
			defer mu.Unlock()
			seen[p] = true
			return bare(markdown(p, fmt.Sprint(len(seen)))), nil
		}}
	}},
	{rule: "concurrency", name: "sees other calls", open: func(<-chan struct{}) framework.Generator {
		n := atomic.Int64{}
		return changing(func(context.Context) string {
			n.Add(1)
			defer n.Add(-1)
			time.Sleep(time.Second) // in a bubble
			if n.Load() > 1 {
				return "Wait."
			}
			return "Go."
		})
	}},
	{rule: "instances", name: "numbered", open: func() func(<-chan struct{}) framework.Generator {
		n := atomic.Int64{}
		return func(<-chan struct{}) framework.Generator {
			id := n.Add(1)
			return changing(func(context.Context) string { return fmt.Sprint(id) })
		}
	}()},
	{rule: "instances", name: "other paths", open: func() func(<-chan struct{}) framework.Generator {
		n := atomic.Int64{}
		return func(<-chan struct{}) framework.Generator {
			t, p := some(), fmt.Sprintf("later-%d", n.Add(1))
			t[p] = plain(p)
			return walked{t, func(ctx context.Context, after string) iter.Seq2[string, error] {
				return t.Paths(ctx, after)
			}}
		}
	}()},
	{rule: "shared-bytes", name: "one slice", open: func(<-chan struct{}) framework.Generator {
		b := []byte(markdown(target, ""))
		return content(func(context.Context) ([]byte, error) { return b, nil })
	}},
	{rule: "shared-bytes", name: "memory that cannot be written to", open: fixed(content(func(context.Context) ([]byte, error) {
		const s = "---\nname: restart-mail\ndescription: Restarts.\n---\n"
		return unsafe.Slice(unsafe.StringData(s), len(s)), nil
	}))},
	{rule: "reused-buffer", name: "of two files", open: func(<-chan struct{}) framework.Generator {
		buf := make([]byte, 0, 1000)
		file := func(name, text string) framework.File {
			return framework.File{Name: name, Content: func(context.Context) ([]byte, error) {
				buf = append(buf[:0], text...)
				return buf, nil
			}}
		}
		return with(&framework.Skill{Files: []framework.File{file("SKILL.md", markdown(target, "")), file("notes.txt", "Notes.\n")}})
	}},
	{rule: "reused-buffer", name: "of all skills", open: func(<-chan struct{}) framework.Generator {
		buf := make([]byte, 1000)
		t := table{}
		for _, p := range []string{target, "mail/stop-mail"} {
			t[p] = &framework.Skill{Files: []framework.File{{Name: "SKILL.md", Content: func(context.Context) ([]byte, error) {
				return buf[:copy(buf, markdown(p, ""))], nil
			}}}}
		}
		return t
	}},
	{rule: "version", name: "of a counter", open: func(<-chan struct{}) framework.Generator {
		n := atomic.Int64{}
		return made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
			if p != target {
				return some().Skill(ctx, p)
			}
			s := bare(markdown(p, fmt.Sprint(n.Add(1))))
			s.Version = "1"
			return s, nil
		}}
	}},
	{rule: "dynamic-frontmatter", name: "a counter", open: func(<-chan struct{}) framework.Generator {
		n := atomic.Int64{}
		s := &framework.Skill{Dynamic: true, Files: []framework.File{{Name: "SKILL.md", Content: func(context.Context) ([]byte, error) {
			return fmt.Appendf(nil, "---\nname: restart-mail\ndescription: Read %d times.\n---\n", n.Add(1)), nil
		}}}}
		return with(s)
	}},
	{rule: "cancellation", name: "not found", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		if ctx.Err() != nil {
			return nil, framework.ErrNotFound
		}
		return some().Skill(ctx, p)
	}})},
	{rule: "cancellation", name: "part of the paths", open: fixed(walked{some(), func(ctx context.Context, after string) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for p, err := range some().Paths(ctx, after) {
				if ctx.Err() != nil || !yield(p, err) {
					return
				}
			}
		}
	}})},
	{rule: "cancellation", name: "part of a file", open: fixed(content(func(ctx context.Context) ([]byte, error) {
		if ctx.Err() != nil {
			return []byte("---\n"), nil
		}
		return []byte(markdown(target, "")), nil
	}))},
	{rule: "cancellation", name: "part of a skill", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		switch {
		case p != target:
			return some().Skill(ctx, p)
		case ctx.Err() != nil:
			return plain(p), nil
		}
		return plain(p, framework.TextFile("notes.txt", "")), nil
	}})},
	{rule: "cancellation", name: "nothing featured", open: fixed(featuring{some(), some(), func(ctx context.Context) ([]string, error) {
		if ctx.Err() != nil {
			return nil, nil
		}
		return []string{target}, nil
	}})},
	{rule: "cancellation-kept", name: "of a skill", open: func(<-chan struct{}) framework.Generator {
		var once sync.Once
		var err error
		return made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
			if p != target {
				return some().Skill(ctx, p)
			}
			if once.Do(func() { err = ctx.Err() }); err != nil {
				return nil, fmt.Errorf("the source was not read: %w", err)
			}
			return plain(p), nil
		}}
	}},
	{rule: "cancellation-kept", name: "of a file", open: func(<-chan struct{}) framework.Generator {
		var once sync.Once
		var err error
		return content(func(ctx context.Context) ([]byte, error) {
			once.Do(func() { err = ctx.Err() })
			return []byte(markdown(target, "")), err
		})
	}},
	{rule: "cancellation-kept", name: "of the paths", open: func(<-chan struct{}) framework.Generator {
		var once sync.Once
		var err error
		return walked{some(), func(ctx context.Context, after string) iter.Seq2[string, error] {
			if once.Do(func() { err = ctx.Err() }); err != nil {
				return func(yield func(string, error) bool) { yield("", err) }
			}
			return some().Paths(ctx, after)
		}}
	}},
	{rule: "cancellation-kept", name: "in the midst of a call", open: func(<-chan struct{}) framework.Generator {
		var mu sync.Mutex
		var kept error
		return made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
			if err := ctx.Err(); err != nil || p != target {
				return some().Skill(context.Background(), p)
			}
			mu.Lock()
			defer mu.Unlock()
			if kept == nil {
				kept = ctx.Err()
			}
			if kept != nil {
				return nil, kept
			}
			return plain(p), nil
		}}
	}},
	{rule: "featured", name: "not there", open: fixed(feature("mail/start-mail"))},
	{rule: "featured", name: "twice", open: fixed(feature(target, target))},
	{rule: "featured", name: "fails", open: fixed(featuring{some(), some(), func(context.Context) ([]string, error) { return nil, errBackend }})},
	{rule: "templates", name: "invalid", open: fixed(templating{some(), []framework.Template{{Path: "{a}/{a}", Name: "a"}}, nil})},
	{rule: "templates", name: "of no path", open: fixed(templating{some(), []framework.Template{{Path: "chat/{name}", Name: "a"}}, nil})},
	{rule: "templates", name: "one name", open: fixed(templating{some(), []framework.Template{{Path: "mail/{name}", Name: "a"}, {Path: "wiki/{name}", Name: "a"}}, nil})},
	{rule: "templates", name: "fails", open: fixed(templating{some(), nil, errBackend})},
	{rule: "cancellation", name: "no summaries", open: fixed(summing{some(), func(ctx context.Context, yield func(framework.Summary, error) bool) {
		for _, p := range slices.Sorted(maps.Keys(some())) {
			if ctx.Err() != nil || !yield(framework.Summary{Path: p}, nil) {
				return
			}
		}
	}})},
	{rule: "summaries", name: "of one skill", open: fixed(summing{some(), func(_ context.Context, yield func(framework.Summary, error) bool) {
		yield(framework.Summary{Path: target}, nil)
	}})},
	{rule: "summaries", name: "fails", open: fixed(summing{some(), func(_ context.Context, yield func(framework.Summary, error) bool) {
		yield(framework.Summary{}, errBackend)
	}})},
	{rule: "diagnostics", name: "severity", open: fixed(diagnosing{some(), []framework.Diagnostic{{Severity: "fatal", Rule: "a", Message: "b"}}})},
	{rule: "diagnostics", name: "rule", open: fixed(diagnosing{some(), []framework.Diagnostic{{Severity: framework.Note, Rule: "Two words", Message: "b"}}})},
	{rule: "diagnostics", name: "no message", open: fixed(diagnosing{some(), []framework.Diagnostic{{Severity: framework.Note, Rule: "a"}}})},
	{rule: "diagnostics", name: "of no skill", open: fixed(diagnosing{some(), []framework.Diagnostic{{Severity: framework.Note, Rule: "a", Message: "b", Skill: "mail/start-mail"}}})},
	{rule: "diagnostics", name: "of a skill that is made", open: fixed(with(&framework.Skill{Files: plain(target).Files, Diagnostics: []framework.Diagnostic{{Severity: "bad", Rule: "a", Message: "b"}}}))},
	{rule: "watch", name: "never returns", open: func(release <-chan struct{}) framework.Generator {
		return watching{some(), func(context.Context) error { <-release; return nil }}
	}},
	{rule: "catalog", name: "needs a value of the context", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		if ctx.Value(userKey{}) == nil {
			return nil, errors.New("no user")
		}
		return some().Skill(ctx, p)
	}})},
	{rule: "catalog", name: "other bytes without a value of the context", open: fixed(changing(func(ctx context.Context) string { return fmt.Sprint(ctx.Value(userKey{})) }))},
}

// brokenWhileChanging break rules that TestSnapshots checks.
var brokenWhileChanging = []struct {
	rule, name string
	open       func(source *atomic.Int64) framework.Generator
	change     func(source *atomic.Int64)
}{
	{"snapshot", "reads the source late", func(source *atomic.Int64) framework.Generator {
		return content(func(context.Context) ([]byte, error) { return []byte(markdown(target, fmt.Sprint(source.Load()))), nil })
	}, func(source *atomic.Int64) { source.Add(1) }},
	{"version", "stays", func(source *atomic.Int64) framework.Generator {
		return made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
			if p != target {
				return some().Skill(ctx, p)
			}
			s := bare(markdown(p, fmt.Sprint(source.Load())))
			s.Version = "1"
			return s, nil
		}}
	}, func(source *atomic.Int64) { source.Add(1) }},
	{"unchanged", "nothing changes", func(source *atomic.Int64) framework.Generator {
		return changing(func(context.Context) string { return fmt.Sprint(source.Load()) })
	}, func(*atomic.Int64) {}},
}

// rulesOf returns the rules of faults, each once.
func rulesOf(t *testing.T, errs []error) []string {
	t.Helper()
	var ids []string
	for _, err := range errs {
		var f *Fault
		if !errors.As(err, &f) {
			t.Errorf("%v is no Fault", err)
			continue
		}
		ids = append(ids, f.Rule)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// inBubble runs all checks on a generator where time is not real.
func inBubble(t *testing.T, open func(<-chan struct{}) framework.Generator, paths ...string) (errs []error) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		ctx := context.WithValue(t.Context(), userKey{}, "somebody")
		errs = check(ctx, func() framework.Generator { return open(release) }, paths)
	})
	return errs
}

// TestEachBrokenGeneratorBreaksItsRuleAlone runs all checks on generators that each
// have one fault.
func TestEachBrokenGeneratorBreaksItsRuleAlone(t *testing.T) {
	for _, b := range slices.Concat(broken, moreBroken) {
		t.Run(b.rule+"/"+b.name, func(t *testing.T) {
			errs := inBubble(t, b.open, b.paths...)
			if ids := rulesOf(t, errs); !slices.Equal(ids, []string{b.rule}) {
				t.Errorf("the rules %q are broken, want %q alone:\n%v", ids, b.rule, errors.Join(errs...))
			}
			if testing.Verbose() {
				t.Log(errors.Join(errs...))
			}
		})
	}
	for _, b := range brokenWhileChanging {
		t.Run(b.rule+"/"+b.name, func(t *testing.T) {
			var source atomic.Int64
			err := TestSnapshots(t.Context(), b.open(&source), func() error { b.change(&source); return nil })
			if err == nil {
				t.Fatal("no fault was found")
			}
			if ids := rulesOf(t, err.(interface{ Unwrap() []error }).Unwrap()); !slices.Equal(ids, []string{b.rule}) {
				t.Errorf("the rules %q are broken, want %q alone:\n%v", ids, b.rule, err)
			}
		})
	}
}

// TestEachRuleHasABrokenGenerator keeps a rule from being one that nothing breaks.
func TestEachRuleHasABrokenGenerator(t *testing.T) {
	for _, r := range rules {
		found := slices.ContainsFunc(broken, func(b brokenGenerator) bool { return b.rule == r.id })
		for _, b := range brokenWhileChanging {
			found = found || b.rule == r.id
		}
		if !found {
			t.Errorf("no broken generator breaks the rule %q", r.id)
		}
	}
}
