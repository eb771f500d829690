package framework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"sort"
)

// A Generator makes the skills of one source, one at a time, when somebody
// asks for them.
//
// A path locates a skill directory relative to the generator's mount: one or
// more segments joined by "/", without a leading or trailing slash, as in
// "pulls/get-pull". Its last segment is the skill's name.
//
// Skill may make the text of the files, or leave that to File.Content, where it is
// dear. It returns an error wrapping ErrNotFound for a path at which there is no
// skill, quickly, because clients guess: also for a path that cannot be one of its
// skills, as "../x" and "" are. Any other error means that the source failed. The
// *Skill is a snapshot: it stays valid, and keeps giving the same bytes, after the
// source changed. Callers do not change it.
//
// Skill must be safe for concurrent use. The Catalog calls it with a context that
// ends after Options.SkillTimeout and carries nothing of the client's: what is made
// goes to all who may see it (Options.Allow).
type Generator interface {
	Skill(ctx context.Context, path string) (*Skill, error)
}

// A Skill is a snapshot of the files of one skill directory.
type Skill struct {
	// Files are the skill's own files in any order, SKILL.md included. Files
	// of skills nested below it are not among them: the Catalog adds those.
	Files []File

	// Version, if not empty, stands for the bytes of all files: two skills of one
	// path with the same version have the same bytes, in any process, and made by
	// any generator that ever stands at the mount. The Catalog then keeps what it rendered without rendering it
	// again to find out. A hash of the bytes is one, where Skill makes them anyway.
	Version string

	// Dynamic marks content that is made when it is read: by a new call of Skill,
	// and of the Content of the file that is read. Its entry, and that of a skill
	// that it is nested in, carries no digests but "dynamic" (Skills extension,
	// "Resources"). For the entry, which is kept as others are, SKILL.md alone is
	// read. The frontmatter must still be the same at each read, since hosts compare
	// it.
	Dynamic bool

	// Diagnostics are faults met while making this skill. They do not stop it
	// from being served. The Catalog sets their Skill.
	Diagnostics []Diagnostic
}

// A File is one file of a skill.
type File struct {
	// Name is the path below the skill directory, as in "references/api.md".
	// It satisfies fs.ValidPath and is not ".".
	Name string

	// MIMEType is the media type. If it is empty the Catalog derives it from
	// the extension, by a table that is the same on each machine. That of
	// SKILL.md is text/markdown, whatever is said here. It is printable ASCII, and
	// not inode/directory.
	MIMEType string

	// Content returns the file's bytes. It must not be nil, must be safe for
	// concurrent use, and return the same bytes at each call, unless the skill is
	// dynamic, in a slice that is the caller's: who reads may write to it. The
	// Catalog neither changes nor keeps it. An error, also one that wraps
	// ErrNotFound, is one of the whole skill: while the skill is static it is not
	// served.
	Content func(context.Context) ([]byte, error)
}

// TextFile returns a File whose content is text, and whose media type follows from
// its name.
func TextFile(name, text string) File {
	return File{Name: name, Content: func(context.Context) ([]byte, error) { return []byte(text), nil }}
}

// TextSkill returns a Skill whose files are these texts, by their names. Its Version is a
// hash of names and texts.
func TextSkill(files map[string]string) *Skill {
	s := &Skill{Files: make([]File, 0, len(files))}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text := files[name]
		s.Files = append(s.Files, TextFile(name, text))
		fmt.Fprintf(sum, "%d %s %d %s", len(name), name, len(text), text)
	}
	s.Version = hex.EncodeToString(sum.Sum(nil))
	return s
}

// A Lister is a Generator that can enumerate its skills. Without it skills are
// served by URI alone: they appear in no listing, and the directories above
// them cannot be read.
type Lister interface {
	// Paths yields the path of every skill that is served, in ascending
	// bytewise order, each greater than after ("" for the start). It must be
	// able to begin at any path, also one that does not exist, without visiting
	// those before it. The Catalog ends the iteration before it calls Skill, so
	// that a source with one connection does. An error ends the iteration, and
	// fails the listing or the directory that it is for.
	//
	// It is called often, and mostly for a path or a few: for each page of a listing,
	// for each skill that is made, to find those nested in it, and in a directory
	// twice for each child that has others below it. Each of these has a deadline for
	// all of its calls together, Options.SkillTimeout; an iteration of Catalog.Paths
	// or Catalog.Summaries has the context of its caller.
	Paths(ctx context.Context, after string) iter.Seq2[string, error]
}

// A PathList is a list of paths, ascending bytewise and each once, that implements
// Lister. Embed one in a generator, or return what its method does.
type PathList []string

