package skillsmcp

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// stuckServer has two tools that do not return by themselves: "wait" returns
// when its call is cancelled, "sleep" does not notice for a minute.
func stuckServer(t *testing.T) *Binding {
	b := newServer(t, nil)
	b.mcp.AddTool(mcp.NewTool("wait"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return mcp.NewToolResultText("cancelled"), nil
	})
	b.mcp.AddTool(mcp.NewTool("sleep"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		time.Sleep(time.Minute)
		return mcp.NewToolResultText("slept"), nil
	})
	return b
}

func TestShutdownTakesLessThanFiveSeconds(t *testing.T) {
	for _, tool := range []string{"wait", "sleep"} {
		t.Run("http/"+tool, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				defer time.Sleep(2 * time.Minute) // until all have returned
				b := stuckServer(t)
				h := b.Handler()
				r := modern("tools/call", `"name":"`+tool+`"`)
				r.Header.Set("Mcp-Name", tool)
				go h.ServeHTTP(httptest.NewRecorder(), r)
				synctest.Wait()
				start := time.Now()
				if err := b.Shutdown(context.Background()); err == nil {
					t.Error("Shutdown does not tell that a call was cancelled")
				}
				if d := time.Since(start); d >= 5*time.Second {
					t.Errorf("Shutdown took %v", d)
				}
			})
		})
		t.Run("stdio/"+tool, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				defer time.Sleep(2 * time.Minute)
				b := stuckServer(t)
				inR, inW := io.Pipe()
				var out lockedBuffer
				done := make(chan error, 1)
				go func() { done <- b.ServeStdio(context.Background(), inR, &out) }()
				_, _ = io.WriteString(inW, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`"}}`+"\n")
				synctest.Wait()
				start := time.Now()
				inW.Close()
				if err := <-done; err != nil {
					t.Errorf("ServeStdio: %v", err)
				}
				if d := time.Since(start); d >= 5*time.Second {
					t.Errorf("ServeStdio took %v after the end of its input", d)
				}
				if answered := strings.Contains(out.String(), "cancelled"); answered != (tool == "wait") {
					t.Errorf("output %q", out.String())
				}
			})
		})
	}
}

func TestStdioEndsThoughTheClientDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newServer(t, nil)
		outR, outW := io.Pipe()
		in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"skills/list"}` + "\n")
		start := time.Now()
		if err := b.ServeStdio(context.Background(), in, outW); err != nil {
			t.Errorf("ServeStdio: %v", err)
		}
		if d := time.Since(start); d >= 5*time.Second {
			t.Errorf("ServeStdio took %v", d)
		}
		outR.Close() // lets go of what was left behind
	})
}

func TestChangesAreToldOnceForMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newServer(t, nil)
		s := newStdioSession(&lineWriter{w: io.Discard})
		s.Initialize()
		s.SetProtocolVersion("2025-06-18")
		if err := b.mcp.RegisterSession(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			b.changed()
		}
		time.Sleep(time.Second)
		b.changed()
		time.Sleep(time.Second)
		if n := len(s.notifications); n != 2 {
			t.Errorf("%d notifications, want 2", n)
		}
	})
}
