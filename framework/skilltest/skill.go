package skilltest

import (
	"context"
	"errors"
	"mime"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// checkSkill makes the skill at path, several times, and checks it.
func (c *checker) checkSkill(path string) {
	cut, ok := c.read(c.cancelled(), path)
	if !ok {
		return
	}
	own, cancel := context.WithCancel(c.ctx)
	skill, err, ok := c.ask(own, path)
	cancel() // what made the skill is over when its files are read
	if !ok {
		return
	}
	if err != nil {
		c.unserved(path, err)
		return
	}
	if n := len(skill.Files); n > framework.MaxResources {
		c.fault("limits", path, "", "it has %d files, which are not looked at; hosts must accept no more than %d: split the skill", n, framework.MaxResources)
		return
	}
	cutFiles, ok := c.readFiles(c.cancelled(), path, skill)
	if !ok {
		return
	}
	r, ok := c.readFiles(c.ctx, path, skill)
	if !ok {
		return
	}
	c.readings[path] = r
	c.checkFiles(r)
	c.checkNesting(r)
	c.checkLinks(r)
	c.checkBytes(r)
	c.checkCancelled(r, cut)
	c.checkCancelled(r, cutFiles)
	for _, d := range skill.Diagnostics {
		c.checkDiagnostic(d, path)
	}
	r.drop(&c.kept)
}

// unserved reports that there is no skill at a path at which one should be.
func (c *checker) unserved(path string, err error) {
	switch {
	case c.keptCancel(path, "", "Skill", err):
	case errors.Is(err, framework.ErrNotFound) && slices.Contains(c.given, path):
		c.fault("expected-path", path, "", "the skill must be there, but it is not: %v", err)
	case errors.Is(err, framework.ErrNotFound) && c.lister == nil:
		c.fault("featured", path, "", "Featured names the path, but there is no skill: %v; feature only what is served", err)
	case errors.Is(err, framework.ErrNotFound):
		c.fault("unserved", path, "", "Paths yields the path, but Skill does not know it: %v; take both from one table", err)
	default:
		c.fault("unserved", path, "", "Skill fails: %v; make a poorer skill of what can be read, and report the rest in its Diagnostics", err)
	}
}

// checkFiles checks the skill's own files.
func (c *checker) checkFiles(r *reading) {
	for _, f := range r.files {
		if f.err != nil && errors.Is(f.err, context.Canceled) && c.ctx.Err() == nil {
			c.unstable[r.path] = true
			c.fault("cancellation-kept", r.path, f.name, "after the context of Skill ended its Content fails under another one: %v; use the context that Content is given, and remember no error of one", f.err)
		} else if f.err != nil {
			c.fault("content", r.path, f.name, "its Content fails, %v; give each file one, and read in Skill what may fail, so that a snapshot is whole", f.err)
		}
	}
	seen := map[string]bool{}
	for _, f := range r.skill.Files {
		if seen[f.Name] {
			c.unstable[r.path] = true // which of the two is compared is chance
			c.fault("file-twice", r.path, f.Name, "two files have this name; give each its own")
		}
		seen[f.Name] = true
	}
	c.checkFrontmatter(r)
	c.checkNames(r)
	c.checkMIME(r)
}

func (c *checker) checkFrontmatter(r *reading) {
	md := r.file(skillFile)
	if md == nil {
		c.fault("skill-md", r.path, "", "it has no SKILL.md; add one that begins with frontmatter")
		return
	}
	if md.err != nil {
		return
	}
	f, err := framework.ParseFrontmatter(md.text)
	if err != nil {
		c.fault("frontmatter", r.path, skillFile, "%v", err)
		return
	}
	for _, w := range f.Warnings {
		c.fault("frontmatter-ambiguous", r.path, skillFile, "%s", w)
	}
	if want := path.Base(r.path); f.Name != want {
		c.fault("name", r.path, skillFile, "the name in the frontmatter is %q, but the last segment of the path is %q; let them be the same", f.Name, want)
	}
}

// checkNames asks a catalog whether it takes the names of the files, and then, if
// not, which of them it does not.
func (c *checker) checkNames(r *reading) {
	empty := func(name string) framework.File { return framework.TextFile(name, "") }
	var names []string
	files := []framework.File{probe}
	for _, f := range r.files {
		if f.name != skillFile {
			names = append(names, f.name)
			files = append(files, empty(f.name))
		}
	}
	if len(files) <= framework.MaxResources && refusal(files...) == nil {
		return
	}
	for _, name := range names {
		if err := refusal(probe, empty(name)); err != nil {
			c.fault("file-name", r.path, name, "a catalog refuses the file: %v", err)
			continue
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if r.file(dir) != nil {
				c.fault("file-clash", r.path, name, "%s is a file, so it cannot be the directory of this one too; rename one of them", quote(dir))
			}
		}
	}
}

func (c *checker) checkMIME(r *reading) {
	for _, f := range r.skill.Files {
		if f.MIMEType == "" {
			continue
		}
		t, _, err := mime.ParseMediaType(f.MIMEType)
		switch {
		case err != nil:
			c.fault("media-type", r.path, f.Name, "%.80q is no media type: %v; leave it empty to have it follow from the extension", f.MIMEType, err)
		case strings.Count(t, "/") != 1:
			c.fault("media-type", r.path, f.Name, "%.80q is no media type, which has the form type/subtype; leave it empty to have it follow from the extension", f.MIMEType)
		default:
			if err := refusal(probe, framework.File{Name: "probe", MIMEType: f.MIMEType, Content: probe.Content}); err != nil {
				c.fault("media-type", r.path, f.Name, "a catalog refuses the media type %.80q: %v", f.MIMEType, err)
			}
		}
	}
}

// checkNesting gathers the files of nested skills, as a catalog does, and checks
// that all of them together are no more than a skill may have.
func (c *checker) checkNesting(r *reading) {
	r.nested = map[string]fileReading{}
	count, size := len(r.files), int64(0)
	for _, f := range r.files {
		size += f.size
	}
	for _, p := range c.below(r.path) {
		if count > framework.MaxResources || size > framework.MaxTotalBytes && !r.dynamic {
			break
		}
		dir := p[len(r.path)+1:]
		for _, f := range r.files {
			if f.name == dir || strings.HasPrefix(f.name, dir+"/") || strings.HasPrefix(dir, f.name+"/") {
				c.fault("nested-files", r.path, f.name, "the file is in the place of the nested skill %s, whose files a catalog adds by itself; leave them out here", quote(p))
			}
		}
		n := c.readings[p]
		if n == nil {
			var ok bool
			if n, ok = c.read(c.ctx, p); !ok {
				return
			}
			n.drop(nil)
		}
		if n.err != nil {
			c.unserved(p, n.err)
			continue
		}
		r.dynamic = r.dynamic || n.dynamic
		count += n.tooMany
		for _, f := range n.files {
			r.nested[dir+"/"+f.name] = f
			count++
			size += f.size
		}
	}
	const advice = "split the skill"
	if count > framework.MaxResources {
		c.fault("limits", r.path, "", "it has %d files or more, those of nested skills included; hosts must accept no more than %d: %s", count, framework.MaxResources, advice)
	}
	if size > framework.MaxTotalBytes && !r.dynamic {
		c.fault("limits", r.path, "", "it has %d bytes or more, those of nested skills included; hosts must accept no more than %d: %s", size, framework.MaxTotalBytes, advice)
	}
	if c.lister != nil {
		return
	}
	for dir := path.Dir(r.path); dir != "."; dir = path.Dir(dir) {
		if _, err, ok := c.ask(c.ctx, dir); ok && err == nil {
			c.fault("nested-unlisted", r.path, "", "it is nested in the skill %s, whose manifest a catalog can complete only if the generator is a Lister; add Paths, or use other paths", quote(dir))
		}
	}
}

// checkBytes reads the files again, and changes what was returned.
func (c *checker) checkBytes(r *reading) {
	again, ok := c.readFiles(c.ctx, r.path, r.skill)
	if !ok || !c.same("determinism", r, again, "at a second read of the same Skill", unsteady) {
		return
	}
	if r.skill.Dynamic {
		if later, ok := c.read(c.ctx, r.path); ok {
			c.same("determinism", r, later, "when made again", "a dynamic skill is dynamic each time")
		}
		return
	}
	for _, f := range r.files {
		if f.err == nil && f.content != nil && framework.DigestOf(f.content) != f.digest {
			c.unstable[r.path] = true
			c.fault("reused-buffer", r.path, f.name, reused)
			return
		}
	}
	inverted := map[string]framework.Digest{}
	for i := range again.files {
		f := &again.files[i]
		if !flip(f.content) {
			c.unstable[r.path] = true
			c.fault("shared-bytes", r.path, f.name, "the bytes that Content returns cannot be written to; return a copy")
			return
		}
		inverted[f.name] = framework.DigestOf(f.content)
	}
	third, ok := c.readFiles(c.ctx, r.path, r.skill)
	fresh, okFresh := c.read(c.ctx, r.path)
	for i := range again.files {
		flip(again.files[i].content) // as they were
	}
	if !ok || !okFresh {
		return
	}
	for _, later := range []*reading{third, fresh} {
		for _, f := range later.files {
			if k := r.file(f.name); k != nil && k.size > 0 && f.err == nil && f.digest == inverted[f.name] {
				c.unstable[r.path] = true
				c.fault("shared-bytes", r.path, f.name, "what a caller writes to the bytes that Content returned, others read; return a copy")
				return
			}
		}
		if !c.same("determinism", r, later, "when made again", unsteady) {
			return
		}
	}
}

// unsteady is the advice for bytes that vary.
const unsteady = "take nothing into the bytes that varies, as clocks, counters and the order of maps do"

// flip inverts each byte, and reports whether that can be done: some memory, as
// that of mapped files and of constants, faults.
func flip(b []byte) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	for i := range b {
		b[i] ^= 0xff
	}
	return true
}
