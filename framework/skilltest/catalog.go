package skilltest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/apiskills/apiskills/framework"
)

// mountedAt is the prefix at which the catalogs of this package mount generators.
// Most are mounted below one, and a first segment may be longer there.
const mountedAt = "skills"

// A log keeps what a catalog reports about skills.
type log struct {
	mu     sync.Mutex
	errors map[string]string // by skill
}

func (l *log) Enabled(context.Context, slog.Level) bool { return true }
func (l *log) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *log) WithGroup(string) slog.Handler            { return l }
func (l *log) Handle(_ context.Context, r slog.Record) error {
	var skill, text string
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "skill":
			skill = a.Value.String()
		case "error":
			text = a.Value.String()
		}
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errors[skill] = text
	return nil
}

// mount returns a catalog of one generator, and what it reports.
func mount(g framework.Generator) (*framework.Catalog, *log) {
	l := &log{errors: map[string]string{}}
	catalog, err := framework.NewCatalog(
		[]framework.Mount{{Prefix: mountedAt, Generator: g}},
		&framework.Options{Logger: slog.New(l), SkillTimeout: callLimit},
	)
	if err != nil {
		panic(err) // the options and the prefix are constant
	}
	return catalog, l
}

// A stub is a generator that a catalog is asked about: its paths, its templates,
// and one skill that stands at each path.
type stub struct {
	framework.PathList
	templates []framework.Template
	files     []framework.File
}

func (s *stub) Skill(context.Context, string) (*framework.Skill, error) {
	return &framework.Skill{Files: s.files}, nil
}

func (s *stub) Templates(context.Context) ([]framework.Template, error) { return s.templates, nil }

// refusedPaths returns those of some ascending paths that a catalog does not take
// for paths of skills, and why, as far as it says so.
func refusedPaths(paths []string) map[string]string {
	catalog, l := mount(&stub{PathList: paths})
	taken := make(map[string]bool, len(paths))
	for p, err := range catalog.Paths(context.Background(), "") {
		if err == nil {
			taken[p] = true
		}
	}
	refused := map[string]string{}
	for _, p := range paths {
		if full := mountedAt + "/" + p; !taken[full] {
			refused[p] = l.errors[full]
		}
	}
	return refused
}

// refusal returns why a catalog refuses a skill with these files, or nil.
func refusal(files ...framework.File) error {
	const path = "probe"
	catalog, _ := mount(&stub{PathList: framework.PathList{path}, files: files})
	_, err := catalog.Get(context.Background(), catalog.URI(mountedAt+"/"+path))
	if err == nil {
		return nil
	}
	// Which skill it was is nobody's business.
	return errors.New(strings.TrimPrefix(err.Error(), fmt.Sprintf("skill %q: ", mountedAt+"/"+path)))
}

// probe is a SKILL.md that refusal takes.
var probe = framework.TextFile(skillFile, "---\nname: probe\ndescription: A probe.\n---\n")

// refusedTemplate returns why a catalog does not take a template, or "".
func refusedTemplate(t framework.Template) string {
	taken, refusal := takenTemplates(t)
	if taken == 1 {
		return ""
	}
	return cmp.Or(refusal, "a catalog does not take it")
}

// takenTemplates returns how many of some templates a catalog takes, and why not the
// others, as far as it says so.
func takenTemplates(templates ...framework.Template) (n int, refusal string) {
	catalog, l := mount(&stub{templates: templates})
	taken, err := catalog.ResourceTemplates(context.Background())
	if err != nil {
		return 0, err.Error()
	}
	for _, text := range l.errors {
		return len(taken), text
	}
	return len(taken), ""
}

// checkCatalog mounts the generator in a catalog, and compares the entries of the
// skills that have no fault yet with what was read.
func (c *checker) checkCatalog() {
	if c.lister != nil && !c.steady {
		return // a catalog would find that, and no skill has the fault
	}
	catalog, _ := mount(c.g)
	for _, path := range c.sample {
		r := c.readings[path]
		if r == nil || c.broken[path] || slices.ContainsFunc(c.below(path), func(p string) bool { return c.broken[p] }) {
			continue
		}
		c.checkEntry(catalog, r)
	}
}

func (c *checker) checkEntry(catalog *framework.Catalog, r *reading) {
	const advice = "a catalog calls with contexts of its own, without values, and in any order: depend on neither"
	type answer struct {
		entry *framework.Entry
		err   error
	}
	a, ok := do(c, c.ctx, site{call: "Catalog.Get", path: r.path}, func(ctx context.Context) answer {
		entry, err := catalog.Get(ctx, catalog.URI(mountedAt+"/"+r.path))
		return answer{entry, lookInto(err)}
	})
	switch {
	case !ok:
	case errors.Is(a.err, context.Canceled):
	case a.err != nil:
		c.fault("catalog", r.path, "", "a catalog refuses the skill: %v; %s", a.err, advice)
	case a.entry.Dynamic != r.dynamic:
		c.fault("catalog", r.path, "", "Dynamic is %v in a catalog, and was %v before; %s", a.entry.Dynamic, r.dynamic, advice)
	case !a.entry.Dynamic:
		got := map[string]framework.Digest{}
		for _, res := range a.entry.Resources {
			got[res.URI] = res.Digest
		}
		want := map[string]framework.Digest{}
		for _, f := range r.files {
			want[f.name] = f.digest
		}
		for name, f := range r.nested {
			want[name] = f.digest
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			uri := strings.TrimSuffix(catalog.URI(mountedAt+"/"+r.path+"/"+name), "/"+skillFile)
			if digest, ok := got[uri]; !ok || digest != want[name] {
				c.fault("catalog", r.path, name, "a catalog has other bytes of the file than were read before, or none; %s", advice)
			}
			delete(got, uri)
		}
		for _, uri := range slices.Sorted(maps.Keys(got)) {
			c.fault("catalog", r.path, "", "a catalog has the file %s, which was not there before; %s", uri, advice)
		}
	}
}
