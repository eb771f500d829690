package framework

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"strings"
)

// Diagnostics implements Diagnoser.
func (f *folder) Diagnostics(ctx context.Context) iter.Seq[Diagnostic] {
	return func(yield func(Diagnostic) bool) {
		served := map[string]bool{"": false} // by the generator below, by folder
		for d := range f.dirs(ctx) {
			report := func(severity Severity, rule, path, format string, args ...any) bool {
				diag := Diagnostic{Severity: severity, Rule: rule, File: f.fileName(path), Message: fmt.Sprintf(format, args...)}
				if f.canBeSkill(d.owner) {
					diag.Skill = d.owner
				}
				return yield(diag)
			}
			if d.err != nil {
				if !report(Error, "unreadable-folder", d.path, "the folder cannot be read, and what is in it is not served: %v", d.err) {
					return
				}
				continue
			}
			if !f.diagnoseDir(&d, report) {
				return
			}
			if f.under != nil && !f.diagnoseLoose(ctx, &d, served, report) {
				return
			}
		}
	}
}

// A reportFunc yields a Diagnostic, and reports whether to go on.
type reportFunc func(severity Severity, rule, path, format string, args ...any) bool

// diagnoseDir reports what is skipped of a folder.
func (f *folder) diagnoseDir(d *fsDir, report reportFunc) bool {
	if d.skill && !f.canBeSkill(d.path) {
		ok := true
		if d.path == "." {
			ok = report(Error, "skill-without-folder", skillFile,
				"a skill is a folder with a %s; this one is in none and is not served; move it into a folder that has the skill's name", skillFile)
		} else {
			ok = report(Error, "invalid-skill-name", d.path,
				"the folder has a %s, but %q is not a skill name and it is not served; rename it to lower-case letters and digits with single hyphens between them, at most 64", skillFile, base1(d.path))
		}
		if !ok {
			return false
		}
	}
	for _, e := range d.entries {
		path := joinPath(d.path, e.Name())
		ok := true
		switch kind := kindOf(e); {
		case kind == hidden:
			ok = report(Note, "hidden-file", path, "names that begin with a dot are skipped")
		case kind == irregular:
			ok = report(Warning, "irregular-file", path, "%s, which is skipped; put a copy of the file in its place", typeName(e.Type()))
		case kind == misnamed:
			ok = report(Error, "invalid-file-name", path, "no resource can be named %.200q; rename it", e.Name())
		case segments(path) > maxSegments || kind == directory && segments(path) == maxSegments:
			ok = report(Error, "too-deep", path, "it is deeper than %d segments and is not served; move it up", maxSegments)
		case kind == regular && e.Name() != skillFile && strings.EqualFold(e.Name(), skillFile) && !d.skill:
			ok = report(Warning, "skill-file-case", path, "it makes no skill of its folder; rename it to %s", skillFile)
		}
		if !ok {
			return false
		}
	}
	return true
}

// diagnoseLoose reports the files of a folder that are of no skill, neither here
// nor in the generator below.
func (f *folder) diagnoseLoose(ctx context.Context, d *fsDir, served map[string]bool, report reportFunc) bool {
	if d.path == "." {
		served["."] = false
	} else {
		above := "."
		if i := strings.LastIndexByte(d.path, '/'); i > 0 {
			above = d.path[:i]
		}
		served[d.path] = served[above]
		if !served[above] && d.owner == "" && f.canBeSkill(d.path) {
			// Of one that cannot be asked for nothing is said.
			ok, err := serves(ctx, f.under, d.path)
			served[d.path] = ok || err != nil
		}
	}
	if d.owner != "" || served[d.path] {
		return true
	}
	for _, e := range d.entries {
		if kindOf(e) != regular {
			continue
		}
		if !report(Warning, "file-of-no-skill", joinPath(d.path, e.Name()),
			"no skill is at %q or above it, so the file is not served; move it below the path of the skill that it is for, or add a %s", d.path, skillFile) {
			return false
		}
	}
	return true
}

// fileName is a path of the folder as its user would give it.
func (f *folder) fileName(path string) string {
	switch {
	case f.name == "":
		return path
	case path == ".":
		return f.name
	}
	return strings.TrimSuffix(f.name, "/") + "/" + path
}

func typeName(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "it is a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "it is a pipe"
	case mode&fs.ModeSocket != 0:
		return "it is a socket"
	case mode&fs.ModeDevice != 0:
		return "it is a device"
	}
	return "it is not a regular file"
}
