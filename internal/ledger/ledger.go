package ledger

import (
	"cmp"
	"iter"
	"slices"
)

// A Skill is what a client would read.
type Skill struct {
	URI   string
	Files []File
}

// A File is one of a skill, under its slash-separated name.
type File struct {
	Name    string
	Content []byte
}

// A Finding is something that is wrong, in the document or in a skill.
type Finding struct {
	Rule    string
	Pointer string // JSON Pointer to the part of the document, after the name of its file and "#" if that is not the document itself
	Skill   string // URI; "" if the document is at fault, or no skill has it
	File    string // of the skill
	Line    int    // from 1; 0 if no line is meant
	Message string
}

// An Entry is a part of an operation and where it was found. What is found is
// counted once for each operation that it is a part of.
type Entry struct {
	Kind    string // "operation", "parameter", "request", "response", ...
	Pointer string // as in Finding
	Skill   string // URI
	File    string
	Line    int
}

// A Ledger holds what a document says, and where skills say it.
type Ledger struct {
	doc     *Document
	skills  map[*operation]string // URI of the first skill that is of it
	entries map[*operation][]Entry
	holes   map[*operation][]Finding
}

// New returns a ledger in which nothing has been found yet.
func New(doc *Document) *Ledger {
	return &Ledger{doc: doc, skills: map[*operation]string{}, entries: map[*operation][]Entry{}, holes: map[*operation][]Finding{}}
}

// Add reads a skill, and returns what is wrong in it. A guide is passed over:
// it has nothing that its operations do not say themselves.
func (l *Ledger) Add(s Skill) []Finding {
	sk := readSkill(s)
	if sk.main.meta["kind"] == "guide" {
		return nil
	}
	c := &checker{ledger: l, skill: sk}
	op := c.find()
	if op == nil {
		return c.findings
	}
	if first, ok := l.skills[op]; ok {
		c.wrong("operation-twice", op.pointer, spot{"SKILL.md", 1}, "%s has a skill already: %s", op, first)
		return c.findings
	}
	l.skills[op] = s.URI
	c.operation(op)
	l.entries[op], l.holes[op] = c.entries, c.holes
	return c.findings
}

// Holes returns what the document says and no skill so far.
func (l *Ledger) Holes() []Finding {
	var out []Finding
	for _, op := range l.doc.operations {
		if _, ok := l.skills[op]; !ok {
			out = append(out, Finding{Rule: "operation", Pointer: op.pointer, Message: op.String() + " has no skill"})
		}
		out = append(out, l.holes[op]...)
	}
	return out
}

// Entries returns what was found, in the order of the document's paths.
func (l *Ledger) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, op := range l.doc.operations {
			for _, e := range l.entries[op] {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// sortFindings puts findings into an order that depends on nothing else.
func sortFindings(list []Finding) []Finding {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Skill, b.Skill), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	return list
}
