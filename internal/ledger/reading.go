package ledger

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A spot is where something stands in a skill.
type spot struct {
	file string
	line int
}

// A reading is what a skill says of one operation: its own, or that of a
// callback.
type reading struct {
	parameters map[[2]string][]statement // by place and name
	bodies     []*group
	answers    map[string]*answer // by status
	scopes     []statement
	more       bool // some statuses are in references alone, and SKILL.md says so
	same       []same
}

// A same is a statement that statuses have the body or the headers of another.
type same struct {
	statuses []string
	of       string
	body     bool
	spot     spot
}

// share gives each status what it has in common with another.
func (r *reading) share() {
	for _, same := range r.same {
		of, ok := r.answers[same.of]
		for _, status := range same.statuses {
			switch a := r.answer(status); {
			case !ok:
			case same.body:
				a.mention(slices.Collect(maps.Keys(of.types)), same.spot)
			default:
				a.header(slices.Collect(maps.Keys(of.headers)), same.spot)
			}
		}
	}
}

// thatOf is how an answer says that its body is that of another.
var thatOf = regexp.MustCompile(`\bbody is that of ([A-Za-z0-9-]+)`)

// An answer is what a reading says of one status.
type answer struct {
	spots   []spot
	types   map[string]spot
	headers map[string]spot // by lower-case name
	groups  []*group
}

func (r *reading) answer(status string) *answer {
	a := r.answers[status]
	if a == nil {
		a = &answer{types: map[string]spot{}, headers: map[string]spot{}}
		r.answers[status] = a
	}
	return a
}

func newReading() *reading {
	return &reading{parameters: map[[2]string][]statement{}, answers: map[string]*answer{}}
}

// A skillPages is a skill, parsed.
type skillPages struct {
	uri   string
	pages []*page
	main  *page
	own   *reading
	calls []calledBack
}

// A calledBack is a section about the operation of a callback.
type calledBack struct {
	name, method, where string
	spot                spot
	reading             *reading
}

// readSkill parses the files of a skill and sorts out what they say.
func readSkill(s Skill) *skillPages {
	sk := &skillPages{uri: s.URI, main: &page{}, own: newReading()}
	for _, f := range s.Files {
		if !strings.HasSuffix(f.Name, ".md") {
			continue
		}
		p := readPage(f)
		sk.pages = append(sk.pages, p)
		if f.Name == "SKILL.md" {
			sk.main = p
		}
	}
	slices.SortStableFunc(sk.pages, func(a, b *page) int { // SKILL.md first
		return strings.Compare(a.name, b.name)
	})
	for _, p := range sk.pages {
		for i := range p.sections {
			sk.section(p, &p.sections[i])
		}
	}
	sk.own.share()
	return sk
}

// reference returns the stem of a file below references, without the number of
// a file that goes on another: "responses" of references/responses-2.md.
func reference(name string) string {
	stem, ok := strings.CutPrefix(name, "references/")
	if !ok {
		return ""
	}
	stem = strings.TrimSuffix(stem, ".md")
	return numbered.ReplaceAllString(stem, "")
}

var (
	numbered    = regexp.MustCompile(`-\d+$`)
	callHeading = regexp.MustCompile("^(`+.+?`+): ([A-Z]+) to (.*)$")
)

func (sk *skillPages) section(p *page, s *section) {
	stem := reference(p.name)
	switch {
	case stem == "parameters", stem == "request", stem == "" && (s.h2 == "Inputs" || s.h2 == "What arrives"):
		sk.own.inputs(s)
	case stem == "" && s.h2 == "Answer" && s.h3 == "Errors", stem == "" && s.h2 == "What to answer":
		sk.own.failures(s)
	case stem == "" && s.h2 == "Answer" && s.h3 != "":
		sk.own.success(s, s.h3)
	case stem == "" && s.h2 == "Answer":
		sk.own.failures(s)
	case stem == "responses":
		sk.own.success(s, s.h2)
	case stem == "callbacks":
		title := strings.TrimSuffix(s.h2, ", continued")
		m := callHeading.FindStringSubmatch(title)
		if m == nil {
			return
		}
		c := calledBack{name: spans(m[1])[0], method: m[2], where: m[3], spot: spot{s.file, s.line}}
		i := slices.IndexFunc(sk.calls, func(o calledBack) bool { return o.name == c.name && o.method == c.method && o.where == c.where })
		if i < 0 {
			c.reading = newReading()
			sk.calls = append(sk.calls, c)
			i = len(sk.calls) - 1
		}
		sk.calls[i].reading.inputs(s)
		sk.calls[i].reading.failures(s)
	}
}

// inputs reads notation of what is sent.
func (r *reading) inputs(s *section) {
	for _, b := range s.blocks {
		if b.kind != fence || b.info != "text" {
			continue
		}
		for _, g := range notation(s.file, b) {
			switch g.name {
			case "path", "query", "header", "cookie", "querystring":
				for _, m := range g.top() {
					k := parameterKey(g.name, m.name)
					r.parameters[k] = append(r.parameters[k], m)
				}
			case "body":
				r.bodies = append(r.bodies, g)
			case "scopes":
				r.scopes = append(r.scopes, g.members...)
			}
		}
	}
}

