package framework

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Overlay returns a generator of the skills of two: of those of over, and of
// those of base at the other paths. A skill of over wins whole: no file of base's
// skill at its path is left, but skills of base that are nested in it stay, at
// their own paths, and a file of over's in the folder of one of them makes the
// enclosing skill invalid. Where over fails with anything but ErrNotFound the skill
// fails: a skill that was written by hand and cannot be read must not turn into
// the generated one.
//
// Of the abilities:
//
//   - It is a Lister if base is one. An over that is none serves its skills by URI
//     alone then, and one of them at a path that base does not have is refused
//     where it would be nested in another.
//   - It is a Watcher if both are: what is told by nobody has to be asked for. A
//     source that never changes can have a Watch that waits for the end of ctx.
//   - Featured, Templates and Diagnostics are those of over and those of base, each
//     featured path and each template path once.
//   - Diagnostics and Summaries of base that are about skills of over are left out.
//   - An io.Closer closes both.
//   - Other abilities that this package does not know are those of base, or else of
//     over.
//
// Paths iterates over both at once: two generators of one database need a
// connection each.
func Overlay(base, over Generator) Generator {
	switch {
	case base == nil:
		return over
	case over == nil:
		return base
	}
	return &overlay{base, over}
}

// An overlay has no Unwrap: one generator alone must not be taken for both, say
// for a Watcher.
type overlay struct{ base, over Generator }

func (o *overlay) Skill(ctx context.Context, path string) (*Skill, error) {
	skill, err := o.over.Skill(ctx, path)
	switch {
	case err == nil:
		if err := o.refuseNested(ctx, path); err != nil {
			return nil, err
		}
		return from("over", skill), nil
	case !errors.Is(err, ErrNotFound):
		return nil, err
	}
	if skill, err = o.base.Skill(ctx, path); err != nil {
		return nil, err
	}
	return from("base", skill), nil
}

// from returns a skill whose version says which generator it is of: at one path
// both may have skills of a version "1", and only one of them at a time is
// served.
func from(source string, skill *Skill) *Skill {
	if skill == nil || skill.Version == "" {
		return skill
	}
	named := *skill
	named.Version = source + " " + skill.Version
	return &named
}

// refuseNested refuses a skill of over that is in no listing, below another one:
// the manifest of that one would not have its files.
func (o *overlay) refuseNested(ctx context.Context, path string) error {
	_, listed := As[Lister](o.over)
	if _, ok := As[Lister](o.base); !ok || listed {
		return nil // the catalog sees to it
	}
	if known, err := serves(ctx, o.base, path); known || err != nil {
		return err
	}
	for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
		outer, err := serves(ctx, o.base, path[:i])
		if err == nil && !outer {
			outer, err = serves(ctx, o.over, path[:i])
		}
		if err != nil {
			return err
		}
		if outer {
			return invalidSkill("skill %q is nested in %q, but its generator is no Lister; nesting needs one", path, path[:i])
		}
	}
	return nil
}

func (o *overlay) As(target any) bool {
	switch t := target.(type) {
	case *Lister:
		return adapt(o.base, t, func(base Lister) Lister {
			return listerFunc(func(ctx context.Context, after string) iter.Seq2[string, error] {
				return merge(base.Paths(ctx, after), pathsOf(ctx, o.over, after), func(p string) string { return p })
			})
		})
	case *Featurer:
		return either[Featurer](o, t, featurerFunc(o.featured))
	case *Watcher:
		base, ok := As[Watcher](o.base)
		over, both := As[Watcher](o.over)
		if ok && both {
			*t = watcherFunc(func(ctx context.Context, changed func(string)) error { return watchBoth(ctx, base, over, changed) })
		}
		return ok && both
	case *Diagnoser:
		return either[Diagnoser](o, t, diagnoserFunc(o.diagnostics))
	case *Templater:
		return either[Templater](o, t, templaterFunc(o.templates))
	case *Summarizer:
		if _, ok := As[Lister](o.base); !ok {
			return false
		}
		return either[Summarizer](o, t, summarizerFunc(o.summaries))
	case *io.Closer:
		return either[io.Closer](o, t, overlayCloser{o})
	}
	return findAs(o.base, target) || findAs(o.over, target)
}

// An overlayCloser is the same, by ==, each time that it is looked for.
type overlayCloser struct{ o *overlay }

func (c overlayCloser) Close() error {
	var errs []error
	for _, g := range []Generator{c.o.over, c.o.base} {
		if closer, ok := As[io.Closer](g); ok {
			errs = append(errs, closer.Close())
		}
	}
	return errors.Join(errs...)
}

