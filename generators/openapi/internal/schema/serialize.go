package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

// SerializeQuery returns the query string of one parameter as sent, without
// "?", such as "state=received,analysed": percent-encoded, a space as %20. It
// is empty where nothing is sent: null, an empty array or object.
//
// v is a *Value, or what encoding/json decodes to. An error says that the
// parameter's style has no form for such a value (OpenAPI 3.1.1, 4.8.12.3).
func SerializeQuery(p *openapi3.Parameter, v any) (string, error) {
	val := ValueOf(v)
	if mt, _ := parameterContent(p); mt != "" {
		if val.IsNull() {
			return "", nil
		}
		return encode(p.Name) + "=" + encode(contentText(mt, val)), nil
	}
	style, explode := method(p.Style, p.Explode, "form")
	return query(p.Name, val, style, explode, p.AllowReserved)
}

// SerializePath returns the text that takes the place of "{name}" in a path.
func SerializePath(p *openapi3.Parameter, v any) (string, error) {
	val := ValueOf(v)
	if mt, _ := parameterContent(p); mt != "" {
		return encode(contentText(mt, val)), nil
	}
	style, explode := method(p.Style, p.Explode, "simple")
	pairs, list, text, err := flat(p.Name, val)
	if err != nil {
		return "", err
	}
	switch style {
	case "simple":
		return joined(pairs, list, text, explode, ",", encode), nil
	case "label":
		sep := ","
		if explode {
			sep = "."
		}
		return "." + joined(pairs, list, text, explode, sep, encode), nil
	case "matrix":
		name := ";" + encode(p.Name)
		switch {
		case explode && pairs != nil:
			return prefixed(";", joined(pairs, nil, "", true, ";", encode)), nil
		case explode && list != nil:
			var b strings.Builder
			for _, item := range list {
				b.WriteString(name + "=" + encode(item))
			}
			return b.String(), nil
		}
		return name + prefixed("=", joined(pairs, list, text, false, ",", encode)), nil
	}
	return "", unknownStyle(p.Name, style)
}

// SerializeHeader returns the value of a header, without its name. It is sent
// as it is: headers are not percent-encoded.
func SerializeHeader(p *openapi3.Parameter, v any) (string, error) {
	val := ValueOf(v)
	var s string
	if mt, _ := parameterContent(p); mt != "" {
		s = contentText(mt, val)
	} else {
		style, explode := method(p.Style, p.Explode, "simple")
		if style != "simple" {
			return "", unknownStyle(p.Name, style)
		}
		pairs, list, text, err := flat(p.Name, val)
		if err != nil {
			return "", err
		}
		s = joined(pairs, list, text, explode, ",", func(s string) string { return s })
	}
	for _, r := range s {
		if r < 0x20 && r != '\t' || r == 0x7f {
			return "", fmt.Errorf("header %s cannot hold a control character", name(p.Name))
		}
	}
	return s, nil
}

// SerializeCookie returns "name=value" as it stands in a Cookie header, or
// several of them joined by "; ". It is empty where nothing is sent.
func SerializeCookie(p *openapi3.Parameter, v any) (string, error) {
	val := ValueOf(v)
	if mt, _ := parameterContent(p); mt != "" {
		if val.IsNull() {
			return "", nil
		}
		return encode(p.Name) + "=" + encode(contentText(mt, val)), nil
	}
	style, explode := method(p.Style, p.Explode, "form")
	if style == "cookie" { // OpenAPI 3.2: form, but not encoded
		s, err := query(p.Name, val, "form", explode, false)
		return strings.ReplaceAll(decodePlain(s), "&", "; "), err
	}
	if style != "form" {
		return "", unknownStyle(p.Name, style)
	}
	s, err := query(p.Name, val, style, explode, false)
	return strings.ReplaceAll(s, "&", "; "), err
}

// SerializeForm returns an object as an application/x-www-form-urlencoded body,
// its members serialized as the encodings of the media type say: arrays by
// default as repeated members, objects as JSON (OpenAPI 3.1.1, 4.8.15.1).
func SerializeForm(mt *openapi3.MediaType, v any) (string, error) {
	val := ValueOf(v)
	if !val.IsObject() {
		return "", fmt.Errorf("a form body is an object")
	}
	var parts []string
	for _, m := range val.Members() {
		var e *openapi3.Encoding
		if mt != nil {
			e = mt.Encoding[m.Name]
		}
		if e == nil {
			e = &openapi3.Encoding{}
		}
		styled := e.Style != "" || e.Explode != nil
		nested := m.Value.IsObject()
		for _, item := range m.Value.Items() {
			nested = nested || item.IsObject() || item.IsArray()
		}
		if !styled && nested || strings.Contains(e.ContentType, "json") {
			parts = append(parts, encode(m.Name)+"="+encode(m.Value.Compact()))
			continue
		}
		style, explode := method(e.Style, e.Explode, "form")
		s, err := query(m.Name, m.Value, style, explode, e.AllowReserved)
		if err != nil {
			return "", err
		}
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "&"), nil
}

