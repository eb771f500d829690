package skillsmcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/tracing"

	"github.com/apiskills/apiskills/framework"
)

// ExtensionID identifies the Skills extension among a server's capabilities
// (Skills extension, "Extension Identifier").
const ExtensionID = "io.modelcontextprotocol/skills"

// The _meta keys of protocol version 2026-07-28 that this package reads.
const (
	metaProtocolVersion    = mcp.MetaKeyProtocolVersion
	metaClientCapabilities = mcp.MetaKeyClientCapabilities
)

// Options configure a Binding. The zero value of each field stands for its
// default.
type Options struct {
	// Instructions come before the sentences about skills in the server's
	// instructions.
	Instructions string

	// Timeout is the deadline of a call that this package answers itself.
	// Default 30 seconds.
	Timeout time.Duration
	// MaxBody bounds a message, in bytes: the body of a POST, or a line on
	// stdio. Default 4 MiB.
	MaxBody int64
	// MaxInFlight bounds the requests that are being answered at once, streams
	// aside. Beyond it a request is answered with an error, over HTTP with the
	// status 503. Default 2048, since a host may read all 512 files of some skills
	// at once.
	MaxInFlight int

	// WriteTimeout is how long a client may take to make room for what is sent to
	// it: for a whole response of this package's, for each piece of a stream, and
	// of what mcp-go answers. Then its connection is closed. Default 30 seconds.
	WriteTimeout time.Duration
	// MaxUnread bounds, in bytes, the responses of this package that clients have
	// not taken yet, all together, over HTTP. Beyond it a request is answered as
	// beyond MaxInFlight. Default 256 MiB.
	MaxUnread int64

	// TTL is the freshness hint for results about static skills. Default is
	// the catalog's; a pointer, since 0 is a hint too. Results about dynamic
	// skills always have 0.
	TTL *time.Duration
	// CacheScope says who may share a cached result. Default is
	// mcp.CacheScopePrivate where what the catalog serves depends on the caller
	// ([framework.Options].Allow), else mcp.CacheScopePublic.
	CacheScope mcp.CacheScope

	// AllowedHosts are the values of the Host header that are accepted, without
	// port. If it is empty, a request over a loopback connection must name a
	// loopback host, and others may name any: that keeps web pages from
	// reaching a local server by rebinding their name to it.
	AllowedHosts []string
	// AllowedOrigins are the web origins, as in "https://example.com", whose
	// pages may call the server; "*" stands for each. They get the headers that
	// a browser wants to see (CORS). A request from another page is refused,
	// unless the page is of the host it calls, or both are loopback.
	AllowedOrigins []string
	// HTTPContext, if not nil, makes the context of a request over HTTP, both
	// for this package and for mcp-go.
	HTTPContext server.HTTPContextFunc
	// Sessions makes and checks the session ids of clients that use the
	// initialize handshake, both for this package and for mcp-go. Default is
	// mcp-go's: any well-formed id is good, so that each replica accepts it.
	Sessions server.SessionIdManager
	// HTTP are further options for mcp-go's transport. What the fields above
	// say goes over them.
	HTTP []server.StreamableHTTPOption

	// OnCall is called after each message that was answered, from several
	// goroutines at once; it holds up the response on stdio, and the end of the
	// request over HTTP.
	OnCall func(ctx context.Context, c *Call)
	// Tracer starts a span around each call, whoever answers it, named "mcp."
	// and the method. The propagators take the trace that a call belongs to
	// from the headers of HTTP, and from _meta. Each may be nil.
	Tracer         tracing.Tracer
	Propagator     tracing.Propagator
	MetaPropagator tracing.MetaPropagator

	// Logger gets faults: panics, internal errors. Default slog.Default.
	Logger *slog.Logger
}

