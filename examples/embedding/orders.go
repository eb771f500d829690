package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Orders are what the server was about before it had skills: the states of orders,
// by number.
type Orders map[string]string

// newMCPServer returns the server with its tool, prompt and resources. The options
// are those of the skills.
func newMCPServer(orders Orders, hooks *server.Hooks, skills ...server.ServerOption) *server.MCPServer {
	options := []server.ServerOption{server.WithHooks(hooks), server.WithPaginationLimit(50)}
	s := server.NewMCPServer("orders", "1.0.0", append(options, skills...)...) // the skills' come last

	s.AddTool(
		mcp.NewTool("order_state", mcp.WithDescription("The state of an order"), mcp.WithString("order", mcp.Required())),
		func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			number, err := r.RequireString("order")
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			state, ok := orders[number]
			if !ok {
				return mcp.NewToolResultError("there is no order " + number), nil
			}
			return mcp.NewToolResultText(fmt.Sprintf("%s, as %s sees it", state, teamOf(ctx))), nil
		})
	s.AddPrompt(
		mcp.NewPrompt("apology", mcp.WithPromptDescription("Say sorry for an order"), mcp.WithArgument("order", mcp.RequiredArgument())),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text := "Write two sentences of apology for the order " + r.Params.Arguments["order"] + "."
			return mcp.NewGetPromptResult("An apology", []mcp.PromptMessage{
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text)),
			}), nil
		})
	for _, number := range slices.Sorted(maps.Keys(orders)) {
		s.AddResource(
			mcp.NewResource("order://"+number, "order "+number, mcp.WithMIMEType("text/plain")),
			func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: orders[number]}}, nil
			})
	}
	return s
}

// Calls counts what is asked of the server, by method. Its hooks see the methods
// of skills too.
type Calls struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *Calls) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[what]++
}

// String has a line for each method.
func (c *Calls) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := ""
	for _, method := range slices.Sorted(maps.Keys(c.counts)) {
		text += fmt.Sprintf("%s %d\n", method, c.counts[method])
	}
	return text
}

func (c *Calls) hooks() *server.Hooks {
	hooks := &server.Hooks{}
	hooks.AddBeforeAny(func(_ context.Context, _ any, method mcp.MCPMethod, _ any) { c.add(string(method)) })
	hooks.AddOnError(func(context.Context, any, mcp.MCPMethod, any, error) { c.add("errors") })
	hooks.AddAfterReadResource(func(_ context.Context, _ any, _ *mcp.ReadResourceRequest, result *mcp.ReadResourceResult) {
		for _, c2 := range result.Contents {
			if text, ok := c2.(mcp.TextResourceContents); ok && text.Text != "" {
				c.add("texts read")
			}
		}
	})
	return hooks
}
