package framework

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// A section is a part of a listing.
type section string

const (
	sectionFeatured section = "f" // featured skills, in their own order
	sectionRest     section = "r" // the others, ascending
)

// A Page is one page of skills/list. It goes to several callers, who must not
// change it.
type Page struct {
	// Entries may be fewer than a page holds, also none, while NextCursor is
	// not empty: a skill that fails is left out.
	Entries []*Entry
	// NextCursor leads to the next page, and is "" on the last one.
	NextCursor string
	// Dynamic reports whether one of the entries is dynamic.
	Dynamic bool

	// encoded returns what encode does, made once; nil unless the page is kept and
	// goes to others as well.
	encoded func() ([]byte, error)
}

// MarshalJSON returns the page as it goes over the wire: an object of the members
// of the result of skills/list that are the page's, skills and nextCursor. The
// bytes of a page that is kept are made once, and callers must not change them. It
// never fails for a page from a catalog.
func (p Page) MarshalJSON() ([]byte, error) {
	if p.encoded != nil {
		return p.encoded()
	}
	return p.encode()
}

func (p *Page) encode() ([]byte, error) {
	const begin, next = `{"skills":[`, `],"nextCursor":`
	n := len(begin) + len(next) + len(p.NextCursor) + 8
	for _, e := range p.Entries {
		n += len(e.json) + 1
	}
	b := append(make([]byte, 0, n), begin...)
	for i, e := range p.Entries {
		if i > 0 {
			b = append(b, ',')
		}
		entry, err := e.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b = append(b, entry...)
	}
	if p.NextCursor == "" {
		return append(b, "]}"...), nil
	}
	cursor, err := json.Marshal(p.NextCursor)
	if err != nil {
		return nil, err
	}
	b = append(append(b, next...), cursor...)
	return append(b, '}'), nil
}

// List returns a page of the skills that are listed (Skills extension, "Listing
// Skills"): the featured ones, then the others in ascending bytewise order of
// their paths. A skill that fails is logged and left out. The cursor is "" or the
// NextCursor of another page; the error wraps ErrInvalidCursor if it is neither.
// Any replica with the same generators takes it. The error of a generator's Paths
// fails the page; where its Featured fails, what it features is not listed first.
func (c *Catalog) List(ctx context.Context, cursor string) (*Page, error) {
	c.ready()
	return c.list(ctx, "skills/list", cursor)
}

// A Resource is the metadata of a resource (Skills extension, "Resource
// Metadata"), of a file or a directory.
type Resource struct {
	URI string
	// Name and Description are those of the skill if this is its SKILL.md. Others
	// have the last segment of their path, and no description.
	Name        string
	Description string
	// MIMEType is "inode/directory" for a directory.
	MIMEType string
	Size     int64 // in bytes; -1 for directories and dynamic content
}

// A ResourcePage is one page of resources/list or resources/directory/read.
type ResourcePage struct {
	Resources []Resource
	// NextCursor leads to the next page, and is "" on the last one.
	NextCursor string
	// Dynamic reports whether the page shows dynamic content.
	Dynamic bool
}

// ListResources returns a page of the SKILL.md resources of the listed skills,
// in the order and with the limits and errors of List. Its cursors are not those of
// List.
func (c *Catalog) ListResources(ctx context.Context, cursor string) (*ResourcePage, error) {
	c.ready()
	page, err := c.list(ctx, "resources/list", cursor)
	if err != nil {
		return nil, err
	}
	resources := &ResourcePage{NextCursor: page.NextCursor, Dynamic: page.Dynamic}
	for _, e := range page.Entries {
		info := Resource{
			URI:         e.URI,
			Name:        e.Frontmatter.Name,
			Description: e.Frontmatter.Description,
			MIMEType:    mimeType(&File{Name: skillFile}),
			Size:        -1,
		}
		if i := slices.IndexFunc(e.Resources, func(r SkillResource) bool { return r.URI == e.URI }); i >= 0 {
			info.Size = e.Resources[i].Size
		}
		resources.Resources = append(resources.Resources, info)
	}
	return resources, nil
}

func (c *Catalog) list(ctx context.Context, listing, s string) (*Page, error) {
	key := pageKey{c.generation.Load(), listing, s}
	kept := c.keepsPages()
	if kept {
		if page, ok := c.pages.get(key); ok {
			return page, nil
		}
	}
	page, whole, err := c.makePage(ctx, listing, s)
	if err == nil && whole && kept && c.keepsPages() && c.generation.Load() == key.generation {
		size := int64(256 + len(s) + len(page.NextCursor))
		for _, e := range page.Entries {
			size += 2*int64(len(e.json)) + 8 // the entry, and the page as it is encoded
		}
		if size <= c.pages.budget {
			page.encoded = sync.OnceValues(page.encode)
		}
		c.pages.add(key, page, size)
	}
	return page, err
}

// A pageKey identifies a page of a listing.
type pageKey struct {
	generation uint64
	listing    string
	cursor     string
}

// keepsPages reports whether pages may be kept: whether they are the same for all
// callers, and each change of a source is told.
func (c *Catalog) keepsPages() bool {
	if c.opts.Allow != nil {
		return false
	}
	for _, m := range c.mounts.Load().all {
		if !m.watching.Load() {
			return false
		}
	}
	return true
}

