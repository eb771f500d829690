package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"

	"github.com/apiskills/apiskills/framework/skillsmcp"
)

// endpoint is the path of the MCP endpoint.
const endpoint = "/mcp"

// serveHTTP serves the binding until ctx ends.
func (a *app) serveHTTP(ctx context.Context, s *session, binding *skillsmcp.Binding, sum *summary) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is in use by another program; stop that one, or choose another address with --addr", s.Addr)
	}
	if err != nil {
		return fmt.Errorf("%w; choose an address of this machine with --addr HOST:PORT", err)
	}
	url := "http://" + reachable(listener.Addr()) + endpoint
	sum.at, sum.host, sum.stop = url, httpHost(url), "Stop it with Ctrl-C."
	a.announce(s, sum)
	if addr, ok := listener.Addr().(*net.TCPAddr); ok && !addr.IP.IsLoopback() {
		s.log.Warn("other machines can reach this server, and it asks nobody who they are", "addr", addr.String())
	}
	mux := http.NewServeMux()
	mux.Handle(endpoint, binding.Handler())
	context.AfterFunc(ctx, func() { s.log.Info("stopping; calls in progress are answered first") })
	err = binding.Serve(ctx, listener, mux)
	if err != nil && ctx.Err() != nil {
		s.log.Warn("not every call was answered", "error", err)
		return nil
	}
	return err
}

// reachable is the address as a client on this machine writes it.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return fmt.Sprintf("localhost:%d", tcp.Port)
}
