package sqlschema

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// Bounds of what is read of one table. SQLite itself has no more than 2,000
// columns in one, unless it was built otherwise.
const (
	maxColumns   = 2000
	maxIndexes   = 64
	maxForeign   = 64 // columns of foreign keys
	maxStatement = 256 << 10
	maxText      = 600 // characters of a name, a type or a default
)

// A table is what a skill says of a table or view.
type table struct {
	*object
	Statement string // CREATE TABLE, CREATE VIEW
	Cut       bool   // the statement is longer
	Columns   []column
	Indexes   []tableIndex
	Foreign   []foreignKey
	Broken    string // why SQLite cannot tell the columns

	MoreIndexes, MoreForeign bool // than the bounds
}

type column struct {
	Name, Type string
	Null       string // "yes" or "no", "" where SQLite does not say: of a view
	Default    string
	Key        int    // its place in the primary key, from 1
	WholeKey   bool   // it is all of the primary key
	Hidden     string // "", or why it is no column like others
}

// A tableIndex is an index, or a constraint that has one.
type tableIndex struct {
	Name            string // "" where a constraint made it
	Unique, Partial bool
	Origin          string   // "c" for CREATE INDEX, "u" for UNIQUE, "pk" for PRIMARY KEY
	Columns         []string // "" for an expression
	Statement       string   // CREATE INDEX
}

// Special reports whether the statement says what the columns do not.
func (ix tableIndex) Special() bool { return ix.Partial || slices.Contains(ix.Columns, "") }

type foreignKey struct {
	From               []string
	Table              string
	To                 []string // none: the primary key
	OnUpdate, OnDelete string
	URI                string // of the table's skill, if it has one
}

// readTable reads all of a table. What SQLite cannot work out is left out and
// said in Broken: a view of a table that is gone, or a virtual table of a module
// that is not here, has a skill all the same.
func (g *Generator) readTable(ctx context.Context, tx *sql.Tx, ix *index, o *object) (*table, error) {
	t := &table{object: o}
	err := tx.QueryRowContext(ctx, `SELECT coalesce(substr(sql, 1, ?), ''), coalesce(length(sql), 0) > ? FROM sqlite_schema
		WHERE name = ? AND type IN ('table', 'view')`, maxStatement, maxStatement, o.Name).Scan(&t.Statement, &t.Cut)
	if err != nil {
		return nil, fmt.Errorf("read the statement of the table: %w", err)
	}
	t.Columns, err = query(ctx, tx, func(rows *sql.Rows) (c column, err error) {
		var hidden int
		err = rows.Scan(&c.Name, &c.Type, &c.Null, &c.Default, &c.Key, &hidden)
		c.Hidden = [...]string{1: "hidden", 2: "generated, virtual", 3: "generated, stored"}[hidden&3]
		return c, err
	}, `SELECT substr(name, 1, ?2), substr(coalesce(type, ''), 1, ?2), iif("notnull", 'no', iif(?4, 'yes', '')), substr(coalesce(dflt_value, ''), 1, ?2), pk, hidden
		FROM pragma_table_xinfo(?1, 'main') ORDER BY cid LIMIT ?3`, o.Name, maxText, maxColumns, o.Kind == "table")
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("read the columns: %w", ctx.Err())
	case err != nil:
		t.Columns, t.Broken = nil, err.Error()
		return t, nil
	}
	if t.Indexes, err = readIndexes(ctx, tx, o.Name); err != nil {
		return nil, fmt.Errorf("read the indexes: %w", err)
	}
	if t.Foreign, t.MoreForeign, err = g.readForeign(ctx, tx, ix, o.Name); err != nil {
		return nil, fmt.Errorf("read the foreign keys: %w", err)
	}
	if t.MoreIndexes = len(t.Indexes) > maxIndexes; t.MoreIndexes {
		t.Indexes = t.Indexes[:maxIndexes]
	}
	t.markKey()
	return t, nil
}

// markKey says of the column that is the rowid that it is never null. Other
// columns of a primary key may be, in a table that has rowids, as an old fault of
// SQLite's has it.
func (t *table) markKey() {
	var key []*column
	for i := range t.Columns {
		if t.Columns[i].Key > 0 {
			key = append(key, &t.Columns[i])
		}
	}
	if len(key) != 1 {
		return
	}
	key[0].WholeKey = true
	hasIndex := slices.ContainsFunc(t.Indexes, func(ix tableIndex) bool { return ix.Origin == "pk" })
	if lower(key[0].Type) == "integer" && !hasIndex {
		key[0].Null = "no"
	}
}

func readIndexes(ctx context.Context, tx *sql.Tx, table string) ([]tableIndex, error) {
	list, err := query(ctx, tx, func(rows *sql.Rows) (ix tableIndex, err error) {
		return ix, rows.Scan(&ix.Name, &ix.Unique, &ix.Origin, &ix.Partial)
	}, `SELECT name, "unique", origin, partial FROM pragma_index_list(?, 'main') ORDER BY name LIMIT ?`, table, maxIndexes+1)
	if err != nil {
		return nil, err
	}
	for i := range list {
		ix := &list[i]
		ix.Columns, err = query(ctx, tx, func(rows *sql.Rows) (name string, err error) {
			return name, rows.Scan(&name)
		}, `SELECT substr(coalesce(name, ''), 1, 600) FROM pragma_index_xinfo(?, 'main') WHERE key ORDER BY seqno LIMIT ?`, ix.Name, maxColumns)
		if err != nil {
			return nil, err
		}
		err = tx.QueryRowContext(ctx, `SELECT coalesce((SELECT substr(sql, 1, 2000) FROM sqlite_schema
			WHERE type = 'index' AND name = ?), '')`, ix.Name).Scan(&ix.Statement)
		if err != nil {
			return nil, err
		}
		if ix.Origin != "c" {
			ix.Name = "" // sqlite_autoindex_...: nobody gave it
		}
	}
	return list, nil
}

func (g *Generator) readForeign(ctx context.Context, tx *sql.Tx, ix *index, table string) (keys []foreignKey, more bool, err error) {
	type row struct {
		id             int
		from, to       string
		parent         string
		update, delete string
	}
	list, err := query(ctx, tx, func(rows *sql.Rows) (r row, err error) {
		return r, rows.Scan(&r.id, &r.parent, &r.from, &r.to, &r.update, &r.delete)
	}, `SELECT id, "table", "from", coalesce("to", ''), on_update, on_delete
		FROM pragma_foreign_key_list(?, 'main') ORDER BY id DESC, seq LIMIT ?`, table, maxForeign+1)
	if err != nil {
		return nil, false, err
	}
	if more = len(list) > maxForeign; more {
		list = list[:maxForeign]
	}
	for i, r := range list {
		if i == 0 || r.id != list[i-1].id {
			key := foreignKey{Table: r.parent, OnUpdate: action(r.update), OnDelete: action(r.delete)}
			if parent := ix.tables[lower(r.parent)]; parent != nil {
				key.URI = g.uri(parent.Skill)
			}
			keys = append(keys, key)
		}
		key := &keys[len(keys)-1]
		key.From = append(key.From, r.from)
		if r.to != "" {
			key.To = append(key.To, r.to)
		}
	}
	return keys, more, nil
}

// action is what a foreign key does, "" for nothing.
func action(s string) string {
	if s == "NO ACTION" {
		return ""
	}
	return strings.ToLower(s)
}
