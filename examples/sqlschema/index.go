package sqlschema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Bounds of the tables and views of a database: their number, and the bytes of
// their names, all together.
const (
	maxTables = 10_000
	maxNames  = 8 << 20
)

// An object is a table or a view, as the index knows it.
type object struct {
	Name  string // as SQL has it
	Kind  string // "table", "view" or "virtual table"
	Skill string // the name of its skill, which is its path

	module string // of a virtual table, in lower case
}

// An index has what is known of all tables: enough to name their skills.
type index struct {
	version int64    // of the schema, as this database counts it
	objects []object // ascending by skill
	skills  map[string]*object
	tables  map[string]*object // by lower-case name, as SQL looks them up
	paths   []string           // of all skills, ascending
}

// read calls f with the index and a transaction, so that all that f reads is of
// the schema of the index. The index is made again if the schema changed.
func (g *Generator) read(ctx context.Context, f func(tx *sql.Tx, ix *index) error) error {
	tx, err := g.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	defer tx.Rollback() // nothing was changed
	var version int64
	if err := tx.QueryRowContext(ctx, `PRAGMA schema_version`).Scan(&version); err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	ix := g.index.Load()
	if ix == nil || ix.version != version {
		if ix, err = g.makeIndex(ctx, tx, version); err != nil {
			return err
		}
		g.index.Store(ix)
	}
	if f == nil {
		return nil
	}
	return f(tx, ix)
}

// makeIndex reads the names of all tables and views that are to be served.
func (g *Generator) makeIndex(ctx context.Context, tx *sql.Tx, version int64) (*index, error) {
	// Not pragma_table_list: it works out the columns of all views, which takes
	// hours where somebody made them for that. A virtual table has no page.
	found, err := query(ctx, tx, func(rows *sql.Rows) (o object, err error) {
		var using string
		err = rows.Scan(&o.Name, &o.Kind, &using)
		if m := module.FindStringSubmatch(using); m != nil {
			o.module = lower(m[1])
		}
		return o, err
	}, `SELECT name, iif(type = 'table' AND rootpage = 0, 'virtual table', type),
			iif(type = 'table' AND rootpage = 0, substr(sql, instr(sql, name) + length(name), 100), '') FROM sqlite_schema
		WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' LIMIT ?`, g.opts.maxTables+1)
	if err != nil {
		return nil, fmt.Errorf("read the names of the tables: %w", err)
	}
	if len(found) > g.opts.maxTables {
		return nil, fmt.Errorf("the database has more than %d tables and views", g.opts.maxTables)
	}

	ix := &index{version: version, skills: map[string]*object{}, tables: map[string]*object{}, paths: []string{guideName}}
	all := make([]string, len(found))
	size := 0
	for i, o := range found {
		all[i] = o.Name
		size += len(o.Name)
	}
	if size > maxNames {
		return nil, fmt.Errorf("the names of the tables and views have more than %d bytes", maxNames)
	}
	skills := names(all) // also of what is not served: a filter does not change a URI
	shadow := shadows(found)
	for _, o := range found {
		o.Skill = skills[o.Name]
		if !shadow[lower(o.Name)] && g.serves(o.Name) {
			ix.objects = append(ix.objects, o)
		}
	}
	slices.SortFunc(ix.objects, func(a, b object) int { return strings.Compare(a.Skill, b.Skill) })
	for i := range ix.objects {
		o := &ix.objects[i]
		ix.skills[o.Skill] = o
		ix.tables[lower(o.Name)] = o
		ix.paths = append(ix.paths, o.Skill)
		if g.opts.RowCounts {
			ix.paths = append(ix.paths, o.Skill+rowsSuffix)
		}
	}
	slices.Sort(ix.paths)
	return ix, nil
}

// module finds the module behind the name of a virtual table.
var module = regexp.MustCompile(`(?is)^.{0,9}\busing\s+(\w+)`)

// shadowTables are the tables that a module keeps for a virtual table, as the ends
// of their names.
var shadowTables = map[string][]string{
	"fts3":  {"content", "segments", "segdir", "docsize", "stat"},
	"fts4":  {"content", "segments", "segdir", "docsize", "stat"},
	"fts5":  {"data", "idx", "content", "docsize", "config"},
	"rtree": {"node", "parent", "rowid"},
}

// shadows returns the lower-case names of those: nobody is to query them.
func shadows(objects []object) map[string]bool {
	shadows := map[string]bool{}
	for _, o := range objects {
		for _, suffix := range shadowTables[o.module] {
			shadows[lower(o.Name)+"_"+suffix] = true
		}
	}
	return shadows
}

// serves reports whether the table is one of those that the options ask for.
func (g *Generator) serves(table string) bool {
	matches := func(glob string) bool {
		ok, _ := path.Match(lower(glob), lower(table)) // New has looked at the globs
		return ok
	}
	if len(g.opts.Tables) > 0 && !slices.ContainsFunc(g.opts.Tables, matches) {
		return false
	}
	return !slices.ContainsFunc(g.opts.Exclude, matches)
}

// lower makes ASCII letters small, and no others, as SQLite compares names.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// query returns the rows of a query. It reads all of them before it returns, so
// that the connection is free for the next: a transaction has only one.
func query[T any](ctx context.Context, tx *sql.Tx, scan func(*sql.Rows) (T, error), text string, args ...any) (all []T, err error) {
	rows, err := tx.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		row, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}
