package framework

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Template is the form of the paths of many skills.
type Template struct {
	// Path has the segments of the paths, relative to the mount and joined by
	// "/": each a literal or one variable in braces, as in "{group}/{name}". A
	// variable stands for one segment and is there once.
	Path string
	// Name is short, not empty, and unique within the generator; Description says
	// what the skills are of.
	Name, Description string
}

// A Templater names the forms of its skills' paths, so that a client can ask
// which values their variables take. It has to be a Lister, or nothing comes of it.
type Templater interface {
	// Templates returns at most 16 templates. One that breaks a rule is logged and
	// left out, as all are if it fails.
	Templates(ctx context.Context) ([]Template, error)
}

// A ResourceTemplate describes the URIs of the SKILL.md of many skills (Model
// Context Protocol, "Resource Templates"; the template is of RFC 6570).
type ResourceTemplate struct {
	URITemplate string // as in "skill://bookshop/{group}/{name}/SKILL.md"
	Name        string
	Description string
	MIMEType    string // that of SKILL.md
}

// maxTemplates bounds the templates of one generator.
const maxTemplates = 16

// ResourceTemplates returns the templates of the generators that have some,
// ordered by mount, as far as the caller may see a skill of theirs. Only that look
// at the skills can fail, with the error of a generator's Paths.
func (c *Catalog) ResourceTemplates(ctx context.Context) ([]ResourceTemplate, error) {
	c.ready()
	var templates []ResourceTemplate
	for m, t := range c.templates(ctx) {
		if c.opts.Allow != nil {
			start := m.path("")
			found, err := c.takeAll(ctx, m.guard, start, start+above, 1, c.allow(ctx))
			if err != nil {
				return nil, err
			}
			if len(found) == 0 {
				continue
			}
		}
		templates = append(templates, ResourceTemplate{
			URITemplate: c.uriTemplate(m, t), Name: t.Name, Description: t.Description, MIMEType: "text/markdown",
		})
	}
	return templates, nil
}

func (c *Catalog) uriTemplate(m *mount, t Template) string {
	path := t.Path + "/" + skillFile
	if m.prefix == "" {
		return c.opts.Scheme + "://" + path
	}
	return c.uri(m.prefix) + "/" + path
}

// templates yields the valid templates with their mounts, ordered by mount. One
// that fails is reported, and costs the others nothing.
func (c *Catalog) templates(ctx context.Context) func(yield func(*mount, Template) bool) {
	return func(yield func(*mount, Template) bool) {
		for _, m := range c.mounts.Load().byPrefix() {
			templater, ok := As[Templater](m.gen)
			if !ok || m.lister == nil {
				continue
			}
			var templates []Template
			err := m.guard.do(ctx, "templates", func(ctx context.Context) error {
				t, err := templater.Templates(ctx)
				if err == nil {
					templates = t
				}
				return err
			})
			if err != nil {
				c.report(m.prefix, "templates failed", err)
				continue
			}
			for _, t := range templates[:min(len(templates), maxTemplates)] {
				if err := t.check(); err != nil {
					c.report(m.path(t.Path), "template refused", err)
					continue
				}
				if !yield(m, t) {
					return
				}
			}
		}
	}
}

func (t *Template) check() error {
	if t.Name == "" {
		return fmt.Errorf("the template %q has no name", t.Path)
	}
	seen := map[string]bool{}
	for _, segment := range strings.Split(t.Path, "/") {
		name, ok := variable(segment)
		switch {
		case !ok && !ValidName(segment):
			return fmt.Errorf("the segment %q of the template %q is neither a name nor one variable in braces", segment, t.Path)
		case ok && seen[name]:
			return fmt.Errorf("the template %q has the variable %q twice", t.Path, name)
		}
		seen[name] = ok
	}
	return nil
}

// variable returns the name of the variable that a segment of a template is.
func variable(segment string) (name string, ok bool) {
	name, ok = strings.CutPrefix(segment, "{")
	if ok {
		name, ok = strings.CutSuffix(name, "}")
	}
	ok = ok && name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_')
	})
	return name, ok
}

// A Completion has values that a variable takes.
type Completion struct {
	// Values are ascending, at most 100 of them.
	Values []string
	// HasMore reports whether there are, or may be, others.
	HasMore bool
}

// Bounds of one completion: what the protocol lets it return, and the places it
// may look at.
const (
	maxCompletions   = 100
	completionBudget = 8192
)

