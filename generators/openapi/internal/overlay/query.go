package overlay

import (
	"errors"
	"fmt"
	"strings"

	"github.com/theory/jsonpath/spec"
)

// Limits of the work for one document, all overlays together.
const (
	maxSteps   = 50_000_000 // values that queries look at
	maxMatches = 1_000_000  // values that a query has selected at a time
	maxGrowth  = 16 << 20   // bytes that actions add, as JSON
	maxDepth   = 10_000     // of a value: what JSON readers take
)

var errTooCostly = errors.New("the query looks at too many values; make it more exact")

// A step is how a value is reached from the one it is in. Its zero value is no
// valid step: nil is the document itself.
type step struct {
	from  *step
	key   string
	index int // in an array, or -1
	depth int
}

// A match is a value that a query selects.
type match struct {
	value any
	at    *step
}

// A worker runs queries on one document and keeps the account of it.
type worker struct {
	steps  int
	growth int
	costs  map[*spec.FilterSelector]cost
}

func (w *worker) spend(n int) error {
	if n < 0 || n > maxSteps-w.steps {
		w.steps = maxSteps
		return errTooCostly
	}
	w.steps += n
	return nil
}

// run returns what q selects in root; a value that is selected twice may be
// there twice. The order is that of maps, which is none.
func (w *worker) run(q *spec.PathQuery, root any) ([]match, error) {
	matches := []match{{value: root}}
	for _, segment := range q.Segments() {
		var next []match
		for _, m := range matches {
			err := w.segment(segment, m, root, &next)
			if err != nil {
				return nil, err
			}
		}
		matches = next
	}
	return matches, nil
}

func (w *worker) segment(s *spec.Segment, m match, root any, out *[]match) error {
	for _, selector := range s.Selectors() {
		if err := w.spend(1); err != nil {
			return err
		}
		if err := w.selector(selector, m, root, out); err != nil {
			return err
		}
	}
	if !s.IsDescendant() {
		return nil
	}
	return w.children(m, func(c match) error {
		switch c.value.(type) {
		case map[string]any, []any:
			return w.segment(s, c, root, out)
		}
		return nil
	})
}

func (w *worker) selector(selector spec.Selector, m match, root any, out *[]match) error {
	add := func(c match) error {
		if len(*out) >= maxMatches {
			return errTooCostly
		}
		*out = append(*out, c)
		return nil
	}
	switch s := selector.(type) {
	case spec.Name:
		if object, ok := m.value.(map[string]any); ok {
			if v, ok := object[string(s)]; ok {
				return add(m.member(string(s), v))
			}
		}
	case spec.Index:
		if array, ok := m.value.([]any); ok {
			i := int(s)
			if i < 0 {
				i += len(array)
			}
			if i >= 0 && i < len(array) {
				return add(m.element(i, array[i]))
			}
		}
	case spec.SliceSelector:
		array, ok := m.value.([]any)
		if !ok || s.Step() == 0 {
			return nil
		}
		lower, upper := s.Bounds(len(array))
		first, ended := lower, func(i int) bool { return i >= upper }
		if s.Step() < 0 {
			first, ended = upper, func(i int) bool { return i <= lower }
		}
		for i := first; !ended(i); i += s.Step() {
			if err := w.spend(1); err != nil {
				return err
			}
			if err := add(m.element(i, array[i])); err != nil {
				return err
			}
		}
	case spec.WildcardSelector:
		return w.children(m, add)
	case *spec.FilterSelector:
		cost, known := w.costs[s]
		if !known {
			var err error
			if cost, err = costOf(s); err != nil {
				return err
			}
			w.costs[s] = cost
		}
		return w.children(m, func(c match) error {
			if err := w.charge(cost, c.value, root); err != nil {
				return err
			}
			ok, err := eval(s, c.value, root)
			if !ok || err != nil {
				return err
			}
			return add(c)
		})
	default:
		return fmt.Errorf("the selector %s is not served", selector)
	}
	return nil
}

// children calls f for each member or element of a value.
func (w *worker) children(m match, f func(match) error) error {
	switch v := m.value.(type) {
	case map[string]any:
		if err := w.spend(len(v)); err != nil {
			return err
		}
		for key, v := range v {
			if err := f(m.member(key, v)); err != nil {
				return err
			}
		}
	case []any:
		if err := w.spend(len(v)); err != nil {
			return err
		}
		for i, v := range v {
			if err := f(m.element(i, v)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m match) depth() int {
	if m.at == nil {
		return 0
	}
	return m.at.depth
}

func (m match) member(key string, v any) match {
	return match{v, &step{m.at, key, -1, m.depth() + 1}}
}

func (m match) element(i int, v any) match {
	return match{v, &step{m.at, "", i, m.depth() + 1}}
}

// eval asks a filter about a value.
func eval(f *spec.FilterSelector, value, root any) (ok bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			ok, err = false, fmt.Errorf("the filter %.100q cannot be evaluated: %v", f.String(), r)
		}
	}()
	return f.Eval(value, root), nil
}

// A cost is what asking a filter about one value costs: the one part of a query
// whose steps are counted beforehand.
type cost struct {
	fixed   int
	below   bool // it looks at all of the value
	all     bool // and for each value in that at all of the document
	factors int  // times that this may be done
}

// costOf reads the cost of a filter from its text. A walk over the document for
// each value is as much as a filter may do.
func costOf(f *spec.FilterSelector) (cost, error) {
	text := withoutStrings(f.String())
	regular := strings.Count(text, "match(") + strings.Count(text, "search(")
	deep, roots := strings.Count(text, ".."), strings.Count(text, "$")
	commas := max(strings.Count(text, ",")-regular, 0)
	several := deep+commas > 0 || strings.Count(text, "?") > 1 || strings.ContainsAny(text, "*:")
	equal := strings.Contains(text, "==") || strings.Contains(text, "!=")
	if deep > 1 || commas > 8 || several && roots > 1 {
		return cost{}, fmt.Errorf("the filter %.100q is too costly; it may have one \"..\", eight commas, and one \"$\" if it selects several values", f.String())
	}
	return cost{
		fixed:   1 + len(text)/8 + 1000*regular, // a regular expression is compiled each time
		below:   several || equal,
		all:     several && roots > 0 || equal && roots > 1,
		factors: 1 << commas,
	}, nil
}

// withoutStrings returns a query without the content of its string literals.
func withoutStrings(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		b.WriteByte(c)
		if c != '"' && c != '\'' {
			continue
		}
		for i++; i < len(s) && s[i] != c; i++ {
			if s[i] == '\\' {
				i++
			}
		}
	}
	return b.String()
}

func (w *worker) charge(c cost, value, root any) error {
	if err := w.spend(c.fixed); err != nil || !c.below {
		return err
	}
	n, err := w.count(value)
	if err != nil {
		return err
	}
	if c.all {
		all, err := w.count(root)
		if err != nil || all > maxSteps/n {
			return errTooCostly
		}
		n *= all
	}
	return w.spend(min(n, maxSteps) * c.factors)
}

// count returns how many values there are in v.
func (w *worker) count(v any) (int, error) {
	n := 1
	if err := w.spend(1); err != nil {
		return 0, err
	}
	add := func(v any) error {
		m, err := w.count(v)
		n += m
		return err
	}
	switch v := v.(type) {
	case map[string]any:
		for _, v := range v {
			if err := add(v); err != nil {
				return 0, err
			}
		}
	case []any:
		for _, v := range v {
			if err := add(v); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}
