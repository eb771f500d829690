package framework_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/apiskills/apiskills/framework"
)

// orchard has a skill for each tree, and knows what is wrong with some of them
// without making their skills.
type orchard map[string]string // what is wrong, by path

func (o orchard) Skill(_ context.Context, path string) (*framework.Skill, error) {
	if _, ok := o[path]; !ok {
		return nil, fmt.Errorf("tree %q: %w", path, framework.ErrNotFound)
	}
	head, err := framework.FormatFrontmatter(path, "How to prune it.", nil)
	return framework.TextSkill(map[string]string{"SKILL.md": head}), err
}

func (o orchard) Diagnostics(context.Context) iter.Seq[framework.Diagnostic] {
	return func(yield func(framework.Diagnostic) bool) {
		for _, path := range slices.Sorted(maps.Keys(o)) {
			if o[path] != "" && !yield(framework.Diagnostic{
				Severity: framework.Warning, Rule: "unknown-variety", Skill: path,
				File: "trees.csv", Message: o[path] + ": the skill speaks of trees in general",
			}) {
				return
			}
		}
	}
}

// What is reported does not keep a skill from being served.
func ExampleDiagnoser() {
	catalog, err := framework.NewCatalog([]framework.Mount{
		{Prefix: "orchard", Generator: orchard{"prune-apple": "", "prune-medlar": `the variety "Royal" is unknown`}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for d := range catalog.Diagnostics(context.Background()) {
		fmt.Println(d.Skill)
		fmt.Println(d)
	}
	// Output:
	// orchard/prune-medlar
	// trees.csv: warning: the variety "Royal" is unknown: the skill speaks of trees in general (unknown-variety)
}
