package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/endpoint"
	"github.com/apiskills/apiskills/generators/templates"
)

const maxScopes = 150 // of one scheme

// credentials says what the API's security schemes ask for, and who needs it.
func (m *guideMaker) credentials() templates.Credentials {
	var c templates.Credentials
	schemes := m.g.schemes()
	slices.SortFunc(schemes, func(a, b scheme) int { return strings.Compare(a.name, b.name) })
	defined := map[string]bool{}
	unused := 0
	for _, s := range schemes {
		defined[s.name] = true
		users := m.where(func(f *facts) bool {
			return !f.webhook && slices.ContainsFunc(f.security, func(r requirement) bool { return slices.Contains(r, s.name) })
		})
		if len(users) == 0 || len(c.Rows) == maxRows {
			unused++
			continue
		}
		row := s.row(m.g.api)
		row.NeededBy = templates.Markdown(m.neededBy(s.name, users))
		row.Says = templates.Prose(m.g.aside(s.Description))
		c.Rows = append(c.Rows, row)
		c.Flows = append(c.Flows, s.flows(m.g.api)...)
	}
	note := func(format string, args ...any) {
		c.Notes = append(c.Notes, templates.Markdown(fmt.Sprintf(format, args...)))
	}
	if ops := m.where(func(f *facts) bool { return !f.webhook && f.security != nil && len(f.security) == 0 }); len(ops) > 0 {
		note("Public, without credentials: %s.", skills(ops))
	}
	if ops := m.where(func(f *facts) bool {
		return !f.webhook && len(f.security) > 1 && slices.ContainsFunc(f.security, func(r requirement) bool { return len(r) == 0 })
	}); len(ops) > 0 {
		note("Credentials are optional: %s.", skills(ops))
	}
	if ops := m.where(func(f *facts) bool { return !f.webhook && f.security == nil }); len(ops) > 0 {
		if len(ops) == m.calls {
			note("The document states none, so the commands send none. Where the API refuses that, or does not find what should exist, ask the user which header authenticates and which environment variable holds the secret; never ask for the secret itself.")
		} else {
			note("The document states nothing about: %s.", skills(ops))
		}
	}
	if m.calls < len(m.ops) {
		note("Webhooks need no credentials of yours.")
	}
	if unused > 0 {
		note("%s of the document %s not in the table: no operation needs them, or there are too many.", count(unused, "further scheme", "further schemes"), map[bool]string{true: "is", false: "are"}[unused == 1])
	}
	return c
}

// neededBy says which operations take the scheme, and how.
func (m *guideMaker) neededBy(name string, users []*facts) string {
	who := skills(users)
	if len(users) > maxNames || len(users) == m.calls {
		who = fmt.Sprintf("%d of %s", len(users), count(m.calls, "operation", "operations"))
	}
	alone, together := 0, 0
	for _, f := range users {
		for _, r := range f.security {
			if slices.Contains(r, name) && len(r) > 1 {
				together++
				break
			}
			if slices.Contains(r, name) && len(f.security) == 1 {
				alone++
				break
			}
		}
	}
	switch {
	case together == len(users):
		who += ", with another"
	case together == 0 && alone == 0:
		who += ", or another instead"
	}
	return who
}

// row describes the scheme's variables.
func (s *scheme) row(api string) templates.CredentialRow {
	env := endpoint.Variable(api, s.name)
	r := templates.CredentialRow{Variables: []string{env}}
	say := func(scheme, sent string) {
		r.Scheme, r.SentAs = templates.Markdown(scheme), templates.Markdown(sent)
	}
	bearer := "header `Authorization: Bearer TOKEN`"
	switch s.Type {
	case "http":
		switch kind := strings.ToLower(s.Scheme); kind {
		case "bearer":
			say("bearer token", bearer)
		case "basic", "digest":
			r.Variables = []string{env + "_USER", env + "_PASSWORD"}
			if kind == "basic" && endpoint.EmptyPassword(s.Description) {
				r.Variables = r.Variables[:1]
				say("a secret as the user name", "HTTP Basic, without a password")
				break
			}
			say("user name and password", "HTTP "+strings.ToUpper(kind[:1])+kind[1:])
		default:
			say("HTTP authentication", "header "+templates.CodeCell("Authorization: "+s.Scheme+" VALUE"))
		}
	case "apiKey":
		if s.In == "header" && endpoint.SignedByAWS(s.Name, s.AuthType) {
			r.Variables = endpoint.SignatureVariables(env)
			say("AWS access key", "a signature of each request (Signature Version 4): `curl --aws-sigv4`")
			break
		}
		in := map[string]string{"query": "query ", "cookie": "cookie "}[s.In]
		if in == "" {
			in = "header "
		}
		say("API key", in+templates.CodeCell(s.Name))
	case "oauth2":
		say("OAuth 2 access token", bearer)
	case "openIdConnect":
		say("OpenID Connect access token", bearer)
	case "mutualTLS":
		r.Variables = []string{env + "_CERT", env + "_KEY"}
		say("client certificate", "mutual TLS")
	default:
		say("a type that OpenAPI does not know: "+templates.CodeCell(s.Type), "ask the user")
	}
	return r
}

