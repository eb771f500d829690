package check

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/apiskills/apiskills/framework"
)

// TextOptions say how a report is written for people.
type TextOptions struct {
	// Most is how many findings of one rule are shown of one document, errors
	// apart, which all are; 0: all.
	Most int
}

// sides are the two parts of a document's findings, in their order.
var sides = []struct {
	side  Side
	title string
}{
	{Source, "What the document's author can mend"},
	{Renderer, "Faults of this program, which are to be reported"},
}

// WriteText writes the report for people: the findings of each document, by
// side and place, and their numbers at the end.
func (r *Report) WriteText(out io.Writer, opts *TextOptions) error {
	w := bufio.NewWriter(out)
	for _, d := range r.Documents {
		if len(d.Findings) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s\n", plain(d.Name))
		for _, s := range sides {
			title := s.title
			if d.written && s.side == Renderer {
				title = "In the text of the skills"
			}
			d.writeSide(w, s.side, title, opts.Most)
		}
		fmt.Fprintln(w)
	}
	skills := 0
	for _, d := range r.Documents {
		skills += d.Skills
	}
	fmt.Fprintf(w, "%s, %s, %s in %s, %s\n",
		count(r.Count(framework.Error), "error"), count(r.Count(framework.Warning), "warning"), count(r.Count(framework.Note), "note"),
		count(len(r.Documents), "document"), count(skills, "skill"))
	return w.Flush()
}

func (d *DocumentReport) writeSide(w io.Writer, side Side, title string, most int) {
	shown, left := map[string]int{}, map[string]int{}
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.side() != side {
			continue
		}
		if title != "" {
			fmt.Fprintf(w, "  %s:\n", title)
			title = ""
		}
		if shown[f.Rule]++; most > 0 && shown[f.Rule] > most && f.Severity != framework.Error {
			left[f.Rule]++
			continue
		}
		fmt.Fprintf(w, "    %s%s: %s (%s)\n", prefix(f.place()), f.Severity, plain(f.Message), f.Rule)
	}
	rules := slices.SortedFunc(maps.Keys(left), func(a, b string) int {
		return cmp.Or(cmp.Compare(left[b], left[a]), cmp.Compare(a, b))
	})
	if len(rules) > 0 {
		fmt.Fprintf(w, "    ... more that --verbose prints:\n")
	}
	for _, rule := range rules {
		fmt.Fprintf(w, "      %6d  %s\n", left[rule], rule)
	}
}

func prefix(place string) string {
	if place == "" {
		return ""
	}
	return place + ": "
}

// place is where a finding is, as a person may look it up: the document's file
// and line, or the URI of a skill's file and its line.
func (f *Finding) place() string {
	file := f.File
	if f.inSkill {
		file = f.uri()
	} else if file == "" {
		file = f.Skill
	}
	var b strings.Builder
	b.WriteString(plain(file))
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	if f.Pointer != "" && !f.inSkill {
		fmt.Fprintf(&b, " %s", plain(f.Pointer))
	}
	return b.String()
}

// uri is that of the skill's file that a finding is in.
func (f *Finding) uri() string {
	return strings.TrimSuffix(f.Skill, skillFile) + cmp.Or(f.File, skillFile)
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// plain makes text of a document fit for one line of a terminal.
func plain(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if r == unicode.ReplacementChar || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
