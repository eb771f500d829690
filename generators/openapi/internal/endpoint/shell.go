package endpoint

import (
	"net/netip"
	"regexp"
	"strings"

	"github.com/apiskills/apiskills/generators/templates"
)

// A word is one shell word: text, and variables that must be set before the
// command sends anything.
type word []piece

// A piece is text or the name of a variable, which may be set to nothing.
type piece struct {
	text, variable string
	mayBeEmpty     bool
}

func text(s string) word           { return word{{text: s}} }
func variable(name string) word    { return word{{variable: name}} }
func (w word) add(o ...piece) word { return append(w[:len(w):len(w)], o...) }

// String returns the word quoted for a shell: single-quoted if it is all text,
// double-quoted with "${NAME:?}", or "${NAME?}", else.
func (w word) String() string {
	var all strings.Builder
	variables := false
	for _, p := range w {
		all.WriteString(p.text)
		variables = variables || p.variable != ""
	}
	if !variables {
		return quote(all.String())
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, p := range w {
		if p.variable != "" {
			if p.mayBeEmpty {
				b.WriteString("${" + p.variable + "?}")
				continue
			}
			b.WriteString("${" + p.variable + ":?}")
			continue
		}
		b.WriteString(doubleQuoted.Replace(singleLine(p.text)))
	}
	b.WriteByte('"')
	return b.String()
}

// display returns the word as a reader sees it, variables as ${NAME}.
func (w word) display() string {
	var b strings.Builder
	for _, p := range w {
		if p.variable != "" {
			b.WriteString("${" + p.variable + "}")
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

var doubleQuoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`")

// quote returns s as one single-quoted shell word, also where no quotes are
// needed: an argument that has them invites an edit that keeps them.
func quote(s string) string {
	q := templates.ShellWord(s)
	if strings.HasPrefix(q, "'") || strings.HasPrefix(q, "$'") {
		return q
	}
	return "'" + q + "'"
}

// singleLine replaces control characters by spaces: in headers and in words
// with variables they have no place.
func singleLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// Percent-encoding by what may stay: the unreserved characters of RFC 3986 and
// those of more. An escape that is already there stays, too.
func escape(s, more string, keepEscapes bool) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0, strings.IndexByte(more, c) >= 0:
			b.WriteByte(c)
		case c == '%' && keepEscapes && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// escapePath encodes text of a path template, escapeQuery that of a query,
// escapeURL that of a whole URL. Quotation marks and "!" are encoded too,
// though a URL may have them, to keep shells out of it; brackets and braces,
// which curl would take for ranges.
func escapePath(s string) string  { return escape(s, "$&()*+,;=:@/", true) }
func escapeQuery(s string) string { return escape(s, "$&()*+,;=:@/?", true) }
func escapeURL(s string) string {
	// The brackets of an IPv6 address are no range to curl, and no address without.
	if m := ipv6Host.FindStringSubmatch(s); m != nil {
		if _, err := netip.ParseAddr(m[2]); err == nil {
			return m[1] + "[" + m[2] + "]" + escape(m[3], "$&()*+,;=:@/?", true)
		}
	}
	return escape(s, "$&()*+,;=:@/?", true)
}

var ipv6Host = regexp.MustCompile(`^((?i:https?)://)\[([0-9A-Fa-f:.]+)\](.*)$`)

var notNameRune = regexp.MustCompile(`[^A-Z0-9]+`)
var camelBoundary = regexp.MustCompile(`([a-z0-9])([A-Z])`)
var acronymBoundary = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)

// envName returns s as the name of an environment variable, or "" if it has
// no letter or digit of ASCII.
func envName(s string) string {
	s = acronymBoundary.ReplaceAllString(s, "${1}_$2")
	s = camelBoundary.ReplaceAllString(s, "${1}_$2")
	s = strings.Trim(notNameRune.ReplaceAllString(strings.ToUpper(s), "_"), "_")
	if len(s) > 60 {
		s = strings.TrimRight(s[:60], "_")
	}
	return s
}

// Variable returns the name of the environment variable for what an API calls
// by that name: a security scheme, a server variable, its origin.
func Variable(api string, name ...string) string {
	parts := []string{envName(api)}
	for _, n := range name {
		if n = envName(n); n != "" {
			parts = append(parts, n)
		}
	}
	v := strings.Trim(strings.Join(parts, "_"), "_")
	if v == "" || '0' <= v[0] && v[0] <= '9' {
		v = "API_" + v
	}
	return strings.TrimRight(v, "_")
}
