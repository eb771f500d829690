package framework

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// A Catalog serves the skills of its mounts. It is safe for concurrent use, and
// must not be copied. The zero value has the default options and no mounts, until
// SetMounts gives it some.
//
// Each method says which errors it tells apart. Besides those, a method that asks
// generators returns what they do, or one of ErrInvalidSkill, ErrBusy, an error
// that wraps context.DeadlineExceeded for a call past Options.SkillTimeout, and
// the error of ctx when that has ended. A panic of a generator is an error too,
// but for Paths, Summaries, Diagnostics and Watch, which call it in the caller's
// own goroutine or for as long as that wants.
type Catalog struct {
	once   sync.Once // sets the fields up
	opts   Options
	log    *slog.Logger
	mounts atomic.Pointer[mounts]

	guard    *guard // of walks over the paths of several mounts
	flights  singleflight.Group
	records  *byteCache[string, *record]
	contents *byteCache[Digest, []byte]
	failures *byteCache[string, failure]
	reported *byteCache[string, struct{}]
	pages    *byteCache[pageKey, *Page]
	maxScan  int

	// generation grows with each change told by watchers, and with the mounts.
	// What was begun in an earlier generation is not kept.
	generation atomic.Uint64
	auto       atomic.Pointer[autoMode]
	begin      atomic.Pointer[featuredList]

	setting sync.Mutex // of the mounts, and of watch
	watch   *watch     // nil while nobody watches

	counts counts

	mu       sync.Mutex
	onChange []func()
}

// NewCatalog returns a catalog of mounts; a nil opts means defaults. It fails for
// options out of range, for mounts without a generator, and for prefixes that are
// invalid or stand twice. It calls no generator.
func NewCatalog(list []Mount, opts *Options) (*Catalog, error) {
	o, err := opts.resolve()
	if err != nil {
		return nil, err
	}
	c := &Catalog{}
	c.once.Do(func() { c.setUp(o) })
	ms, err := c.newMounts(list, &mounts{})
	if err != nil {
		return nil, err
	}
	c.mounts.Store(ms)
	return c, nil
}

func (c *Catalog) setUp(o Options) {
	c.opts = o
	c.log = o.Logger
	c.guard = newGuard(o.Concurrency, o.SkillTimeout)
	c.records = newByteCache[string, *record](o.EntryCacheBytes)
	c.contents = newByteCache[Digest, []byte](o.ContentCacheBytes)
	c.failures = newByteCache[string, failure](1 << 20)
	c.reported = newByteCache[string, struct{}](64 << 10)
	c.pages = newByteCache[pageKey, *Page](o.EntryCacheBytes / 4)
	c.maxScan = maxScan
	c.mounts.Store(&mounts{})
}

// ready sets up a Catalog that NewCatalog did not make. Each exported method
// begins with it.
func (c *Catalog) ready() {
	c.once.Do(func() {
		var defaults *Options
		o, _ := defaults.resolve() // they are in range
		c.setUp(o)
	})
}

// owner returns the mount that answers for a path, and the path relative to it.
func (c *Catalog) owner(path string) (m *mount, rel string, ok bool) {
	return c.mounts.Load().owner(path)
}

// Scheme returns the scheme of the catalog's URIs.
func (c *Catalog) Scheme() string {
	c.ready()
	return c.opts.Scheme
}

// URI returns the URI of the SKILL.md of the skill at path, mount prefix included,
// whether there is one or not.
func (c *Catalog) URI(path string) string {
	c.ready()
	return c.uri(path + "/" + skillFile)
}

func (c *Catalog) uri(path string) string { return formatURI(c.opts.Scheme, path) }

// Owns reports whether the catalog answers for uri, also if only with an error:
// whether it has the catalog's scheme, and is below a mount, above one, or
// malformed.
func (c *Catalog) Owns(uri string) bool {
	c.ready()
	if !strings.HasPrefix(uri, c.opts.Scheme+":") {
		return false
	}
	path, err := parseURI(c.opts.Scheme, uri)
	if err != nil {
		return true
	}
	for _, m := range c.mounts.Load().all {
		if m.prefix == "" || m.prefix == path || strings.HasPrefix(path, m.prefix+"/") || strings.HasPrefix(m.prefix, path+"/") {
			return true
		}
	}
	return false
}

// Paths yields the path of each served skill that can be enumerated and that
// Options.Allow permits, mount prefix included, in ascending bytewise order, each
// greater than after, which need not be a path that exists. A path that breaks a
// rule is logged and left out. An error ends the iteration.
func (c *Catalog) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	c.ready()
	return c.allowedPaths(ctx, c.allow(ctx), after, above)
}

