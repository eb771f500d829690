package skillsmcp

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// An envelope is what routing and the owned methods need of a JSON-RPC
// message, taken from its bytes in one pass. The byte slices alias the message.
type envelope struct {
	version string // "jsonrpc"
	method  string
	id      []byte // nil if absent or null
	result  []byte // nil if absent or null
	fault   []byte // "error"; nil if absent or null
	params  params
}

// params are the members of "params" that somebody reads.
type params struct {
	kind      valueKind
	uri       text
	cursor    text
	requestID []byte // of notifications/cancelled; nil if absent or null
	// What completion/complete is about; nil if absent or null.
	ref, argument, context []byte

	// meta is what _meta is; the keys in it are those that protocol version
	// 2026-07-28 puts on each request.
	meta            valueKind
	protocolVersion text
	capabilities    []byte // clientCapabilities; nil if absent or null
}

// text is a member that should be a string. Where kind is kindString, raw is
// its literal, quotes included, and pos where that begins in the message.
type text struct {
	kind  valueKind
	value string
	raw   []byte
	pos   int
}

// missing reports whether the member is absent or null.
func (t text) missing() bool { return t.kind == kindAbsent || t.kind == kindNull }

type valueKind uint8

const (
	kindAbsent valueKind = iota
	kindNull
	kindString
	kindObject
	kindOther
)

// maxDepth is the nesting at which encoding/json, and with it mcp-go, gives up.
const maxDepth = 10_000

// decodeEnvelope reads one JSON-RPC message. It reports false where data is not
// a JSON object, and where it is one that JSON readers may understand
// differently: a member this package reads is there twice, or its name is
// spelled in another case, which encoding/json would accept. Such a message is
// none that an owned method answers; mcp-go has the word on it.
func decodeEnvelope(data []byte) (env envelope, ok bool) {
	s := scanner{data: data}
	s.space()
	ok = s.object(func(key []byte) bool {
		switch string(key) {
		case "jsonrpc":
			var t text
			ok := s.text(&t, 1)
			env.version = t.value
			return ok && t.kind == kindString
		case "method":
			var t text
			ok := s.text(&t, 1)
			env.method = t.value
			return ok && t.kind == kindString
		case "id":
			return s.raw(&env.id, 1)
		case "result":
			return s.raw(&env.result, 1)
		case "error":
			return s.raw(&env.fault, 1)
		case "params":
			return s.params(&env.params)
		}
		return !foldsTo(key, envelopeNames) && s.value(1)
	}, envelopeNames)
	if !ok {
		return envelope{}, false
	}
	s.space()
	return env, s.pos == len(data)
}

var (
	envelopeNames = []string{"jsonrpc", "method", "id", "result", "error", "params"}
	paramNames    = []string{"uri", "cursor", "requestId", "_meta", "ref", "argument", "context"}
	metaNames     = []string{metaProtocolVersion, metaClientCapabilities}
)

func (s *scanner) params(p *params) bool {
	if p.kind = s.kind(); p.kind != kindObject {
		return s.value(1)
	}
	return s.object(func(key []byte) bool {
		switch string(key) {
		case "uri":
			return s.text(&p.uri, 2)
		case "cursor":
			return s.text(&p.cursor, 2)
		case "requestId":
			return s.raw(&p.requestID, 2)
		case "ref":
			return s.raw(&p.ref, 2)
		case "argument":
			return s.raw(&p.argument, 2)
		case "context":
			return s.raw(&p.context, 2)
		case "_meta":
			if p.meta = s.kind(); p.meta != kindObject {
				return s.value(2)
			}
			return s.object(func(key []byte) bool {
				switch string(key) {
				case metaProtocolVersion:
					return s.text(&p.protocolVersion, 3)
				case metaClientCapabilities:
					return s.raw(&p.capabilities, 3)
				}
				return s.value(3)
			}, metaNames)
		}
		return !foldsTo(key, paramNames) && s.value(2)
	}, paramNames)
}

// foldsTo reports whether key is one of names to a reader that ignores case.
func foldsTo(key []byte, names []string) bool {
	for _, name := range names {
		if strings.EqualFold(string(key), name) {
			return true
		}
	}
	return false
}

// A scanner reads JSON text and checks it as encoding/json does. Its methods
// report false on a syntax error.
type scanner struct {
	data []byte
	pos  int
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *scanner) skip(c byte) bool {
	if s.peek() == c {
		s.pos++
		return true
	}
	return false
}

// kind classifies the value that comes next.
func (s *scanner) kind() valueKind {
	switch s.peek() {
	case 'n':
		return kindNull
	case '"':
		return kindString
	case '{':
		return kindObject
	}
	return kindOther
}

