package framework

import (
	"context"
	"encoding/binary"
	"hash/maphash"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
)

// A watchedFolder is a folder that is looked at again and again.
type watchedFolder struct {
	*folder
	interval time.Duration
}

// Watch implements Watcher. It tells nothing of a change after which a file has
// the size, mode and modification time that it had before.
func (f *watchedFolder) Watch(ctx context.Context, changed func(path string)) error {
	before := f.scan(ctx)
	changed("") // of what was read before the first look nothing is known
	timer := time.NewTimer(f.interval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		now := f.scan(ctx)
		if ctx.Err() != nil {
			return nil // the scan may have been cut short
		}
		for _, path := range f.touched(before, now) {
			changed(path)
		}
		before = now
		timer.Reset(f.interval)
	}
}

// A dirState is what a scan keeps of a folder.
type dirState struct {
	sum   uint64 // of its own entries
	owner string // the skill that its files are of, or ""
}

var scanSeed = maphash.MakeSeed()

// scan looks at all files, but opens none.
func (f *folder) scan(ctx context.Context) map[string]dirState {
	states := map[string]dirState{}
	for d := range f.dirs(ctx) {
		var h maphash.Hash
		h.SetSeed(scanSeed)
		if d.err != nil {
			h.WriteString("?")
		}
		for _, e := range d.entries {
			kind := kindOf(e)
			if kind == hidden {
				continue
			}
			h.WriteString(e.Name())
			stamp := []byte{0, byte(kind)}
			if kind == regular {
				if info, err := e.Info(); err == nil {
					stamp = binary.AppendVarint(stamp, info.Size())
					stamp = binary.AppendUvarint(stamp, uint64(info.Mode()))
					stamp = binary.AppendVarint(stamp, info.ModTime().Unix())
					stamp = binary.AppendVarint(stamp, int64(info.ModTime().Nanosecond()))
				}
			}
			h.Write(append(stamp, 0))
		}
		states[d.path] = dirState{h.Sum64(), d.owner}
	}
	return states
}

// touched returns the paths of the skills that changed between two scans,
// ascending. Where the folder is laid over a generator a file may be one of the
// skill at any folder above it, and each of them is told.
func (f *folder) touched(before, now map[string]dirState) []string {
	paths := map[string]bool{}
	tell := func(path string) {
		if f.canBeSkill(path) {
			paths[path] = true
		}
	}
	for _, scans := range [][2]map[string]dirState{{before, now}, {now, before}} {
		for dir, state := range scans[0] {
			other, ok := scans[1][dir]
			if ok && other == state {
				continue
			}
			if f.under == nil {
				tell(state.owner)
				continue
			}
			for end := len(dir); end > 0; end = strings.LastIndexByte(dir[:end], '/') {
				tell(dir[:end])
			}
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// An fsDir is a folder that a walk over all of them comes by.
type fsDir struct {
	path    string // "." for the root
	entries []fs.DirEntry
	err     error  // that it could not be read
	skill   bool   // it has a SKILL.md, whatever its name
	owner   string // the deepest folder at or above it with a SKILL.md, or ""
}

// dirs yields all folders, each before those in it. It does not enter what is too
// deep.
func (f *folder) dirs(ctx context.Context) iter.Seq[fsDir] {
	return func(yield func(fsDir) bool) {
		var walk func(path, owner string, e fs.DirEntry) bool
		walk = func(path, owner string, e fs.DirEntry) bool {
			d := fsDir{path: path, owner: owner}
			d.entries, d.err = f.readDir(ctx, path, e)
			if hasSkillFile(d.entries) {
				d.skill, d.owner = true, path
			}
			if ctx.Err() != nil || !yield(d) {
				return false
			}
			for _, e := range d.entries {
				below := joinPath(path, e.Name())
				if kindOf(e) == directory && segments(below) < maxSegments && !walk(below, d.owner, e) {
					return false
				}
			}
			return true
		}
		walk(".", "", nil)
	}
}