// Complete returns the values that begin with value and that the variable takes
// in the skills of a template (Model Context Protocol, "Completion"), as far as
// the caller may see those; known has values of other variables. Its cost does
// not grow with the number of skills. The error wraps ErrNotFound if there is no
// such template, or no such variable in it.
func (c *Catalog) Complete(ctx context.Context, uriTemplate, name, value string, known map[string]string) (*Completion, error) {
	c.ready()
	for m, t := range c.templates(ctx) {
		if c.uriTemplate(m, t) != uriTemplate {
			continue
		}
		if !slices.Contains(strings.Split(t.Path, "/"), "{"+name+"}") {
			return nil, notFound(uriTemplate, "the resource template %s has no variable of that name")
		}
		w := &completionWalk{
			c: c, allow: c.allow(ctx), segments: strings.Split(m.path(t.Path), "/"), target: "{" + name + "}",
			value: strings.ToLower(value), known: known, found: map[string]bool{}, budget: completionBudget, scan: c.maxScan,
		}
		for _, v := range known {
			if !validSegment(v) {
				return &Completion{}, nil
			}
		}
		if !validSegment(w.value) {
			return &Completion{}, nil
		}
		result := make(chan *Completion, 1) // the walk may outlive its deadline
		err := m.guard.do(ctx, "complete "+uriTemplate, func(ctx context.Context) error {
			more, err := w.walk(ctx, "", 0)
			if err != nil {
				return err
			}
			done := &Completion{HasMore: more}
			for v := range w.found {
				done.Values = append(done.Values, v)
			}
			slices.Sort(done.Values)
			result <- done
			return nil
		})
		if err != nil {
			return nil, err
		}
		return <-result, nil
	}
	return nil, notFound(uriTemplate, "there is no resource template %s")
}

// validSegment reports whether s may be, or begin, a segment of a skill's path
// that a generator makes: it keeps separators out of the walk.
func validSegment(s string) bool {
	return len(s) <= maxURILength && !strings.ContainsAny(s, "/\x00") && !strings.Contains(s, above)
}

// A completionWalk looks for the values of one variable of a template. It seeks
// from child to child, as readLevel does.
type completionWalk struct {
	c        *Catalog
	allow    func(string) bool
	segments []string
	target   string
	value    string
	known    map[string]string
	found    map[string]bool
	budget   int // of paths that the caller may see
	scan     int // of all
}

// walk goes on at segment i below base, which ends in "/" unless it is empty. It
// reports whether it left something out.
func (w *completionWalk) walk(ctx context.Context, base string, i int) (more bool, err error) {
	segment := w.segments[i]
	last := i == len(w.segments)-1
	if segment == w.target {
		return w.children(ctx, base, w.value, last, func(name string) (bool, bool, error) {
			if len(w.found) == maxCompletions && !w.found[name] {
				return false, true, nil
			}
			if i+1 < len(w.segments) { // what comes after must be there too
				ok, err := w.leads(ctx, base+name+"/", i+1)
				if err != nil || !ok {
					return true, false, err
				}
			}
			w.found[name] = true
			return true, false, nil
		})
	}
	name, isVariable := variable(segment)
	if !isVariable {
		return w.walk(ctx, base+segment+"/", i+1)
	}
	if v, ok := w.known[name]; ok {
		return w.walk(ctx, base+v+"/", i+1)
	}
	return w.children(ctx, base, "", last, func(name string) (bool, bool, error) {
		more, err := w.walk(ctx, base+name+"/", i+1)
		return !more, more, err
	})
}

// leads reports whether some skill below base has the segments from i on.
func (w *completionWalk) leads(ctx context.Context, base string, i int) (bool, error) {
	segment := w.segments[i]
	last := i == len(w.segments)-1
	name, isVariable := variable(segment)
	if v, ok := w.known[name]; isVariable && ok {
		segment, isVariable = v, false
	}
	if !isVariable {
		if last {
			return w.c.yields(ctx, w.allow, base+segment)
		}
		return w.leads(ctx, base+segment+"/", i+1)
	}
	found := false
	_, err := w.children(ctx, base, "", last, func(name string) (bool, bool, error) {
		if last {
			found = true
			return false, false, nil
		}
		ok, err := w.leads(ctx, base+name+"/", i+1)
		found = found || ok
		return !found, false, err
	})
	return found, err
}

// children calls f with the names below base that begin with prefix: of skills,
// or of directories of skills. f says whether to go on, and if not whether that
// leaves something out.
func (w *completionWalk) children(ctx context.Context, base, prefix string, skills bool, f func(name string) (goOn, more bool, err error)) (more bool, err error) {
	after, before := base, base+prefix+above
	if prefix != "" {
		after = beforePath(base + prefix)
	}
	for again := true; again; {
		again = false
		// f looks at paths too, so it is called when the iteration has ended: a
		// Lister may have one connection.
		var names []string
		cut := false
		for p, err := range w.c.paths(ctx, after, before) {
			if err != nil {
				return false, err
			}
			if w.scan--; w.scan < 0 {
				cut = true
				break
			}
			if !w.allow(p) {
				continue
			}
			if w.budget--; w.budget < 0 {
				cut = true
				break
			}
			name, _, deeper := strings.Cut(p[len(base):], "/")
			if deeper != skills {
				names = append(names, name)
			}
			if again = deeper; deeper { // pass over all that is below
				after = base + name + "/" + above
			} else if again = len(names) > maxCompletions; again {
				after = p
			}
			if again {
				break
			}
		}
		for _, name := range names {
			if goOn, more, err := f(name); err != nil || !goOn {
				return more, err
			}
		}
		if cut {
			return true, nil
		}
	}
	return false, nil
}
