package framework

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FormatFrontmatter returns the beginning of a SKILL.md: name, description and, if
// there is some, metadata, ascending by key, between their fences, and the line end
// after the last one. Each value is quoted so that every parser of YAML 1.1 or 1.2
// reads the same string, whatever is in it; characters that cannot be seen are
// escaped, and bytes that are not UTF-8 replaced. The error wraps ErrInvalidSkill, for
// what ParseFrontmatter would refuse.
func FormatFrontmatter(name, description string, metadata map[string]string) (string, error) {
	if !ValidName(name) {
		return "", invalidSkill("frontmatter: %w", errName(name))
	}
	if err := checkDescription(description); err != nil {
		return "", invalidSkill("frontmatter: %w", err)
	}
	var b strings.Builder
	b.WriteString("---\nname: ")
	b.WriteString(plainYAML(name))
	b.WriteString("\ndescription: ")
	b.WriteString(QuoteYAML(description))
	b.WriteByte('\n')
	for i, key := range slices.Sorted(maps.Keys(metadata)) {
		if err := checkMetadataKey(key); err != nil {
			return "", invalidSkill("frontmatter: %w", err)
		}
		if i == 0 {
			b.WriteString("metadata:\n")
		}
		b.WriteString("  ")
		b.WriteString(plainYAML(key))
		b.WriteString(": ")
		b.WriteString(QuoteYAML(metadata[key]))
		b.WriteByte('\n')
	}
	b.WriteString("---\n")
	if b.Len() > maxFrontmatterBytes {
		return "", invalidSkill("the frontmatter of SKILL.md is longer than %d bytes", maxFrontmatterBytes)
	}
	return b.String(), nil
}

func errName(name string) error {
	return fmt.Errorf("name %.80q is not 1 to 64 lower-case letters and digits with single hyphens between them", name)
}

func checkDescription(text string) error {
	if n := utf8.RuneCountInString(text); strings.TrimSpace(text) == "" || n > 1024 {
		return fmt.Errorf("description must be a string of 1 to 1024 characters, not %d", n)
	}
	return nil
}

func checkMetadataKey(key string) error {
	if strings.HasPrefix(key, "io.modelcontextprotocol/") {
		return fmt.Errorf("metadata key %.80q: the prefix io.modelcontextprotocol/ is reserved for MCP extensions", key)
	}
	return nil
}

// What every parser takes for a string without quotes: no number, date, truth value
// or null of any version of YAML.
var (
	wordYAML  = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	typedYAML = regexp.MustCompile(`^(null|true|false|yes|no|on|off|y|n)$`)
)

// plainYAML returns s without quotes where that is safe.
func plainYAML(s string) string {
	if wordYAML.MatchString(s) && !typedYAML.MatchString(s) {
		return s
	}
	return QuoteYAML(s)
}

// QuoteYAML returns s as a double-quoted scalar on one line, which every parser of YAML
// 1.1 or 1.2 reads as the same string: for fields of a frontmatter that FormatFrontmatter
// does not write. It has no three hyphens in a row: some readers end the frontmatter at
// those, wherever they are.
func QuoteYAML(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	hyphens := 0 // at the end of what is written
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if r != '-' {
			hyphens = 0
		} else if hyphens++; hyphens == 3 {
			b.WriteString(`\u002D`)
			hyphens = 0
			continue
		}
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
