package templates

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A Guide is the skill that finds the others of an API: its groups with a file
// for each, and what the operations share. guide.md.tmpl renders it as
// SKILL.md, guide_group.md.tmpl each file of groups, guide_notation.md.tmpl the
// grammar of inputs and answers, guide_credentials.md.tmpl how to get tokens and
// guide_description.md.tmpl the document's words, the latter two where they are
// long.
//
// Fields of type [Prose] are words of the document, fields of type [Markdown]
// are ready to print; a string is one of ours unless its comment says otherwise.
type Guide struct {
	// Name is the skill's name, Description its description: one line.
	Name, Description string
	// Metadata is the frontmatter's metadata.
	Metadata []Pair

	Title Prose
	// Index has one row a file or group, in the order of the files.
	Index []IndexRow
	// IndexNote says what the index does not show.
	IndexNote Markdown
	// Guidance is what the API's authors say to agents (x-skill). It is to be
	// quoted if Quoted is set: then no prose of the document stands outside of
	// quotations. Vouched says that it is not of the document, but of those who
	// serve the skills.
	Guidance Prose
	Quoted   bool
	Vouched  bool
	// Servers are the paragraphs of that section.
	Servers []Markdown
	// Credentials are the ways to be let in.
	Credentials Credentials
	// Shared are facts about several operations, one a bullet.
	Shared []Markdown
	// Document has the words of the document.
	Document Document

	// LongText and LongFlows put the document's text and the flows of the
	// credentials into files of their own; of the text the first Head
	// characters stay. RenderGuide sets them where SKILL.md gets too large.
	LongText, LongFlows bool
	Head                int
	// Compact leaves the document's words out of the index, LongIndex puts it
	// into a file of its own.
	Compact, LongIndex bool

	Files []GroupFile
}

// Told reports whether the index has words of the document.
func (g *Guide) Told() bool {
	return !g.Compact && slices.ContainsFunc(g.Index, func(r IndexRow) bool { return Line(string(r.Says)) != "" })
}

// An IndexRow is a line of the guide's table of groups.
type IndexRow struct {
	// Group is a slug, or the letter that several groups begin with.
	Group string
	// Count is the number of operations and what is special about them.
	Count Markdown
	Says  Prose
	Files []FileLink
}

// A FileLink is a link to a file, with the paths in it if the group has several.
type FileLink struct {
	File  string
	About Markdown
}

// Credentials lists what the security schemes of an API ask for.
type Credentials struct {
	Rows []CredentialRow
	// Notes stand below the table: public operations, webhooks.
	Notes []Markdown
	// Flows say how to get the tokens that the rows name.
	Flows []Flow
}

// A CredentialRow is one security scheme.
type CredentialRow struct {
	// Variables are the environment variables that hold its values.
	Variables []string
	Scheme    Markdown
	SentAs    Markdown
	NeededBy  Markdown
	Says      Prose
}

// A Flow is a way to get a token.
type Flow struct {
	Text Markdown
	// Command has no final newline; it is "" where a person has to act.
	Command string
	// Scopes is a block of notation, for all flows above it.
	Scopes string
}

// A GroupFile is a file of the guide: one group, or part of one, or several
// small ones.
type GroupFile struct {
	// File is its path in the skill.
	File  string
	Title Markdown
	// Part says which part of a group it is; Others are the other parts.
	Part   Markdown
	Others []FileLink
	Groups []GroupSection
}

// A GroupSection lists the operations of one group.
type GroupSection struct {
	// Name is the group's slug; it is the heading where the file has several.
	Name string
	// Place says which group the group is part of, and what kind its tag is.
	Place Markdown
	Says  Prose
	// Suspicious is true if Says looks like instructions to an agent.
	Suspicious bool
	// Guidance is what the API's authors say to agents, to be quoted if Quoted
	// is set and Vouched is not.
	Guidance Prose
	Quoted   bool
	Vouched  bool
	// DocsURL and DocsText are the tag's external documentation.
	DocsURL  Markdown
	DocsText Prose
	// Rows are the operations, then the webhooks.
	Rows []OperationRow
	// Callbacks are sent to an address that a request names.
	Callbacks []CallbackRow
	// Ids tell where the parameters come from.
	Ids []IDRow
}

// An OperationRow is one operation or webhook.
type OperationRow struct {
	Webhook bool
	Call    Markdown // a code span
	Effect  string   // "read", "write", "destructive" or "receive", and "deprecated"
	Does    Prose
	Note    Markdown // ours, after the document's words
	URI     string
}

// Calls are the rows of operations, Webhooks those of webhooks.
func (s *GroupSection) Calls() []OperationRow { return s.Rows[:s.calls()] }

// Webhooks are the rows that Calls leaves.
func (s *GroupSection) Webhooks() []OperationRow { return s.Rows[s.calls():] }

