package replay

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

var marker = regexp.MustCompile(`cred-[A-Za-z0-9_]+`)

// authenticate implements [openapi3filter.AuthenticationFunc]: the marker of a
// variable that is named after the scheme must be where the scheme has it.
func (k *check) authenticate(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	_, err := k.travels(in.SecuritySchemeName, in.SecurityScheme)
	return err
}

// incomplete says why nobody can tell where a scheme's credential travels, or "".
func incomplete(s *openapi3.SecurityScheme) string {
	switch s.Type {
	case "http", "mutualTLS", "oauth2", "openIdConnect":
		return ""
	case "apiKey":
		if s.Name == "" || !slices.Contains([]string{"header", "query", "cookie"}, s.In) {
			return "does not say where its key travels"
		}
		return ""
	}
	return fmt.Sprintf("has the type %q, which is none of OpenAPI", s.Type)
}

// travels returns the markers that a scheme's credential is made of.
func (k *check) travels(name string, s *openapi3.SecurityScheme) ([]string, error) {
	one := func(v, prefix string) ([]string, error) {
		rest, ok := v, len(v) >= len(prefix) && strings.EqualFold(v[:min(len(prefix), len(v))], prefix)
		if ok {
			rest = v[len(prefix):]
		}
		if !ok || marker.FindString(rest) != rest || rest == "" {
			return nil, fmt.Errorf("%s: %q is not %q and the credential", name, v, prefix)
		}
		return []string{rest}, k.named(name, rest)
	}
	authorization := k.got.header.Get("Authorization")
	switch s.Type {
	case "apiKey":
		if len(k.call.sigv4) > 0 && s.In == "header" && strings.EqualFold(s.Name, "Authorization") {
			return k.signed(name, s, authorization)
		}
		switch s.In {
		case "header":
			return one(k.got.header.Get(s.Name), "")
		case "query":
			for _, q := range k.query {
				if q.name == s.Name {
					q.taken = true
					return one(q.raw, "")
				}
			}
		case "cookie":
			for _, c := range k.cookies() {
				if c.name == s.Name {
					return one(c.raw, "")
				}
			}
		}
		return nil, fmt.Errorf("%s: no %s in the %s", name, s.Name, s.In)
	case "oauth2", "openIdConnect":
		return one(authorization, "Bearer ")
	case "http":
		switch scheme := strings.ToLower(s.Scheme); scheme {
		case "basic":
			r := http.Request{Header: k.got.header}
			user, password, ok := r.BasicAuth()
			if !ok || marker.FindString(user) != user || marker.FindString(password) != password || user == password || user == "" {
				return nil, fmt.Errorf("%s: %q is no user name and password", name, authorization)
			}
			if err := k.named(name, user); err != nil {
				return nil, err
			}
			if password == "" { // the secret is the user name
				return []string{user}, nil
			}
			return []string{user, password}, k.named(name, password)
		case "digest":
			user := marker.FindString(authorization)
			if !strings.HasPrefix(authorization, `Digest username="`+user+`"`) || user == "" {
				return nil, fmt.Errorf("%s: %q is no digest", name, authorization)
			}
			return []string{user}, k.named(name, user)
		default:
			return one(authorization, s.Scheme+" ")
		}
	case "mutualTLS":
		var found []string
		for _, w := range k.call.cert {
			v := w.expand(func(name string) string { return k.plan.env[name] })
			if marker.FindString(v) != v || k.named(name, v) != nil {
				return nil, fmt.Errorf("%s: %q is no credential", name, v)
			}
			found = append(found, v)
		}
		if len(found) != 2 {
			return nil, fmt.Errorf("%s: there is no certificate and key", name)
		}
		return found, nil
	}
	return nil, fmt.Errorf("%s: the type %q is none of OpenAPI", name, s.Type)
}

