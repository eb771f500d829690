package skilltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

const skillFile = "SKILL.md"

// A reading is what the generator gave for one path: an error, or the skill and
// its files.
type reading struct {
	path  string
	err   error
	skill *framework.Skill
	// files are ascending by name; of several with one name the last is there.
	files []fileReading
	// frontmatter is the JSON of that of SKILL.md, or "".
	frontmatter string
	// nested has the files of nested skills by their names below this one. It is
	// nil until they are gathered.
	nested map[string]fileReading
	// dynamic reports whether this or a nested skill is dynamic.
	dynamic bool
	// tooMany is the number of files if it is above what a skill can have. Then
	// none is read.
	tooMany int
}

type fileReading struct {
	name, mime string
	content    []byte // what was returned; nil once it was looked at
	text       []byte // a copy of it if it is Markdown, since a buffer may be used again
	digest     framework.Digest
	size       int64
	err        error
}

func (r *reading) file(name string) *fileReading {
	for i := range r.files {
		if r.files[i].name == name {
			return &r.files[i]
		}
	}
	return nil
}

// has reports whether name is a file, or a directory of files, of the skill or of
// one that is nested in it.
func (r *reading) has(name string) bool {
	if name == "." {
		return true
	}
	for _, f := range r.files {
		if f.name == name || strings.HasPrefix(f.name, name+"/") {
			return true
		}
	}
	for n := range r.nested {
		if n == name || strings.HasPrefix(n, name+"/") {
			return true
		}
	}
	return false
}

// drop forgets the contents, which nobody looks at any more, except for some: until
// there are maxKept bytes of them.
func (r *reading) drop(kept *int64) {
	for i := range r.files {
		f := &r.files[i]
		f.text = nil
		if kept != nil && *kept+f.size <= maxKept {
			*kept += f.size
		} else {
			f.content = nil
		}
	}
}

// version is the skill's, if it has one.
func (r *reading) version() string {
	if r.skill == nil {
		return ""
	}
	return r.skill.Version
}

var (
	errNilSkill  = errors.New("it returned neither a skill nor an error")
	errNoContent = errors.New("there is none")
)

// ask calls Skill.
func (c *checker) ask(ctx context.Context, path string) (*framework.Skill, error, bool) {
	type answer struct {
		skill *framework.Skill
		err   error
	}
	a, ok := do(c, ctx, site{call: "Skill", path: path}, func(ctx context.Context) answer {
		skill, err := c.g.Skill(ctx, path)
		return answer{skill, lookInto(err)}
	})
	if a.err == nil && a.skill == nil {
		a.err = errNilSkill
	}
	return a.skill, a.err, ok
}

// read makes the skill at path and reads its files. It returns false if a call of
// the generator did not return.
func (c *checker) read(ctx context.Context, path string) (*reading, bool) {
	skill, err, ok := c.ask(ctx, path)
	if !ok {
		return nil, false
	}
	if err != nil {
		return &reading{path: path, err: err}, true
	}
	return c.readFiles(ctx, path, skill)
}

// readFiles reads the files of a skill in their order.
func (c *checker) readFiles(ctx context.Context, path string, skill *framework.Skill) (*reading, bool) {
	return c.readThose(ctx, path, skill, skill.Files)
}

// readThose reads the files of a skill in the order of a list of them.
func (c *checker) readThose(ctx context.Context, path string, skill *framework.Skill, list []framework.File) (*reading, bool) {
	if r := unreadable(path, skill); r != nil {
		return r, true
	}
	files := map[string]fileReading{}
	var total int64
	for i := range list {
		f := &list[i]
		if f.Content == nil {
			files[f.Name] = fileReading{name: f.Name, mime: f.MIMEType, err: errNoContent}
			continue
		}
		result, ok := do(c, ctx, site{call: "Content", path: path, file: f.Name}, func(ctx context.Context) fileReading { return readFile(ctx, f) })
		if !ok {
			return nil, false
		}
		if total += result.size; total > framework.MaxTotalBytes {
			result.content = nil // more than a skill can have is not held
		}
		files[f.Name] = result
	}
	return newReading(path, skill, files), true
}

