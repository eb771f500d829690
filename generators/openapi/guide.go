package openapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/apiskills/apiskills/generators/openapi/internal/endpoint"
	"github.com/apiskills/apiskills/generators/templates"
)

const (
	maxNames  = 10 // operations that a sentence of the guide names
	maxRows   = 30 // of the guide's table of credentials
	maxIDRows = 60 // of a group's table of ids
)

// A guideMaker makes the guide of an API. It reads all operations, which is
// what sets the guide apart from every other skill.
type guideMaker struct {
	g     *Generator
	ops   []*facts // by path and method, webhooks last
	calls int      // operations that can be called
	info  struct {
		Title, Summary, Description string
	}
}

// guide describes the guide.
func (g *Generator) guide(ctx context.Context) (*templates.Guide, error) {
	m := &guideMaker{g: g}
	if raw, ok := g.doc.At("/info"); ok {
		m.info.Title, m.info.Summary, m.info.Description = g.words(member(raw, "title")), g.words(member(raw, "summary")), g.words(member(raw, "description"))
	}
	s := newScanner(g)
	m.ops = make([]*facts, len(g.ops))
	for i := range m.ops {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m.ops[i] = s.scan(int32(i))
		if !m.ops[i].webhook {
			m.calls++
		}
	}

	guide := &templates.Guide{
		Name:     g.guideName(),
		Title:    templates.Prose(cmp.Or(g.aside(m.info.Title), g.api)),
		Quoted:   g.prose != ProseFull,
		Metadata: []templates.Pair{{Key: "api", Value: g.api}, {Key: "kind", Value: "guide"}, {Key: "openapi", Value: templates.Line(g.doc.OpenAPI)}},
	}
	if v := templates.Plain(templates.Prose(g.doc.Version), 60); v != "" && (g.prose == ProseFull || !strings.Contains(v, " ")) {
		guide.Metadata = append(guide.Metadata, templates.Pair{Key: "api-version", Value: v})
	}
	groups := m.groups()
	guide.SetGroups(groups)
	guide.Description = cmp.Or(templates.Plain(templates.Prose(g.aside(g.authors.root.description)), maxDescription), m.description(groups))
	guide.Guidance = g.said(g.authors.root.guidance)
	if s := g.snippets.guide; s != "" {
		guide.Guidance, guide.Vouched = templates.Prose(s), true
	}
	guide.Servers = m.servers()
	guide.Credentials = m.credentials()
	guide.Shared = m.shared()
	guide.Document.Text = templates.Prose(m.info.Description)
	guide.Document.Suspicious = templates.Suspicious(guide.Document.Text)
	if raw, ok := g.doc.At("/externalDocs"); ok {
		if url, ok := templates.WebURL(text(member(raw, "url"))); ok {
			guide.Document.DocsURL = url
			guide.Document.DocsText = templates.Prose(g.words(member(raw, "description")))
		}
	}
	return guide, nil
}

var namesAPI = regexp.MustCompile(`(?i)\bapis?\b`)

// description is the guide's description: when to load it.
func (m *guideMaker) description(groups []templates.GroupSection) string {
	title := templates.Plain(templates.Prose(m.g.aside(m.info.Title)), 80)
	if title == "" {
		title = m.g.api
	}
	if !namesAPI.MatchString(title) {
		title += " API"
	}
	var b strings.Builder
	b.WriteString("Guide to the " + title)
	about := templates.Sentences(templates.Prose(m.g.aside(cmp.Or(m.info.Summary, m.info.Description))), 120)
	if !strings.HasSuffix(about, "...") {
		about = strings.TrimSuffix(about, ".")
	}
	if about != "" {
		b.WriteString(" (" + about + ")")
	}
	b.WriteString(". Start here to find the skill for a call, to get credentials, or when a call fails. ")
	b.WriteString(count(m.calls, "operation", "operations"))
	if n := len(m.ops) - m.calls; n > 0 {
		b.WriteString(" and " + count(n, "webhook", "webhooks"))
	}
	list, size := []string{}, 0
	for _, g := range groups {
		if size += len(g.Name) + 2; size > 240 {
			break
		}
		list = append(list, g.Name)
	}
	switch {
	case len(groups) == 0:
		b.WriteString(".")
	case len(groups) == 1:
		b.WriteString(" in the group " + list[0] + ".")
	case len(list) == len(groups):
		b.WriteString(" in the groups " + strings.Join(list, ", ") + ".")
	default:
		fmt.Fprintf(&b, " in %d groups, among them %s.", len(groups), strings.Join(list, ", "))
	}
	return b.String()
}

