package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skilltest"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestRunbooksKeepTheRulesOfGenerators(t *testing.T) {
	skilltest.Run(t, func(testing.TB) framework.Generator {
		return Runbooks{"finance/close-month": "Close it.", "support/refund-order": "Refund it."}
	}, "finance/close-month", "support/refund-order")
}

// start serves the program on a port of its own. The function stops it and returns
// what serve does.
func start(t *testing.T) (base string, stop func() error) {
	t.Helper()
	orders := Orders{}
	for i := range 60 { // two pages of the server's own
		orders[fmt.Sprint(1000+i)] = "paid"
	}
	s, err := newServer(orders,
		Runbooks{"finance/close-month": "Close it.", "support/refund-order": "Refund it.", "support/track-order": "Track it."},
		Tokens{sha256.Sum256([]byte("of-support")): "support", sha256.Sum256([]byte("of-finance")): "finance"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, s, l) }()
	return "http://" + l.Addr().String(), func() error { cancel(); return <-ended }
}

// post sends one request of protocol version 2026-07-28.
func post(t *testing.T, base, token, method string, params map[string]any) *http.Response {
	t.Helper()
	params = maps.Clone(params)
	if params == nil {
		params = map[string]any{}
	}
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/agents/mcp", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method,
	} {
		r.Header.Set(name, value)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, name := range []string{"uri", "name"} {
		if value, ok := params[name].(string); ok {
			r.Header.Set("Mcp-Name", value)
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

// call sends a request and returns the response's result, or its error.
func call(t *testing.T, base, token, method string, params map[string]any) (result, fault string) {
	t.Helper()
	response := post(t, base, token, method, params)
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Result, Error json.RawMessage }
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatalf("%s: status %d: %s", method, response.StatusCode, text)
	}
	return string(answer.Result), string(answer.Error)
}

func TestToolsPromptsResourcesAndSkillsAreOnOneServer(t *testing.T) {
	base, _ := start(t)
	const skill = "skill://runbooks/support/refund-order/SKILL.md"
	for _, test := range []struct {
		method string
		params map[string]any
		want   string
	}{
		{"server/discover", nil, `"io.modelcontextprotocol/skills":{"directoryRead":true}`},
		{"server/discover", nil, `This server knows the orders of the shop.`},
		{"tools/list", nil, `"name":"order_state"`},
		{"tools/call", map[string]any{"name": "order_state", "arguments": map[string]any{"order": "1042"}}, `"text":"paid, as support sees it"`},
		{"prompts/list", nil, `"name":"apology"`},
		{"prompts/get", map[string]any{"name": "apology", "arguments": map[string]any{"order": "1042"}}, `apology for the order 1042.`},
		{"resources/read", map[string]any{"uri": "order://1042"}, `"text":"paid"`},
		{"skills/list", nil, `"uri":"` + skill + `"`},
		{"skills/get", map[string]any{"uri": skill}, `"name":"refund-order"`},
		{"resources/read", map[string]any{"uri": skill}, `Refund it.`},
		{"resources/directory/read", map[string]any{"uri": "skill://runbooks/support"}, `"uri":"skill://runbooks/support/track-order"`},
	} {
		result, fault := call(t, base, "of-support", test.method, test.params)
		if !strings.Contains(result, test.want) {
			t.Errorf("%s %v: %s%s, want %s", test.method, test.params, result, fault, test.want)
		}
	}
	for _, uri := range []string{"order://9", "skill://runbooks/support/unknown/SKILL.md"} {
		if _, fault := call(t, base, "of-support", "resources/read", map[string]any{"uri": uri}); !strings.Contains(fault, `"code":-32602`) || !strings.Contains(fault, uri) {
			t.Errorf("%s: %s", uri, fault)
		}
	}
}

// TestResourcesOfBothAreInOneList follows the cursors from the skills' page to
// those of the server's own resources.
func TestResourcesOfBothAreInOneList(t *testing.T) {
	base, _ := start(t)
	var uris []string
	pages, params := 0, map[string]any{}
	for {
		result, fault := call(t, base, "of-support", "resources/list", params)
		var list struct {
			Resources  []struct{ URI string }
			NextCursor string
		}
		if err := json.Unmarshal([]byte(result), &list); err != nil {
			t.Fatal(fault, err)
		}
		for _, r := range list.Resources {
			uris = append(uris, r.URI)
		}
		if pages++; list.NextCursor == "" {
			break
		}
		params = map[string]any{"cursor": list.NextCursor}
	}
	want := []string{"skill://runbooks/support/refund-order/SKILL.md", "skill://runbooks/support/track-order/SKILL.md"}
	for i := range 60 {
		want = append(want, fmt.Sprintf("order://%d", 1000+i))
	}
	if !slices.Equal(uris, want) || pages != 3 {
		t.Errorf("%d pages: %q", pages, uris)
	}
}

// TestEachTeamSeesItsOwnSkills asks with two tokens.
func TestEachTeamSeesItsOwnSkills(t *testing.T) {
	base, _ := start(t)
	for team, other := range map[string]string{"support": "finance", "finance": "support"} {
		result, fault := call(t, base, "of-"+team, "skills/list", nil)
		if !strings.Contains(result, "skill://runbooks/"+team+"/") || strings.Contains(result, "skill://runbooks/"+other+"/") ||
			!strings.Contains(result, `"cacheScope":"private"`) {
			t.Errorf("%s: %s%s", team, result, fault)
		}
	}
	for _, method := range []string{"skills/get", "resources/read"} {
		if result, fault := call(t, base, "of-support", method, map[string]any{"uri": "skill://runbooks/finance/close-month/SKILL.md"}); !strings.Contains(fault, "-32602") {
			t.Errorf("%s of another team's skill: %s%s", method, result, fault)
		}
	}
}

func TestNobodyGetsInWithoutAToken(t *testing.T) {
	base, _ := start(t)
	for _, token := range []string{"", "of-nobody"} {
		for _, method := range []string{"skills/list", "tools/list"} {
			if r := post(t, base, token, method, nil); r.StatusCode != http.StatusUnauthorized || r.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s with %q: status %d", method, token, r.StatusCode)
			}
		}
	}
}

