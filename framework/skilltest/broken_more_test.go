package skilltest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

// A hollow error is a nil pointer that is taken for an error.
type hollow struct{ text string }

func (e *hollow) Error() string { return e.text }

// yielding is a generator with Diagnostics of its own.
type yielding struct {
	table
	diagnostics func(yield func(framework.Diagnostic) bool)
}

func (y yielding) Diagnostics(context.Context) iter.Seq[framework.Diagnostic] { return y.diagnostics }

func note(rule string) framework.Diagnostic {
	return framework.Diagnostic{Severity: framework.Note, Rule: rule, Message: "The source is old."}
}

// asking makes each skill of some by a function that gets the right one.
func asking(change func(ctx context.Context, s *framework.Skill)) framework.Generator {
	return made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		s, err := some().Skill(ctx, p)
		if err == nil {
			change(ctx, s)
		}
		return s, err
	}}
}

// moreBroken are as broken are.
var moreBroken = []brokenGenerator{
	{rule: "panic", name: "a nil pointer for an error", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		var err *hollow
		if s, ok := some()[p]; ok {
			return s, nil
		}
		return nil, err
	}})},
	{rule: "panic", name: "a nil pointer for the error of a file", open: fixed(content(func(context.Context) ([]byte, error) {
		var err *hollow
		return nil, err
	}))},
	{rule: "expected-path", name: "no generator", open: fixed(nil), paths: []string{target}},
	{rule: "limits", name: "more files than anybody reads", open: fixed(with(plain(target, manyFiles(100_000)...)))},
	{rule: "hostile-path", name: "without regard to the case of folders", open: fixed(made{some(), func(ctx context.Context, p string) (*framework.Skill, error) {
		if i := strings.LastIndexByte(p, '/'); i > 0 && p[:i] == strings.ToUpper(p[:i]) {
			p = strings.ToLower(p[:i]) + p[i:]
		}
		return some().Skill(ctx, p)
	}})},
	{rule: "order", name: "a file that needs another one", open: fixed(asking(func(_ context.Context, s *framework.Skill) {
		title := "none"
		md := s.Files[0].Content
		s.Files[0].Content = func(ctx context.Context) ([]byte, error) { title = "some"; return md(ctx) }
		s.Files = append(s.Files, framework.File{Name: "title.txt", Content: func(context.Context) ([]byte, error) { return []byte(title), nil }})
	}))},
	{rule: "cancellation-kept", name: "a file that needs the context of Skill", open: fixed(asking(func(ctx context.Context, s *framework.Skill) {
		md := s.Files[0].Content
		s.Files[0].Content = func(context.Context) ([]byte, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return md(ctx)
		}
	}))},
	{rule: "featured", name: "another order each time", open: func(<-chan struct{}) framework.Generator {
		var n atomic.Int64
		return featuring{some(), some(), func(ctx context.Context) ([]string, error) {
			paths := []string{target, "wiki/restart-wiki"}
			if n.Add(1)%2 == 0 {
				slices.Reverse(paths)
			}
			return paths, ctx.Err()
		}}
	}},
	{rule: "templates", name: "too many", open: func(<-chan struct{}) framework.Generator {
		var templates []framework.Template
		for i := range 17 {
			templates = append(templates, framework.Template{Path: "{group}/{name}", Name: fmt.Sprint("t", i)})
		}
		return templating{table: some(), templates: templates}
	}},
	{rule: "summaries", name: "go on when broken off", open: fixed(summing{some(), func(_ context.Context, yield func(framework.Summary, error) bool) {
		for _, p := range slices.Sorted(maps.Keys(some())) {
			yield(framework.Summary{Path: p}, nil)
		}
	}})},
	{rule: "diagnostics", name: "go on when broken off", open: fixed(yielding{some(), func(yield func(framework.Diagnostic) bool) {
		yield(note("one"))
		yield(note("two"))
	}})},
	{rule: "diagnostics", name: "another order each time", open: func(<-chan struct{}) framework.Generator {
		var n atomic.Int64
		return yielding{some(), func(yield func(framework.Diagnostic) bool) {
			both := []framework.Diagnostic{note("one"), note("two")}
			if n.Add(1)%2 == 0 {
				slices.Reverse(both)
			}
			slices.Values(both)(yield)
		}}
	}},
	{rule: "watch", name: "ends at once", open: fixed(watching{some(), func(context.Context) error { return nil }})},
	{rule: "watch", name: "fails", open: fixed(watching{some(), func(context.Context) error { return errBackend }})},
	{rule: "panic", name: "watch", open: fixed(watching{some(), func(context.Context) error { panic("no source") }})},
}

// TestLinksOfUsualMarkdownHaveNoFault has links that are right, though less usual.
func TestLinksOfUsualMarkdownHaveNoFault(t *testing.T) {
	nested := some()
	nested["mail"] = plain("mail", framework.TextFile("references/a.md", ""))
	nested["mail/parts/one"] = plain("mail/parts/one")
	nested[target] = plain(target, framework.TextFile("b.md",
		"[up](..) [up](../) [a](../references) [c](../stop-mail) [c](../stop-mail/) [d](../stop-mail/SKILL.md) [e](../parts/) [f](../parts/one)"))
	for name, g := range map[string]framework.Generator{
		"directories of enclosing skills": nested,
		"a link in frontmatter with CRLF": with(bare("---\r\nname: restart-mail\r\ndescription: \"See [x](y.md).\"\r\n---\r\n\r\nDo it.\r\n")),
	} {
		if errs := inBubble(t, fixed(g)); len(errs) > 0 {
			t.Errorf("%s: %v", name, errors.Join(errs...))
		}
	}
}