// method applies the defaults of style and explode: only form explodes unless
// it says so, and deepObject always does.
func method(style string, explode *bool, def string) (string, bool) {
	if style == "" {
		style = def
	}
	if explode != nil {
		return style, *explode
	}
	return style, style == "form" || style == "cookie"
}

func unknownStyle(param, style string) error {
	return fmt.Errorf("parameter %s: style %s is not for this place", name(param), quote(style))
}

func contentText(mt string, v *Value) string {
	if s, ok := v.get().(string); ok && !strings.Contains(mt, "json") {
		return s
	}
	return v.Compact()
}

// query serializes one parameter of a query or a form.
func query(param string, v *Value, style string, explode, reserved bool) (string, error) {
	enc := encode
	if reserved {
		enc = encodeReserved
	}
	name := encode(param)
	if style == "deepObject" {
		if v.IsNull() {
			return "", nil
		}
		return strings.Join(deep(nil, param, v, enc, 0), "&"), nil
	}
	pairs, list, text, err := flat(param, v)
	if err != nil {
		return "", err
	}
	sep := ","
	switch style {
	case "form":
	case "spaceDelimited":
		sep = "%20"
	case "pipeDelimited":
		sep = "%7C"
	default:
		return "", unknownStyle(param, style)
	}
	switch {
	case v.IsNull(), (v.IsArray() || v.IsObject()) && len(list)+len(pairs) == 0:
		return "", nil // undefined, as RFC 6570 has it
	case explode && pairs != nil:
		return joined(pairs, nil, "", true, "&", enc), nil
	case explode && list != nil:
		parts := make([]string, len(list))
		for i, item := range list {
			parts[i] = name + "=" + enc(item)
		}
		return strings.Join(parts, "&"), nil
	}
	return name + "=" + joined(pairs, list, text, false, sep, enc), nil
}

// deep writes "name[a][b]=c"; arrays are indexed, which the specification
// leaves open and most servers read.
func deep(out []string, prefix string, v *Value, enc func(string) string, depth int) []string {
	switch {
	case depth > maxNested || v.IsNull():
	case v.IsObject():
		for _, m := range v.Members() {
			out = deep(out, prefix+"["+m.Name+"]", m.Value, enc, depth+1)
		}
	case v.IsArray():
		for i, item := range v.Items() {
			out = deep(out, prefix+"["+strconv.Itoa(i)+"]", item, enc, depth+1)
		}
	default:
		out = append(out, encode(prefix)+"="+enc(v.Text()))
	}
	return out
}

// flat takes a value apart: into names and values, a list, or a text. Nulls
// inside are left out; anything deeper has no form in any style.
func flat(param string, v *Value) (pairs [][2]string, list []string, text string, err error) {
	nested := func(x *Value) error {
		if x.IsObject() || x.IsArray() {
			return fmt.Errorf("parameter %s: its style has no form for nested values", name(param))
		}
		return nil
	}
	switch {
	case v.IsObject():
		pairs = [][2]string{}
		for _, m := range v.Members() {
			if err := nested(m.Value); err != nil {
				return nil, nil, "", err
			}
			if !m.Value.IsNull() {
				pairs = append(pairs, [2]string{m.Name, m.Value.Text()})
			}
		}
	case v.IsArray():
		list = []string{}
		for _, item := range v.Items() {
			if err := nested(item); err != nil {
				return nil, nil, "", err
			}
			if !item.IsNull() {
				list = append(list, item.Text())
			}
		}
	default:
		text = v.Text()
	}
	return pairs, list, text, nil
}

// joined writes "a,b" of a list and "k,v" or, exploded, "k=v" of pairs.
func joined(pairs [][2]string, list []string, text string, explode bool, sep string, enc func(string) string) string {
	var parts []string
	switch {
	case pairs != nil:
		for _, p := range pairs {
			if explode {
				parts = append(parts, enc(p[0])+"="+enc(p[1]))
			} else {
				parts = append(parts, enc(p[0]), enc(p[1]))
			}
		}
	case list != nil:
		for _, item := range list {
			parts = append(parts, enc(item))
		}
	default:
		return enc(text)
	}
	return strings.Join(parts, sep)
}

// prefixed writes the prefix before s unless s is empty (RFC 6570, 3.2.7).
func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

const unreserved = "-._~"

// encode percent-encodes all but the unreserved characters (RFC 3986, 2.3).
func encode(s string) string { return escape(s, unreserved) }

// encodeReserved leaves what a query can hold without being taken apart: not
// "#", which ends it, "&" and "+", which forms read, nor brackets. A "%" is one
// of the value, so it is encoded as well.
func encodeReserved(s string) string { return escape(s, unreserved+":/?@!$'()*,;=") }

func escape(s, keep string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		const hex = "0123456789ABCDEF"
		b.WriteString(string([]byte{'%', hex[c>>4], hex[c&15]}))
	}
	return b.String()
}

// decodePlain undoes encode where the result can stand in a cookie.
func decodePlain(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil && cookieByte(byte(n)) {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// cookieByte reports whether a byte may stand in a cookie (RFC 6265, 4.1.1).
func cookieByte(c byte) bool {
	return c > 0x20 && c < utf8.RuneSelf && c != 0x7f && !strings.ContainsRune("\",;\\&%", rune(c))
}
