package skillsmcp

import (
	"encoding/base64"
	"strconv"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/apiskills/apiskills/framework"
)

// Results are written by hand, member by member, around bytes that are JSON
// already. A pass of encoding/json over a page of entries costs a hundred times
// as much.

// uncacheable in the place of a ttlMs marks the result of a method for which the
// protocol has no such hint.
const uncacheable = -1

// appendResult appends a response with the result that body appends: one or
// more members without the braces around them.
func (b *Binding) appendResult(buf []byte, req *request, freshness int64, body func([]byte) []byte) []byte {
	return append(body(b.appendBegin(buf, req, freshness)), "}}"...)
}

// responseEnd closes a response whose result is closed already.
var responseEnd = []byte("}")

// appendBegin appends a response up to the members of its result. In the modern
// era it adds what that asks of each result; freshness is its ttlMs. That comes
// first, so that the object that what can be long is kept as closes the result.
func (b *Binding) appendBegin(buf []byte, req *request, freshness int64) []byte {
	buf = appendHead(buf, req.id)
	buf = append(buf, `"result":{`...)
	if !req.modern {
		return buf
	}
	buf = append(buf, `"resultType":"complete",`...)
	if freshness != uncacheable {
		buf = append(buf, `"ttlMs":`...)
		buf = strconv.AppendInt(buf, freshness, 10)
		buf = append(buf, `,"cacheScope":`...)
		buf = appendString(buf, string(b.opts.CacheScope))
		buf = append(buf, ',')
	}
	if len(b.serverInfo) > 0 {
		buf = append(buf, `"_meta":{"`+mcp.MetaKeyServerInfo+`":`...)
		buf = append(buf, b.serverInfo...)
		buf = append(buf, "},"...)
	}
	return buf
}

// A response is bytes to write one after the other: what was made for the call,
// what may be kept for many calls and must not be changed, and what closes that.
type response struct{ own, shared, end []byte }

func (r response) len() int { return len(r.own) + len(r.shared) + len(r.end) }

// whole returns the bytes in one piece.
func (r response) whole() []byte { return append(append(r.own, r.shared...), r.end...) }

func appendFault(buf, id []byte, f *fault) []byte {
	buf = appendHead(buf, id)
	buf = append(buf, `"error":{"code":`...)
	buf = strconv.AppendInt(buf, int64(f.code), 10)
	buf = append(buf, `,"message":`...)
	buf = appendString(buf, f.message)
	if f.uri != "" {
		buf = append(buf, `,"data":{"uri":`...)
		buf = appendString(buf, f.uri)
		buf = append(buf, '}')
	}
	return append(buf, "}}"...)
}

func appendHead(buf, id []byte) []byte {
	buf = append(buf, `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		buf = append(buf, "null"...)
	} else {
		buf = append(buf, id...)
	}
	return append(buf, ',')
}

func appendResources(buf []byte, page *framework.ResourcePage, next string) []byte {
	buf = append(buf, `"resources":[`...)
	for i := range page.Resources {
		r := &page.Resources[i]
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, `{"uri":`...)
		buf = appendString(buf, r.URI)
		buf = append(buf, `,"name":`...)
		buf = appendString(buf, r.Name)
		if r.Description != "" {
			buf = append(buf, `,"description":`...)
			buf = appendString(buf, r.Description)
		}
		if r.MIMEType != "" {
			buf = append(buf, `,"mimeType":`...)
			buf = appendString(buf, r.MIMEType)
		}
		if r.Size >= 0 {
			buf = append(buf, `,"size":`...)
			buf = strconv.AppendInt(buf, r.Size, 10)
		}
		buf = append(buf, '}')
	}
	buf = append(buf, ']')
	return appendCursor(buf, next)
}

func appendCursor(buf []byte, next string) []byte {
	if next == "" {
		return buf
	}
	buf = append(buf, `,"nextCursor":`...)
	return appendString(buf, next)
}

// appendContents appends the content under the literal of the URI that was
// asked for. What is not UTF-8 cannot be text and goes out as a blob.
func appendContents(buf, uri []byte, c *framework.Content) []byte {
	buf = append(buf, `"contents":[{"uri":`...)
	buf = append(buf, uri...)
	if c.MIMEType != "" {
		buf = append(buf, `,"mimeType":`...)
		buf = appendString(buf, c.MIMEType)
	}
	if utf8.Valid(c.Bytes) {
		buf = append(buf, `,"text":`...)
		buf = appendString(buf, c.Bytes)
	} else {
		buf = append(buf, `,"blob":"`...)
		buf = base64.StdEncoding.AppendEncode(buf, c.Bytes)
		buf = append(buf, '"')
	}
	return append(buf, "}]"...)
}

// appendString appends s, which is UTF-8, as a JSON string. Nothing more is
// escaped than JSON demands.
func appendString[T string | []byte](buf []byte, s T) []byte {
	const hex = "0123456789abcdef"
	buf = append(buf, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if plain[c] {
			continue
		}
		buf = append(buf, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			buf = append(buf, '\\', c)
		case '\n':
			buf = append(buf, '\\', 'n')
		case '\r':
			buf = append(buf, '\\', 'r')
		case '\t':
			buf = append(buf, '\\', 't')
		default:
			buf = append(buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	buf = append(buf, s[start:]...)
	return append(buf, '"')
}

// plain has the bytes that stand for themselves in a JSON string.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return t
}()
