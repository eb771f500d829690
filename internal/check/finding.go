package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/apiskills/apiskills/framework"
)

// A Finding is something that a rule found, and where. Its JSON always has all
// of the members.
type Finding struct {
	Rule     string             `json:"rule"`
	Severity framework.Severity `json:"severity"`
	// Pointer is a JSON Pointer into the document's file, or "".
	Pointer string `json:"pointer"`
	// File is the document's, under the name that the user gave, or, where the
	// finding is of a skill's text, that of the skill, as in
	// "references/responses.md".
	File string `json:"file"`
	// Line is that of File, from 1; 0 if it is not known.
	Line int `json:"line"`
	// Skill is the URI of the skill concerned, or "".
	Skill   string `json:"skill"`
	Message string `json:"message"`

	inSkill bool // File is one of the skill
}

// side returns the side of the finding's rule.
func (f *Finding) side() Side {
	r, _ := Find(f.Rule)
	return r.Side
}

func compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Skill, b.Skill),
		cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Message, b.Message),
	)
}

// maxFindings is how many findings of one rule are kept of one document. More
// of the same help nobody, and a hostile document could have millions.
const maxFindings = 10_000

// A collection gathers the findings of one document.
type collection struct {
	off  map[string]bool
	list []Finding
	of   map[string]int // by rule
	at   map[Finding]int
	// skills counts those of a finding that is of the document and is met in
	// the making of each skill that has the part.
	skills []int
	more   map[string]int // left out, by rule
}

func newCollection(off map[string]bool) *collection {
	return &collection{off: off, of: map[string]int{}, at: map[Finding]int{}, more: map[string]int{}}
}

// add takes a finding. What was found of one place of the document in the
// making of several skills is one finding.
func (c *collection) add(f Finding) {
	if _, ok := Find(f.Rule); !ok {
		f.Message += " (" + f.Rule + ")"
		f.Rule = otherRule
	}
	if c.off[f.Rule] {
		return
	}
	key := f
	if !f.inSkill {
		key.Skill = ""
	}
	if i, ok := c.at[key]; ok {
		if c.list[i].Skill != f.Skill {
			c.list[i].Skill = ""
			c.skills[i]++
		}
		return
	}
	if c.of[f.Rule]++; c.of[f.Rule] > maxFindings {
		c.more[f.Rule]++
		return
	}
	c.at[key] = len(c.list)
	c.list = append(c.list, f)
	c.skills = append(c.skills, 1)
}

// finish returns the findings, with lines, sorted.
func (c *collection) finish() []Finding {
	for i, n := range c.skills {
		if n > 1 {
			c.list[i].Message += fmt.Sprintf(" (in %d skills)", n)
		}
	}
	c.list = c.once()
	for rule, n := range c.more {
		r, _ := Find(rule)
		c.list = append(c.list, Finding{Rule: rule, Severity: r.Severity, Message: fmt.Sprintf("%d more findings of this rule are left out", n)})
	}
	slices.SortFunc(c.list, compare)
	return c.list
}

// once leaves out a reference that is reported at the value that has it, if it
// is reported at the reference itself: by indexing once, by making skills again.
func (c *collection) once() []Finding {
	type place struct{ file, pointer string }
	refs := map[place]bool{}
	for _, f := range c.list {
		if f.Rule == "ref" {
			refs[place{f.File, f.Pointer}] = true
		}
	}
	return slices.DeleteFunc(c.list, func(f Finding) bool {
		return f.Rule == "ref" && refs[place{f.File, f.Pointer + "/$ref"}]
	})
}
