package skillsmcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A hookedCall fires the hooks that the author set on the mcp-go server for a
// call that mcp-go does not see: those for any method and, before it, the one
// for resources/read or resources/list. The hooks that come after one of these
// two get mcp-go's result types, which are never made here, and are not fired.
type hookedCall struct {
	hooks   *server.Hooks
	req     *request
	id      any
	message any // as mcp-go would pass it on
}

func newHookedCall(hooks *server.Hooks, req *request) *hookedCall {
	c := &hookedCall{hooks: hooks, req: req}
	_ = json.Unmarshal(req.id, &c.id) // valid, or out of range and nil
	switch req.method {
	case methodResourcesRead:
		m := &mcp.ReadResourceRequest{}
		m.Method, m.Params.URI = req.method, req.params.uri.value
		c.message = m
	case methodResourcesList:
		m := &mcp.ListResourcesRequest{}
		m.Method, m.Params.Cursor = req.method, mcp.Cursor(req.params.cursor.value)
		c.message = m
	default:
		c.message = map[string]any{"method": req.method, "params": map[string]any{
			"uri": req.params.uri.value, "cursor": req.params.cursor.value,
		}}
	}
	return c
}

// before fires what comes before the call. The error is a refusal.
func (c *hookedCall) before(ctx context.Context) error {
	for _, hook := range c.hooks.OnRequestInitialization {
		if err := hook(ctx, c.id, json.RawMessage(bytes.Clone(c.req.message))); err != nil {
			return &fault{code: mcp.INVALID_REQUEST, message: err.Error()}
		}
	}
	for _, hook := range c.hooks.OnBeforeAny {
		hook(ctx, c.id, mcp.MCPMethod(c.req.method), c.message)
	}
	switch m := c.message.(type) {
	case *mcp.ReadResourceRequest:
		for _, hook := range c.hooks.OnBeforeReadResource {
			hook(ctx, c.id, m)
		}
	case *mcp.ListResourcesRequest:
		for _, hook := range c.hooks.OnBeforeListResources {
			hook(ctx, c.id, m)
		}
	}
	return nil
}

// tell fires what comes after the call: OnSuccess with the whole response as a
// json.RawMessage, or OnError.
func (b *Binding) tell(ctx context.Context, c *hookedCall, response []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			b.log.ErrorContext(ctx, "a hook panicked", "method", c.req.method, "error", fmt.Sprintf("%v\n%s", v, debug.Stack()))
		}
	}()
	method := mcp.MCPMethod(c.req.method)
	if err != nil {
		for _, hook := range c.hooks.OnError {
			hook(ctx, c.id, method, c.message, err)
		}
		return
	}
	for _, hook := range c.hooks.OnSuccess {
		hook(ctx, c.id, method, c.message, json.RawMessage(bytes.Clone(response)))
	}
}
