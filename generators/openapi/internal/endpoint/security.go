package endpoint

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// An auth is what the operation says about credentials: any one of ways, each
// of which may need several.
type auth struct {
	ways     []way
	optional bool // one of the document's alternatives is to send none
	declared bool // the document says something, be it "none"
	webhook  bool
	chosen   int      // the way that the command takes; -1 sends none
	scopes   []string // lines of notation
}

// A way is a set of credentials that are sent together.
type way []credential

// A credential is one security scheme as it travels.
type credential struct {
	scheme string
	// says is the scheme in words, without the final stop; where is what the
	// reader must know besides.
	says, where string
	inURL       bool
	place, name string // of an API key
	headers     []word // "Name: value"
	cookies     []word // "name=value"
	query       []word // "name=value", encoded
	options     []string
	variables   []string
	scopes      []string
	oauth       *openapi3.OAuthFlows
	kind        string   // of an OAuth token: says, without its flows
	flows       []string // the same, in words
}

// security reads the operation's requirements, else the document's. Webhooks
// do not inherit: who sends them is the API.
func (b *builder) security() auth {
	op := b.op
	a := auth{chosen: -1, webhook: op.Webhook != ""}
	var requirements openapi3.SecurityRequirements
	switch {
	case op.Op.Security != nil:
		requirements, a.declared = *op.Op.Security, true
	case op.Webhook == "" && op.Doc.Security != nil:
		requirements, a.declared = op.Doc.Security, true
	}
	for _, r := range requirements {
		if len(r) == 0 {
			a.optional = true
			continue
		}
		names := make([]string, 0, len(r))
		for name := range r {
			names = append(names, name)
		}
		sort.Strings(names)
		var w way
		for _, name := range names {
			w = append(w, b.credential(name, r[name]))
		}
		if w = oneToken(w); len(a.ways) > 0 && len(w) == 1 && w[0].oauth != nil && a.ways[0][0].scheme == w[0].scheme {
			w[0].says = w[0].kind + " as in 1" + scopeList(w[0].scopes)
		}
		a.ways = append(a.ways, w)
	}
	if !a.optional {
		for i, w := range a.ways {
			if a.chosen < 0 || a.ways[a.chosen].inURL() && !w.inURL() {
				a.chosen = i
			}
		}
	}
	seen := map[string]bool{}
	for _, w := range a.ways {
		for _, c := range w {
			for _, s := range c.scopes {
				if !seen[s] {
					seen[s] = true
					a.scopes = append(a.scopes, scopeName(s)+scopeMeaning(c.oauth, s))
				}
			}
		}
	}
	return a
}

// oneToken makes one credential of the OAuth flows that a document asks for
// together, each as a scheme: they end in one token, in one header.
func oneToken(w way) way {
	if len(w) < 2 {
		return w
	}
	var flows []string
	for _, c := range w {
		if c.oauth == nil || !slices.Equal(c.scopes, w[0].scopes) {
			return w
		}
		flows = append(flows, c.flows...)
	}
	w[0].says = w[0].kind
	if len(flows) > 0 {
		w[0].says += ": " + strings.Join(flows, "; or ")
	}
	w[0].says += scopeList(w[0].scopes)
	return w[:1]
}

// public: the document says that the call takes no credentials.
func (a auth) public() bool { return len(a.ways) == 0 && a.declared && !a.optional }

func (w way) inURL() bool {
	return slices.ContainsFunc(w, func(c credential) bool { return c.inURL })
}

// scopeName returns a scope as a line of notation begins with it: nothing else
// follows it there but words, so that most of them need no quotation marks.
func scopeName(s string) string {
	if len(s) <= 200 && strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '#' }) < 0 && s != "" {
		return s
	}
	return jsonString(s)
}

func scopeMeaning(flows *openapi3.OAuthFlows, scope string) string {
	for _, f := range oauthFlows(flows) {
		if meaning := f.flow.Scopes[scope]; meaning != "" && meaning != scope {
			return comment(meaning)
		}
	}
	return ""
}

type namedFlow struct {
	name string
	flow *openapi3.OAuthFlow
}

func oauthFlows(f *openapi3.OAuthFlows) []namedFlow {
	if f == nil {
		return nil
	}
	var out []namedFlow
	for _, n := range []namedFlow{{"authorizationCode", f.AuthorizationCode}, {"clientCredentials", f.ClientCredentials}, {"implicit", f.Implicit}, {"password", f.Password}} {
		if n.flow != nil {
			out = append(out, n)
		}
	}
	return out
}

