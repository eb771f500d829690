package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/apiskills/apiskills/framework"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/spf13/cobra"
)

// defaultBudget is what one per cent of a context window of 200,000 tokens holds,
// at four characters a token: what a host in wide use sets aside for skills.
const defaultBudget = 8000

func (a *app) planCommand() *cobra.Command {
	var budget int
	var format string
	cmd := &cobra.Command{
		Use:   "plan [DOC...]",
		Short: "Show what a host sees of the skills in each listing mode",
		Long: `plan lists the skills in each mode as a host would, counts what it gets, and
says what of that a host can show to its model that sets BUDGET characters aside
for names and descriptions: in the order of the listing, a name, a colon, a space,
the description and a line end for each skill. It suggests a configuration.

The bytes are those of the responses to skills/list, all pages together.`,
		Example: `  apiskills plan openapi.yaml
  apiskills plan openapi.yaml --budget 15000 --format json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if budget < 1 {
				return unusable(fmt.Errorf("--budget %d: a budget is at least 1 character", budget))
			}
			if format != "text" && format != "json" {
				return unusable(fmt.Errorf("--format %q: use text or json", format))
			}
			s, err := a.configure(cmd.Flags(), args)
			if err != nil {
				return err
			}
			p, err := a.plan(cmd.Context(), s, budget)
			if err != nil {
				return err
			}
			var out bytes.Buffer
			if format == "json" {
				encoder := json.NewEncoder(&out)
				encoder.SetEscapeHTML(false)
				encoder.SetIndent("", "  ")
				if err := encoder.Encode(p); err != nil {
					return err
				}
			} else {
				p.write(&out)
			}
			if _, err := a.stdout.Write(out.Bytes()); err != nil {
				return err
			}
			return a.whole(nil)
		},
	}
	cmd.Flags().IntVar(&budget, "budget", defaultBudget, "`CHARACTERS` that a host sets aside for names and descriptions")
	cmd.Flags().StringVar(&format, "format", "text", "text or json `FORMAT`")
	a.addDocumentFlags(cmd)
	return cmd
}

// A plan is what becomes of a listing in each mode.
type plan struct {
	Budget int        `json:"budget"`
	Served int        `json:"served"`
	Modes  []planMode `json:"modes"`
	// Suggestion is a part of a configuration file, and Why says what it does.
	Suggestion string `json:"suggestion"`
	Why        string `json:"why"`
}

// A planMode is a mode of listing, and what a host gets in it.
type planMode struct {
	Mode       string `json:"mode"`
	Listed     int    `json:"listed"`
	Pages      int    `json:"pages"`
	Bytes      int    `json:"bytes"`
	Characters int    `json:"characters"`
	// Shown are the skills whose name and description fit the budget; Lost are
	// listed skills that do not.
	Shown int `json:"shown"`
	Lost  int `json:"lost"`
	// Unlisted are served skills that the mode does not list.
	Unlisted int `json:"unlisted"`
}

// A listedSkill is what a host shows of a skill.
type listedSkill struct {
	path  string // without the scheme and SKILL.md
	chars int
}

func (a *app) plan(ctx context.Context, s *session, budget int) (*plan, error) {
	catalog, sources, err := a.open(ctx, s)
	if err != nil {
		return nil, err
	}
	p := &plan{Budget: budget}
	for _, err := range catalog.Paths(ctx, "") {
		if err != nil {
			return nil, err
		}
		p.Served++
	}
	mounts := make([]framework.Mount, len(sources))
	for i, src := range sources {
		mounts[i] = framework.Mount{Prefix: src.prefix, Generator: src.generator}
	}
	var all []listedSkill
	for _, mode := range []string{"all", "featured", "guide", "none"} {
		own, config := *s, *s.Config
		own.Config, config.Listing = &config, mode
		catalog, err := newCatalog(&own, mounts)
		if err != nil {
			return nil, unusable(err)
		}
		skills, m, err := list(ctx, &own, catalog)
		if err != nil {
			return nil, err
		}
		m.Mode, m.Listed, m.Unlisted = mode, len(skills), p.Served-len(skills)
		for _, skill := range skills {
			if m.Characters += skill.chars; m.Characters <= budget {
				m.Shown++
			}
		}
		m.Lost = m.Listed - m.Shown
		p.Modes = append(p.Modes, m)
		if mode == "all" {
			all = skills
		}
	}
	p.suggest(all)
	return p, nil
}

// list reads each page of a listing, as a client does.
func list(ctx context.Context, s *session, catalog *framework.Catalog) (skills []listedSkill, m planMode, err error) {
	binding, err := bind(catalog, s, newMonitor(catalog))
	if err != nil {
		return nil, m, err
	}
	for cursor := ""; ; {
		response, err := ask(ctx, binding.Handler(), "skills/list", cursor)
		if err != nil {
			return nil, m, err
		}
		m.Pages++
		m.Bytes += len(response)
		var message struct {
			Error  *mcp.JSONRPCErrorDetails
			Result struct {
				Skills []struct {
					URI         string
					Frontmatter struct{ Name, Description string }
				}
				NextCursor string
			}
		}
		if err := json.Unmarshal(response, &message); err != nil {
			return nil, m, fmt.Errorf("skills/list: %w", err)
		}
		if message.Error != nil {
			return nil, m, fmt.Errorf("skills/list: %s", message.Error.Message)
		}
		for _, skill := range message.Result.Skills {
			_, path, _ := strings.Cut(skill.URI, "://")
			skills = append(skills, listedSkill{
				path:  strings.TrimSuffix(path, "/SKILL.md"),
				chars: utf8.RuneCountInString(skill.Frontmatter.Name) + len(": \n") + utf8.RuneCountInString(skill.Frontmatter.Description),
			})
		}
		if cursor = message.Result.NextCursor; cursor == "" {
			return skills, m, nil
		}
	}
}

// ask sends a request of protocol version 2026-07-28 to a handler and returns the
// response.
func ask(ctx context.Context, h http.Handler, method, cursor string) ([]byte, error) {
	params := map[string]any{"_meta": map[string]any{
		mcp.MetaKeyProtocolVersion: mcp.ProtocolVersion20260728, mcp.MetaKeyClientCapabilities: struct{}{},
	}}
	if cursor != "" {
		params["cursor"] = cursor
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/mcp", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(mcp.HeaderProtocolVersion, mcp.ProtocolVersion20260728)
	r.Header.Set(mcp.HeaderMethod, method)
	w := &response{header: http.Header{}}
	h.ServeHTTP(w, r)
	return w.body.Bytes(), ctx.Err()
}

// A response keeps what a handler writes.
type response struct {
	header http.Header
	body   bytes.Buffer
}

func (w *response) Header() http.Header         { return w.header }
func (w *response) WriteHeader(int)             {}
func (w *response) Write(p []byte) (int, error) { return w.body.Write(p) }

// suggest chooses a mode: the richest of which nothing is lost, or the guides and
// as many whole groups as fit beside them, small ones first.
func (p *plan) suggest(all []listedSkill) {
	mode := func(name string) planMode {
		return p.Modes[slices.IndexFunc(p.Modes, func(m planMode) bool { return m.Mode == name })]
	}
	if m := mode("all"); m.Lost == 0 && m.Unlisted == 0 {
		p.Suggestion, p.Why = "listing: all\n", fmt.Sprintf("all %d skills fit", m.Listed)
		return
	}
	guide := mode("guide")
	if guide.Lost > 0 {
		p.Suggestion = "listing: guide\n"
		p.Why = fmt.Sprintf("not even the %d guides fit; serve fewer documents to such a host, or exclude operations", guide.Listed)
		return
	}
	type group struct {
		path          string
		skills, chars int
	}
	var groups []*group
	for _, skill := range all {
		i := strings.LastIndexByte(skill.path, '/')
		if strings.Count(skill.path, "/") < 2 {
			continue // a guide
		}
		path := skill.path[:i]
		at := slices.IndexFunc(groups, func(g *group) bool { return g.path == path })
		if at < 0 {
			at = len(groups)
			groups = append(groups, &group{path: path})
		}
		groups[at].skills++
		groups[at].chars += skill.chars
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(a.chars, b.chars) })
	left, shown := p.Budget-guide.Characters, 0
	var chosen []string
	for _, g := range groups {
		if g.chars > left {
			break
		}
		left -= g.chars
		shown += g.skills
		chosen = append(chosen, g.path+"/*")
	}
	slices.Sort(chosen)
	if len(chosen) == 0 {
		p.Suggestion = "listing: guide\n"
		p.Why = "the guides fit, and lead to all skills; no whole group fits beside them"
		return
	}
	var b strings.Builder
	b.WriteString("listing: featured\nfeatured:\n")
	for _, path := range chosen {
		fmt.Fprintf(&b, "  - %s\n", path)
	}
	p.Suggestion = b.String()
	p.Why = fmt.Sprintf("the guides lead to all skills; %s of %s fit beside them. Choose those that are used most", count(shown, "skill"), count(len(chosen), "small group"))
}

func (p *plan) write(w io.Writer) {
	fmt.Fprintf(w, "%s served; a host with %s for names and descriptions:\n\n", count(p.Served, "skill"), count(p.Budget, "character"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "listing\tlisted\tpages\tbytes\tcharacters\tshown\tlost\tunlisted\t")
	for _, m := range p.Modes {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", m.Mode, m.Listed, m.Pages, m.Bytes, m.Characters, m.Shown, m.Lost, m.Unlisted)
	}
	t.Flush()
	fmt.Fprintf(w, "\nSuggested, since %s:\n\n%s", p.Why, indent(p.Suggestion))
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
	return b.String()
}
