package skillsmcp

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/tracing"
)

// A Call is a request or notification that was answered, for Options.OnCall.
type Call struct {
	// Method is the JSON-RPC method as the client wrote it, "" for a message that
	// has none and for the HTTP methods GET and DELETE: any string.
	Method string
	// URI is params.uri, as the client wrote it, "" if there is none.
	URI string
	// Owned reports whether this package answered, and not mcp-go.
	Owned bool
	// Code is the code of the JSON-RPC error that an owned call was answered
	// with, 0 if it was answered with a result.
	Code int
	// Status is the status of the HTTP response, 0 on stdio.
	Status int
	// Bytes is the length of the response to an owned call.
	Bytes int
	// Duration is the time from the decoded message to the response; for a
	// stream it is the time that it was open.
	Duration time.Duration
}

// observed reports whether somebody wants to know of calls.
func (b *Binding) observed() bool { return b.opts.OnCall != nil }

func (b *Binding) observe(ctx context.Context, c *Call) {
	defer func() {
		if v := recover(); v != nil {
			b.log.ErrorContext(ctx, "OnCall panicked", "error", v)
		}
	}()
	b.opts.OnCall(ctx, c)
}

// span starts a span for an owned call as mcp-go does for its own, and returns
// what ends it. The headers are nil on stdio.
func (b *Binding) span(ctx context.Context, req *request, headers http.Header) (context.Context, func(f *fault)) {
	if b.opts.Tracer == nil {
		return ctx, func(*fault) {}
	}
	if p := b.opts.MetaPropagator; p != nil {
		var message struct {
			Params struct {
				Meta *mcp.Meta `json:"_meta"`
			}
		}
		if json.Unmarshal(req.message, &message) == nil {
			ctx = p.ExtractMeta(ctx, message.Params.Meta)
		}
	}
	if p := b.opts.Propagator; p != nil && headers != nil {
		ctx = p.Extract(ctx, headers)
	}
	attributes := []tracing.Attribute{tracing.String("mcp.method", req.method)}
	if id := headers.Get(mcp.HeaderSessionID); id != "" {
		attributes = append(attributes, tracing.String("mcp.session.id", id))
	}
	if v := headers.Get(mcp.HeaderProtocolVersion); v != "" {
		attributes = append(attributes, tracing.String("mcp.protocol.version", v))
	}
	ctx, span := b.opts.Tracer.Start(ctx, "mcp."+req.method, tracing.SpanKindServer, attributes...)
	return ctx, func(f *fault) {
		if f != nil {
			span.SetStatus(tracing.StatusError, f.message)
		}
		span.End()
	}
}

// tracing returns the options that have mcp-go trace its own calls alike.
func (o *Options) tracing() []server.ServerOption {
	var options []server.ServerOption
	if o.Tracer != nil {
		options = append(options, server.WithTracer(o.Tracer))
	}
	if o.Propagator != nil {
		options = append(options, server.WithPropagator(o.Propagator))
	}
	if o.MetaPropagator != nil {
		options = append(options, server.WithMetaPropagator(o.MetaPropagator))
	}
	return options
}

// A statusWriter remembers the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap serves [http.ResponseController].
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// flushingStatusWriter is for a ResponseWriter that is an http.Flusher.
type flushingStatusWriter struct {
	*statusWriter
	flusher http.Flusher
}

func (w *flushingStatusWriter) Flush() { w.flusher.Flush() }
