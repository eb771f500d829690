package skillsmcp_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/mark3labs/mcp-go/server"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skillsmcp"
)

// greetings is a generator of one skill per person.
type greetings struct{ framework.PathList }

func (g greetings) Skill(_ context.Context, path string) (*framework.Skill, error) {
	for _, p := range g.PathList {
		if p == path {
			text := fmt.Sprintf("---\nname: %s\ndescription: How to greet.\n---\n\nSay hello.\n", path)
			return &framework.Skill{Files: []framework.File{framework.TextFile("SKILL.md", text)}}, nil
		}
	}
	return nil, fmt.Errorf("greeting %q: %w", path, framework.ErrNotFound)
}

// A custom generator, served over HTTP and read by a client.
func Example() {
	catalog, err := framework.NewCatalog([]framework.Mount{
		{Prefix: "greetings", Generator: greetings{framework.PathList{"greet-ada", "greet-bob"}}},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	mcpServer := server.NewMCPServer("greetings", "1.0.0", skillsmcp.ServerOptions(catalog, nil)...)
	binding, err := skillsmcp.New(catalog, mcpServer, nil)
	if err != nil {
		log.Fatal(err)
	}
	httpServer := httptest.NewServer(binding.Handler()) // or binding.Serve
	defer httpServer.Close()

	ctx := context.Background()
	client := gosdk.NewClient(&gosdk.Implementation{Name: "example", Version: "1"}, nil)
	session, err := client.Connect(ctx, &gosdk.StreamableClientTransport{Endpoint: httpServer.URL}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for resource, err := range session.Resources(ctx, nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(resource.URI)
	}
	// Output:
	// skill://greetings/greet-ada/SKILL.md
	// skill://greetings/greet-bob/SKILL.md
}
