package openapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
)

// Files reads the files that the references of a document lead to.
type Files = ingest.Files

const maxFile = ingest.MaxFileSize

// A folder reads files below a root, and nothing outside it: neither through ".."
// nor through symbolic links.
type folder struct {
	root *os.Root
	dir  string // of the document, as the user wrote it
	at   string // of the document, below root
	own  bool   // root is the document's own folder
}

// openFolder opens the folder that the references of the document at file may
// lead into: root, or "" for the document's own.
func openFolder(file, root string) (*folder, error) {
	f := &folder{dir: filepath.Dir(file), at: ".", own: root == ""}
	if f.own {
		root = f.dir
	} else {
		at, err := below(root, f.dir)
		if err != nil {
			return nil, &Error{File: file, Msg: "is not inside the root for references, " + root, Hint: "name a folder that the document is in, or below"}
		}
		f.at = filepath.ToSlash(at)
	}
	var err error
	if f.root, err = os.OpenRoot(root); err != nil {
		return nil, &Error{File: file, Msg: "the root for references cannot be opened: " + reason(err), Hint: "name a folder that this user may read"}
	}
	return f, nil
}

// watched tells what was read.
type watched struct {
	Files
	onRead func(file string, data []byte)
}

// Read implements [Files].
func (w watched) Read(name string) ([]byte, error) {
	data, err := w.Files.Read(name)
	if err == nil {
		w.onRead(name, data)
	}
	return data, err
}

func (f *folder) close() { _ = f.root.Close() }

// below returns where dir is below root, also where one of them is named through
// symbolic links.
func below(root, dir string) (string, error) {
	inside := func(root, dir string) (string, bool) {
		at, err := filepath.Rel(root, dir)
		return at, err == nil && filepath.IsLocal(at)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	if at, ok := inside(root, dir); ok {
		return at, nil
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	if at, ok := inside(root, dir); ok {
		return at, nil
	}
	return "", errors.New("outside")
}

// Read implements [Files].
func (f *folder) Read(name string) ([]byte, error) {
	name = path.Join(f.at, name)
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, f.outside(name)
	}
	info, err := f.root.Stat(name)
	if err != nil {
		return nil, f.refused(err)
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	// What was a file may be something else by now: opening must not wait.
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, f.refused(err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, f.refused(err)
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := b.ReadFrom(io.LimitReader(file, maxFile+1)); err != nil {
		return nil, f.refused(err)
	}
	return b.Bytes(), nil
}

func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("is a directory")
	case !info.Mode().IsRegular():
		return errors.New("is no regular file")
	case info.Size() > maxFile:
		return fmt.Errorf("has %d bytes, more than the limit of %d", info.Size(), maxFile)
	}
	return nil
}

// outside says that a name leads out of the root, and which root it would be in.
func (f *folder) outside(name string) error {
	ups := 0
	for ; strings.HasPrefix(name, "../"); name = name[3:] {
		ups++
	}
	if !f.own { // count from the document, whose folder the user named
		ups += len(strings.Split(f.at, "/"))
		if f.at == "." {
			ups--
		}
	}
	wider := f.dir
	for range ups {
		wider = filepath.Join(wider, "..")
	}
	root := "the document's folder"
	if !f.own {
		root = "the root for references"
	}
	return fmt.Errorf("is outside %s; with --ref-root %s it would be read", root, filepath.ToSlash(wider))
}

func (f *folder) refused(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("does not exist")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("this user may not read")
	case strings.Contains(err.Error(), "escapes"):
		return errors.New("is a symbolic link out of the folder that may be read")
	}
	return errors.New("cannot be read: " + reason(err))
}

// reason returns an error without the operation and the path.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}
