package skillsmcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A stdioClient talks to ServeStdio over pipes.
type stdioClient struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	stop context.CancelFunc
	done chan error // what ServeStdio returned
}

func startStdio(t *testing.T, b *Binding) *stdioClient {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	c := &stdioClient{t: t, in: inW, out: bufio.NewReader(outR), stop: cancel, done: make(chan error, 1)}
	go func() {
		c.done <- b.ServeStdio(ctx, inR, outW)
		outW.Close()
	}()
	t.Cleanup(func() { cancel(); inW.Close(); outR.Close() })
	return c
}

func (c *stdioClient) send(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.in, format+"\n", args...); err != nil {
		c.t.Errorf("send: %v", err)
	}
}

// line returns the next line of the server.
func (c *stdioClient) line() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatalf("receive: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

func (c *stdioClient) receive() *message {
	c.t.Helper()
	line := c.line()
	m := new(message)
	if err := json.Unmarshal([]byte(line), m); err != nil {
		c.t.Fatalf("line %q: %v", line, err)
	}
	return m
}

// initialize makes the handshake of the legacy era.
func (c *stdioClient) initialize() {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	if m := c.receive(); m.code() != 0 {
		c.t.Fatalf("initialize: %+v", m.Error)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// onStdio returns a request of each era.
var onStdio = map[string]func(method, members string) string{
	"modern": func(method, m string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, members(m, modernMeta))
	},
	"legacy": func(method, m string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, m)
	},
}

func TestStdioServesBothEras(t *testing.T) {
	for era, request := range onStdio {
		t.Run(era, func(t *testing.T) {
			c := startStdio(t, newServer(t, nil))
			if era == "legacy" {
				c.initialize()
			}
			c.send("%s", request("skills/get", `"uri":"`+guideURI+`"`))
			got := result[map[string]any](t, c.receive())
			if _, ok := got["ttlMs"]; got["skill"] == nil || ok != (era == "modern") {
				t.Errorf("skills/get: %v", got)
			}
			c.send("%s", request("tools/call", `"name":"greet","arguments":{"name":"Ada"}`))
			if line := c.line(); !strings.Contains(line, "hello Ada") {
				t.Errorf("tools/call: %s", line)
			}
			c.send("%s", request("resources/read", `"uri":"note://today"`))
			if line := c.line(); !strings.Contains(line, "sunny") {
				t.Errorf("resources/read: %s", line)
			}
			c.send("%s", request("resources/read", `"uri":"note://tomorrow"`))
			if m := c.receive(); m.code() != -32602 {
				t.Errorf("unknown resource: %+v", m.Error)
			}
			c.send("%s", request("resources/list", `"cursor":"."`))
			if line := c.line(); !strings.Contains(line, "note://today") || strings.Contains(line, guideURI) {
				t.Errorf("resources/list: %s", line)
			}
			c.send("%s", request("tools/call", `"name":"greet","arguments":{"name":"panic"}`))
			if m := c.receive(); m.code() != -32603 || strings.Contains(m.Error.Message, "secret") {
				t.Errorf("panic: %+v", m.Error)
			}
			c.send("%s", request("skills/get", `"uri":"skill://shelf/panics/SKILL.md"`))
			if m := c.receive(); m.code() != -32603 {
				t.Errorf("panic of the generator: %+v", m.Error)
			}
			c.in.Close()
			if err := <-c.done; err != nil {
				t.Errorf("ServeStdio: %v", err)
			}
		})
	}
}

// TestStdioValidatesOwnedMethodsAsDelegatedOnes is the differential test of
// envelopes on stdio, where there are no headers.
func TestStdioValidatesOwnedMethodsAsDelegatedOnes(t *testing.T) {
	c := startStdio(t, newServer(t, nil))
	for _, form := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"$M","params":{$U}}`,
		modernForm,
		`{"jsonrpc":"1.0","id":1,"method":"$M","params":{$U}}`,
		`{"jsonrpc":2,"id":1,"method":"$M","params":{$U}}`,
		`{"id":1,"method":"$M","params":{$U}}`,
		`{"jsonrpc":"2.0","id":{},"method":"$M","params":{$U}}`,
		`[` + modernForm + `]`,
		`{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"_meta":{` + versionMember + `}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"_meta":{` + versionMember + `,"io.modelcontextprotocol/clientCapabilities":[]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01",` + capsMember + `}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-06-18"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"$M","params":{$P"_meta":null}}`,
		`{"jsonrpc":"2.0","id":1,"method":"$M","params":{$U}`,
		`hello`,
	} {
		for pair, calls := range pairs {
			var outcomes [2]string
			for i, call := range []call{calls.owned, calls.delegated} {
				comma := call.members
				if comma != "" {
					comma += ","
				}
				c.send("%s", strings.NewReplacer("$M", call.method, "$P", comma, "$U", call.members, "$V", modernMeta).Replace(form))
				m := c.receive()
				var members map[string]json.RawMessage
				_ = json.Unmarshal(m.Result, &members)
				outcomes[i] = fmt.Sprintf("id %s, code %d, resultType %s, _meta %s", m.ID, m.code(), members["resultType"], members["_meta"])
			}
			if outcomes[0] != outcomes[1] {
				t.Errorf("%s, %s:\nowned:     %s\ndelegated: %s", form, pair, outcomes[0], outcomes[1])
			}
		}
	}
}

func TestStdioEchoesIDs(t *testing.T) {
	c := startStdio(t, newServer(t, nil))
	for _, id := range []string{`9007199254740993`, `1.50`, `"\u0041"`} {
		c.send(`{"jsonrpc":"2.0","id":%s,"method":"skills/get","params":{"uri":"%s"}}`, id, guideURI)
		if m := c.receive(); string(m.ID) != id {
			t.Errorf("id %s came back as %s", id, m.ID)
		}
	}
}

func TestStdioSkipsALineOverTheLimit(t *testing.T) {
	c := startStdio(t, newServer(t, &Options{MaxBody: 200_000}))
	c.send(`{"jsonrpc":"2.0","id":1,"method":"skills/get","params":{"uri":"%s"}}`, strings.Repeat("x", 300_000))
	if m := c.receive(); m.code() != mcp.INVALID_REQUEST || string(m.ID) != "null" {
		t.Errorf("answer: %+v", m.Error)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"skills/get","params":{"uri":"%s"}}`, guideURI)
	if m := c.receive(); m.code() != 0 || string(m.ID) != "2" {
		t.Errorf("the next line: %+v", m.Error)
	}
}

func TestStdioCancelsGetThroughAndAreNotAnswered(t *testing.T) {
	g := newShelf()
	c := startStdio(t, bind(t, newCatalog(t, g), nil))
	c.send(`{"jsonrpc":"2.0","id":1,"method":"skills/get","params":{"uri":"skill://shelf/hangs/SKILL.md"}}`)
	<-g.waiting
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if m := c.receive(); string(m.ID) != "2" {
		t.Errorf("answer to %s", m.ID)
	}
	c.in.Close()
	if rest, err := io.ReadAll(c.out); err != nil || len(rest) > 0 {
		t.Errorf("further output %q, %v", rest, err)
	}
}

func TestStdioReadsOnWhileAllWorkersAreBusy(t *testing.T) {
	b := bind(t, newCatalog(t, newShelf()), &Options{MaxInFlight: 2})
	started, release := make(chan struct{}, 2), make(chan struct{})
	b.mcp.AddTool(mcp.NewTool("wait"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		started <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
		}
		return mcp.NewToolResultText("done"), nil
	})
	c := startStdio(t, b)
	for id := range 2 {
		c.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait"}}`, id)
		<-started
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"skills/list"}`)
	if m := c.receive(); string(m.ID) != "2" || m.code() != -32603 || !strings.Contains(m.Error.Message, "busy") {
		t.Errorf("beyond the limit: %s %+v", m.ID, m.Error)
	}
	c.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	if m := c.receive(); string(m.ID) != "3" || m.code() != 0 {
		t.Errorf("ping: %s %+v", m.ID, m.Error)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if m := c.receive(); string(m.ID) != "1" {
		t.Errorf("after the cancellation: an answer to %s", m.ID)
	}
	close(release)
	if m := c.receive(); string(m.ID) != "0" {
		t.Errorf("after the release: an answer to %s", m.ID)
	}
	for id := 4; ; id++ { // there is room once the answer was written, a moment after it is read
		c.send(`{"jsonrpc":"2.0","id":%d,"method":"skills/list"}`, id)
		m := c.receive()
		if m.code() == 0 {
			break
		}
		if !strings.Contains(m.Error.Message, "busy") {
			t.Fatalf("with room again: %+v", m.Error)
		}
	}
}

func TestStdioAnswersWhatIsInProgressAtTheEnd(t *testing.T) {
	for _, how := range []string{"end of input", "end of context"} {
		t.Run(how, func(t *testing.T) {
			b := newServer(t, nil)
			started, release := make(chan struct{}), make(chan struct{})
			b.mcp.AddTool(mcp.NewTool("wait"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				close(started)
				<-release
				return mcp.NewToolResultText("done"), nil
			})
			c := startStdio(t, b)
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`)
			<-started
			c.send(`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},%s}}`, modernMeta)
			if line := c.line(); !strings.Contains(line, "acknowledged") {
				t.Errorf("listen: %s", line)
			}
			if how == "end of input" {
				c.in.Close()
			} else {
				c.stop()
			}
			if m := c.receive(); string(m.ID) != "2" { // a subscription ends at once
				t.Errorf("answer to %s", m.ID)
			}
			close(release)
			if m := c.receive(); string(m.ID) != "1" || m.code() != 0 {
				t.Errorf("answer to %s: %+v", m.ID, m.Error)
			}
			if err := <-c.done; err != nil {
				t.Errorf("ServeStdio: %v", err)
			}
		})
	}
}

