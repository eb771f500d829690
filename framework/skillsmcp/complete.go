package skillsmcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/apiskills/apiskills/framework"
)

// completes returns the URI that a completion/complete refers to, if it refers to
// a resource.
func (env *envelope) completes() (uri string, ok bool) {
	var ref mcp.ResourceReference
	if json.Unmarshal(env.params.ref, &ref) != nil || ref.Type != "ref/resource" {
		return "", false
	}
	return ref.URI, true
}

// complete answers completion/complete for a template of the catalog's.
func (b *Binding) complete(ctx context.Context, req *request, buf []byte) ([]byte, error) {
	uri, _ := req.completes()
	var argument struct{ Name, Value *string }
	if json.Unmarshal(req.params.argument, &argument) != nil || argument.Name == nil || argument.Value == nil {
		return nil, invalidParams("%s needs params.argument, an object with the strings name and value", req.method)
	}
	var known mcp.CompleteContext
	if req.params.context != nil && json.Unmarshal(req.params.context, &known) != nil {
		return nil, invalidParams("params.context of %s must be an object, and its arguments strings", req.method)
	}
	done, err := b.catalog.Complete(ctx, uri, *argument.Name, *argument.Value, known.Arguments)
	if b.catalog.PerCaller() && errors.Is(err, framework.ErrNotFound) {
		// As mcp-go answers for what it does not know: else who guesses learns which
		// mounts there are.
		done, err = &framework.Completion{}, nil
	}
	if err != nil {
		return nil, err
	}
	return b.appendResult(buf, req, uncacheable, func(buf []byte) []byte {
		buf = append(buf, `"completion":{"values":[`...)
		for i, v := range done.Values {
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = appendString(buf, v)
		}
		buf = append(buf, ']')
		if !done.HasMore {
			buf = fmt.Appendf(buf, `,"total":%d`, len(done.Values))
		}
		return fmt.Appendf(buf, `,"hasMore":%t}`, done.HasMore)
	}), nil
}

// listTemplates answers the first page of resources/templates/list: the
// catalog's templates, and then those of mcp-go's first page. Its hooks fire as
// for any call.
func (b *Binding) listTemplates(ctx context.Context, req *request, buf []byte) ([]byte, error) {
	ours, err := b.catalog.ResourceTemplates(ctx)
	if err != nil {
		return nil, err
	}
	response, err := json.Marshal(b.mcp.HandleMessage(ctx, slices.Clone(req.message)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", req.method, err)
	}
	var message struct {
		Error  *mcp.JSONRPCErrorDetails
		Result struct {
			ResourceTemplates []json.RawMessage
			NextCursor        string
		}
	}
	if err := json.Unmarshal(response, &message); err != nil {
		return nil, fmt.Errorf("%s: %w", req.method, err)
	}
	if e := message.Error; e != nil {
		return nil, &fault{code: e.Code, message: e.Message}
	}
	ttl := b.freshness(false)
	return b.appendResult(buf, req, ttl, func(buf []byte) []byte {
		buf = append(buf, `"resourceTemplates":[`...)
		for i, t := range ours {
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = append(buf, `{"uriTemplate":`...)
			buf = appendString(buf, t.URITemplate)
			buf = append(buf, `,"name":`...)
			buf = appendString(buf, t.Name)
			if t.Description != "" {
				buf = append(buf, `,"description":`...)
				buf = appendString(buf, t.Description)
			}
			buf = append(buf, `,"mimeType":`...)
			buf = appendString(buf, t.MIMEType)
			buf = append(buf, '}')
		}
		for i, t := range message.Result.ResourceTemplates {
			if i+len(ours) > 0 {
				buf = append(buf, ',')
			}
			buf = append(buf, t...)
		}
		buf = append(buf, ']')
		return appendCursor(buf, message.Result.NextCursor)
	}), nil
}
