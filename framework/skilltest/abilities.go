package skilltest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// checkFeatured returns the paths that the generator features.
func (c *checker) checkFeatured() []string {
	f, ok := framework.As[framework.Featurer](c.g)
	if !ok {
		return nil
	}
	got, ok := c.askFeatured(c.ctx, f)
	if !ok {
		return nil
	}
	switch {
	case got.err == nil:
	case errors.Is(got.err, context.Canceled) && c.ctx.Err() == nil:
		c.fault("cancellation-kept", "", "", "after a call under a context that had ended Featured fails under another one: %v; remember no error of a context", got.err)
	default:
		c.fault("featured", "", "", "Featured fails: %v; then nothing of the generator is listed first, so feature what is there", got.err)
	}
	for i, p := range got.paths {
		if slices.Contains(got.paths[:i], p) {
			c.fault("featured", p, "", "Featured names the path twice; name it once")
		} else if c.lister != nil && !c.isListed(p) {
			c.fault("featured", p, "", "Featured names the path, but Paths does not yield it; feature only what is served")
		}
	}
	if again, ok := c.askFeatured(c.ctx, f); ok && got.err == nil && again.err == nil && !slices.Equal(got.paths, again.paths) {
		c.fault("featured", "", "", "Featured names %s where it named %s before; name the same paths in the same order each time", firstOther(again.paths, got.paths), firstOther(got.paths, again.paths))
	}
	return got.paths
}

// checkTemplates checks the templates, and that there are skills of their forms.
func (c *checker) checkTemplates() {
	t, ok := framework.As[framework.Templater](c.g)
	if !ok {
		return
	}
	type answer struct {
		templates []framework.Template
		err       error
	}
	a, ok := do(c, c.ctx, site{call: "Templates"}, func(ctx context.Context) answer {
		templates, err := t.Templates(ctx)
		return answer{templates, lookInto(err)}
	})
	if !ok {
		return
	}
	if a.err != nil {
		c.fault("templates", "", "", "Templates fails: %v", a.err)
		return
	}
	if c.lister == nil && len(a.templates) > 0 {
		c.fault("templates", "", "", "there are templates, but the generator is no Lister, so that their variables cannot be completed; add Paths")
		return
	}
	names := map[string]bool{}
	valid := 0
	for _, t := range a.templates {
		if reason := refusedTemplate(t); reason != "" {
			c.fault("templates", t.Path, "", "a catalog refuses the template: %s", reason)
			continue
		}
		valid++
		if names[t.Name] {
			c.fault("templates", t.Path, "", "two templates have the name %.80q; give each its own", t.Name)
		}
		names[t.Name] = true
		if c.whole && len(c.listed) > 0 && !slices.ContainsFunc(c.listed, func(p string) bool { return fits(t.Path, p) }) {
			c.fault("templates", t.Path, "", "no path that is listed has this form; remove the template, or correct it")
		}
	}
	if valid == len(a.templates) {
		if taken, _ := takenTemplates(a.templates...); taken < valid {
			c.fault("templates", "", "", "a catalog takes the first %d of the %d templates; leave out those of few skills", taken, valid)
		}
	}
}

// fits reports whether a path has the form of a template.
func fits(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool { return w == g || strings.HasPrefix(w, "{") })
}

// checkSummaries checks that there is a summary of each skill.
func (c *checker) checkSummaries() {
	s, ok := framework.As[framework.Summarizer](c.g)
	if !ok {
		return
	}
	ask := func(ctx context.Context) (listing, bool) {
		return do(c, ctx, site{call: "Summaries"}, func(ctx context.Context) listing {
			return collectSummaries(ctx, s, maxPaths)
		})
	}
	broken, ok := do(c, c.ctx, site{call: "Summaries"}, func(ctx context.Context) listing { return collectSummaries(ctx, s, 1) })
	if !ok {
		return
	}
	if broken.late > 0 {
		c.fault("summaries", "", "", "Summaries calls yield again after it returned false, at which a range loop panics; return then")
	}
	cut, okCut := ask(c.cancelled())
	l, ok := ask(c.ctx)
	switch {
	case !ok:
	case l.err != nil:
		c.fault("summaries", "", "", "Summaries fails after %d of them: %v", len(l.paths), l.err)
	case c.lister == nil:
	case c.whole && !slices.Equal(l.paths, c.listed):
		c.fault("summaries", "", "", "Summaries yields %s where Paths yields %s; yield the same skills in the same order", firstOther(l.paths, c.listed), firstOther(c.listed, l.paths))
	case okCut:
		c.comparePaths("Summaries", cut, "under a context that has ended")
	}
}

