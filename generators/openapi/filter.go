package openapi

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
	"github.com/apiskills/apiskills/generators/openapi/internal/names"
	"github.com/bmatcuk/doublestar/v4"
)

// A Rule picks operations and webhooks: those that have everything the rule
// names. Its texts are globs: * stops at a slash, ** between slashes does not,
// {a,b} is either, and braces without a comma stand for themselves, as in the
// template of a path.
type Rule struct {
	// Operation is of the method and the path, as in "GET /pets/**", or of the
	// path alone, for every method. A webhook has its name in place of a path.
	Operation string
	// Tag is of any tag of the operation.
	Tag string
	// Group is of the group: the segment before the skill's name in its URI.
	Group string
	// OperationID is of the operationId.
	OperationID string
	// Deprecated and Internal, unless nil, are what the operation states by
	// "deprecated" and by "x-internal", its own or its path's; nothing is false.
	Deprecated, Internal *bool
}

// String formats r as in "operation=GET /pets/** deprecated=true".
func (r Rule) String() string {
	var parts []string
	for _, p := range r.patterns() {
		if *p.text != "" {
			parts = append(parts, p.name+"="+*p.text)
		}
	}
	for _, b := range []struct {
		name  string
		value *bool
	}{{"deprecated", r.Deprecated}, {"internal", r.Internal}} {
		if b.value != nil {
			parts = append(parts, fmt.Sprintf("%s=%t", b.name, *b.value))
		}
	}
	return strings.Join(parts, " ")
}

type pattern struct {
	name string
	text *string
}

func (r *Rule) patterns() []pattern {
	return []pattern{{"operation", &r.Operation}, {"tag", &r.Tag}, {"group", &r.Group}, {"operationId", &r.OperationID}}
}

// Check reports what is wrong with r: a glob that is none, or nothing in it.
func (r Rule) Check() error {
	if r == (Rule{}) {
		return errors.New("the rule names nothing; give it an operation, a tag, a group, an operationId, deprecated or internal")
	}
	for _, p := range r.patterns() {
		if *p.text != "" && !doublestar.ValidatePattern(glob(*p.text)) {
			return fmt.Errorf("%s: %.100q is no glob; look at its brackets and braces", p.name, *p.text)
		}
	}
	if r.Operation != "" && !strings.HasPrefix(r.Operation, "/") && !strings.Contains(r.Operation, " ") {
		return fmt.Errorf("operation: %.100q is neither a path, which begins with a slash, nor a method and a path, as in %q", r.Operation, "GET /pets/**")
	}
	return nil
}

// glob makes a pattern of ours one of doublestar: braces without a comma are
// escaped.
func glob(text string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			break
		}
		length := strings.IndexAny(text[open+1:], "{},")
		if length < 0 || text[open+1+length] != '}' {
			b.WriteString(text[:open+1])
			text = text[open+1:]
			continue
		}
		end := open + 1 + length
		b.WriteString(text[:open] + `\{` + text[open+1:end] + `\}`)
		text = text[end+1:]
	}
	return b.String() + text
}

// A filter is the rules of a document, ready for use.
type filter struct {
	include, exclude []Rule
	matched          map[string]bool // by kind and rule
}

func newFilter(o *Options) (*filter, error) {
	f := &filter{matched: map[string]bool{}}
	for _, list := range []struct {
		from []Rule
		to   *[]Rule
	}{{o.Include, &f.include}, {o.Exclude, &f.exclude}} {
		for _, r := range list.from {
			if err := r.Check(); err != nil {
				return nil, err
			}
			*list.to = append(*list.to, r)
		}
	}
	return f, nil
}

// keeps reports whether op is served: some include rule picks it, if there is
// one, and no exclude rule does. Each rule is asked, to know which picks none.
func (f *filter) keeps(op *subject) bool {
	included := f.any("include", f.include, op)
	excluded := f.any("exclude", f.exclude, op)
	return (included || len(f.include) == 0) && !excluded
}

func (f *filter) any(kind string, rules []Rule, op *subject) bool {
	found := false
	for _, r := range rules {
		if op.matches(r) {
			found = true
			f.matched[kind+" "+r.String()] = true
		}
	}
	return found
}

