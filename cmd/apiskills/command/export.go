package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
	"github.com/spf13/cobra"
)

func (a *app) exportCommand() *cobra.Command {
	var out string
	var force bool
	cmd := &cobra.Command{
		Use:   "export [DOC...] --out DIR",
		Short: "Write every skill as a folder",
		Long: `export writes each skill that is served as a folder DIR/API/GROUP/NAME, with its
SKILL.md and the files beside it. DIR is written whole or not at all: after an
error or a signal it is as it was. Where one of several documents cannot be used
the others are written, and the exit status is 1.`,
		Example: `  apiskills export openapi.yaml --out skills
  apiskills export shop=shop.yaml pay=pay.yaml --out skills --force`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return unusable(errors.New("no folder is given; say where to write with --out DIR"))
			}
			s, err := a.configure(cmd.Flags(), args)
			if err != nil {
				return err
			}
			keep := []string{s.File, s.Templates}
			for _, d := range s.Documents {
				if !d.IsURL() {
					keep = append(keep, d.Path, d.RefRoot, d.Skills)
				}
			}
			target, err := exportTarget(out, force, keep)
			if err != nil {
				return unusable(err)
			}
			for _, d := range s.Documents {
				if err := checkOutside(target, d); err != nil {
					return unusable(fmt.Errorf("%s is %w", out, err))
				}
			}
			found := collect(s)
			catalog, _, err := a.open(cmd.Context(), s)
			if err != nil {
				return err
			}
			a.diagnose(cmd.Context(), catalog, s)
			counted := &countingFS{FS: catalog.FS(cmd.Context()), ctx: cmd.Context(), progress: a.progress("files")}
			var stop func()
			counted.ahead, stop = makeAhead(cmd.Context(), catalog)
			err = writeTree(target, counted)
			stop()
			counted.progress.end()
			a.printSkills(s, found)
			if err != nil {
				return fmt.Errorf("export to %s: %w", out, err)
			}
			fmt.Fprintf(a.stderr, "Wrote %s, %s, to %s\n", count(counted.skills, "skill"), count(counted.files, "file"), out)
			return a.whole(nil)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder `DIR` to write: a new or an empty one")
	cmd.Flags().BoolVar(&force, "force", false, "replace DIR whole if it has something in it")
	a.addDocumentFlags(cmd)
	return cmd
}

// exportTarget returns the folder that out stands for, with symbolic links
// resolved. It refuses what is no folder, what is not empty unless force is
// set, and, since the folder is replaced whole, one that holds the working
// directory, the home directory or a file in keep.
func exportTarget(out string, force bool, keep []string) (string, error) {
	target, err := filepath.Abs(out)
	if err != nil {
		return "", err
	}
	resolved, err := filepath.EvalSymlinks(target)
	if errors.Is(err, fs.ErrNotExist) {
		return target, nil
	}
	if err != nil {
		return "", err
	}
	target = resolved
	entries, err := os.ReadDir(target)
	if err != nil {
		return "", fmt.Errorf("%s is no folder to write to: %w", out, err)
	}
	if len(entries) == 0 {
		return target, nil
	}
	if !force {
		return "", fmt.Errorf("%s is not empty; give a new folder, or replace it whole with --force", out)
	}
	if home, err := os.UserHomeDir(); err == nil {
		keep = append(keep, home)
	}
	for _, path := range append(keep, ".") {
		if path == "" {
			continue
		}
		if within(target, path) {
			return "", fmt.Errorf("%s holds %s, which would be lost with it; give another folder", out, path)
		}
	}
	return target, nil
}

// checkOutside refuses a target in a folder that skills are made of: the next export
// would be of them, too.
func checkOutside(target string, d config.Document) error {
	folders := []string{d.Skills}
	if d.Kind != config.OpenAPI && !d.IsURL() {
		folders = append(folders, d.Path)
	}
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err != nil || !info.IsDir() {
			continue
		}
		for dir := target; ; dir = filepath.Dir(dir) {
			if above, err := os.Stat(dir); err == nil && os.SameFile(above, info) {
				return fmt.Errorf("in %s, which skills are made of; give a folder beside it", folder)
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return nil
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return true
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// writeTree makes target a copy of fsys: whole, or it leaves everything as it
// was. The copy grows in a hidden folder beside target, so that it gets its
// place by a rename.
func writeTree(target string, fsys fs.FS) (err error) {
	made, err := mkdirs(filepath.Dir(target))
	defer func() {
		if err != nil {
			for _, dir := range made {
				os.Remove(dir) // those that are still empty
			}
		}
	}()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(target), "."+filepath.Base(target)+".export-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	// The folder made by MkdirTemp is private; the one inside has the
	// permissions of any other.
	fresh, old := filepath.Join(work, "new"), filepath.Join(work, "old")
	if err := os.Mkdir(fresh, 0o777); err != nil {
		return err
	}
	if err := os.CopyFS(fresh, fsys); err != nil {
		return err
	}
	if err := os.Rename(target, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(fresh, target); err != nil {
		if back := os.Rename(old, target); back != nil && !errors.Is(back, fs.ErrNotExist) {
			err = errors.Join(err, back)
		}
		return err
	}
	return nil
}

// mkdirs makes dir and what is missing above it, and returns the folders that
// it made, the innermost first.
func mkdirs(dir string) (made []string, err error) {
	var missing []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || d == filepath.Dir(d) {
			break
		}
		missing = append(missing, d)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := os.Mkdir(missing[i], 0o777); err != nil {
			return made, err
		}
		made = append([]string{missing[i]}, made...)
	}
	return made, nil
}

// countingFS counts the files that are opened, and ends with its context.
type countingFS struct {
	fs.FS
	ctx           context.Context
	progress      *progress
	ahead         <-chan struct{} // gives way to one skill more each time
	files, skills int
}

func (c *countingFS) Open(name string) (fs.File, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && !info.IsDir() {
		c.files++
		if filepath.Base(name) == "SKILL.md" {
			c.skills++
			select {
			case <-c.ahead:
			default:
			}
		}
		c.progress.show(c.files)
	}
	return f, nil
}

// maxAhead bounds the skills that are made before they are written: few enough for
// the caches of the catalog.
const maxAhead = 64

// makeAhead makes the skills of a catalog side by side, in their order, so that
// the writing, which takes one after the other, finds them made. A receive from
// ahead lets it go on by one; stop ends it.
func makeAhead(ctx context.Context, catalog *framework.Catalog) (ahead <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	places := make(chan struct{}, maxAhead)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var making sync.WaitGroup
		defer making.Wait()
		for path, err := range catalog.Paths(ctx, "") {
			if err != nil {
				return // the writing meets it too
			}
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return
			}
			making.Go(func() { _, _ = catalog.Get(ctx, catalog.URI(path)) })
		}
	}()
	return places, func() { cancel(); <-done }
}
