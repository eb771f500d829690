package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An entry is a skill as the extension's methods show it.
type entry struct {
	URI         string `json:"uri"`
	Frontmatter struct {
		Name        string            `json:"name"`
		Description string            `json:"description"`
		Metadata    map[string]string `json:"metadata,omitempty"`
	} `json:"frontmatter"`
	Resources []struct {
		URI    string `json:"uri"`
		Digest string `json:"digest"`
		Size   int64  `json:"size"`
	} `json:"resources"`
}

// data is what is served: one page of skills, and the files by URI.
type data struct {
	Skills []entry
	Files  map[string]string
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: mcpserver gosdk|mcpgo ADDR FILE")
	}
	b, err := os.ReadFile(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	d := new(data)
	if err := json.Unmarshal(b, d); err != nil {
		log.Fatal(err)
	}
	var handler http.Handler
	switch os.Args[1] {
	case "gosdk":
		handler, err = d.goSDK()
	case "mcpgo":
		handler = d.mcpGo()
	default:
		err = fmt.Errorf("%q is none of gosdk and mcpgo", os.Args[1])
	}
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.Serve(l, handler))
}

type (
	params struct {
		gosdk.ParamsBase
		URI    string `json:"uri,omitempty"`
		Cursor string `json:"cursor,omitempty"`
	}
	listResult struct {
		gosdk.ResultBase
		Skills []entry `json:"skills"`
	}
	getResult struct {
		gosdk.ResultBase
		Skill *entry `json:"skill"`
	}
)

func (d *data) goSDK() (http.Handler, error) {
	s := gosdk.NewServer(&gosdk.Implementation{Name: "anchor", Version: "1.0.0"}, nil)
	byURI := make(map[string]*entry)
	for i := range d.Skills {
		byURI[d.Skills[i].URI] = &d.Skills[i]
	}
	err := errors.Join(
		gosdk.AddReceivingCustomMethod(s, "skills/list", func(context.Context, *gosdk.ServerSession, *params) (*listResult, error) {
			return &listResult{Skills: d.Skills}, nil
		}),
		gosdk.AddReceivingCustomMethod(s, "skills/get", func(_ context.Context, _ *gosdk.ServerSession, p *params) (*getResult, error) {
			e := byURI[p.URI]
			if e == nil {
				return nil, errors.New("no such skill")
			}
			return &getResult{Skill: e}, nil
		}),
	)
	return gosdk.NewStreamableHTTPHandler(func(*http.Request) *gosdk.Server { return s },
		&gosdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true}), err
}

func (d *data) mcpGo() http.Handler {
	s := server.NewMCPServer("anchor", "1.0.0", server.WithResourceCapabilities(false, false))
	s.AddResourceTemplate(mcp.NewResourceTemplate("skill://{api}/{group}/{name}/SKILL.md", "skill"),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			text, ok := d.Files[r.Params.URI]
			if !ok {
				return nil, server.ErrResourceNotFound
			}
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "text/markdown", Text: text}}, nil
		})
	return server.NewStreamableHTTPServer(s, server.WithStateLess(true))
}