func (o *Options) resolve() Options {
	var r Options
	if o != nil {
		r = *o
	}
	if r.Timeout <= 0 {
		r.Timeout = 30 * time.Second
	}
	if r.MaxBody <= 0 {
		r.MaxBody = 4 << 20
	}
	if r.MaxInFlight <= 0 {
		r.MaxInFlight = 2048
	}
	if r.WriteTimeout <= 0 {
		r.WriteTimeout = 30 * time.Second
	}
	if r.MaxUnread <= 0 {
		r.MaxUnread = 256 << 20
	}
	if r.Sessions == nil {
		r.Sessions = &server.StatelessGeneratingSessionIdManager{}
	}
	if r.Logger == nil {
		r.Logger = slog.Default()
	}
	return r
}

// ServerOptions returns the options that an mcp-go server needs to serve c: it
// declares resources, completions and the Skills extension (Skills extension,
// "Capability Negotiation"), and its instructions name the catalog's guides (Skills
// extension, "Pointer from Server Instructions"). Your own instructions are
// [Options].Instructions.
//
// Give them after options of your own. They keep your hooks, but mcp-go keeps only
// the last [server.WithExtensions] and [server.WithResourceCapabilities]: a server
// with a further extension gives a map with [ExtensionID] in it after them, and one
// whose own resources can be subscribed to gives WithResourceCapabilities(true, true).
func ServerOptions(c *framework.Catalog, opts *Options) []server.ServerOption {
	o := opts.resolve()
	return append(o.tracing(),
		server.WithResourceCapabilities(false, true),
		server.WithCompletions(),
		server.WithExtensions(map[string]any{ExtensionID: map[string]any{"directoryRead": true}}),
		func(s *server.MCPServer) { instruct(s, c, &o) },
	)
}

// instruct has s give the instructions as they are when a client asks, to the
// client that asks: the mounts may change, and not each caller may see each
// guide.
func instruct(s *server.MCPServer, c catalog, o *Options) {
	hooks := s.GetHooks()
	if hooks == nil {
		hooks = &server.Hooks{}
		server.WithHooks(hooks)(s)
	}
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, result *mcp.InitializeResult) {
		result.Instructions = instructions(ctx, c, o)
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
		if ctx.Value(introducing{}) != nil {
			return
		}
		result.Instructions = instructions(ctx, c, o)
	})
}

// guidesPatience is how long a handshake waits for the names of the guides, which
// a source that is still being read may not know yet.
const guidesPatience = 2 * time.Second

// maxNamedGuides bounds the guides that the instructions name.
const maxNamedGuides = 20

func instructions(ctx context.Context, c catalog, o *Options) string {
	var b strings.Builder
	if o.Instructions != "" {
		b.WriteString(strings.TrimSpace(o.Instructions) + "\n\n")
	}
	b.WriteString("This server publishes Agent Skills as resources.")
	ctx, cancel := context.WithTimeout(ctx, min(o.Timeout, guidesPatience))
	defer cancel()
	guides, err := c.FeaturedURIs(ctx)
	if err != nil {
		o.Logger.Warn("the instructions name no guides", "error", err)
	}
	switch {
	case len(guides) == 1:
		fmt.Fprintf(&b, " Begin with the guide %s: it says which skill to read for which task.", guides[0])
	case len(guides) > 1:
		b.WriteString(" Begin with the guide that fits the task; it says which skill to read:\n")
		for i, uri := range guides {
			if i == maxNamedGuides {
				b.WriteString("and further ones that skills/list shows first.\n")
				break
			}
			b.WriteString("- " + uri + "\n")
		}
	}
	return strings.TrimSpace(b.String() + "\nA skill that skills/list does not show is read by its URI all the same.")
}

// catalog is what a Binding needs of a [framework.Catalog].
type catalog interface {
	Get(ctx context.Context, uri string) (*framework.Entry, error)
	List(ctx context.Context, cursor string) (*framework.Page, error)
	Read(ctx context.Context, uri string) (*framework.Content, error)
	ReadDirectory(ctx context.Context, uri, cursor string) (*framework.ResourcePage, error)
	ListResources(ctx context.Context, cursor string) (*framework.ResourcePage, error)
	FeaturedURIs(ctx context.Context) ([]string, error)
	ResourceTemplates(ctx context.Context) ([]framework.ResourceTemplate, error)
	Complete(ctx context.Context, uriTemplate, name, value string, known map[string]string) (*framework.Completion, error)
	PerCaller() bool
	Owns(uri string) bool
	TTL() time.Duration
	OnChange(func())
}

