package main

import (
	"bufio"
	"context"
	"log"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skillsmcp"
	"github.com/mark3labs/mcp-go/server"
)

// Memory is a source that is told the state.
type Memory struct {
	mu       sync.Mutex
	services []Service
}

// Services implements Source.
func (m *Memory) Services(context.Context) ([]Service, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.services), nil
}

// Set changes the state of a service, and reports whether there is one of that
// name.
func (m *Memory) Set(name string, down bool, note string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.services, func(s Service) bool { return s.Name == name })
	if i < 0 {
		return false
	}
	m.services[i] = Service{Name: name, Down: down, Note: note}
	return true
}

// handler serves the skills of g below skill://ops/ over MCP. Nothing here says
// what is dynamic: the skills do.
func handler(g framework.Generator) (http.Handler, error) {
	catalog, err := framework.NewCatalog([]framework.Mount{{Prefix: "ops", Generator: g}}, nil)
	if err != nil {
		return nil, err
	}
	mcp := server.NewMCPServer("livestatus", "1.0.0", skillsmcp.ServerOptions(catalog, nil)...)
	binding, err := skillsmcp.New(catalog, mcp, nil)
	if err != nil {
		return nil, err
	}
	return binding.Handler(), nil
}

func main() {
	source := &Memory{services: []Service{{Name: "mail"}, {Name: "search"}, {Name: "wiki"}}}
	h, err := handler(Status{source})
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			name, rest, _ := strings.Cut(in.Text(), " ")
			state, note, _ := strings.Cut(rest, " ")
			if state != "up" && state != "down" || !source.Set(name, state == "down", note) {
				log.Print(`type a service, "up" or "down", and a note, as in: mail down queue is full`)
			}
		}
	}()
	http.Handle("/mcp", h)
	log.Print("MCP at http://127.0.0.1:8080/mcp, stop with Ctrl-C")
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}
