package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/endpoint"
	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
	"github.com/apiskills/apiskills/generators/openapi/internal/names"
	"github.com/apiskills/apiskills/generators/templates"
)

// said is what the API's authors say in one x-skill. The zero value says
// nothing.
type said struct {
	name, group           string
	description, guidance string
	hide                  *bool
}

// or returns s, and where it says nothing what a place further out says.
func (s said) or(outer said) said {
	for _, m := range []struct{ to, from *string }{
		{&s.name, &outer.name}, {&s.group, &outer.group},
		{&s.description, &outer.description}, {&s.guidance, &outer.guidance},
	} {
		if *m.to == "" {
			*m.to = *m.from
		}
	}
	if s.hide == nil {
		s.hide = outer.hide
	}
	return s
}

// A sayingPlace is where an x-skill may stand, with the members that mean something
// there.
type sayingPlace struct {
	what    string
	members []string
}

var (
	ofRoot      = sayingPlace{"the document", []string{"name", "description", "guidance"}}
	ofTag       = sayingPlace{"a tag", []string{"name", "description", "guidance", "hide", "group"}}
	ofPath      = sayingPlace{"a path", []string{"guidance", "hide", "group"}}
	ofOperation = sayingPlace{"an operation", []string{"name", "description", "guidance", "hide", "group"}}
)

// authors has all that the document's authors say. What they say wrong is a
// diagnostic, and counts as not said.
type authors struct {
	doc   *ingest.Document
	root  said
	tags  map[string]said // a tag's name has become its group
	ops   map[string]said // by pointer
	own   map[string]bool // operations whose group is no tag's
	diags []framework.Diagnostic
}

// readAuthors reads every x-skill that counts. A document without any costs a
// look at its bytes.
func readAuthors(g *Generator) *authors {
	a := &authors{doc: g.doc, tags: map[string]said{}, ops: map[string]said{}, own: map[string]bool{}}
	inFile := g.doc.MentionsSkill
	if inFile {
		if raw, ok := g.doc.At("/x-skill"); ok {
			a.root = a.read(raw, "/x-skill", ofRoot)
		}
		a.readTags()
	}
	var item string
	var ofItem said
	for i := range g.ops {
		op := &g.ops[i]
		if !inFile && g.doc.Origin(op) == 0 {
			continue
		}
		if at := pathItem(op); at != item {
			item, ofItem = at, said{}
			raw, _ := g.doc.At(item)
			if ref := member(raw, "$ref"); ref != nil && member(raw, "x-skill") == nil {
				raw, _ = g.resolve(raw, 0)
			}
			if v := member(raw, "x-skill"); v != nil {
				ofItem = a.read(v, item+"/x-skill", ofPath)
			}
		}
		s := said{}
		if raw := g.doc.Raw(op); ingest.MentionsSkill(raw) {
			if v := member(raw, "x-skill"); v != nil {
				s = a.read(v, op.Pointer+"/x-skill", ofOperation)
			}
		}
		s = s.or(ofItem)
		if s.group != "" {
			a.own[op.Pointer] = true
		}
		if t := a.tags[op.Tag]; op.Tag != "" {
			if op.Webhook != "" { // the group of a webhook is no tag's
				t.group = ""
			}
			s = s.or(said{group: t.group, hide: t.hide})
		}
		if s != (said{}) {
			a.ops[op.Pointer] = s
		}
	}
	return a
}

func (a *authors) readTags() {
	raw, _ := a.doc.At("/tags")
	n := -1
	elements(raw, func(v []byte) bool {
		n++
		name := text(member(v, "name"))
		x := member(v, "x-skill")
		if name == "" || x == nil {
			return true
		}
		at := fmt.Sprintf("/tags/%d/x-skill", n)
		s := a.read(x, at, ofTag)
		if s.name != "" {
			if s.group != "" && s.group != s.name {
				a.report(framework.Warning, "x-skill-member", at+"/group", "a tag's name and group are the same thing: the name %q counts", s.name)
			}
			s.name, s.group = "", s.name
		}
		a.tags[name] = s
		return true
	})
}

// maxReports is how many faults of x-skill are reported.
const maxReports = 500

