package skillsmcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// drainTime is how long a shutdown waits for calls in progress, at most: first
// until they are done, then, for the rest of it, until they noticed that they
// were cancelled. What is left of five seconds is for the process to end.
const (
	drainTime  = 4500 * time.Millisecond
	finishTime = 4 * time.Second
)

// Handler returns the handler of Streamable HTTP. It takes each path as the
// endpoint's: mount it where clients are to find it, "/mcp" as a rule. It is
// the same handler at each call.
//
// A body is read under the read deadline of the [http.Server]; for streams and
// for the author's own tools the handler lifts that and the write deadline.
// [Binding.Serve] is a server with good deadlines.
func (b *Binding) Handler() http.Handler { return b.handler() }

// Serve serves h on l until ctx is done or l fails, and then shuts down within
// five seconds. h is [Binding.Handler] or a mux that has it. It returns nil
// where ctx is done and every call was answered.
func (b *Binding) Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       b.opts.Timeout + 30*time.Second,
		WriteTimeout:      2*b.opts.Timeout + 30*time.Second + b.opts.WriteTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    256 << 10, // Mcp-Name repeats the URI; one that is too long is to be told so
		ErrorLog:          slog.NewLogLogger(b.log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	drained := make(chan error, 1)
	go func() { drained <- b.Shutdown(end) }()
	err := errors.Join(s.Shutdown(end), <-drained)
	if err != nil {
		_ = s.Close()
	}
	return err
}

// Shutdown ends the streams that are open over HTTP and waits for the calls in
// progress, five seconds at most and no longer than ctx. Calls that are not done
// by then are cancelled, and the error says so. What comes later is refused. Call
// it beside [http.Server.Shutdown], which waits for the streams, or have that call
// it, by [http.Server.RegisterOnShutdown]. [Binding.Serve] does.
func (b *Binding) Shutdown(ctx context.Context) error {
	b.mu.Lock()
	b.shutdown = true
	h := b.http
	b.mu.Unlock()
	if h == nil {
		return nil
	}
	return h.shutdown(ctx)
}

type httpHandler struct {
	binding *Binding
	opts    *Options
	next    *server.StreamableHTTPServer
	calls   inflight // of sessions, which can cancel by notification

	answering   atomic.Int64 // requests, streams aside
	unread      atomic.Int64 // bytes of large responses that are being written
	gate        *gate
	streaming   context.Context // ends when streams are to end
	stopStreams context.CancelFunc
	working     context.Context // ends when all calls are to end
	stopWork    context.CancelFunc
}

func newHTTPHandler(b *Binding) *httpHandler {
	h := &httpHandler{binding: b, opts: &b.opts, gate: newGate()}
	h.streaming, h.stopStreams = context.WithCancel(context.Background())
	h.working, h.stopWork = context.WithCancel(context.Background())
	options := []server.StreamableHTTPOption{server.WithStreamableHTTPLogger(b.log)}
	if _, ok := b.opts.Sessions.(*server.StatelessGeneratingSessionIdManager); ok {
		// mcp-go keeps what it knows of a session for ever otherwise. Such a
		// session's id stays good when that is gone, and its stream, which the
		// pings show to be alive, is none that is idle.
		options = append(options, server.WithSessionIdleTTL(10*time.Minute), server.WithHeartbeatInterval(5*time.Minute))
	}
	options = append(options, b.opts.HTTP...)
	options = append(options,
		server.WithSessionIdManager(b.opts.Sessions),
		server.WithDisableLocalhostProtection(true), // admit has the rule
	)
	if b.opts.HTTPContext != nil {
		options = append(options, server.WithHTTPContextFunc(b.opts.HTTPContext))
	}
	h.next = server.NewStreamableHTTPServer(b.mcp, options...)
	return h
}

func (h *httpHandler) shutdown(ctx context.Context) error {
	h.gate.close()
	h.stopStreams()
	defer h.stopWork()
	if err := h.next.Shutdown(ctx); err != nil {
		return fmt.Errorf("close the sessions: %w", err)
	}
	end, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	finish := time.NewTimer(finishTime)
	defer finish.Stop()
	select {
	case <-h.gate.idle:
		return nil
	case <-finish.C:
	case <-ctx.Done():
		return errors.New("calls in progress were cancelled")
	}
	h.stopWork()
	select {
	case <-h.gate.idle:
	case <-end.Done():
	}
	return errors.New("calls in progress were cancelled")
}

