package templates

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Suspicious reports whether p has a phrase that looks like instructions to the
// reader rather than a description, where a reader of the rendered text sees it.
// It is a detector for a warning, not a defence.
func Suspicious(p Prose) bool {
	s := string(p)
	if len(s) > maxSource {
		s = s[:maxSource]
	}
	f := fold(s)
	return slices.ContainsFunc(phrases, func(p phrase) bool { return p.in(f.text) && p.re().MatchString(f.text) })
}

// instructionsIn reports the phrases in s, also those in comments.
func instructionsIn(s string, comments []Concern) []Concern {
	var out []Concern
	find := func(part string, offset int) {
		f := fold(part)
		for i := range phrases {
			p := &phrases[i]
			if !p.in(f.text) {
				continue
			}
			for _, m := range p.re().FindAllStringIndex(f.text, maxConcerns-len(out)) {
				c := Concern{Kind: Instruction, Start: offset + f.at[m[0]], End: offset + f.at[m[1]]}
				c.Text = excerpt(f.text[m[0]:m[1]])
				if !slices.ContainsFunc(out, func(o Concern) bool { return c.Start < o.End && o.Start < c.End }) {
					out = append(out, c)
				}
			}
			if len(out) >= maxConcerns {
				return
			}
		}
	}
	find(s, 0)
	for _, c := range comments {
		const open, end = len("<!--"), len("-->")
		if c.End-c.Start > open+end && len(out) < maxConcerns {
			find(s[c.Start+open:c.End-end], c.Start+open)
		}
	}
	return out
}

// A phrase tells a reader what to do rather than what the API does.
type phrase struct {
	// words are looked for first: one of each list must be there. Most texts
	// lack them, and need not be searched.
	words [][]string
	re    func() *regexp.Regexp
}

// lazily compiles an expression when it is first needed: all of them together
// take longer than the rest of the start of a program.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// in reports whether the words are in the folded text.
func (p *phrase) in(text string) bool {
	for _, list := range p.words {
		if !slices.ContainsFunc(list, func(w string) bool { return strings.Contains(text, w) }) {
			return false
		}
	}
	return true
}
