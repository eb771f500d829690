package sqlschema

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/apiskills/apiskills/framework"
)

// Options say which skills a database has. The zero value of each field stands
// for its default.
type Options struct {
	// Name is what the skills call the database. Default "database".
	Name string
	// Base is the URI of the mount, as in "skill://shop": the skills name each
	// other by URI. Default "skill://" and Name.
	Base string

	// Tables are globs of the names of the tables and views to serve, as in
	// "order*". Upper and lower case are the same, and * stops at a slash.
	// Default all. Exclude are those to leave out.
	Tables, Exclude []string

	// RowCounts adds a skill for each table that counts its rows at each read.
	RowCounts bool
	// MaxRows is the number of rows up to which these count. Default 1,000,000.
	MaxRows int64
	// CountTimeout is how long they may count. Default two seconds.
	CountTimeout time.Duration

	maxTables int // for tests
}

// A Generator has a skill for each table and view of a SQLite database, and one
// that lists them.
type Generator struct {
	db    *sql.DB
	opts  Options
	index atomic.Pointer[index]
}

// The abilities that the catalog looks for.
var (
	_ framework.Generator = (*Generator)(nil)
	_ framework.Lister    = (*Generator)(nil)
	_ framework.Featurer  = (*Generator)(nil)
	_ framework.Diagnoser = (*Generator)(nil)
)

// New returns the generator of a database, which it reads to find out whether it
// is one. One connection is enough for it. Closing the generator closes db.
func New(ctx context.Context, db *sql.DB, opts *Options) (*Generator, error) {
	g := &Generator{db: db}
	if opts != nil {
		g.opts = *opts
	}
	g.opts.Name = cmp.Or(g.opts.Name, "database")
	g.opts.Base = strings.TrimSuffix(cmp.Or(g.opts.Base, "skill://"+g.opts.Name), "/")
	g.opts.MaxRows = cmp.Or(g.opts.MaxRows, 1_000_000)
	g.opts.maxTables = cmp.Or(g.opts.maxTables, maxTables)
	g.opts.CountTimeout = cmp.Or(g.opts.CountTimeout, 2*time.Second)
	if g.opts.MaxRows < 0 || g.opts.CountTimeout < 0 {
		return nil, fmt.Errorf("the bounds of row counts are negative")
	}
	for _, glob := range slices.Concat(g.opts.Tables, g.opts.Exclude) {
		if _, err := path.Match(glob, ""); err != nil {
			return nil, fmt.Errorf("%q is no glob of table names: %w", glob, err)
		}
	}
	return g, g.read(ctx, nil)
}

// Close closes the database.
func (g *Generator) Close() error { return g.db.Close() }

func (g *Generator) uri(skill string) string { return g.opts.Base + "/" + skill + "/SKILL.md" }

// Skill implements framework.Generator.
func (g *Generator) Skill(ctx context.Context, path string) (skill *framework.Skill, err error) {
	err = g.read(ctx, func(tx *sql.Tx, ix *index) error {
		if path == guideName {
			skill, err = g.guide(ctx, tx, ix)
			return err
		}
		if o := ix.skills[path]; o != nil {
			skill, err = g.table(ctx, tx, ix, o)
			return err
		}
		if table, ok := strings.CutSuffix(path, rowsSuffix); ok && g.opts.RowCounts && ix.skills[table] != nil {
			skill, err = g.rows(ix.skills[table])
			return err
		}
		return fmt.Errorf("%.100q: %w", path, framework.ErrNotFound)
	})
	return skill, err
}

// Paths implements framework.Lister. It has read all paths, and let go of the
// connection, when it yields the first.
func (g *Generator) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := g.read(ctx, nil); err != nil {
			yield("", err)
			return
		}
		framework.PathList(g.index.Load().paths).Paths(ctx, after)(yield)
	}
}

// Featured implements framework.Featurer.
func (g *Generator) Featured(context.Context) ([]string, error) { return []string{guideName}, nil }

// Diagnostics implements framework.Diagnoser.
func (g *Generator) Diagnostics(ctx context.Context) iter.Seq[framework.Diagnostic] {
	return func(yield func(framework.Diagnostic) bool) {
		if err := g.read(ctx, nil); err != nil {
			yield(framework.Diagnostic{Severity: framework.Error, Rule: "unreadable-schema", Message: err.Error()})
			return
		}
		for _, o := range g.index.Load().objects {
			if plain := slug(o.Name); plain == o.Skill {
				continue
			}
			d := framework.Diagnostic{
				Severity: framework.Note, Rule: "hashed-name", Skill: o.Skill,
				Message: fmt.Sprintf("the %s %.80q has a hash in its URI, since its name makes none that is valid and its own", o.Kind, o.Name),
			}
			if !yield(d) {
				return
			}
		}
	}
}