// Paths implements Lister.
func (l PathList) Paths(_ context.Context, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		i := sort.SearchStrings(l, after)
		if i < len(l) && l[i] == after {
			i++
		}
		for _, p := range l[i:] {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// A Featurer names the skills to begin with, typically a guide to the others.
// They are listed first, also where the others are not listed, and the
// server's instructions name them.
type Featurer interface {
	// Featured returns paths in the order to list them in. What it names and does
	// not serve is left out of listings, as any skill that fails. After an error the
	// generator features nothing, until it is asked again soon.
	Featured(ctx context.Context) ([]string, error)
}

// A Watcher tells when its source changed. While it runs the Catalog keeps what it
// rendered until told; otherwise it asks again after Options.MaxAge.
type Watcher interface {
	// Watch calls changed with the path of each skill that changed, came or went, or
	// "" for any of them, until ctx is done. What changed between the call of Watch
	// and the moment from which it is noticed is for Watch to find: a call of
	// changed("") is always right. It returns nil when ctx is done; an error ends
	// Catalog.Watch.
	Watch(ctx context.Context, changed func(path string)) error
}

// A Diagnoser reports the faults of its source that are known without
// rendering every skill.
type Diagnoser interface {
	// Diagnostics yields them in an order that is the same each time. Their Skill,
	// which it sets where there is one, is a path of the generator, without the
	// mount's prefix.
	Diagnostics(ctx context.Context) iter.Seq[Diagnostic]
}

// An Unwrapper is a Generator that wraps another and passes on the abilities
// that it does not have itself, also those that this package does not know.
//
// A wrapper does not have the methods of optional abilities: then it would claim
// them for a generator without. For the abilities that it changes it has, beside
// Unwrap, the method
//
//	As(target any) bool
//
// in the manner of errors.As. If target is a pointer to such an ability, as a
// *Lister is, and what is wrapped has it, As sets it and returns true:
//
//	func (w *counting) As(target any) bool {
//		lister, ok := target.(*framework.Lister)
//		if !ok {
//			return false
//		}
//		inner, ok := framework.As[framework.Lister](w.Generator)
//		if ok {
//			*lister = countingLister{w, inner}
//		}
//		return ok
//	}
//
// A wrapper of two generators has no Unwrap, since what one of them can need not be
// true of both. Its As names each ability that it has; one that it does not name it
// does not have.
type Unwrapper interface {
	Unwrap() Generator
}

// As returns the ability T of a generator: the generator itself if it has it, or
// what its method As sets, or the ability T of the generator that it unwraps to.
// Ask for one ability at a time: a type that has the methods of several is found
// only in a generator that has them all itself.
func As[T any](g Generator) (ability T, ok bool) {
	ok = findAs(g, &ability)
	return ability, ok
}

// findAs is As for wrappers that pass on abilities they do not know. The target is a
// pointer that is not nil.
func findAs(g Generator, target any) bool {
	v := reflect.ValueOf(target).Elem()
	if known := knownIn(v.Type()); len(known) > 0 && v.NumMethod() > 1 {
		// What is wrapped has all of them, but unchanged.
		if ok := g != nil && reflect.TypeOf(g).AssignableTo(v.Type()); ok {
			v.Set(reflect.ValueOf(g))
			return true
		}
		return false
	} else if len(known) > 0 && known[0] != v.Type() { // another name of it, that wrappers do not know
		ability := reflect.New(known[0])
		if !findAs(g, ability.Interface()) {
			return false
		}
		v.Set(ability.Elem())
		return true
	}
	for g != nil {
		if reflect.TypeOf(g).AssignableTo(v.Type()) {
			v.Set(reflect.ValueOf(g))
			return true
		}
		if w, ok := g.(interface{ As(target any) bool }); ok && w.As(target) {
			return true
		}
		u, ok := g.(Unwrapper)
		if !ok {
			break
		}
		g = u.Unwrap()
	}
	return false
}

// known are the interfaces whose methods wrappers change.
var known = []reflect.Type{
	reflect.TypeFor[Generator](), reflect.TypeFor[Lister](), reflect.TypeFor[Featurer](), reflect.TypeFor[Watcher](),
	reflect.TypeFor[Diagnoser](), reflect.TypeFor[Templater](), reflect.TypeFor[Summarizer](),
}

// knownIn returns those of them that a type, if it is an interface, has the methods of.
func knownIn(t reflect.Type) (in []reflect.Type) {
	for _, k := range known {
		if t.Kind() == reflect.Interface && t.Implements(k) {
			in = append(in, k)
		}
	}
	return in
}
