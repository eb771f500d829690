package framework

import (
	"errors"
	"fmt"
)

// The errors that callers tell apart, with errors.Is. Each method says which of
// them its errors wrap. Beside them an error of a generator is passed on with the
// path of its skill before it, and the error of a call that ran past its deadline
// (Options.SkillTimeout) wraps context.DeadlineExceeded.
var (
	// ErrNotFound is wrapped by a Generator's error for a path at which it has
	// no skill, and by the Catalog's errors for what it does not serve, or not to
	// this caller. It is deliberately not fs.ErrNotExist: a source file that
	// vanished must not look like an unknown skill.
	ErrNotFound = errors.New("not found")

	// ErrInvalidURI is wrapped by the errors for a URI that no resource of a
	// catalog can have: another scheme, or a spelling that does not decode, once,
	// to a path.
	ErrInvalidURI = errors.New("invalid skill URI")

	// ErrInvalidCursor is wrapped by the error for a cursor that this catalog did
	// not make for the same listing.
	ErrInvalidCursor = errors.New("invalid cursor")

	// ErrInvalidSkill is wrapped by the errors for a skill that breaks a rule, of
	// the Agent Skills specification, of the Skills extension or of this package:
	// its frontmatter, the names and sizes of its files, what is nested in it. The
	// text says which. It is the generator's fault, and comes back until the
	// generator gives something else.
	ErrInvalidSkill = errors.New("invalid skill")

	// ErrBusy is wrapped by the error for a skill that was not asked for, because
	// too many calls of its generator are in progress, or an earlier one ran past
	// its deadline and has not returned. It says nothing about the skill: ask
	// again later.
	ErrBusy = errors.New("busy")
)

// A kindError is an error in its own words, that is one of the errors above.
type kindError struct{ err, kind error }

func (e *kindError) Error() string   { return e.err.Error() }
func (e *kindError) Unwrap() []error { return []error{e.err, e.kind} }

// invalidSkill returns the error for a rule that a skill breaks.
func invalidSkill(format string, args ...any) error {
	return &kindError{fmt.Errorf(format, args...), ErrInvalidSkill}
}

// busy returns the error for a call that was not begun.
func busy(text string) error { return &kindError{errors.New(text), ErrBusy} }

// foreign returns the error of a generator without what only a catalog says of
// its own URIs and cursors. A generator may ask another catalog, and a client
// must not be told that what it sent is invalid. It panics for an error that panics
// when it is looked at.
func foreign(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if errors.Is(err, ErrInvalidURI) || errors.Is(err, ErrInvalidCursor) {
		return errors.New(text)
	}
	return err
}
