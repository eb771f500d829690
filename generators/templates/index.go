package templates

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

func (g *Generator) report(d framework.Diagnostic) {
	if len(g.faults) < maxFaults {
		g.faults = append(g.faults, d)
	} else {
		g.more++
	}
}

// refuse reports why a record has no skill.
func (g *Generator) refuse(rule string, r record, err error) {
	g.report(framework.Diagnostic{
		Severity: framework.Error, Rule: rule, File: g.file(g.sources[r.source].name),
		Line: int(r.line), Message: fmt.Sprintf("%v; this record has no skill", err),
	})
}

// index reads all records once.
func (g *Generator) index(ctx context.Context) error {
	def := g.layout.def
	if len(def.records) > 0 {
		g.sources = append(g.sources, source{name: definitionFile, kept: [][]byte{}})
	}
	count := 0
	for i := range g.sources {
		s := &g.sources[i]
		visit := func(r record, raw []byte, fault error) error {
			r.source = int32(i)
			if count++; count > maxRecords {
				return fmt.Errorf("more than %d records, the limit of a folder: divide it", maxRecords)
			}
			if fault != nil {
				g.refuse("unusable-record", r, fault)
				return nil
			}
			fields, err := s.decode(raw)
			if err != nil {
				g.refuse("unusable-record", r, err)
				return nil
			}
			g.complete(fields)
			p, err := g.pathOf(ctx, fields)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				g.refuse("record-path", r, err)
			default:
				g.entries = append(g.entries, entry{strings.Clone(p), r})
			}
			return nil
		}
		var err error
		if s.name == definitionFile {
			err = s.keep(def.records, visit)
		} else {
			err = s.scan(ctx, g.fsys, visit)
		}
		if err != nil && !errors.Is(err, errStop) {
			return fmt.Errorf("read records of %s: %w", g.file(s.name), err)
		}
	}
	def.records = nil // kept as JSON
	g.refuseTwins()
	return nil
}

func (g *Generator) pathOf(ctx context.Context, fields map[string]any) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, g.time)
	defer cancel()
	return g.layout.path(ctx, fields)
}

// complete gives the fields that a record lacks their defaults.
func (g *Generator) complete(fields map[string]any) {
	for name, v := range g.layout.def.defaults {
		if _, ok := fields[name]; !ok {
			fields[name] = v
		}
	}
}

// refuseTwins orders the entries. Records of one path have no skill, none of
// them: an address must not change its meaning with the order of records, or
// when one of them goes.
func (g *Generator) refuseTwins() {
	slices.SortFunc(g.entries, func(a, b entry) int {
		return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.source, b.source), cmp.Compare(a.line, b.line), cmp.Compare(a.offset, b.offset))
	})
	kept := make([]entry, 0, len(g.entries))
	for i := 0; i < len(g.entries); {
		j := i + 1
		for j < len(g.entries) && g.entries[j].path == g.entries[i].path {
			j++
		}
		if j == i+1 {
			kept = append(kept, g.entries[i])
		} else {
			for k, e := range g.entries[i:j] {
				other := g.entries[i]
				if k == 0 {
					other = g.entries[i+1]
				}
				g.refuse("duplicate-path", e.record, fmt.Errorf("its path %s is also that of the record at %s:%d: have a field in path that tells them apart, or remove one", e.path, g.sources[other.source].name, other.line))
			}
		}
		i = j
	}
	g.entries = slices.Clip(kept)
}

// try renders the first skill of each file, so that a fault that all of them
// have is known at once.
func (g *Generator) try(ctx context.Context) {
	first := make([]*entry, len(g.sources))
	for i := range g.entries {
		e := &g.entries[i]
		if f := first[e.source]; f == nil || e.offset < f.offset {
			first[e.source] = e
		}
	}
	for _, e := range first {
		if e == nil {
			continue
		}
		if _, _, err := g.render(ctx, e); err != nil {
			g.report(framework.Diagnostic{
				Severity: framework.Error, Rule: "unusable-skill", Skill: e.path, File: g.file(g.sources[e.source].name),
				Line: int(e.line), Message: fmt.Sprintf("%v; other skills of this file may have the same fault", err),
			})
		}
	}
}
