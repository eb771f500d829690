package ledger

import (
	"encoding/json"
	"regexp"
	"strings"
)

// A statement is one line of notation.
type statement struct {
	level    int
	name     string // "" if the line has none: "one of:", "... 3 more"
	special  bool   // not a member: a heading of its own, an option, a pattern
	required bool
	typ      string // with facets
	sample   string // after "=>"
	file     string
	line     int
}

// A group is a heading of notation with the lines under it.
type group struct {
	name     string   // "path", "query", "header", "body", "headers", ...
	types    []string // media types of a body
	required bool
	typ      string // of a body
	file     string
	line     int
	members  []statement
}

// top returns the group's own members.
func (g *group) top() []statement {
	var out []statement
	for _, m := range g.members {
		if m.level == 1 && !m.special {
			out = append(out, m)
		}
	}
	return out
}

var (
	groupWord = regexp.MustCompile(`^(scopes|server|path|query|querystring|header|cookie|headers)$`)
	bodyWord  = regexp.MustCompile(`^body(\*?)(?: ((?:[^:"]|"[^"]*")*?))?(?:: (.*))?$`)
	special   = regexp.MustCompile(`^(?:when .*:|one of:|any of:|\.\.\. .*)$`)
	ordinal   = regexp.MustCompile(`^(?:option|item) \d+: `)
)

// notation reads a block of it. Lines of no group are in one without a name.
func notation(file string, b block) []*group {
	var groups []*group
	var current *group
	line := b.line
	for text := range strings.SplitSeq(b.text, "\n") {
		body, comment, _ := strings.Cut(text, "  # ")
		_ = comment
		switch m := bodyWord.FindStringSubmatch(body); {
		case groupWord.MatchString(body):
			current = &group{name: body, file: file, line: line}
			groups = append(groups, current)
		case m != nil:
			current = &group{name: "body", required: m[1] != "", typ: m[3], file: file, line: line}
			for name := range strings.SplitSeq(m[2], " | ") {
				if name = strings.TrimSpace(name); name != "" {
					current.types = append(current.types, name)
				}
			}
			groups = append(groups, current)
		default:
			if current == nil {
				current = &group{file: file, line: line}
				groups = append(groups, current)
			}
			s := readStatement(text)
			s.file, s.line = file, line
			if current.name == "" {
				s.level++
			}
			current.members = append(current.members, s)
		}
		line++
	}
	return groups
}

// readStatement reads one line.
func readStatement(text string) statement {
	bare := strings.TrimLeft(text, " ")
	s := statement{level: (len(text) - len(bare)) / 2}
	head, sample := split(bare)
	s.sample = sample
	if special.MatchString(head) {
		s.special, s.typ = true, head
		return s
	}
	if m := ordinal.FindString(head); m != "" || strings.HasPrefix(head, "<") {
		s.special = true
		_, s.typ, _ = strings.Cut(head, ": ")
		return s
	}
	rest := ""
	if strings.HasPrefix(head, `"`) {
		end := stringEnd(head)
		if json.Unmarshal([]byte(head[:end]), &s.name) != nil {
			s.special, s.typ = true, head
			return s
		}
		rest = head[end:]
	} else {
		end := strings.IndexAny(head, ": ")
		if end < 0 {
			end = len(head)
		}
		s.name, rest = head[:end], head[end:]
		if n := strings.TrimSuffix(s.name, "*"); n != s.name && n != "" {
			s.name, rest = n, "*"+rest
		}
	}
	rest, s.required = strings.CutPrefix(rest, "*")
	if typ, ok := strings.CutPrefix(rest, ":"); ok {
		s.typ = strings.TrimSpace(typ)
	} else if strings.TrimSpace(rest) != "" { // prose, or a list of literals
		s.name, s.special, s.typ = "", true, head
	}
	return s
}

// stringEnd returns the index after the JSON string that s begins with.
func stringEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// split takes the sample and the document's words from the end of a line. What
// looks like their marks inside a string or a pattern is not one.
func split(s string) (head, sample string) {
	end := len(s)
scan:
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			i += stringEnd(s[i:]) - 1
		case s[i] == '/' && i > 0 && (s[i-1] == ' ' || s[i-1] == '('):
			for i++; i < len(s) && s[i] != '/'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case strings.HasPrefix(s[i:], "  # "), strings.HasPrefix(s[i:], "  => "):
			end = i
			break scan
		}
	}
	head = s[:end]
	if rest, ok := strings.CutPrefix(s[end:], "  => "); ok {
		sample, _, _ = strings.Cut(rest, "  # ")
	}
	return head, sample
}

// words returns the parts of a type and its facets, with strings and patterns
// whole.
func words(typ string) []string {
	var out []string
	start := 0
	flush := func(i int) {
		if i > start {
			out = append(out, typ[start:i])
		}
		start = i + 1
	}
	for i := 0; i < len(typ); i++ {
		switch c := typ[i]; {
		case c == '"':
			i += stringEnd(typ[i:]) - 1
		case c == '/' && i > 0 && (typ[i-1] == ' ' || typ[i-1] == '('):
			for i++; i < len(typ) && typ[i] != '/'; i++ {
				if typ[i] == '\\' {
					i++
				}
			}
		case c == ' ' || c == '(' || c == ')':
			flush(i)
		}
	}
	flush(len(typ))
	return out
}