// credential describes the security scheme of that name.
func (b *builder) credential(name string, scopes []string) credential {
	c := credential{scheme: name, scopes: slices.Clone(scopes)}
	env := Variable(b.op.API, name)
	bearer := func(kind string) {
		c.variables = []string{env}
		c.headers = []word{text("Authorization: Bearer ").add(piece{variable: env})}
		c.says = kind + ", " + code("Authorization: Bearer $"+env)
	}
	var s *openapi3.SecurityScheme
	if b.op.Doc.Components != nil {
		if ref := b.op.Doc.Components.SecuritySchemes[name]; ref != nil {
			s = ref.Value
		}
	}
	if s == nil {
		b.report(framework.Error, "unknown-security-scheme", b.op.Pointer, "the security scheme %q is not defined; the skill says so", name)
		c.says = code(name) + ", which the document does not define: ask the user how to send it"
		return c
	}
	switch s.Type {
	case "http":
		switch strings.ToLower(s.Scheme) {
		case "bearer":
			kind := "bearer token"
			if f := b.value(s.BearerFormat, 40); f != "" {
				kind += " (" + templates.Inline(templates.Prose(f)) + ")"
			}
			bearer(kind)
		case "basic", "digest":
			user, password := env+"_USER", env+"_PASSWORD"
			c.variables = []string{user, password}
			option := "-u " + variable(user).add(piece{text: ":"}, piece{variable: password, mayBeEmpty: true}).String()
			if !strings.EqualFold(s.Scheme, "digest") && EmptyPassword(s.Description) {
				c.variables = []string{user}
				c.options = []string{"-u " + variable(user).add(piece{text: ":"}).String()}
				c.says = "HTTP Basic with the secret " + code("$"+user) + " as the user name and no password"
				break
			}
			c.says = "user name and password (HTTP Basic), " + code("$"+user) + " and " + code("$"+password)
			if strings.EqualFold(s.Scheme, "digest") {
				option = "--digest " + option
				c.says = "user name and password (HTTP Digest), " + code("$"+user) + " and " + code("$"+password)
			}
			c.options = []string{option}
		default:
			scheme := strings.Map(func(r rune) rune {
				if r <= ' ' || r >= 0x7f {
					return -1
				}
				return r
			}, s.Scheme)
			c.variables = []string{env}
			c.headers = []word{text("Authorization: " + scheme + " ").add(piece{variable: env})}
			c.says = "HTTP authentication, " + code("Authorization: "+scheme+" $"+env)
		}
	case "apiKey":
		c.variables = []string{env}
		c.place, c.name = s.In, s.Name
		switch s.In {
		case "query":
			c.inURL = true
			c.query = []word{text(escape(s.Name, "", false) + "=").add(piece{variable: env})}
			c.says = "API key in the query: " + code(s.Name+"=$"+env)
			c.where = "It can end up in logs"
		case "cookie":
			c.cookies = []word{text(s.Name + "=").add(piece{variable: env})}
			c.says = "API key in a cookie, " + code("Cookie: "+s.Name+"=$"+env)
		default:
			if SignedByAWS(s.Name, stringOf(s.Extensions["x-amazon-apigateway-authtype"])) {
				c.variables = SignatureVariables(env)
				c.options = []string{
					"--aws-sigv4 " + text("aws:amz:").add(piece{variable: env + "_REGION"}, piece{text: ":"}, piece{variable: env + "_SERVICE"}).String(),
					"-u " + variable(env+"_KEY_ID").add(piece{text: ":"}, piece{variable: env + "_SECRET"}).String(),
				}
				c.says = "a signature of each request (AWS Signature Version 4), which curl makes with " + code("--aws-sigv4") + " from the access key " + code("$"+env+"_KEY_ID") +
					" and its secret " + code("$"+env+"_SECRET") + "; " + code("$"+env+"_REGION") + " and " + code("$"+env+"_SERVICE") + " are those of the host, such as `us-east-1` and `s3`"
				break
			}
			c.headers = []word{text(s.Name + ": ").add(piece{variable: env})}
			c.says = "API key, " + code(s.Name+": $"+env)
			if strings.EqualFold(s.Name, "Authorization") {
				c.says += "; the variable holds the whole value, with the word before the secret (such as `Bearer`) if the API wants one"
			}
		}
	case "oauth2":
		bearer("OAuth 2 access token")
		c.oauth, c.kind = s.Flows, c.says
		var flows []string
		for _, f := range oauthFlows(s.Flows) {
			says := "flow " + code(f.name)
			if f.flow.AuthorizationURL != "" {
				says += ", authorization URL " + code(f.flow.AuthorizationURL)
			}
			if f.flow.TokenURL != "" {
				says += ", token URL " + code(f.flow.TokenURL)
			}
			flows = append(flows, says)
		}
		if c.flows = flows; len(flows) > 0 {
			c.says += ": " + strings.Join(flows, "; or ")
		}
		c.says += scopeList(c.scopes)
	case "openIdConnect":
		bearer("OpenID Connect access token")
		if s.OpenIdConnectUrl != "" {
			c.says += ", discovery URL " + code(s.OpenIdConnectUrl)
		}
		c.says += scopeList(c.scopes)
	case "mutualTLS":
		cert, key := env+"_CERT", env+"_KEY"
		c.variables = []string{cert, key}
		c.options = []string{"--cert " + variable(cert).String(), "--key " + variable(key).String()}
		c.says = "client certificate (mutual TLS), the files " + code("$"+cert) + " and " + code("$"+key)
	default:
		b.report(framework.Warning, "unknown-security-type", b.op.Pointer, "the security scheme %q has the type %q, which OpenAPI does not know", name, s.Type)
		c.says = code(name) + " of the type " + code(s.Type) + ", which OpenAPI does not know: ask the user how to send it"
	}
	return c
}

