package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// A node is a described type. It is printed only when all of a block is known,
// since a shape is named ("as @Name") where something after it refers to it.
type node struct {
	kind   nodeKind
	text   string // of a term: "string", or literals joined by " | "
	multi  bool   // text is more than one term
	media  string // stands in parentheses after text
	tail   string // "  required: a, b" of a stub
	label  *label
	null   bool
	item   *node   // of an array or a map
	alts   []*node // of a union
	facets []string
	body   *body
}

type nodeKind int

const (
	term nodeKind = iota
	arrayOf
	mapOf
	unionOf
	reference // label.name
)

// A label is the name of a shape within a block.
type label struct {
	name  string
	comp  string // the component it is, or ""
	used  bool
	ready bool // the shape is described, or being described
}

// A body is what stands in the lines under a node.
type body struct {
	values  []string // of an enumeration, with what they mean
	members []*member
	items   []*member // of a tuple, by place
	named   []*member // of names that match a pattern: name is "</regex/>"
	other   *node     // <other>
	rules   []*member // name is "<not>" and the like
	choices []*choice
	whens   []*when
}

type member struct {
	name     string
	required bool
	comment  string
	*node
}

// A choice is a "one of:", "any of:" or "all of:" block.
type choice struct {
	word    string
	options []*member
}

type when struct {
	cond string // "" is "otherwise"
	*body
}

func (b *body) empty() bool {
	return b == nil || len(b.values)+len(b.members)+len(b.items)+len(b.named)+len(b.rules) == 0 && b.other == nil && len(b.choices) == 0 && len(b.whens) == 0
}

// full returns the type with its facets.
func (n *node) full() string {
	s := n.bare()
	if n.null {
		if n.kind == term && n.labelled() {
			s = "(" + s + ")"
		}
		s += " | null"
	}
	if len(n.facets) > 0 {
		s += " " + strings.Join(n.facets, " ")
	}
	return s + n.tail
}

// bare returns the type without null and facets.
func (n *node) bare() string {
	switch n.kind {
	case arrayOf:
		return n.item.grouped() + "[]"
	case mapOf:
		return "map of " + n.item.grouped()
	case reference:
		n.label.used = true
		return "@" + name(n.label.name)
	case unionOf:
		parts := make([]string, len(n.alts))
		for i, a := range n.alts {
			parts[i] = a.alternative()
		}
		return strings.Join(parts, " | ")
	}
	s := n.text
	if n.multi && n.labelled() {
		s = "any" // the options under it say which
	}
	if n.media != "" {
		s += "(" + n.media + ")"
	}
	if n.labelled() {
		s += " as @" + name(n.label.name)
	}
	return s
}

// grouped returns the type as the operand of "[]" or "map of".
func (n *node) grouped() string {
	simple := n.kind == term && !n.multi && n.tail == "" || n.kind == reference || n.kind == arrayOf
	if simple && !n.null && len(n.facets) == 0 && !n.labelled() {
		return n.bare()
	}
	return "(" + n.full() + ")"
}

// alternative returns the type as an operand of "|".
func (n *node) alternative() string {
	if len(n.facets) > 0 || n.labelled() || n.tail != "" {
		return "(" + n.full() + ")"
	}
	return n.full()
}

func (n *node) labelled() bool { return n.kind == term && n.label != nil && n.label.used }

// nestedBody is the body whose lines stand under n.
func (n *node) nestedBody() *body {
	if !n.body.empty() {
		return n.body
	}
	switch n.kind {
	case arrayOf, mapOf:
		return n.item.nestedBody()
	case unionOf:
		for _, a := range n.alts {
			if b := a.nestedBody(); !b.empty() {
				return b
			}
		}
	}
	return nil
}

// A printer writes the lines of a block and stops at a number of them.
type printer struct {
	lines   []string
	members []int // how many members the lines up to each one show
	shown   int
	partial bool // not all members were described
}

func (p *printer) line(level int, s string, isMember bool) {
	if isMember {
		p.shown++
	}
	p.lines = append(p.lines, strings.Repeat("  ", level)+s)
	p.members = append(p.members, p.shown)
}

func (p *printer) body(b *body, level int) {
	if b.empty() {
		return
	}
	for _, v := range b.values {
		p.line(level, "= "+v, true)
	}
	for _, m := range b.members {
		star := ""
		if m.required {
			star = "*"
		}
		p.member(name(m.name)+star+": ", m, level)
	}
	for i, m := range b.items {
		p.member("item "+strconv.Itoa(i+1)+": ", m, level)
	}
	for _, m := range b.named {
		p.member(m.name+": ", m, level)
	}
	if b.other != nil {
		p.member("<other>: ", &member{node: b.other}, level)
	}
	for _, m := range b.rules {
		p.member(m.name+": ", m, level)
	}
	for _, c := range b.choices {
		p.line(level, c.word+" of:", false)
		head := "option "
		if c.word == "all" {
			head = "part "
		}
		for i, o := range c.options {
			p.member(head+strconv.Itoa(i+1)+": ", o, level+1)
		}
	}
	for _, w := range b.whens {
		p.when(w, level)
	}
}

func (p *printer) when(w *when, level int) {
	if !w.empty() {
		head := "when " + w.cond
		if w.cond == "" {
			head = "otherwise"
		}
		p.line(level, head+":", false)
		p.body(w.body, level+1)
	}
}

func (p *printer) member(head string, m *member, level int) {
	s := head + m.full()
	if m.comment != "" {
		s += "  # " + m.comment
	}
	p.line(level, s, true)
	p.body(m.nestedBody(), level+1)
}

// cut returns at most limit lines, the last of which counts the members that
// the others leave out.
func (p *printer) cut(limit int) (lines []string, omitted int) {
	if len(p.lines) <= limit {
		return p.lines, 0
	}
	keep := limit - 1
	// A heading without anything under it says nothing.
	for keep > 0 && (keep == 1 && p.members[0] == 0 || keep > 1 && p.members[keep-1] == p.members[keep-2]) {
		keep--
	}
	omitted = p.shown
	if keep > 0 {
		omitted -= p.members[keep-1]
	}
	plural, atLeast := "s", ""
	if omitted == 1 {
		plural = ""
	}
	if p.partial {
		atLeast = "at least "
	}
	return append(p.lines[:keep:keep], fmt.Sprintf("  ... %s%d more member%s", atLeast, omitted, plural)), omitted
}

// between returns "a..b" as the notation has it, or nothing.
func between(lo, hi bound) []string {
	num := func(b bound) string { return string(numberOf(b.value)) }
	switch {
	case lo.set && !lo.exclusive && hi.set && hi.exclusive:
		return []string{num(lo) + "..<" + num(hi)}
	case lo.set && !lo.exclusive && hi.set:
		return []string{num(lo) + ".." + num(hi)}
	case lo.set && !lo.exclusive:
		return []string{num(lo) + ".."}
	}
	var out []string
	if lo.set {
		out = append(out, ">"+num(lo))
	}
	if hi.set && hi.exclusive {
		out = append(out, "..<"+num(hi))
	} else if hi.set {
		out = append(out, ".."+num(hi))
	}
	return out
}

// facet returns "word a..b", or nothing.
func (s span) facet(word string) []string {
	if s.min == 0 && s.max < 0 {
		return nil
	}
	out := word + " "
	if s.min > 0 {
		out += strconv.FormatInt(s.min, 10)
	}
	out += ".."
	if s.max >= 0 {
		out += strconv.FormatInt(s.max, 10)
	}
	return []string{out}
}
