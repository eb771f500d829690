package sqlschema

import (
	"context"
	"errors"
	"fmt"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/ncruces/go-sqlite3"
)

// rows returns the skill that counts the rows of a table. It is dynamic, and so
// has no digests; that is why it stands beside the table's skill, which has some,
// and not in it. What is counted is in a file of its own, since SKILL.md is read
// for each listing.
func (g *Generator) rows(o *object) (*framework.Skill, error) {
	front, err := framework.FormatFrontmatter(o.Skill+rowsSuffix,
		fmt.Sprintf("Count the rows that the %s %s of the database %s has now. Use to find out whether a query of all of it is wise.", o.Kind, quoted(o.Name), g.opts.Name),
		map[string]string{"database": g.opts.Name})
	if err != nil {
		return nil, err
	}
	text, err := render("rows.md.tmpl", struct {
		*object
		Front string
	}{o, front})
	if err != nil {
		return nil, err
	}
	return &framework.Skill{
		Dynamic: true,
		Files: []framework.File{
			framework.TextFile("SKILL.md", text),
			{Name: "count.md", Content: func(ctx context.Context) ([]byte, error) { return g.count(ctx, o) }},
		},
	}, nil
}

// count counts rows up to a number, and for some time: a view can have any number
// of them, and look for the first one forever.
func (g *Generator) count(ctx context.Context, o *object) ([]byte, error) {
	own, cancel := context.WithTimeout(ctx, g.opts.CountTimeout)
	defer cancel()
	var n int64
	err := g.db.QueryRowContext(own, `SELECT count(*) FROM (SELECT 1 FROM `+sqlite3.QuoteIdentifier(o.Name)+` LIMIT ?)`, g.opts.MaxRows+1).Scan(&n)
	name := shown(templates.Code)(o.Name)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && own.Err() != nil:
		return fmt.Appendf(nil, "Not counted: that takes longer than %v. Treat %s as large.\n", g.opts.CountTimeout, name), nil
	case errors.Is(err, sqlite3.BUSY):
		return nil, fmt.Errorf("count: %w", err)
	case err != nil:
		return fmt.Appendf(nil, "Not counted: %s. Expect that queries of %s fail in the same way.\n", shown(templates.Code)(err.Error()), name), nil
	case n > g.opts.MaxRows:
		return fmt.Appendf(nil, "Rows of %s: more than %d.\n", name, g.opts.MaxRows), nil
	}
	return fmt.Appendf(nil, "Rows of %s: %d.\n", name, n), nil
}