func TestStdioTellsOfChanges(t *testing.T) {
	for _, era := range []string{"legacy", "modern", "modern without a subscription"} {
		t.Run(era, func(t *testing.T) {
			b := newServer(t, nil)
			c := startStdio(t, b)
			switch era {
			case "legacy":
				c.initialize()
			case "modern":
				c.send(`{"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},%s}}`, modernMeta)
				if line := c.line(); !strings.Contains(line, "acknowledged") || !strings.Contains(line, `"sub"`) {
					t.Errorf("listen: %s", line)
				}
			}
			c.send("%s", onStdio["modern"]("server/discover", ""))
			c.line()
			b.mcp.SendNotificationToAllClients(mcp.MethodNotificationToolsListChanged, nil) // nobody asked, but legacy clients
			b.mcp.SendNotificationToAllClients(mcp.MethodNotificationResourcesListChanged, nil)
			if era == "legacy" {
				if line := c.line(); !strings.Contains(line, "tools/list_changed") {
					t.Errorf("notification: %s", line)
				}
			}
			if era != "modern without a subscription" {
				line := c.line()
				if !strings.Contains(line, "resources/list_changed") || strings.Contains(line, `"io.modelcontextprotocol/subscriptionId":"sub"`) != (era == "modern") {
					t.Errorf("notification: %s", line)
				}
			}
			c.in.Close()
			rest, _ := io.ReadAll(c.out)
			if strings.Contains(string(rest), "list_changed") {
				t.Errorf("further output %q", rest)
			}
		})
	}
}

