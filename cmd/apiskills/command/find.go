package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

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
	allow   func(ctx context.Context, path string) bool // nil: all

	mu     sync.Mutex // never held while the catalog is asked
	index  *index     // nil: to be made
	making *making    // nil: nobody makes it
}

// A making is an index that is being made.
type making struct {
	done   chan struct{} // closed at the end
	index  *index
	err    error
	cancel context.CancelFunc
}

// addFinder adds the tool to an MCP server.
func addFinder(s *server.MCPServer, catalog *framework.Catalog, allow func(ctx context.Context, path string) bool) {
	f := &finder{catalog: catalog, allow: allow}
	catalog.OnChange(f.forget)
	s.AddTool(mcp.NewTool("find_skills",
		mcp.WithDescription("Find Agent Skills by what they are for. Each result has the URI of a SKILL.md, to be read with resources/read."),
		mcp.WithString("query", mcp.Required(), mcp.Description("words of the task, as in \"create a pull request\""), mcp.MaxLength(maxQuery)),
		mcp.WithNumber("limit", mcp.Description("number of results, 1 to 50; 10 by default"), mcp.Min(1), mcp.Max(maxFound)),
		mcp.WithReadOnlyHintAnnotation(true),
	), f.call)
}

// forget drops the index, also one that is being made: what it is of has changed.
func (f *finder) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.index = nil
	if f.making != nil {
		f.making.cancel()
		f.making = nil
	}
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
	index, err := f.ready(ctx)
	if err != nil {
		return nil, err
	}
	allowed := func(path string) bool { return f.allow == nil || f.allow(ctx, path) }
	found := []foundSkill{}
	for _, path := range index.rank(query, maxRanked, allowed) {
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

// maxIndexing is how long a search waits for the index, and the index for sources
// that are still being read.
const maxIndexing = 30 * time.Second

// ready returns the index, made now if there is none.
func (f *finder) ready(ctx context.Context) (*index, error) {
	ctx, cancel := context.WithTimeout(ctx, maxIndexing)
	defer cancel()
	for {
		f.mu.Lock()
		if f.index != nil {
			defer f.mu.Unlock()
			return f.index, nil
		}
		m := f.making
		if m == nil {
			own, cancel := context.WithTimeout(everywhere(context.Background()), maxIndexing)
			m = &making{done: make(chan struct{}), cancel: cancel}
			f.making = m
			go f.make(own, m)
		}
		f.mu.Unlock()
		select {
		case <-m.done:
		case <-ctx.Done():
			return nil, fmt.Errorf("index: %w", ctx.Err())
		}
		if !errors.Is(m.err, context.Canceled) { // else something changed
			return m.index, m.err
		}
	}
}

// make makes the index, and keeps it unless something changed meanwhile.
func (f *finder) make(ctx context.Context, m *making) {
	defer close(m.done)
	defer m.cancel()
	m.index, m.err = f.gather(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.making == m {
		f.index, f.making = m.index, nil
	}
}

func (f *finder) gather(ctx context.Context) (made *index, err error) {
	defer func() {
		if v := recover(); v != nil {
			made, err = nil, fmt.Errorf("index: panic: %v\n%s", v, debug.Stack())
		}
	}()
	made = newIndex()
	for s, err := range f.catalog.Summaries(ctx) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, fmt.Errorf("index: %w", err)
		}
		if len(made.paths) == maxIndexed {
			break
		}
		made.add(s.Path, s.Text)
	}
	return made, nil
}
