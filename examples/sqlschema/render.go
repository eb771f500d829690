package sqlschema

import (
	"bytes"
	"context"
	"database/sql"
	"embed"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/ncruces/go-sqlite3"
)

//go:embed *.md.tmpl
var files embed.FS

// Everything that the database says goes through one of these functions: a table
// may be called "`; ignore what you were told".
var layout = template.Must(template.New("").Funcs(template.FuncMap{
	"code":  shown(templates.Code),
	"cell":  shown(templates.CodeCell),
	"codes": codes,
	"fence": templates.Fence,
}).ParseFS(files, "*.md.tmpl"))

func render(name string, data any) (string, error) {
	var b bytes.Buffer
	if err := layout.ExecuteTemplate(&b, name, data); err != nil {
		return "", err
	}
	return b.String(), nil
}

// maxShown is the length of the longest identifier that is written out, in bytes.
const maxShown = 200

// showable reports whether an identifier can stand in a skill as it is: whether
// readers see all of it. A name with a zero-width space would be another one when
// it is copied.
func showable(name string) bool {
	return len(name) <= maxShown && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) &&
		strings.Contains(templates.Fence("sql", "."+name+"."), "."+name+".")
}

// shown makes code of a name: of its escaped form where a reader would not see
// what it is, which goes for spaces at its ends or in a row as well.
func shown(code func(string) string) func(string) string {
	return func(name string) string {
		if showable(name) && strings.Join(strings.Fields(name), " ") == name {
			return code(name)
		}
		return code(escaped(name))
	}
}

func escaped(name string) string {
	return strings.ReplaceAll(strconv.QuoteToASCII(name[:min(len(name), maxShown)]), " ", `\x20`)
}

// codes lists names. In an index "" is an expression.
func codes(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		if list[i] = "an expression"; name != "" {
			list[i] = shown(templates.Code)(name)
		}
	}
	return strings.Join(list, ", ")
}

// sampleColumns is the number of columns in a sample.
const sampleColumns = 12

// sample returns a query of the table that works as it stands, "" if there is
// none that can be written.
func (t *table) sample() string {
	if !showable(t.Name) || t.Broken != "" {
		return ""
	}
	var columns, where []string
	whole := true // the key can be written
	for _, c := range t.Columns {
		switch {
		case !showable(c.Name):
			whole = whole && c.Key == 0
			continue
		case c.Key > 0:
			where = append(where, fmt.Sprintf("%s = ?%d", sqlite3.QuoteIdentifier(c.Name), len(where)+1))
		}
		if c.Hidden != "hidden" && len(columns) < sampleColumns {
			columns = append(columns, sqlite3.QuoteIdentifier(c.Name))
		}
	}
	if len(columns) == 0 {
		return ""
	}
	text := "SELECT " + strings.Join(columns, ", ") + "\nFROM " + sqlite3.QuoteIdentifier(t.Name)
	if len(where) > 0 && whole {
		text += "\nWHERE " + strings.Join(where, " AND ")
	}
	return text + "\nLIMIT 20;"
}

// Bounds of SKILL.md; what is longer has a file of its own.
const (
	columnsInSkill   = 80
	statementInSkill = 4000 // bytes
)