func (s *GroupSection) calls() int {
	if i := slices.IndexFunc(s.Rows, func(r OperationRow) bool { return r.Webhook }); i >= 0 {
		return i
	}
	return len(s.Rows)
}

// A CallbackRow is one callback of an operation.
type CallbackRow struct {
	Name string // as in the document
	Call Markdown
	URI  string
}

// An IDRow says which answer an identifier stands in.
type IDRow struct {
	ID, From, How Markdown
}

// Names of the guide's files. A group's slug has no point in it, so that none
// of these can be the file of another group.
const (
	notationFile    = "references/notation.md"
	credentialsFile = "references/credentials.md"
	descriptionFile = "references/description.md"
	indexFile       = "references/groups.md"
)

func groupPart(group string, part int) string {
	switch name := "references/" + group; {
	case part > 1:
		return fmt.Sprintf("%s.%d.md", name, part)
	case slices.Contains([]string{notationFile, credentialsFile, descriptionFile, indexFile}, name+".md"):
		return name + ".group.md"
	default:
		return name + ".md"
	}
}

func lettersPart(letter string, part int) string {
	if part > 1 {
		return fmt.Sprintf("references/%s.groups.%d.md", letter, part)
	}
	return fmt.Sprintf("references/%s.groups.md", letter)
}

// Limits of the guide's files.
const (
	maxGroupFiles = 100      // groups or letters; parts of them come on top
	maxFileRows   = 150      // operations in one file
	maxFileBytes  = 22 << 10 // of a file's table; with the text around it, below 24 KiB
	maxParts      = 380      // parts in all; files grow beyond that
	maxLinks      = 8        // to parts of one group, in SKILL.md
)

// SetGroups makes the index and the files of groups, which must be ascending by
// name. Groups beyond the first hundred in size share files by their first
// letter; a file of more than 150 operations or 22 KiB is split.
func (g *Guide) SetGroups(groups []GroupSection) {
	total := 0
	for _, s := range groups {
		total += len(s.Rows)
	}
	rows := max(maxFileRows, total/maxParts+1)
	size := maxFileBytes
	if rows > maxFileRows {
		size = rows * 400
	}

	g.Index, g.Files, g.IndexNote = nil, nil, ""
	own := largest(groups, maxGroupFiles)
	letters := map[string][]GroupSection{}
	for _, s := range groups {
		if !own[s.Name] {
			letters[s.Name[:1]] = append(letters[s.Name[:1]], s)
		}
	}
	for i := range groups {
		s := groups[i]
		if own[s.Name] {
			g.add(s.Name, groups[i:i+1], func(n int) string { return groupPart(s.Name, n) }, rows, size)
			continue
		}
		if l := s.Name[:1]; letters[l] != nil {
			g.add(l, letters[l], func(n int) string { return lettersPart(l, n) }, rows, size)
			letters[l] = nil
		}
	}
	if len(own) < len(groups) {
		g.IndexNote = "A group that is not in the table is in the file of the groups that begin with its first character."
	}
}

// largest returns the names of the groups that get a file of their own.
func largest(groups []GroupSection, limit int) map[string]bool {
	const letters = 36
	own := map[string]bool{}
	if len(groups) <= limit {
		for _, s := range groups {
			own[s.Name] = true
		}
		return own
	}
	order := slices.Clone(groups)
	slices.SortStableFunc(order, func(a, b GroupSection) int { return len(b.Rows) - len(a.Rows) })
	for _, s := range order[:max(limit-letters, 0)] {
		own[s.Name] = true
	}
	return own
}