// maxRefusals bounds the refused paths that one walk reports.
const maxRefusals = 8

// paths yields the paths of all callers, up to before. It asks no generator that
// has nothing between the two, so that its faults are not those of its
// neighbours.
func (c *Catalog) paths(ctx context.Context, after, before string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		refusals := 0
		ms := c.mounts.Load()
		for _, r := range ms.ranges {
			if r.lo >= before {
				return
			}
			if r.hi <= after || r.mount.lister == nil {
				continue
			}
			hi := min(r.hi, before)
			start := r.mount.path("")
			last := max(after, r.lo)
			from := ""
			if last > start {
				from = last[len(start):]
			}
			for rel, err := range r.mount.lister.Paths(ctx, from) {
				if err != nil {
					yield("", fmt.Errorf("paths of the mount %q after %q: %w", r.mount.prefix, from, err))
					return
				}
				p := r.mount.path(rel)
				if p <= last {
					yield("", fmt.Errorf("paths of the mount %q: %q does not follow %q in ascending order", r.mount.prefix, p, last))
					return
				}
				if p >= hi {
					break
				}
				if err := ctx.Err(); err != nil { // also where nothing is yielded
					yield("", err)
					return
				}
				last = p
				if m, _, ok := ms.owner(p); !ok || m != r.mount {
					continue // hidden by an inner mount at this very path
				}
				if err := validSkillPath(p); err != nil {
					if refusals++; refusals <= maxRefusals {
						c.report(p, "skill path refused", err)
					}
					continue
				}
				if !yield(p, nil) {
					return
				}
			}
			if err := ctx.Err(); err != nil {
				yield("", err)
				return
			}
		}
	}
}

func validSkillPath(p string) error {
	if err := cmp.Or(validPath(p), validAuthority(p)); err != nil {
		return invalidSkill("skill path: %w", err)
	}
	if name := p[strings.LastIndexByte(p, '/')+1:]; !ValidName(name) {
		return invalidSkill("the last segment of %q is not a valid skill name", p)
	}
	return nil
}

// take collects up to n of the paths between after and before that want wants,
// looking at no more than c.maxScan; cut is the last one that it looked at if
// that was not enough. It runs under a guard, since a Lister is the code of a
// generator too. A nil want wants each.
func (c *Catalog) take(ctx context.Context, g *guard, after, before string, n int, want func(path string) bool) (paths []string, cut string, err error) {
	var taken struct { // not the results: a call that was given up may still write to it
		paths []string
		cut   string
	}
	err = g.do(ctx, "paths after "+after, func(ctx context.Context) error {
		var found []string
		scanned, cut := 0, ""
		for p, err := range c.paths(ctx, after, before) {
			if err != nil {
				return err
			}
			if want == nil || want(p) {
				found = append(found, p)
			}
			if len(found) == n {
				break
			}
			if scanned++; scanned == c.maxScan {
				cut = p
				break
			}
		}
		taken.paths, taken.cut = found, cut
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	return taken.paths, taken.cut, nil
}

// takeAll is take for callers who are not to learn where it was cut: it goes on
// until it has n paths, or all.
func (c *Catalog) takeAll(ctx context.Context, g *guard, after, before string, n int, want func(path string) bool) (paths []string, err error) {
	for {
		more, cut, err := c.take(ctx, g, after, before, n-len(paths), want)
		if err != nil {
			return nil, err
		}
		if paths = append(paths, more...); cut == "" || len(paths) == n {
			return paths, nil
		}
		after = cut
	}
}

// Get returns the entry of the skill whose SKILL.md is at uri (Skills
// extension, "Getting a Skill"), whether it is listed or not. The error wraps
// ErrInvalidURI or ErrNotFound if there is none, and ErrInvalidSkill if the one
// there breaks a rule.
func (c *Catalog) Get(ctx context.Context, uri string) (*Entry, error) {
	c.ready()
	path, err := parseURI(c.opts.Scheme, uri)
	if err != nil {
		return nil, err
	}
	dir, ok := strings.CutSuffix(path, "/"+skillFile)
	if !ok {
		return nil, notFound(uri, "%s is not the URI of a "+skillFile)
	}
	r, err := c.visible(ctx, dir)
	if errors.Is(err, ErrNotFound) {
		return nil, notFound(uri, "no skill is served at %s")
	}
	if err != nil {
		return nil, err
	}
	return r.entry, nil
}

// Content is what a read of a file returns.
type Content struct {
	// MIMEType is that of the File, or follows from its name. It is not empty.
	MIMEType string
	// Bytes are shared with the cache: callers must not change them.
	Bytes []byte
	// Dynamic marks content made for this read.
	Dynamic bool
}

// Read returns the content of the skill file at uri (Skills extension,
// "Reading Skill Content"). The error wraps ErrInvalidURI or ErrNotFound if no
// file is served there: also if there is a directory. If the source changed since
// the entry was made, the content is what is true now, and has another digest; the
// entry is made anew at the next Get.
func (c *Catalog) Read(ctx context.Context, uri string) (*Content, error) {
	c.ready()
	path, err := parseURI(c.opts.Scheme, uri)
	if err != nil {
		return nil, err
	}
	content, err := c.read(ctx, path)
	if errors.Is(err, ErrNotFound) {
		return nil, notFound(uri, "no resource is served at %s") // as whoever else serves resources says
	}
	if errors.Is(err, errIsDirectory) {
		return nil, notFound(uri, "%s is a directory; use resources/directory/read")
	}
	return content, err
}

var errIsDirectory = errors.New("is a directory")

func (c *Catalog) read(ctx context.Context, path string) (*Content, error) {
	r, name, err := c.find(ctx, path)
	var content *Content
	if err == nil { // of a dynamic skill, it is only this that tells which files there are
		content, err = c.content(ctx, r, name)
	}
	if errors.Is(err, ErrNotFound) {
		isDir, dirErr := c.isDirectory(ctx, path)
		switch {
		case dirErr != nil:
			return nil, dirErr
		case isDir:
			return nil, errIsDirectory
		}
	} else if err != nil {
		// The skill around it fails, which is no fault of a nested one.
		if _, ownErr := c.visible(ctx, path); ownErr == nil {
			return nil, errIsDirectory
		}
	}
	return content, err
}

// find returns the skill that the file at path belongs to, and the file's name
// in it. Skills that are in the cache are tried first, then the deepest
// directory, so that a nested skill's file is its own.
func (c *Catalog) find(ctx context.Context, path string) (*record, string, error) {
	for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
		if r, ok := c.cached(path[:i]); ok && r.has(path[i+1:]) && c.allowed(ctx, r) {
			return r, path[i+1:], nil
		}
	}
	for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
		r, err := c.visible(ctx, path[:i])
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		if r.dynamic || r.has(path[i+1:]) {
			return r, path[i+1:], nil
		}
		return nil, "", ErrNotFound
	}
	return nil, "", ErrNotFound
}

