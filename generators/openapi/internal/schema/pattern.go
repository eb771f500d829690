package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxMatch  = 2000 // bytes of a made match
	maxPatDep = 50   // levels of a pattern that are followed
)

var unicodeEscape = regexp.MustCompile(`\\u([0-9A-Fa-f]{4})`)

// goPattern rewrites what ECMA 262 writes otherwise than Go.
func goPattern(p string) string {
	p = unicodeEscape.ReplaceAllString(p, `\x{$1}`)
	p = strings.ReplaceAll(p, `\/`, `/`)
	return strings.ReplaceAll(p, `(?<`, `(?P<`)
}

// compile returns a document's pattern as a regular expression. Go has no
// lookaround and no backreferences: such patterns give an error.
func (w *walker) compile(p string) (*regexp.Regexp, error) {
	if c, ok := w.regexps[p]; ok {
		return c.re, c.err
	}
	if len(w.regexps) >= 200 || len(p) > 4000 {
		return nil, fmt.Errorf("pattern is too long to be checked")
	}
	re, err := regexp.Compile(p)
	if err != nil {
		re, err = regexp.Compile(goPattern(p))
	}
	w.regexps[p] = compiled{re, err}
	return re, err
}

type compiled struct {
	re  *regexp.Regexp
	err error
}

// match makes a text that matches a pattern: the shortest one, except that
// repeats grow until it has least characters. The n-th variation differs from
// the others, if the pattern allows that.
func match(pattern string, least, n int) (string, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		re, err = syntax.Parse(goPattern(pattern), syntax.Perl)
	}
	if err != nil {
		return "", err
	}
	m := matcher{vary: n}
	m.more = least - m.length(re, 0)
	m.write(re, 0)
	if m.failed || len(m.out) > maxMatch {
		return "", fmt.Errorf("no short text matches the pattern")
	}
	return string(m.out), nil
}

type matcher struct {
	out    []rune
	more   int // characters that repeats still have to add
	vary   int
	failed bool
}

// length is the least length of a match.
func (m *matcher) length(re *syntax.Regexp, depth int) int {
	if depth > maxPatDep {
		return maxMatch
	}
	n := 0
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = 1
	case syntax.OpConcat, syntax.OpCapture:
		for _, s := range re.Sub {
			n += m.length(s, depth+1)
		}
	case syntax.OpPlus:
		n = m.length(re.Sub[0], depth+1)
	case syntax.OpRepeat:
		n = re.Min * m.length(re.Sub[0], depth+1)
	case syntax.OpAlternate:
		n = maxMatch
		for _, s := range re.Sub {
			n = min(n, m.length(s, depth+1))
		}
	case syntax.OpNoMatch:
		n = maxMatch
	}
	return min(n, maxMatch)
}

func (m *matcher) write(re *syntax.Regexp, depth int) {
	if m.failed || depth > maxPatDep || len(m.out) > maxMatch {
		m.failed = true
		return
	}
	switch re.Op {
	case syntax.OpNoMatch:
		m.failed = true
	case syntax.OpLiteral:
		m.out = append(m.out, re.Rune...)
	case syntax.OpCharClass:
		m.out = append(m.out, m.pick(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		m.out = append(m.out, m.pick([]rune{'a', 'z'}))
	case syntax.OpConcat, syntax.OpCapture:
		for _, s := range re.Sub {
			m.write(s, depth+1)
		}
	case syntax.OpAlternate:
		best := re.Sub[0]
		for _, s := range re.Sub[1:] {
			if m.length(s, depth+1) < m.length(best, depth+1) {
				best = s
			}
		}
		if n := len(re.Sub); m.vary > 0 {
			best, m.vary = re.Sub[m.vary%n], m.vary/n
		}
		m.write(best, depth+1)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		lo, hi := 0, maxMatch
		switch re.Op {
		case syntax.OpPlus:
			lo = 1
		case syntax.OpQuest:
			hi = 1
		case syntax.OpRepeat:
			lo = re.Min
			if re.Max >= 0 {
				hi = re.Max
			}
		}
		each := m.length(re.Sub[0], depth+1)
		for i := 0; i < lo; i++ {
			m.write(re.Sub[0], depth+1)
		}
		for i := lo; i < hi && m.more > 0 && !m.failed; i++ {
			m.more -= max(each, 1)
			m.write(re.Sub[0], depth+1)
		}
	}
}

// pick takes a rune of a class, given as ranges: a small letter, a capital, a
// digit, else the first that can be seen. Variations take the ones after it.
func (m *matcher) pick(ranges []rune) rune {
	in := func(r rune) bool {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= r && r <= ranges[i+1] {
				return true
			}
		}
		return false
	}
	first := rune(utf8.RuneError)
	for _, r := range "aA0" {
		if in(r) {
			first = r
			break
		}
	}
	for r := rune('!'); r < 0x7f && first == utf8.RuneError; r++ {
		if in(r) {
			first = r
		}
	}
	if first == utf8.RuneError {
		for i := 0; i+1 < len(ranges); i += 2 {
			for r := ranges[i]; r <= ranges[i+1] && r < ranges[i]+64; r++ {
				if unicode.IsPrint(r) && !hidden(r) {
					return r
				}
			}
		}
		if len(ranges) == 0 {
			m.failed = true
			return first
		}
		return ranges[0]
	}
	width := 1
	for in(first+rune(width)) && first+rune(width) < 0x7f {
		width++
	}
	n := m.vary % width
	m.vary /= width
	return first + rune(n)
}
