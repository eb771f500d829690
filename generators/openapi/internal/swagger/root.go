package swagger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// UpgradeRoot turns the root members of a Swagger 2.0 document into those of an
// OpenAPI 3.0.3 document, in canonical JSON: host, basePath and schemes into
// servers, securityDefinitions into components.securitySchemes; info, security,
// tags, externalDocs and extensions stay. Paths and definitions are not looked
// at.
func UpgradeRoot(root []byte) ([]byte, error) {
	doc, err := decode(root)
	if err != nil {
		return nil, fmt.Errorf("swagger: %w", err)
	}
	u := newUpgrader(doc)
	out, err := convert(object{
		"securityDefinitions": u.securityDefinitions(),
		"security":            u.requirements(doc, "security"),
	}, 0)
	if err != nil {
		return nil, fmt.Errorf("swagger: %w", err)
	}
	u.finishSecurity(out)
	if components := child(out, "components"); len(components) == 0 {
		delete(out, "components")
	}
	delete(out, "paths")
	delete(out, "info")
	copyExtensions(out, doc)
	for _, k := range []string{"info", "tags", "externalDocs"} {
		if v, ok := doc[k]; ok {
			out[k] = v
		}
	}
	if servers := u.servers(nil); len(servers) > 0 {
		out["servers"] = servers
	}
	data, err := encode(out)
	if err != nil {
		return nil, fmt.Errorf("swagger: %w", err)
	}
	return data, nil
}

// transfers are the transfer protocols of Swagger 2.0, the best first: their order
// in a document means nothing.
var transfers = []string{"https", "http", "wss", "ws"}

// servers makes the servers of an operation, or of the whole document if op is
// nil. Without a host they are relative; without a base path, too, there are none.
func (u *upgrader) servers(op object) []any {
	host, _ := asText(u.doc["host"])
	base, _ := asText(u.doc["basePath"])
	host, base = strings.TrimSpace(host), strings.TrimSpace(base)
	var stated []string
	if scheme, rest, ok := strings.Cut(base, "://"); ok && host == "" && slices.Contains(transfers, strings.ToLower(scheme)) {
		u.mendedHost("basePath", base)
		stated = []string{strings.ToLower(scheme)}
		host, base, _ = strings.Cut(rest, "/")
	}
	if scheme, rest, ok := strings.Cut(host, "://"); ok {
		u.mendedHost("host", host)
		stated = []string{strings.ToLower(scheme)}
		host = rest
	} else if strings.Contains(host, "/") {
		u.mendedHost("host", host)
	}
	if h, rest, ok := strings.Cut(host, "/"); ok {
		host = h
		base = strings.TrimSuffix(rest, "/") + "/" + strings.TrimPrefix(base, "/")
	}
	base = strings.Trim(base, "/")
	if base != "" {
		base = "/" + escapePath(base)
	}
	if host == "" {
		if base == "" {
			return nil
		}
		return []any{server(base)}
	}

	schemes := protocols(op["schemes"])
	if len(schemes) == 0 {
		schemes = protocols(u.doc["schemes"])
	}
	if len(schemes) == 0 {
		schemes = stated
	}
	if len(schemes) == 0 {
		schemes = []string{"https"}
	}
	list := make([]any, len(schemes))
	for i, s := range schemes {
		list[i] = server(s + "://" + host + base)
	}
	return list
}

func (u *upgrader) mendedHost(member, value string) {
	u.enter(member)
	u.note(framework.Warning, "host", "%s is %q: read as a URL, of which host, basePath and schemes each take their part", member, shorten(value))
	u.leave(1)
}

// protocols returns the transfer protocols that v lists.
func protocols(v any) []string {
	listed, _ := asTexts(v)
	for i, s := range listed {
		listed[i] = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(s)), "://")
	}
	var out []string
	for _, t := range transfers {
		if slices.Contains(listed, t) {
			out = append(out, t)
		}
	}
	return out
}

// escapePath escapes what may not stand in the path of a URL. Escapes stay, and so
// do the braces of variables.
func escapePath(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '%' && i+2 < len(p) && isHex(p[i+1]) && isHex(p[i+2]), c == '{', c == '}', c == '/':
			b.WriteByte(c)
		case c <= ' ' || c >= 0x7f || strings.IndexByte("%\"<>\\^`|?#", c) >= 0:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// server makes a Server Object. Braces in its URL are variables, of which Swagger
// 2.0 cannot say more than the name.
func server(u string) object {
	s := object{"url": u}
	variables := object{}
	for rest := u; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			break
		}
		name, after, ok := strings.Cut(after, "}")
		if !ok {
			break
		}
		variables[name] = object{"default": name}
		rest = after
	}
	if len(variables) > 0 {
		s["variables"] = variables
	}
	return s
}

