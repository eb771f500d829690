package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long the command may take to end after a signal; draining has
// five seconds of it.
const patience = 10 * time.Second

func main() {
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
			fmt.Fprintf(os.Stderr, "apiskills: not done %v after the signal to end\n", patience)
			os.Exit(exitFailed)
		})
	})
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole command but for the process. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{generators: generators, stdin: stdin, stdout: stdout, stderr: stderr}
	return a.run(ctx, args)
}
