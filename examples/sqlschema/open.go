package sqlschema

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/ncruces/go-sqlite3/ext/rtree"
)

// Bounds of a connection, for files that somebody else made.
const (
	maxHeap     = 256 << 20       // bytes of memory that SQLite may use
	busyTimeout = 2 * time.Second // wait for a writer
	maxConns    = 4               // each has memory of its own
)

// Open opens a database file for reading alone. It never creates or changes the
// database; beside one in WAL mode SQLite may make its -shm file. With immutable
// it does not, and takes no locks: say so only of a file that nobody writes to.
//
// It does not yet read the file: [New] does, and finds out whether it is a
// database.
func Open(path string, immutable bool) (*sql.DB, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, fmt.Errorf("%s is not a file", path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	db, err := driver.Open(dataSource(abs, immutable), harden)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(maxConns)
	db.SetConnMaxIdleTime(time.Minute)
	return db, nil
}

// dataSource makes a URI of a path, in which "?" and "#" are characters like any
// other.
func dataSource(abs string, immutable bool) string {
	abs = filepath.ToSlash(abs)
	if !strings.HasPrefix(abs, "/") {
		abs = "/" + abs // C:/shop.db
	}
	query := url.Values{"mode": {"ro"}}
	if immutable {
		query.Set("immutable", "1")
	}
	return (&url.URL{Scheme: "file", Path: abs, RawQuery: query.Encode()}).String()
}

// harden sets up each connection as SQLite advises for files from elsewhere
// ("Defense Against The Dark Arts"): a schema that calls functions with side
// effects is not trusted, damaged pages are errors, and memory is bounded.
func harden(c *sqlite3.Conn) error {
	c.HardHeapLimit(maxHeap)
	c.Limit(sqlite3.LIMIT_ATTACHED, 0)
	if err := c.BusyTimeout(busyTimeout); err != nil {
		return err
	}
	if _, err := c.Config(sqlite3.DBCONFIG_DEFENSIVE, true); err != nil {
		return err
	}
	// The modules that a sqlite3 command has as a rule.
	if err := errors.Join(fts5.Register(c), rtree.Register(c)); err != nil {
		return err
	}
	// A collation that the application registers must not keep its tables from us.
	if err := c.AnyCollationNeeded(); err != nil {
		return err
	}
	return c.Exec(`PRAGMA query_only = on; PRAGMA trusted_schema = off; PRAGMA cell_size_check = on`)
}
