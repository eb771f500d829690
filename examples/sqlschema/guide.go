package sqlschema

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/apiskills/apiskills/framework"
)

const (
	tablesInFile = 150
	maxRelations = 5000 // foreign keys that the guide tells
)

// A tableFile is a file of the guide: some tables, in the order of their skills.
type tableFile struct {
	File   string
	Tables []listed
}

type listed struct {
	object
	URI, Rows string // Rows is the URI of the skill that counts, if there is one
}

// A relation is a foreign key, seen from the table that it refers to.
type relation struct {
	Parent, Child string
	From          []string
}

// guide returns the skill that lists the others. What is true of all tables
// together stands here, so that it changes no other skill.
func (g *Generator) guide(ctx context.Context, tx *sql.Tx, ix *index) (*framework.Skill, error) {
	relations, more, err := readRelations(ctx, tx, ix)
	if err != nil {
		return nil, fmt.Errorf("read the foreign keys: %w", err)
	}
	front, err := framework.FormatFrontmatter(guideName,
		fmt.Sprintf("Find the tables and views of the database %s, %d in all, and how they refer to each other. Use first, before you write SQL.", g.opts.Name, len(ix.objects)), nil)
	if err != nil {
		return nil, err
	}
	view := struct {
		Front, Database string
		Count           int
		Files           []tableFile
		Relations       []relation
		More            bool
	}{Front: front, Database: g.opts.Name, Count: len(ix.objects), Relations: relations, More: more}
	for chunk := range slices.Chunk(ix.objects, tablesInFile) {
		file := tableFile{File: fmt.Sprintf("references/tables-%d.md", len(view.Files)+1)}
		for _, o := range chunk {
			l := listed{object: o, URI: g.uri(o.Skill)}
			if g.opts.RowCounts {
				l.Rows = g.uri(o.Skill + rowsSuffix)
			}
			file.Tables = append(file.Tables, l)
		}
		view.Files = append(view.Files, file)
	}
	var skill skillText
	skill.add("SKILL.md", "guide.md.tmpl", view)
	for _, file := range view.Files {
		skill.add(file.File, "tables.md.tmpl", file)
	}
	if len(relations) > 0 {
		skill.add("references/relations.md", "relations.md.tmpl", view)
	}
	return skill.done()
}

// readRelations reads the foreign keys between the tables that are served.
func readRelations(ctx context.Context, tx *sql.Tx, ix *index) (all []relation, more bool, err error) {
	type row struct {
		relation
		id   int
		from string
	}
	rows, err := query(ctx, tx, func(rows *sql.Rows) (r row, err error) {
		return r, rows.Scan(&r.Child, &r.id, &r.Parent, &r.from)
	}, `SELECT m.name, f.id, f."table", substr(f."from", 1, ?)
		FROM sqlite_schema AS m JOIN pragma_foreign_key_list(m.name, 'main') AS f
		WHERE m.type = 'table'
		ORDER BY f."table" COLLATE NOCASE, m.name, f.id DESC, f.seq LIMIT ?`, maxText, maxRelations+1)
	if err != nil {
		return nil, false, err
	}
	if more = len(rows) > maxRelations; more {
		rows = rows[:maxRelations]
	}
	for i, r := range rows {
		parent, child := ix.tables[lower(r.Parent)], ix.tables[lower(r.Child)]
		if parent == nil || child == nil {
			continue
		}
		if i == 0 || r.id != rows[i-1].id || r.Child != rows[i-1].Child {
			all = append(all, relation{Parent: parent.Name, Child: child.Name})
		}
		last := &all[len(all)-1]
		last.From = append(last.From, r.from)
	}
	return all, more, nil
}
