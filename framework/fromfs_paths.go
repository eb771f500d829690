package framework

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
)

// Paths implements Lister. A folder that may not be read, or is gone, is passed
// over; diagnostics say it.
func (f *folder) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		entries, err := f.readDir(ctx, ".", nil)
		if err != nil {
			yield("", fmt.Errorf("the folder of the skills: %w", concealNotFound(err)))
			return
		}
		w := pathWalk{f, after, yield}
		w.walk(ctx, ".", entries)
	}
}

type pathWalk struct {
	*folder
	after string
	yield func(string, error) bool
}

// A step of a walk is the folder itself, or what is below it.
type step struct {
	key   string // as its paths begin: "name", or "name/"
	entry fs.DirEntry
	below bool
}

// walk yields the paths below dir, and reports whether to go on. In bytewise
// order of whole paths what is below "a" need not follow "a" at once: "a-b" is
// between. So both are steps of their own.
func (w *pathWalk) walk(ctx context.Context, dir string, entries []fs.DirEntry) bool {
	var steps []step
	for _, e := range entries {
		if kindOf(e) == directory && segments(joinPath(dir, e.Name())) < maxSegments {
			steps = append(steps, step{e.Name(), e, false}, step{e.Name() + "/", e, true})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.key, b.key) })

	// The entries of the folder that was a step last: as a rule it is the next
	// one too.
	var known []fs.DirEntry
	knownPath := ""
	for _, s := range steps {
		path := joinPath(dir, s.entry.Name())
		if !s.below && path <= w.after || s.below && path+"/" < w.after && !strings.HasPrefix(w.after, path+"/") {
			continue
		}
		if err := ctx.Err(); err != nil {
			w.yield("", err)
			return false
		}
		if knownPath != path {
			var err error
			known, err = w.readDir(ctx, path, s.entry)
			knownPath = path
			switch {
			case passedOver(err):
				known = nil
			case err != nil:
				w.yield("", fmt.Errorf("the folder %q: %w", path, concealNotFound(err)))
				return false
			}
		}
		if s.below {
			if !w.walk(ctx, path, known) {
				return false
			}
		} else if hasSkillFile(known) && w.canBeSkill(path) && !w.yield(path, nil) {
			return false
		}
	}
	return true
}

// passedOver reports whether an error of reading a folder costs no more than what
// is in it. Others, say that too many files are open, end a listing: it must not
// look whole.
func passedOver(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, errReplaced)
}
