package framework

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"strings"
	"time"
)

// FSOptions configure FromFS and OverlayFS. The zero value of each field stands for its
// default.
type FSOptions struct {
	// Interval is the time between two looks at the folder for changes. Default
	// two seconds; negative: it is not watched, and the generator is no Watcher.
	Interval time.Duration

	// Name is the name of the folder as its user gave it. The file names of
	// diagnostics begin with it. Default "": they are relative to the folder.
	Name string
}

const defaultInterval = 2 * time.Second

// FromFS returns a generator of the skills that are folders of fsys: each folder
// with a SKILL.md, at any depth, at its own path. A nil opts means defaults. The
// other files below it are its files, but for those of skills nested in it.
//
// The bytes are read in Skill, so that the *Skill is a snapshot, and its version
// is a hash of them. MaxResources, MaxTotalBytes and a depth of 16 segments are
// kept while reading; what is beyond is an error of the skill that wraps
// ErrInvalidSkill, as a file that cannot be read is an error of its skill. No
// folder may have more than 65,536 entries.
//
// Symbolic links, devices, pipes and names that begin with a dot are skipped, and
// never opened. Diagnostics say so, and what is no skill though it looks like
// one: a folder with a SKILL.md whose name is no skill name, a SKILL.md that is
// in no folder, one that is spelled in other letters. What an fs.FS does with a
// folder that somebody replaces by a link at that very moment is its own affair:
// where others may write, use the FS method of an os.Root, not os.DirFS.
//
// The generator is a Lister, without an index: a page costs a read of the folders
// that it is about. It is a Diagnoser, and unless FSOptions.Interval is negative a
// Watcher that compares names, sizes, modes and modification times.
func FromFS(fsys fs.FS, opts *FSOptions) Generator {
	if fsys == nil {
		return nil // as the other makers of generators do, so that NewCatalog says it
	}
	_, g := newFolder(fsys, nil, opts)
	return g
}

// newFolder returns a folder, that lies over the skills of under if there are some, and
// the generator that it is with these options.
func newFolder(fsys fs.FS, under Generator, opts *FSOptions) (*folder, Generator) {
	var o FSOptions
	if opts != nil {
		o = *opts
	}
	f := &folder{fsys: fsys, under: under, name: o.Name}
	if o.Interval < 0 {
		return f, f
	}
	return f, &watchedFolder{f, cmp.Or(o.Interval, defaultInterval)}
}

// A folder is a tree of skills in files.
type folder struct {
	fsys fs.FS
	name string
	// under is the generator that the folder is laid over, or nil. A folder
	// that is one of its skills is not of the skill around it.
	under Generator
}

// Skill implements Generator.
func (f *folder) Skill(ctx context.Context, path string) (*Skill, error) {
	if !f.canBeSkill(path) {
		return nil, fmt.Errorf("no skill can be in the folder %q: %w", path, ErrNotFound)
	}
	entries, ok, err := f.find(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("the folder %q: %w", path, concealNotFound(err))
	}
	if !ok || !hasSkillFile(entries) {
		return nil, fmt.Errorf("no folder %q with a %s: %w", path, skillFile, ErrNotFound)
	}
	files, version, err := f.read(ctx, path, entries)
	if err != nil {
		return nil, err
	}
	return &Skill{Files: files, Version: version}, nil
}

// canBeSkill reports whether a folder may be a skill by its path: one that is too
// deep has no room for a SKILL.md.
func (f *folder) canBeSkill(path string) bool {
	return validPath(path) == nil && ValidName(base1(path)) && segments(path) < maxSegments
}

// find returns the entries of the folder at path. Each segment is looked up in
// the folder above, so that it is spelled as it is there, also where the system
// takes other spellings, and is no link.
func (f *folder) find(ctx context.Context, path string) (entries []fs.DirEntry, ok bool, err error) {
	entries, err = f.readDir(ctx, ".", nil)
	for done := 0; err == nil && done < len(path); done++ { // behind the slash
		end := len(path)
		if i := strings.IndexByte(path[done:], '/'); i >= 0 {
			end = done + i
		}
		e := lookup(entries, path[done:end])
		if e == nil || kindOf(e) != directory {
			return nil, false, nil
		}
		entries, err = f.readDir(ctx, path[:end], e)
		done = end
	}
	return entries, err == nil, err
}

