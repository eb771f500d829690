package endpoint

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// Names that the other files use of the templates' safe functions.

// code returns s as an inline code span.
func code(s string) string { return templates.Code(s) }

// codes returns each of names as a code span, joined as in "a, b and c".
func codes(names []string, last string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = code(n)
	}
	return list(out, last)
}

// list joins words as in "a, b and c"; last is the conjunction, which may be
// left out.
func list(words []string, last string) string {
	switch {
	case len(words) == 0:
		return ""
	case len(words) == 1:
		return words[0]
	case last == "":
		return strings.Join(words, ", ")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// capped returns the first n of names, and how many more there are.
func capped(names []string, n int) (head []string, more int) {
	if len(names) <= n {
		return names, 0
	}
	return names[:n], len(names) - n
}

// someCodes returns the first n of names as code spans, and how many more
// there are: "a, b and c", or "a, b, ... and 30 more".
func someCodes(names []string, n int, last string) string {
	head, more := capped(names, n)
	if more == 0 {
		return codes(head, last)
	}
	return codes(head, "") + ", ... " + last + " " + count(more, "more", "more")
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_.$-]+$`)

// memberName returns a name as it stands in a line of notation.
func memberName(s string) string {
	if plainName.MatchString(s) && len(s) <= 200 {
		return s
	}
	return jsonString(s)
}

// jsonString returns s as a JSON string in one line, hidden characters escaped.
func jsonString(s string) string { return schema.ValueOf(s).Line() }

// comment returns the words of the document at the end of a line of notation,
// or "".
func comment(s string) string {
	if s = templates.Comment(templates.Prose(unlinked(s))); s != "" {
		return "  # " + s
	}
	return ""
}

// commented makes the schema package write the document's words as the
// templates do. Schemas are described more than once, their words read once.
func (b *builder) commented(o *schema.Options) *schema.Options {
	if o == nil {
		o = &schema.Options{}
	}
	o.Schemas = b.components()
	if b.comments == nil {
		b.comments = map[string]string{}
	}
	o.Comment = func(s string) string {
		c, ok := b.comments[s]
		if !ok {
			c = templates.Comment(templates.Prose(unlinked(s)))
			b.comments[s] = c
		}
		return c
	}
	return o
}

// silent leaves the document's words out.
func (b *builder) silent(o *schema.Options) *schema.Options {
	o.Schemas = b.components()
	o.Comment = func(string) string { return "" }
	return o
}

// sampling gives the options of a sample the document's components: the
// subtypes of a base schema are among them.
func (b *builder) sampling(o *schema.SampleOptions) *schema.SampleOptions {
	if o == nil {
		o = &schema.SampleOptions{}
	}
	o.Schemas = b.components()
	return o
}

func (b *builder) components() openapi3.Schemas {
	if b.op.Doc == nil || b.op.Doc.Components == nil {
		return nil
	}
	return b.op.Doc.Components.Schemas
}

// describe returns a schema in notation.
func (b *builder) describe(s *openapi3.SchemaRef, d schema.Direction, o *schema.Options) *schema.Block {
	return schema.Describe(s, d, b.commented(o))
}

// oneLine returns a string of the document that is no prose, such as a path,
// on one line and without hidden characters.
func oneLine(s string) string { return templates.Line(s) }

// cut shortens s to at most n characters, at the end of a word where it can.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	s = string([]rune(s)[:max(n-4, 0)])
	if i := strings.LastIndexByte(s, ' '); i > len(s)/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;:.") + " ..."
}

// sentence returns s with a full stop at its end, unless it ends a sentence.
func sentence(s string) string {
	s = strings.TrimRight(s, " :;,")
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// count says how many there are: "1 member", "3 members".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// md marks a text of ours, with the document's strings made safe, as Markdown.
func md(parts ...string) templates.Markdown { return templates.Markdown(strings.Join(parts, "")) }
