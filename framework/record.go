package framework

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// A record is what the catalog keeps of a skill: its entry, and what is needed
// to read its files. Contents are kept apart, by digest.
type record struct {
	path    string
	mount   *mount
	rel     string
	version string
	made    time.Time
	watched bool // its source was watched when it was asked
	dynamic bool

	files       []recordFile // the skill's own, ascending by name
	frontmatter *Frontmatter
	// entry has the nested skills' files too; dynamic if one of them is.
	entry  *Entry
	nested []string // the paths of the skills nested in it
	// tree has the names of all files below the skill, nested ones included,
	// ascending, parallel to entry.Resources; nil if the entry is dynamic.
	tree []treeFile
}

type recordFile struct {
	name, mime string
	digest     Digest
	size       int64
}

// A treeFile is a file in a skill's directory tree; skill is the frontmatter of
// a nested skill if this is its SKILL.md.
type treeFile struct {
	recordFile
	frontmatter *Frontmatter
}

func (r *record) has(name string) bool {
	_, ok := r.file(name)
	return ok
}

func (r *record) file(name string) (*recordFile, bool) {
	i, ok := slices.BinarySearchFunc(r.files, name, func(f recordFile, name string) int { return strings.Compare(f.name, name) })
	if !ok {
		return nil, false
	}
	return &r.files[i], true
}

// sameFiles reports whether the skill's own files are those of another record.
func (r *record) sameFiles(other *record) bool {
	return r.dynamic == other.dynamic && slices.Equal(r.files, other.files)
}

// bytes is about what the record costs in memory.
func (r *record) bytes() int64 {
	n := 512 + len(r.path) + len(r.frontmatter.JSON) + len(r.frontmatter.Description) + len(r.entry.json)
	n += 96*len(r.files) + 112*len(r.tree) + 16*len(r.nested)
	for _, res := range r.entry.Resources {
		n += 64 + len(res.URI)
	}
	return int64(n)
}

// A failure is a remembered error, so that a fault costs its callers little.
type failure struct {
	err   error
	until time.Time
}

// How long an error is remembered. What ran past its deadline cost so much that
// it is not tried at each page of a listing.
const (
	failureAge = 2 * time.Second
	lateAge    = time.Minute
)

func ageOf(err error) time.Duration {
	if errors.Is(err, context.DeadlineExceeded) {
		return lateAge
	}
	return failureAge
}

// cached returns the record of a skill that is known and need not be asked for
// again.
func (c *Catalog) cached(path string) (*record, bool) {
	r, ok := c.records.get(path)
	if !ok || r.mount.gone.Load() || c.expired(r) {
		return nil, false
	}
	return r, true
}

func (c *Catalog) expired(r *record) bool {
	return !(r.watched && r.mount.watching.Load()) && time.Since(r.made) > c.opts.MaxAge
}