func TestStdioLetsToolsAskTheClient(t *testing.T) {
	b := newServer(t, nil)
	b.mcp.AddTool(mcp.NewTool("ask"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		session := server.ClientSessionFromContext(ctx).(server.SessionWithElicitation)
		got, err := session.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{Message: "your name?"}})
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(fmt.Sprintf("%s %v", got.Action, got.Content)), nil
	})
	c := startStdio(t, b)
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}`)
	var question struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal([]byte(c.line()), &question); err != nil || question.Method != "elicitation/create" {
		t.Fatalf("question: %+v, %v", question, err)
	}
	c.send(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"name":"Ada"}}}`, question.ID)
	if line := c.line(); !strings.Contains(line, "accept map[name:Ada]") {
		t.Errorf("answer: %s", line)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}`)
	if err := json.Unmarshal([]byte(c.line()), &question); err != nil {
		t.Fatal(err)
	}
	c.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"not now"}}`, question.ID)
	if line := c.line(); !strings.Contains(line, "not now") {
		t.Errorf("answer: %s", line)
	}
}

func TestStdioWritesNotificationsOfACallBeforeItsResponse(t *testing.T) {
	b := newServer(t, nil)
	b.mcp.AddTool(mcp.NewTool("count"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 20 {
			if err := b.mcp.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progressToken": 1, "progress": i}); err != nil {
				return nil, err
			}
		}
		return mcp.NewToolResultText("done"), nil
	})
	c := startStdio(t, b)
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count"}}`)
	for i := range 20 {
		if line := c.line(); !strings.Contains(line, fmt.Sprintf(`"progress":%d,`, i)) {
			t.Errorf("notification %d: %s", i, line)
		}
	}
	if m := c.receive(); string(m.ID) != "1" || m.code() != 0 {
		t.Errorf("answer: %s %+v", m.ID, m.Error)
	}
}

func TestStdioReportsAWriterThatFails(t *testing.T) {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"skills/list"}` + "\n")
	if err := newServer(t, nil).ServeStdio(context.Background(), in, failingWriter{}); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("ServeStdio: %v", err)
	}
}

func TestStdioStopsThoughAnswersWaitForTheClientToRead(t *testing.T) {
	ending := make(chan struct{})
	s := &stdio{ending: ending, waiting: make(chan struct{})} // no room for one more
	go close(ending)
	s.reply(func() []byte { t.Error("answered"); return nil })
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestStdioTakesALastLineWithoutAnEnd(t *testing.T) {
	var out lockedBuffer
	in := strings.NewReader("\r\n\n" + `{"jsonrpc":"2.0","id":1,"method":"skills/list"}`)
	if err := newServer(t, nil).ServeStdio(context.Background(), in, &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, guideURI) || strings.Count(got, "\n") != 1 {
		t.Errorf("output %q", got)
	}
}

func TestStdioManyCallsAtOnce(t *testing.T) {
	c := startStdio(t, newServer(t, nil))
	const calls = 100
	go func() {
		for i := range calls {
			method := "skills/list"
			if i%3 == 0 {
				method = "tools/list"
			}
			c.send(`{"jsonrpc":"2.0","id":%d,"method":"%s"}`, i, method)
		}
	}()
	seen := make(map[string]bool)
	for range calls {
		m := c.receive()
		if m.code() != 0 || seen[string(m.ID)] {
			t.Errorf("answer to %s: %+v", m.ID, m.Error)
		}
		seen[string(m.ID)] = true
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