// read returns the files of the skill in the folder dir, with their bytes, and
// their hash.
func (f *folder) read(ctx context.Context, dir string, entries []fs.DirEntry) ([]File, string, error) {
	r := &reading{folder: f, dir: dir, sum: sha256.New()}
	if err := r.add(ctx, dir, entries); err != nil {
		return nil, "", concealNotFound(err)
	}
	return r.files, hex.EncodeToString(r.sum.Sum(nil)), nil
}

// A reading is the state of reading the files of a skill.
type reading struct {
	*folder
	dir     string
	files   []File
	total   int64 // bytes
	entries int
	sum     hash.Hash
}

// maxSkillEntries bounds the entries of all folders that are read for one skill:
// folders and what is skipped are no files, and MaxResources does not bound them.
const maxSkillEntries = 64 * MaxResources

// add reads the files in dir, and in the folders below that are no skills.
func (r *reading) add(ctx context.Context, dir string, entries []fs.DirEntry) error {
	if r.entries += len(entries); r.entries > maxSkillEntries {
		return invalidSkill("the folder %q and those below have more than %d entries; a skill has at most %d files", r.dir, maxSkillEntries, MaxResources)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := joinPath(dir, e.Name())
		kind := kindOf(e)
		switch {
		case kind == hidden || kind == irregular:
			continue
		case kind == misnamed:
			return invalidSkill("the folder %q has an entry %.200q, and no resource can be named so; rename it", dir, e.Name())
		case segments(path) > maxSegments || kind == directory && segments(path) == maxSegments:
			return invalidSkill("%q is deeper than %d segments; move it up", path, maxSegments)
		case kind == regular:
			if err := r.addFile(path, e); err != nil {
				return err
			}
			continue
		}
		below, err := r.readDir(ctx, path, e)
		if err != nil {
			return fmt.Errorf("the folder %q: %w", path, err)
		}
		if hasSkillFile(below) {
			continue
		}
		claimed, err := r.claimed(ctx, path)
		if err == nil && !claimed {
			err = r.add(ctx, path, below)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addFile reads one file, and no more of it than the skill may have.
func (r *reading) addFile(path string, e fs.DirEntry) error {
	if len(r.files) == MaxResources {
		return invalidSkill("the folder %q has more than the %d files that hosts must accept", r.dir, MaxResources)
	}
	left := MaxTotalBytes - r.total
	content, err := r.readFile(path, e, left)
	if errors.Is(err, errTooLarge) {
		return invalidSkill("the files of the folder %q are more than %d bytes together, which hosts need not accept", r.dir, MaxTotalBytes)
	}
	if err != nil {
		return fmt.Errorf("the file %q: %w", path, err)
	}
	r.total += int64(len(content))
	name := path[len(r.dir)+1:]
	fmt.Fprintf(r.sum, "%d %s %d ", len(name), name, len(content))
	r.sum.Write(content)
	r.files = append(r.files, TextFile(name, string(content)))
	return nil
}

var errTooLarge = errors.New("too large")

func (f *folder) readFile(path string, e fs.DirEntry, limit int64) ([]byte, error) {
	file, info, err := f.open(path, e)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info.Size() > limit {
		return nil, errTooLarge
	}
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit { // it grew, or has no honest size
		err = errTooLarge
	}
	return content, err
}

// claimed reports whether a folder is a skill of the generator below. Without a
// Lister it has no nested skills (see Catalog).
func (f *folder) claimed(ctx context.Context, path string) (bool, error) {
	if f.under == nil || !f.canBeSkill(path) {
		return false, nil
	}
	if _, ok := As[Lister](f.under); !ok {
		return false, nil
	}
	return serves(ctx, f.under, path)
}
