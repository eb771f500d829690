package skillsmcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A stdioSession is the one client of a stdio transport as mcp-go sees it: it
// takes notifications and, for the tools of the author, asks the client for
// sampling, elicitation and roots.
type stdioSession struct {
	out           *lineWriter
	notifications chan mcp.JSONRPCNotification
	flushes       chan chan<- struct{} // see flush
	ended         chan struct{}        // closed when notify returned

	initialized  atomic.Bool
	level        atomic.Value // mcp.LoggingLevel
	version      atomic.Value // string, negotiated by initialize
	info         atomic.Value // mcp.Implementation
	capabilities atomic.Value // mcp.ClientCapabilities

	mu      sync.Mutex
	lastID  int64
	pending map[string]chan<- clientResponse // by the literal of the id
	listens map[*listenSession]struct{}
}

var (
	_ server.SessionWithLogging            = (*stdioSession)(nil)
	_ server.SessionWithClientInfo         = (*stdioSession)(nil)
	_ server.SessionWithSampling           = (*stdioSession)(nil)
	_ server.SessionWithElicitation        = (*stdioSession)(nil)
	_ server.SessionWithRoots              = (*stdioSession)(nil)
	_ server.SessionWithProtocolVersion    = (*stdioSession)(nil)
	_ server.SessionWithSubscriptionFilter = (*stdioSession)(nil)
	_ server.SessionWithSubscriptionFilter = (*listenSession)(nil)
)

func newStdioSession(out *lineWriter) *stdioSession {
	return &stdioSession{
		out:           out,
		notifications: make(chan mcp.JSONRPCNotification, 100),
		flushes:       make(chan chan<- struct{}),
		ended:         make(chan struct{}),
		pending:       make(map[string]chan<- clientResponse),
		listens:       make(map[*listenSession]struct{}),
	}
}

func (s *stdioSession) SessionID() string { return "stdio" }

func (s *stdioSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }

func (s *stdioSession) Initialize()       { s.initialized.Store(true) }
func (s *stdioSession) Initialized() bool { return s.initialized.Load() }

func (s *stdioSession) SetLogLevel(level mcp.LoggingLevel) { s.level.Store(level) }

func (s *stdioSession) GetLogLevel() mcp.LoggingLevel {
	if level, ok := s.level.Load().(mcp.LoggingLevel); ok {
		return level
	}
	return mcp.LoggingLevelError
}

func (s *stdioSession) GetClientInfo() mcp.Implementation {
	info, _ := s.info.Load().(mcp.Implementation)
	return info
}

func (s *stdioSession) SetClientInfo(info mcp.Implementation) { s.info.Store(info) }

func (s *stdioSession) GetClientCapabilities() mcp.ClientCapabilities {
	c, _ := s.capabilities.Load().(mcp.ClientCapabilities)
	return c
}

func (s *stdioSession) SetClientCapabilities(c mcp.ClientCapabilities) { s.capabilities.Store(c) }

// ProtocolVersion returns the version that the initialize handshake settled on,
// or "" if there was none.
func (s *stdioSession) ProtocolVersion() string {
	version, _ := s.version.Load().(string)
	return version
}

// SetProtocolVersion is called by mcp-go in the initialize handshake.
func (s *stdioSession) SetProtocolVersion(version string) { s.version.Store(version) }

// SetSubscriptionFilter does nothing: a listenSession has the filter.
func (s *stdioSession) SetSubscriptionFilter(mcp.SubscriptionFilter) {}

// SubscriptionFilter says which broadcasts the client gets: after an initialize
// handshake all, else those that one of its subscriptions asks for.
func (s *stdioSession) SubscriptionFilter() (filter mcp.SubscriptionFilter, filtered bool) {
	if s.ProtocolVersion() != "" {
		return filter, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.listens {
		filter.ToolsListChanged = filter.ToolsListChanged || l.filter.ToolsListChanged
		filter.PromptsListChanged = filter.PromptsListChanged || l.filter.PromptsListChanged
		filter.ResourcesListChanged = filter.ResourcesListChanged || l.filter.ResourcesListChanged
	}
	return filter, true
}

// A listenSession stands for the session in one subscriptions/listen request,
// and takes its filter.
type listenSession struct {
	*stdioSession
	id     any // of the request
	filter mcp.SubscriptionFilter
}

func (l *listenSession) SetSubscriptionFilter(filter mcp.SubscriptionFilter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.filter = filter; filter.IsEmpty() {
		delete(l.listens, l)
	} else {
		l.listens[l] = struct{}{}
	}
}

func (l *listenSession) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.filter, true
}

