package main

import (
	"context"
	"fmt"
	"iter"
	"log"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skillsmcp"
	"github.com/mark3labs/mcp-go/server"
)

// Restarts has one skill for each service: how to restart it.
type Restarts map[string]string // "restart-mail": the command

func (r Restarts) Skill(_ context.Context, path string) (*framework.Skill, error) {
	command, ok := r[path]
	if !ok {
		return nil, fmt.Errorf("%q: %w", path, framework.ErrNotFound)
	}
	service := strings.TrimPrefix(path, "restart-")
	front, err := framework.FormatFrontmatter(path, "Restart the service "+service+". Use when it does not answer.", nil)
	if err != nil {
		return nil, err
	}
	text := front + "\nAsk the user first. Then run:\n\n    " + command + "\n"
	return framework.TextSkill(map[string]string{"SKILL.md": text}), nil
}

func (r Restarts) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return framework.PathList(slices.Sorted(maps.Keys(r))).Paths(ctx, after)
}

// handler serves the skills of g below skill://team/ over MCP.
func handler(g framework.Generator) (http.Handler, error) {
	catalog, err := framework.NewCatalog([]framework.Mount{{Prefix: "team", Generator: g}}, nil)
	if err != nil {
		return nil, err
	}
	mcp := server.NewMCPServer("minimal", "1.0.0", skillsmcp.ServerOptions(catalog, nil)...)
	binding, err := skillsmcp.New(catalog, mcp, nil)
	if err != nil {
		return nil, err
	}
	return binding.Handler(), nil
}

func main() {
	h, err := handler(Restarts{
		"restart-mail": "ssh mail.example sudo systemctl restart postfix",
		"restart-wiki": "kubectl --context tools rollout restart deployment/wiki",
	})
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("/mcp", h)
	log.Print("MCP at http://127.0.0.1:8080/mcp, stop with Ctrl-C")
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}
