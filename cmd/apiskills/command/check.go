package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi"
	"github.com/apiskills/apiskills/internal/check"
	"github.com/spf13/cobra"
)

// checkFlags are those of check alone.
type checkFlags struct {
	format  string
	strict  bool
	replay  bool
	explain string
}

// formats are those in which a report is written.
var formats = []string{"text", "json", "sarif"}

// shownOfRule is how many findings of one rule are printed without --verbose.
const shownOfRule = 10

func (a *app) checkCommand() *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:   "check [DOC...]",
		Short: "Find faults in documents and in their skills",
		Long: `check makes every skill and reports what is wrong: in the documents, and in the
skills made of them. The exit status is 0 if nothing is worse than a warning, 1
after an error (with --strict after a warning, too), and 2 if a document cannot
be used; the others are checked all the same.

Rules are turned off by their names in the configuration file, under check.off.`,
		Example: `  apiskills check openapi.yaml
  apiskills check --strict --format sarif openapi.yaml > check.sarif
  apiskills check --explain twin-name`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(formats, flags.format) {
				return unusable(fmt.Errorf("--format: unknown format %q; use %s", flags.format, strings.Join(formats, ", ")))
			}
			if cmd.Flags().Changed("explain") {
				text, err := check.Explain(flags.explain)
				if err != nil {
					return unusable(fmt.Errorf("--explain: %w", err))
				}
				_, err = io.WriteString(a.stdout, text)
				return err
			}
			s, err := a.configure(cmd.Flags(), args)
			if err != nil {
				return err
			}
			if _, err := check.CheckOff(s.Check.Off); err != nil {
				return unusable(fmt.Errorf("check.off: %w", err))
			}
			if flags.replay {
				if err := check.CanReplay(); err != nil {
					return unusable(fmt.Errorf("--replay: %w", err))
				}
			}
			report, err := a.check(cmd.Context(), s, &flags)
			if err != nil {
				return err
			}
			// Whole or not at all, so that nobody reads half a report.
			var out bytes.Buffer
			if err := a.writeReport(&out, report, flags.format); err != nil {
				return err
			}
			if _, err := a.stdout.Write(out.Bytes()); err != nil {
				return err
			}
			switch {
			case len(a.broken) > 0:
				return unusable(errReported)
			case report.Count(framework.Error) > 0, flags.strict && report.Count(framework.Warning) > 0:
				return errReported
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&flags.format, "format", "text", "`FORMAT` of the report: text, json or sarif")
	cmd.Flags().BoolVar(&flags.strict, "strict", false, "fail after warnings too, and validate each document as a whole")
	cmd.Flags().BoolVar(&flags.replay, "replay", false, "run the commands of the skills against a stand-in for the API on this machine")
	cmd.Flags().StringVar(&flags.explain, "explain", "", "print what a `RULE` is about, and check nothing; all lists them")
	a.addDocumentFlags(cmd)
	return cmd
}

// check opens the documents and runs the rules.
func (a *app) check(ctx context.Context, s *session, flags *checkFlags) (*check.Report, error) {
	read := &filesRead{of: map[string]map[string][]byte{}}
	s.onRead = read.add
	s.quiet = true
	found := collect(s)
	catalog, sources, err := a.open(ctx, s)
	if err != nil {
		return nil, err
	}
	var docs []check.Document
	for _, src := range sources {
		files := read.of[documentKey(src.Document)]
		d := check.Document{
			Name: labelOf(src.Document), API: src.prefix, Generator: src.generator,
			Data: files[""], Files: files, Derived: len(src.Overlays) > 0,
			Server: src.Server, RefRoot: src.RefRoot,
		}
		if src.Skills != "" {
			d.Made = src.made
		}
		delete(files, "")
		docs = append(docs, d)
	}
	progress := a.progress("skills")
	defer progress.end()
	report, err := check.Run(ctx, catalog, docs, &check.Options{
		Off:    s.Check.Off,
		Strict: flags.strict,
		Replay: flags.replay,
		Diagnostics: func() []framework.Diagnostic {
			found.mu.Lock()
			defer found.mu.Unlock()
			return append(unusedRules(sources), found.diags...)
		},
		Progress: progress.show,
	})
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("check: %w", err)
	}
	return report, errors.Join(err, ctx.Err())
}

func (a *app) writeReport(out io.Writer, report *check.Report, format string) error {
	switch format {
	case "json":
		return report.WriteJSON(out)
	case "sarif":
		return report.WriteSARIF(out, a.version)
	}
	most := shownOfRule
	if a.verbose {
		most = 0
	}
	return report.WriteText(out, &check.TextOptions{Most: most})
}

// filesRead keeps the bytes of documents while several are read at once.
type filesRead struct {
	mu sync.Mutex
	of map[string]map[string][]byte // by document and file
}

func (r *filesRead) add(doc config.Document, file string, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := documentKey(doc)
	if r.of[key] == nil {
		r.of[key] = map[string][]byte{}
	}
	r.of[key][file] = data
}

// documentKey tells the documents of one run apart: two of the same path have
// different names, or share their URIs and are refused.
func documentKey(doc config.Document) string { return doc.Name + "=" + doc.Path }

// labelOf is the name of a document in diagnostics.
func labelOf(doc config.Document) string {
	switch {
	case doc.Path == config.Stdin:
		return stdinLabel
	case doc.IsURL():
		return openapi.DisplayURL(doc.Path)
	}
	return doc.Path
}