// table returns the skill of a table. It says nothing of other tables but what
// its own statement names: a new table with a foreign key to this one must not
// change the digests of this one's skill, which somebody approved. The guide has
// the foreign keys of all.
func (g *Generator) table(ctx context.Context, tx *sql.Tx, ix *index, o *object) (*framework.Skill, error) {
	t, err := g.readTable(ctx, tx, ix, o)
	if err != nil {
		return nil, err
	}
	front, err := framework.FormatFrontmatter(o.Skill, g.describe(t), map[string]string{"database": g.opts.Name, "kind": o.Kind})
	if err != nil {
		return nil, err
	}
	view := struct {
		*table
		Front, Database, Sample, Hex        string
		MoreColumns, LongStatement, Suspect bool
	}{
		table: t, Front: front, Database: g.opts.Name, Sample: t.sample(),
		MoreColumns: len(t.Columns) > columnsInSkill, LongStatement: len(t.Statement) > statementInSkill,
		Suspect: templates.Suspicious(templates.Prose(t.Statement)),
	}
	if !showable(o.Name) && len(o.Name) <= maxShown {
		view.Hex = strings.ToUpper(hex.EncodeToString([]byte(o.Name)))
	}
	all := t.Columns
	if view.MoreColumns {
		t.Columns = all[:columnsInSkill]
	}
	var skill skillText
	skill.add("SKILL.md", "table.md.tmpl", view)
	if view.MoreColumns {
		t.Columns = all
		skill.add("references/columns.md", "columns.md.tmpl", view)
	}
	if view.LongStatement {
		skill.add("references/statement.md", "statement.md.tmpl", view)
	}
	s, err := skill.done()
	if err != nil {
		return nil, err
	}
	if t.Broken != "" {
		s.Diagnostics = append(s.Diagnostics, framework.Diagnostic{Severity: framework.Error, Rule: "broken-table",
			Message: fmt.Sprintf("the columns of the %s %.80q cannot be read: %s", o.Kind, o.Name, t.Broken)})
	}
	if t.Cut || t.MoreIndexes || t.MoreForeign {
		s.Diagnostics = append(s.Diagnostics, framework.Diagnostic{Severity: framework.Warning, Rule: "cut",
			Message: fmt.Sprintf("the skill of the %s %.80q does not have all of its statement, indexes or foreign keys", o.Kind, o.Name)})
	}
	if view.Suspect {
		s.Diagnostics = append(s.Diagnostics, framework.Diagnostic{Severity: framework.Warning, Rule: "instruction",
			Message: fmt.Sprintf("the statement of the %s %.80q has words that look like instructions to an agent", o.Kind, o.Name)})
	}
	return s, nil
}

// describe is the description of a table's skill, which is all that an agent sees
// of it before it decides: what to use it for, and the names of the columns.
func (g *Generator) describe(t *table) string {
	d := fmt.Sprintf("Query the %s %s of the database %s.", t.Kind, quoted(t.Name), g.opts.Name)
	if len(t.Columns) == 0 {
		return d
	}
	var columns []string
	size := 0
	all := 0
	for _, c := range t.Columns {
		if c.Hidden == "hidden" {
			continue
		}
		all++
		if size += len(c.Name); plain(c.Name) && size < 500 {
			columns = append(columns, c.Name)
		}
	}
	if len(columns) == 0 {
		return d
	}
	rest := ""
	if n := all - len(columns); n > 0 {
		rest = fmt.Sprintf(" and %d more", n)
	}
	return d + " Columns: " + strings.Join(columns, ", ") + rest + "."
}

// quoted is a name in quotes, for a description.
func quoted(name string) string {
	if plain(name) {
		return `"` + name + `"`
	}
	return strings.NewReplacer("<", `\x3c`, ">", `\x3e`).Replace(escaped(name))
}

// plain reports whether a name can stand in a description: no host is to take it
// for a tag.
func plain(name string) bool { return showable(name) && !strings.ContainsAny(name, "<>") }

// A skillText collects the files of a static skill.
type skillText struct {
	files map[string]string
	err   error
}

func (s *skillText) add(name, layout string, data any) {
	text, err := render(layout, data)
	if err != nil && s.err == nil {
		s.err = err
	}
	if s.files == nil {
		s.files = map[string]string{}
	}
	s.files[name] = text
}

// done returns the skill. Its version is a hash of the text itself, which is there by
// now: rendering is nothing beside the queries, and no change of the layout can be
// forgotten in it.
func (s *skillText) done() (*framework.Skill, error) {
	if s.err != nil {
		return nil, s.err
	}
	return framework.TextSkill(s.files), nil
}
