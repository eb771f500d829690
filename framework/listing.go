package framework

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// A section is a part of a listing.
type section string

const (
	sectionFeatured section = "f" // featured skills, in their own order
	sectionRest     section = "r" // the others, ascending
)

// A Page is one page of skills/list.
type Page struct {
	// Entries may be fewer than a page holds, also none, while NextCursor is
	// not empty: a skill that fails is left out.
	Entries    []*Entry
	NextCursor string
	// Dynamic reports whether one of the entries is dynamic.
	Dynamic bool
}

// List returns a page of the skills that are listed (Skills extension, "Listing
// Skills"): the featured ones, then the others in ascending bytewise order of
// their paths. The cursor is "" or the NextCursor of another page; the error
// wraps ErrInvalidCursor if it is neither.
func (c *Catalog) List(ctx context.Context, cursor string) (*Page, error) {
	return c.list(ctx, "skills/list", cursor)
}

// A ResourceInfo is the metadata of a resource (Skills extension, "Resource
// Metadata").
type ResourceInfo struct {
	URI         string
	Name        string
	Description string
	MIMEType    string
	Size        int64 // in bytes; -1 for directories and dynamic content
}

// A ResourcePage is one page of resources/list or resources/directory/read.
type ResourcePage struct {
	Resources  []ResourceInfo
	NextCursor string
	// Dynamic reports whether the page shows dynamic content.
	Dynamic bool
}

// ListResources returns a page of the SKILL.md resources of the listed skills,
// in the order and with the limits of List.
func (c *Catalog) ListResources(ctx context.Context, cursor string) (*ResourcePage, error) {
	page, err := c.list(ctx, "resources/list", cursor)
	if err != nil {
		return nil, err
	}
	resources := &ResourcePage{NextCursor: page.NextCursor, Dynamic: page.Dynamic}
	for _, e := range page.Entries {
		info := ResourceInfo{
			URI:         e.URI,
			Name:        e.Frontmatter.Name,
			Description: e.Frontmatter.Description,
			MIMEType:    mimeType(&File{Name: skillFile}),
			Size:        -1,
		}
		if i := slices.IndexFunc(e.Resources, func(r Resource) bool { return r.URI == e.URI }); i >= 0 {
			info.Size = e.Resources[i].Size
		}
		resources.Resources = append(resources.Resources, info)
	}
	return resources, nil
}

func (c *Catalog) list(ctx context.Context, listing, s string) (*Page, error) {
	pos, err := decodeCursor(s, listing)
	if err != nil {
		return nil, err
	}
	paths, more, err := c.listed(ctx, pos)
	if err != nil {
		return nil, err
	}
	entries := make([]*Entry, len(paths))
	group := errgroup.Group{}
	group.SetLimit(c.opts.Concurrency)
	for i, p := range paths {
		if r, ok := c.cached(p.path); ok {
			entries[i] = r.entry
			continue
		}
		group.Go(func() error {
			r, err := c.record(ctx, p.path) // reports what fails
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
		return nil, err
	}

	page := &Page{}
	size := 0
	for i, e := range entries {
		if e != nil {
			if size += len(e.json) + 1; size > c.opts.PageBytes && len(page.Entries) > 0 {
				more = true
				break
			}
			page.Entries = append(page.Entries, e)
			page.Dynamic = page.Dynamic || e.Dynamic
		}
		pos.section, pos.last = paths[i].section, paths[i].path
	}
	pos.page++
	switch {
	case !more:
	case c.opts.MaxPages > 0 && pos.page >= c.opts.MaxPages:
		c.report(pos.last, "listing cut off", fmt.Errorf("%s ends, partial, after %d pages; list fewer skills, or raise the limit", listing, pos.page))
	default:
		page.NextCursor = pos.encode()
	}
	return page, nil
}

type listedPath struct {
	section section
	path    string
}

// listed returns the paths of a page at pos, and whether there are more.
func (c *Catalog) listed(ctx context.Context, pos cursor) (paths []listedPath, more bool, err error) {
	mode, _, err := c.ListingMode(ctx)
	if err != nil || mode == ListNone {
		return nil, false, err
	}
	featured, err := c.featured(ctx, mode != ListGuide)
	if err != nil {
		return nil, false, err
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
	for mode == ListAll && len(paths) < n {
		rest, err := c.take(ctx, c.guard, after, above, n)
		if err != nil {
			return nil, false, err
		}
		for _, p := range rest {
			if !slices.Contains(featured, p) {
				paths = append(paths, listedPath{sectionRest, p})
			}
		}
		if len(rest) < n {
			break
		}
		after = rest[len(rest)-1]
	}
	if len(paths) > c.opts.PageSize {
		return paths[:c.opts.PageSize], true, nil
	}
	return paths, false, nil
}

// featured returns the paths of the skills that generators feature, and with
// options those of Options.Featured, each once.
func (c *Catalog) featured(ctx context.Context, options bool) ([]string, error) {
	var featured []string
	add := func(path string) {
		if !slices.Contains(featured, path) {
			featured = append(featured, path)
		}
	}
	for _, m := range slices.SortedFunc(slices.Values(c.mounts), func(a, b *mount) int { return strings.Compare(a.prefix, b.prefix) }) {
		f, ok := As[Featurer](m.gen)
		if !ok {
			continue
		}
		var paths []string
		err := m.guard.do(ctx, "featured skills", func(ctx context.Context) (err error) {
			paths, err = f.Featured(ctx)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("featured skills of the mount %q: %w", m.prefix, err)
		}
		for _, rel := range paths {
			path := m.path(rel)
			if owner, _, ok := c.owner(path); ok && owner == m {
				add(path)
			}
		}
	}
	for _, path := range c.opts.Featured {
		if !options {
			break
		}
		served := true // as far as can be told
		if m, _, ok := c.owner(path); !ok || m.lister != nil {
			err := c.guard.do(ctx, "featured "+path, func(ctx context.Context) (err error) {
				served, err = c.yields(ctx, path)
				return err
			})
			if err != nil {
				return nil, err
			}
		}
		if !served {
			c.report(path, "featured skill is not served", ErrNotFound)
			continue
		}
		add(path)
	}
	return featured, nil
}

// FeaturedURIs returns the URIs of the featured skills: of those that the
// generators feature, guides as a rule, then of Options.Featured.
func (c *Catalog) FeaturedURIs(ctx context.Context) ([]string, error) {
	paths, err := c.featured(ctx, true)
	for i, p := range paths {
		paths[i] = c.URI(p)
	}
	return paths, err
}

// An autoMode is what ListAuto stands for, for some time.
type autoMode struct {
	mode   Listing
	reason string
	made   time.Time
}

// ListingMode returns the listing mode with ListAuto resolved, and why it is in
// force.
func (c *Catalog) ListingMode(ctx context.Context) (mode Listing, reason string, err error) {
	if c.opts.Listing != ListAuto {
		return c.opts.Listing, "set by the options", nil
	}
	if a := c.auto.Load(); a != nil && time.Since(a.made) < c.opts.MaxAge {
		return a.mode, a.reason, nil
	}
	paths, err := c.take(ctx, c.guard, "", above, autoListMax+1)
	if err != nil {
		return "", "", err
	}
	a := &autoMode{ListAll, fmt.Sprintf("there are no more than %d skills", autoListMax), time.Now()}
	if len(paths) > autoListMax {
		a.mode, a.reason = ListFeatured, fmt.Sprintf("there are more than %d skills; the others are served by URI", autoListMax)
	}
	c.auto.Store(a)
	return a.mode, a.reason, nil
}
