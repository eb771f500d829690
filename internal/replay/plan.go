package replay

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// A plan is a command made ready to run against another host.
type plan struct {
	text    string
	env     map[string]string
	servers []server          // those that the command's host is one of
	markers map[string]string // credentials: the marker of each variable
}

// A server is where requests may go.
type server struct {
	authority *regexp.Regexp // scheme and host; nil if the document gives none
	base      string         // pattern of the path before the template
}

const mark = "\x01"

// literal returns a pattern for a text of a URL: each character as it is or
// percent-encoded.
func literal(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			b.WriteString("(?i:" + s[i:i+3] + ")")
			i += 2
			continue
		}
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '/' {
			b.WriteByte(c)
			continue
		}
		if c < 0x80 {
			fmt.Fprintf(&b, "(?:%s|(?i:%%%02x))", regexp.QuoteMeta(string(c)), c)
		} else {
			fmt.Fprintf(&b, "(?i:%%%02x)", c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// known returns the servers of the operation as patterns. Relative ones are
// resolved against the URL that the user gave, if any.
func (o *operation) known(given string) []server {
	var out []server
	for _, s := range o.servers() {
		if s == nil {
			continue
		}
		raw := strings.TrimSpace(s.URL)
		if i := strings.IndexAny(raw, "?#"); i >= 0 {
			raw = raw[:i]
		}
		raw = regexp.MustCompile(`^((?i:https?:)?//)[^/]*@`).ReplaceAllString(raw, "$1")
		raws := []string{raw}
		switch {
		case strings.HasPrefix(raw, "//"):
			raws = []string{"https:" + raw, "http:" + raw}
		case strings.HasPrefix(raw, "{") || regexp.MustCompile(`^(?i)https?://`).MatchString(raw):
		default:
			base := &url.URL{Scheme: "https", Host: "relative.invalid", Path: "/"}
			if u, err := url.Parse(given); err == nil && u.Host != "" {
				base = u
			}
			if u, err := base.Parse(raw); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
				raws = []string{u.String()}
				if given != "" && (raw == "" || raw == "/") {
					raws = append(raws, given)
				}
			} else {
				raws = []string{base.String()}
			}
		}
		for _, raw := range raws {
			for _, raw := range expansions(raw, s.Variables) {
				out = append(out, pattern(raw))
			}
		}
	}
	return out
}

// expansions replaces the variables of a server's URL by each of their values.
// One without any stays.
func expansions(raw string, variables map[string]*openapi3.ServerVariable) []string {
	all := []string{raw}
	for name, v := range variables {
		if v == nil || !strings.Contains(raw, "{"+name+"}") {
			continue
		}
		var next []string
		for _, value := range append([]string{v.Default}, v.Enum...) {
			if value == "" || slices.Contains(next, value) {
				continue
			}
			for _, s := range all {
				if s = strings.ReplaceAll(s, "{"+name+"}", value); !slices.Contains(next, s) {
					next = append(next, s)
				}
			}
		}
		if len(next) > 0 && len(next) <= 1000 {
			all = next
		}
	}
	return all
}

// pattern returns a server of a URL, in which placeholders stand for anything
// without a slash, or for anything at all where the scheme may be part of it.
func pattern(raw string) server {
	if rest, ok := strings.CutSuffix(raw, "://"); ok && strings.HasPrefix(strings.ToLower(rest), "http") {
		raw = "https://relative.invalid" // a scheme alone says no more than nothing
	}
	raw = strings.TrimRight(raw, "/")
	all := func(s string) string {
		var b strings.Builder
		at := 0
		for _, m := range placeholder.FindAllStringIndex(s, -1) {
			b.WriteString(literal(s[at:m[0]]))
			if m[0] == 0 && strings.HasPrefix(raw, s[m[0]:m[1]]) {
				b.WriteString(".*")
			} else {
				b.WriteString("[^/]*")
			}
			at = m[1]
		}
		b.WriteString(literal(s[at:]))
		return b.String()
	}
	from, end := 0, len(raw)
	if i := strings.Index(raw, "://"); i >= 0 {
		from = i + 3
	}
	if i := strings.IndexByte(raw[from:], '/'); i >= 0 {
		end = from + i
	}
	s := server{base: all(raw[end:])}
	if raw[:end] != "https://relative.invalid" {
		s.authority = regexp.MustCompile("(?i)^" + all(raw[:end]) + "$")
	}
	return s
}

// template returns the pattern of the operation's path, the names of its
// parameters in their order, and the query that is part of the template.
func (o *operation) template() (string, []string, string) {
	path, _, _ := strings.Cut(o.path, "#") // it only tells operations apart
	path, query, _ := strings.Cut(path, "?")
	var b strings.Builder
	var names []string
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(path, -1) {
		b.WriteString(literal(path[at:m[0]]))
		b.WriteString("([^/?#]+)")
		names = append(names, path[m[2]:m[3]])
		at = m[1]
	}
	b.WriteString(literal(path[at:]))
	return b.String(), names, query
}

// route matches a raw path with the operation's, and returns its parameters as
// they were sent.
func (o *operation) route(servers []server, rawPath string) (map[string]string, bool) {
	tmpl, names, _ := o.template()
	for _, s := range servers {
		base := s.base
		if strings.HasPrefix(o.path, "/") || tmpl == "" {
			if m := regexp.MustCompile("^" + base + tmpl + "$").FindStringSubmatch(rawPath); m != nil {
				return named(names, m[1:]), true
			}
		}
		if m := regexp.MustCompile("^" + base + "/?" + tmpl + "$").FindStringSubmatch(rawPath); m != nil && (!strings.HasPrefix(o.path, "/") || tmpl == "/") {
			return named(names, m[1:]), true
		}
	}
	return nil, false
}

func named(names, values []string) map[string]string {
	out := map[string]string{}
	for i, n := range names {
		out[n] = values[i]
	}
	return out
}

// plan swaps the host of a command and finds values for its variables.
func (o *operation) plan(text string, s *script, c *call, addr, given string) (*plan, *fault) {
	p := &plan{env: map[string]string{}, markers: map[string]string{}, text: text}
	known := o.known(given)
	if len(c.url.pieces) == 0 {
		return nil, wrong("url", "the command has an empty URL")
	}
	src := text[c.url.start:c.url.end]
	marked := c.url.expand(func(name string) string { return mark + name + mark })
	first := c.url.pieces[0]
	rest := ""
	switch {
	case first.variable != "":
		// The document names no host, or leaves it to a variable.
		rest = strings.TrimPrefix(marked, mark+first.variable+mark)
		p.env[first.variable] = "http://" + addr
		if scheme, ok := strings.CutPrefix(rest, "://"); ok {
			// The variable is the scheme; what follows is the host.
			p.env[first.variable] = "http"
			if i := strings.IndexByte(scheme, '/'); i >= 0 {
				scheme = scheme[:i]
			}
			name, ok := strings.CutPrefix(scheme, mark)
			if name, ok2 := strings.CutSuffix(name, mark); ok && ok2 && !strings.Contains(name, mark) {
				p.env[name] = addr
			} else {
				return nil, wrong("url", "the host of the URL cannot be swapped")
			}
			rest = rest[3+len(scheme):]
		}
		if rest != "" && rest[0] != '/' && rest[0] != '?' {
			return nil, wrong("url", "the URL begins with $%s, and %.40q follows", first.variable, rest)
		}
		for _, k := range known {
			if k.authority == nil || k.authority.MatchString(mark+first.variable+mark) || k.authority.MatchString(strings.TrimSuffix(marked, rest)) {
				p.servers = append(p.servers, k)
			}
		}
		if len(p.servers) == 0 {
			return nil, wrong("host", "the URL begins with $%s, though the document names hosts", first.variable)
		}
	default:
		i := strings.Index(src, "://")
		if i < 0 || len(src) == 0 {
			return nil, wrong("url", "the URL has no scheme: %.60q", marked)
		}
		start := 0
		if src[0] == '\'' || src[0] == '"' {
			start = 1
		}
		scheme := strings.ToLower(src[start:i])
		if scheme != "http" && scheme != "https" {
			return nil, wrong("url", "the URL is none of HTTP: %.60q", marked)
		}
		end := i + 3
		for end < len(src) && !strings.ContainsRune(`/?#'"`, rune(src[end])) {
			if strings.HasPrefix(src[end:], "${") {
				n := strings.IndexByte(src[end:], '}')
				end += n
			}
			end++
		}
		authority, after := marked, ""
		if n := strings.IndexAny(marked[len(scheme)+3:], "/?#"); n >= 0 {
			n += len(scheme) + 3
			authority, after = marked[:n], marked[n:]
		}
		// What the shell makes of the source must be what was read of it.
		if strings.ContainsAny(src[start:end], `\`) || strings.Contains(authority, "@") {
			return nil, wrong("url", "the host of the URL cannot be told: %.80q", authority)
		}
		for _, k := range known {
			if k.authority != nil && k.authority.MatchString(authority) {
				p.servers = append(p.servers, k)
			}
		}
		if len(p.servers) == 0 {
			return nil, wrong("host", "%q is no server of the document", authority)
		}
		p.text = text[:c.url.start] + src[:start] + "http://" + addr + src[end:] + text[c.url.end:]
		// A variable within the host has gone with it.
		for i, part := range strings.Split(authority, mark) {
			if i%2 == 1 {
				p.env[part] = "unused"
			}
		}
		rest = after
	}
	if f := o.swapped(p.text, addr); f != nil {
		return nil, f
	}
	o.fill(p, s, c, rest)
	return p, nil
}

// swapped reads a command again that was swapped: its one URL must lead to the
// loopback address, or begin with the variable that does.
func (o *operation) swapped(text, addr string) *fault {
	s, err := readScript(text)
	if err != nil {
		return wrong("not-plain", "the command is not run: %v", err)
	}
	c, err := readCall(s)
	if err != nil {
		return wrong("not-plain", "the command is not run: %v", err)
	}
	u := c.url.expand(func(name string) string { return mark + name + mark })
	after, ok := strings.CutPrefix(u, "http://"+addr)
	if !ok && !strings.HasPrefix(u, mark) || ok && after != "" && !strings.ContainsRune("/?#", rune(after[0])) {
		return wrong("host", "the command would lead to another host: %.80q", u)
	}
	return nil
}

// fill gives the variables values: to those of the URL by what stands there, to
// all others markers, by which the server knows a credential again.
func (o *operation) fill(p *plan, s *script, c *call, rest string) {
	set := func(name, value string) {
		if _, ok := p.env[name]; !ok {
			if _, ok := s.assign[name]; !ok {
				p.env[name] = value
			}
		}
	}
	credential := func(name string) {
		if _, ok := p.env[name]; !ok {
			if _, ok := s.assign[name]; !ok {
				p.markers[name] = "cred-" + name
				p.env[name] = "cred-" + name
			}
		}
	}
	rest, query, _ := strings.Cut(rest, "?")
	if params, ok := o.route(p.servers, rest); ok {
		for name, raw := range params {
			if v := variableIn(raw); v != "" {
				set(v, url.PathEscape(o.sampleText(o.parameter("path", name))))
			}
		}
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, raw, _ := strings.Cut(pair, "=")
		v := variableIn(raw)
		if v == "" {
			continue
		}
		if n, err := url.QueryUnescape(name); err == nil {
			name = n
		}
		if q := o.parameter("query", name); q != nil && !secret(q) {
			set(v, strings.ReplaceAll(url.QueryEscape(o.sampleText(q)), "+", "%20"))
		} else {
			credential(v)
		}
	}
	// A variable of the URL that is none of these is one of the server.
	for _, piece := range c.url.pieces {
		if piece.variable != "" {
			set(piece.variable, "x")
		}
	}
	for _, h := range c.headers {
		lead, _, _ := strings.Cut(h.expand(func(string) string { return "" }), ":")
		for _, piece := range h.pieces {
			if piece.variable == "" {
				continue
			}
			if q := o.parameter("header", strings.TrimSpace(lead)); q != nil && !ignored(q) && !secret(q) && !o.schemeUses("header", lead) {
				set(piece.variable, o.sampleText(q))
			} else {
				credential(piece.variable)
			}
		}
	}
	o.fillBody(s, c, set)
	for _, w := range append(slices.Clip(s.args), s.here) {
		for _, piece := range w.pieces {
			if piece.variable != "" {
				credential(piece.variable)
			}
		}
	}
}

// fillBody gives the variables of a body values by the members that they are:
// of a form by the names, of JSON by where they stand.
func (o *operation) fillBody(s *script, c *call, set func(name, value string)) {
	if o.body == nil {
		return
	}
	var schemas []*openapi3.SchemaRef
	for _, media := range o.body.Content {
		if media != nil {
			schemas = append(schemas, media.Schema)
		}
	}
	for _, w := range append(slices.Clip(c.data), c.forms...) {
		name, value, ok := strings.Cut(w.expand(func(name string) string { return mark + name + mark }), "=")
		if v := variableIn(value); ok && v != "" {
			if n, err := url.QueryUnescape(name); err == nil {
				name = n
			}
			refs := property(schemas, name)
			set(v, sample(o, append(items(refs), refs...)))
		}
	}
	// Marks within quotation marks are strings, others stand for themselves.
	var b strings.Builder
	quoted := map[string]bool{}
	for _, p := range s.here.pieces {
		switch {
		case p.variable == "":
			b.WriteString(p.text)
		case strings.HasSuffix(b.String(), `"`):
			quoted[p.variable] = true
			b.WriteString("variable-" + p.variable)
		default:
			b.WriteString(`"variable-` + p.variable + `"`)
		}
	}
	var v any
	if !s.hasHere || json.Unmarshal([]byte(b.String()), &v) != nil {
		return
	}
	var visit func(v any, refs []*openapi3.SchemaRef)
	visit = func(v any, refs []*openapi3.SchemaRef) {
		switch v := v.(type) {
		case map[string]any:
			for name, e := range v {
				visit(e, property(refs, name))
			}
		case []any:
			for _, e := range v {
				visit(e, items(refs))
			}
		case string:
			if name, ok := strings.CutPrefix(v, "variable-"); ok {
				value := sample(o, refs)
				if quoted[name] {
					data, _ := json.Marshal(value)
					value = strings.Trim(string(data), `"`)
				}
				set(name, value)
			}
		}
	}
	visit(v, schemas)
}

// variableIn returns the variable that a marked text has, or "".
func variableIn(s string) string {
	parts := strings.Split(s, mark)
	if len(parts) < 3 {
		return ""
	}
	return parts[1]
}

func (o *operation) parameter(in, name string) *openapi3.Parameter {
	for _, p := range o.params {
		if p.In == in && (p.Name == name || in == "header" && strings.EqualFold(p.Name, name)) {
			return p
		}
	}
	return nil
}

func (o *operation) schemeUses(in, name string) bool {
	if o.doc.Components == nil {
		return false
	}
	for _, ref := range o.doc.Components.SecuritySchemes {
		if ref != nil && ref.Value != nil && ref.Value.Type == "apiKey" && ref.Value.In == in && strings.EqualFold(ref.Value.Name, name) {
			return true
		}
	}
	return false
}