// SignedByAWS reports whether an API key that is sent in the header of that
// name is none but a signature made for each request. Documents say so in
// x-amazon-apigateway-authtype: awsSigv4, awsS3 and the like.
func SignedByAWS(header, authType string) bool {
	return strings.EqualFold(header, "Authorization") && strings.HasPrefix(strings.ToLower(authType), "aws")
}

// SignatureVariables returns the variables that such a signature is made of.
func SignatureVariables(env string) []string {
	return []string{env + "_KEY_ID", env + "_SECRET", env + "_REGION", env + "_SERVICE"}
}

func scopeList(scopes []string) string {
	if len(scopes) == 0 {
		return ""
	}
	s := ", scope "
	if len(scopes) > 1 {
		s = ", scopes "
	}
	return s + someCodes(scopes, 12, "and")
}

func (w way) view() string {
	if len(w) == 1 {
		return w[0].says
	}
	says := make([]string, len(w))
	for i, c := range w {
		says[i] = c.says
	}
	lead := "both of: "
	if len(w) > 2 {
		lead = "all of: "
	}
	return lead + strings.Join(says[:len(says)-1], "; ") + "; and " + says[len(says)-1]
}

func (a auth) view() templates.Auth {
	switch {
	case a.webhook && len(a.ways) == 0:
		return templates.Auth{Text: "the document states no credentials. If it describes a signature, check that before you trust the body."}
	case len(a.ways) == 0 && !a.declared:
		return templates.Auth{Text: "the document states none, so the command sends none. Where the API refuses that, or does not find what should exist, ask the user which header authenticates and which environment variable holds the secret; never ask for the secret itself."}
	case len(a.ways) == 0:
		return templates.Auth{Text: "none. Send no credentials."}
	case len(a.ways) == 1:
		s := a.ways[0].view() + "."
		if a.optional {
			s = "optional; the call works without credentials, too. With them: " + s
		}
		if a.ways[0].inURL() {
			s += " It can end up in logs."
		}
		return templates.Auth{Text: md(s)}
	}
	v := templates.Auth{Text: "one of:"}
	if a.optional {
		v.Text = "optional; none, or one of:"
	}
	ways, more := a.ways, 0
	if len(ways) > 12 {
		ways, more = ways[:12], len(ways)-12
	}
	for i, w := range ways {
		s := strconv.Itoa(i+1) + ". " + w.view() + "."
		if w.inURL() {
			s += " It can end up in logs"
			if a.chosen >= 0 && a.chosen != i {
				s += ": prefer " + strconv.Itoa(a.chosen+1)
			}
			s += "."
		}
		v.Ways = append(v.Ways, md(s))
	}
	if more > 0 {
		v.Ways = append(v.Ways, md(strconv.Itoa(len(ways)+1)+". one of ", count(more, "further way", "further ways"), ", which the document lists at its `security`."))
	}
	return v
}

// taken returns the credentials that the command sends.
func (a auth) taken() way {
	if a.chosen < 0 {
		return nil
	}
	return a.ways[a.chosen]
}

// kinds returns how many credentials the command sends, and a word for them.
func (a auth) noun() (article, noun string, several bool) {
	w := a.taken()
	if len(w) == 0 && len(a.ways) > 0 {
		w = a.ways[0]
	}
	if len(w) == 1 && len(a.ways) == 1 {
		for _, h := range w[0].headers {
			if strings.HasPrefix(h[0].text, "Authorization: Bearer ") {
				return "a valid token", "token", false
			}
		}
	}
	return "valid credentials", "ones", true
}
