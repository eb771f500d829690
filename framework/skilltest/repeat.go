package skilltest

import (
	"cmp"
	"context"
	"slices"

	"github.com/apiskills/apiskills/framework"
)

// checkOrder makes the skills once more, and reads their files, in the opposite
// order.
func (c *checker) checkOrder() {
	for _, path := range slices.Backward(c.sample) {
		known := c.readings[path]
		if known == nil || c.unstable[path] {
			continue
		}
		skill, err, ok := c.ask(c.ctx, path)
		if !ok {
			return
		}
		later := &reading{path: path, err: err}
		if err == nil {
			files := slices.Clone(skill.Files)
			slices.Reverse(files)
			if later, ok = c.readThose(c.ctx, path, skill, files); !ok {
				return
			}
		}
		c.same("order", known, later, "made after other skills, and its files read in another order, than before", "let a skill depend on its source alone, not on what was asked for before it, and a file on no other one")
	}
}

// checkKept checks that what Content returned first is still what it was. Of a skill
// with one file a buffer that is used again shows only now.
func (c *checker) checkKept() {
	for _, path := range c.sample {
		r := c.readings[path]
		if r == nil || c.unstable[path] {
			continue
		}
		for _, f := range r.files {
			if f.content != nil && f.err == nil && framework.DigestOf(f.content) != f.digest {
				c.unstable[path] = true
				c.fault("reused-buffer", path, f.name, reused)
				break
			}
		}
	}
}

const reused = "the bytes that Content returned changed during later calls; return a slice that nobody writes to"

// workers is the number of goroutines that make skills at once.
const workers = 4

// checkConcurrency makes some skills at once, and walks the paths meanwhile.
func (c *checker) checkConcurrency() {
	var paths []string
	for i := range spread(len(c.sample), maxFew) {
		if p := c.sample[i]; c.readings[p] != nil && !c.unstable[p] {
			paths = append(paths, p)
		}
	}
	if len(paths) == 0 || c.over || len(c.faults["order"])+len(c.faults["reused-buffer"]) > 0 {
		return // what is known to depend on other calls
	}
	var makers []<-chan outcome[[]*reading]
	for w := range workers {
		makers = append(makers, start(c.ctx, func(ctx context.Context) (rs []*reading) {
			for i := range paths {
				rs = append(rs, readPlainly(ctx, c.g, paths[(i+w*len(paths)/workers)%len(paths)]))
			}
			return rs
		}))
	}
	var walker <-chan outcome[listing]
	if c.lister != nil {
		walker = start(c.ctx, func(ctx context.Context) listing { return collect(c.lister.Paths(ctx, ""), maxPaths, nil) })
	}
	able := start(c.ctx, func(ctx context.Context) struct{} { c.callAbilities(ctx); return struct{}{} })
	defer func() { wait(c, site{call: "Featured, Summaries or Diagnostics, called while skills are made,"}, able) }()
	const advice = "share nothing between calls that is written to without a lock; the race detector shows where"
	for _, m := range makers {
		rs, ok := wait(c, site{call: "Skill or Content, called from several goroutines,"}, m)
		if !ok {
			continue
		}
		for _, r := range rs {
			c.same("concurrency", c.readings[r.path], r, "made at the same time as other skills", advice)
		}
	}
	if walker == nil {
		return
	}
	l, ok := wait(c, site{call: "Paths, called while skills are made,"}, walker)
	if ok && c.steady && (l.err != nil || !slices.Equal(l.paths, c.listed)) {
		c.fault("concurrency", "", "", "while skills are made Paths yields %d paths, where it yielded %d before (error: %v); %s", len(l.paths), len(c.listed), l.err, advice)
	}
}

// callAbilities calls what a catalog may call at any time, for the race detector.
func (c *checker) callAbilities(ctx context.Context) {
	if f, ok := framework.As[framework.Featurer](c.g); ok {
		f.Featured(ctx)
	}
	if s, ok := framework.As[framework.Summarizer](c.g); ok {
		collectSummaries(ctx, s, maxPaths)
	}
	if d, ok := framework.As[framework.Diagnoser](c.g); ok {
		collectDiagnostics(ctx, d, maxDiagnostics)
	}
}

// readPlainly is read for the goroutines of start.
func readPlainly(ctx context.Context, g framework.Generator, path string) *reading {
	skill, err := g.Skill(ctx, path)
	err = lookInto(err)
	if err == nil && skill == nil {
		err = errNilSkill
	}
	if err != nil {
		return &reading{path: path, err: err}
	}
	if r := unreadable(path, skill); r != nil {
		return r
	}
	files := map[string]fileReading{}
	for i := range skill.Files {
		if f := &skill.Files[i]; f.Content != nil {
			files[f.Name] = readFile(ctx, f)
		} else {
			files[f.Name] = fileReading{name: f.Name, mime: f.MIMEType, err: errNoContent}
		}
	}
	return newReading(path, skill, files)
}

// compareInstance holds what another generator of the same source gives against
// what is known of the first.
func (c *checker) compareInstance(g framework.Generator) {
	if c.over {
		return
	}
	const advice = "make skills of the source alone: no clocks, random numbers, addresses or orders of maps"
	other := newChecker(c.ctx, g)
	defer func() { // what it found on its way, as panics
		for rule, faults := range other.faults {
			for _, f := range faults {
				c.fault(rule, f.Path, f.File, "%s", f.Message)
			}
		}
		c.over, c.ended = c.over || other.over, cmp.Or(c.ended, other.ended)
	}()
	for _, path := range slices.Backward(c.sample) {
		known := c.readings[path]
		if known == nil || c.unstable[path] || len(c.faults["order"]) > 0 {
			continue
		}
		r, ok := other.read(c.ctx, path)
		if !ok {
			return
		}
		c.same("instances", known, r, "in another instance of the generator", advice)
	}
	if (c.lister == nil) != (other.lister == nil) {
		c.fault("instances", "", "", "one instance of the generator is a Lister, and another is not")
		return
	}
	if !c.steady {
		return
	}
	l, ok := other.paths(c.ctx, "", maxPaths, nil)
	if ok && (l.err != nil || !slices.Equal(l.paths, c.listed)) {
		c.fault("instances", "", "", "in another instance of the generator Paths yields %s where it yielded %s before (error: %v); %s", firstOther(l.paths, c.listed), firstOther(c.listed, l.paths), l.err, advice)
	}
}
