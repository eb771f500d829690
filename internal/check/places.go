package check

import (
	"regexp"
	"slices"
	"strings"
)

// places gathers what stands where OpenAPI has a name or a value of few forms:
// paths and their fields, statuses, servers and security schemes.
type places struct {
	faults  []placed
	servers map[string]*serverAt
	schemes map[string]map[string]string // members that are texts, by pointer
	order   []string                     // pointers of both
}

type placed struct {
	rule, at, message string
	args              []any
}

type serverAt struct {
	url       string
	variables map[string]*variableAt
}

type variableAt struct {
	value   string
	stated  bool
	choices []string
}

var (
	pathFields     = map[string]bool{"summary": true, "description": true, "servers": true, "parameters": true, "$ref": true, "additionalOperations": true}
	responseStatus = regexp.MustCompile(`^(?:[1-5][0-9][0-9]|[1-5]XX|default)$`)
)

// take looks at a value of the document.
func (c *places) take(v value) {
	p := v.path
	n := len(p)
	switch {
	case n < 2 || v.again || strings.HasPrefix(p[n-1], "x-") && p[0] != "webhooks":
	case p[0] == "servers":
		c.server(p[:min(n, 2)], p[min(n, 2):], v)
	case p[0] == "components" && n > 2 && p[1] == "securitySchemes":
		c.scheme(p[:3], p[3:], v)
	case p[0] == "securityDefinitions":
		c.scheme(p[:2], p[2:], v)
	case p[0] != "paths" && p[0] != "webhooks":
	case n == 2:
		if p[0] == "paths" {
			c.path(p)
		}
	case n == 3:
		if !methods[p[2]] && !methods[strings.ToLower(p[2])] && !pathFields[p[2]] && !strings.HasPrefix(p[2], "x-") {
			c.say("path-field", p, "%q is no field of a path: what it holds is left out", short(p[2]))
		}
	case p[2] == "servers":
		c.server(p[:4], p[4:], v)
	case methods[p[2]] && p[3] == "servers" && n > 4:
		c.server(p[:5], p[5:], v)
	case methods[p[2]] && p[3] == "responses" && n == 5 && p[4] != "$ref":
		if !responseStatus.MatchString(p[4]) {
			c.say("response-status", p, "%q is no status: a response is named by three digits, by a range such as 4XX, or default", short(p[4]))
		}
	}
}

func (c *places) say(rule string, path []string, message string, args ...any) {
	if len(c.faults) < maxFindings {
		c.faults = append(c.faults, placed{rule, pointer(path), message, args})
	}
}

// path looks at a path template.
func (c *places) path(p []string) {
	if p[1] == "$ref" {
		return
	}
	if !strings.HasPrefix(p[1], "/") {
		c.say("path-template", p, "the path %q does not begin with a slash: one is put before it", short(p[1]))
	}
	if rest := template(p[1]); strings.Count(rest, "{}")*2 != strings.Count(rest, "{")+strings.Count(rest, "}") {
		c.say("path-template", p, "the path %q has a brace without its other: it is sent as it is", short(p[1]))
	}
}

// server takes a value of a server, or of a list of them.
func (c *places) server(at, rest []string, v value) {
	if len(rest) == 0 {
		return
	}
	key := pointer(at)
	if c.servers == nil {
		c.servers = map[string]*serverAt{}
	}
	s := c.servers[key]
	if s == nil {
		s = &serverAt{variables: map[string]*variableAt{}}
		c.servers[key] = s
		c.order = append(c.order, key)
	}
	switch {
	case len(rest) == 1 && rest[0] == "url":
		s.url = v.text
	case len(rest) < 2 || rest[0] != "variables":
	default:
		x := s.variables[rest[1]]
		if x == nil {
			x = &variableAt{}
			s.variables[strings.Clone(rest[1])] = x
		}
		switch {
		case len(rest) == 3 && rest[2] == "default":
			x.value, x.stated = v.text, true
		case len(rest) == 4 && rest[2] == "enum":
			x.choices = append(x.choices, v.text)
		}
	}
}

// scheme takes a value of a security scheme.
func (c *places) scheme(at, rest []string, v value) {
	key := pointer(at)
	if c.schemes == nil {
		c.schemes = map[string]map[string]string{}
	}
	m := c.schemes[key]
	if m == nil {
		m = map[string]string{}
		c.schemes[key] = m
		c.order = append(c.order, key)
	}
	if len(rest) == 1 {
		m[strings.Clone(rest[0])] = v.text
	}
}

// report reports what was gathered.
func (c *places) report(add func(rule, at, message string, args ...any)) {
	for _, f := range c.faults {
		add(f.rule, f.at, f.message, f.args...)
	}
	for _, at := range c.order {
		if s := c.servers[at]; s != nil {
			s.report(at, add)
		}
		m := c.schemes[at]
		if m == nil || m["type"] != "apiKey" {
			continue
		}
		if _, elsewhere := m["$ref"]; !elsewhere && (m["name"] == "" || m["in"] == "") {
			add("security-scheme", at, "an apiKey needs `name` and `in`: nobody can tell where the key travels")
		}
	}
}

var urlVariable = regexp.MustCompile(`\{([^{}]*)\}`)

func (s *serverAt) report(at string, add func(rule, at, message string, args ...any)) {
	var done []string
	for _, m := range urlVariable.FindAllStringSubmatch(s.url, -1) {
		name := m[1]
		if slices.Contains(done, name) {
			continue
		}
		done = append(done, name)
		x := s.variables[name]
		switch {
		case x == nil:
			add("server-variable", at, "the variable %q of the URL is not described", short(name))
		case !x.stated:
			add("server-variable", at, "the variable %q has no default", short(name))
		case len(x.choices) > 0 && !slices.Contains(x.choices, x.value):
			add("server-variable", at, "the default %q of the variable %q is none of its values", short(x.value), short(name))
		}
	}
}
