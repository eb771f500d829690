package skillsmcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/internal/printable"
)

// A fault is the error of a JSON-RPC response.
type fault struct {
	code    int
	message string
	uri     string // goes into the error's data, unless empty
}

func (f *fault) Error() string { return f.message }

// maxDataURI bounds the URI that an error repeats as it came, in bytes.
const maxDataURI = 512

// faultOf is the one table from errors to JSON-RPC errors (Skills extension,
// "Error Handling"). The second result reports whether the error is the
// server's own and belongs into the log; what the caller learns of it then is
// nothing but that it happened.
func faultOf(err error, uri string) (f *fault, internal bool) {
	var own *fault
	switch {
	case errors.As(err, &own):
		return own, false
	case errors.Is(err, framework.ErrNotFound), errors.Is(err, framework.ErrInvalidURI):
		return &fault{mcp.INVALID_PARAMS, err.Error(), dataURI(uri)}, false
	case errors.Is(err, framework.ErrInvalidCursor):
		return &fault{mcp.INVALID_PARAMS, err.Error(), ""}, false
	case errors.Is(err, context.Canceled):
		return &fault{mcp.INTERNAL_ERROR, "cancelled", ""}, false
	case errors.Is(err, context.DeadlineExceeded):
		return &fault{mcp.INTERNAL_ERROR, "timed out", ""}, true
	}
	return &fault{mcp.INTERNAL_ERROR, "internal error", ""}, true
}

// unknownResource returns the fault in the place of mcp-go's error for a
// resource that nobody serves, or nil if the error is another one. mcp-go has
// another code in the legacy era, and no data.
func unknownResource(env *envelope, e *mcp.JSONRPCErrorDetails) *fault {
	if e.Code != mcp.RESOURCE_NOT_FOUND && e.Code != mcp.INVALID_PARAMS || !strings.HasSuffix(e.Message, server.ErrResourceNotFound.Error()) {
		return nil
	}
	uri := env.params.uri.value
	return &fault{mcp.INVALID_PARAMS, "no resource is served at " + printable.Shorten(uri), dataURI(uri)}
}

// dataURI returns the URI for an error's data.
func dataURI(uri string) string {
	if len(uri) > maxDataURI {
		return ""
	}
	return uri
}

func invalidParams(format string, args ...any) error {
	return &fault{code: mcp.INVALID_PARAMS, message: fmt.Sprintf(format, args...)}
}
