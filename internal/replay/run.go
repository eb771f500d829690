package replay

import "context"

// Available returns an error that says what is missing if no command can be
// run here: a bash or a curl.
func Available() error { return nil }

type worker struct{}

func newWorker() (*worker, error) { return &worker{}, nil }
func (w *worker) close()          {}

type operation struct{}
type command struct {
	line     int
	callback bool
}

func frontmatter(string) map[string]string                                      { return nil }
func commands(string) []command                                                 { return nil }
func (d *Document) operation(pointer, method, path string) (*operation, *fault) { return nil, nil }
func (d *Document) run(ctx context.Context, w *worker, op *operation, c command, o *Options) *fault {
	return nil
}
