package endpoint

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// A server is the base of the operation's URL.
type server struct {
	base word // without a slash at its end
	// lines are the notation of its variables.
	lines []string
	names []string // of the variables, sorted
	own   bool     // not the API's own servers
	text  templates.Markdown
	notes []templates.Markdown
}

// servers picks the first of the operation's servers, else of the path's, else
// of the document's.
func (b *builder) servers() server {
	var s server
	op := b.op
	if op.Webhook != "" {
		return s
	}
	var list openapi3.Servers
	var facts []string
	of := ""
	switch {
	case op.Op.Servers != nil && len(*op.Op.Servers) > 0:
		list, of = *op.Op.Servers, "operation"
	case op.Item != nil && len(op.Item.Servers) > 0:
		list, of = op.Item.Servers, "path"
	default:
		list = op.Doc.Servers
		if len(list) > 0 && len(rawOperation(op.Raw).Servers) > 0 {
			of = "operation"
		} else if len(list) > 0 && op.PathServers {
			of = "path"
		}
	}
	if of != "" {
		s.own = true
		facts = append(facts, "this "+of+" has its own.")
	}
	list = slices.DeleteFunc(slices.Clone(list), func(s *openapi3.Server) bool { return s == nil })
	if len(list) == 0 {
		list = openapi3.Servers{{URL: cmp.Or(op.Server, "/")}}
	}
	// Of two servers that differ in the scheme only, credentials go to the
	// one with TLS.
	if rest, plain := strings.CutPrefix(list[0].URL, "http://"); plain {
		if i := slices.IndexFunc(list, func(s *openapi3.Server) bool { return s.URL == "https://"+rest }); i > 0 {
			list[0], list[i] = list[i], list[0]
		}
	}
	first := list[0]
	if userInfo.MatchString(strings.TrimSpace(first.URL)) {
		b.report(framework.Warning, "server-credentials", "/servers", "what stands before the @ in the server's URL is left out: credentials do not belong into a document")
	}
	var known bool
	s.base, known = b.baseURL(first, "")
	if !known {
		origin := Variable(op.API, "origin")
		given := "names no server"
		if path := s.base[len(s.base)-1].text; path != "" {
			given = "gives " + code(path) + " only, without a host"
		} else if first.URL != "" && first.URL != "/" {
			given = "gives " + code(first.URL) + ", which is no address over HTTP"
		}
		s.notes = append(s.notes, md("The document ", given, ": ask the user for the scheme and host of the API, and keep them in ", code(origin), ", as in ", code("https://api.example.com"), "."))
		b.report(framework.Warning, "relative-server", "/servers", "the server %q has no host; commands take it from $%s", first.URL, origin)
	}

	for name := range first.Variables {
		s.names = append(s.names, name)
	}
	slices.Sort(s.names)
	for _, name := range s.names {
		v := first.Variables[name]
		if v == nil {
			continue
		}
		s.lines = append(s.lines, b.serverVariable(first, name, v))
	}
	list = slices.DeleteFunc(list, func(s *openapi3.Server) bool {
		rest, plain := strings.CutPrefix(s.URL, "http://")
		return s != first && plain && slices.ContainsFunc(list, func(o *openapi3.Server) bool { return o.URL == "https://"+rest })
	})
	if len(list) > 1 {
		shown, more := list[1:], 0
		if len(shown) > 5 {
			shown, more = shown[:5], len(shown)-5
		}
		var others []string
		for _, o := range shown {
			base, _ := b.baseURL(o, "")
			other := code(base.display())
			if d := templates.Inline(templates.Prose(b.aside(o.Description))); d != "" {
				other += " (" + cut(d, 80) + ")"
			}
			others = append(others, other)
		}
		line := "others with the same paths: " + strings.Join(others, ", ")
		if more > 0 {
			line += ", and " + count(more, "more", "more")
		}
		facts = append(facts, line+".")
	}
	s.text = md(strings.Join(facts, " "))
	return s
}

var serverPlaceholder = regexp.MustCompile(`\{([^{}]*)\}`)

// userInfo matches what stands before the host: credentials do not belong into a
// command, and "https://known.example\\@other.example" hides the host.
var userInfo = regexp.MustCompile(`^((?i:https?:)?//)[^/]*@`)

// baseURL returns the URL of s without a slash at its end, its variables
// replaced by their defaults, and other by its first other choice. It reports
// false if the host is not known: then the word begins with a variable.
func (b *builder) baseURL(s *openapi3.Server, other string) (word, bool) {
	var w word
	raw := strings.TrimSpace(s.URL)
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		raw = raw[:i]
	}
	raw = userInfo.ReplaceAllString(raw, "$1")
	at := 0
	for _, m := range serverPlaceholder.FindAllStringSubmatchIndex(raw, -1) {
		w = w.add(piece{text: raw[at:m[0]]})
		at = m[1]
		name := raw[m[2]:m[3]]
		value := ""
		if v := s.Variables[name]; v != nil {
			value = v.Default
			if name == other {
				value = otherChoice(v)
			}
			if value == "" && len(v.Enum) > 0 {
				value = v.Enum[0]
			}
		}
		if value != "" {
			w = w.add(piece{text: value})
		} else {
			w = w.add(piece{variable: Variable(b.op.API, name)})
		}
	}
	w = merge(w.add(piece{text: raw[at:]}))

	switch lead := w[0].text; {
	case w[0].variable != "":
		// Whoever sets it knows whether it holds the scheme, too.
	case strings.HasPrefix(lead, "//"):
		w[0].text = "https:" + lead
	case hasHTTPScheme(lead) && !strings.HasSuffix(lead, "://"), hasHTTPScheme(lead) && len(w) > 1:
	default:
		if abs := resolve(b.op.ServerBase, lead); abs != "" {
			w[0].text = abs
			break
		}
		w[0].text = resolvePath(lead)
		w = append(word{{variable: Variable(b.op.API, "origin")}}, w...)
		return trimSlash(w), false
	}
	return trimSlash(w), true
}

