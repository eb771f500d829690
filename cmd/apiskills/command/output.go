package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/apiskills/apiskills/framework"
)

// maxDiagnostics is how many diagnostics are printed without --verbose, and
// maxErrors how many more that lost something of a document.
const (
	maxDiagnostics = 5
	maxErrors      = 100
)

// diagnose prints what the generators say of their documents.
func (a *app) diagnose(ctx context.Context, catalog *framework.Catalog, s *session) {
	a.print(s, slices.Collect(catalog.Diagnostics(ctx)))
}

// print prints the errors and the first few other diagnostics, and how often
// each rule applies; with --verbose all of them, notes included. What was
// printed before is left out. Where the log is JSON they are lines of the log.
func (a *app) print(s *session, diags []framework.Diagnostic) {
	total, errs, others, byRule := 0, 0, 0, map[string]int{}
	var first []framework.Diagnostic
	for _, d := range diags {
		text := d.String()
		if d.Severity == framework.Note && !a.verbose || a.shown[text] {
			continue
		}
		total++
		byRule[d.Rule]++
		n, most := &others, maxDiagnostics
		if d.Severity == framework.Error {
			n, most = &errs, maxErrors
		}
		if *n++; a.verbose || *n <= most {
			if a.shown == nil {
				a.shown = map[string]bool{}
			}
			a.shown[text] = true
			first = append(first, d)
		}
	}
	if s.Log.Format == "json" {
		for _, d := range first {
			s.log.Warn("diagnostic", "rule", d.Rule, "severity", d.Severity, "file", d.File, "line", d.Line, "pointer", d.Pointer, "message", d.Message)
		}
		if total > len(first) {
			s.log.Warn("further diagnostics", "total", total, "by_rule", byRule)
		}
		return
	}
	for _, d := range first {
		fmt.Fprintln(a.stderr, plain(d.String()))
	}
	if total <= len(first) {
		return
	}
	fmt.Fprintf(a.stderr, "... %d more; --verbose prints them all. By rule:\n", total-len(first))
	rules := slices.SortedFunc(maps.Keys(byRule), func(a, b string) int {
		return cmp.Or(cmp.Compare(byRule[b], byRule[a]), cmp.Compare(a, b))
	})
	for _, r := range rules {
		fmt.Fprintf(a.stderr, "  %6d  %s\n", byRule[r], plain(r))
	}
}

// A collection is what making skills found.
type collection struct {
	mu    sync.Mutex
	diags []framework.Diagnostic
}

// collect begins to collect what making skills finds.
func collect(s *session) *collection {
	c := &collection{}
	s.onDiagnostics = func(diags []framework.Diagnostic) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.diags = append(c.diags, diags...)
	}
	return c
}

// printSkills prints the errors among what was collected; with --verbose all of
// it. What is less was for the author of the document, and there is much of it.
func (a *app) printSkills(s *session, c *collection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	diags := slices.DeleteFunc(c.diags, func(d framework.Diagnostic) bool { return d.Severity != framework.Error && !a.verbose })
	slices.SortFunc(diags, func(a, b framework.Diagnostic) int { // skills are made in any order
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.String(), b.String()))
	})
	a.print(s, slices.CompactFunc(diags, func(a, b framework.Diagnostic) bool { return a.String() == b.String() }))
}

// count is n with its noun: "1 skill", "2 skills".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// A progress is a line on a terminal that says how far the work is. On anything
// else it prints nothing.
type progress struct {
	w     io.Writer // nil: no terminal
	what  string
	shown time.Time
}

func (a *app) progress(what string) *progress {
	p := &progress{what: what}
	if f, ok := a.stderr.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.w = f
		}
	}
	return p
}

func (p *progress) show(n int) {
	if p.w == nil || time.Since(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = time.Now()
	fmt.Fprintf(p.w, "\r%d %s", n, p.what)
}

// end clears the line.
func (p *progress) end() {
	if p.w != nil && !p.shown.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