// collectSummaries takes the paths of limit summaries.
func collectSummaries(ctx context.Context, s framework.Summarizer, limit int) listing {
	return collect(func(yield func(string, error) bool) {
		s.Summaries(ctx)(func(s framework.Summary, err error) bool { return yield(s.Path, err) })
	}, limit, nil)
}

// maxDiagnostics bounds the diagnostics that are looked at.
const maxDiagnostics = 10_000

// checkDiagnostics checks what the generator says of its source.
func (c *checker) checkDiagnostics() {
	d, ok := framework.As[framework.Diagnoser](c.g)
	if !ok {
		return
	}
	type answer struct {
		found []framework.Diagnostic
		late  int
	}
	ask := func(limit int) (answer, bool) {
		return do(c, c.ctx, site{call: "Diagnostics"}, func(ctx context.Context) answer {
			found, late := collectDiagnostics(ctx, d, limit)
			return answer{found, late}
		})
	}
	all, ok := ask(maxDiagnostics)
	again, okAgain := ask(maxDiagnostics)
	one, okOne := ask(1)
	if !ok || !okAgain || !okOne {
		return
	}
	for _, d := range all.found {
		c.checkDiagnostic(d, "")
	}
	if !slices.Equal(all.found, again.found) {
		c.fault("diagnostics", "", "", "Diagnostics yields other ones, or in another order, when it is called again; yield the same each time, not in the order of a map")
	}
	if one.late > 0 {
		c.fault("diagnostics", "", "", "Diagnostics calls yield again after it returned false, at which a range loop panics; return then")
	}
}

// collectDiagnostics takes limit diagnostics, and counts the calls of yield after it
// returned false.
func collectDiagnostics(ctx context.Context, d framework.Diagnoser, limit int) (found []framework.Diagnostic, late int) {
	d.Diagnostics(ctx)(func(d framework.Diagnostic) bool {
		if len(found) == limit {
			late++
			return false
		}
		found = append(found, d)
		return len(found) < limit
	})
	return found, late
}

// checkDiagnostic checks one diagnostic, of the skill at path unless that is "".
func (c *checker) checkDiagnostic(d framework.Diagnostic, path string) {
	switch d.Severity {
	case framework.Error, framework.Warning, framework.Note:
	default:
		c.fault("diagnostics", path, "", "the diagnostic %.200q has the severity %.40q; there are error, warning and note", d.Message, d.Severity)
	}
	if !framework.ValidName(d.Rule) {
		c.fault("diagnostics", path, "", "the diagnostic %.200q has the rule %.80q; make it a short id of lower-case letters and hyphens", d.Message, d.Rule)
	}
	if d.Message == "" {
		c.fault("diagnostics", path, "", "the diagnostic of the rule %.80q has no message; say what is wrong, and what was done about it", d.Rule)
	}
	switch {
	case d.Skill == "" || d.Skill == path:
	case path != "":
		c.fault("diagnostics", path, "", "the diagnostic %.200q is of another skill, %s; leave its Skill empty", d.Message, quote(d.Skill))
	case c.lister != nil && !c.isListed(d.Skill):
		c.fault("diagnostics", "", "", "the diagnostic %.200q is of the skill %s, which Paths does not yield; leave its Skill empty", d.Message, quote(d.Skill))
	}
}

// beginWatch begins a watch that goes on during the other checks, and returns what
// ends and checks it.
func (c *checker) beginWatch() (end func()) {
	w, ok := framework.As[framework.Watcher](c.g)
	if !ok || c.over {
		return func() {}
	}
	watch := func(ctx context.Context) error { return lookInto(w.Watch(ctx, func(string) {})) }
	ctx, cancel := context.WithCancel(c.ctx)
	done := start(ctx, watch)
	return func() {
		defer cancel()
		ended := false
		select {
		case o := <-done:
			ended = true
			if c.ctx.Err() == nil && o.returned {
				c.fault("watch", "", "", "Watch returns before its context has ended (error: %v); wait for that, and tell what changes meanwhile", o.value)
			} else if !o.returned {
				c.fault("panic", "", "", "Watch panics: %s", o.panicked)
			}
		default:
		}
		cancel()
		if !ended {
			wait(c, site{call: "Watch, whose context ended while it ran,", late: "watch"}, done)
		}
		if !c.over {
			do(c, c.cancelled(), site{call: "Watch, whose context ended before it began,", late: "watch"}, watch)
		}
	}
}
