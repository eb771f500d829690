// Package sqlschema makes Agent Skills of the schema of a SQLite database: one for
// each table and view, one that lists them, and, if asked for, one for each table
// that counts its rows. It is an example of a generator of your own in a module of
// your own, with a build of the command apiskills that has it.
//
//	cd examples/sqlschema
//	go run ./cmd/sqlskills list shop.db
//	go run ./cmd/sqlskills show skill://shop/orders/SKILL.md shop.db
//	go run ./cmd/sqlskills check shop.db
//	go run ./cmd/sqlskills serve shop.db --option rowCounts=true
//	go run ./cmd/sqlskills help sqlschema
//
// or, with apiskills.yaml in the working directory, "sqlskills serve" alone:
//
//	documents:
//	  - kind: sqlschema
//	    path: shop.db
//	    name: shop
//	    options:
//	      tables: [order*, customers]
//	      rowCounts: true
//
// Nobody needs a database to be restarted for: a change of the schema is noticed by
// itself, after a minute at most.
//
// # What to copy
//
//   - Work is done when a skill is asked for. [New] reads names alone, whatever the
//     size of the schema (index.go).
//   - A skill depends on its own table alone (table.go), so that a change of another
//     one asks nobody to approve it again. What is known from all tables together,
//     who refers to whom, stands in the skill "tables" (guide.go).
//   - A URI belongs to its table for good: names that would be the same all take a
//     hash (names.go).
//   - What is only true for a moment is in a skill of its own that is dynamic
//     (rows.go), so that the others keep their digests.
//   - A name out of the database is data. It reaches a file through functions that
//     keep it in its place (render.go), and SQL in quotes.
//   - A connection is never asked for by who already has one, so that one is enough.
//   - The file may be hostile: it is opened read only (open.go), and time, memory and
//     numbers have bounds. A table that is broken becomes a skill that says so.
//
// The driver is github.com/ncruces/go-sqlite3: it compiles in about the time that
// modernc.org/sqlite takes, is a tenth of that to download, needs no version of
// another module to match, and runs SQLite in memory of its own, which a damaged file
// cannot get out of.
package sqlschema
