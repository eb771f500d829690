package config

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A setting is one row of the table that everything else is made from.
type setting struct {
	key     string // in the file; "log.level" is level within log
	flag    string // long name of its flag; "" if it has none
	arg     string // what the flag takes, for its usage line
	doc     string // what it means, one sentence without a full stop
	more    string // what the annotated example says beyond that
	def     string // default, as one would write it
	example string // for lists: what the annotated example shows

	path    bool     // relative to the file, where the file has it
	scalar  *scalar  // how to read it, or
	strings bool     // a list of strings, or
	objects []member // a list of mappings with these keys
}

// A member is a key of a mapping in a list. Its value is a string, unless it
// says otherwise.
type member struct {
	key      string
	doc      string
	required bool
	check    func(string) error // of a string
	truth    bool               // true or false, or
	strings  bool               // a list of strings, or
	some     bool               // one that is not empty, since nothing would mean all
	objects  []member           // a list of mappings with these keys, or
	options  bool               // a mapping that the kind of the document knows

	openAPI bool // it is for documents of that kind alone
}

var proseModes = []string{"full", "quoted", "none"}

// settings is the table, in the order in which the example shows it.
var settings = []setting{
	{
		key: "documents", doc: "what to make skills of: OpenAPI documents, or what another kind of generator reads",
		objects: []member{
			{key: "path", doc: "relative to this file; or a URL", required: true, check: checkPath},
			{key: "name", doc: "first segment of its URIs; without it the title of an OpenAPI document gives one, and an edit of the title moves every URI; that of others is from the path", check: checkName},
			{key: "kind", doc: "that of its generator; \"apiskills help\" lists them", check: notEmpty},
			{key: "options", doc: "what its kind knows, as \"apiskills help KIND\" says", options: true},
			{key: "skills", doc: "folder of skills and single files, relative to this file, that take the place of those made of the document at the same path, or come to them", check: notEmpty},
			{key: "server", doc: "URL of the API, where the document's is relative or missing", check: notEmpty, openAPI: true},
			{key: "refRoot", doc: "folder within which references to other files are followed, relative to this file; without it the document's own", check: notEmpty, openAPI: true},
			{key: "prose", doc: "how much of its prose its skills carry, in place of what the setting prose says", check: func(s string) error { return among(s, proseModes) }, openAPI: true},
			{key: "overlays", doc: "OpenAPI Overlays to apply to the document, in order: files, relative to this file", strings: true, openAPI: true},
			{key: "snippets", doc: "folder of Markdown that skills show as guidance, relative to this file: operations/NAME.md, groups/GROUP.md and guide.md", check: notEmpty, openAPI: true},
			{key: "include", doc: "rules, of which an operation must meet one to be served: operation, tag, group and operationId are globs, deprecated and internal (x-internal) true or false, and a rule wants all that it has", objects: ruleMembers, openAPI: true},
			{key: "exclude", doc: "rules, of which it must meet none", objects: ruleMembers, openAPI: true},
		},
		example: "documents:\n  - name: bookshop\n    path: openapi.yaml\n    # server: https://api.example.com\n    # refRoot: .\n    # overlays: [agents.overlay.yaml]\n    # snippets: snippets\n    # include: [{operation: \"GET /books/**\"}, {tag: \"Orders*\"}]\n    # exclude: [{deprecated: true}, {internal: true}]\n",
	},
	{
		key: "allowPrivate", flag: "allow-private", def: "false",
		doc:    "fetch documents from private and special addresses too",
		scalar: truth(func(c *Config) *bool { return &c.AllowPrivate }),
	},
	{
		key: "templates", flag: "templates", arg: "DIR", path: true,
		doc:    "folder of templates that take the place of the built-in ones of the same name",
		scalar: text(func(c *Config) *string { return &c.Templates }, func(string) error { return nil }),
	},
	{
		key: "prose", flag: "prose", arg: "MODE", def: "full",
		doc:    "how much of the documents' prose skills carry: full, quoted or none",
		more:   "quoted has it in blockquotes and after \"# \" only, and makes descriptions and headings of method, path and names; none has no sentence of the documents; names and values are there in each mode",
		scalar: oneOf(func(c *Config) *string { return &c.Prose }, proseModes...),
	},
	{
		key: "cache", def: "true",
		doc:    "keep what is found in documents in the user's cache directory, so that a document that is unchanged is not parsed at the next start",
		more:   "the flag --no-cache does without, too; removing the folder apiskills there is safe at any time",
		scalar: truth(func(c *Config) *bool { return &c.Cache }),
	},
	{
		key: "transport", flag: "transport", arg: "http|stdio", def: "http",
		doc:    "how MCP is carried",
		scalar: oneOf(func(c *Config) *string { return &c.Transport }, "http", "stdio"),
	},
	{
		key: "addr", flag: "addr", arg: "HOST:PORT", def: "127.0.0.1:8080",
		doc:    "where HTTP listens",
		more:   "an empty host is every interface, port 0 a free port",
		scalar: text(func(c *Config) *string { return &c.Addr }, checkAddr),
	},
	{
		key: "watch", flag: "watch", def: "false",
		doc:    "serve a document anew when it, its overlays, snippets or templates change",
		more:   "one that cannot be used is reported, and what was read before is served on; SIGHUP has all documents read anew, with or without this",
		scalar: truth(func(c *Config) *bool { return &c.Watch }),
	},
	{
		key: "refresh", def: "5m",
		doc:    "with watch, how often a document at a URL is asked for a change",
		scalar: duration(func(c *Config) *time.Duration { return &c.Refresh }, time.Second, 24*time.Hour),
	},
	{
		key: "findSkills", flag: "find-skills", def: "false",
		doc:    "offer the tool find_skills, for hosts that do not list skills",
		scalar: truth(func(c *Config) *bool { return &c.FindSkills }),
	},
	{
		key: "insecure", flag: "insecure", def: "false",
		doc:    "serve other machines without asking who calls, or without TLS for their tokens",
		scalar: truth(func(c *Config) *bool { return &c.Insecure }),
	},
	{
		key: "http.path", def: "/mcp",
		doc:    "path of the MCP endpoint",
		more:   "beside it are /healthz, /readyz and /metrics",
		scalar: text(func(c *Config) *string { return &c.HTTP.Path }, checkEndpoint),
	},
	{
		key: "http.hosts", doc: "values of the Host header to accept, without port; with none a call over loopback must name a loopback host, and others may name any", strings: true,
		example: "  # hosts: [skills.example.com]\n",
	},
	{
		key: "http.origins", doc: "web origins whose pages may call", strings: true,
		example: "  # origins: [https://chat.example.com]\n",
	},
	{
		key: "http.tlsCert", flag: "tls-cert", arg: "FILE", path: true,
		doc:    "certificate chain to serve HTTPS with, in PEM",
		scalar: text(func(c *Config) *string { return &c.HTTP.TLSCert }, func(string) error { return nil }),
	},
	{
		key: "http.tlsKey", flag: "tls-key", arg: "FILE", path: true,
		doc:    "private key of the certificate, in PEM",
		scalar: text(func(c *Config) *string { return &c.HTTP.TLSKey }, func(string) error { return nil }),
	},
	{
		key: "http.maxConnections", def: "1024",
		doc:    "connections that are open at once; others wait",
		scalar: integer(func(c *Config) *int { return &c.HTTP.MaxConnections }, 1, 1<<20),
	},
	{
		key: "http.maxRequests", def: "256",
		doc:    "requests that are answered at once, streams aside; others get status 503",
		scalar: integer(func(c *Config) *int { return &c.HTTP.MaxRequests }, 1, 1<<20),
	},
	{
		key: "http.timeout", def: "30s",
		doc:    "time that a call about skills may take",
		scalar: duration(func(c *Config) *time.Duration { return &c.HTTP.Timeout }, 10*time.Millisecond, 10*time.Minute),
	},
	{
		key: "tokens", doc: "bearer tokens of those who may call over HTTP; without one anybody may",
		objects: []member{
			{key: "name", doc: "what the log calls its holder", required: true, check: notEmpty},
			{key: "env", doc: "environment variable that has the token, or", check: notEmpty},
			{key: "file", doc: "file that has it, relative to this file, and that others cannot read", check: notEmpty},
			{key: "allow", doc: "globs of the paths of the skills that it may see, as in bookshop/orders/*, without which it sees all: * stops at a slash, /** does not", strings: true, some: true},
		},
		example: "# tokens: [{name: support, env: SUPPORT_TOKEN, allow: [bookshop/orders/*]}]\n",
	},
	{
		key: "listing", flag: "listing", arg: "MODE", def: "auto",
		doc:    "what skills/list shows: auto, all, featured, guide or none",
		more:   "auto is all for up to 256 skills, and featured above; featured is the guides and those below; what is not listed is served by its URI all the same",
		scalar: oneOf(func(c *Config) *string { return &c.Listing }, "auto", "all", "featured", "guide", "none"),
	},
	{
		key: "featured", doc: "skills to list first, after the guides: their paths, or globs of them, in which * stops at a slash and /** does not", strings: true,
		example: "featured:\n  - bookshop/orders/create-order\n  - bookshop/books/*\n",
	},
	{
		key: "pageSize", def: "250",
		doc:    "entries on a page of a listing",
		scalar: integer(func(c *Config) *int { return &c.PageSize }, 1, 10_000),
	},
	{
		key: "maxPages", def: "48",
		doc:    "pages after which a listing ends, since clients give up soon after; 0 lifts the limit",
		scalar: integer(func(c *Config) *int { return &c.MaxPages }, 0, math.MaxInt32),
	},
	{
		key: "maxBody", def: "4MiB",
		doc:    "largest request that is read: bytes, or with KiB or MiB",
		scalar: size(func(c *Config) *int64 { return &c.MaxBody }, 1<<10, 1<<30),
	},
	{
		key: "skillTimeout", def: "10s",
		doc:    "time that making one skill may take",
		scalar: duration(func(c *Config) *time.Duration { return &c.SkillTimeout }, 10*time.Millisecond, 10*time.Minute),
	},
	{
		key: "check.off", doc: "rules of which check reports nothing", strings: true,
		example: "  off:\n    - operation-without-prose\n",
	},
	{
		key: "log.level", flag: "log-level", arg: "LEVEL", def: "info",
		doc:    "least severe message to log: debug, info, warn or error",
		scalar: level(func(c *Config) *slog.Level { return &c.Log.Level }),
	},
	{
		key: "log.format", flag: "log-format", arg: "text|json", def: "text",
		doc:    "format of the log on standard error",
		scalar: oneOf(func(c *Config) *string { return &c.Log.Format }, "text", "json"),
	},
	{
		key: "log.access", flag: "log-access", def: "false",
		doc:    "log each call, with its caller and how long it took",
		scalar: truth(func(c *Config) *bool { return &c.Log.Access }),
	},
}