// requirements returns security requirements, which are an array of objects of
// arrays of scopes, or nil if o has none.
func (u *upgrader) requirements(o object, k string) any {
	v, ok := o[k]
	if !ok || v == nil {
		return nil
	}
	if one, isObject := v.(object); isObject {
		v = []any{one}
	}
	listed, ok := v.([]any)
	if !ok {
		u.wrongType(k)
		return nil
	}
	out := []any{}
	for _, r := range listed {
		switch r := r.(type) {
		case object:
			set := object{}
			for name, scopes := range r {
				s, _ := asTexts(scopes)
				set[name] = listOf(s)
			}
			out = append(out, set)
		case string: // security: [token]
			out = append(out, object{r: []any{}})
		default:
			u.wrongType(k)
		}
	}
	return out
}

// schemeTypes and flowNames are how people write what Swagger 2.0 knows, in lower
// case.
var (
	schemeTypes = map[string]string{"basic": "basic", "apikey": "apiKey", "oauth2": "oauth2", "oauth": "oauth2"}
	flowNames   = map[string]string{
		"implicit": "implicit", "password": "password",
		"application": "application", "clientcredentials": "application", "client_credentials": "application",
		"accesscode": "accessCode", "authorizationcode": "accessCode", "authorization_code": "accessCode",
	}
)

// securityDefinitions returns the security definitions that the converter can
// take. The others are added by finishSecurity.
func (u *upgrader) securityDefinitions() object {
	defs, _ := u.doc["securityDefinitions"].(object)
	out := object{}
	u.enter("securityDefinitions")
	defer u.leave(1)
	for _, name := range sorted(defs) {
		o, ok := defs[name].(object)
		if !ok {
			u.wrongType(name)
			continue
		}
		u.enter(name)
		if s := u.securityScheme(o); s != nil {
			out[name] = s
		}
		u.leave(1)
	}
	return out
}

// securityScheme returns nil for a type that Swagger 2.0 does not have.
func (u *upgrader) securityScheme(o object) object {
	stated, _ := asText(o["type"])
	kind, ok := schemeTypes[strings.ToLower(stated)]
	if !ok {
		return nil
	}
	s := object{"type": kind}
	copyExtensions(s, o)
	for _, k := range []string{"description", "in", "name", "authorizationUrl", "tokenUrl"} {
		if v, ok := asText(o[k]); ok {
			s[k] = v
		}
	}
	if kind != "oauth2" {
		return s
	}
	scopes := object{}
	switch v := o["scopes"].(type) {
	case object:
		for name := range v {
			scopes[name], _ = asText(v[name])
		}
	case []any:
		for _, e := range v {
			if name, ok := asText(e); ok {
				scopes[name] = ""
			}
		}
	}
	s["scopes"] = scopes
	stated, _ = asText(o["flow"])
	flow, ok := flowNames[strings.ToLower(stated)]
	if !ok {
		flow = "implicit"
		switch {
		case s["authorizationUrl"] != nil && s["tokenUrl"] != nil:
			flow = "accessCode"
		case s["tokenUrl"] != nil:
			flow = "application"
		}
		u.note(framework.Warning, "oauth-flow", "the OAuth flow is %q: read as %q, after the URLs that it has", shorten(stated), flow)
	}
	s["flow"] = flow
	return s
}

// finishSecurity adds the security definitions of other types, such as the http
// and openIdConnect of OpenAPI 3, as they stand.
func (u *upgrader) finishSecurity(out object) {
	defs, _ := u.doc["securityDefinitions"].(object)
	for _, name := range sorted(defs) {
		o, _ := defs[name].(object)
		if o == nil {
			continue
		}
		stated, _ := asText(o["type"])
		if schemeTypes[strings.ToLower(stated)] != "" {
			continue
		}
		s := object{}
		copyExtensions(s, o)
		for _, k := range []string{"type", "description", "name", "in", "scheme", "bearerFormat", "openIdConnectUrl"} {
			if v, ok := asText(o[k]); ok {
				s[k] = v
			}
		}
		u.path = append(u.path[:0], "securityDefinitions", name)
		u.note(framework.Warning, "security-scheme", "the security scheme's type is %q, which Swagger 2.0 does not have: kept as it stands", shorten(stated))
		child(child(out, "components"), "securitySchemes")[name] = s
	}
	u.path = u.path[:0]
}