// maxPooled bounds the buffers that are kept, in bytes.
const maxPooled = 256 << 10

var (
	bodies    = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	responses = sync.Pool{New: func() any { return new([]byte) }}
)

func putBody(b *bytes.Buffer) {
	if b.Cap() <= maxPooled {
		b.Reset()
		bodies.Put(b)
	}
}

func putResponse(b *[]byte) {
	if cap(*b) <= maxPooled {
		responses.Put(b)
	}
}

// jsonType is the Content-Type of a response, shared: nobody changes it.
var jsonType = []string{"application/json"}

func (h *httpHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.gate.enter() {
		w.Header().Set("Connection", "close")
		http.Error(w, "The server is shutting down", http.StatusServiceUnavailable)
		return
	}
	defer h.gate.leave()
	if !h.opts.admit(w, r) {
		return
	}
	if r.Method != http.MethodPost || r.Body == nil {
		h.delegate(w, r, nil, nil)
		return
	}
	if h.answering.Add(1) > int64(h.opts.MaxInFlight) {
		h.answering.Add(-1)
		writeBusy(w, nil, "too many requests are in progress")
		return
	}
	answering := int64(1)
	defer func() { h.answering.Add(-answering) }()
	body := bodies.Get().(*bytes.Buffer)
	defer putBody(body)
	if size := r.ContentLength; size > 0 && size <= maxPooled {
		body.Grow(int(size) + bytes.MinRead) // ReadFrom wants that much to see the end
	}
	if _, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, h.opts.MaxBody)); err != nil {
		var tooLarge *http.MaxBytesError
		status, f := http.StatusBadRequest, &fault{code: mcp.PARSE_ERROR, message: "the request body cannot be read"}
		if errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
			f = &fault{code: mcp.INVALID_REQUEST, message: fmt.Sprintf("the request body is larger than %d bytes", h.opts.MaxBody)}
		}
		writeJSON(w, status, appendFault(nil, nil, f))
		return
	}
	env, ok := decodeEnvelope(body.Bytes())
	if env.method == methodSubscriptionsListen {
		h.answering.Add(-answering) // a stream
		answering = 0
	}
	if !ok || !h.binding.owns(&env) || !h.valid(r, &env) {
		h.delegate(w, r, &env, body.Bytes())
		return
	}
	h.answer(w, r, &request{envelope: &env, modern: env.modern(), message: body.Bytes()})
}

// valid reports whether mcp-go would hand the request over to its method. Where
// it would not, mcp-go is to say why, as it does for its own methods. Each
// condition stands in StreamableHTTPServer.handlePost, validateModernRequest or
// MCPServer.HandleMessage.
func (h *httpHandler) valid(r *http.Request, env *envelope) bool {
	if contentType := r.Header.Get("Content-Type"); contentType != "application/json" {
		mediaType, _, err := mime.ParseMediaType(contentType)
		if err != nil || mediaType != "application/json" {
			return false
		}
	}
	version, declared := env.params.protocolVersion.value, r.Header.Get(mcp.HeaderProtocolVersion)
	if !mcp.IsModernProtocol(version) && !mcp.IsModernProtocol(declared) {
		if declared != "" && !mcp.IsValidProtocolVersion(declared) {
			return false
		}
		terminated, err := h.opts.Sessions.Validate(r.Header.Get(mcp.HeaderSessionID))
		return err == nil && !terminated
	}
	if r.Header.Get(headerLastEventID) != "" || version != declared || !h.next.SupportsProtocolVersion(version) {
		return false
	}
	if !validCapabilities(env.params.capabilities) {
		return false
	}
	if r.Header.Get(mcp.HeaderMethod) != env.method {
		return false
	}
	return env.method != methodResourcesRead || headerNames(r, env.params.uri.value)
}

// headerLastEventID is mcp.HeaderLastEventID in the spelling of net/http, which
// is found without being spelled anew.
const headerLastEventID = "Last-Event-Id"

