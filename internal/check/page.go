package check

import (
	"fmt"
	"strings"
)

// Explain returns what a rule is about, for people; "all" is every rule. The
// error for an unknown ID names those that may be meant.
func Explain(id string) (string, error) {
	if id == "all" {
		var b strings.Builder
		for _, r := range table {
			fmt.Fprintf(&b, "%-28s %-7s  %-8s  %s\n", r.ID, r.Severity, r.Side, r.Title)
		}
		return b.String(), nil
	}
	r, ok := Find(id)
	if !ok {
		return "", unknown(id)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nSeverity: %s. Side: %s.\n\n", r.ID, r.Title, r.Severity, r.Side)
	wrap(&b, r.Why)
	b.WriteString("\n")
	wrap(&b, "What to do: "+r.Do)
	return b.String(), nil
}

// wrap writes a text in lines of at most 78 columns.
func wrap(b *strings.Builder, text string) {
	column := 0
	for _, word := range strings.Fields(text) {
		if column > 0 && column+1+len(word) > 78 {
			b.WriteByte('\n')
			column = 0
		}
		if column > 0 {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteByte('\n')
}

const pageIntro = `# Rules of check

` + "`apiskills check [DOC...]`" + ` makes every skill of the documents and reports what is wrong, in them and in the documents. It opens
no connection, but for documents that are named by URL.

The exit status is 0 if nothing of severity *error* was found, with ` + "`--strict`" + ` nothing of severity *warning* either; 1 if something
was; 2 if a document, the configuration or the command line cannot be used.

An *error* lost something of the document, or breaks what hosts rely on. A *warning* may surprise. A *note* is for information. The
severity below is the worst that a finding of the rule has. The *side* says who can mend it: the author of the *document*, or
the *renderer*, which is this program.

Findings have the place in the document as a JSON Pointer and a line, or the skill's file and a line. ` + "`--format json`" + ` prints them
as ` + "`{\"findings\": [...]}`" + `, each with the members rule, severity, pointer, file, line, skill and message; ` + "`--format sarif`" + ` prints a
SARIF 2.1.0 log, for code hosts and editors. Of one rule 10,000 findings of a document are reported.

A rule is turned off in the configuration file:

` + "```yaml" + `
check:
  off:
    - operation-without-prose
` + "```" + `

` + "`apiskills check --explain RULE`" + ` prints what stands here of one rule, ` + "`--explain all`" + ` lists them.

| Rule | Severity | Side | What was found |
|---|---|---|---|
`

// Page returns the documentation of the rules, in Markdown.
func Page() string {
	var b strings.Builder
	b.WriteString(pageIntro)
	for _, r := range table {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", r.ID, r.ID, r.Severity, r.Side, r.Title)
	}
	for _, r := range table {
		fmt.Fprintf(&b, "\n## %s\n\n%s. %s\n\n%s\n", r.ID, r.Title, r.Why, r.Do)
	}
	return b.String()
}
