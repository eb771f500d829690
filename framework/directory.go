package framework

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// directoryPageSize is the number of children on a page of a directory. They
// are small, and clients stop after some tens of pages.
const directoryPageSize = 1000

// ReadDirectory returns a page of the direct children of the directory at uri
// (Skills extension, "Reading Directories"): a skill's directory, one inside a
// skill, or one above skills, where the children are directories. Unlisted
// skills are among them. The cursor is "" or the NextCursor of another page of this
// directory; the error wraps ErrInvalidCursor if it is neither, and ErrInvalidURI
// or ErrNotFound if there is no such directory, or its children cannot be
// enumerated.
func (c *Catalog) ReadDirectory(ctx context.Context, uri, cursor string) (*ResourcePage, error) {
	c.ready()
	path, err := parseURI(c.opts.Scheme, uri)
	if err != nil {
		return nil, err
	}
	pos, err := decodeCursor(cursor, "directory "+path)
	if err != nil {
		return nil, err
	}
	page, err := c.readDirectory(ctx, path, pos, directoryPageSize)
	var e errNotEnumerable
	switch {
	case errors.As(err, &e):
		return nil, notFound(uri, "the skills below %s cannot be enumerated")
	case errors.Is(err, ErrNotFound):
		if _, _, fileErr := c.find(ctx, path); fileErr == nil {
			return nil, notFound(uri, "%s is not a directory resource")
		}
		return nil, notFound(uri, "no directory is served at %s")
	}
	return page, err
}

type errNotEnumerable struct{ prefix string }

func (e errNotEnumerable) Error() string {
	return fmt.Sprintf("the generator at %q cannot enumerate its skills", e.prefix)
}
func (e errNotEnumerable) Unwrap() error { return ErrNotFound }

// isDirectory reports whether there is a directory at path.
func (c *Catalog) isDirectory(ctx context.Context, path string) (bool, error) {
	_, err := c.readDirectory(ctx, path, cursor{}, 1)
	var e errNotEnumerable
	switch {
	case err == nil, errors.As(err, &e):
		return true, nil
	case errors.Is(err, ErrNotFound):
		return false, nil
	}
	return false, err
}

// readDirectory returns n children of the directory at path from pos on. The
// path "" is the root.
func (c *Catalog) readDirectory(ctx context.Context, path string, pos cursor, n int) (*ResourcePage, error) {
	// The deepest enclosing skill decides: its own directory, or one inside.
	for dir, below := path, ""; dir != ""; {
		r, err := c.visible(ctx, dir)
		if err == nil {
			return c.readSkillDirectory(ctx, r, below, pos, n)
		}
		if !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		i := strings.LastIndexByte(dir, '/')
		if i < 0 {
			break
		}
		below = strings.TrimSuffix(dir[i+1:]+"/"+below, "/")
		dir = dir[:i]
	}
	return c.readLevel(ctx, path, pos, n)
}

// readSkillDirectory lists the directory sub, "" for the root, of a skill.
func (c *Catalog) readSkillDirectory(ctx context.Context, r *record, sub string, pos cursor, n int) (*ResourcePage, error) {
	tree := r.tree
	if r.entry.Dynamic {
		var err error
		if tree, err = c.treeNow(ctx, r); err != nil {
			return nil, err
		}
	}
	prefix := ""
	if sub != "" {
		prefix = sub + "/"
	}
	children := map[string]Resource{}
	for _, f := range tree {
		rest, ok := strings.CutPrefix(f.name, prefix)
		if !ok {
			continue
		}
		name, _, isDir := strings.Cut(rest, "/")
		info := Resource{URI: c.uri(r.path + "/" + prefix + name), Name: name, MIMEType: directoryType, Size: -1}
		if !isDir {
			info.MIMEType = f.mime
			if !r.entry.Dynamic {
				info.Size = f.size
			}
			switch {
			case f.name == skillFile:
				info.Name, info.Description = r.frontmatter.Name, r.frontmatter.Description
			case f.frontmatter != nil:
				info.Name, info.Description = f.frontmatter.Name, f.frontmatter.Description
			}
		}
		children[name] = info
	}
	if len(children) == 0 {
		return nil, ErrNotFound
	}
	page := &ResourcePage{Dynamic: r.entry.Dynamic}
	last := ""
	for _, name := range slices.Sorted(maps.Keys(children)) {
		if name <= pos.last {
			continue
		}
		if len(page.Resources) == n {
			page.NextCursor = cursor{pos.listing, pos.page + 1, sectionRest, last}.encode()
			break
		}
		last = name
		page.Resources = append(page.Resources, children[name])
	}
	return page, nil
}