// headerNames reports whether the Mcp-Name header names uri.
func headerNames(r *http.Request, uri string) bool {
	value := r.Header.Get(mcp.HeaderName)
	if value == "" {
		return false
	}
	name, ok := mcp.DecodeHeaderValue(value)
	return ok && name == uri
}

// validCapabilities reports whether raw are client capabilities, which each
// modern request has.
func validCapabilities(raw []byte) bool {
	if string(raw) == "{}" {
		return true
	}
	var c mcp.ClientCapabilities
	return raw != nil && json.Unmarshal(raw, &c) == nil
}

// answer writes the response to an owned request.
func (h *httpHandler) answer(w http.ResponseWriter, r *http.Request, req *request) {
	start := time.Now()
	call := newCallContext(r.Context(), h.working, start, h.opts.Timeout)
	defer call.cancel()
	if session := r.Header.Get(mcp.HeaderSessionID); session != "" && !req.modern {
		defer h.calls.add(session, req.id, call)()
	}
	var ctx context.Context = call
	if h.opts.HTTPContext != nil {
		ctx = h.opts.HTTPContext(ctx, r)
	}

	out := responses.Get().(*[]byte)
	defer putResponse(out)
	var answer response
	var code int
	if f := checkName(r, req); f != nil {
		answer.own, code = appendFault((*out)[:0], req.id, f), f.code
	} else {
		answer, code = h.binding.answer(ctx, req, r.Header, (*out)[:0])
	}
	*out = answer.own
	status := http.StatusOK
	if req.modern {
		status = modernStatus(code)
	}
	if r.Context().Err() == nil { // else nobody is there
		status = h.write(w, status, req.id, answer)
	}
	if h.binding.observed() {
		h.binding.observe(ctx, &Call{
			Method: req.method, URI: req.params.uri.value, Owned: true, Code: code, Status: status, Bytes: answer.len(),
			Duration: time.Since(start),
		})
	}
}

// checkName compares an Mcp-Name header with params.uri where it does not have
// to be there: a gateway that routes by it must not be told another name.
func checkName(r *http.Request, req *request) *fault {
	if !req.modern || req.params.uri.kind != kindString || r.Header.Get(mcp.HeaderName) == "" || headerNames(r, req.params.uri.value) {
		return nil
	}
	err := mcp.HeaderMismatchError{Header: mcp.HeaderName, Reason: "the header does not match params.uri"}
	return &fault{code: mcp.HEADER_MISMATCH, message: err.Error()}
}

