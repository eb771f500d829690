package ledger

import "iter"

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
	Skill   string // URI; "" if the document is at fault
	File    string // of the skill
	Line    int    // from 1; 0 if no line is meant
	Message string
}

// An Entry is a part of the document and where it was found.
type Entry struct {
	Kind    string // of the part: operation, parameter, request, ...
	Pointer string // as in Finding
	Skill   string // URI
	File    string
	Line    int
}

// A Ledger holds what a document says, and where skills say it.
type Ledger struct {
	doc *Document
}

// New returns a ledger in which nothing has been found yet.
func New(doc *Document) *Ledger { return &Ledger{doc: doc} }

// Add reads a skill, and returns what is wrong in it.
func (l *Ledger) Add(s Skill) []Finding { return nil }

// Holes returns what the document says and no skill so far.
func (l *Ledger) Holes() []Finding { return nil }

// Entries returns what was found, in the order of the document's paths.
func (l *Ledger) Entries() iter.Seq[Entry] { return func(func(Entry) bool) {} }
