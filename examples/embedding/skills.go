package main

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// Runbooks has a skill for each task of a team: "support/refund-order" and its
// steps.
type Runbooks map[string]string

// Skill implements framework.Generator.
func (r Runbooks) Skill(_ context.Context, path string) (*framework.Skill, error) {
	steps, ok := r[path]
	if !ok {
		return nil, fmt.Errorf("runbook %q: %w", path, framework.ErrNotFound)
	}
	team, name, _ := strings.Cut(path, "/")
	head, err := framework.FormatFrontmatter(name, "How "+team+" does it: "+strings.ReplaceAll(name, "-", " ")+".", nil)
	if err != nil {
		return nil, err
	}
	return framework.TextSkill(map[string]string{"SKILL.md": head + "\n" + steps + "\n"}), nil
}

// Paths implements framework.Lister.
func (r Runbooks) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return framework.PathList(slices.Sorted(maps.Keys(r))).Paths(ctx, after)
}

// newCatalog serves runbooks below skill://runbooks/, to each team its own.
func newCatalog(runbooks Runbooks) (*framework.Catalog, error) {
	return framework.NewCatalog([]framework.Mount{{Prefix: "runbooks", Generator: runbooks}}, &framework.Options{
		// The context is that of the request, with what authenticate put there.
		Allow: func(ctx context.Context, path string) bool {
			team := teamOf(ctx)
			return team != "" && strings.HasPrefix(path, "runbooks/"+team+"/")
		},
	})
}
