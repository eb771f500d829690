package command

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"

	"github.com/apiskills/apiskills/framework/skillsmcp"
	"golang.org/x/net/netutil"
)

// serveHTTP serves the binding until ctx ends. A single document is read before
// anything is answered; of several each is served as soon as it is read.
func (a *app) serveHTTP(ctx context.Context, sh *shelf, binding *skillsmcp.Binding, m *monitor, begin func(*summary) error) error {
	s := sh.s
	certificates, err := loadCertificates(s)
	if err != nil {
		return unusable(err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is in use by another program; stop that one, or choose another address with --addr", s.Addr)
	}
	if err != nil {
		return fmt.Errorf("%w; choose an address of this machine with --addr HOST:PORT", err)
	}
	addr, isTCP := listener.Addr().(*net.TCPAddr)
	if err := checkExposure(s, isTCP && addr.IP.IsLoopback(), listener.Addr().String()); err != nil {
		listener.Close()
		return err
	}
	scheme := "http"
	listener = netutil.LimitListener(listener, s.HTTP.MaxConnections)
	if certificates != nil {
		scheme = "https"
		listener = tls.NewListener(listener, &tls.Config{Certificates: certificates, MinVersion: tls.VersionTLS12})
	}
	url := scheme + "://" + reachable(listener.Addr()) + s.HTTP.Path
	sum := &summary{at: url, host: httpHost(s.program, url), stop: "Stop it with Ctrl-C."}
	if isTCP && !addr.IP.IsLoopback() && s.callers == nil {
		s.log.Warn("other machines can reach this server, and it asks nobody who they are", "addr", addr.String())
	}

	mux := http.NewServeMux()
	mux.Handle(s.HTTP.Path, s.callers.only(binding.Handler()))
	figures := m.handler()
	mux.Handle("GET /metrics", s.callers.only(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !binding.Admits(r) {
			http.Error(w, "Forbidden: this server does not answer to that host or origin", http.StatusForbidden)
			return
		}
		figures.ServeHTTP(w, r)
	})))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	var begun atomic.Bool // what is served has been said
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		lines, done := sh.status(s.callers.seesAll(r) && binding.Admits(r))
		if ctx.Err() != nil {
			lines, done = []string{"stopping"}, false
		}
		if !done || !begun.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		for _, line := range lines {
			fmt.Fprintln(w, line)
		}
	})
	if len(s.Documents) == 1 {
		if err := begin(sum); err != nil {
			listener.Close()
			return err
		}
		begun.Store(true)
		return a.serveUntil(ctx, s, binding, listener, mux)
	}
	serving, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	go func() { served <- a.serveUntil(serving, s, binding, listener, mux) }()
	if err := begin(sum); err != nil {
		stop()
		<-served
		return err
	}
	begun.Store(true)
	return <-served
}

func (a *app) serveUntil(ctx context.Context, s *session, binding *skillsmcp.Binding, l net.Listener, h http.Handler) error {
	context.AfterFunc(ctx, func() { s.log.Info("stopping; calls in progress are answered first") })
	err := binding.Serve(ctx, l, h)
	if err != nil && ctx.Err() != nil {
		s.log.Warn("not every call was answered", "error", err)
		return nil
	}
	return err
}

// loadCertificates reads the certificate to serve with; nil if there is none.
func loadCertificates(s *session) ([]tls.Certificate, error) {
	if s.HTTP.TLSCert == "" {
		return nil, nil
	}
	c, err := tls.LoadX509KeyPair(s.HTTP.TLSCert, s.HTTP.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("certificate %s with the key %s: %w", s.HTTP.TLSCert, s.HTTP.TLSKey, err)
	}
	return []tls.Certificate{c}, nil
}

// reachable is the address as a client on this machine writes it.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return fmt.Sprintf("localhost:%d", tcp.Port)
}
