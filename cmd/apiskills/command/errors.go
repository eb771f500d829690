package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"unicode"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitOK       = 0
	exitFailed   = 1 // the work failed
	exitUnusable = 2 // wrong usage, or input that cannot be used
)

// unusableError marks an error for exitUnusable.
type unusableError struct{ error }

func (e unusableError) Unwrap() error { return e.error }

// unusable marks err, if it is one, as wrong usage or unusable input.
func unusable(err error) error {
	if err == nil {
		return nil
	}
	return unusableError{err}
}

// errReported is the error of work whose faults are on standard error already.
var errReported = errors.New("reported")

// whole is err, or errReported if a document was left out.
func (a *app) whole(err error) error {
	if err == nil && len(a.broken) > 0 {
		return errReported
	}
	return err
}

// exit reports the error that cmd ended with and returns the exit status.
func (a *app) exit(cmd *cobra.Command, err error) int {
	var wrong unusableError
	switch {
	case err == nil:
		return exitOK
	case isClosedPipe(err):
		return exitOK // the reader has all that it wanted
	case errors.Is(err, errReported):
		if errors.As(err, &wrong) {
			return exitUnusable
		}
		return exitFailed
	case errors.Is(err, context.Canceled):
		a.complain(errors.New("interrupted"))
		return exitFailed
	case !a.begun: // an error of cobra
		a.complain(err)
		fmt.Fprintf(a.stderr, "Run \"%s --help\" for usage.\n", cmd.CommandPath())
		return exitUnusable
	case errors.As(err, &wrong):
		a.complain(err)
		return exitUnusable
	}
	a.complain(err)
	return exitFailed
}

// complain prints an error, each of its lines with the name of the command.
func (a *app) complain(err error) {
	for line := range strings.Lines(err.Error()) {
		if line = plain(line); line != "" {
			fmt.Fprintf(a.stderr, "%s: %s\n", a.name, line)
		}
	}
}

func isClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// plain makes text that comes from a document or an argument fit for one line
// of a terminal: whitespace becomes single spaces, and what could move the
// cursor, colour the text or reorder it is shown as an escape.
func plain(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		switch {
		case r == unicode.ReplacementChar, unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