// treeNow asks for the names of a dynamic skill's files as they are now, in the
// order of their first segments.
func (c *Catalog) treeNow(ctx context.Context, r *record) ([]treeFile, error) {
	var tree []treeFile
	add := func(ctx context.Context, r *record, dir string) error {
		if !r.dynamic {
			for _, f := range r.files {
				t := treeFile{recordFile: f}
				t.name = dir + f.name
				if f.name == skillFile {
					t.frontmatter = r.frontmatter
				}
				tree = append(tree, t)
			}
			return nil
		}
		return r.mount.guard.do(ctx, r.path, func(ctx context.Context) error {
			skill, err := r.mount.skill(ctx, r.rel)
			if err != nil {
				return err
			}
			files := slices.Clone(skill.Files)
			slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
			if err := checkFiles(files); err != nil {
				return err
			}
			for _, f := range files {
				t := treeFile{recordFile: recordFile{name: dir + f.Name, mime: mimeType(&f), size: -1}}
				if f.Name == skillFile {
					t.frontmatter = r.frontmatter
				}
				tree = append(tree, t)
			}
			return nil
		})
	}
	if err := add(ctx, r, ""); err != nil {
		return nil, err
	}
	nested, err := c.nested(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, n := range nested {
		if !c.allowed(ctx, n) { // nested since its encloser was looked at
			return nil, ErrNotFound
		}
		if err := add(ctx, n, n.path[len(r.path)+1:]+"/"); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(tree, func(a, b treeFile) int { return strings.Compare(a.name, b.name) })
	return tree, nil
}

// readLevel lists the next segments of the served paths below path. It seeks
// from child to child, so its cost does not grow with what lies below them.
func (c *Catalog) readLevel(ctx context.Context, path string, pos cursor, n int) (*ResourcePage, error) {
	prefix, guard := "", c.guard
	if path != "" {
		prefix = path + "/"
		if m, _, ok := c.owner(prefix + "-"); ok {
			if m.lister == nil {
				return nil, errNotEnumerable{m.prefix}
			}
			guard = m.guard
		}
	}
	var page *ResourcePage
	allow := c.allow(ctx)
	err := guard.do(ctx, "directory "+path, func(ctx context.Context) (err error) {
		page, err = c.walkLevel(ctx, allow, prefix, pos, n)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(page.Resources) == 0 && pos.last == "" && path != "" {
		return nil, ErrNotFound
	}
	return page, nil
}

func (c *Catalog) walkLevel(ctx context.Context, allow func(string) bool, prefix string, pos cursor, n int) (*ResourcePage, error) {
	page := &ResourcePage{}
	for after := max(prefix, pos.last); ; {
		// What is below a child is looked at when this iteration has ended: a
		// Lister may have one connection.
		deep := ""
		for p, err := range c.allowedPaths(ctx, allow, after, prefix+above) {
			if err != nil {
				return nil, err
			}
			name, _, deeper := strings.Cut(p[len(prefix):], "/")
			if deeper {
				deep = name
				break
			}
			if !page.add(c, pos, prefix+name, after, n) {
				return page, nil
			}
			after = p
		}
		if deep == "" {
			return page, nil
		}
		// In bytewise order what is below "a" need not follow "a" at once ("a-b" is
		// between). A child that is a skill itself was met there.
		child := prefix + deep
		met, err := c.yields(ctx, allow, child)
		if err != nil {
			return nil, err
		}
		if !met && !page.add(c, pos, child, after, n) {
			return page, nil
		}
		after = child + "/" + above
	}
}

// add adds the directory at path to a page of n children, after the position
// after. It returns false where the page is full, and gives it its cursor.
func (p *ResourcePage) add(c *Catalog, pos cursor, path, after string, n int) bool {
	if len(p.Resources) == n {
		p.NextCursor = cursor{pos.listing, pos.page + 1, sectionRest, after}.encode()
		return false
	}
	p.Resources = append(p.Resources, Resource{URI: c.uri(path), Name: base1(path), MIMEType: directoryType, Size: -1})
	return true
}

// yields reports whether path is served, and allow permits it.
func (c *Catalog) yields(ctx context.Context, allow func(string) bool, path string) (bool, error) {
	if validSkillPath(path) != nil {
		return false, nil
	}
	for p, err := range c.allowedPaths(ctx, allow, beforePath(path), path+"\x00") {
		return p == path, err
	}
	return false, nil
}

// beforePath is less than a path that is not empty, and greater than each other
// path that is.
func beforePath(path string) string {
	i := len(path) - 1
	return path[:i] + string([]byte{path[i] - 1}) + above
}
