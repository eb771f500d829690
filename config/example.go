package config

import (
	"cmp"
	"fmt"
	"strings"
)

// Example returns an annotated configuration file with every setting, its
// variable and its flag. Scalars have their defaults.
func Example() string {
	var b strings.Builder
	group := ""
	for _, s := range settings {
		in, name, nested := strings.Cut(s.key, ".")
		indent := ""
		if !nested {
			name, in = s.key, ""
		} else {
			indent = "  "
		}
		if in != group || !nested {
			b.WriteString("\n")
		}
		if nested && in != group {
			b.WriteString(in + ":\n")
		}
		group = in
		comment(&b, indent, sentence(s.doc))
		if s.more != "" {
			comment(&b, indent, sentence(s.more))
		}
		for _, m := range s.objects {
			comment(&b, indent, m.key+": "+m.doc+".")
		}
		if s.scalar == nil {
			b.WriteString(s.example)
			continue
		}
		from := s.env()
		if s.flag != "" {
			from += ", --" + s.flag
		}
		comment(&b, indent, from)
		fmt.Fprintf(&b, "%s%s: %s\n", indent, name, cmp.Or(s.def, `""`))
	}
	return strings.TrimPrefix(b.String(), "\n")
}

func sentence(s string) string {
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// comment writes text as comment lines of at most 78 columns.
func comment(b *strings.Builder, indent, text string) {
	line := indent + "#"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > 78 {
			b.WriteString(line + "\n")
			line = indent + "#"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}
