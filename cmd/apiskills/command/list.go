package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"runtime"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
	"github.com/spf13/cobra"
)

func (a *app) listCommand() *cobra.Command {
	var listed, asJSON bool
	cmd := &cobra.Command{
		Use:   "list [DOC...]",
		Short: "Print every skill: its URI and description",
		Long: `list prints every skill that is served, one a line: its URI, a tab, its
description. A document that cannot be used, and a skill that cannot be made, is
named on standard error; the others are printed, and the exit status is 1.`,
		Example: `  apiskills list openapi.yaml
  apiskills list openapi.yaml --json > entries.json
  apiskills list openapi.yaml --listed --listing guide`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.configure(cmd.Flags(), args)
			if err != nil {
				return err
			}
			found := collect(s)
			catalog, _, err := a.open(cmd.Context(), s)
			if err != nil {
				return err
			}
			a.diagnose(cmd.Context(), catalog, s)
			entries := served(cmd.Context(), catalog)
			if listed {
				entries = pages(cmd.Context(), catalog)
			}
			write := writeLines
			if asJSON {
				write = writeArray
			}
			err = write(a.stdout, a.complete(entries))
			a.printSkills(s, found)
			return a.whole(err)
		},
	}
	cmd.Flags().BoolVar(&listed, "listed", false, "print what skills/list shows, in its order, in place of every skill")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array of complete entries, each as skills/list has it")
	config.AddFlags(cmd.Flags(), "listing")
	a.addDocumentFlags(cmd)
	return cmd
}

// served yields the entry of each skill of the catalog, by path. An entry that
// cannot be made is an error, and the next one follows.
func served(ctx context.Context, catalog *framework.Catalog) iter.Seq2[*framework.Entry, error] {
	return ordered(ctx, catalog.Paths(ctx, ""), func(ctx context.Context, path string) (*framework.Entry, error) {
		uri := catalog.URI(path)
		entry, err := catalog.Get(ctx, uri)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", uri, err)
		}
		return entry, nil
	})
}

// pages yields what skills/list shows.
func pages(ctx context.Context, catalog *framework.Catalog) iter.Seq2[*framework.Entry, error] {
	return func(yield func(*framework.Entry, error) bool) {
		for cursor := ""; ; {
			page, err := catalog.List(ctx, cursor)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, entry := range page.Entries {
				if !yield(entry, nil) {
					return
				}
			}
			if cursor = page.NextCursor; cursor == "" {
				return
			}
		}
	}
}

// ordered applies f to what seq yields, several at once, and yields the results
// in the order of seq. An error of seq ends it, one of f does not.
func ordered[T, R any](ctx context.Context, seq iter.Seq2[T, error], f func(context.Context, T) (R, error)) iter.Seq2[R, error] {
	type result struct {
		value R
		err   error
	}
	return func(yield func(R, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		// What is begun and not yet yielded is bounded by the queue.
		queue := make(chan chan result, 2*runtime.GOMAXPROCS(0))
		go func() {
			defer close(queue)
			for item, err := range seq {
				done := make(chan result, 1)
				select {
				case queue <- done:
				case <-ctx.Done():
					return
				}
				if err != nil {
					done <- result{err: err}
					return
				}
				go func() {
					value, err := f(ctx, item)
					done <- result{value, err}
				}()
			}
		}()
		for done := range queue {
			if r := <-done; !yield(r.value, r.err) {
				return
			}
		}
	}
}

// complete reports the errors of entries and yields the others; at last it
// yields an error, if there was one.
func (a *app) complete(entries iter.Seq2[*framework.Entry, error]) iter.Seq2[*framework.Entry, error] {
	return func(yield func(*framework.Entry, error) bool) {
		failed := false
		for entry, err := range entries {
			if err != nil {
				failed = true
				a.complain(err)
				continue
			}
			if !yield(entry, nil) {
				return
			}
		}
		if failed {
			yield(nil, errReported)
		}
	}
}

func writeLines(out io.Writer, entries iter.Seq2[*framework.Entry, error]) error {
	w := bufio.NewWriter(out)
	var fault error
	for entry, err := range entries {
		if err != nil {
			fault = err
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\n", entry.URI, plain(entry.Frontmatter.Description)); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return fault
}

// writeArray writes entries as a JSON array, one a line. It is an array also
// when some of them fail.
func writeArray(out io.Writer, entries iter.Seq2[*framework.Entry, error]) error {
	w := bufio.NewWriter(out)
	var fault error
	before := "[\n"
	for entry, err := range entries {
		if err != nil {
			fault = err
			continue
		}
		w.WriteString(before)
		line, err := entry.MarshalJSON()
		if err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		before = ",\n"
	}
	if before == "[\n" {
		w.WriteString("[")
	}
	w.WriteString("\n]\n")
	if err := w.Flush(); err != nil {
		return err
	}
	return fault
}
