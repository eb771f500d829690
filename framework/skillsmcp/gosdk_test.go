package skillsmcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/apiskills/apiskills/framework"
)

// The types of the extension's methods as a host that uses go-sdk has them.
type (
	sdkParams struct {
		gosdk.ParamsBase
		URI    string `json:"uri,omitempty"`
		Cursor string `json:"cursor,omitempty"`
	}
	sdkList struct {
		gosdk.ResultBase
		Skills     []json.RawMessage `json:"skills"`
		NextCursor string            `json:"nextCursor"`
	}
	sdkGet struct {
		gosdk.ResultBase
		Skill json.RawMessage `json:"skill"`
	}
	sdkDirectory struct {
		gosdk.ResultBase
		Resources  []*gosdk.Resource `json:"resources"`
		NextCursor string            `json:"nextCursor"`
	}
)

// TestGoSDKClient has the official Go client list, get, read and directory-read
// every skill.
func TestGoSDKClient(t *testing.T) {
	for _, version := range []string{modernVersion, "2025-11-25", "2025-06-18", "2025-03-26"} {
		for _, transport := range []string{"http", "stdio"} {
			t.Run(version+"/"+transport, func(t *testing.T) {
				b := newServer(t, nil)
				if transport == "http" {
					url, _ := serve(t, b)
					walk(t, &gosdk.StreamableClientTransport{Endpoint: url}, version)
					return
				}
				inR, inW := io.Pipe()
				outR, outW := io.Pipe()
				done := make(chan error, 1)
				go func() { done <- b.ServeStdio(context.Background(), inR, outW) }()
				walk(t, &gosdk.IOTransport{Reader: outR, Writer: inW}, version)
				if err := <-done; err != nil {
					t.Errorf("ServeStdio: %v", err)
				}
			})
		}
	}
}

func walk(t *testing.T, transport gosdk.Transport, version string) {
	ctx := t.Context()
	client := gosdk.NewClient(&gosdk.Implementation{Name: "host", Version: "1"}, nil)
	if err := errors.Join(
		gosdk.AddSendingCustomMethod[*sdkParams, *sdkList](client, methodSkillsList),
		gosdk.AddSendingCustomMethod[*sdkParams, *sdkGet](client, methodSkillsGet),
		gosdk.AddSendingCustomMethod[*sdkParams, *sdkDirectory](client, methodDirectoryRead),
	); err != nil {
		t.Fatal(err)
	}
	session, err := client.Connect(ctx, transport, &gosdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("negotiated %s, want %s", got, version)
	}

	var entries []json.RawMessage
	for params := new(sdkParams); ; {
		page, err := gosdk.CallCustomMethod[*sdkParams, *sdkList](ctx, session, methodSkillsList, params)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, page.Skills...)
		if params.Cursor = page.NextCursor; params.Cursor == "" {
			break
		}
	}
	if len(entries) != 32 {
		t.Errorf("%d entries, want 32", len(entries))
	}
	for _, entry := range entries {
		var skill struct {
			URI       string
			Resources json.RawMessage
		}
		if err := json.Unmarshal(entry, &skill); err != nil {
			t.Fatal(err)
		}
		got, err := gosdk.CallCustomMethod[*sdkParams, *sdkGet](ctx, session, methodSkillsGet, &sdkParams{URI: skill.URI})
		if err != nil || string(got.Skill) != string(entry) {
			t.Errorf("skills/get %s: %v", skill.URI, err)
		}
		files := make(map[string]bool)
		var visit func(uri string)
		visit = func(uri string) {
			dir, err := gosdk.CallCustomMethod[*sdkParams, *sdkDirectory](ctx, session, methodDirectoryRead, &sdkParams{URI: uri})
			if err != nil {
				t.Fatalf("directory %s: %v", uri, err)
			}
			for _, r := range dir.Resources {
				if r.MIMEType == "inode/directory" {
					visit(r.URI)
				} else {
					files[r.URI] = true
				}
			}
		}
		visit(skill.URI[:len(skill.URI)-len("/SKILL.md")])
		if string(skill.Resources) == `"dynamic"` {
			continue
		}
		var resources []framework.SkillResource
		if err := json.Unmarshal(skill.Resources, &resources); err != nil {
			t.Fatal(err)
		}
		if len(files) != len(resources) {
			t.Errorf("%s: %d files in the directories, %d in the manifest", skill.URI, len(files), len(resources))
		}
		for _, r := range resources {
			if !files[r.URI] {
				t.Errorf("%s is in no directory", r.URI)
			}
			read, err := session.ReadResource(ctx, &gosdk.ReadResourceParams{URI: r.URI})
			if err != nil || len(read.Contents) != 1 || read.Contents[0].URI != r.URI {
				t.Fatalf("read %s: %+v, %v", r.URI, read, err)
			}
			content := []byte(read.Contents[0].Text)
			if path.Ext(r.URI) == ".bin" {
				content = read.Contents[0].Blob
			}
			if framework.DigestOf(content) != r.Digest || int64(len(content)) != r.Size {
				t.Errorf("%s: the bytes are not those of the manifest", r.URI)
			}
		}
	}

	listed := 0
	for r, err := range session.Resources(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if r.URI != "" {
			listed++
		}
	}
	if listed != 33 {
		t.Errorf("resources/list has %d, want 32 and the author's", listed)
	}
	_, err = gosdk.CallCustomMethod[*sdkParams, *sdkGet](ctx, session, methodSkillsGet, &sdkParams{URI: "skill://shelf/nope/SKILL.md"})
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != -32602 {
		t.Errorf("unknown skill: %v", err)
	}
	if tool, err := session.CallTool(ctx, &gosdk.CallToolParams{Name: "greet"}); err != nil || tool.IsError {
		t.Errorf("tool: %v", err)
	}
}