// flows says how to get the scheme's token.
func (s *scheme) flows(api string) []templates.Flow {
	env := endpoint.Variable(api, s.name)
	var list []templates.Flow
	if s.Type == "openIdConnect" && s.OpenIDConnectURL != "" {
		list = append(list, templates.Flow{Text: templates.Markdown("To get " + templates.Code(env) + ": the discovery document at " + given(s.OpenIDConnectURL) + " names the token endpoint; ask the user to sign in.")})
	}
	if s.Type != "oauth2" {
		return list
	}
	scopes := map[string]string{}
	for _, f := range []struct {
		name string
		*flow
	}{{"authorizationCode", s.Flows.AuthorizationCode}, {"clientCredentials", s.Flows.ClientCredentials}, {"deviceAuthorization", s.Flows.DeviceAuthorization}, {"implicit", s.Flows.Implicit}, {"password", s.Flows.Password}} {
		if f.flow == nil {
			continue
		}
		lead := "To get " + templates.Code(env) + " (flow " + templates.Code(f.name)
		for name, meaning := range f.Scopes {
			if scopes[name] == "" {
				scopes[name] = meaning
			}
		}
		out := templates.Flow{}
		_, web := templates.WebURL(f.TokenURL)
		switch {
		case f.name == "clientCredentials" && web:
			out.Text = templates.Markdown(lead + "; the request is inferred from RFC 6749), take `access_token` of this answer:")
			id := strings.TrimSuffix(endpoint.Variable(api, s.name, "client-id"), "_")
			secret := endpoint.Variable(api, s.name, "client-secret")
			out.Command = "curl -sS -X POST " + quoted(f.TokenURL) + " \\\n  -u \"${" + id + ":?}:${" + secret + ":?}\" \\\n  --data-urlencode 'grant_type=client_credentials'"
			switch len(f.Scopes) {
			case 0:
			case 1:
				for name := range f.Scopes {
					out.Command += " \\\n  --data-urlencode " + quoted("scope="+templates.Line(name))
				}
			default:
				out.Command = "# SCOPES: those that the skill names, with spaces between them\n" + out.Command + " \\\n  --data-urlencode \"scope=${SCOPES:?}\""
			}
		case f.name == "clientCredentials":
			out.Text = templates.Markdown(lead + "): ask the user for the token URL; the document gives " + given(f.TokenURL) + ".")
		case f.name == "authorizationCode" || f.name == "implicit":
			text := lead + "): a person has to sign in at " + given(f.AuthorizationURL)
			if f.TokenURL != "" {
				text += "; the code is exchanged at " + given(f.TokenURL)
			}
			out.Text = templates.Markdown(text + ". Ask the user for the token.")
		case f.name == "deviceAuthorization":
			out.Text = templates.Markdown(lead + "): a person has to confirm a code that " + given(f.DeviceAuthorizationURL) + " gives; then " + given(f.TokenURL) + " gives the token. Ask the user for it.")
		default:
			out.Text = templates.Markdown(lead + ", token URL " + given(f.TokenURL) + "): ask the user for the token; never ask for a password.")
		}
		list = append(list, out)
	}
	if n := len(list); n > 0 {
		list[n-1].Scopes = scopeLines(scopes)
	}
	return list
}

// scopeLines is a block of notation: each scope and what it allows.
func scopeLines(scopes map[string]string) string {
	if len(scopes) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("scopes\n")
	for i, name := range slices.Sorted(maps.Keys(scopes)) {
		if i == maxScopes {
			fmt.Fprintf(&b, "  ... %d more\n", len(scopes)-i)
			break
		}
		b.WriteString("  " + templates.Line(name))
		if says := templates.Comment(templates.Prose(scopes[name])); says != "" {
			b.WriteString("  # " + says)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// given names a URL of the document.
func given(url string) string {
	if url == "" {
		return "a URL that the document does not give"
	}
	return templates.Code(templates.Line(url))
}

// quoted returns s as a single-quoted word of a command.
func quoted(s string) string {
	if w := templates.ShellWord(s); w != s {
		return w
	}
	return "'" + s + "'"
}
