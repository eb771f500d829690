package check

import (
	"io/fs"
	"strings"

	"github.com/apiskills/apiskills/internal/ledger"
)

// books hold a document against its skills.
type books struct {
	d      *document
	doc    *ledger.Document
	ledger *ledger.Ledger
}

// openBooks reads the document a second time. It returns nil where that fails:
// the generator has made skills of it all the same, and has said what is wrong.
func openBooks(d *document) *books {
	doc, err := ledger.Read(d.Name, d.Data, func(path string) ([]byte, error) {
		if data, ok := d.Files[path]; ok {
			return data, nil
		}
		return nil, fs.ErrNotExist
	})
	if err != nil {
		return nil
	}
	return &books{d, doc, ledger.New(doc)}
}

// add enters a skill.
func (b *books) add(x *examined) {
	if b == nil {
		return
	}
	if x.byHand {
		return
	}
	files := x.files
	if x.made != nil {
		files = x.made
	}
	for _, f := range b.ledger.Add(ledger.Skill{URI: x.uri, Files: files}) {
		b.report(f)
	}
}

// holes reports what no skill says.
func (d *document) holes() {
	b := d.books
	if b == nil {
		return
	}
	for _, f := range b.ledger.Holes() {
		if !d.leavesOut(f.Pointer) {
			b.report(f)
		}
	}
	for _, f := range b.doc.Examples() {
		if !d.leavesOut(f.Pointer) {
			b.report(f)
		}
	}
	d.books = nil
}

// leavesOut reports whether a pointer is to, or into, an operation that is not
// served on purpose.
func (d *document) leavesOut(pointer string) bool {
	for p := pointer; p != ""; {
		if d.excluded[p] {
			return true
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return false
		}
		p = p[:i]
	}
	return false
}

// report makes a finding of one of the ledger.
func (b *books) report(f ledger.Finding) {
	id := ledgerPrefix + f.Rule
	if f.Rule == "example" { // the generator reports those that it would have used, at their operation
		id = "example-invalid"
	}
	r, _ := Find(id)
	out := Finding{
		Rule: id, Severity: r.Severity, Pointer: f.Pointer, File: f.File, Line: f.Line, Skill: f.Skill, Message: f.Message,
		inSkill: f.File != "",
	}
	if !out.inSkill {
		out.File = b.d.Name
		if file, pointer, found := strings.Cut(f.Pointer, "#"); found && !strings.HasPrefix(f.Pointer, "/") {
			out.File, out.Pointer = b.d.label(file), pointer
		}
	}
	b.d.found.add(out)
}
