package framework

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// maxDirEntries bounds the entries of one folder: they are held at once, to be
// put in order.
const maxDirEntries = 1 << 16

// An entryKind is what an entry of a folder is to FromFS.
type entryKind int

const (
	regular entryKind = iota
	directory
	hidden    // its name begins with a dot
	irregular // a link, device, pipe or socket: not even opened
	misnamed  // no resource can have the name
)

func kindOf(e fs.DirEntry) entryKind {
	switch name := e.Name(); {
	case strings.HasPrefix(name, "."):
		return hidden
	case !e.IsDir() && !e.Type().IsRegular():
		return irregular
	case validPath(name) != nil || strings.Contains(name, "/"):
		return misnamed
	case e.IsDir():
		return directory
	}
	return regular
}

// open opens what the entry e of its folder says is at path, and nothing else. A
// nil e stands for the root.
func (f *folder) open(path string, e fs.DirEntry) (fs.File, fs.FileInfo, error) {
	var before fs.FileInfo
	if e != nil {
		var err error
		if before, err = e.Info(); err != nil {
			return nil, nil, err
		}
		if before.Mode().Type() != e.Type() { // opening a pipe would wait for a writer
			return nil, nil, errReplaced
		}
	}
	file, err := f.fsys.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case before == nil:
	case info.Mode().Type() != before.Mode().Type():
		err = errReplaced
	case os.SameFile(before, before) && !os.SameFile(before, info): // files of package os, which can tell
		err = errReplaced
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

var errReplaced = errors.New("it was replaced while it was read; ask again")

// readDir returns the entries of the folder at path, ascending by name.
func (f *folder) readDir(ctx context.Context, path string, e fs.DirEntry) ([]fs.DirEntry, error) {
	file, info, err := f.open(path, e)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	dir, ok := file.(fs.ReadDirFile)
	if !ok || !info.IsDir() {
		return nil, fmt.Errorf("%q is not a folder", path)
	}
	var entries []fs.DirEntry
	for {
		some, err := dir.ReadDir(1024)
		entries = append(entries, some...)
		if err == nil && len(some) == 0 || errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if len(entries) > maxDirEntries {
			return nil, fmt.Errorf("it has more than %d entries; spread them over several folders", maxDirEntries)
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// lookup returns the entry with a name, or nil.
func lookup(entries []fs.DirEntry, name string) fs.DirEntry {
	i, ok := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
	if !ok {
		return nil
	}
	return entries[i]
}

// hasSkillFile reports whether the folder with these entries is a skill.
func hasSkillFile(entries []fs.DirEntry) bool {
	e := lookup(entries, skillFile)
	return e != nil && kindOf(e) == regular
}

// joinPath returns the path of an entry of the folder dir.
func joinPath(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

func segments(path string) int { return strings.Count(path, "/") + 1 }
