package skillsmcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// maxWaiting bounds the answers that are made at once, beside those to
	// requests: to pings, and that the server is busy. Beyond it nothing more
	// is read until the client has read some.
	maxWaiting = 64
	// noTimeout is the time that calls of mcp-go's have.
	noTimeout = 100 * 365 * 24 * time.Hour
	// maxHeldBytes bounds the messages that are being answered, in bytes.
	maxHeldBytes = 64 << 20
)

// ServeStdio serves one client that writes a message a line to in and reads a
// message a line from out. It returns when in ends or ctx is done, within five
// seconds: calls in progress are still answered, and those that are not done
// after four are cancelled. The error is nil unless in or out failed. A read
// from in that is blocked when ctx is done is left behind.
//
// Reading never waits for a call. Up to Options.MaxInFlight requests are
// answered at once; beyond that a request is refused as busy, while pings and
// cancellations get through. A line longer than Options.MaxBody is answered
// with an error and skipped.
func (b *Binding) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	s := &stdio{
		binding: b,
		out:     &lineWriter{w: out},
		ending:  ctx.Done(),
		gate:    newGate(),
		slots:   make(chan struct{}, b.opts.MaxInFlight),
		waiting: make(chan struct{}, maxWaiting),
	}
	s.session = newStdioSession(s.out)

	// Calls outlive ctx, by the time that they have to be answered.
	working, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	streaming, stopStreams := context.WithCancel(working)
	defer stopStreams()
	if err := b.mcp.RegisterSession(working, s.session); err != nil {
		return fmt.Errorf("register the stdio session: %w", err)
	}
	defer b.mcp.UnregisterSession(working, s.session.SessionID())
	s.working = b.mcp.WithContext(working, s.session)
	s.streaming = b.mcp.WithContext(streaming, s.session)

	go s.session.notify(working)
	err := s.read(ctx, in)

	s.gate.close()
	stopStreams()
	select {
	case <-s.gate.idle:
	case <-time.After(finishTime):
	}
	stopWork()
	end := time.After(drainTime - finishTime)
	for _, done := range []<-chan struct{}{s.gate.idle, s.session.ended} {
		select {
		case <-done:
		case <-end:
			b.log.Warn("calls in progress were left behind, or the client does not read")
			return errors.Join(err, s.out.failure())
		}
	}
	return errors.Join(err, s.out.failure())
}

type stdio struct {
	binding *Binding
	session *stdioSession
	out     *lineWriter

	ending    <-chan struct{} // closed when nothing more is to be read
	working   context.Context // of calls
	streaming context.Context // of subscriptions/listen
	calls     inflight
	gate      *gate
	slots     chan struct{} // one for each request that is being answered
	waiting   chan struct{} // one for each other answer
	held      atomic.Int64  // bytes of messages that are being answered
}

