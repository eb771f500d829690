package skilltest_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skilltest"
)

// greetings is a generator of one skill per greeting.
type greetings map[string]string

func (g greetings) Skill(_ context.Context, path string) (*framework.Skill, error) {
	who, ok := g[path]
	if !ok {
		return nil, fmt.Errorf("greeting %q: %w", path, framework.ErrNotFound)
	}
	text := fmt.Sprintf("---\nname: %s\ndescription: Greets %s.\n---\n\nSay hello to %s.\n", path, who, who)
	return &framework.Skill{Files: []framework.File{framework.TextFile("SKILL.md", text)}}, nil
}

func (g greetings) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return framework.PathList(slices.Sorted(maps.Keys(g))).Paths(ctx, after)
}

// TestGreetings is all that the tests of most generators need.
func TestGreetings(t *testing.T) {
	skilltest.Run(t, func(testing.TB) framework.Generator {
		return greetings{"greet-moon": "the moon", "greet-world": "the world"}
	}, "greet-moon", "greet-world")
}

func ExampleTestGenerator() {
	g := greetings{"greet-world": "the world", "greet-nobody": ""} // of which the description is "Greets ."
	fmt.Println(skilltest.TestGenerator(context.Background(), g, "greet-world"))

	g["Greet_Moon"] = "the moon"
	g["greet-mars"] = "\"Mars\": #4"
	err := skilltest.TestGenerator(context.Background(), g, "greet-world", "greet-venus")
	var fault *skilltest.Fault
	if errors.As(err, &fault) {
		fmt.Println(fault.Rule, fault.Path)
	}
	for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
		fmt.Println(err.(*skilltest.Fault).Rule)
	}
	// Output:
	// <nil>
	// expected-path greet-venus
	// expected-path
	// path
	// frontmatter
}

func ExampleTestSnapshots() {
	g := greetings{"greet-world": "the world"}
	err := skilltest.TestSnapshots(context.Background(), g, func() error {
		g["greet-world"] = "everybody" // where nobody else reads at the same time
		return nil
	})
	fmt.Println(err)
	// Output: <nil>
}