var signature = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=(cred-\w+)/\d{8}/(cred-\w+)/(cred-\w+)/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=[0-9a-f]{64}$`)

// signed returns the markers of a request that is signed: key, region and
// service are named in the header, the secret goes into the signature alone.
func (k *check) signed(name string, s *openapi3.SecurityScheme, authorization string) ([]string, error) {
	if kind, _ := s.Extensions["x-amazon-apigateway-authtype"].(string); kind != "awsSigv4" && kind != "awsS3" {
		return nil, fmt.Errorf("%s: the document does not say that requests are signed", name)
	}
	m := signature.FindStringSubmatch(authorization)
	if m == nil || !slices.Contains(strings.Split(m[4], ";"), "host") {
		return nil, fmt.Errorf("%s: %q is no signature", name, authorization)
	}
	for _, mark := range m[1:4] {
		if err := k.named(name, mark); err != nil {
			return nil, err
		}
	}
	return m[1:4], nil
}

var notName = regexp.MustCompile(`[^A-Z0-9]+`)

// named reports a credential whose variable is that of another scheme: the
// variable has the scheme's name in its own.
func (k *check) named(scheme, mark string) error {
	fold := func(s string) string { return notName.ReplaceAllString(strings.ToUpper(s), "") }
	want, have := fold(scheme), fold(strings.TrimPrefix(mark, "cred-"))
	if len(want) > 40 {
		want = want[:40]
	}
	if slices.ContainsFunc(k.together[scheme], func(other string) bool { return strings.Contains(have, fold(other)) }) {
		return nil
	}
	if !strings.Contains(have, want) {
		return fmt.Errorf("%s: the credential is that of $%s", scheme, strings.TrimPrefix(mark, "cred-"))
	}
	return nil
}

// place returns, for each scheme of a requirement, the others that travel in the
// same header, which holds one credential: any of them may name it.
func (k *check) place(requirement openapi3.SecurityRequirement, schemes openapi3.SecuritySchemes) map[string][]string {
	at := map[string][]string{}
	of := map[string]string{}
	for name := range requirement {
		if ref := schemes[name]; ref != nil && ref.Value != nil {
			header := "authorization"
			switch s := ref.Value; {
			case s.Type == "apiKey" && s.In == "header":
				header = strings.ToLower(s.Name)
			case s.Type == "apiKey" || s.Type == "mutualTLS":
				continue
			}
			at[header] = append(at[header], name)
			of[name] = header
		}
	}
	out := map[string][]string{}
	for name, header := range of {
		out[name] = at[header]
	}
	return out
}

// credentials checks that one of the alternatives is satisfied, and that no
// credential travels anywhere else.
func (k *check) credentials() *fault {
	requirements := k.o.doc.Security
	if k.o.op.Security != nil {
		requirements = *k.o.op.Security
	}
	var schemes openapi3.SecuritySchemes
	if k.o.doc.Components != nil {
		schemes = k.o.doc.Components.SecuritySchemes
	}
	sent := k.markers()
	further := k.o.furtherSecrets()
	sent = slices.DeleteFunc(sent, func(m string) bool {
		again := further > 0 && strings.HasSuffix(m, " (again)")
		if again {
			further--
		}
		return again
	})
	satisfied := len(requirements) == 0 && len(sent) == 0
	var why []string
	undefined := len(requirements) > 0
	if n := len(k.got.header["Authorization"]); n > 1 {
		return wrong("credential", "the header Authorization is sent %d times", n)
	}
	for _, requirement := range requirements {
		var used []string
		k.together = k.place(requirement, schemes)
		ok := true
		known := true
		for name := range requirement {
			ref := schemes[name]
			if ref == nil || ref.Value == nil {
				why = append(why, fmt.Sprintf("the scheme %s is not defined", name))
				ok, known = false, false
				continue
			}
			if lack := incomplete(ref.Value); lack != "" {
				why = append(why, fmt.Sprintf("the scheme %s %s", name, lack))
				ok, known = false, false
				continue
			}
			m, err := k.travels(name, ref.Value)
			if err != nil {
				why = append(why, err.Error())
				ok = false
			}
			used = append(used, m...)
		}
		undefined = undefined && !known
		for _, m := range sent {
			if ok && !slices.Contains(used, m) {
				why = append(why, m+" travels where no scheme has it")
				ok = false
			}
		}
		satisfied = satisfied || ok
	}
	if undefined && len(sent) == 0 {
		return &fault{InDocument, "undefined-scheme", "no alternative of its security has schemes that the document defines well: " + strings.Join(why, "; ")}
	}
	if !satisfied {
		if len(requirements) == 0 {
			return wrong("credential", "the operation takes no credential, yet the command sends %s", strings.Join(sent, ", "))
		}
		return wrong("credential", "no alternative is satisfied: %s", strings.Join(why, "; "))
	}
	return k.filtered("security", "", func() error {
		// The filter does not say which requirement it asks for.
		k.together = map[string][]string{}
		for _, requirement := range requirements {
			for name, others := range k.place(requirement, schemes) {
				k.together[name] = append(k.together[name], others...)
			}
		}
		return openapi3filter.ValidateSecurityRequirements(k.ctx, k.input, requirements)
	})
}

// markers returns all credentials that are anywhere in the request, each once
// for each place.
func (k *check) markers() []string {
	var out []string
	add := func(s string) { out = append(out, marker.FindAllString(s, -1)...) }
	add(k.got.uri)
	for name, values := range k.got.header {
		for _, v := range values {
			if rest, ok := strings.CutPrefix(v, "Basic "); ok && name == "Authorization" {
				if b, err := base64.StdEncoding.DecodeString(rest); err == nil {
					v = string(b)
				}
			}
			add(v)
		}
	}
	add(string(k.got.body))
	// One of several places of the same credential is one too many.
	counted := map[string]int{}
	for i, m := range out {
		if counted[m]++; counted[m] > 1 {
			out[i] = m + " (again)"
		}
	}
	return out
}