// TTL is the freshness hint for results about static skills: five minutes, but
// no more than Options.MaxAge while a generator is not watched.
func (c *Catalog) TTL() time.Duration {
	c.ready()
	ttl := 5 * time.Minute
	for _, m := range c.mounts.Load().all {
		if !m.watching.Load() {
			ttl = min(ttl, c.opts.MaxAge)
		}
	}
	return ttl
}

// OnChange registers f to be called after each change that a Watcher told and
// the catalog took in, and after SetMounts. It is called in the goroutine that the
// change is told in, and holds that up. It stays registered as long as there is a
// catalog; a nil f is ignored.
func (c *Catalog) OnChange(f func()) {
	c.ready()
	if f == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onChange = append(c.onChange, f)
}

// forget drops what is known of the skill at path, and of those that enclose it:
// their manifests have its files.
func (c *Catalog) forget(path string) {
	c.pages.purge()
	for {
		c.records.remove(path)
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return
		}
		path = path[:i]
	}
}

// Diagnostics yields the faults that the generators know without making every
// skill, of all skills, whoever asks. Skill paths have the mount's prefix.
func (c *Catalog) Diagnostics(ctx context.Context) iter.Seq[Diagnostic] {
	c.ready()
	return func(yield func(Diagnostic) bool) {
		for _, m := range slices.Backward(c.mounts.Load().all) {
			d, ok := As[Diagnoser](m.gen)
			if !ok {
				continue
			}
			for diag := range d.Diagnostics(ctx) {
				if diag.Skill != "" {
					diag.Skill = m.path(diag.Skill)
				}
				if !yield(diag) {
					return
				}
			}
		}
	}
}

// report logs a fault of one skill, once while it is remembered. The stack of a
// panic, below the first line, is never twice the same.
func (c *Catalog) report(path, what string, err error) {
	text, _, _ := strings.Cut(err.Error(), "\n")
	key := what + "\x00" + path + "\x00" + text
	if _, known := c.reported.get(key); known {
		return
	}
	c.reported.add(key, struct{}{}, int64(len(key)))
	c.log.Warn(what, "skill", path, "error", err)
}
