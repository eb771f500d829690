package framework

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
)

// OverlayFS returns a generator of the skills of base with hand-written files over
// them. The paths of fsys are those of the skills:
//
//   - A folder with a SKILL.md is a whole skill, as in FromFS. It wins over base's
//     at its path, as in Overlay.
//   - Another file below the path of a skill of base replaces the file of that name
//     of it, or is added to it.
//
// A file is of the deepest skill above it, here or in base, where base is a Lister. A
// file of no skill at all is a Diagnostic (file-of-no-skill). A file that cannot
// be read is an error of its skill, never the generated file in its place.
//
// What is skipped, limited and diagnosed otherwise, and how fsys is watched, is as
// in FromFS; which abilities the generator has is as in
// Overlay. Its Watcher may tell of folders above a changed file that are no
// skills. What is excluded from base with Filter can come back by hand; put the
// Filter around OverlayFS where it must not.
func OverlayFS(base Generator, fsys fs.FS, opts *FSOptions) Generator {
	if base == nil || fsys == nil {
		return base
	}
	f, over := newFolder(fsys, base, opts)
	return Overlay(&patched{base, f}, over)
}

// patched is a generator with files of a folder in its skills.
type patched struct {
	base   Generator
	folder *folder
}

func (p *patched) Unwrap() Generator { return p.base }

func (p *patched) Skill(ctx context.Context, path string) (*Skill, error) {
	skill, err := p.base.Skill(ctx, path)
	if err != nil || skill == nil || !p.folder.canBeSkill(path) {
		return skill, err
	}
	entries, ok, err := p.folder.find(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("files over the skill: the folder %q: %w", path, concealNotFound(err))
	}
	var files []File
	sum := "" // of no files
	if ok {
		if files, sum, err = p.folder.read(ctx, path, entries); err != nil {
			return nil, fmt.Errorf("files over the skill: %w", err)
		}
	}
	changed := *skill
	if len(files) == 0 {
		sum = "none"
	} else {
		changed.Files = slices.Clone(skill.Files)
	}
	for _, f := range files {
		if i := slices.IndexFunc(changed.Files, func(old File) bool { return old.Name == f.Name }); i >= 0 {
			changed.Files[i].Content = f.Content
		} else {
			changed.Files = append(changed.Files, f)
		}
	}
	if skill.Version != "" {
		changed.Version = "files " + sum + " " + skill.Version
	}
	return &changed, nil
}
