package openapi

import (
	"encoding/json"
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/endpoint"
	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
)

// facts are what the guide says of one operation.
type facts struct {
	op     int32  // index into the generator's ops
	path   string // of its skill
	group  string
	method string
	call   string // "GET /pets", or the webhook's name
	effect string

	webhook              bool
	summary, description string
	deprecated           bool
	replacedBy           string // the call, if the operation names it

	security  []requirement // nil: nothing stated
	inherited bool
	servers   bool // its own

	problem    bool            // errors are application/problem+json
	errors     bool            // it describes errors
	statuses   map[string]bool // as keys
	retryAfter bool            // with 429
	headers    map[string]bool // of answers, lower case
	parameters map[string]bool // in headers, lower case
	query      []string        // names of the parameters there
	answer     outline         // of success
	links      []link
	callbacks  []string
}

// A requirement is one alternative of security: the names of its schemes.
type requirement []string

// A link is a Link object of an answer.
type link struct {
	name, status              string
	operationID, operationRef string
	parameters                map[string]string // name -> runtime expression
}

// A scanner collects facts. What several operations refer to it reads once.
type scanner struct {
	g          *Generator
	responses  map[ref]response
	parameters map[ref]parameter
	outlines   map[ref]outline
	root       []requirement // the document's security
	declared   bool          // the document has some

	item        string // pointer of the last path item
	itemServers bool   // it has its own
}

func newScanner(g *Generator) *scanner {
	s := &scanner{g: g, responses: map[ref]response{}, parameters: map[ref]parameter{}, outlines: map[ref]outline{}}
	if raw, ok := g.doc.At("/security"); ok {
		s.root, s.declared = requirements(raw), true
	}
	return s
}

// scan reads what the guide says of the operation at n.
func (s *scanner) scan(n int32) *facts {
	op := &s.g.ops[n]
	f := &facts{
		op: n, path: s.g.path(n), method: op.Method, call: op.Method + " " + address(op.Path), webhook: op.Webhook != "",
		statuses: map[string]bool{}, headers: map[string]bool{}, parameters: map[string]bool{},
	}
	f.group, _, _ = strings.Cut(f.path, "/")
	if f.webhook {
		f.call = address(op.Webhook)
	}
	f.effect, _ = endpoint.Effect(op.Method, op.Path, op.Webhook, op.OperationID)
	own, from := false, s.g.doc.Origin(op)
	members(s.g.doc.Raw(op), func(name string, v []byte) bool {
		switch name {
		case "summary":
			f.summary = s.g.words(v)
		case "description":
			f.description = s.g.words(v)
		case "deprecated":
			f.deprecated = string(v) == "true"
		case "x-replaced-by":
			id, ref := text(member(v, "operationId")), text(member(v, "operationRef"))
			if target, ok := s.g.target(id, ref); ok {
				f.replacedBy = target.Method + " " + target.Path
			}
		case "security":
			f.security, own = requirements(v), true
		case "servers", "schemes": // schemes are of Swagger 2.0
			f.servers = len(v) > 2
		case "parameters":
			elements(v, func(p []byte) bool {
				switch p := s.parameter(p, from); p.in {
				case "header":
					f.parameters[strings.ToLower(p.name)] = true
				case "query":
					f.query = append(f.query, p.name)
				}
				return true
			})
		case "responses":
			best, answer := "", response{}
			ordered(v, func(status string, raw []byte) bool {
				r := s.response(f, status, raw, from)
				if strings.HasPrefix(status, "2") && (best == "" || status < best) && r.schema != nil {
					best, answer = status, r
				}
				return true
			})
			f.answer = s.outline(answer.schema, answer.from)
		case "callbacks":
			ordered(v, func(name string, _ []byte) bool {
				f.callbacks = append(f.callbacks, name)
				return len(f.callbacks) < 100
			})
		}
		return true
	})
	if !own && !f.webhook && s.declared {
		f.security, f.inherited = s.root, true
	}
	if item := pathItem(op); item != s.item {
		s.item, s.itemServers = item, s.g.pathServers(op)
	}
	f.servers = (f.servers || s.itemServers) && !f.webhook
	return f
}

// pathItem returns the pointer of the path item that op is in.
func pathItem(op *ingest.Operation) string {
	return op.Pointer[:max(strings.LastIndexByte(op.Pointer, '/'), 0)]
}

// pathServers reports whether the path of op has servers of its own.
func (g *Generator) pathServers(op *ingest.Operation) bool {
	raw, ok := g.doc.At(pathItem(op) + "/servers")
	if !ok {
		raw, _ = g.doc.At(pathItem(op))
		raw, _ = g.resolve(raw, 0)
		raw = member(raw, "servers")
	}
	return len(raw) > 2 && op.Webhook == ""
}

// requirements reads a list of security requirements; it is not nil.
func requirements(raw []byte) []requirement {
	list := []requirement{}
	elements(raw, func(v []byte) bool {
		r := requirement{}
		ordered(v, func(name string, _ []byte) bool {
			r = append(r, name)
			return true
		})
		list = append(list, r)
		return len(list) < 100
	})
	return list
}

// A ref is a reference, and where it stands.
type ref struct {
	from ingest.Origin
	text string
}

// resolve follows $ref from raw, which stands in a file; it gives up after a few.
func (g *Generator) resolve(raw []byte, from ingest.Origin) ([]byte, ingest.Origin) {
	for range 8 {
		ref := text(member(raw, "$ref"))
		if ref == "" {
			return raw, from
		}
		var ok bool
		if raw, from, ok = g.doc.Resolve(from, ref); !ok {
			return nil, from
		}
	}
	return nil, from
}