// resolve returns the URL over HTTP that ref stands for at base, or "".
func resolve(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil || base == "" {
		return ""
	}
	u, err := b.Parse(ref)
	if err != nil || u.Host == "" || u.User != nil || !hasHTTPScheme(u.String()) {
		return ""
	}
	u.RawQuery, u.ForceQuery, u.Fragment = "", false, ""
	return u.String()
}

// resolvePath returns the path of a relative URL, seen from the root of a host
// that is not known, or "" for a URL of another scheme.
func resolvePath(ref string) string {
	root := &url.URL{Scheme: "https", Host: "origin.invalid", Path: "/"}
	u, err := root.Parse(ref)
	if err != nil || u.Host != root.Host || u.Scheme != root.Scheme {
		return ""
	}
	return u.EscapedPath()
}

func hasHTTPScheme(s string) bool {
	l := strings.ToLower(s[:min(len(s), 8)])
	return strings.HasPrefix(l, "https://") || strings.HasPrefix(l, "http://")
}

// merge joins neighbouring texts.
func merge(w word) word {
	var out word
	for _, p := range w {
		if n := len(out); n > 0 && p.variable == "" && out[n-1].variable == "" {
			out[n-1].text += p.text
			continue
		}
		if p != (piece{}) || len(w) == 1 {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		out = word{{}}
	}
	return out
}

// trimSlash encodes the texts of a base URL and drops the slash at its end, so
// that a path can follow.
func trimSlash(w word) word {
	for i := range w {
		w[i].text = escapeURL(w[i].text)
	}
	last := &w[len(w)-1]
	last.text = strings.TrimRight(last.text, "/")
	if last.text == "" && last.variable == "" && len(w) > 1 && w[len(w)-2].variable == "" {
		w = w[:len(w)-1]
	}
	return w
}

// otherChoice returns the first choice of v that is not its default, or "".
func otherChoice(v *openapi3.ServerVariable) string {
	for _, e := range v.Enum {
		if e != v.Default && e != "" {
			return e
		}
	}
	return ""
}

// serverVariable returns the line of a variable: its choices, its default, and
// the URL that another choice gives.
func (b *builder) serverVariable(s *openapi3.Server, name string, v *openapi3.ServerVariable) string {
	typ := "string"
	if len(v.Enum) > 0 {
		var choices []string
		for _, e := range v.Enum {
			choices = append(choices, jsonString(e))
		}
		head, more := capped(choices, 20)
		typ = strings.Join(head, " | ")
		if more > 0 {
			typ += " ... " + count(more, "more", "more")
		}
	}
	line := memberName(name)
	if v.Default == "" {
		line += "*"
	}
	line += ": " + typ
	if v.Default != "" {
		line += " default " + jsonString(v.Default)
	}
	if otherChoice(v) != "" {
		if w, _ := b.baseURL(s, name); len(w) > 0 {
			line += "  => " + w.display()
		}
	}
	return line + comment(v.Description)
}

// A path is a path template: texts and the names of parameters.
type pathPart struct{ text, parameter string }

var pathPlaceholder = regexp.MustCompile(`\{([^{}/]+)\}`)

// pathParts splits a path template at its parameters. What follows a "#" only
// tells operations apart and is not sent.
func pathParts(path string) []pathPart {
	if i := strings.IndexByte(path, '#'); i >= 0 {
		path = path[:i]
	}
	var parts []pathPart
	at := 0
	for _, m := range pathPlaceholder.FindAllStringSubmatchIndex(path, -1) {
		if m[0] > at {
			parts = append(parts, pathPart{text: path[at:m[0]]})
		}
		parts = append(parts, pathPart{parameter: path[m[2]:m[3]]})
		at = m[1]
	}
	if at < len(path) {
		parts = append(parts, pathPart{text: path[at:]})
	}
	return parts
}

// pathForDisplay returns the path template as it stands in the URL.
func pathForDisplay(path string) string {
	path, _, _ = strings.Cut(path, "#")
	return rooted(path)
}

// rooted is a path with the slash that it must begin with: without it, it would
// go on with the name of the host.
func rooted(path string) string {
	if path == "" || strings.IndexByte("/?#", path[0]) >= 0 {
		return path
	}
	return "/" + path
}

// queryNames returns the names that the query of a path template already has.
func queryNames(path string) map[string]bool {
	path, _, _ = strings.Cut(path, "#")
	_, query, _ := strings.Cut(path, "?")
	names := map[string]bool{}
	for _, pair := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if n, err := url.QueryUnescape(name); err == nil && n != "" {
			names[n] = true
		}
	}
	return names
}
