package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"
	"time"

	"github.com/apiskills/apiskills/framework"
)

// A Program is the command with the kinds of generators that a build of it has.
type Program struct {
	// Name is that of the program in its messages and for hosts. Default "apiskills".
	Name string
	// Version is what it says it is. Default that of the main module of the build.
	Version string
	// Kinds are the kinds of documents that it reads. The first is that of documents
	// that name none. There must be one, and no two of one name.
	Kinds []Kind
}

// patience is how long the command may take to end after a signal; draining has
// five seconds of it.
const patience = 10 * time.Second

// Main runs the program with the arguments, the streams and the signals of the process,
// and ends that with the exit status: 0 if all went well, 1 if the work failed, 2 for
// wrong usage and for input that cannot be used.
func (p *Program) Main() {
	// A reader that has seen enough ("apiskills list | head") is an error of
	// the write, so that there is time to clean up, and not the end of the
	// process.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks to end; the second one is not caught. What does not
	// hear the first one, such as a read from a pipe that nobody writes to, has
	// its time.
	context.AfterFunc(ctx, func() {
		stop()
		time.AfterFunc(patience, func() {
			fmt.Fprintf(os.Stderr, "%s: not done %v after the signal to end\n", p.newApp(nil, nil, nil).name, patience)
			os.Exit(exitFailed)
		})
	})
	os.Exit(p.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Run is Main but for the process: it returns the exit status when the work is done, or
// soon after ctx is. It panics if the kinds are not as they must be, since that is a
// fault of the build.
func (p *Program) Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return p.newApp(stdin, stdout, stderr).run(ctx, args)
}

func (p *Program) newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	a := &app{name: p.Name, version: p.Version, kinds: p.Kinds, stdin: stdin, stdout: stdout, stderr: stderr}
	if a.name == "" {
		a.name = "apiskills"
	}
	if a.version == "" {
		a.version = version()
	}
	if len(p.Kinds) == 0 {
		panic("command: a program has at least one kind of document")
	}
	seen := map[string]bool{}
	for _, k := range p.Kinds {
		if !kindName.MatchString(k.name) || k.open == nil {
			panic(fmt.Sprintf("command: %q is no name of a kind, or the kind was not made by NewKind", k.name))
		}
		if seen[k.name] {
			panic(fmt.Sprintf("command: two kinds are named %q", k.name))
		}
		seen[k.name] = true
	}
	return a
}

// kindName keeps the names of kinds apart from drive letters and from URLs.
var kindName = regexp.MustCompile(`^[a-z][a-z0-9]+(-[a-z0-9]+)*$`)

// keep has a generator closed, if it can be, when the command ends.
func (a *app) keep(g framework.Generator) {
	if c, ok := framework.As[io.Closer](g); ok {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.opened = append(a.opened, c)
	}
}

// closeAll closes what is open.
func (a *app) closeAll() {
	a.mu.Lock()
	open := a.opened
	a.opened = nil
	a.mu.Unlock()
	for _, c := range open {
		if err := c.Close(); err != nil {
			a.complain(fmt.Errorf("close a source: %w", err))
		}
	}
}

// sameCloser reports whether two closers are one. Those that cannot be compared are taken
// for two, and closed at the end.
func sameCloser(a, b io.Closer) (is bool) {
	defer func() {
		if recover() != nil {
			is = false
		}
	}()
	return a == b
}

// closeAfter is how long calls of a generator that is served no more may take.
const closeAfter = time.Minute

// drop closes a generator when the calls in progress are done.
func (a *app) drop(g framework.Generator) {
	c, ok := framework.As[io.Closer](g)
	if !ok {
		return
	}
	time.AfterFunc(closeAfter, func() {
		a.mu.Lock()
		i := slices.IndexFunc(a.opened, func(other io.Closer) bool { return sameCloser(other, c) })
		if i >= 0 {
			a.opened = slices.Delete(a.opened, i, i+1)
		}
		a.mu.Unlock()
		if i >= 0 {
			c.Close() // what it says of that is of no use to anybody
		}
	})
}
