package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skillsmcp"
	"github.com/apiskills/apiskills/internal/printable"
	"github.com/mark3labs/mcp-go/server"
	"github.com/spf13/cobra"
)

func (a *app) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve [DOC...]",
		Short: "Serve the skills over MCP, on HTTP or stdio",
		Long: `serve answers MCP clients: on HTTP at /mcp, or on standard input and output for
a host that starts the command itself. It prints what it serves, and what to
put into the configuration of a host, on standard error. An interrupt (Ctrl-C)
or a termination signal ends it once the calls in flight are answered.`,
		Example: `  apiskills serve openapi.yaml
  apiskills serve shop=shop.yaml pay=pay.yaml --addr 127.0.0.1:9000
  apiskills serve openapi.yaml --transport stdio
  apiskills serve --config apiskills.yaml --listing guide`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.configure(cmd.Flags(), args)
			if err != nil {
				return err
			}
			err = a.serve(cmd.Context(), s, cmd.Flags(), args)
			if cmd.Context().Err() != nil && errors.Is(err, context.Canceled) {
				return nil // told to stop before there was a call to answer
			}
			return err
		},
	}
	config.AddFlags(cmd.Flags(), "transport", "addr", "listing", "watch", "findSkills", "insecure", "http.tlsCert", "http.tlsKey", "log.access")
	a.addDocumentFlags(cmd)
	return cmd
}

func (a *app) serve(ctx context.Context, s *session, flags flagVisitor, args []string) error {
	if s.Transport == "stdio" && slices.ContainsFunc(s.Documents, func(d config.Document) bool { return d.Path == config.Stdin }) {
		return unusable(errors.New("standard input cannot carry both a document and MCP; give the document as a file, or serve over HTTP"))
	}
	if s.Transport == "http" {
		var err error
		if s.callers, err = loadCallers(s.Tokens); err != nil {
			return unusable(err)
		}
	}
	s.onDiagnostics = func(diags []framework.Diagnostic) {
		for _, d := range diags {
			if d.Severity == framework.Error {
				s.log.Error("diagnostic", "skill", d.Skill, "rule", d.Rule, "file", d.File, "line", d.Line, "pointer", d.Pointer, "message", d.Message)
			}
		}
	}
	hangups := make(chan os.Signal, 1) // from the begin: it must not end what is still reading
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	sh, err := a.newShelf(s)
	if err != nil {
		return err
	}
	monitor := newMonitor(sh.catalog)
	binding, err := bind(sh.catalog, s, monitor)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		if err := sh.catalog.Watch(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("the sources are no longer watched", "error", err)
		}
	}()
	// begin reads the documents, and says what is served.
	begin := func(sum *summary) error {
		if err := sh.load(ctx); err != nil {
			return err
		}
		a.diagnose(everywhere(ctx), sh.catalog, s)
		if err := summarize(everywhere(ctx), sh.catalog, sh.sources(), s, sum); err != nil {
			return err
		}
		sum.broken = a.broken
		a.announce(s, sum)
		// Reading documents took memory that serving them does not need, and an
		// idle process gives none back for minutes. The first calls come first.
		time.AfterFunc(time.Second, debug.FreeOSMemory)
		return sh.watch(ctx, hangups)
	}
	if s.Transport == "stdio" {
		if err := begin(&summary{at: "stdio", host: a.stdioHost(s, flags, args), stop: "It ends with its input, or with Ctrl-C."}); err != nil {
			return err
		}
		return binding.ServeStdio(ctx, a.stdin, a.stdout)
	}
	return a.serveHTTP(ctx, sh, binding, monitor, begin)
}

// bind puts catalog behind an MCP server.
func bind(catalog *framework.Catalog, s *session, m *monitor) (*skillsmcp.Binding, error) {
	options := &skillsmcp.Options{
		MaxBody: s.MaxBody, Timeout: s.HTTP.Timeout, Logger: s.log,
		AllowedHosts: s.HTTP.Hosts, AllowedOrigins: s.HTTP.Origins,
		OnCall: func(ctx context.Context, c *skillsmcp.Call) {
			m.observe(ctx, c)
			if s.Log.Access {
				logCall(ctx, s.log, c)
			}
		},
	}
	if s.Transport == "http" {
		options.MaxInFlight = s.HTTP.MaxRequests
	}
	mcp := server.NewMCPServer(s.program, s.version, skillsmcp.ServerOptions(catalog, options)...)
	if s.FindSkills {
		allow := s.callers.allow
		if !s.callers.restricted() {
			allow = nil
		}
		addFinder(mcp, catalog, allow)
	}
	binding, err := skillsmcp.New(catalog, mcp, options)
	if err != nil {
		return nil, fmt.Errorf("mcp server: %w", err)
	}
	return binding, nil
}

// logCall logs a call. What a client wrote is cut.
func logCall(ctx context.Context, log *slog.Logger, c *skillsmcp.Call) {
	attrs := []slog.Attr{slog.String("method", printable.Shorten(c.Method)), slog.Duration("duration", c.Duration)}
	if c.URI != "" {
		attrs = append(attrs, slog.String("uri", printable.Shorten(c.URI)))
	}
	if c.Code != 0 {
		attrs = append(attrs, slog.Int("code", c.Code))
	}
	if c.Status != 0 {
		attrs = append(attrs, slog.Int("status", c.Status))
	}
	if c.Owned {
		attrs = append(attrs, slog.Int("bytes", c.Bytes))
	}
	if who := callerOf(ctx); who != nil {
		attrs = append(attrs, slog.String("caller", who.name))
	}
	log.LogAttrs(ctx, slog.LevelInfo, "call", attrs...)
}
