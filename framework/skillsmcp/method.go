package skillsmcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/apiskills/apiskills/internal/printable"
)

// The methods that this package answers.
const (
	methodSkillsList    = "skills/list"
	methodSkillsGet     = "skills/get"
	methodDirectoryRead = "resources/directory/read"
	methodResourcesList = string(mcp.MethodResourcesList)
	methodResourcesRead = string(mcp.MethodResourcesRead)
	methodTemplatesList = string(mcp.MethodResourcesTemplatesList)
	methodComplete      = string(mcp.MethodCompletionComplete)

	methodSubscriptionsListen = string(mcp.MethodSubscriptionsListen)
	notificationCancelled     = string(mcp.MethodNotificationCancelled)
)

// A request is an envelope that is a well-formed request of its era.
type request struct {
	*envelope
	modern  bool
	message []byte // the whole of it
}

// owns reports whether the message is one for this package, provided that it is
// a well-formed request.
func (b *Binding) owns(env *envelope) bool {
	if env.id == nil || env.result != nil || env.version != mcp.JSONRPC_VERSION {
		return false
	}
	switch env.method {
	case methodSkillsList, methodSkillsGet, methodDirectoryRead:
		return true
	case methodResourcesRead:
		return env.params.uri.kind != kindString || b.catalog.Owns(env.params.uri.value)
	case methodResourcesList:
		return !b.listsForeign(env)
	case methodTemplatesList:
		// The catalog's templates stand on the first page; the others are mcp-go's.
		return env.params.cursor.missing() || env.params.cursor.kind == kindString && env.params.cursor.value == ""
	case methodComplete:
		uri, ok := env.completes()
		return ok && b.catalog.Owns(uri)
	}
	return false
}

// modern reports whether the message belongs to the era of protocol version
// 2026-07-28, by what it says itself.
func (env *envelope) modern() bool {
	return mcp.IsModernProtocol(env.params.protocolVersion.value)
}

// answer appends the response to an owned request to buf. It returns the code
// of the error that the response carries, or 0. The headers are nil on stdio.
func (b *Binding) answer(ctx context.Context, req *request, headers http.Header, buf []byte) (answer response, code int) {
	ctx, end := b.span(ctx, req, headers)
	answer, f := b.respond(ctx, req, buf)
	end(f)
	if f != nil {
		return answer, f.code
	}
	return answer, 0
}

func (b *Binding) respond(ctx context.Context, req *request, buf []byte) (answer response, f *fault) {
	hooks := b.mcp.GetHooks()
	if req.method == methodTemplatesList || !fires(hooks) {
		hooks = nil // mcp-go is asked for templates too, and fires its own
	}
	var call *hookedCall
	if hooks != nil {
		call = newHookedCall(hooks, req)
		if req.modern { // as mcp-go tells its hooks
			ctx = server.WithRequestProtocolInfo(ctx, &server.RequestProtocolInfo{
				Modern: true, ProtocolVersion: req.params.protocolVersion.value,
			})
		}
	}
	answer, err := b.attempt(ctx, req, call, buf)
	if err == nil {
		if call != nil {
			answer = response{own: answer.whole()}
			b.tell(ctx, call, answer.own[len(buf):], nil)
		}
		return answer, nil
	}
	f, internal := faultOf(err, req.params.uri.value)
	if internal {
		b.log.ErrorContext(ctx, "call failed", "method", req.method, "uri", printable.Shorten(req.params.uri.value), "error", err)
	}
	if call != nil {
		b.tell(ctx, call, nil, err)
	}
	return response{own: appendFault(buf, req.id, f)}, f
}

// attempt makes the response to an owned request. A panic, of a generator or of
// a hook, is an error like others.
func (b *Binding) attempt(ctx context.Context, req *request, call *hookedCall, buf []byte) (answer response, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	if call != nil {
		if err := call.before(ctx); err != nil {
			return response{}, err
		}
	}
	if req.method == methodSkillsList {
		return b.listSkills(ctx, req, buf)
	}
	answer.own, err = b.dispatch(ctx, req, buf)
	return answer, err
}

// listSkills answers skills/list. The page goes out as the catalog made it.
func (b *Binding) listSkills(ctx context.Context, req *request, buf []byte) (response, error) {
	if err := checkParams(req); err != nil {
		return response{}, err
	}
	page, err := b.catalog.List(ctx, req.params.cursor.value)
	if err != nil {
		return response{}, err
	}
	members, err := page.MarshalJSON()
	if err != nil {
		return response{}, err
	}
	// The object of the members ends the result that is begun here.
	return response{b.appendBegin(buf, req, b.freshness(page.Dynamic)), members[1:], responseEnd}, nil
}

