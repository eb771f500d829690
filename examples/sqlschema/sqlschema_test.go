package sqlschema

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"
)

var update = flag.Bool("update", false, "rewrite the expected skills below testdata")

// shop is a database with a bit of everything.
const shop = `
CREATE TABLE customers (
	id INTEGER PRIMARY KEY,
	email TEXT NOT NULL UNIQUE COLLATE NOCASE,
	name TEXT DEFAULT 'nobody|at all'
);
CREATE TABLE orders (
	id INTEGER PRIMARY KEY,
	"customer id" INTEGER NOT NULL REFERENCES customers ON DELETE CASCADE,
	day TEXT NOT NULL DEFAULT (date('now')),
	cents INTEGER NOT NULL CHECK (cents >= 0),
	euros REAL GENERATED ALWAYS AS (cents / 100.0) STORED,
	state TEXT CHECK (state IN ('open', 'paid'))
) STRICT;
CREATE UNIQUE INDEX orders_once ON orders ("customer id", day);
CREATE INDEX orders_open ON orders (day) WHERE state = 'open';
CREATE INDEX orders_month ON orders (substr(day, 1, 7));
CREATE TABLE "select" (a, b, c, PRIMARY KEY (a, b), FOREIGN KEY (a, b) REFERENCES pairs (x, y)) WITHOUT ROWID;
CREATE VIEW paid AS SELECT id, euros FROM orders WHERE state = 'paid';
INSERT INTO customers (email) VALUES ('a@shop.example'), ('b@shop.example');
INSERT INTO orders ("customer id", cents, state) VALUES (1, 250, 'paid');
`

// create makes a database of SQL and returns its file.
func create(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shop.db")
	change(t, file, text)
	return file
}

// change runs SQL on a database file, as somebody else does.
func change(t testing.TB, file, text string) {
	t.Helper()
	db, err := driver.Open("file:"+filepath.ToSlash(file)+"?_pragma=synchronous(off)", fts5.Register)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}

// open opens a database file as the command does.
func open(t testing.TB, file string) *sql.DB {
	t.Helper()
	db, err := Open(file, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func generator(t testing.TB, file string, opts *Options) *Generator {
	t.Helper()
	g, err := New(t.Context(), open(t, file), opts)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// textOf returns the text of a file of a skill.
func textOf(t testing.TB, g *Generator, path, file string) string {
	t.Helper()
	skill, err := g.Skill(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(skill.Files, func(f framework.File) bool { return f.Name == file })
	if i < 0 {
		t.Fatalf("the skill %s has no file %s", path, file)
	}
	text, err := skill.Files[i].Content(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func paths(t testing.TB, g framework.Lister) (all []string) {
	t.Helper()
	for path, err := range g.Paths(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, path)
	}
	return all
}

// TestSkillsAreAsReviewed compares what an agent reads with testdata; -update
// rewrites that.
func TestSkillsAreAsReviewed(t *testing.T) {
	g := generator(t, create(t, shop), &Options{Name: "shop", RowCounts: true})
	for _, f := range []struct{ path, file, golden string }{
		{"tables", "SKILL.md", "tables.md"},
		{"tables", "references/tables-1.md", "tables-1.md"},
		{"tables", "references/relations.md", "relations.md"},
		{"orders", "SKILL.md", "orders.md"},
		{"select", "SKILL.md", "select.md"},
		{"paid", "SKILL.md", "paid.md"},
		{"orders-rows", "SKILL.md", "orders-rows.md"},
		{"orders-rows", "count.md", "orders-count.md"},
	} {
		got := textOf(t, g, f.path, f.file)
		golden := filepath.Join("testdata", f.golden)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s of %s is\n%s\nwant\n%s", f.file, f.path, got, want)
		}
	}
}

// TestOneConnectionIsEnough lists and reads everything over a database with one
// connection. Whoever asks for a second one while he has the first waits forever.
func TestOneConnectionIsEnough(t *testing.T) {
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "CREATE TABLE t%d (id INTEGER PRIMARY KEY, p REFERENCES t%d);", i, i/2)
	}
	db := open(t, create(t, text.String()))
	db.SetMaxOpenConns(1)
	g, err := New(t.Context(), db, &Options{RowCounts: true})
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := framework.NewCatalog([]framework.Mount{{Prefix: "db", Generator: g}}, &framework.Options{Listing: framework.ListAll, PageSize: 20})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for cursor := ""; ; {
		page, err := catalog.List(t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		seen += len(page.Entries)
		for _, e := range page.Entries {
			if _, err := catalog.Read(t.Context(), e.URI); err != nil {
				t.Error(err)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if want := 121; seen != want {
		t.Errorf("%d skills are listed, want %d", seen, want)
	}
}
