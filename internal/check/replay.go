package check

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/apiskills/apiskills/internal/replay"
)

// CanReplay returns an error that says what is missing if the commands of skills
// cannot be run here.
func CanReplay() error { return replay.Available() }

// replay runs the commands of the document's skills against a stand-in for the
// API. An error is one of the context.
func (r *run) replay(ctx context.Context, d *document) error {
	doc, err := replay.Load(d.Name, d.Data, &replay.LoadOptions{Root: d.RefRoot})
	if err != nil {
		d.add("replay-document", d.Name, "", "the document cannot be loaded as a whole, so that no command is replayed: %s", cut(err.Error()))
		return nil
	}
	results, err := doc.Replay(ctx, r.replayed(ctx, d), &replay.Options{Server: d.Server})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		d.add("replay-run", d.Name, "", "the commands could not be replayed: %s", cut(err.Error()))
		return nil
	}
	for _, res := range results {
		if res.Status != replay.Failed {
			continue
		}
		id := "replay-command"
		switch res.Class {
		case replay.InDocument:
			id = "replay-document"
		case replay.InRun:
			id = "replay-run"
		}
		rule, _ := Find(id)
		f := Finding{
			Rule: id, Severity: rule.Severity, Pointer: res.Pointer, File: res.File, Line: res.Line,
			Skill: r.catalog.URI(res.Skill), Message: fmt.Sprintf("%s (%s)", cut(res.Reason), res.Rule), inSkill: true,
		}
		if id == "replay-document" {
			f.File, f.Line, f.inSkill = d.Name, 0, false
		}
		d.found.add(f)
	}
	return nil
}

// replayed yields the skills of a document, one at a time. Those that cannot be
// made have been reported.
func (r *run) replayed(ctx context.Context, d *document) iter.Seq2[replay.Skill, error] {
	return func(yield func(replay.Skill, error) bool) {
		for path, err := range r.catalog.Paths(ctx, "") {
			if err != nil {
				yield(replay.Skill{}, err)
				return
			}
			if r.of(path) != d {
				continue
			}
			s := replay.Skill{Path: path, Files: map[string]string{}}
			uri := r.catalog.URI(path)
			entry, err := r.catalog.Get(ctx, uri)
			if err != nil {
				continue
			}
			for _, res := range entry.Resources {
				if content, err := r.catalog.Read(ctx, res.URI); err == nil {
					s.Files[strings.TrimPrefix(res.URI, strings.TrimSuffix(uri, skillFile))] = string(content.Bytes)
				}
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

// cut is the text of an error, on one line and not too long.
func cut(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 500 {
		s = strings.ToValidUTF8(s[:500], "") + "..."
	}
	return s
}
