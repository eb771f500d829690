package command

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// cached returns the files of the cache.
func cached(ts *testscript.TestScript) []string {
	files, err := filepath.Glob(filepath.Join(ts.Getenv("XDG_CACHE_HOME"), "apiskills", "*"))
	ts.Check(err)
	return files
}

// cacheHas N checks how many files the cache has.
func cacheHas(ts *testscript.TestScript, _ bool, args []string) {
	if files := cached(ts); len(args) != 1 || fmt.Sprint(len(files)) != args[0] {
		ts.Fatalf("the cache has %d files: %v", len(files), files)
	}
}

// damage changes a byte in the middle of each file of the cache.
func damage(ts *testscript.TestScript, _ bool, _ []string) {
	for _, f := range cached(ts) {
		data, err := os.ReadFile(f)
		ts.Check(err)
		data[len(data)/2] ^= 1
		ts.Check(os.WriteFile(f, data, 0o600))
	}
}

// sameTree A B compares two folders by what they have.
func sameTree(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: sametree A B")
	}
	read := func(dir string) map[string]string {
		files := map[string]string{}
		root := os.DirFS(ts.MkAbs(dir))
		ts.Check(fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(root, path)
			files[path] = string(data)
			return err
		}))
		return files
	}
	a, b := read(args[0]), read(args[1])
	if len(a) == 0 || maps.Equal(a, b) == neg {
		ts.Fatalf("%s with %d files and %s with %d: the same is %t", args[0], len(a), args[1], len(b), neg)
	}
}
