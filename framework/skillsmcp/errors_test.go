package skillsmcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/apiskills/apiskills/framework"
)

// TestErrorsOfTheCatalogHaveTheirCodes goes over the errors that the framework
// names (Skills extension, "Error Handling"). What is the server's own fault tells
// the caller nothing.
func TestErrorsOfTheCatalogHaveTheirCodes(t *testing.T) {
	for _, test := range []struct {
		err      error
		code     int
		internal bool
	}{
		{framework.ErrNotFound, mcp.INVALID_PARAMS, false},
		{framework.ErrInvalidURI, mcp.INVALID_PARAMS, false},
		{framework.ErrInvalidCursor, mcp.INVALID_PARAMS, false},
		{framework.ErrInvalidSkill, mcp.INTERNAL_ERROR, true},
		{framework.ErrBusy, mcp.INTERNAL_ERROR, true},
		{context.DeadlineExceeded, mcp.INTERNAL_ERROR, true},
		{context.Canceled, mcp.INTERNAL_ERROR, false},
		{errors.New("any"), mcp.INTERNAL_ERROR, true},
	} {
		f, internal := faultOf(fmt.Errorf("the detail: %w", test.err), "skill://a/SKILL.md")
		if f.code != test.code || internal != test.internal {
			t.Errorf("%v: code %d, internal %v", test.err, f.code, internal)
		}
		if told := strings.Contains(f.message, "the detail"); told != (test.code == mcp.INVALID_PARAMS) {
			t.Errorf("%v: the caller hears %q", test.err, f.message)
		}
	}
}
