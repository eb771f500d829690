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
// call that mcp-go does not see: those for any method, and those for
// resources/read, resources/list and completion/complete.
type hookedCall struct {
	hooks   *server.Hooks
	req     *request
	id      any
	message any // as mcp-go would pass it on
}

// fires reports whether there is a hook that an owned call would fire.
func fires(h *server.Hooks) bool {
	return h != nil && (len(h.OnRequestInitialization) > 0 || len(h.OnBeforeAny) > 0 || len(h.OnSuccess) > 0 || len(h.OnError) > 0 ||
		len(h.OnBeforeReadResource) > 0 || len(h.OnAfterReadResource) > 0 ||
		len(h.OnBeforeListResources) > 0 || len(h.OnAfterListResources) > 0 ||
		len(h.OnBeforeComplete) > 0 || len(h.OnAfterComplete) > 0)
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
	case methodComplete:
		m := &mcp.CompleteRequest{}
		_ = json.Unmarshal(req.message, m) // what cannot be read is refused after this
		m.Method = req.method
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
	case *mcp.CompleteRequest:
		for _, hook := range c.hooks.OnBeforeComplete {
			hook(ctx, c.id, m)
		}
	}
	return nil
}

// tell fires what comes after the call. The result is of mcp-go's type for a
// method that mcp-go has, else a json.RawMessage.
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
	result, err := c.result(response)
	if err != nil {
		b.log.ErrorContext(ctx, "no result for hooks", "method", c.req.method, "error", err)
		return
	}
	for _, hook := range c.hooks.OnSuccess {
		hook(ctx, c.id, method, c.message, result)
	}
	switch m := c.message.(type) {
	case *mcp.ReadResourceRequest:
		for _, hook := range c.hooks.OnAfterReadResource {
			hook(ctx, c.id, m, result.(*mcp.ReadResourceResult))
		}
	case *mcp.ListResourcesRequest:
		for _, hook := range c.hooks.OnAfterListResources {
			hook(ctx, c.id, m, result.(*mcp.ListResourcesResult))
		}
	case *mcp.CompleteRequest:
		for _, hook := range c.hooks.OnAfterComplete {
			hook(ctx, c.id, m, result.(*mcp.CompleteResult))
		}
	}
}

// result takes the result out of a response.
func (c *hookedCall) result(response []byte) (any, error) {
	var message struct{ Result json.RawMessage }
	if err := json.Unmarshal(response, &message); err != nil {
		return nil, err
	}
	switch c.message.(type) {
	case *mcp.ReadResourceRequest:
		return mcp.ParseReadResourceResult(&message.Result)
	case *mcp.ListResourcesRequest:
		list := new(mcp.ListResourcesResult)
		return list, json.Unmarshal(message.Result, list)
	case *mcp.CompleteRequest:
		done := new(mcp.CompleteResult)
		return done, json.Unmarshal(message.Result, done)
	}
	return message.Result, nil
}
