package skillsmcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/apiskills/apiskills/framework"
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
	if len(uri) > maxDataURI {
		uri = ""
	}
	var own *fault
	switch {
	case errors.As(err, &own):
		return own, false
	case errors.Is(err, framework.ErrNotFound), errors.Is(err, framework.ErrInvalidURI):
		return &fault{mcp.INVALID_PARAMS, err.Error(), uri}, false
	case errors.Is(err, framework.ErrInvalidCursor):
		return &fault{mcp.INVALID_PARAMS, err.Error(), ""}, false
	case errors.Is(err, context.Canceled):
		return &fault{mcp.INTERNAL_ERROR, "cancelled", ""}, false
	case errors.Is(err, context.DeadlineExceeded):
		return &fault{mcp.INTERNAL_ERROR, "timed out", ""}, true
	}
	return &fault{mcp.INTERNAL_ERROR, "internal error", ""}, true
}

func invalidParams(format string, args ...any) error {
	return &fault{code: mcp.INVALID_PARAMS, message: fmt.Sprintf(format, args...)}
}