// deliver writes a notification. A change of a list goes to each subscription
// that asked for it, tagged with its id, and untagged to a client that made the
// initialize handshake.
func (s *stdioSession) deliver(n mcp.JSONRPCNotification) error {
	var asked func(mcp.SubscriptionFilter) bool
	switch n.Method {
	case mcp.MethodNotificationToolsListChanged:
		asked = func(f mcp.SubscriptionFilter) bool { return f.ToolsListChanged }
	case mcp.MethodNotificationPromptsListChanged:
		asked = func(f mcp.SubscriptionFilter) bool { return f.PromptsListChanged }
	case mcp.MethodNotificationResourcesListChanged:
		asked = func(f mcp.SubscriptionFilter) bool { return f.ResourcesListChanged }
	default:
		return s.out.writeJSON(n)
	}
	if s.ProtocolVersion() != "" {
		if err := s.out.writeJSON(n); err != nil {
			return err
		}
	}
	var ids []any
	s.mu.Lock()
	for l := range s.listens {
		if asked(l.filter) {
			ids = append(ids, l.id)
		}
	}
	s.mu.Unlock()
	for _, id := range ids {
		tagged := n
		tagged.Params.Meta = maps.Clone(n.Params.Meta) // shared with other sessions
		if tagged.Params.Meta == nil {
			tagged.Params.Meta = make(map[string]any)
		}
		tagged.Params.Meta[mcp.MetaKeySubscriptionID] = id
		if err := s.out.writeJSON(tagged); err != nil {
			return err
		}
	}
	return nil
}

// notify writes the server's notifications, in order, until ctx is done or
// writing fails.
func (s *stdioSession) notify(ctx context.Context) {
	defer close(s.ended)
	for {
		var err error
		select {
		case n := <-s.notifications:
			err = s.deliver(n)
		case done := <-s.flushes:
			err = s.drain()
			close(done)
		case <-ctx.Done():
			_ = s.drain() // the writer remembers it
			return
		}
		if err != nil {
			return
		}
	}
}

// drain delivers the notifications that wait.
func (s *stdioSession) drain() error {
	for {
		select {
		case n := <-s.notifications:
			if err := s.deliver(n); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// flush returns when the notifications that were sent before are written.
func (s *stdioSession) flush() {
	done := make(chan struct{})
	select {
	case s.flushes <- done:
		<-done
	case <-s.ended:
	}
}

type clientResponse struct {
	result json.RawMessage
	err    error
}

// take gives a response of the client to the request that waits for it.
func (s *stdioSession) take(env *envelope) {
	s.mu.Lock()
	to := s.pending[string(env.id)]
	delete(s.pending, string(env.id))
	s.mu.Unlock()
	if to == nil {
		return
	}
	var response clientResponse
	if env.fault != nil {
		var details mcp.JSONRPCErrorDetails
		if err := json.Unmarshal(env.fault, &details); err != nil {
			response.err = errors.New("the client answered with an error that cannot be read")
		} else {
			response.err = details.AsError()
		}
	} else {
		response.result = json.RawMessage(env.result)
	}
	to <- response // has room for one
}

// ask sends a request to the client and waits for the answer.
func (s *stdioSession) ask(ctx context.Context, method mcp.MCPMethod, params, result any) error {
	answer := make(chan clientResponse, 1)
	s.mu.Lock()
	s.lastID++
	id := s.lastID
	key := strconv.FormatInt(id, 10)
	s.pending[key] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.pending, key)
		s.mu.Unlock()
	}()
	err := s.out.writeJSON(mcp.JSONRPCRequest{
		JSONRPC: mcp.JSONRPC_VERSION,
		ID:      mcp.NewRequestId(id),
		Request: mcp.Request{Method: string(method)},
		Params:  params,
	})
	if err != nil {
		return fmt.Errorf("send %s to the client: %w", method, err)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case response := <-answer:
		if response.err != nil {
			return fmt.Errorf("%s: %w", method, response.err)
		}
		if err := json.Unmarshal(response.result, result); err != nil {
			return fmt.Errorf("the client's answer to %s: %w", method, err)
		}
		return nil
	}
}

// RequestSampling implements [server.SessionWithSampling].
func (s *stdioSession) RequestSampling(ctx context.Context, request mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	result := new(mcp.CreateMessageResult)
	if err := s.ask(ctx, mcp.MethodSamplingCreateMessage, request.CreateMessageParams, result); err != nil {
		return nil, err
	}
	content, err := mcp.ParseSamplingContent(result.Content)
	if err != nil {
		return nil, fmt.Errorf("the client's answer to %s: %w", mcp.MethodSamplingCreateMessage, err)
	}
	result.Content = content
	return result, nil
}

// RequestElicitation implements [server.SessionWithElicitation].
func (s *stdioSession) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	result := new(mcp.ElicitationResult)
	if err := s.ask(ctx, mcp.MethodElicitationCreate, request.Params, result); err != nil {
		return nil, err
	}
	return result, nil
}

// ListRoots implements [server.SessionWithRoots].
func (s *stdioSession) ListRoots(ctx context.Context, _ mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	result := new(mcp.ListRootsResult)
	if err := s.ask(ctx, mcp.MethodListRoots, nil, result); err != nil {
		return nil, err
	}
	return result, nil
}
