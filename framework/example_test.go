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
	text := fmt.Sprintf("---\nname: %s\ndescription: Greets %s.\n---\n\nSay hello to %s.\n", path, who, who)
	return &framework.Skill{Files: []framework.File{framework.TextFile("SKILL.md", text)}}, nil
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
	// 82 bytes
	// no skill is served at skill://greetings/greet-moon/SKILL.md
}