// add appends the files of groups and their row of the index.
func (g *Guide) add(name string, groups []GroupSection, file func(part int) string, maxRows, maxBytes int) {
	several := len(groups) > 1 || file(1) == lettersPart(name, 1)
	var parts [][]GroupSection
	var current []GroupSection
	rows, size, count, webhooks := 0, 0, 0, 0
	for _, s := range groups {
		rest := s.Rows
		count += len(rest)
		webhooks += len(s.Webhooks())
		for first := true; first || len(rest) > 0; first = false {
			n := 0
			for n < len(rest) && rows+n < maxRows && (rows+n == 0 || size < maxBytes) {
				size += rest[n].size()
				n++
			}
			if n == 0 && len(rest) > 0 {
				parts, current, rows, size = append(parts, current), nil, 0, 0
				continue
			}
			if first {
				size += min(len(s.Says), maxQuote) + min(len(s.Guidance), maxQuote)
			}
			piece := s
			piece.Rows = rest[:n]
			if rest = rest[n:]; len(rest) > 0 { // they stand at the end
				piece.Callbacks, piece.Ids = nil, nil
			}
			if !first {
				piece.Says, piece.Suspicious, piece.Guidance, piece.DocsURL, piece.DocsText = "", false, "", "", ""
			}
			current = append(current, piece)
			rows += n
		}
	}
	parts = append(parts, current)

	row := IndexRow{Group: name, Count: Markdown(fmt.Sprint(count))}
	if !several {
		if !groups[0].Suspicious && !groups[0].Quoted {
			row.Says = groups[0].Says
		}
	} else {
		row.Count += Markdown(fmt.Sprintf(" in %d groups", len(groups)))
	}
	switch webhooks {
	case 0:
	case count:
		row.Count += " (sent to you)"
	default:
		row.Count += Markdown(fmt.Sprintf(", of which %d are sent to you", webhooks))
	}
	links := make([]FileLink, len(parts))
	for i, p := range parts {
		links[i].File = file(i + 1)
		if len(parts) > 1 {
			links[i].About = extent(p, several)
		}
	}
	row.Files = links
	many := len(parts) > maxLinks
	if many {
		row.Files = []FileLink{{links[0].File, Markdown(fmt.Sprintf("part 1 of %d, which lists the others", len(parts)))}}
	}
	g.Index = append(g.Index, row)
	for i, p := range parts {
		f := GroupFile{File: links[i].File, Groups: p, Title: "Group " + Markdown(name)}
		if several {
			f.Title = "Groups that begin with " + Markdown(Code(name))
		}
		if len(parts) > 1 {
			f.Part = Markdown(fmt.Sprintf("Part %d of %d: %s.", i+1, len(parts), links[i].About))
			if f.Others = slices.Concat(links[:i], links[i+1:]); many && i > 0 {
				f.Others = links[:1]
			}
		}
		g.Files = append(g.Files, f)
	}
}

// size is about what the row costs in a file.
func (r OperationRow) size() int {
	return len(r.Call) + len(r.Effect) + min(len(r.Does), maxCell) + len(r.Note) + len(r.URI) + 16
}

// extent says what a part begins and ends with.
func extent(p []GroupSection, several bool) Markdown {
	first, last := p[0], p[len(p)-1]
	if several {
		return Markdown(Code(first.Name) + " to " + Code(last.Name))
	}
	return first.Rows[0].Call + " to " + last.Rows[len(last.Rows)-1].Call
}

// Limits of the guide's SKILL.md: 5,000 tokens at three bytes a token, and 500
// lines. Text of more than headText characters has a file of its own.
const (
	maxGuideBytes = 15000
	maxGuideLines = 499
	headText      = 1200
)

// RenderGuide renders the guide of an API, SKILL.md first.
func (s *Set) RenderGuide(guide *Guide) ([]RenderedFile, error) {
	g := *guide
	g.Head = headText
	g.LongText = len([]rune(string(g.Document.Text))) > headText
	scopes := 0
	for _, f := range g.Credentials.Flows {
		scopes += strings.Count(f.Scopes, "\n")
	}
	g.LongFlows = scopes > 20
	// What has a file of its own goes there first; then the rest is shortened.
	for _, shrink := range []func(){
		func() { g.LongText, g.LongFlows = g.Document.Text != "", len(g.Credentials.Flows) > 0 },
		func() { g.Compact = true },
		func() {
			g.LongIndex, g.Head = true, 200
			c := &g.Credentials
			if len(c.Rows) > 10 {
				c.Rows = c.Rows[:10]
				c.Notes = append(slices.Clone(c.Notes), "There are more; the skills name them.")
			}
			g.Servers = g.Servers[:min(len(g.Servers), 1)]
			g.Guidance = Prose(Plain(g.Guidance, maxInline))
		},
		nil,
	} {
		out, err := s.render([]endpointFile{{"SKILL.md", "guide.md.tmpl", &g}})
		if err != nil {
			return nil, err
		}
		if text := out[0].Content; shrink == nil || len(text) <= maxGuideBytes && bytes.Count(text, []byte("\n")) <= maxGuideLines {
			break
		}
		shrink()
	}

	files := []endpointFile{{"SKILL.md", "guide.md.tmpl", &g}}
	for i := range g.Files {
		files = append(files, endpointFile{g.Files[i].File, "guide_group.md.tmpl", &g.Files[i]})
	}
	files = append(files, endpointFile{notationFile, "guide_notation.md.tmpl", &g})
	if g.LongIndex {
		files = append(files, endpointFile{indexFile, "guide_index.md.tmpl", &g})
	}
	if g.LongFlows {
		files = append(files, endpointFile{credentialsFile, "guide_credentials.md.tmpl", &g})
	}
	if g.LongText {
		files = append(files, endpointFile{descriptionFile, "guide_description.md.tmpl", &g})
	}
	return s.render(files)
}

// WebURL returns an absolute http or https URL as an autolink. It reports false
// for any other.
func WebURL(url string) (link Markdown, ok bool) {
	url = Line(url)
	if !isWeb(url) || len(url) > 2000 {
		return "", false
	}
	return Markdown("<" + safeURL(url) + ">"), true
}

// base returns the last segment of a file's path: a link between files of the
// same directory.
func base(file string) string { return file[strings.LastIndexByte(file, '/')+1:] }
