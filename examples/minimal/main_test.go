package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// call sends one request of protocol version 2026-07-28 and decodes its result.
func call(t *testing.T, url, method string, params map[string]any, result any) {
	t.Helper()
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2026-07-28")
	req.Header.Set("Mcp-Method", method)
	if uri, ok := params["uri"].(string); ok {
		req.Header.Set("Mcp-Name", uri)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Error != nil {
		t.Fatalf("%s: status %d: %s", method, res.StatusCode, text)
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		t.Fatal(err)
	}
}

// TestExampleServesItsSkills lists the skills and reads one of them, as a host
// does.
func TestExampleServesItsSkills(t *testing.T) {
	h, err := handler(Restarts{"restart-wiki": "wikictl restart", "restart-mail": "mailctl restart"})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	defer s.Close()

	var list struct{ Skills []struct{ URI string } }
	call(t, s.URL, "skills/list", map[string]any{}, &list)
	var uris []string
	for _, skill := range list.Skills {
		uris = append(uris, skill.URI)
	}
	want := []string{"skill://team/restart-mail/SKILL.md", "skill://team/restart-wiki/SKILL.md"}
	if !slices.Equal(uris, want) {
		t.Fatalf("skills/list gives %q, want %q", uris, want)
	}

	var read struct{ Contents []struct{ URI, Text string } }
	call(t, s.URL, "resources/read", map[string]any{"uri": want[1]}, &read)
	if len(read.Contents) != 1 || !strings.Contains(read.Contents[0].Text, "    wikictl restart\n") {
		t.Errorf("resources/read gives %+v, without the command", read.Contents)
	}
}
