package interop

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	skillsExtension  = "io.modelcontextprotocol/skills"
	modern           = "2026-07-28"
	methodList       = "skills/list"
	methodGet        = "skills/get"
	methodDirectory  = "resources/directory/read"
	codeInvalidParam = -32602
)

// params are those of all three methods of the extension.
type params struct {
	mcp.ParamsBase
	URI    string `json:"uri,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// cacheable are the members that modern results have and legacy ones have not.
type cacheable struct {
	ResultType *string `json:"resultType"`
	TTLMs      *int    `json:"ttlMs"`
	CacheScope *string `json:"cacheScope"`
}

type listResult struct {
	mcp.ResultBase
	cacheable
	Skills     []skill `json:"skills"`
	NextCursor string  `json:"nextCursor"`
}

type getResult struct {
	mcp.ResultBase
	cacheable
	Skill skill `json:"skill"`
}

type directoryResult struct {
	mcp.ResultBase
	cacheable
	Resources  []mcp.Resource `json:"resources"`
	NextCursor string         `json:"nextCursor"`
}

type skill struct {
	URI         string         `json:"uri"`
	Frontmatter map[string]any `json:"frontmatter"`
	Resources   []struct {
		URI    string `json:"uri"`
		Digest string `json:"digest"`
		Size   int    `json:"size"`
	} `json:"resources"`
}

// A host is a session of the official Go SDK with the server under test.
type host struct {
	*mcp.ClientSession
	modern bool
}

// TestGoSDK has the official Go SDK walk a document's whole listing, over both
// transports and in every era: the entries are those of the list command and
// of skills/get, every file of a sample has its digest and size, the
// directories agree with the manifests, and what is not served is refused.
func TestGoSDK(t *testing.T) {
	for _, doc := range documents(t) {
		t.Run(doc.name, func(t *testing.T) {
			var served []skill
			if err := json.Unmarshal(command(t, "list", doc.path, "--json"), &served); err != nil {
				t.Fatal(err)
			}
			if lines := bytes.Count(command(t, "list", doc.path), []byte("\n")); lines != len(served) {
				t.Errorf("list prints %d lines, list --json %d entries", lines, len(served))
			}
			url := serve(t, doc.path, "all")
			versions := []string{modern, "2025-11-25", "2025-06-18", "2025-03-26"}
			if doc.path != bookshop {
				versions = []string{versions[0], versions[1]} // one of each era
			}
			for _, version := range versions {
				t.Run("http/"+version, func(t *testing.T) {
					transport := &mcp.StreamableClientTransport{Endpoint: url}
					checkHost(t, connect(t, transport, version), served, doc.sample)
				})
				t.Run("stdio/"+version, func(t *testing.T) {
					cmd := exec.Command(binary(t), stdioArgs(doc.path, "all")...)
					checkHost(t, connect(t, &mcp.CommandTransport{Command: cmd}, version), served, doc.sample)
				})
			}
		})
	}
}

func connect(t *testing.T, transport mcp.Transport, version string) *host {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "apiskills-interop", Version: "1.0.0"}, nil)
	err := errors.Join(
		mcp.AddSendingCustomMethod[*params, *listResult](client, methodList),
		mcp.AddSendingCustomMethod[*params, *getResult](client, methodGet),
		mcp.AddSendingCustomMethod[*params, *directoryResult](client, methodDirectory),
	)
	if err != nil {
		t.Fatal(err)
	}
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("closing the session: %v", err)
		}
	})
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("asked for protocol version %s, negotiated %s", version, got)
	}
	return &host{session, version == modern}
}

func checkHost(t *testing.T, h *host, served []skill, sample int) {
	ctx := t.Context()
	capabilities := h.InitializeResult().Capabilities
	if capabilities.Resources == nil {
		t.Error("the server does not declare resources")
	}
	settings, _ := capabilities.Extensions[skillsExtension].(map[string]any)
	if settings["directoryRead"] != true {
		t.Errorf("the extension is declared with %v, want directoryRead: true", settings)
	}

	listed := h.list(ctx, t)
	byURI := make(map[string]skill)
	for _, s := range listed {
		if _, twice := byURI[s.URI]; twice {
			t.Errorf("%s is listed twice", s.URI)
		}
		byURI[s.URI] = s
	}
	if len(listed) != len(served) {
		t.Errorf("skills/list has %d skills, the list command %d", len(listed), len(served))
	}
	for _, s := range served {
		if !reflect.DeepEqual(byURI[s.URI], s) {
			t.Fatalf("skills/list has\n%v\nthe list command\n%v", byURI[s.URI], s)
		}
	}

	files := 0
	for _, s := range spread(listed, sample) {
		h.checkSkill(ctx, t, s)
		files += len(s.Resources)
		if t.Failed() {
			return
		}
	}
	h.checkRefusals(ctx, t, listed[0].URI)
	t.Logf("listed %d skills, verified %d of them, %d files", len(listed), len(spread(listed, sample)), files)
}

func (h *host) list(ctx context.Context, t *testing.T) []skill {
	t.Helper()
	var all []skill
	for p, pages := (&params{}), 0; ; pages++ {
		result, err := mcp.CallCustomMethod[*params, *listResult](ctx, h.ClientSession, methodList, p)
		if err != nil {
			t.Fatalf("skills/list: %v", err)
		}
		h.checkEnvelope(t, methodList, result.cacheable)
		all = append(all, result.Skills...)
		if result.NextCursor == "" {
			return all
		}
		if result.NextCursor == p.Cursor || pages > 50 {
			t.Fatalf("skills/list does not end: %d pages, cursor %q", pages, result.NextCursor)
		}
		p = &params{Cursor: result.NextCursor}
	}
}

func (h *host) checkSkill(ctx context.Context, t *testing.T, listed skill) {
	t.Helper()
	got, err := mcp.CallCustomMethod[*params, *getResult](ctx, h.ClientSession, methodGet, &params{URI: listed.URI})
	if err != nil {
		t.Errorf("skills/get: %v", err)
		return
	}
	h.checkEnvelope(t, methodGet, got.cacheable)
	if !reflect.DeepEqual(got.Skill, listed) {
		t.Errorf("skills/get gave\n%v\nskills/list\n%v", got.Skill, listed)
	}
	if name := path.Base(rootOf(listed.URI)); name != listed.Frontmatter["name"] {
		t.Errorf("%s has the name %v", listed.URI, listed.Frontmatter["name"])
	}

	manifest := make(map[string]int)
	for _, r := range listed.Resources {
		manifest[r.URI] = r.Size
		read, err := h.ReadResource(ctx, &mcp.ReadResourceParams{URI: r.URI})
		if err != nil {
			t.Errorf("resources/read %s: %v", r.URI, err)
			continue
		}
		content := read.Contents[0]
		data := content.Blob
		if data == nil {
			data = []byte(content.Text)
		}
		if len(read.Contents) != 1 || content.URI != r.URI {
			t.Errorf("resources/read %s gave %d contents, the first of %s", r.URI, len(read.Contents), content.URI)
		}
		if digest := fmt.Sprintf("sha256:%x", sha256.Sum256(data)); digest != r.Digest || len(data) != r.Size {
			t.Errorf("%s has %d bytes, %s; the manifest says %d, %s", r.URI, len(data), digest, r.Size, r.Digest)
		}
	}
	found := make(map[string]int)
	h.walk(ctx, t, rootOf(listed.URI), found)
	if !maps.Equal(found, manifest) {
		t.Errorf("the directories of %s have\n%v\nits manifest\n%v", listed.URI, found, manifest)
	}
}

// walk adds the files under a directory, with their sizes, to found.
func (h *host) walk(ctx context.Context, t *testing.T, uri string, found map[string]int) {
	t.Helper()
	for p := (&params{URI: uri}); ; {
		result, err := mcp.CallCustomMethod[*params, *directoryResult](ctx, h.ClientSession, methodDirectory, p)
		if err != nil {
			t.Errorf("resources/directory/read %s: %v", uri, err)
			return
		}
		h.checkEnvelope(t, methodDirectory, result.cacheable)
		for _, r := range result.Resources {
			if r.MIMEType == "inode/directory" {
				h.walk(ctx, t, r.URI, found)
			} else {
				found[r.URI] = int(r.Size)
			}
		}
		if result.NextCursor == "" {
			return
		}
		p = &params{URI: uri, Cursor: result.NextCursor}
	}
}

// checkRefusals asks for what is not served; the answer names it.
func (h *host) checkRefusals(ctx context.Context, t *testing.T, served string) {
	t.Helper()
	root := rootOf(served)
	get := func(uri string) error {
		_, err := mcp.CallCustomMethod[*params, *getResult](ctx, h.ClientSession, methodGet, &params{URI: uri})
		return err
	}
	read := func(uri string) error {
		_, err := h.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		return err
	}
	directory := func(uri string) error {
		_, err := mcp.CallCustomMethod[*params, *directoryResult](ctx, h.ClientSession, methodDirectory, &params{URI: uri})
		return err
	}
	for _, tt := range []struct {
		method string
		call   func(string) error
		uri    string
	}{
		{methodGet, get, root + "-absent/SKILL.md"},
		{methodGet, get, root},
		{methodGet, get, root + "/%2e%2e/SKILL.md"},
		{methodGet, get, root + "%2FSKILL.md"},
		{methodGet, get, root + "/skill.md"},
		{"resources/read", read, root + "/absent.md"},
		{"resources/read", read, root},
		{methodDirectory, directory, root + "/absent"},
		{methodDirectory, directory, served},
	} {
		err := tt.call(tt.uri)
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != codeInvalidParam || !strings.Contains(wire.Message, tt.uri) {
			t.Errorf("%s %s: got error %v, want code %d and a message with the URI", tt.method, tt.uri, err, codeInvalidParam)
		}
	}
}

func (h *host) checkEnvelope(t *testing.T, method string, c cacheable) {
	t.Helper()
	if !h.modern {
		if c.ResultType != nil || c.TTLMs != nil || c.CacheScope != nil {
			t.Errorf("%s: a legacy result has resultType, ttlMs or cacheScope", method)
		}
		return
	}
	if c.ResultType == nil || *c.ResultType != "complete" {
		t.Errorf("%s: resultType is not complete", method)
	}
	if c.TTLMs == nil || *c.TTLMs < 0 {
		t.Errorf("%s: ttlMs is missing or negative", method)
	}
	if c.CacheScope == nil || !slices.Contains([]string{"public", "private"}, *c.CacheScope) {
		t.Errorf("%s: cacheScope is missing or unknown", method)
	}
}

// rootOf returns the URI of a skill's directory.
func rootOf(uri string) string { return strings.TrimSuffix(uri, "/SKILL.md") }

// spread returns up to n items, evenly spread, the first and the last of them
// included.
func spread[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	picked := make([]T, n)
	for i := range picked {
		picked[i] = list[i*(len(list)-1)/(n-1)]
	}
	return picked
}
