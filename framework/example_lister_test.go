package framework_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// A table is ascending by path, as the index of a database is.
type table []string

func (t table) Skill(_ context.Context, path string) (*framework.Skill, error) {
	if _, ok := slices.BinarySearch(t, path); !ok {
		return nil, fmt.Errorf("row %q: %w", path, framework.ErrNotFound)
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	head, err := framework.FormatFrontmatter(name, "About "+path+".", nil)
	return framework.TextSkill(map[string]string{"SKILL.md": head}), err
}

// Paths goes to the first path after the one that is given, as a query
// "WHERE path > ? ORDER BY path" does. It does not visit those before.
func (t table) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		i, found := slices.BinarySearch(t, after)
		if found {
			i++
		}
		for _, path := range t[i:] {
			if err := ctx.Err(); err != nil {
				yield("", err)
				return
			}
			if !yield(path, nil) {
				return
			}
		}
	}
}

var _ framework.Lister = table(nil) // else a misspelt Paths is no Paths, silently

// With a Lister, skills are listed, and so are the directories above them.
func ExampleLister() {
	t := table{"bread/bake-bread", "bread/cut-bread", "tea/brew-tea"}
	catalog, err := framework.NewCatalog([]framework.Mount{{Prefix: "kitchen", Generator: t}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for path, err := range catalog.Paths(context.Background(), "kitchen/bread/bake-bread") {
		fmt.Println(path, err)
	}
	page, err := catalog.ReadDirectory(context.Background(), "skill://kitchen", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, child := range page.Resources {
		fmt.Println(child.URI)
	}
	// Output:
	// kitchen/bread/cut-bread <nil>
	// kitchen/tea/brew-tea <nil>
	// skill://kitchen/bread
	// skill://kitchen/tea
}
