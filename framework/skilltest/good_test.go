package skilltest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/apiskills/apiskills/framework"
)

// folder serves the folders of a file system that have a SKILL.md.
type folder struct{ fsys fs.FS }

func (f folder) Skill(ctx context.Context, p string) (*framework.Skill, error) {
	notFound := fmt.Errorf("%.100q: %w", p, framework.ErrNotFound)
	if !fs.ValidPath(p) || !framework.ValidName(path.Base(p)) {
		return nil, notFound
	}
	if _, err := fs.Stat(f.fsys, p+"/SKILL.md"); errors.Is(err, fs.ErrNotExist) {
		return nil, notFound
	}
	skill := &framework.Skill{}
	err := fs.WalkDir(f.fsys, p, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := fs.Stat(f.fsys, name+"/SKILL.md"); err == nil && name != p {
				return fs.SkipDir // a nested skill
			}
			return nil
		}
		b, err := fs.ReadFile(f.fsys, name)
		skill.Files = append(skill.Files, framework.TextFile(name[len(p)+1:], string(b)))
		return err
	})
	if err != nil {
		return nil, err
	}
	return skill, nil
}

func (f folder) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	found, err := fs.Glob(f.fsys, "*/*/SKILL.md")
	if err != nil {
		return func(yield func(string, error) bool) { yield("", err) }
	}
	deeper, _ := fs.Glob(f.fsys, "*/*/*/SKILL.md")
	var list framework.PathList
	for _, name := range append(found, deeper...) {
		list = append(list, path.Dir(name))
	}
	slices.Sort(list)
	return list.Paths(ctx, after)
}

var files = fstest.MapFS{
	"mail/restart-mail/SKILL.md":            {Data: []byte(markdown("restart-mail", "See [the notes](references/notes.md#first), [all](references/) and [a part](part/SKILL.md).\n![](a%20b.png)"))},
	"mail/restart-mail/a b.png":             {Data: []byte("png")},
	"mail/restart-mail/references/notes.md": {Data: []byte("Back to [it](../SKILL.md), or <https://example.com>, or [that](skill://team/mail/stop-mail/SKILL.md).\n")},
	"mail/restart-mail/part/SKILL.md":       {Data: []byte(markdown("part", "See [the whole](../SKILL.md)."))},
	"mail/stop-mail/SKILL.md":               {Data: []byte(markdown("stop-mail", "`[no link](nowhere.md)`"))},
	"mail/README.md":                        {Data: []byte("no skill")},
}

// huge is 100,000 skills, none of which is kept.
type huge struct{}

const hugeSize = 100_000

func (huge) Skill(_ context.Context, p string) (*framework.Skill, error) {
	var group, item int
	if n, err := fmt.Sscanf(p, "group-%03d/item-%03d", &group, &item); n != 2 || err != nil || group >= hugeSize/1000 || fmt.Sprintf("group-%03d/item-%03d", group, item) != p {
		return nil, framework.ErrNotFound
	}
	return plain(p), nil
}

func (huge) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		from := sortSearch(hugeSize, func(i int) bool { return hugePath(i) > after })
		for i := from; i < hugeSize; i++ {
			if err := ctx.Err(); err != nil {
				yield("", err)
				return
			}
			if !yield(hugePath(i), nil) {
				return
			}
		}
	}
}

func hugePath(i int) string { return fmt.Sprintf("group-%03d/item-%03d", i/1000, i%1000) }

func sortSearch(n int, f func(int) bool) int {
	lo, hi := 0, n
	for lo < hi {
		if mid := (lo + hi) / 2; f(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// slow takes a second for everything, and leaves when it may.
type slow struct{ table }

func wait1s(ctx context.Context) error {
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s slow) Skill(ctx context.Context, p string) (*framework.Skill, error) {
	if err := wait1s(ctx); err != nil {
		return nil, err
	}
	return s.table.Skill(ctx, p)
}

func (s slow) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := wait1s(ctx); err != nil {
			yield("", err)
			return
		}
		s.table.Paths(ctx, after)(yield)
	}
}

// oneConnection lets Skill wait while paths are yielded.
type oneConnection struct {
	table
	mu *sync.Mutex
}

func (o oneConnection) Skill(ctx context.Context, p string) (*framework.Skill, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.table.Skill(ctx, p)
}

func (o oneConnection) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.table.Paths(ctx, after)(yield)
	}
}

