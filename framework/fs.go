package framework

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// FS returns the whole virtual tree as a file system: mounts, skills and their
// files, at the paths of their URIs. So os.CopyFS exports a catalog. Skills
// that cannot be enumerated can be opened but do not appear in directories. The
// file system makes what it is asked for under ctx, and for the caller that ctx
// belongs to. Its errors are those of Read in a *fs.PathError, but that what is not
// there is fs.ErrNotExist.
func (c *Catalog) FS(ctx context.Context) fs.FS {
	c.ready()
	return catalogFS{ctx, c}
}

type catalogFS struct {
	ctx context.Context // a file system has no other way to be cancelled
	c   *Catalog
}

func (f catalogFS) Open(name string) (fs.File, error) {
	fail := func(err error) (fs.File, error) {
		var e errNotEnumerable
		if errors.Is(err, ErrNotFound) && !errors.As(err, &e) {
			err = fs.ErrNotExist
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	if err := f.ctx.Err(); err != nil { // also for what is in the cache
		return fail(err)
	}
	if name != "." {
		content, err := f.c.read(f.ctx, name)
		if err == nil {
			return &openFile{fileInfo{name: base1(name), size: int64(len(content.Bytes))}, bytes.NewReader(content.Bytes)}, nil
		}
		if !errors.Is(err, errIsDirectory) {
			return fail(err)
		}
	}
	entries, err := f.entries(name)
	if err != nil {
		return fail(err)
	}
	return &openDir{fileInfo: fileInfo{name: base1(name), dir: true}, path: name, entries: entries}, nil
}

func base1(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

func (f catalogFS) entries(name string) ([]fs.DirEntry, error) {
	path := name
	if name == "." {
		path = ""
	}
	var entries []fs.DirEntry
	for pos := (cursor{listing: "fs"}); ; {
		page, err := f.c.readDirectory(f.ctx, path, pos, directoryPageSize)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Resources {
			decoded, err := parseURI(f.c.opts.Scheme, r.URI)
			if err != nil {
				return nil, err
			}
			info := fileInfo{name: base1(decoded), dir: r.MIMEType == directoryType, size: max(r.Size, 0)}
			if !info.dir && r.Size < 0 { // dynamic: only its content tells
				content, err := f.c.read(f.ctx, decoded)
				if err != nil {
					return nil, err
				}
				info.size = int64(len(content.Bytes))
			}
			entries = append(entries, fs.FileInfoToDirEntry(info))
		}
		if page.NextCursor == "" {
			slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
			return entries, nil
		}
		if pos, err = decodeCursor(page.NextCursor, "fs"); err != nil {
			return nil, err
		}
	}
}

type fileInfo struct {
	name string
	size int64
	dir  bool
}

func (i fileInfo) Name() string { return i.name }
func (i fileInfo) Size() int64  { return i.size }
func (i fileInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return i.dir }
func (i fileInfo) Sys() any           { return nil }

type openFile struct {
	fileInfo
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.fileInfo, nil }
func (f *openFile) Size() int64                { return f.fileInfo.size }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	fileInfo
	path    string
	entries []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.fileInfo, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.path, Err: errIsDirectory}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(d.entries)
	} else if len(d.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.entries))
	read := d.entries[:n:n]
	d.entries = d.entries[n:]
	return read, nil
}
