package framework_test

import (
	"context"
	"fmt"
	"path"
	"strconv"

	"github.com/apiskills/apiskills/framework"
)

// A host is a row of somebody's inventory.
type host struct {
	Name, Location string
	Edits          int    // how often the row was edited
	Log            string // long, and far away
}

// inventory is a generator of a skill for each host, at "hosts/NAME".
type inventory map[string]host

func (inv inventory) Skill(ctx context.Context, p string) (*framework.Skill, error) {
	h, ok := inv[path.Base(p)]
	if !ok || p != "hosts/"+h.Name {
		return nil, fmt.Errorf("host %q: %w", p, framework.ErrNotFound)
	}
	head, err := framework.FormatFrontmatter(h.Name, "How to reach "+h.Name+", in "+h.Location+".", nil)
	if err != nil {
		return nil, err
	}
	return &framework.Skill{
		Version: strconv.Itoa(h.Edits), // while it is the same, nothing is rendered again
		Files: []framework.File{
			framework.TextFile("SKILL.md", head+"\nRead [the log](references/log.txt) first.\n"),
			{Name: "references/log.txt", Content: func(ctx context.Context) ([]byte, error) {
				return []byte(h.Log), nil // here: fetch it, under ctx
			}},
		},
	}, nil
}

// A generator with several files, of which one is fetched when its bytes are
// asked for.
func ExampleGenerator() {
	inv := inventory{"mail-1": {Name: "mail-1", Location: "cellar: left", Edits: 3, Log: "queue full\n"}}
	skill, err := inv.Skill(context.Background(), "hosts/mail-1")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, file := range skill.Files {
		content, err := file.Content(context.Background())
		fmt.Println(file.Name, len(content), err)
	}
	_, err = inv.Skill(context.Background(), "hosts/mail-2")
	fmt.Println(err)
	// Output:
	// SKILL.md 117 <nil>
	// references/log.txt 11 <nil>
	// host "hosts/mail-2": not found
}
