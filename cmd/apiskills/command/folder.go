package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
)

// Folder is the kind of folders of skills that somebody wrote, each in a folder of its
// own with a SKILL.md.
func Folder() Kind {
	return NewKind("folder", "a folder of skills, each a folder with a SKILL.md in it", struct{}{}, func(_ context.Context, src *Source, _ struct{}) (framework.Generator, error) {
		if err := checkFolder(src.Path); err != nil {
			return nil, err
		}
		return framework.FromFS(os.DirFS(src.Path), folderOptions(src.Path, src)), nil
	})
}

// withSkills lays the folder of skills that a document has over what is made of it.
func withSkills(g framework.Generator, doc config.Document, src *Source) (framework.Generator, error) {
	if doc.Skills == "" {
		return g, nil
	}
	if err := checkFolder(doc.Skills); err != nil {
		return nil, fmt.Errorf("skills of %s: %w", display(doc), err)
	}
	g = framework.OverlayFS(g, os.DirFS(doc.Skills), folderOptions(doc.Skills, src))
	if _, ok := framework.As[framework.Watcher](g); !ok { // it is none if what it lies over is none
		src.Uses(doc.Skills)
	}
	return g, nil
}

// folderOptions has a folder watched if the user wants that: by its generator, which
// knows what is of one skill, so that nothing is opened anew for a change in it.
func folderOptions(path string, src *Source) *framework.FSOptions {
	options := &framework.FSOptions{Name: path, Interval: -1}
	if src.s.Watch {
		options.Interval = 0
	}
	return options
}

func checkFolder(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such folder; give one of this machine", path)
	case err != nil:
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder", path)
	}
	return nil
}
