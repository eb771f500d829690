package framework_test

import (
	"context"
	"fmt"
	"log"

	"github.com/apiskills/apiskills/framework"
)

// greetings is a generator of one skill per greeting.
type greetings map[string]string

func (g greetings) Skill(_ context.Context, path string) (*framework.Skill, error) {
	who, ok := g[path]
	if !ok {
		return nil, fmt.Errorf("greeting %q: %w", path, framework.ErrNotFound)
	}
	head, err := framework.FormatFrontmatter(path, "Greets "+who+".", nil)
	if err != nil {
		return nil, err
	}
	return framework.TextSkill(map[string]string{"SKILL.md": head + "\nSay hello to " + who + ".\n"}), nil
}

func Example() {
	catalog, err := framework.NewCatalog([]framework.Mount{
		{Prefix: "greetings", Generator: greetings{"greet-world": "the world"}},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	entry, err := catalog.Get(context.Background(), "skill://greetings/greet-world/SKILL.md")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(entry.Frontmatter.Description)
	fmt.Println(entry.Resources[0].Size, "bytes")

	_, err = catalog.Get(context.Background(), "skill://greetings/greet-moon/SKILL.md")
	fmt.Println(err)
	// Output:
	// Greets the world.
	// 84 bytes
	// no skill is served at skill://greetings/greet-moon/SKILL.md
}