// unmatched lists the rules that picked nothing, as in "exclude tag=Pets".
func (f *filter) unmatched() []string {
	var list []string
	for _, kind := range []string{"include", "exclude"} {
		rules := f.include
		if kind == "exclude" {
			rules = f.exclude
		}
		for _, r := range rules {
			if name := kind + " " + r.String(); !f.matched[name] && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// A subject is what rules look at in one operation.
type subject struct {
	method, address      string // the address is a path, or a webhook's name
	group, operationID   string
	tags                 []string
	deprecated, internal bool
}

func newSubject(doc *ingest.Document, op *ingest.Operation, group string) *subject {
	s := &subject{method: op.Method, address: op.Path, group: group, operationID: op.OperationID}
	if op.Webhook != "" {
		s.address = op.Webhook
	}
	stated := false
	members(doc.Raw(op), func(name string, v []byte) bool {
		switch name {
		case "tags":
			elements(v, func(t []byte) bool {
				s.tags = append(s.tags, text(t))
				return len(s.tags) < 100
			})
		case "deprecated":
			s.deprecated = string(v) == "true"
		case "x-internal":
			s.internal, stated = string(v) == "true", true
		}
		return true
	})
	if !stated {
		item := op.Pointer[:max(strings.LastIndexByte(op.Pointer, '/'), 0)]
		raw, _ := doc.At(item + "/x-internal")
		s.internal = string(raw) == "true"
	}
	return s
}

func (s *subject) matches(r Rule) bool {
	match := func(pattern, text string) bool {
		return pattern == "" || doublestar.MatchUnvalidated(glob(pattern), text)
	}
	return s.matchesOperation(r.Operation) &&
		match(r.Group, s.group) && match(r.OperationID, s.operationID) &&
		(r.Tag == "" || slices.ContainsFunc(s.tags, func(t string) bool { return match(r.Tag, t) })) &&
		(r.Deprecated == nil || *r.Deprecated == s.deprecated) &&
		(r.Internal == nil || *r.Internal == s.internal)
}

// matchesOperation matches method and path apart, so that no * runs from one
// into the other. Methods are compared without regard to case.
func (s *subject) matchesOperation(pattern string) bool {
	if pattern == "" {
		return true
	}
	method, address, found := strings.Cut(pattern, " ")
	if strings.HasPrefix(pattern, "/") || !found {
		method, address = "*", pattern
	}
	return doublestar.MatchUnvalidated(strings.ToUpper(glob(method)), strings.ToUpper(s.method)) &&
		doublestar.MatchUnvalidated(glob(strings.TrimSpace(address)), s.address)
}

// filter leaves out of g.ops, and of table beside it, what the rules exclude and
// what the authors hide. Names are given before: neither moves another
// operation's URI.
func (g *Generator) filter(o *Options, table []names.Name) ([]names.Name, error) {
	if len(o.Include)+len(o.Exclude)+len(g.authors.ops) == 0 {
		return table, nil
	}
	f, err := newFilter(o)
	if err != nil {
		return nil, &Error{File: g.doc.File, Msg: err.Error()}
	}
	var ops []ingest.Operation
	var kept []names.Name
	hidden := 0
	for i := range g.ops {
		keeps := f.keeps(newSubject(g.doc, &g.ops[i], table[i].Group))
		if g.authors.hides(&g.ops[i]) {
			hidden++
			keeps = false
		}
		if keeps {
			ops, kept = append(ops, g.ops[i]), append(kept, table[i])
		} else {
			g.excluded = append(g.excluded, g.ops[i].Pointer)
		}
	}
	g.unmatched = f.unmatched()
	if len(ops) == 0 {
		what := "the filters leave none of its operations"
		if len(g.unmatched) > 0 {
			what += "; nothing has " + strings.Join(g.unmatched, ", nor ")
		}
		hint := "relax include or exclude"
		if hidden == len(g.ops) {
			what, hint = "x-skill hides all of its operations", "take a hide out of the document, or out of its overlays"
		}
		return nil, &Error{File: g.doc.File, Msg: what, Hint: hint}
	}
	g.ops = ops
	return kept, nil
}

// UnmatchedRules lists the rules of Include and Exclude that pick no operation
// of the document, each as in "exclude tag=Pets".
func (g *Generator) UnmatchedRules() []string { return slices.Clone(g.unmatched) }

// Excluded yields the JSON Pointers of the operations that are not served on
// purpose.
func (g *Generator) Excluded() iter.Seq[string] { return slices.Values(g.excluded) }
