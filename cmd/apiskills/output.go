package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sort"
	"time"

	"github.com/apiskills/apiskills/framework"
)

// maxDiagnostics is how many diagnostics are printed without --verbose.
const maxDiagnostics = 5

// diagnose prints what the generators say of their documents: the first few
// diagnostics and how often each rule applies, or with --verbose all of them,
// notes included. Where the log is JSON they are lines of the log.
func (a *app) diagnose(ctx context.Context, catalog *framework.Catalog, s *session) {
	total, byRule := 0, map[string]int{}
	var first []framework.Diagnostic
	for d := range catalog.Diagnostics(ctx) {
		if d.Severity == framework.Note && !a.verbose {
			continue
		}
		total++
		byRule[d.Rule]++
		if a.verbose || len(first) < maxDiagnostics {
			first = append(first, d)
		}
	}
	if s.Log.Format == "json" {
		for _, d := range first {
			s.log.Warn("diagnostic", "rule", d.Rule, "severity", d.Severity, "file", d.File, "pointer", d.Pointer, "message", d.Message)
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
	rules := make([]string, 0, len(byRule))
	for r := range byRule {
		rules = append(rules, r)
	}
	sort.Slice(rules, func(i, j int) bool {
		if byRule[rules[i]] != byRule[rules[j]] {
			return byRule[rules[i]] > byRule[rules[j]]
		}
		return rules[i] < rules[j]
	})
	for _, r := range rules {
		fmt.Fprintf(a.stderr, "  %6d  %s\n", byRule[r], plain(r))
	}
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
