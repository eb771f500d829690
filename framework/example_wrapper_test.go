package framework_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/apiskills/apiskills/framework"
)

// annotated adds the files of one generator's skills, SKILL.md apart, to the
// skills of another at the same paths.
type annotated struct{ base, notes framework.Generator }

func (a annotated) Skill(ctx context.Context, path string) (*framework.Skill, error) {
	skill, err := a.base.Skill(ctx, path)
	if err != nil {
		return nil, err
	}
	notes, err := a.notes.Skill(ctx, path)
	if errors.Is(err, framework.ErrNotFound) {
		notes, err = &framework.Skill{Version: "none"}, nil
	}
	if err != nil {
		return nil, err
	}
	both := *skill // a snapshot of base's, which others have too
	both.Files = slices.Clone(skill.Files)
	for _, f := range notes.Files {
		if f.Name != "SKILL.md" {
			both.Files = append(both.Files, f)
		}
	}
	both.Version = ""
	if skill.Version != "" && notes.Version != "" {
		both.Version = fmt.Sprintf("%q %q", skill.Version, notes.Version)
	}
	both.Dynamic = skill.Dynamic || notes.Dynamic
	both.Diagnostics = slices.Concat(skill.Diagnostics, notes.Diagnostics)
	return &both, nil
}

// As has the abilities that are true of both. Without a case for it an ability is
// one that annotated does not have.
func (a annotated) As(target any) bool {
	switch t := target.(type) {
	case *framework.Lister: // notes adds no skill
		return pass(a.base, t)
	case *framework.Featurer:
		return pass(a.base, t)
	case *framework.Watcher: // what is told by one alone has to be asked for
		base, ok := framework.As[framework.Watcher](a.base)
		notes, both := framework.As[framework.Watcher](a.notes)
		if ok && both {
			*t = watchers{base, notes}
		}
		return ok && both
	}
	return false
}

// pass sets the ability that g has.
func pass[T any](g framework.Generator, target *T) bool {
	ability, ok := framework.As[T](g)
	if ok {
		*target = ability
	}
	return ok
}

// watchers run until one of them ends.
type watchers [2]framework.Watcher

func (w watchers) Watch(ctx context.Context, changed func(path string)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	for _, one := range w {
		group.Go(func() error {
			defer cancel() // nobody watches all then
			return one.Watch(ctx, changed)
		})
	}
	return group.Wait()
}

// A wrapper of two generators.
func ExampleAs_two() {
	base := listed{greetings{"greet-moon": "the moon", "greet-world": "the world"}}
	notes := generatorFunc(func(_ context.Context, path string) (*framework.Skill, error) {
		if path != "greet-moon" {
			return nil, framework.ErrNotFound
		}
		return &framework.Skill{Files: []framework.File{framework.TextFile("notes.md", "It does not answer.\n")}}, nil
	})
	g := annotated{base, notes}
	printSkills(g)
	skill, err := g.Skill(context.Background(), "greet-moon")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(skill.Files[1].Name)
	_, ok := framework.As[framework.Watcher](g)
	fmt.Println("a Watcher:", ok)
	// Output:
	// skill://greet-moon/SKILL.md - Greets the moon.
	// skill://greet-world/SKILL.md - Greets the world.
	// notes.md
	// a Watcher: false
}