// makePage makes the page at the cursor s. It is whole if nothing failed that was
// to be on it.
func (c *Catalog) makePage(ctx context.Context, listing, s string) (page *Page, whole bool, err error) {
	pos, err := decodeCursor(s, listing)
	if err != nil {
		return nil, false, err
	}
	paths, more, seen, whole, err := c.listed(ctx, pos)
	if err != nil {
		return nil, false, err
	}
	entries := make([]*Entry, len(paths))
	group := errgroup.Group{}
	group.SetLimit(c.opts.Concurrency)
	for i, p := range paths {
		if r, ok := c.cached(p.path); ok && c.allowed(ctx, r) {
			entries[i] = r.entry
			continue
		}
		group.Go(func() error {
			r, err := c.visible(ctx, p.path) // reports what fails
			switch {
			case err == nil:
				entries[i] = r.entry
			case errors.Is(err, errBusy): // no fault of the skill
				return err
			}
			return nil
		})
	}
	if err := cmp.Or(group.Wait(), ctx.Err()); err != nil {
		return nil, false, err
	}

	page = &Page{}
	full := false
	size := 0
	for i, e := range entries {
		if e == nil {
			whole = false
		} else {
			if size += len(e.json) + 1; size > c.opts.PageBytes && len(page.Entries) > 0 {
				full = true
				break
			}
			page.Entries = append(page.Entries, e)
			page.Dynamic = page.Dynamic || e.Dynamic
		}
		pos.section, pos.last = paths[i].section, paths[i].path
	}
	if !full && seen != "" {
		pos.section, pos.last = sectionRest, seen
	}
	pos.page++
	switch {
	case !full && !more:
	case c.opts.MaxPages > 0 && pos.page >= c.opts.MaxPages:
		// In the same words whatever page and position the cursor claims: clients are
		// not to fill the log.
		c.report("", "listing cut off", fmt.Errorf("%s ends, partial, after %d pages; list fewer skills, or raise the limit", listing, c.opts.MaxPages))
	default:
		page.NextCursor = pos.encode()
	}
	return page, whole, nil
}

type listedPath struct {
	section section
	path    string
}

// maxScan bounds the paths that one step looks at. Where so many are passed over
// a page is short, and the cursor moves on.
const maxScan = 1 << 16

// listed returns the paths of a page at pos, whether there are more, if the page
// is short because so many paths were passed over, the last of those, and whether
// no generator's featured skills are missing.
func (c *Catalog) listed(ctx context.Context, pos cursor) (paths []listedPath, more bool, seen string, whole bool, err error) {
	mode, _, err := c.ListingMode(ctx)
	if err != nil || mode == ListNone {
		return nil, false, "", true, err
	}
	featured, whole, err := c.featured(ctx, mode != ListGuide)
	if err != nil {
		return nil, false, "", false, err
	}
	n := c.opts.PageSize + 1
	after := pos.last
	if pos.section == sectionFeatured {
		// A featured skill that is gone ends the section: its place is lost,
		// and a skill left out does less harm than one listed twice.
		if i := slices.Index(featured, pos.last); i >= 0 || pos.last == "" {
			for _, p := range featured[i+1:] {
				paths = append(paths, listedPath{sectionFeatured, p})
			}
		}
		after = ""
	}
	if mode == ListAll && len(paths) < n {
		isFeatured := make(map[string]bool, len(featured))
		for _, p := range featured {
			isFeatured[p] = true
		}
		allow := c.allow(ctx)
		var rest []string
		want := func(p string) bool { return !isFeatured[p] && allow(p) }
		if c.PerCaller() { // a cursor must not have a path that is refused
			rest, err = c.takeAll(ctx, c.guard, after, above, n-len(paths), want)
		} else {
			rest, seen, err = c.take(ctx, c.guard, after, above, n-len(paths), want)
		}
		if err != nil {
			return nil, false, "", false, err
		}
		for _, p := range rest {
			paths = append(paths, listedPath{sectionRest, p})
		}
	}
	if len(paths) > c.opts.PageSize {
		return paths[:c.opts.PageSize], true, "", whole, nil
	}
	return paths, seen != "", seen, whole, nil
}

// An autoMode is what ListAuto stands for, for some time.
type autoMode struct {
	mode       Listing
	reason     string
	made       time.Time
	generation uint64
}

// ListingMode returns the listing mode with ListAuto resolved, by the skills that
// the caller may see, and, in a few words for people, why it is in force. The error
// is that of a generator's Paths.
func (c *Catalog) ListingMode(ctx context.Context) (mode Listing, reason string, err error) {
	c.ready()
	if c.opts.Listing != ListAuto {
		return c.opts.Listing, "set by the options", nil
	}
	generation := c.generation.Load()
	a := c.auto.Load()
	if a == nil || a.generation != generation || time.Since(a.made) >= c.opts.MaxAge {
		if a, err = c.autoMode(ctx, nil); err != nil {
			return "", "", err
		}
		a.made, a.generation = time.Now(), generation
		c.auto.Store(a)
	}
	if a.mode == ListFeatured && c.PerCaller() {
		if a, err = c.autoMode(ctx, c.allow(ctx)); err != nil {
			return "", "", err
		}
	}
	return a.mode, a.reason, nil
}

// autoMode counts the skills that want wants.
func (c *Catalog) autoMode(ctx context.Context, want func(path string) bool) (*autoMode, error) {
	paths, err := c.takeAll(ctx, c.guard, "", above, autoListMax+1, want)
	if err != nil {
		return nil, err
	}
	if len(paths) > autoListMax {
		return &autoMode{mode: ListFeatured, reason: fmt.Sprintf("there are more than %d skills; the others are served by URI", autoListMax)}, nil
	}
	return &autoMode{mode: ListAll, reason: fmt.Sprintf("there are no more than %d skills", autoListMax)}, nil
}