// TestHooksSeeTheMethodsOfSkillsToo reads the counts at another route of the mux.
func TestHooksSeeTheMethodsOfSkillsToo(t *testing.T) {
	base, _ := start(t)
	skill := map[string]any{"uri": "skill://runbooks/support/refund-order/SKILL.md"}
	call(t, base, "of-support", "skills/list", nil)
	call(t, base, "of-support", "skills/get", skill)
	call(t, base, "of-support", "skills/get", skill)
	call(t, base, "of-support", "resources/read", skill)
	call(t, base, "of-support", "resources/read", map[string]any{"uri": "order://1042"})
	call(t, base, "of-support", "resources/list", nil)
	call(t, base, "of-support", "tools/call", map[string]any{"name": "order_state", "arguments": map[string]any{"order": "1042"}})
	call(t, base, "of-support", "skills/get", map[string]any{"uri": "skill://runbooks/finance/close-month/SKILL.md"})
	response, err := http.Get(base + "/calls")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	// The binding asked the server who it is, once.
	want := "errors 1\nresources/list 1\nresources/read 2\nserver/discover 1\nskills/get 3\nskills/list 1\ntexts read 2\ntools/call 1\n"
	if string(text) != want {
		t.Errorf("%s, want\n%s", text, want)
	}
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestAClientIsServedAndAShutdownEndsItsStream walks through all of it with a
// client that others wrote, and stops the program while that is connected.
func TestAClientIsServedAndAShutdownEndsItsStream(t *testing.T) {
	base, stop := start(t)
	client := gosdk.NewClient(&gosdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &gosdk.StreamableClientTransport{
		Endpoint: base + "/api/agents/mcp", HTTPClient: &http.Client{Transport: bearer("of-finance")},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	resources := 0
	for resource, err := range session.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		resources++
		if _, err := session.ReadResource(t.Context(), &gosdk.ReadResourceParams{URI: resource.URI}); err != nil {
			t.Errorf("%s: %v", resource.URI, err)
		}
	}
	if resources != 61 {
		t.Errorf("%d resources", resources)
	}
	result, err := session.CallTool(t.Context(), &gosdk.CallToolParams{Name: "order_state", Arguments: map[string]any{"order": "1001"}})
	if err != nil || result.IsError || result.Content[0].(*gosdk.TextContent).Text != "paid, as finance sees it" {
		t.Errorf("%+v, %v", result, err)
	}
	if prompt, err := session.GetPrompt(t.Context(), &gosdk.GetPromptParams{Name: "apology", Arguments: map[string]string{"order": "1"}}); err != nil || len(prompt.Messages) != 1 {
		t.Errorf("%+v, %v", prompt, err)
	}

	// A stream is open for as long as the server wants.
	stream := post(t, base, "of-finance", "subscriptions/listen", map[string]any{"notifications": map[string]any{"resourcesListChanged": true}})
	if stream.StatusCode != http.StatusOK || !strings.HasPrefix(stream.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("status %d, %s", stream.StatusCode, stream.Header)
	}
	if err := stop(); err != nil {
		t.Fatalf("serve = %v", err)
	}
	if _, err := io.ReadAll(stream.Body); err != nil {
		t.Errorf("the stream was cut: %v", err)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(base, "http://")); err == nil {
		t.Error("the listener is still open")
	}
}
