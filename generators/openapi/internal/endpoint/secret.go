package endpoint

import (
	"regexp"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// emptyPassword matches what documents say of a scheme in which the key is the
// user name and the password is empty.
var emptyPassword = regexp.MustCompile("(?i)" +
	`\b(api|secret|access)[ _-]?(key|token) as (the|your|a) (basic auth(entication)? )?user ?name` +
	`|\b(empty|blank|no) password` +
	`|\bpassword\b[^.]{0,30}\b(empty|blank|not (needed|required|used))\b` +
	"|\\b[a-z_-]*(key|token)(>|\\})?:[`\"'](?:[ >).,]|$)") // the key and a colon, quoted

// EmptyPassword reports whether the words of a scheme of HTTP Basic say that
// the secret is the user name, and that no password goes with it.
func EmptyPassword(description string) bool {
	return len(description) < 4096 && emptyPassword.MatchString(description)
}

// Some documents ask for a secret twice: as a security scheme, and as a
// parameter or a field of each operation.
var (
	secretNames = set("token", "accesstoken", "authtoken", "apitoken", "apikey", "xapikey", "xauthtoken", "oauthtoken")
	secretWords = regexp.MustCompile(`(?i)\b(authentication|authorization|auth|oauth|access|api|bearer|bot)[ -](token|key)\b`)
)

// secret returns the variable of the credential that an input takes, too, or
// "": its name and its words say so, and the command sends one secret.
func (b *builder) secret(name, description string) string {
	w := b.auth.taken()
	if len(w) != 1 || len(w[0].variables) != 1 || !secretNames[bare(name)] || len(description) > 4096 || !secretWords.MatchString(description) {
		return ""
	}
	for _, h := range w[0].headers {
		if at := strings.ToLower(h[0].text); strings.HasPrefix(at, "authorization:") && at != "authorization: bearer " {
			return "" // what the variable holds is more than the secret
		}
	}
	if !slices.Contains(b.secrets, name) {
		b.secrets = append(b.secrets, name)
	}
	return w[0].variables[0]
}

// secretNote says of which inputs the command takes to be the secret of Auth.
func (b *builder) secretNote() templates.Markdown {
	if len(b.secrets) == 0 {
		return ""
	}
	return md(codes(b.secrets, "and"), " is taken for the secret of Auth above (inferred from its words).")
}

// sentAlready reports whether a credential of the command is this parameter.
func (b *builder) sentAlready(p *openapi3.Parameter) bool {
	for _, c := range b.auth.taken() {
		if c.place == p.In && (c.name == p.Name || p.In == "header" && strings.EqualFold(c.name, p.Name)) {
			return true
		}
	}
	return false
}

// again matches the words with which documents describe a parameter that makes
// a repeat harmless, whatever its name is.
var (
	againNames = set("requestid", "clienttoken", "clientrequestid", "clientrequesttoken", "uniquerequestid", "idempotencykey", "idempotencytoken", "requesttoken", "idempotentkey")
	againWords = regexp.MustCompile(`(?is)\bidempoten|\bretr(y|ies|ied)\b.{0,200}\b(ignore|once|duplicate|already)`)
)

// repeats returns the query parameter that lets the API recognize a repeat, or
// nil.
func (b *builder) repeats() *openapi3.Parameter {
	for _, p := range b.params {
		if p.In == "query" && againNames[bare(p.Name)] && againWords.MatchString(p.Description[:min(len(p.Description), 4096)]) {
			return p
		}
	}
	return nil
}
