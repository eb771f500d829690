package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/apiskills/apiskills/framework/skillsmcp"
)

// teamKey is the key of the caller's team in a context.
type teamKey struct{}

func teamOf(ctx context.Context) string {
	team, _ := ctx.Value(teamKey{}).(string)
	return team
}

// Tokens are the teams, by the SHA-256 of their tokens.
type Tokens map[[sha256.Size]byte]string

// authenticate lets nobody in without a token, and says whose it is.
func authenticate(tokens Tokens, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		team := tokens[sha256.Sum256([]byte(token))]
		if !ok || team == "" {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), teamKey{}, team)))
	})
}

// newServer returns the HTTP server of the whole program.
func newServer(orders Orders, runbooks Runbooks, tokens Tokens) (*http.Server, error) {
	calls := &Calls{}

	// These lines add the skills.
	catalog, err := newCatalog(runbooks)
	if err != nil {
		return nil, err
	}
	options := &skillsmcp.Options{Instructions: "This server knows the orders of the shop."}
	mcpServer := newMCPServer(orders, calls.hooks(), skillsmcp.ServerOptions(catalog, options)...)
	binding, err := skillsmcp.New(catalog, mcpServer, options)
	if err != nil {
		return nil, err
	}

	mux := http.NewServeMux()
	mux.Handle("/api/agents/mcp", authenticate(tokens, binding.Handler())) // where server.NewStreamableHTTPServer was
	mux.HandleFunc("GET /calls", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, calls) })

	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	s.RegisterOnShutdown(func() { _ = binding.Shutdown(context.Background()) }) // else open streams hold it up
	return s, nil
}

// serve serves on l until ctx is done, and then lets the calls in progress end.
func serve(ctx context.Context, s *http.Server, l net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return s.Shutdown(end)
}

func run() error {
	tokens := Tokens{}
	for _, team := range []string{"support", "finance"} {
		if token := os.Getenv("TOKEN_" + strings.ToUpper(team)); token != "" {
			tokens[sha256.Sum256([]byte(token))] = team
		}
	}
	if len(tokens) == 0 {
		return errors.New("nobody could call it: set TOKEN_SUPPORT or TOKEN_FINANCE")
	}
	s, err := newServer(
		Orders{"1042": "paid", "1043": "sent"},
		Runbooks{
			"finance/close-month":  "Ask for the month. Check that no order of it is open.",
			"support/refund-order": "Ask for the number, and call order_state. Refund what is paid and not sent.",
		},
		tokens)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	l, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		return err
	}
	log.Printf("MCP at http://%s/api/agents/mcp, counts at /calls, stop with Ctrl-C", l.Addr())
	return serve(ctx, s, l)
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
