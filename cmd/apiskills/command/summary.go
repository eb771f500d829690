package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
	"github.com/spf13/pflag"
)

// A summary is what serve says at its start.
type summary struct {
	skills   int
	sources  []sourceSummary
	broken   []error // of documents that are not served
	listing  string  // the mode, and what auto stands for
	reason   string
	guides   []string // URIs
	featured []string // URIs of those that the configuration adds

	at   string // URL, or "stdio"
	host []byte // configuration for a host
	stop string // how to stop it
}

type sourceSummary struct {
	source
	skills   int
	unlisted bool // none of them is
}

// maxURIs is how many guides, and how many featured skills, are named.
const maxURIs = 10

func summarize(ctx context.Context, catalog *framework.Catalog, sources []source, s *session, sum *summary) error {
	of := map[string]int{}
	for path, err := range catalog.Paths(ctx, "") {
		if err != nil {
			return err
		}
		prefix, _, _ := strings.Cut(path, "/")
		of[prefix]++
		sum.skills++
	}
	for _, src := range sources {
		sum.sources = append(sum.sources, sourceSummary{source: src, skills: of[src.prefix]})
	}
	mode, reason, err := catalog.ListingMode(ctx)
	if err != nil {
		return err
	}
	sum.listing, sum.reason = s.Listing, "as configured"
	if framework.Listing(s.Listing) == framework.ListAuto {
		sum.listing, sum.reason = fmt.Sprintf("auto, so %s", mode), reason
	}
	uris, err := catalog.FeaturedURIs(ctx) // the log says what is not served
	if err != nil {
		return err
	}
	for i := range sum.sources {
		src := &sum.sources[i]
		begin := catalog.Scheme() + "://" + src.prefix + "/"
		src.unlisted = mode != framework.ListAll && mode != framework.ListNone &&
			!slices.ContainsFunc(uris, func(uri string) bool { return strings.HasPrefix(uri, begin) })
	}
	var guides []string
	for _, src := range sources {
		if f, ok := framework.As[framework.Featurer](src.generator); ok {
			paths, err := f.Featured(ctx)
			if err != nil {
				continue // the log says so too
			}
			for _, path := range paths {
				guides = append(guides, catalog.URI(src.prefix+"/"+path))
			}
		}
	}
	for _, uri := range uris {
		if slices.Contains(guides, uri) {
			sum.guides = append(sum.guides, uri)
		} else {
			sum.featured = append(sum.featured, uri)
		}
	}
	return nil
}

// announce prints the summary; where the log is JSON, as a line of the log.
func (a *app) announce(s *session, sum *summary) {
	if s.Log.Format == "json" {
		s.log.Info("serving", "at", sum.at, "skills", sum.skills, "listing", sum.listing, "reason", sum.reason, "guides", sum.guides, "documents_not_served", len(sum.broken))
		return
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "Serving %s on %s\n\n", count(sum.skills, "skill"), sum.at)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, src := range sum.sources {
		fmt.Fprintf(t, "  %s\t%s from %s\n", src.prefix, count(src.skills, "skill"), plain(display(src.Document)))
		if src.unlisted {
			fmt.Fprintf(t, "\tnone of them is listed: name some under featured in the configuration, or use --listing all\n")
		}
		if g, ok := framework.As[interface{ NamedByTitle() bool }](src.generator); ok && g.NamedByTitle() {
			fmt.Fprintf(t, "\tnamed by the document's title, and an edit of the title moves every URI:\n")
			fmt.Fprintf(t, "\tkeep them with %s\n", plain(argument(config.Document{Name: src.prefix, Kind: src.Kind, Path: src.Path}, same)))
		}
	}
	for i, err := range sum.broken {
		label := ""
		if i == 0 {
			label = "not served"
		}
		fmt.Fprintf(t, "  %s\t%s\n", label, plain(err.Error()))
	}
	fmt.Fprintf(t, "  listing\t%s: %s\n", sum.listing, sum.reason)
	writeURIs(t, "guide", sum.guides)
	writeURIs(t, "featured", sum.featured)
	t.Flush()
	fmt.Fprintf(&b, "\nFor the configuration of a host:\n\n%s\n\n%s\n", sum.host, sum.stop)
	a.stderr.Write(b.Bytes())
}

func writeURIs(w io.Writer, label string, uris []string) {
	for i, uri := range uris {
		if i == maxURIs {
			fmt.Fprintf(w, "\t... %d more\n", len(uris)-i)
			return
		}
		fmt.Fprintf(w, "  %s\t%s\n", label, uri)
		label = ""
	}
}

// A hostServer is a server in the mcpServers of a host's configuration.
type hostServer struct {
	Type    string   `json:"type,omitempty"`
	URL     string   `json:"url,omitempty"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
}

func hostConfig(name string, s hostServer) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("  ", "  ")
	// The value is made of strings: it cannot fail.
	enc.Encode(map[string]map[string]hostServer{"mcpServers": {name: s}})
	return append([]byte("  "), bytes.TrimSpace(b.Bytes())...)
}

func httpHost(name, url string) []byte { return hostConfig(name, hostServer{Type: "http", URL: url}) }

// A flagVisitor is a pflag.FlagSet, or nil.
type flagVisitor interface{ Visit(func(*pflag.Flag)) }

// stdioHost is the configuration with which a host starts this very command
// itself. A host has a working directory of its own, so paths are absolute.
func (a *app) stdioHost(s *session, flags flagVisitor, documents []string) []byte {
	args := []string{"serve"}
	flags.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "config", "transport", "addr", "verbose":
		case "ref-root", "templates", "snippets", "skills":
			args = append(args, "--"+f.Name, absolute(f.Value.String()))
		case "option":
			for _, option := range f.Value.(pflag.SliceValue).GetSlice() {
				args = append(args, "--"+f.Name, a.placeOption(option, s.Documents))
			}
		case "overlay":
			for _, file := range f.Value.(pflag.SliceValue).GetSlice() {
				args = append(args, "--"+f.Name, absolute(file))
			}
		default:
			args = append(args, flagArguments(f)...)
		}
	})
	args = append(args, "--transport", "stdio")
	if s.File != "" {
		args = append(args, "--config", absolute(s.File))
	}
	if len(documents) > 0 {
		for _, d := range s.Documents {
			args = append(args, argument(d, absolute))
		}
	}
	return hostConfig(s.program, hostServer{Command: executable(s.program), Args: args})
}

// placeOption makes the path in an option absolute, if it is one to the kinds of the
// documents.
func (a *app) placeOption(option string, docs []config.Document) string {
	for _, d := range docs {
		if k, ok := a.kind(d.Kind); ok && k.place != nil {
			if placed := k.place(option, absolute); placed != option {
				return placed
			}
		}
	}
	return option
}

// flagArguments writes a flag as it is given.
func flagArguments(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		var args []string
		for _, value := range list.GetSlice() {
			args = append(args, "--"+f.Name, value)
		}
		return args
	}
	if f.NoOptDefVal != "" {
		return []string{"--" + f.Name + "=" + f.Value.String()}
	}
	return []string{"--" + f.Name, f.Value.String()}
}

func absolute(path string) string {
	if path == "" { // a flag that says that there is none
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// executable is the path of this program. What "go run" made is gone when a host
// wants it: then it is the name of an installed one.
func executable(name string) string {
	path, err := os.Executable()
	if err != nil || strings.Contains(path, "go-build") {
		return name
	}
	return path
}
