package ledger

import (
	"regexp"
	"slices"
	"strings"
)

// A way is one alternative of credentials as a skill words it.
type way struct {
	text string
	spot spot
	used bool
}

var orderedItem = regexp.MustCompile(`^one of .* further ways?`)

// security compares the credentials.
func (c *checker) security() {
	op, d := c.op, c.ledger.doc
	lead, ways := c.ways()
	if lead.line == 0 {
		c.hole("security", op.pointer, "nothing says which credentials it takes")
		return
	}
	if c.degraded {
		return
	}
	text := ""
	if len(ways) > 0 {
		text = ways[0].text
	}
	optional := false
	var alternatives []place
	seen := map[string]bool{}
	for _, a := range op.security {
		key := literal(a.value)
		switch {
		case len(a.object()) == 0:
			optional = true
		case !seen[key]:
			alternatives = append(alternatives, a)
		}
		seen[key] = true
	}
	if len(alternatives) == 0 {
		want := "none. Send no credentials"
		if !op.secured || op.section == "webhooks" {
			want = "states no"
		}
		if !strings.Contains(text, want) || len(ways) > 1 {
			c.wrong("security-unknown", op.pointer, lead, "the document asks for no credentials here: stated %t", op.secured)
		}
		return
	}
	if optional && !strings.HasPrefix(text, "optional") {
		c.wrong("security-optional", op.pointer, lead, "the call works without credentials, too, which is not said")
	}
	if !optional && strings.HasPrefix(text, "optional") {
		c.wrong("security-optional", op.pointer, lead, "the document does not say that the call works without credentials")
	}
	if len(ways) > 1 {
		ways = ways[1:]
	}
	elided := slices.ContainsFunc(ways, func(w way) bool { return orderedItem.MatchString(w.text) })
	for _, a := range alternatives {
		found := false
		var missing string
		for i := range ways {
			if ways[i].used {
				continue
			}
			ok, what := c.statesWay(ways[i].text, a)
			if ok {
				ways[i].used, found = true, true
				c.entry("security", a.String(), ways[i].spot)
				break
			}
			if missing == "" {
				missing = what
			}
		}
		if !found {
			if elided {
				c.hole("security", a.String(), "the alternative is only counted")
				continue
			}
			c.hole("security", a.String(), "no way has %s of the alternative %s", missing, literal(a.value))
		}
	}
	for _, w := range ways {
		if !w.used && !orderedItem.MatchString(w.text) {
			c.wrong("security-unknown", op.pointer, w.spot, "no alternative of the document is this way")
		}
	}
	_ = d
}

// ways returns the bullet about credentials and the ways listed under it. The
// first is the bullet's own text.
func (c *checker) ways() (lead spot, ways []way) {
	for _, s := range c.skill.main.sections {
		if s.h2 != "" {
			continue
		}
		in := false
		for _, b := range s.blocks {
			if b.kind != item {
				continue
			}
			if rest, ok := strings.CutPrefix(b.text, "**Auth:** "); ok {
				in, lead = true, spot{s.file, b.line}
				ways = append(ways, way{text: rest, spot: lead})
			} else if in && strings.HasPrefix(b.text, "**") {
				in = false
			} else if in {
				ways = append(ways, way{text: b.text, spot: spot{s.file, b.line}})
			}
		}
	}
	return lead, ways
}

// statesWay reports whether a text has each credential of an alternative, and
// no more of them; else what is missing.
func (c *checker) statesWay(text string, alternative place) (ok bool, missing string) {
	d := c.ledger.doc
	schemes := d.root.get("components").get("securitySchemes")
	if d.swagger() {
		schemes = d.root.get("securityDefinitions")
	}
	codes := spans(text)
	flows := true // all are flows of OAuth
	for _, name := range alternative.keys() {
		s := d.resolve(schemes.get(name))
		flows = flows && strings.EqualFold(s.get("type").text(), "oauth2")
		var marks []string
		switch kind := strings.ToLower(s.get("type").text()); kind {
		case "apikey":
			if strings.HasPrefix(strings.ToLower(s.get("x-amazon-apigateway-authtype").text()), "aws") && strings.Contains(text, "Signature Version 4") {
				continue // a signature, of which the key is but the header
			}
			marks = []string{"API key"}
			key := s.get("name").text()
			if !slices.ContainsFunc(codes, func(code string) bool {
				return strings.HasPrefix(code, key+":") || strings.HasPrefix(code, key+"=") || strings.HasPrefix(code, "Cookie: "+key+"=") || strings.Contains(code, escapeMark(key))
			}) {
				return false, "the key " + key
			}
		case "basic":
			marks = []string{"HTTP Basic"}
		case "http":
			switch scheme := strings.ToLower(s.get("scheme").text()); scheme {
			case "bearer":
				marks = []string{"bearer token", "Authorization: Bearer "}
			case "basic":
				marks = []string{"HTTP Basic"}
			case "digest":
				marks = []string{"HTTP Digest"}
			default:
				marks = []string{"HTTP authentication"}
			}
		case "oauth2":
			marks = []string{"OAuth 2", "Authorization: Bearer "}
		case "openidconnect":
			marks = []string{"OpenID Connect"}
		case "mutualtls":
			marks = []string{"mutual TLS"}
		default:
			marks = []string{"`" + name + "`"}
		}
		for _, mark := range marks {
			if !strings.Contains(text, mark) {
				return false, "\"" + mark + "\""
			}
		}
		for _, scope := range alternative.get(name).items() {
			if kind := strings.ToLower(s.get("type").text()); kind != "oauth2" && kind != "openidconnect" {
				continue
			}
			if !slices.Contains(codes, scope.text()) && !c.listsScope(scope.text()) {
				return false, "the scope " + scope.text()
			}
		}
	}
	n, need := credentials(text), len(alternative.keys())
	if flows && n == 1 { // they end in one token, in one header
		need = 1
	}
	if n > 0 && n != need {
		return false, "exactly the credentials"
	}
	return true, ""
}

// escapeMark is how a key's name begins in an encoded query.
func escapeMark(key string) string {
	return strings.ReplaceAll(key, " ", "%20")
}

// listsScope reports whether the scope has a line of its own.
func (c *checker) listsScope(scope string) bool {
	return slices.ContainsFunc(c.skill.own.scopes, func(s statement) bool { return s.name == scope || strings.HasPrefix(s.typ, scope) })
}

var credential = regexp.MustCompile("(?:API key|AWS Signature Version 4|bearer token|user name and password|OAuth 2 access token|OpenID Connect access token|HTTP authentication|client certificate|, which the document does not define|, which OpenAPI does not know)")

// credentials counts those that a way words.
func credentials(text string) int { return len(credential.FindAllString(text, -1)) }