// either sets an ability if one of the two has it.
func either[T any](o *overlay, target *T, ability T) bool {
	_, base := As[T](o.base)
	_, over := As[T](o.over)
	if base || over {
		*target = ability
	}
	return base || over
}

func (o *overlay) featured(ctx context.Context) ([]string, error) {
	return gather(o, func(f Featurer) ([]string, error) { return f.Featured(ctx) }, func(p string) string { return p })
}

func (o *overlay) templates(ctx context.Context) ([]Template, error) {
	return gather(o, func(t Templater) ([]Template, error) { return t.Templates(ctx) }, func(t Template) string { return t.Path })
}

// gather returns what an ability gives of over, and then of base, each key once.
func gather[A, V any](o *overlay, call func(A) ([]V, error), key func(V) string) ([]V, error) {
	var all []V
	known := map[string]bool{}
	for _, g := range []Generator{o.over, o.base} {
		ability, ok := As[A](g)
		if !ok {
			continue
		}
		some, err := call(ability)
		if err != nil {
			return nil, err
		}
		for _, v := range some {
			if !known[key(v)] {
				known[key(v)] = true
				all = append(all, v)
			}
		}
	}
	return all, nil
}

// watchBoth runs two Watchers, until one ends.
func watchBoth(ctx context.Context, base, over Watcher, changed func(path string)) error {
	both, cancel := context.WithCancel(ctx)
	defer cancel()
	group, both := errgroup.WithContext(both)
	for _, w := range []Watcher{base, over} {
		group.Go(func() error {
			defer cancel() // also if it ends without an error: nobody watches all then
			err := w.Watch(both, changed)
			if both.Err() != nil {
				return nil
			}
			return err
		})
	}
	return group.Wait()
}

func (o *overlay) diagnostics(ctx context.Context) iter.Seq[Diagnostic] {
	return func(yield func(Diagnostic) bool) {
		if d, ok := As[Diagnoser](o.over); ok {
			for diag := range d.Diagnostics(ctx) {
				if !yield(diag) {
					return
				}
			}
		}
		d, ok := As[Diagnoser](o.base)
		if !ok {
			return
		}
		last, hidden := "", false // one skill's as a rule follow each other
		for diag := range d.Diagnostics(ctx) {
			if diag.Skill != last {
				last = diag.Skill
				var err error
				// A fault too many says more than one too few.
				hidden, err = serves(ctx, o.over, last)
				hidden = hidden && err == nil && last != ""
			}
			if !hidden && !yield(diag) {
				return
			}
		}
	}
}

func (o *overlay) summaries(ctx context.Context) iter.Seq2[Summary, error] {
	base := summariesOf(ctx, o.base)
	if _, ok := As[Lister](o.over); ok {
		return merge(base, summariesOf(ctx, o.over), func(s Summary) string { return s.Path })
	}
	return func(yield func(Summary, error) bool) {
		for s, err := range base {
			if err == nil {
				var hidden bool
				if hidden, err = serves(ctx, o.over, s.Path); hidden {
					s = Summary{Path: s.Path} // what base says of it does not hold
				}
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// summariesOf yields the summaries of g, or its paths.
func summariesOf(ctx context.Context, g Generator) iter.Seq2[Summary, error] {
	if s, ok := As[Summarizer](g); ok {
		return s.Summaries(ctx)
	}
	return func(yield func(Summary, error) bool) {
		for p, err := range pathsOf(ctx, g, "") {
			if !yield(Summary{Path: p}, err) || err != nil {
				return
			}
		}
	}
}

// merge yields what two ascending sequences have, in ascending order. Of two with
// the same key it yields that of over. It holds one value of over at a time. The
// first error of either ends it.
func merge[T any](base, over iter.Seq2[T, error], key func(T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		next, stop := iter.Pull2(over)
		defer stop()
		o, err, more := next()
		for b, baseErr := range base {
			for more && err == nil && baseErr == nil && key(o) < key(b) {
				if !yield(o, nil) {
					return
				}
				o, err, more = next()
			}
			switch {
			case more && err != nil:
				yield(o, err)
				return
			case baseErr != nil:
				yield(b, baseErr)
				return
			case more && key(o) == key(b):
				b = o
				o, err, more = next()
			}
			if !yield(b, nil) {
				return
			}
		}
		for more && yield(o, err) && err == nil {
			o, err, more = next()
		}
	}
}