// able has all optional abilities.
type able struct{ table }

func (a able) Featured(context.Context) ([]string, error) { return []string{"wiki/restart-wiki"}, nil }

func (a able) Templates(context.Context) ([]framework.Template, error) {
	return []framework.Template{{Path: "{group}/{name}", Name: "all"}, {Path: "mail/{name}", Name: "mail"}}, nil
}

func (a able) Summaries(context.Context) iter.Seq2[framework.Summary, error] {
	return func(yield func(framework.Summary, error) bool) {
		for _, p := range slices.Sorted(maps.Keys(a.table)) {
			if !yield(framework.Summary{Path: p, Text: p}, nil) {
				return
			}
		}
	}
}

func (a able) Diagnostics(context.Context) iter.Seq[framework.Diagnostic] {
	return slices.Values([]framework.Diagnostic{{Severity: framework.Note, Rule: "old-source", Message: "The source is old.", Skill: target}})
}

func (a able) Watch(ctx context.Context, changed func(string)) error {
	changed("")
	<-ctx.Done()
	return ctx.Err()
}

// wrapper passes on the abilities of another generator.
type wrapper struct{ framework.Generator }

func (w wrapper) Unwrap() framework.Generator { return w.Generator }

// anyName has a skill at each path of one segment, and cannot list them.
type anyName struct{}

func (anyName) Skill(_ context.Context, p string) (*framework.Skill, error) {
	if !framework.ValidName(p) {
		return nil, framework.ErrNotFound
	}
	return plain(p), nil
}

// status is dynamic: its text is another at each read.
func status() framework.Generator {
	var n atomic.Int64
	t := with(&framework.Skill{Dynamic: true, Files: []framework.File{{Name: "SKILL.md", Content: func(context.Context) ([]byte, error) {
		return []byte(markdown(target, fmt.Sprint(n.Add(1)))), nil
	}}}})
	t["mail"] = plain("mail") // encloses it
	return t
}

// TestGoodGeneratorsHaveNoFault keeps the rules from asking too much.
func TestGoodGeneratorsHaveNoFault(t *testing.T) {
	all := []string{target, "mail/stop-mail", "wiki/restart-wiki"}
	atLimits := with(plain(target, append(manyFiles(510), framework.TextFile("x.txt", strings.Repeat("x", framework.MaxTotalBytes-200)))...))
	for _, test := range []struct {
		name  string
		g     framework.Generator
		paths []string
	}{
		{"static", some(), all},
		{"empty", table{}, nil},
		{"nested", nested(), []string{"guide", "guide/inner/part"}},
		{"dynamic", status(), []string{target}},
		{"no Lister", unlisted{some()}, all},
		{"no Lister, any name", anyName{}, []string{"hello"}},
		{"huge", huge{}, []string{"group-050/item-123"}},
		{"slow", slow{some()}, all},
		{"one connection", oneConnection{some(), &sync.Mutex{}}, all},
		{"folder", folder{files}, []string{target, target + "/part"}},
		{"all abilities", able{some()}, all},
		{"wrapped", wrapper{wrapper{able{some()}}}, all},
		{"versions", with(&framework.Skill{Version: "1", Files: plain(target).Files}), all},
		{"at the limits", atLimits, all},
	} {
		t.Run(test.name, func(t *testing.T) {
			if errs := inBubble(t, fixed(test.g), test.paths...); len(errs) > 0 {
				t.Error(errors.Join(errs...))
			}
		})
	}
}

// TestGoodSnapshotsHaveNoFault changes a source of which skills are snapshots.
func TestGoodSnapshotsHaveNoFault(t *testing.T) {
	var source atomic.Int64
	g := made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		if p != target {
			return some().Skill(ctx, p)
		}
		body := fmt.Sprint(source.Load())
		s := bare(markdown(p, body))
		s.Version = body
		return s, nil
	}}
	change := func() error { source.Add(1); return nil }
	if err := TestSnapshots(t.Context(), g, change); err != nil {
		t.Error(err)
	}
	if err := TestSnapshots(t.Context(), unlisted{g}, change, target); err != nil {
		t.Error(err)
	}
	if err := TestSnapshots(t.Context(), g, func() error { return errBackend }); !errors.Is(err, errBackend) {
		t.Errorf("the error of a change that fails is %v, want it to wrap %v", err, errBackend)
	}
}