// words returns a text that is prose, also where people put a reference in its
// place, if the skills carry any.
func (g *Generator) words(raw []byte) string {
	if g.prose == ProseNone {
		return ""
	}
	if len(raw) > 0 && raw[0] == '{' {
		raw, _ = g.resolve(raw, 0)
	}
	return text(raw)
}

// A parameter is its place and name.
type parameter struct{ in, name string }

func (s *scanner) parameter(raw []byte, from ingest.Origin) parameter {
	key := ref{from, text(member(raw, "$ref"))}
	if key.text != "" {
		if p, ok := s.parameters[key]; ok {
			return p
		}
		raw, _ = s.g.resolve(raw, from)
	}
	p := parameter{text(member(raw, "in")), text(member(raw, "name"))}
	if key.text != "" {
		s.parameters[key] = p
	}
	return p
}

// A response is what the guide says of one answer.
type response struct {
	problem bool
	headers []string // lower case
	links   []link
	schema  []byte // of its JSON body, or nil
	from    ingest.Origin
}

func (s *scanner) response(f *facts, status string, raw []byte, from ingest.Origin) response {
	if strings.HasPrefix(status, "x-") {
		return response{}
	}
	key := ref{from, text(member(raw, "$ref"))}
	r, known := s.responses[key]
	if key.text == "" || !known {
		r = s.readResponse(s.g.resolve(raw, from))
		if key.text != "" {
			s.responses[key] = r
		}
	}
	f.statuses[status] = true
	if status[:min(1, len(status))] >= "4" {
		f.errors = true
		f.problem = f.problem || r.problem
	}
	for _, h := range r.headers {
		f.headers[h] = true
		if status == "429" && h == "retry-after" {
			f.retryAfter = true
		}
	}
	for _, l := range r.links {
		l.status = status
		f.links = append(f.links, l)
	}
	return r
}

func (s *scanner) readResponse(raw []byte, from ingest.Origin) (r response) {
	r.from = from
	members(raw, func(name string, v []byte) bool {
		switch name {
		case "schema": // of Swagger 2.0
			r.schema = v
		case "content":
			ordered(v, func(mediaType string, media []byte) bool {
				if r.schema == nil && strings.Contains(strings.ToLower(mediaType), "json") {
					r.schema = member(media, "schema")
				}
				r.problem = r.problem || strings.HasPrefix(strings.ToLower(mediaType), "application/problem+json")
				return true
			})
		case "headers":
			members(v, func(name string, _ []byte) bool {
				r.headers = append(r.headers, strings.ToLower(name))
				return true
			})
		case "links":
			ordered(v, func(name string, v []byte) bool {
				v, _ = s.g.resolve(v, from)
				if l := s.readLink(name, v); l.parameters != nil {
					r.links = append(r.links, l)
				}
				return len(r.links) < 50
			})
		}
		return true
	})
	return r
}

func (s *scanner) readLink(name string, raw []byte) link {
	l := link{name: name}
	members(raw, func(key string, v []byte) bool {
		switch key {
		case "operationId":
			l.operationID = text(v)
		case "operationRef":
			l.operationRef = text(v)
		case "parameters":
			ordered(v, func(name string, v []byte) bool {
				if e := text(v); strings.HasPrefix(e, "$") {
					if l.parameters == nil {
						l.parameters = map[string]string{}
					}
					l.parameters[name] = e
				}
				return len(l.parameters) < 20
			})
		}
		return true
	})
	return l
}

// place says in words where the value of a runtime expression stands.
func place(expression string) (string, bool) {
	if ptr, ok := strings.CutPrefix(expression, "$response.body#"); ok {
		tokens := strings.Split(ptr, "/")
		for i, t := range tokens { // which item of an array was an example
			if t != "" && strings.Trim(t, "0123456789") == "" {
				tokens[i] = "*"
			}
		}
		return strings.Join(tokens, "/"), true
	}
	if h, ok := strings.CutPrefix(expression, "$response.header."); ok {
		return "header " + h, true
	}
	return "", false
}

// A scheme is a security scheme.
type scheme struct {
	name             string
	Type             string `json:"type"`
	Scheme           string `json:"scheme"`
	In               string `json:"in"`
	Name             string `json:"name"`
	Description      string `json:"description"`
	OpenIDConnectURL string `json:"openIdConnectUrl"`
	AuthType         string `json:"x-amazon-apigateway-authtype"`
	Flows            flows  `json:"flows"`
}

type flows struct {
	AuthorizationCode, ClientCredentials, DeviceAuthorization, Implicit, Password *flow
}

type flow struct {
	AuthorizationURL       string            `json:"authorizationUrl"`
	TokenURL               string            `json:"tokenUrl"`
	DeviceAuthorizationURL string            `json:"deviceAuthorizationUrl"`
	Scopes                 map[string]string `json:"scopes"`
}

// schemes returns the document's security schemes by name.
func (g *Generator) schemes() []scheme {
	var list []scheme
	raw, _ := g.doc.At("/components/securitySchemes")
	ordered(raw, func(name string, v []byte) bool {
		s := scheme{}
		// What does not fit its field is left out: the rest is worth having.
		v, _ = g.resolve(v, 0)
		_ = json.Unmarshal(v, &s)
		s.name, s.Description = name, g.words(member(v, "description"))
		s.Flows.forget(g.prose)
		list = append(list, s)
		return len(list) < 1000
	})
	return list
}
