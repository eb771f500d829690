package replay

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// A command is the content of a bash fence.
type command struct {
	text string
	line int // of its first line, from 1
}

// frontmatter returns the metadata of a SKILL.md.
func frontmatter(text string) map[string]string {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil
	}
	head, _, ok := strings.Cut(rest, "\n---\n")
	if !ok {
		return nil
	}
	var front struct {
		Metadata map[string]string `yaml:"metadata"`
	}
	if yaml.Unmarshal([]byte(head), &front) != nil {
		return nil
	}
	return front.Metadata
}

// A fence is a code block of a Markdown text that stands at the margin: what is
// quoted from a document is indented or behind ">".
type fence struct {
	lang, text, heading string
	line                int // of its first line, from 1
}

// fences returns the fences of a text with the heading above each.
func fences(text string) []fence {
	var out []fence
	var open *fence
	ticks, heading := "", ""
	n := 0
	for line := range strings.Lines(text) {
		n++
		bare := strings.TrimRight(line, "\r\n")
		run := bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
		switch {
		case open != nil && len(run) >= len(ticks) && run == strings.TrimRight(bare, " "):
			out = append(out, *open)
			open = nil
		case open != nil:
			open.text += line
		case len(run) >= 3:
			open = &fence{lang: strings.TrimSpace(bare[len(run):]), heading: heading, line: n + 1}
			ticks = run
		case strings.HasPrefix(bare, "#"):
			heading = strings.TrimSpace(strings.TrimLeft(bare, "#"))
		}
	}
	return out
}

// commands returns the bash fences of a text.
func commands(text string) []command {
	var out []command
	for _, f := range fences(text) {
		if f.lang == "bash" {
			out = append(out, command{f.text, f.line})
		}
	}
	return out
}