// checkParams refuses params of a wrong type.
func checkParams(req *request) error {
	p := &req.params
	if p.kind == kindOther || p.kind == kindString {
		return invalidParams("the params of %s must be an object", req.method)
	}
	if p.meta == kindOther || p.meta == kindString {
		return invalidParams("params._meta of %s must be an object", req.method)
	}
	paged := req.method != methodSkillsGet && req.method != methodResourcesRead && req.method != methodComplete
	if paged && !p.cursor.missing() && p.cursor.kind != kindString {
		return invalidParams("params.cursor of %s must be a string", req.method)
	}
	return nil
}

func (b *Binding) dispatch(ctx context.Context, req *request, buf []byte) ([]byte, error) {
	if err := checkParams(req); err != nil {
		return nil, err
	}
	p := &req.params
	switch req.method {
	case methodResourcesList:
		page, err := b.catalog.ListResources(ctx, strings.TrimPrefix(p.cursor.value, catalogCursor))
		if err != nil {
			return nil, err
		}
		next := page.NextCursor
		if next != "" || b.hasForeign() {
			next = catalogCursor + next
		}
		return b.appendResult(buf, req, b.freshness(page.Dynamic), func(buf []byte) []byte {
			return appendResources(buf, page, next)
		}), nil
	}
	switch req.method {
	case methodTemplatesList:
		return b.listTemplates(ctx, req, buf)
	case methodComplete:
		return b.complete(ctx, req, buf)
	}
	if p.uri.kind != kindString {
		return nil, invalidParams("%s needs params.uri, a string", req.method)
	}
	switch req.method {
	case methodSkillsGet:
		entry, err := b.catalog.Get(ctx, p.uri.value)
		if err != nil {
			return nil, err
		}
		skill, err := entry.MarshalJSON()
		if err != nil {
			return nil, err
		}
		return b.appendResult(buf, req, b.freshness(entry.Dynamic), func(buf []byte) []byte {
			return append(append(buf, `"skill":`...), skill...)
		}), nil
	case methodDirectoryRead:
		page, err := b.catalog.ReadDirectory(ctx, p.uri.value, p.cursor.value)
		if err != nil {
			return nil, err
		}
		return b.appendResult(buf, req, b.freshness(page.Dynamic), func(buf []byte) []byte {
			return appendResources(buf, page, page.NextCursor)
		}), nil
	case methodResourcesRead:
		content, err := b.catalog.Read(ctx, p.uri.value)
		if err != nil {
			return nil, err
		}
		return b.appendResult(buf, req, b.freshness(content.Dynamic), func(buf []byte) []byte {
			return appendContents(buf, p.uri.raw, content)
		}), nil
	}
	return nil, errors.New("method " + req.method + " is owned but not answered")
}

// freshness is the ttlMs of a result.
func (b *Binding) freshness(dynamic bool) int64 {
	switch {
	case dynamic:
		return 0
	case b.opts.TTL != nil:
		return max(0, b.opts.TTL.Milliseconds())
	}
	return b.catalog.TTL().Milliseconds()
}

// The resources that the author of the server added come after the catalog's
// and stay mcp-go's: its pages go out as it makes them, with its cursors, which
// are base64. What tells the two apart is a dot before a cursor of the
// catalog's. A lone dot leads to mcp-go's first page.
const catalogCursor = "."

// hasForeign reports whether the author added resources. Those that belong to
// one session only are not seen.
func (b *Binding) hasForeign() bool { return len(b.mcp.ListResources()) > 0 }

// listsForeign reports whether a resources/list is for a page of mcp-go's.
func (b *Binding) listsForeign(env *envelope) bool {
	cursor := env.params.cursor.value
	if cursor == "" || len(cursor) > 1 && strings.HasPrefix(cursor, catalogCursor) {
		return false
	}
	return cursor == catalogCursor || b.hasForeign()
}

// foreignMessage returns the message as mcp-go is to see it: without the lone
// dot that leads to its first page.
func foreignMessage(message []byte, env *envelope) []byte {
	cursor := &env.params.cursor
	if env.method != methodResourcesList || cursor.value != catalogCursor {
		return message
	}
	return slices.Concat(message[:cursor.pos], []byte(`""`), message[cursor.pos+len(cursor.raw):])
}