// find returns the setting of a key, nil if there is none.
func find(key string) *setting {
	for i := range settings {
		if settings[i].key == key {
			return &settings[i]
		}
	}
	return nil
}

// isTruth reports whether s is true or false.
func (s *setting) isTruth() bool { return s.scalar != nil && s.scalar.tags[0] == "!!bool" }

// env returns the variable that sets s, "" if none can.
func (s *setting) env() string {
	if s.scalar == nil {
		return ""
	}
	return envName(s.key)
}

const envPrefix = "APISKILLS_"

// envName turns a key into the name of a variable: log.level into
// APISKILLS_LOG_LEVEL, pageSize into APISKILLS_PAGE_SIZE.
func envName(key string) string {
	var b strings.Builder
	b.WriteString(envPrefix)
	for _, r := range key {
		switch {
		case r == '.':
			b.WriteByte('_')
			continue
		case unicode.IsUpper(r):
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// A scalar reads the text of a value into its place in a Config. The text is
// the same wherever it comes from: file, environment or flag.
type scalar struct {
	want string // what the file may hold, for messages: "a string"
	tags []string
	set  func(c *Config, text string) error
}

func text(at func(*Config) *string, check func(string) error) *scalar {
	return &scalar{want: "a string", tags: []string{"!!str"}, set: func(c *Config, text string) error {
		if err := check(text); err != nil {
			return err
		}
		*at(c) = text
		return nil
	}}
}

func oneOf(at func(*Config) *string, values ...string) *scalar {
	return text(at, func(text string) error { return among(text, values) })
}

func level(at func(*Config) *slog.Level) *scalar {
	return &scalar{want: "a string", tags: []string{"!!str"}, set: func(c *Config, text string) error {
		if err := among(text, []string{"debug", "info", "warn", "error"}); err != nil {
			return err
		}
		return at(c).UnmarshalText([]byte(text))
	}}
}

func truth(at func(*Config) *bool) *scalar {
	return &scalar{want: "true or false", tags: []string{"!!bool"}, set: func(c *Config, text string) (err error) {
		switch text {
		case "true", "false":
			*at(c) = text == "true"
			return nil
		}
		return fmt.Errorf("%s is neither true nor false", quote(text))
	}}
}

func integer(at func(*Config) *int, least, most int) *scalar {
	return &scalar{want: "a whole number", tags: []string{"!!int"}, set: func(c *Config, text string) error {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%s is not a whole number; use %d to %d", quote(text), least, most)
		}
		if n < least || n > most {
			return fmt.Errorf("%d is out of range; use %d to %d", n, least, most)
		}
		*at(c) = n
		return nil
	}}
}

func size(at func(*Config) *int64, least, most int64) *scalar {
	return &scalar{want: "a number of bytes", tags: []string{"!!int", "!!str"}, set: func(c *Config, text string) error {
		n, err := parseSize(text)
		if err != nil {
			return err
		}
		if n < least || n > most {
			return fmt.Errorf("%s is out of range; use %s to %s", text, formatSize(least), formatSize(most))
		}
		*at(c) = n
		return nil
	}}
}

func duration(at func(*Config) *time.Duration, least, most time.Duration) *scalar {
	return &scalar{want: "a duration", tags: []string{"!!str"}, set: func(c *Config, text string) error {
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%s is not a duration; write one like 500ms, 10s or 2m", quote(text))
		}
		if d < least || d > most {
			return fmt.Errorf("%s is out of range; use %s to %s", text, least, most)
		}
		*at(c) = d
		return nil
	}}
}

func among(text string, values []string) error {
	for _, v := range values {
		if text == v {
			return nil
		}
	}
	last := len(values) - 1
	return fmt.Errorf("unknown value %s; use %s or %s", quote(text), strings.Join(values[:last], ", "), values[last])
}

func notEmpty(text string) error {
	if text == "" {
		return fmt.Errorf("is empty")
	}
	return nil
}

func checkPath(text string) error {
	if text == Stdin {
		return errors.New("standard input can be given as an argument only")
	}
	return notEmpty(text)
}

func checkAddr(text string) error {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return fmt.Errorf("unusable address %s; write host:port, as in 127.0.0.1:8080", quote(text))
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("unusable port %s; use 0 to 65535", quote(port))
	}
	return nil
}

func checkEndpoint(text string) error {
	if path.Clean("/"+text) != text || strings.ContainsAny(text, "{}?#%") || slices.Contains([]string{"/", "/healthz", "/readyz", "/metrics"}, text) {
		return fmt.Errorf("unusable path %s; write one like /mcp, but not /healthz, /readyz or /metrics", quote(text))
	}
	return nil
}

var units = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

func parseSize(text string) (int64, error) {
	digits, unit := text, int64(1)
	for _, u := range units {
		if d, ok := strings.CutSuffix(text, u.name); ok {
			digits, unit = strings.TrimSpace(d), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > math.MaxInt64/unit || n < 0 {
		return 0, fmt.Errorf("%s is not a size; write bytes, or a number with KiB or MiB, as in 4MiB", quote(text))
	}
	return n * unit, nil
}

func formatSize(n int64) string {
	for _, u := range units {
		if n >= u.bytes && n%u.bytes == 0 {
			return fmt.Sprintf("%d%s", n/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// quote is strconv.Quote for messages: what is long is cut.
func quote(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}
