package framework_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/apiskills/apiskills/framework"
)

// A queue has one skill, whose text is made when it is read.
type queue struct{ waiting int }

func (q *queue) Skill(_ context.Context, path string) (*framework.Skill, error) {
	if path != "queue-now" {
		return nil, fmt.Errorf("queue %q: %w", path, framework.ErrNotFound)
	}
	// The frontmatter is the same at each read: hosts compare it.
	head, err := framework.FormatFrontmatter(path, "How many wait right now.", nil)
	return &framework.Skill{Dynamic: true, Files: []framework.File{
		framework.TextFile("SKILL.md", fmt.Sprintf("%s%d wait.\n", head, q.waiting)),
	}}, err
}

// A dynamic skill has no digests, and is made anew at each read.
func ExampleSkill_dynamic() {
	q := &queue{waiting: 3}
	catalog, err := framework.NewCatalog([]framework.Mount{{Generator: q}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, uri := context.Background(), "skill://queue-now/SKILL.md"
	entry, err := catalog.Get(ctx, uri)
	if err != nil {
		fmt.Println(err)
		return
	}
	wire, err := json.Marshal(entry)
	fmt.Println(string(wire), err)
	for ; q.waiting < 5; q.waiting++ {
		content, err := catalog.Read(ctx, uri)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(string(content.Bytes[len(content.Bytes)-len("3 wait.\n"):]))
	}
	// Output:
	// {"uri":"skill://queue-now/SKILL.md","frontmatter":{"name":"queue-now","description":"How many wait right now."},"resources":"dynamic"} <nil>
	// 3 wait.
	// 4 wait.
}