// A Binding serves a catalog, and an mcp-go server behind it.
type Binding struct {
	catalog catalog
	mcp     *server.MCPServer
	opts    Options
	log     *slog.Logger

	// serverInfo is the identity that goes into the _meta of results.
	serverInfo []byte

	handler func() *httpHandler // made at the first use
	telling atomic.Bool         // a notification of a change is to be sent

	mu       sync.Mutex
	shutdown bool
	http     *httpHandler // nil before its first use
}

// New binds c to s, which must have been made with [ServerOptions]. Tools,
// prompts and resources may be added to s before and after. When c changes,
// clients are told that the list of resources did. New sends one server/discover
// to s, which the hooks of s see.
func New(c *framework.Catalog, s *server.MCPServer, opts *Options) (*Binding, error) {
	if c == nil || s == nil {
		return nil, errors.New("a binding needs a catalog and an mcp-go server")
	}
	return newBinding(c, s, opts)
}

func newBinding(c catalog, s *server.MCPServer, opts *Options) (*Binding, error) {
	b := &Binding{catalog: c, mcp: s, opts: opts.resolve()}
	b.log = b.opts.Logger
	if b.opts.CacheScope == "" {
		b.opts.CacheScope = mcp.CacheScopePublic
		if c.PerCaller() {
			b.opts.CacheScope = mcp.CacheScopePrivate
		}
	}
	if err := b.introduce(); err != nil {
		return nil, err
	}
	b.handler = sync.OnceValue(func() *httpHandler {
		h := newHTTPHandler(b)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.http = h
		if b.shutdown {
			h.gate.close()
		}
		return h
	})
	c.OnChange(b.changed)
	return b, nil
}

// changeDelay is how long changes are gathered before clients are told. A
// reload may change each skill, and a client that is told too often loses
// notifications.
const changeDelay = 50 * time.Millisecond

// changed tells clients that the list of resources changed. There is no such
// notification for skills.
func (b *Binding) changed() {
	if b.telling.CompareAndSwap(false, true) {
		time.AfterFunc(changeDelay, func() {
			b.telling.Store(false)
			b.mcp.SendNotificationToAllClients(mcp.MethodNotificationResourcesListChanged, nil)
		})
	}
}

// introducing is the key of what marks the context of introduce.
type introducing struct{}

// introduce asks the mcp-go server, as a client would, who it is and whether it
// declares what this package answers: mcp-go has no other way to tell.
func (b *Binding) introduce() error {
	const discover = `{"jsonrpc":"2.0","id":"skillsmcp","method":"server/discover","params":{"_meta":{` +
		`"` + metaProtocolVersion + `":"` + mcp.ProtocolVersion20260728 + `","` + metaClientCapabilities + `":{}}}}`
	ctx := context.WithValue(context.Background(), introducing{}, true)
	response, err := json.Marshal(b.mcp.HandleMessage(ctx, json.RawMessage(discover)))
	if err != nil {
		return fmt.Errorf("server/discover: %w", err)
	}
	var message struct {
		Error  *mcp.JSONRPCErrorDetails
		Result struct {
			Capabilities struct {
				Resources  *struct{}
				Extensions map[string]json.RawMessage
			}
			Meta map[string]json.RawMessage `json:"_meta"`
		}
	}
	if err := json.Unmarshal(response, &message); err != nil {
		return fmt.Errorf("server/discover: %w", err)
	}
	if message.Error != nil {
		// A hook of the author's refused the request, as it may: nobody is
		// behind it.
		b.log.Warn("the server does not say who it is; results go out without its identity", "error", message.Error.Message)
		return nil
	}
	b.serverInfo = message.Result.Meta[mcp.MetaKeyServerInfo]
	if _, ok := message.Result.Capabilities.Extensions[ExtensionID]; !ok || message.Result.Capabilities.Resources == nil {
		return fmt.Errorf("the server does not declare resources and the extension %s; make it with skillsmcp.ServerOptions", ExtensionID)
	}
	return nil
}
