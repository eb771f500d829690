package sqlschema

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/apiskills/apiskills/cmd/apiskills/command"
	"github.com/apiskills/apiskills/framework"
)

// kindOptions are what a user of the command can say of a database.
type kindOptions struct {
	Tables    []string `yaml:"tables" doc:"globs of the tables and views to serve, as in order*; all without"`
	Exclude   []string `yaml:"exclude" doc:"globs of those to leave out"`
	RowCounts bool     `yaml:"rowCounts" doc:"a skill for each table that counts its rows at each read"`
	MaxRows   int64    `yaml:"maxRows" doc:"the number of rows up to which these count"`
	Immutable bool     `yaml:"immutable" doc:"nobody writes to the file: take no locks, and make no file beside it"`
}

// Validate refuses what New would, so that the error names the line of the
// configuration file.
func (o *kindOptions) Validate() error {
	for _, list := range []struct {
		option string
		globs  []string
	}{{"tables", o.Tables}, {"exclude", o.Exclude}} {
		for _, glob := range list.globs {
			if _, err := path.Match(glob, ""); err != nil {
				return fmt.Errorf("%s: %q is no glob: %w", list.option, glob, err)
			}
		}
	}
	if o.MaxRows < 1 {
		return errors.New("maxRows: must be 1 or more")
	}
	return nil
}

// Kind is the kind "sqlschema" of sources, for a build of the command that reads
// SQLite databases.
func Kind() command.Kind {
	return command.NewKind("sqlschema", "the tables of a SQLite database, read only", kindOptions{MaxRows: 1_000_000}, openSource)
}

func openSource(ctx context.Context, src *command.Source, o kindOptions) (framework.Generator, error) {
	if src.Stdin != nil {
		return nil, errors.New("a database cannot be read from standard input: give its file")
	}
	db, err := Open(src.Path, o.Immutable)
	if err != nil {
		return nil, err
	}
	g, err := New(ctx, db, &Options{Name: src.Name, Tables: o.Tables, Exclude: o.Exclude, RowCounts: o.RowCounts, MaxRows: o.MaxRows})
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("%s: %w", src.Path, err)
	}
	return g, nil
}