// unreadable returns the reading of a skill with more files than it can have, and
// nil for others.
func unreadable(path string, skill *framework.Skill) *reading {
	if len(skill.Files) <= framework.MaxResources {
		return nil
	}
	return &reading{path: path, skill: skill, dynamic: skill.Dynamic, tooMany: len(skill.Files)}
}

// readFile calls Content, and measures what it returns at once: a buffer may be
// used again.
func readFile(ctx context.Context, f *framework.File) fileReading {
	content, err := f.Content(ctx)
	r := fileReading{
		name: f.Name, mime: f.MIMEType, content: content, err: lookInto(err),
		digest: framework.DigestOf(content), size: int64(len(content)),
	}
	if isMarkdown(f.Name) && (f.Name == skillFile || len(content) <= maxLinked) {
		r.text = bytes.Clone(content)
	}
	return r
}

func newReading(path string, skill *framework.Skill, files map[string]fileReading) *reading {
	r := &reading{path: path, skill: skill, dynamic: skill.Dynamic}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		r.files = append(r.files, files[name])
	}
	if md := r.file(skillFile); md != nil && md.err == nil {
		if f, err := framework.ParseFrontmatter(md.text); err == nil {
			r.frontmatter = string(f.JSON)
		}
	}
	return r
}

// A difference is what two readings of one skill do not have in common.
type difference struct{ file, text string }

// differ compares two readings of one skill, the first of which is in order. Of
// dynamic skills the names of files are not compared, nor the bytes. A nil
// difference means that there is none.
func differ(a, b *reading) *difference {
	switch {
	case b.err != nil:
		return &difference{"", fmt.Sprintf("Skill fails: %v", b.err)}
	case a.skill.Dynamic != b.skill.Dynamic:
		return &difference{"", fmt.Sprintf("Dynamic is %v, and was %v", b.skill.Dynamic, a.skill.Dynamic)}
	case b.tooMany > 0:
		return &difference{"", fmt.Sprintf("there are %d files", b.tooMany)}
	case a.skill.Dynamic:
		return nil
	}
	for _, f := range a.files {
		g := b.file(f.name)
		switch {
		case g == nil:
			return &difference{f.name, "the file is missing"}
		case f.err == nil && g.err != nil:
			return &difference{f.name, fmt.Sprintf("Content fails: %v", g.err)}
		case f.err == nil && f.digest != g.digest:
			return &difference{f.name, differentBytes(&f, g)}
		case f.mime != g.mime:
			return &difference{f.name, fmt.Sprintf("its media type is %.80q, and was %.80q", g.mime, f.mime)}
		}
	}
	for _, f := range b.files {
		if a.file(f.name) == nil {
			return &difference{f.name, "the file was not there before"}
		}
	}
	return nil
}

// differentBytes says where the bytes of a file differ, as far as they are known.
func differentBytes(a, b *fileReading) string {
	before, now := bytes.Split(a.content, []byte("\n")), bytes.Split(b.content, []byte("\n"))
	for i := range min(len(before), len(now)) {
		if !bytes.Equal(before[i], now[i]) {
			return fmt.Sprintf("line %d is %.100q, and was %.100q", i+1, now[i], before[i])
		}
	}
	return fmt.Sprintf("there are other bytes, %d of them, and were %d", b.size, a.size)
}

// same holds a later reading of a skill against the one that is known, and reports
// a difference as a breach of the rule, or of the rules on versions and dynamic
// skills.
func (c *checker) same(rule string, known, later *reading, when, advice string) bool {
	if c.unstable[known.path] || known.err != nil {
		return true
	}
	if d := differ(known, later); d != nil {
		c.unstable[known.path] = true
		if known.version() != "" && later.version() == known.version() {
			rule = "version"
			advice = fmt.Sprintf("and yet the version is %.80q in both cases; make the version of the bytes, or of all that they depend on", known.version())
		}
		c.fault(rule, known.path, d.file, "%s, %s; %s", when, d.text, advice)
		return false
	}
	if known.skill.Dynamic && known.frontmatter != later.frontmatter {
		c.unstable[known.path] = true
		c.fault("dynamic-frontmatter", known.path, skillFile, "%s, the frontmatter of the dynamic skill is %.200q, and was %.200q; hosts compare it, so take everything from it that varies", when, later.frontmatter, known.frontmatter)
		return false
	}
	return true
}