// methods rank as people think of a resource: read, make, change, remove.
var methods = map[string]int{"GET": 1, "HEAD": 2, "QUERY": 3, "POST": 4, "PUT": 5, "PATCH": 6, "DELETE": 7}

// groups lists the operations by group.
func (m *guideMaker) groups() []templates.GroupSection {
	tags := m.tags()
	byName := map[string]*templates.GroupSection{}
	of := func(name string) *templates.GroupSection {
		s := byName[name]
		if s == nil {
			s = &templates.GroupSection{Name: name}
			byName[name] = s
		}
		return s
	}
	tagOf := map[string]string{} // group -> the first of its tags
	guidance := map[string]templates.Prose{}
	for _, t := range m.tagsOfGroups() {
		if tagOf[t.group] == "" {
			tagOf[t.group] = t.tag
		}
		if g := tags[t.tag].guidance; g != "" && guidance[t.group] != "" {
			guidance[t.group] += "\n\n" + g
		} else {
			guidance[t.group] += g
		}
	}
	order := slices.Clone(m.ops)
	slices.SortStableFunc(order[:m.calls], func(a, b *facts) int { // webhooks stand last, by name
		_, pa, _ := strings.Cut(a.call, " ")
		_, pb, _ := strings.Cut(b.call, " ")
		return cmp.Or(strings.Compare(pa, pb), cmp.Compare(rank(a.method), rank(b.method)), strings.Compare(a.method, b.method))
	})
	for _, f := range order {
		s := of(f.group)
		row := templates.OperationRow{
			Webhook: f.webhook,
			Call:    templates.Markdown(templates.CodeCell(f.call)),
			Effect:  f.effect,
			Does:    templates.Prose(f.summary),
			URI:     m.g.uri(f.path),
		}
		if f.webhook {
			row.Call += templates.Markdown(" (" + templates.Code(templates.Line(f.method)) + ")")
		}
		if m.g.prose != ProseFull {
			op := &m.g.ops[f.op]
			row.Does = templates.Prose(endpoint.Made(op.Method, op.Path, op.Webhook, op.OperationID))
		} else if templates.Line(f.summary) == "" {
			row.Does = templates.Prose(templates.Sentences(templates.Prose(f.description), 160))
		}
		if templates.Suspicious(row.Does) {
			row.Does, row.Note = "", "the document's words look like instructions: see the skill"
		}
		if f.deprecated {
			row.Effect += ", deprecated"
			if f.replacedBy != "" {
				if row.Note != "" {
					row.Note += "; "
				}
				row.Note += templates.Markdown("use " + templates.CodeCell(f.replacedBy))
			}
		}
		s.Rows = append(s.Rows, row)
		for _, c := range sorted(f.callbacks) {
			s.Callbacks = append(s.Callbacks, templates.CallbackRow{Name: c, Call: templates.Markdown(templates.CodeCell(f.call)), URI: row.URI})
		}
		m.ids(f, of)
	}
	m.inferredIDs(of)
	list := make([]templates.GroupSection, 0, len(byName))
	for name, s := range byName {
		if tag, ok := tagOf[name]; ok {
			t := tags[tag]
			s.Says, s.Guidance, s.DocsURL, s.DocsText = t.says, guidance[name], t.docsURL, t.docsText
			s.Place, s.Quoted = m.place(t, tagOf), m.g.prose != ProseFull
			if plain := templates.Plain(templates.Prose(tag), 80); letters(plain) != letters(name) && !t.told { // the slug hides it
				says := templates.Prose(plain)
				if s.Says != "" {
					says += ": " + s.Says
				}
				s.Says = says
			}
		}
		s.Suspicious = templates.Suspicious(s.Says)
		if snippet := m.g.snippets.groups[name]; snippet != "" {
			s.Guidance, s.Vouched = templates.Prose(snippet), true
		}
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b templates.GroupSection) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// A tagged group is a group with one of the tags that it is made of.
type taggedGroup struct{ group, tag string }

// tagsOfGroups returns the tags that groups are made of, ascending. Where an
// operation says its group itself its tag has no part in it.
func (m *guideMaker) tagsOfGroups() []taggedGroup {
	seen := map[taggedGroup]bool{}
	for i, f := range m.ops {
		if op := &m.g.ops[i]; !f.webhook && op.Tag != "" && !m.g.authors.own[op.Pointer] {
			seen[taggedGroup{f.group, op.Tag}] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b taggedGroup) int {
		return cmp.Or(strings.Compare(a.group, b.group), strings.Compare(a.tag, b.tag))
	})
}

// letters returns the letters and digits of s in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func rank(method string) int { return cmp.Or(methods[method], 8) }

// ids notes in the groups of other operations which of their parameters f gives.
func (m *guideMaker) ids(f *facts, of func(string) *templates.GroupSection) {
	slices.SortStableFunc(f.links, func(a, b link) int {
		return cmp.Or(strings.Compare(a.status, b.status), strings.Compare(a.name, b.name))
	})
	for _, l := range f.links {
		n, ok := m.g.lookup(l.operationID, l.operationRef)
		if !ok {
			continue
		}
		s := of(m.ops[n].group)
		parameters := make([]string, 0, len(l.parameters))
		for p := range l.parameters {
			parameters = append(parameters, p)
		}
		slices.Sort(parameters)
		for _, p := range parameters {
			where, ok := place(l.parameters[p])
			if !ok {
				continue
			}
			name := p
			for _, in := range []string{"path.", "query.", "header.", "cookie."} {
				name = strings.TrimPrefix(name, in)
			}
			row := templates.IDRow{
				ID:   templates.Markdown(templates.CodeCell(name)),
				From: templates.Markdown(templates.CodeCell(where) + " of the " + templates.Line(l.status) + " answer of " + templates.CodeCell(f.call)),
				How:  templates.Markdown("link " + templates.CodeCell(l.name)),
			}
			i := slices.IndexFunc(s.Ids, func(r templates.IDRow) bool { return r.ID == row.ID && r.From == row.From })
			switch {
			case i < 0 && len(s.Ids) < maxIDRows:
				s.Ids = append(s.Ids, row)
			case i >= 0 && len(s.Ids[i].How) < 200: // several operations take the same value
				s.Ids[i].How += templates.Markdown(", " + templates.CodeCell(l.name))
			}
		}
	}
}

type tag struct {
	says, guidance, docsText templates.Prose
	docsURL                  templates.Markdown
	parent, kind             string // OpenAPI 3.2, "Tag Object"
	told                     bool   // says is what the authors want to be said of the group
}

// place says where a tag stands among the others, and what kind it is.
func (m *guideMaker) place(t tag, tagOf map[string]string) templates.Markdown {
	var facts []string
	if t.parent != "" {
		parent := templates.Code(templates.Plain(templates.Prose(t.parent), 80))
		for _, group := range slices.Sorted(maps.Keys(tagOf)) {
			if tagOf[group] == t.parent {
				parent = "the group " + templates.Code(group)
				break
			}
		}
		facts = append(facts, "Part of "+parent+".")
	}
	if t.kind != "" {
		facts = append(facts, "Tag of the kind "+templates.Code(templates.Plain(templates.Prose(t.kind), 80))+".")
	}
	return templates.Markdown(strings.Join(facts, " "))
}

// tags returns the document's tags by name.
func (m *guideMaker) tags() map[string]tag {
	tags := map[string]tag{}
	raw, _ := m.g.doc.At("/tags")
	elements(raw, func(v []byte) bool {
		if name := text(member(v, "name")); name != "" {
			t := tag{
				says:     templates.Prose(cmp.Or(m.g.words(member(v, "description")), m.g.words(member(v, "summary")))),
				guidance: m.g.said(m.g.authors.tags[name].guidance),
				parent:   text(member(v, "parent")),
				kind:     text(member(v, "kind")),
			}
			if d := m.g.said(m.g.authors.tags[name].description); d != "" {
				t.says, t.told = d, true
			}
			docs := member(v, "externalDocs")
			if url, ok := templates.WebURL(text(member(docs, "url"))); ok {
				t.docsURL, t.docsText = url, templates.Prose(m.g.words(member(docs, "description")))
			}
			tags[name] = t
		}
		return true
	})
	return tags
}

// skills lists operations by the names of their skills, or counts them.
func skills(ops []*facts) string {
	if len(ops) > maxNames {
		return count(len(ops), "operation", "operations")
	}
	list := make([]string, len(ops))
	for i, f := range ops {
		list[i] = templates.Code(f.path[strings.LastIndexByte(f.path, '/')+1:])
	}
	return strings.Join(list, ", ")
}

func (m *guideMaker) where(f func(*facts) bool) []*facts {
	var list []*facts
	for _, op := range m.ops {
		if f(op) {
			list = append(list, op)
		}
	}
	return list
}

// shared says what several operations have in common.
func (m *guideMaker) shared() []templates.Markdown {
	var list []templates.Markdown
	say := func(ops []*facts, format string) {
		if len(ops) > 0 {
			list = append(list, templates.Markdown(fmt.Sprintf(format, skills(ops))))
		}
	}
	if ops := m.where(func(f *facts) bool { return f.problem && !f.webhook }); len(ops) > 0 {
		list = append(list, templates.Markdown(fmt.Sprintf("Errors are `application/problem+json` in %d of %s: read `detail` first.", len(ops), count(m.calls, "operation", "operations"))))
	}
	say(m.where(func(f *facts) bool { return f.statuses["429"] && f.retryAfter }), "`429` with `Retry-After`, the seconds to wait: %s.")
	say(m.where(func(f *facts) bool { return f.statuses["429"] && !f.retryAfter }), "`429`, too many requests: %s.")
	say(m.where(func(f *facts) bool {
		for h := range f.headers {
			if strings.HasPrefix(strings.TrimPrefix(h, "x-"), "ratelimit") || strings.HasPrefix(strings.TrimPrefix(h, "x-"), "rate-limit") {
				return true
			}
		}
		return false
	}), "Rate limit headers in the answer: %s.")
	say(m.where(func(f *facts) bool { return f.headers["etag"] }), "An `ETag` in the answer: %s.")
	say(m.where(func(f *facts) bool { return f.parameters["if-match"] }), "They take it as `If-Match`: %s.")
	say(m.where(func(f *facts) bool { return f.parameters["idempotency-key"] }), "An `Idempotency-Key` makes a repeat safe: %s.")
	if ops := m.where(func(f *facts) bool { return f.statuses["202"] && !f.webhook }); len(ops) > 0 {
		s := "Work that goes on after the answer (202): " + skills(ops)
		if polls := m.polls(ops); len(polls) > 0 {
			s += "; poll with " + skills(polls)
		}
		list = append(list, templates.Markdown(s+"."))
	}
	if s := m.pages(); s != "" {
		list = append(list, templates.Markdown(s))
	}
	say(m.where(func(f *facts) bool { return f.effect == "destructive" }), "Destructive, ask the user first: %s.")
	say(m.where(func(f *facts) bool { return f.deprecated }), "Deprecated: %s.")
	if len(list) == 0 {
		list = append(list, "The document says nothing that holds for several operations.")
	}
	return list
}

// polls are the operations that links of a 202 lead to.
func (m *guideMaker) polls(ops []*facts) []*facts {
	var list []*facts
	for _, f := range ops {
		for _, l := range f.links {
			if n, ok := m.g.lookup(l.operationID, l.operationRef); ok && l.status == "202" && m.ops[n].method == "GET" && !slices.Contains(list, m.ops[n]) {
				list = append(list, m.ops[n])
			}
		}
	}
	return list
}

// pages says which operations answer page by page, and how to turn them.
func (m *guideMaker) pages() string {
	var parts []string
	for _, style := range []struct{ name, how string }{{"cursor", "by cursor"}, {"link", "by the header `Link`"}, {"url", "by the URL of the next page in the answer"}, {"page", "by page number"}, {"offset", "by offset"}} {
		ops := m.where(func(f *facts) bool {
			a := f.answer
			return f.method == "GET" && !f.webhook && endpoint.PageStyle(f.query, a.members, f.headers["link"], a.array, a.lists > 0) == style.name
		})
		if len(ops) > 0 {
			parts = append(parts, skills(ops)+" "+style.how)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Pages: " + strings.Join(parts, "; ") + " (inferred from names)."
}

// servers says where the API is.
func (m *guideMaker) servers() []templates.Markdown {
	type variable struct {
		Default string   `json:"default"`
		Enum    []string `json:"enum"`
	}
	type server struct {
		URL         string              `json:"url"`
		Description string              `json:"description"`
		Variables   map[string]variable `json:"variables"`
	}
	var list []server
	raw, _ := m.g.doc.At("/servers")
	elements(raw, func(v []byte) bool {
		var s server
		_ = json.Unmarshal(v, &s)
		list = append(list, s)
		return len(list) < 1000
	})
	others := m.where(func(f *facts) bool { return f.servers })
	if own := len(others) >= m.calls && m.calls > 0; len(list) == 0 && !own && m.g.server != "" {
		list = []server{{URL: m.g.server}}
	}
	var out []templates.Markdown
	add := func(format string, args ...any) { out = append(out, templates.Markdown(fmt.Sprintf(format, args...))) }

	except := ""
	if n := len(others); n > 0 {
		except = " for all operations but " + strconv.Itoa(n) + ", whose skills say so"
	}
	show := func(s server) (url, about string) {
		url = s.URL
		keys := make([]string, 0, len(s.Variables))
		for k := range s.Variables {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			v := s.Variables[k]
			if v.Default == "" {
				about += " " + templates.Code("{"+k+"}") + " has no default: ask the user."
				continue
			}
			url = strings.ReplaceAll(url, "{"+k+"}", v.Default)
			about += " " + templates.Code(v.Default) + " is the default of " + templates.Code(k)
			var choices []string
			for _, e := range v.Enum {
				if e != v.Default {
					choices = append(choices, templates.Code(e))
				}
			}
			if n := len(choices); n > maxNames {
				about += "; there are " + strconv.Itoa(n) + " other choices"
			} else if n > 0 {
				about += "; the other choices: " + strings.Join(choices, ", ")
			}
			about += "."
		}
		return m.g.absolute(url), about
	}
	switch {
	case len(list) == 0 && len(others) >= m.calls && m.calls > 0:
		add("Each operation has its own: its skill says which.")
	case len(list) == 0:
		add("The document names none: ask the user for the scheme and host of the API, and keep them in %s. The skills say where a path has its own.", templates.Code(endpoint.Variable(m.g.api, "origin")))
	default:
		url, about := show(list[0])
		if _, ok := templates.WebURL(url); !ok && !strings.HasPrefix(url, "//") && !strings.HasPrefix(url, "{") {
			add("The document gives %s only, without a host%s: ask the user for the scheme and host of the API, and keep them in %s.%s", templates.Code(cmp.Or(url, "/")), except, templates.Code(endpoint.Variable(m.g.api, "origin")), about)
		} else {
			add("%s%s.%s", templates.Code(strings.TrimRight(url, "/")), except, about)
		}
		if len(list) > 1 {
			var urls []string
			for _, s := range list[1:min(len(list), 1+maxNames)] {
				url, _ := show(s)
				what := templates.Code(url)
				if d := templates.Plain(templates.Prose(m.g.aside(s.Description)), 80); d != "" {
					what += " (" + templates.Inline(templates.Prose(d)) + ")"
				}
				urls = append(urls, what)
			}
			more := ""
			if n := len(list) - 1 - len(urls); n > 0 {
				more = " and " + strconv.Itoa(n) + " more"
			}
			add("Others with the same paths: %s%s.", strings.Join(urls, ", "), more)
		}
	}
	return out
}

// count returns "1 operation" or "2 operations".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}