func (a *authors) report(severity framework.Severity, rule, pointer, format string, args ...any) {
	if len(a.diags) < maxReports {
		a.diags = append(a.diags, framework.Diagnostic{
			Severity: severity, Rule: rule, File: a.doc.File, Pointer: pointer, Message: fmt.Sprintf(format, args...),
		})
	}
}

// maxDescription is how long a description may be, in characters (Agent Skills
// specification).
const maxDescription = 1024

// read reads one x-skill. false stands for {hide: true}, and true for its
// opposite.
func (a *authors) read(raw []byte, pointer string, p sayingPlace) (s said) {
	switch {
	case string(raw) == "true" || string(raw) == "false":
		if !slices.Contains(p.members, "hide") {
			a.report(framework.Warning, "x-skill-member", pointer, "%s cannot be hidden by x-skill: leave it out of the configuration", p.what)
			return s
		}
		hide := string(raw) == "false"
		s.hide = &hide
		return s
	case len(raw) == 0 || raw[0] != '{':
		a.report(framework.Warning, "x-skill-type", pointer, "x-skill must be an object, or false, which hides the operation: it counts as absent")
		return s
	}
	members(raw, func(name string, v []byte) bool {
		at := pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(address(name))
		switch {
		case !slices.Contains(p.members, name):
			a.report(framework.Warning, "x-skill-member", at, "%.60q means nothing in the x-skill of %s; there are %s", name, p.what, strings.Join(p.members, ", "))
		case name == "hide":
			if string(v) != "true" && string(v) != "false" {
				a.report(framework.Warning, "x-skill-type", at, "hide must be true or false: it counts as absent")
				break
			}
			hide := string(v) == "true"
			s.hide = &hide
		case len(v) == 0 || v[0] != '"':
			a.report(framework.Warning, "x-skill-type", at, "%s must be a string: it counts as absent", name)
		default:
			a.take(&s, name, text(v), at, p)
		}
		return true
	})
	return s
}

// take takes a member that is a string.
func (a *authors) take(s *said, name, value, at string, p sayingPlace) {
	switch name {
	case "name", "group":
		limit := maxName
		if p.what == ofRoot.what {
			limit = maxAPIName
		}
		if !names.Valid(value) || len(value) > limit {
			a.report(framework.Warning, "x-skill-name", at, "%.80q cannot be a %s: take lower-case letters, digits and single hyphens, at most %d of them; what is generated stays", value, name, limit)
			return
		}
		if name == "name" {
			s.name = value
		} else {
			s.group = value
		}
	case "description":
		plain := templates.Plain(templates.Prose(value), 0)
		if plain == "" {
			a.report(framework.Warning, "x-skill-description", at, "the description says nothing: what is generated stays")
			return
		}
		if n := len([]rune(plain)); n > maxDescription {
			a.report(framework.Warning, "x-skill-description", at, "the description has %d characters, and is cut to %d", n, maxDescription)
		}
		s.description = value
	case "guidance":
		if s.guidance = strings.TrimSpace(value); s.guidance == "" {
			a.report(framework.Warning, "x-skill-type", at, "the guidance says nothing: it counts as absent")
		}
	}
}

// chosen returns the group and the name that the authors chose for an operation.
func (a *authors) chosen(op *ingest.Operation) names.Name {
	s := a.ops[op.Pointer]
	return names.Name{Group: s.group, Name: s.name}
}

// hides reports whether the authors want an operation not to be served.
func (a *authors) hides(op *ingest.Operation) bool {
	hide := a.ops[op.Pointer].hide
	return hide != nil && *hide
}

// author returns the words for the skill of an operation, a snippet before
// those of the document.
func (g *Generator) author(op *ingest.Operation, name string) endpoint.Author {
	said := g.authors.ops[op.Pointer]
	a := endpoint.Author{Description: string(g.said(said.description)), Guidance: string(g.said(said.guidance))}
	if s, ok := g.snippets.operations[name]; ok {
		a.Guidance, a.Vouched = s, true
	}
	return a
}

// said returns words of the authors, if the skills carry any prose.
func (g *Generator) said(s string) templates.Prose {
	if g.prose == ProseNone {
		return ""
	}
	return templates.Prose(s)
}
