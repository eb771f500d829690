package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/apiskills/apiskills/framework"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Bounds of a search.
const (
	maxIndexed  = 200_000 // skills
	maxQuery    = 1000    // bytes
	maxFound    = 50
	maxRanked   = 1000 // of which the caller may not see each
	foundUnless = 10   // if the caller names no limit
)

// A finder is the tool find_skills, for hosts without the Skills extension: it
// ranks the skills by how well they match a text.
type finder struct {
	catalog *framework.Catalog

	mu    sync.Mutex
	index *index // nil: to be made
}

// addFinder adds the tool to an MCP server.
func addFinder(s *server.MCPServer, catalog *framework.Catalog) {
	f := &finder{catalog: catalog}
	catalog.OnChange(f.forget)
	s.AddTool(mcp.NewTool("find_skills",
		mcp.WithDescription("Find Agent Skills by what they are for. Each result has the URI of a SKILL.md, to be read with resources/read."),
		mcp.WithString("query", mcp.Required(), mcp.Description("words of the task, as in \"create a pull request\""), mcp.MaxLength(maxQuery)),
		mcp.WithNumber("limit", mcp.Description("number of results, 1 to 50; 10 by default"), mcp.Min(1), mcp.Max(maxFound)),
		mcp.WithReadOnlyHintAnnotation(true),
	), f.call)
}

// forget drops the index: what it is of has changed.
func (f *finder) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.index = nil
}

// A foundSkill is a result.
type foundSkill struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (f *finder) call(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	query := strings.TrimSpace(r.GetString("query", ""))
	limit := r.GetInt("limit", foundUnless)
	switch {
	case query == "" || len(query) > maxQuery:
		return mcp.NewToolResultError(fmt.Sprintf("query must have 1 to %d bytes", maxQuery)), nil
	case limit < 1 || limit > maxFound:
		return mcp.NewToolResultError(fmt.Sprintf("limit must be 1 to %d", maxFound)), nil
	}
	found, err := f.find(ctx, query, limit)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(found)
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultStructured(map[string]any{"skills": found}, string(text)), nil
}

func (f *finder) find(ctx context.Context, query string, limit int) ([]foundSkill, error) {
	index, err := f.ready()
	if err != nil {
		return nil, err
	}
	found := []foundSkill{}
	for _, path := range index.rank(query, maxRanked) {
		if len(found) == limit {
			break
		}
		uri := f.catalog.URI(path)
		entry, err := f.catalog.Get(ctx, uri)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue // the caller may not see it, or it is gone or broken: the log says so
		}
		found = append(found, foundSkill{uri, entry.Frontmatter.Name, entry.Frontmatter.Description})
	}
	return found, nil
}

// ready returns the index, made now if there is none.
func (f *finder) ready() (*index, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.index != nil {
		return f.index, nil
	}
	made := newIndex()
	for s, err := range f.catalog.Summaries(everywhere(context.Background())) {
		if err != nil {
			return nil, fmt.Errorf("index: %w", err)
		}
		if len(made.paths) == maxIndexed {
			break
		}
		made.add(s.Path, s.Text)
	}
	f.index = made
	return made, nil
}