// record returns the record of the skill at path, made now if it is not known.
// However many ask at once, it is made once.
func (c *Catalog) record(ctx context.Context, path string) (*record, error) {
	if r, ok := c.cached(path); ok {
		return r, nil
	}
	if f, ok := c.failures.get(path); ok && time.Now().Before(f.until) {
		return nil, f.err
	}
	m, rel, ok := c.owner(path)
	if !ok || validSkillPath(path) != nil {
		return nil, fmt.Errorf("skill %q: %w", path, ErrNotFound)
	}
	generation := c.generation.Load()
	flight := c.flights.DoChan(fmt.Sprintf("%d %s", generation, path), func() (any, error) {
		if r, ok := c.cached(path); ok { // made between the look and the flight
			return r, nil
		}
		old, known := c.records.get(path)
		// Not the caller's context: others wait for the same skill.
		start := time.Now()
		r, err := c.make(context.Background(), m, path, rel)
		switch {
		case err == nil:
			c.counts.renders.Add(1)
			c.counts.renderTime.Add(int64(time.Since(start)))
		case !errors.Is(err, ErrNotFound):
			c.counts.failures.Add(1)
		}
		switch {
		case c.generation.Load() != generation:
		case err == nil:
			if known && !r.sameFiles(old) {
				c.forget(path)
			}
			c.records.add(path, r, r.bytes())
			c.failures.remove(path)
			if c.generation.Load() != generation { // changed since the look above
				c.records.remove(path)
			}
		default:
			c.records.remove(path)
			if !notBegun(err) {
				c.failures.add(path, failure{err, time.Now().Add(ageOf(err))}, int64(256+len(path)))
				if c.generation.Load() != generation {
					c.failures.remove(path)
				}
			}
		}
		return r, err
	})
	select {
	case result := <-flight:
		if result.Err != nil {
			if !errors.Is(result.Err, ErrNotFound) {
				c.report(path, "skill failed", result.Err)
			}
			return nil, result.Err
		}
		return result.Val.(*record), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// make asks the generator for a skill and renders it, with the skills nested
// below it.
func (c *Catalog) make(ctx context.Context, m *mount, path, rel string) (*record, error) {
	old, known := c.records.get(path)
	var r *record
	watched := m.watching.Load()
	err := m.guard.do(ctx, path, func(ctx context.Context) error {
		skill, err := m.skill(ctx, rel)
		if err != nil {
			return err
		}
		c.diagnose(path, skill.Diagnostics)
		fresh := &record{
			path: path, mount: m, rel: rel, version: skill.Version, dynamic: skill.Dynamic,
			made: time.Now(), watched: watched,
		}
		if known && skill.Version != "" && skill.Version == old.version && skill.Dynamic == old.dynamic {
			fresh.files, fresh.frontmatter = old.files, old.frontmatter
		} else if err := c.render(ctx, fresh, skill); err != nil {
			return err
		}
		r = fresh
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("skill %q: %w", path, err)
	}
	if m.lister == nil { // only now: where there is no skill there may be a folder of one
		if err := c.refuseNested(ctx, path); err != nil {
			return nil, err
		}
	}
	nested, err := c.nested(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("skill %q: %w", path, err)
	}
	if err := c.enter(r, nested); err != nil {
		return nil, fmt.Errorf("skill %q: %w", path, err)
	}
	return r, nil
}

// refuseNested refuses a skill below another one where the generator cannot
// enumerate: the enclosing skill's manifest could not be complete.
func (c *Catalog) refuseNested(ctx context.Context, path string) error {
	for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
		m, rel, ok := c.owner(path[:i])
		if !ok { // the place of a mount, that may itself be in another one
			continue
		}
		err := m.guard.do(ctx, path[:i], func(ctx context.Context) error {
			_, err := m.gen.Skill(ctx, rel)
			return err
		})
		if err == nil {
			return invalidSkill("skill %q is nested in %q, but its generator is no Lister; nesting needs one", path, path[:i])
		}
		if !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}

// render checks a skill's files and reads them once, for their digests. Of a
// dynamic skill it reads SKILL.md alone.
func (c *Catalog) render(ctx context.Context, r *record, skill *Skill) error {
	files := slices.Clone(skill.Files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	if err := checkFiles(files); err != nil {
		return err
	}
	var total int64
	for i := range files {
		f := &files[i]
		rf := recordFile{name: f.Name, mime: mimeType(f)}
		if !r.dynamic || f.Name == skillFile {
			content, err := readFile(ctx, f)
			if err != nil {
				return err
			}
			if total += int64(len(content)); total > MaxTotalBytes {
				return invalidSkill("its files are more than %d bytes together, which hosts need not accept", MaxTotalBytes)
			}
			if f.Name == skillFile {
				if r.frontmatter, err = frontmatterOf(r.path, content); err != nil {
					return err
				}
				for _, w := range r.frontmatter.Warnings {
					c.report(r.path, "frontmatter", errors.New(w))
				}
			}
			if !r.dynamic {
				rf.digest, rf.size = DigestOf(content), int64(len(content))
				c.contents.add(rf.digest, content, int64(len(content))+64)
			}
		}
		r.files = append(r.files, rf)
	}
	return nil
}

// frontmatterOf parses the frontmatter of the SKILL.md of the skill at path,
// and holds its name against the path (Skills extension, "Resource Mapping").
func frontmatterOf(path string, skillMD []byte) (*Frontmatter, error) {
	f, err := ParseFrontmatter(skillMD)
	if err != nil {
		return nil, err
	}
	if want := path[strings.LastIndexByte(path, '/')+1:]; f.Name != want {
		return nil, invalidSkill("its frontmatter has the name %q, but the last segment of its path is %q", f.Name, want)
	}
	return f, nil
}

func readFile(ctx context.Context, f *File) ([]byte, error) {
	if f.Content == nil {
		return nil, invalidSkill("file %q has no Content", f.Name)
	}
	content, err := f.Content(ctx)
	if err != nil {
		return nil, fmt.Errorf("file %q: %w", f.Name, concealNotFound(err))
	}
	if len(content) > MaxTotalBytes {
		return nil, invalidSkill("file %q has more than %d bytes", f.Name, MaxTotalBytes)
	}
	// What is kept under a digest must not change with a buffer of the
	// generator's, nor keep the whole of one in memory.
	return bytes.Clone(content), nil
}

// concealNotFound keeps a generator's ErrNotFound for a file that it named
// itself from looking like an unknown skill.
func concealNotFound(err error) error {
	if errors.Is(err, ErrNotFound) {
		return errors.New(err.Error())
	}
	return err
}

// checkFiles checks the names of a skill's own files, ascending by name.
func checkFiles(files []File) error {
	names := make(map[string]bool, len(files))
	for _, f := range files {
		switch {
		case validPath(f.Name) != nil:
			return invalidSkill("file name: %w", validPath(f.Name))
		case names[f.Name]:
			return invalidSkill("two files are named %q", f.Name)
		case f.Name != skillFile && strings.HasSuffix(f.Name, "/"+skillFile):
			return invalidSkill("file %q would be a nested skill; generators serve those at paths of their own", f.Name)
		case !validMIMEType(f.MIMEType):
			return invalidSkill("file %q has %.80q for a media type", f.Name, f.MIMEType)
		}
		names[f.Name] = true
	}
	if !names[skillFile] {
		return invalidSkill("it has no " + skillFile)
	}
	if len(files) > MaxResources {
		return invalidSkill("it has %d files, more than the %d that hosts must accept", len(files), MaxResources)
	}
	for _, f := range files {
		for i := strings.LastIndexByte(f.Name, '/'); i > 0; i = strings.LastIndexByte(f.Name[:i], '/') {
			if names[f.Name[:i]] {
				return invalidSkill("%q is a file, and also the directory of %q", f.Name[:i], f.Name)
			}
		}
	}
	return nil
}

// nested returns the records of the skills below r, in ascending order.
func (c *Catalog) nested(ctx context.Context, r *record) ([]*record, error) {
	prefix := r.path + "/"
	paths, _, err := c.take(ctx, r.mount.guard, prefix, prefix+above, MaxResources+1, nil)
	if err != nil {
		return nil, err
	}
	var nested []*record
	for _, p := range paths {
		n, err := c.record(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("nested %w", concealNotFound(err))
		}
		nested = append(nested, n)
	}
	return nested, nil
}

// enter completes r with its entry.
func (c *Catalog) enter(r *record, nested []*record) error {
	e := &Entry{URI: c.URI(r.path), Frontmatter: r.frontmatter, Dynamic: r.dynamic}
	tree := make([]treeFile, 0, len(r.files))
	for _, f := range r.files {
		tree = append(tree, treeFile{recordFile: f})
	}
	for _, n := range nested {
		r.nested = append(r.nested, n.path)
		dir := n.path[len(r.path)+1:]
		for _, f := range r.files {
			if f.name == dir || strings.HasPrefix(f.name, dir+"/") || strings.HasPrefix(dir, f.name+"/") {
				return invalidSkill("its file %q clashes with the nested skill %q", f.name, n.path)
			}
		}
		e.Dynamic = e.Dynamic || n.dynamic
		for _, f := range n.files {
			t := treeFile{recordFile: f}
			t.name = dir + "/" + f.name
			if f.name == skillFile {
				t.frontmatter = n.frontmatter
			}
			tree = append(tree, t)
		}
	}
	slices.SortFunc(tree, func(a, b treeFile) int { return strings.Compare(a.name, b.name) })
	if len(tree) > MaxResources {
		return invalidSkill("it has %d files with those of nested skills, more than the %d that hosts must accept", len(tree), MaxResources)
	}
	if !e.Dynamic {
		var total int64
		e.Resources = make([]SkillResource, len(tree))
		for i, f := range tree {
			e.Resources[i] = SkillResource{URI: c.uri(r.path + "/" + f.name), Digest: f.digest, Size: f.size}
			total += f.size
		}
		if total > MaxTotalBytes {
			return invalidSkill("its files are %d bytes with those of nested skills, more than the %d that hosts must accept", total, MaxTotalBytes)
		}
		r.tree = tree
	}
	e.encode()
	r.entry = e
	return nil
}

// content returns the bytes of the file name of r.
func (c *Catalog) content(ctx context.Context, r *record, name string) (*Content, error) {
	if r.dynamic {
		return c.contentNow(ctx, r, name)
	}
	f, ok := r.file(name)
	if !ok {
		return nil, ErrNotFound
	}
	if content, ok := c.contents.get(f.digest); ok {
		return &Content{MIMEType: f.mime, Bytes: content}, nil
	}
	// The bytes were evicted: make them again. Waiters share the work, and
	// whoever leaves does not stop it.
	flight := c.flights.DoChan("content "+f.digest.String()+" "+r.path, func() (any, error) {
		return c.remake(context.Background(), r, name)
	})
	select {
	case result := <-flight:
		if result.Err != nil {
			return nil, result.Err
		}
		content := result.Val.([]byte)
		if DigestOf(content) != f.digest {
			// The source changed under us. Serve what is true now; the host's
			// own check sends it back to skills/get.
			c.log.Warn("content no longer has the published digest", "skill", r.path, "file", name)
			c.forget(r.path)
		}
		return &Content{MIMEType: f.mime, Bytes: content}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *Catalog) remake(ctx context.Context, r *record, name string) ([]byte, error) {
	var content []byte
	err := r.mount.guard.do(ctx, r.path, func(ctx context.Context) error {
		skill, err := r.mount.skill(ctx, r.rel)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(skill.Files, func(f File) bool { return f.Name == name })
		if i < 0 {
			return ErrNotFound
		}
		b, err := readFile(ctx, &skill.Files[i])
		if err != nil {
			return err
		}
		c.contents.add(DigestOf(b), b, int64(len(b))+64)
		content = b
		return nil
	})
	if err != nil {
		c.forget(r.path)
		return nil, fmt.Errorf("skill %q: %w", r.path, err)
	}
	return content, nil
}

// contentNow makes the content of a dynamic skill's file for this read.
func (c *Catalog) contentNow(ctx context.Context, r *record, name string) (*Content, error) {
	var content *Content
	err := r.mount.guard.do(ctx, r.path, func(ctx context.Context) error {
		skill, err := r.mount.skill(ctx, r.rel)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(skill.Files, func(f File) bool { return f.Name == name })
		if i < 0 || !fs.ValidPath(name) {
			return ErrNotFound
		}
		b, err := readFile(ctx, &skill.Files[i])
		if err != nil {
			return err
		}
		if err := checkFiles(skill.Files); err != nil {
			return err
		}
		content = &Content{MIMEType: mimeType(&skill.Files[i]), Bytes: b, Dynamic: skill.Dynamic}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("skill %q: %w", r.path, err)
	}
	if name == skillFile {
		f, err := frontmatterOf(r.path, content.Bytes)
		if err != nil || !bytes.Equal(f.JSON, r.frontmatter.JSON) {
			c.log.Warn("the frontmatter of a dynamic skill varies between reads, and hosts refuse that", "skill", r.path)
			c.forget(r.path)
		}
	}
	return content, nil
}

func (c *Catalog) diagnose(path string, diags []Diagnostic) {
	if len(diags) == 0 {
		return
	}
	diags = slices.Clone(diags)
	for i := range diags {
		d := &diags[i]
		d.Skill = path
		c.log.Debug(d.Message, "skill", path, "severity", d.Severity, "rule", d.Rule, "file", d.File, "line", d.Line, "pointer", d.Pointer)
	}
	if c.opts.OnDiagnostics != nil {
		c.opts.OnDiagnostics(diags)
	}
}