// modernStatus is the HTTP status that protocol version 2026-07-28 has for a
// JSON-RPC error code.
func modernStatus(code int) int {
	switch code {
	case mcp.INVALID_PARAMS, mcp.INVALID_REQUEST, mcp.HEADER_MISMATCH:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// largeResponse is the size in bytes from which a response may not fit into what
// the network keeps of it for a client that does not read.
const largeResponse = 32 << 10

// write writes a response, unless it is a large one and too many of them wait for
// clients that do not read them. It returns the status.
func (h *httpHandler) write(w http.ResponseWriter, status int, id []byte, answer response) int {
	size := int64(answer.len())
	if size < largeResponse {
		writeResponse(w, status, answer)
		return status
	}
	defer h.unread.Add(-size)
	if unread := h.unread.Add(size); unread > h.opts.MaxUnread && unread > size { // one alone is always written
		writeBusy(w, id, "too many responses wait to be read")
		return http.StatusServiceUnavailable
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(h.opts.WriteTimeout))
	writeResponse(w, status, answer)
	return status
}

func writeBusy(w http.ResponseWriter, id []byte, why string) {
	w.Header().Set("Retry-After", "1")
	writeJSON(w, http.StatusServiceUnavailable, appendFault(nil, id,
		&fault{code: mcp.INTERNAL_ERROR, message: "the server is busy: " + why}))
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	writeResponse(w, status, response{own: body})
}

func writeResponse(w http.ResponseWriter, status int, answer response) {
	header := w.Header()
	header["Content-Type"] = jsonType
	header["Content-Length"] = []string{strconv.Itoa(answer.len())}
	w.WriteHeader(status)
	for _, part := range [...][]byte{answer.own, answer.shared, answer.end} {
		if len(part) == 0 {
			continue
		}
		if _, err := w.Write(part); err != nil {
			return // the client is gone
		}
	}
}

// delegate hands a request over to mcp-go: env and body are nil unless it is a
// POST.
func (h *httpHandler) delegate(w http.ResponseWriter, r *http.Request, env *envelope, body []byte) {
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Time{}) // a server without deadlines may not support it
	_ = rc.SetWriteDeadline(time.Time{})
	patience := &patience{rc, h.opts.WriteTimeout}
	defer patience.begin() // what is left is written after the handler

	end := h.working
	if r.Method == http.MethodGet || env != nil && env.method == methodSubscriptionsListen {
		end = h.streaming
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(end, cancel)()

	if h.binding.observed() {
		start, sw := time.Now(), &statusWriter{ResponseWriter: w}
		if f, ok := w.(http.Flusher); ok {
			w = &flushingStatusWriter{sw, f}
		} else {
			w = sw
		}
		defer func() {
			c := &Call{Status: sw.status, Duration: time.Since(start)}
			if env != nil {
				c.Method, c.URI = env.method, env.params.uri.value
			}
			h.binding.observe(ctx, c)
		}()
	}

	r = r.WithContext(ctx)
	if env != nil {
		if env.method == notificationCancelled && env.id == nil {
			h.calls.cancel(r.Header.Get(mcp.HeaderSessionID), env.params.requestID)
		}
		body = foreignMessage(body, env)
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
	}
	dw := &delegateWriter{ResponseWriter: w, env: env, patience: patience}
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if v == http.ErrAbortHandler {
			panic(v)
		}
		cancel() // what mcp-go started for the call is to stop
		h.binding.log.ErrorContext(ctx, "handler panicked", "error", fmt.Sprintf("%v\n%s", v, debug.Stack()))
		if dw.wrote.Load() {
			panic(http.ErrAbortHandler) // a stream that cannot be ended properly
		}
		var id []byte
		if env != nil {
			id = env.id
		}
		writeJSON(w, http.StatusOK, appendFault(nil, id, &fault{code: mcp.INTERNAL_ERROR, message: "internal error"}))
	}()
	if f, ok := w.(http.Flusher); ok {
		h.next.ServeHTTP(&flushingWriter{dw, f}, r)
	} else {
		h.next.ServeHTTP(dw, r) // mcp-go then does not stream
	}
}

// A delegateWriter is what mcp-go writes to.
type delegateWriter struct {
	http.ResponseWriter
	env      *envelope // of the request, or nil
	patience *patience
	wrote    atomic.Bool
}

// patience is how long a client may take to make room for what is written to it.
// A stream has no deadline between what is written.
type patience struct {
	rc   *http.ResponseController
	time time.Duration
}

func (p *patience) begin() { _ = p.rc.SetWriteDeadline(time.Now().Add(p.time)) }
func (p *patience) end()   { _ = p.rc.SetWriteDeadline(time.Time{}) }

func (w *delegateWriter) WriteHeader(status int) {
	w.wrote.Store(true)
	if h := w.Header(); strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
		h.Set("X-Accel-Buffering", "no") // a proxy is not to keep events back
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *delegateWriter) Write(p []byte) (int, error) {
	w.wrote.Store(true)
	w.patience.begin()
	defer w.patience.end()
	if f := w.notFound(p); f != nil {
		if _, err := w.ResponseWriter.Write(appendFault(nil, w.env.id, f)); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// notFound returns the fault to write in the place of p, if p is mcp-go's
// response for an unknown resource. That is written at once.
func (w *delegateWriter) notFound(p []byte) *fault {
	if w.env == nil || w.env.method != methodResourcesRead || !bytes.Contains(p, []byte(server.ErrResourceNotFound.Error())) {
		return nil
	}
	var m struct{ Error *mcp.JSONRPCErrorDetails }
	if json.Unmarshal(p, &m) != nil || m.Error == nil {
		return nil
	}
	return unknownResource(w.env, m.Error)
}

// Unwrap serves [http.ResponseController].
func (w *delegateWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

type flushingWriter struct {
	*delegateWriter
	flusher http.Flusher
}

func (w *flushingWriter) Flush() {
	w.patience.begin()
	defer w.patience.end()
	w.flusher.Flush()
}
