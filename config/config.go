package config

import (
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Config is what the command is to do, validated.
type Config struct {
	// File is the configuration file that was read, "" if there was none.
	File string
	// Warnings are findings that do not stop the work, such as an environment
	// variable that sets nothing.
	Warnings []string

	// Documents are the sources to serve, in the order given.
	Documents []Document
	// AllowPrivate allows URLs of documents that lead to private addresses.
	AllowPrivate bool
	// Templates is a folder of templates that take the place of built-in ones;
	// "": none.
	Templates string

	// Prose is how much of the documents' prose skills carry: "full", "quoted" or
	// "none".
	Prose string

	// Cache keeps what is found in documents for the next start.
	Cache bool

	// Transport carries MCP: "http" or "stdio".
	Transport string
	// Addr is the host:port on which HTTP listens. An empty host is every
	// interface, port 0 a free port.
	Addr string

	// Watch has documents served anew when their files change, and Refresh is how
	// often those at URLs are asked for a change then.
	Watch   bool
	Refresh time.Duration
	// FindSkills offers a tool that finds skills.
	FindSkills bool
	// Insecure serves other machines without a token, or tokens without TLS.
	Insecure bool
	// HTTP are the settings of that transport.
	HTTP HTTP
	// Tokens are those of who may call over HTTP; none: anybody.
	Tokens []Token

	// Listing is the listing mode: "auto", "all", "featured", "guide" or "none".
	Listing string
	// Featured are further skills to list first: paths, as in
	// "bookshop/orders/create-order", or globs of paths.
	Featured []string
	// PageSize is the number of entries on a page of a listing.
	PageSize int
	// MaxPages is the number of pages after which a listing ends; 0: no limit.
	MaxPages int

	// MaxBody is the size in bytes of the largest request that is read.
	MaxBody int64
	// SkillTimeout is the time that making one skill may take.
	SkillTimeout time.Duration

	Check Check

	Log Log
}

// HTTP says how HTTP is served.
type HTTP struct {
	// Path is that of the MCP endpoint.
	Path string
	// Hosts and Origins are the values of these headers that are accepted.
	Hosts, Origins []string
	// TLSCert and TLSKey are files in PEM; "": no TLS. Both are set, or none.
	TLSCert, TLSKey string
	// MaxConnections and MaxRequests are how many are open, or answered, at once.
	MaxConnections, MaxRequests int
	// Timeout is the time that a call about skills may take.
	Timeout time.Duration
}

// A Token is the bearer token of a caller.
type Token struct {
	// Name is what the log calls the caller.
	Name string
	// Env and File say where the token is: one of them is set.
	Env, File string
	// Allow are globs of the paths of the skills that the caller may see; none:
	// all.
	Allow []string
}

// Check says what the command check leaves out.
type Check struct {
	// Off are IDs of rules of which nothing is reported.
	Off []string
}

// A Document is one source of skills: an OpenAPI document, or what another kind of
// generator reads.
type Document struct {
	// Kind is that of its generator, one of those in [Options].
	Kind string
	// Name is the first segment of the URIs of its skills; "": from its title, or
	// from its path.
	Name string
	// Path locates the file or folder; or it is a URL, or "-" for standard input.
	Path string
	// Options are those of its kind.
	Options DocumentOptions `mapstructure:"-"`
	// Skills is a folder of skills and files that take the place of those that are
	// made of the document, or come to them; "": none.
	Skills string

	// What follows is for documents of the kind [OpenAPI].

	// Server is the URL of the API if the document's is relative or missing.
	Server string
	// RefRoot is the folder within which references to other files are followed;
	// "": the document's own.
	RefRoot string
	// Prose is how much of its prose its skills carry; "": as Config.Prose says.
	Prose string
	// Overlays are files that change the document before it is read, in order.
	Overlays []string
	// Snippets is a folder of Markdown that skills show as guidance; "": none.
	Snippets string
	// Include and Exclude choose the operations to serve: those that a rule of
	// Include picks, or all if it has none, less those that one of Exclude picks.
	Include, Exclude []Rule
}

// Stdin is the path that stands for standard input.
const Stdin = "-"

// IsURL reports whether the path is a URL, of any scheme.
func (d Document) IsURL() bool { return isURL(d.Path) }

var schemed = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+://`)

func isURL(path string) bool { return schemed.MatchString(path) }

// Log says what is logged, and how.
type Log struct {
	Level  slog.Level
	Format string // "text" or "json"
	// Access has each call logged.
	Access bool
}

// maxName is the length of the longest document name: with "-guide" it is the
// name of a skill, which the Agent Skills specification limits to 64.
const maxName = 64 - len("-guide")

var slug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ParseDocument reads a document argument, "path", "name=path", "kind:path" or
// "name=kind:path", where a path may be a URL, or "-", and kinds are those there are;
// the first is that of a document that names none. A name is made of lower-case
// letters, digits and single hyphens, so a path that contains "=", or begins as a kind
// does, is written with its folder: "./a=b.yaml".
func ParseDocument(arg string, kinds []string) (Document, error) {
	name, path, found := strings.Cut(arg, "=")
	if !found || !slug.MatchString(name) {
		name, path = "", arg
	}
	d := Document{Name: name, Kind: kinds[0], Path: path}
	if kind, path, found := strings.Cut(path, ":"); found && slices.Contains(kinds, kind) {
		d.Kind, d.Path = kind, path
	}
	if d.Path == "" {
		return Document{}, fmt.Errorf("document %q has no path; write path or name=path", arg)
	}
	if err := checkName(name); name != "" && err != nil {
		return Document{}, fmt.Errorf("document %q: name: %w", arg, err)
	}
	return d, nil
}

func checkName(name string) error {
	if !slug.MatchString(name) {
		return fmt.Errorf("unusable name %q; use a-z, 0-9 and single hyphens between them", name)
	}
	if len(name) > maxName {
		return fmt.Errorf("name of %d characters; use at most %d", len(name), maxName)
	}
	return nil
}
