package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A reader that has seen enough ("apiskills list | head") is an error of
	// the write, so that there is time to clean up, and not the end of the
	// process.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks to end; the second one is not caught.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole command but for the process. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{generators: generators, stdin: stdin, stdout: stdout, stderr: stderr}
	return a.run(ctx, args)
}
