package endpoint

import (
	"strings"
	"unicode/utf8"

	"github.com/apiskills/apiskills/generators/templates"
)

// An Author has what the API's authors say in the place of what is generated
// (x-skill), and who serves the skills in the place of theirs.
type Author struct {
	// Description is what a listing shows.
	Description string
	// Guidance is Markdown for the reader of the skill.
	Guidance string
	// Vouched says that the guidance is not of the document, but of those who
	// serve the skills.
	Vouched bool
}

// The limits of guidance in bytes, as it is rendered: of what stays in SKILL.md
// as a whole, of what stays of a longer one, and of all of it.
const (
	maxGuidance  = 4000
	guidanceHead = 1500
	allGuidance  = 20000
)

// guidance places what the authors say to the reader. What is long has a file
// of its own: SKILL.md must have room for the call.
func (b *builder) guidance() {
	a, e := b.op.Author, b.e
	e.Guidance, e.Vouched = templates.Prose(strings.TrimSpace(a.Guidance)), a.Vouched
	text := templates.Text(e.Guidance)
	if len(text) <= maxGuidance && strings.Count(text, "\n") <= maxGuidance/40 {
		return
	}
	var whole string
	if b.op.Quoted && !a.Vouched {
		whole = templates.Quote(e.Guidance)
	} else {
		whole = text
	}
	b.section("guidance", templates.Section{Before: []templates.Markdown{md(shortened(whole, allGuidance))}})
	head, _ := firstParagraphs(string(e.Guidance), guidanceHead)
	e.Guidance = templates.Prose(head)
	e.GuidanceMore = "Read all of it before you call: [the whole guidance](references/guidance.md)."
}

// shortened cuts Markdown of ours after the last line that fits into n bytes,
// and closes a fence that is open there.
func shortened(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[:strings.LastIndexByte(s[:n], '\n')+1]
	fence := ""
	for l := range strings.SplitSeq(s, "\n") {
		mark := strings.TrimLeft(l, "> ")
		run := mark[:len(mark)-len(strings.TrimLeft(mark, "`"))]
		switch {
		case len(run) < 3:
		case fence == "":
			fence = l[:len(l)-len(mark)] + run
		case len(run) >= strings.Count(fence, "`") && run == mark:
			fence = ""
		}
	}
	if fence != "" {
		s += fence + "\n"
	}
	return s + "\n..."
}

// authorsDescription is what the API's authors want a listing to say, or "". A
// listing must tell the call by method and path in the part that it shows at
// least, so these are put before a text that has them not there.
func (b *builder) authorsDescription() string {
	s := templates.Plain(templates.Prose(b.aside(b.op.Author.Description)), 0)
	if s == "" {
		return ""
	}
	address := b.op.Method + " " + addressPath(b.op.Path)
	if b.op.Webhook != "" {
		address = "webhook " + b.op.Method + " " + oneLine(b.op.Webhook)
	}
	if shown := string([]rune(s)[:min(headLength, utf8.RuneCountInString(s))]); !strings.Contains(shown, strings.TrimPrefix(address, "webhook ")) {
		s = cut(address, 700) + ": " + s
	}
	return cut(s, maxDescription)
}