// object reads an object and calls member for each key, with the scanner at the
// value. It fails where one of once comes a second time.
func (s *scanner) object(member func(key []byte) bool, once []string) bool {
	if !s.skip('{') {
		return false
	}
	var seen uint
	s.space()
	if s.skip('}') {
		return true
	}
	for {
		literal, ok := s.literal()
		if !ok {
			return false
		}
		key := unquote(literal)
		for i, name := range once {
			if string(key) == name {
				if seen&(1<<i) != 0 {
					return false
				}
				seen |= 1 << i
			}
		}
		s.space()
		if !s.skip(':') {
			return false
		}
		s.space()
		if !member(key) {
			return false
		}
		s.space()
		if s.skip('}') {
			return true
		}
		if !s.skip(',') {
			return false
		}
		s.space()
	}
}

// text reads a value that should be a string.
func (s *scanner) text(t *text, depth int) bool {
	if t.kind = s.kind(); t.kind != kindString {
		return s.value(depth)
	}
	t.pos = s.pos
	var ok bool
	if t.raw, ok = s.literal(); ok {
		t.value = intern(unquote(t.raw))
	}
	return ok
}

// raw reads any value and keeps its bytes, unless it is null.
func (s *scanner) raw(to *[]byte, depth int) bool {
	start, null := s.pos, s.kind() == kindNull
	if !s.value(depth) {
		return false
	}
	if !null {
		*to = s.data[start:s.pos:s.pos]
	}
	return true
}

// value passes over one value inside depth objects and arrays.
func (s *scanner) value(depth int) bool {
	switch c := s.peek(); c {
	case '"':
		_, ok := s.literal()
		return ok
	case '{', '[':
		if depth >= maxDepth {
			return false
		}
		return s.composite(c, depth+1)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

func (s *scanner) composite(open byte, depth int) bool {
	end := byte(']')
	if open == '{' {
		end = '}'
	}
	s.pos++
	s.space()
	if s.skip(end) {
		return true
	}
	for {
		if open == '{' {
			if _, ok := s.literal(); !ok {
				return false
			}
			s.space()
			if !s.skip(':') {
				return false
			}
			s.space()
		}
		if !s.value(depth) {
			return false
		}
		s.space()
		if s.skip(end) {
			return true
		}
		if !s.skip(',') {
			return false
		}
		s.space()
	}
}

func (s *scanner) word(w string) bool {
	if len(s.data)-s.pos < len(w) || string(s.data[s.pos:s.pos+len(w)]) != w {
		return false
	}
	s.pos += len(w)
	return true
}

func (s *scanner) number() bool {
	s.skip('-')
	if !s.skip('0') && !s.digits() {
		return false
	}
	if s.skip('.') && !s.digits() {
		return false
	}
	if s.skip('e') || s.skip('E') {
		if !s.skip('+') {
			s.skip('-')
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	start := s.pos
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.pos++
	}
	return s.pos > start
}

// literal reads a string and returns it with its quotes.
func (s *scanner) literal() ([]byte, bool) {
	start := s.pos
	if !s.skip('"') {
		return nil, false
	}
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		s.pos++
		switch {
		case c == '"':
			return s.data[start:s.pos:s.pos], true
		case c < ' ':
			return nil, false
		case c == '\\':
			if !s.escape() {
				return nil, false
			}
		}
	}
	return nil, false
}

func (s *scanner) escape() bool {
	c := s.peek()
	s.pos++
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		if len(s.data)-s.pos < 4 {
			return false
		}
		for _, c := range s.data[s.pos : s.pos+4] {
			if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
				return false
			}
		}
		s.pos += 4
		return true
	}
	return false
}

// unquote returns the value of a valid string literal, of which it may be a
// part. As encoding/json does, it replaces what is not UTF-8.
func unquote(literal []byte) []byte {
	body := literal[1 : len(literal)-1]
	for _, c := range body {
		if c == '\\' || c >= utf8.RuneSelf {
			var v string
			_ = json.Unmarshal(literal, &v) // the literal is valid
			return []byte(v)
		}
	}
	return body
}

// intern returns b as a string, without a copy where it is one that each
// message has.
func intern(b []byte) string {
	switch string(b) {
	case mcp.JSONRPC_VERSION:
		return mcp.JSONRPC_VERSION
	case mcp.ProtocolVersion20260728:
		return mcp.ProtocolVersion20260728
	case methodSkillsGet:
		return methodSkillsGet
	case methodSkillsList:
		return methodSkillsList
	case methodResourcesRead:
		return methodResourcesRead
	}
	return string(b)
}
