package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// fake is a source that fails where it is told to.
type fake struct {
	Memory
	err error
}

func (f *fake) Services(ctx context.Context) ([]Service, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.Memory.Services(ctx)
}

// serve serves the skills of a source with one service, mail, which is up.
func serve(t *testing.T) (source *fake, url string) {
	t.Helper()
	source = &fake{Memory: Memory{services: []Service{{Name: "mail"}}}}
	h, err := handler(Status{source})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return source, s.URL
}

// An answer is a JSON-RPC response, as raw as it came.
type answer struct {
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// call sends one request of protocol version 2026-07-28.
func call(t *testing.T, url, method string, params map[string]any) (a answer) {
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
	if err := json.Unmarshal(text, &a); err != nil || (a.Result == nil) == (a.Error == nil) {
		t.Fatalf("%s: status %d: %s", method, res.StatusCode, text)
	}
	return a
}

// result is call for what must succeed.
func result[T any](t *testing.T, url, method, uri string) (r T) {
	t.Helper()
	params := map[string]any{}
	if uri != "" {
		params["uri"] = uri
	}
	a := call(t, url, method, params)
	if a.Error != nil {
		t.Fatalf("%s of %q: %+v", method, uri, *a.Error)
	}
	if err := json.Unmarshal(a.Result, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

type (
	entry struct {
		URI                    string
		Frontmatter, Resources json.RawMessage
	}
	list struct {
		Skills []entry
		TTLMs  *int `json:"ttlMs"`
	}
	get struct {
		Skill entry
		TTLMs *int `json:"ttlMs"`
	}
	read struct {
		Contents []struct{ Text string }
		TTLMs    *int `json:"ttlMs"`
	}
	directory struct {
		Resources []map[string]any
		TTLMs     *int `json:"ttlMs"`
	}
)

const (
	currentURI = "skill://ops/current-status/SKILL.md"
	readingURI = "skill://ops/read-status/SKILL.md"
)

func textOf(t *testing.T, url, uri string) string {
	t.Helper()
	r := result[read](t, url, "resources/read", uri)
	if len(r.Contents) != 1 {
		t.Fatalf("%d contents at %s, want 1", len(r.Contents), uri)
	}
	return r.Contents[0].Text
}

func uncached(t *testing.T, what string, ttl *int) {
	t.Helper()
	if ttl == nil || *ttl != 0 {
		t.Errorf("%s has a ttlMs that is not 0", what)
	}
}

// TestOnlyTheDynamicSkillHasNoDigests looks at the entries of both.
func TestOnlyTheDynamicSkillHasNoDigests(t *testing.T) {
	_, url := serve(t)
	l := result[list](t, url, "skills/list", "")
	uncached(t, "a list with a dynamic skill", l.TTLMs)
	if len(l.Skills) != 2 || l.Skills[0].URI != currentURI || l.Skills[1].URI != readingURI {
		t.Fatalf("skills/list gives %+v", l.Skills)
	}
	if got := string(l.Skills[0].Resources); got != `"dynamic"` {
		t.Errorf("the resources of the dynamic skill are %s", got)
	}
	text := textOf(t, url, readingURI)
	want := fmt.Sprintf(`[{"uri":%q,"digest":"sha256:%x","size":%d}]`, readingURI, sha256.Sum256([]byte(text)), len(text))
	if got := string(l.Skills[1].Resources); got != want {
		t.Errorf("the resources of the static skill are %s, want %s", got, want)
	}
}

// TestOnlyTheStaticSkillIsCached compares the hints of freshness.
func TestOnlyTheStaticSkillIsCached(t *testing.T) {
	_, url := serve(t)
	uncached(t, "skills/get", result[get](t, url, "skills/get", currentURI).TTLMs)
	uncached(t, "resources/read", result[read](t, url, "resources/read", currentURI).TTLMs)
	uncached(t, "resources/directory/read", result[directory](t, url, "resources/directory/read", "skill://ops/current-status").TTLMs)
	if ttl := result[get](t, url, "skills/get", readingURI).TTLMs; ttl == nil || *ttl <= 0 {
		t.Error("skills/get of the static skill has no ttlMs above 0")
	}
	if ttl := result[read](t, url, "resources/read", readingURI).TTLMs; ttl == nil || *ttl <= 0 {
		t.Error("resources/read of the static skill has no ttlMs above 0")
	}
}

// TestEachReadTellsTheStateOfItsMoment reads, changes the state, and reads again.
func TestEachReadTellsTheStateOfItsMoment(t *testing.T) {
	source, url := serve(t)
	if text := textOf(t, url, currentURI); !strings.Contains(text, "| mail | up |") {
		t.Errorf("while mail is up:\n%s", text)
	}
	before := result[get](t, url, "skills/get", currentURI).Skill

	source.Set("mail", true, "the queue is full")
	if text := textOf(t, url, currentURI); !strings.Contains(text, "| mail | down | [mail](incidents/mail.md) |") {
		t.Errorf("while mail is down:\n%s", text)
	}
	after := result[get](t, url, "skills/get", currentURI).Skill
	if !bytes.Equal(before.Frontmatter, after.Frontmatter) {
		t.Errorf("the frontmatter was %s, and is %s", before.Frontmatter, after.Frontmatter)
	}
}

// TestADirectoryReadShowsTheFilesOfItsMoment follows the file of an incident.
func TestADirectoryReadShowsTheFilesOfItsMoment(t *testing.T) {
	source, url := serve(t)
	const dir, file = "skill://ops/current-status", "skill://ops/current-status/incidents/mail.md"
	names := func(uri string) (names []string) {
		for _, r := range result[directory](t, url, "resources/directory/read", uri).Resources {
			names = append(names, r["name"].(string))
			if _, ok := r["size"]; ok {
				t.Errorf("%s has a size, which the next read may prove wrong", r["uri"])
			}
		}
		return names
	}
	refused := func(method, uri string) {
		t.Helper()
		if a := call(t, url, method, map[string]any{"uri": uri}); a.Error == nil || a.Error.Code != -32602 {
			t.Errorf("%s of %s while nothing is there: %s %+v", method, uri, a.Result, a.Error)
		}
	}

	if got, want := names(dir), []string{"current-status"}; !slices.Equal(got, want) {
		t.Errorf("while mail is up there are %q, want %q", got, want)
	}
	refused("resources/read", file)
	refused("resources/directory/read", dir+"/incidents")

	source.Set("mail", true, "the queue is full")
	if got, want := names(dir), []string{"current-status", "incidents"}; !slices.Equal(got, want) {
		t.Errorf("while mail is down there are %q, want %q", got, want)
	}
	if got, want := names(dir+"/incidents"), []string{"mail.md"}; !slices.Equal(got, want) {
		t.Errorf("the incidents are %q, want %q", got, want)
	}
	if text := textOf(t, url, file); !strings.Contains(text, "> the queue is full") {
		t.Errorf("the incident does not quote the note:\n%s", text)
	}

	source.Set("mail", false, "")
	refused("resources/read", file)
}

// TestASourceThatFailsLeavesTheStaticSkill keeps a fault to the skill that has it.
func TestASourceThatFailsLeavesTheStaticSkill(t *testing.T) {
	source, url := serve(t)
	source.err = errors.New("no route to the monitor")
	a := call(t, url, "resources/read", map[string]any{"uri": currentURI})
	if a.Error == nil || a.Error.Code != -32603 || strings.Contains(a.Error.Message, "monitor") {
		t.Errorf("a read without a source gives %s %+v, want an internal error that tells nothing of it", a.Result, a.Error)
	}
	if text := textOf(t, url, readingURI); !strings.Contains(text, "# Reading the status") {
		t.Errorf("the static skill is\n%s", text)
	}
}