func parameterKey(in, name string) [2]string {
	if in == "header" {
		name = strings.ToLower(name)
	}
	return [2]string{in, name}
}

// success reads a section about one status, or about several.
func (r *reading) success(s *section, title string) {
	statuses, rest := statusList(strings.TrimSuffix(title, ", continued"))
	at := spot{s.file, s.line}
	for _, status := range statuses {
		a := r.answer(status)
		a.spots = append(a.spots, at)
		a.mention(spans(rest), at)
		for _, b := range s.blocks {
			a.read(s.file, b)
			if b.kind != paragraph {
				continue
			}
			if m := thatOf.FindStringSubmatch(b.text); m != nil {
				r.same = append(r.same, same{[]string{status}, m[1], true, spot{s.file, b.line}})
			}
		}
	}
}

// failures reads the tables of statuses and what stands under them.
func (r *reading) failures(s *section) {
	var about []string // statuses that the next fence is about
	var types []string
	for _, b := range s.blocks {
		at := spot{s.file, b.line}
		switch b.kind {
		case row:
			if len(b.cells) == 0 {
				break
			}
			r.more = r.more || strings.HasSuffix(b.cells[0], " more")
			statuses, rest := statusList(b.cells[0])
			if rest != "" || b.cells[0] == "Status" {
				break
			}
			for _, status := range statuses {
				a := r.answer(status)
				a.spots = append(a.spots, at)
				for i, cell := range b.cells {
					switch {
					case i == 2 && len(b.cells) == 3: // the body of an answer to give
						a.mention(spans(cell), at)
					case i == 2: // what to do
						a.header(spans(cell), at)
					}
				}
			}
		case paragraph:
			about, types = nil, nil
			if rest, ok := strings.CutPrefix(b.text, "Headers of "); ok {
				statuses, rest := statusList(rest)
				if of, ok := strings.CutPrefix(rest, ": those of "); ok {
					r.same = append(r.same, same{statuses, strings.TrimSuffix(of, "."), false, at})
					break
				}
				for _, status := range statuses {
					r.answer(status).header(spans(rest), at)
				}
			}
			for _, clause := range clauses(b.text) {
				clause = strings.TrimPrefix(clause, "Headers of ")
				statuses, rest := statusList(clause)
				if len(statuses) == 0 {
					continue
				}
				about = append(about, statuses...)
				types = spans(rest)
				for _, status := range statuses {
					r.answer(status).mention(types, at)
				}
			}
		case fence:
			for _, status := range about {
				r.answer(status).read(s.file, b)
			}
		}
	}
}

// clauses splits a sentence at the semicolons that are in no code span: media
// types have some.
func clauses(text string) []string {
	var out []string
	code, from := false, 0
	for i := range len(text) {
		switch {
		case text[i] == '`':
			code = !code
		case !code && strings.HasPrefix(text[i:], "; "):
			out = append(out, text[from:i])
			from = i + 2
		}
	}
	return append(out, text[from:])
}

// mention notes code spans that may be media types.
func (a *answer) mention(names []string, at spot) {
	for _, name := range names {
		if _, ok := a.types[name]; !ok {
			a.types[name] = at
		}
	}
}

// header notes code spans that may be headers.
func (a *answer) header(names []string, at spot) {
	for _, name := range names {
		name = strings.ToLower(name)
		if _, ok := a.headers[name]; !ok {
			a.headers[name] = at
		}
	}
}

// read reads a block about the answer.
func (a *answer) read(file string, b block) {
	switch {
	case b.kind == fence && b.info == "text":
		for _, g := range notation(file, b) {
			switch g.name {
			case "headers":
				for _, m := range g.top() {
					a.header([]string{m.name}, spot{file, m.line})
				}
			default:
				a.mention(g.types, spot{file, g.line})
				a.groups = append(a.groups, g)
			}
		}
	case b.kind == paragraph || b.kind == item:
		a.mention(spans(b.text), spot{file, b.line})
	}
}

// statusList reads "401, 403 and default" from the beginning of a text.
func statusList(text string) (statuses []string, rest string) {
	rest = text
	if after, ok := strings.CutPrefix(rest, "any status"); ok {
		return []string{"default"}, after
	}
	for {
		end := 0
		for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9' || rest[end] >= 'a' && rest[end] <= 'z' || rest[end] >= 'A' && rest[end] <= 'Z' || rest[end] == '-') {
			end++
		}
		word := rest[:end]
		if !looksLikeStatus(word) {
			return statuses, rest
		}
		statuses = append(statuses, word)
		rest = rest[end:]
		switch {
		case strings.HasPrefix(rest, ", "):
			rest = rest[2:]
		case strings.HasPrefix(rest, " and "):
			rest = rest[5:]
		default:
			return statuses, rest
		}
	}
}

var statusPattern = regexp.MustCompile(`^(?:[0-9][0-9X]{2}|default)$`)

func looksLikeStatus(s string) bool { return statusPattern.MatchString(s) }