// read takes messages until in ends, out fails or ctx is done.
func (s *stdio) read(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := newLineReader(in, s.binding.opts.MaxBody)
	type result struct {
		line []byte
		err  error
	}
	results := make(chan result)
	go func() {
		for {
			line, err := lines.next()
			select {
			case results <- result{line, err}:
			case <-ctx.Done():
				return
			}
			if err != nil && err != errLineTooLong {
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case r := <-results:
			switch {
			case r.err == errLineTooLong:
				f := &fault{code: mcp.INVALID_REQUEST, message: fmt.Sprintf("the message is longer than %d bytes", s.binding.opts.MaxBody)}
				s.reply(func() []byte { return appendFault(nil, nil, f) })
			case r.err == io.EOF:
				return nil
			case r.err != nil:
				return fmt.Errorf("read messages: %w", r.err)
			case s.out.failure() != nil:
				return nil // reported by the caller
			case len(bytes.TrimSpace(r.line)) > 0:
				s.take(r.line)
			}
		}
	}
}

// take handles one message. It does not wait for what the message asks for.
func (s *stdio) take(line []byte) {
	env, ok := decodeEnvelope(line)
	switch {
	case ok && env.method == "" && env.id != nil && (env.result != nil || env.fault != nil):
		s.session.take(&env)
	case ok && env.id == nil && env.method == notificationCancelled:
		s.calls.cancel("", env.params.requestID)
	case ok && env.id != nil && env.method == string(mcp.MethodPing):
		s.reply(func() []byte { return s.delegate(s.working, &env, line) })
	default:
		s.work(&env, line)
	}
}

// reply makes and writes an answer that does not count as a request in
// progress.
func (s *stdio) reply(answer func() []byte) {
	select {
	case s.waiting <- struct{}{}:
	case <-s.ending:
		return
	}
	s.gate.enter()
	go func() {
		defer s.gate.leave()
		defer func() { <-s.waiting }()
		s.out.write(answer())
	}()
}

// acquire makes room for a message of size bytes, if there is any.
func (s *stdio) acquire(size int64) bool {
	select {
	case s.slots <- struct{}{}:
	default:
		return false
	}
	if held := s.held.Add(size); held > maxHeldBytes && held > size {
		s.release(size)
		return false
	}
	return true
}

func (s *stdio) release(size int64) {
	s.held.Add(-size)
	<-s.slots
}

// work starts a request or notification, if there is room for it.
func (s *stdio) work(env *envelope, line []byte) {
	size := int64(len(line))
	if !s.acquire(size) {
		s.busy(env)
		return
	}
	owned := s.binding.owns(env) && (!env.modern() || validModern(env))
	parent, timeout := s.working, noTimeout
	if owned {
		timeout = s.binding.opts.Timeout
	} else if env.method == methodSubscriptionsListen {
		parent = s.streaming
	}
	call := newCallContext(parent, s.working, time.Now(), timeout)
	done := func() {}
	if env.id != nil {
		done = s.calls.add("", env.id, call)
	}
	s.gate.enter()
	go func() {
		defer s.gate.leave()
		defer s.release(size)
		defer call.cancel()
		defer done()
		if owned {
			s.out.write(s.answer(call, env, line))
			return
		}
		start := time.Now()
		response := s.delegate(call, env, line)
		if s.binding.observed() {
			s.binding.observe(call, &Call{Method: env.method, URI: env.params.uri.value, Duration: time.Since(start)})
		}
		s.out.write(response)
	}()
}

func (s *stdio) busy(env *envelope) {
	if env.id == nil {
		s.binding.log.Warn("a notification was dropped: too many requests are in progress", "method", env.method)
		return
	}
	id := bytes.Clone(env.id)
	s.reply(func() []byte {
		return appendFault(nil, id, &fault{code: mcp.INTERNAL_ERROR, message: "the server is busy: too many requests are in progress"})
	})
}

// validModern reports whether mcp-go would hand a modern request over to its
// method. Where it would not, it is to say why.
func validModern(env *envelope) bool {
	return mcp.IsValidProtocolVersion(env.params.protocolVersion.value) && validCapabilities(env.params.capabilities)
}

// answer returns the response to an owned request, or nil if it was cancelled.
func (s *stdio) answer(call *callContext, env *envelope, line []byte) []byte {
	req := &request{envelope: env, modern: env.modern(), message: line}
	start := time.Now()
	answer, code := s.binding.answer(call, req, nil, nil)
	if s.binding.observed() {
		s.binding.observe(call, &Call{
			Method: env.method, URI: env.params.uri.value, Owned: true, Code: code, Bytes: answer.len(), Duration: time.Since(start),
		})
	}
	if call.wasCanceled() {
		return nil
	}
	return answer.whole()
}

// delegate lets mcp-go handle a message and returns its response, if any.
func (s *stdio) delegate(ctx context.Context, env *envelope, line []byte) (response []byte) {
	defer func() {
		if v := recover(); v != nil {
			s.binding.log.ErrorContext(ctx, "handler panicked", "method", env.method, "error", fmt.Sprintf("%v\n%s", v, debug.Stack()))
			if response = nil; env.id != nil {
				response = appendFault(nil, env.id, &fault{code: mcp.INTERNAL_ERROR, message: "internal error"})
			}
		}
	}()
	if env.method == methodSubscriptionsListen && env.id != nil {
		listen := &listenSession{stdioSession: s.session}
		_ = json.Unmarshal(env.id, &listen.id) // valid
		ctx = s.binding.mcp.WithContext(ctx, listen)
	}
	message := s.binding.mcp.HandleMessage(ctx, foreignMessage(line, env))
	if message == nil {
		return nil
	}
	if e, ok := message.(mcp.JSONRPCError); ok && env.method == methodResourcesRead {
		if f := unknownResource(env, &e.Error); f != nil {
			return appendFault(nil, env.id, f)
		}
	}
	response, err := json.Marshal(message)
	if err != nil {
		s.binding.log.ErrorContext(ctx, "a response cannot be encoded", "method", env.method, "error", err)
		return appendFault(nil, env.id, &fault{code: mcp.INTERNAL_ERROR, message: "internal error"})
	}
	s.session.flush() // what the call notified comes before its response
	return response
}

// A lineWriter writes one message a line. It is safe for concurrent use, and
// after a failure it writes no more.
type lineWriter struct {
	mu  sync.Mutex // held while writing
	w   io.Writer
	err atomic.Pointer[error]
}

// write writes a message, unless it is empty.
func (w *lineWriter) write(message []byte) {
	if len(message) == 0 {
		return
	}
	message = append(message, '\n')
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure() != nil {
		return
	}
	if _, err := w.w.Write(message); err != nil {
		err = fmt.Errorf("write messages: %w", err)
		w.err.Store(&err)
	}
}

func (w *lineWriter) writeJSON(message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	w.write(data)
	return w.failure()
}

// failure returns the error that ended writing, if any. It does not wait for a
// write.
func (w *lineWriter) failure() error {
	if err := w.err.Load(); err != nil {
		return *err
	}
	return nil
}

// A lineReader reads lines up to a length.
type lineReader struct {
	r     *bufio.Reader
	limit int64
}

var errLineTooLong = errors.New("line too long")

func newLineReader(r io.Reader, limit int64) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, 64<<10), limit}
}

// next returns the next line, which the caller may keep, without its end. A
// line over the limit is read to its end, and the error is errLineTooLong. A
// last line without an end is one too.
func (l *lineReader) next() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := l.r.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
			if n := len(bytes.TrimRight(line, "\r\n")); int64(n) > l.limit {
				tooLong, line = true, nil
			}
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case tooLong:
			return nil, errLineTooLong // an error of the reader comes again
		case err == io.EOF && len(line) > 0, err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		}
		return nil, err
	}
}
