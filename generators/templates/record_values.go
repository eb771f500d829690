package templates

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A digits is a number of a record that has another form than an integer has in
// Go, in the digits that the record has.
type digits string

// maxText bounds what a function of a template returns, in bytes.
const maxText = 4 << 20

// numberOf returns the value of a number as JSON writes it: an int64 if that
// has the same digits.
func numberOf(literal string) any {
	if n, err := strconv.ParseInt(literal, 10, 64); err == nil && strconv.FormatInt(n, 10) == literal {
		return n
	}
	return digits(literal)
}

var errNull = errors.New("the value is null: test it with {{with}}, or give another with {{default}}")

// valueText returns a single value as text.
func valueText(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", errNull
	case string:
		return v, nil
	case Markdown:
		return string(v), nil
	case noMarkdown:
		return string(v), nil
	case digits:
		return string(v), nil
	case Prose:
		return string(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case int:
		return strconv.Itoa(v), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case bool:
		return strconv.FormatBool(v), nil
	case []any, map[string]any:
		return "", errors.New("the value is a list or a mapping: go through it with {{range}}, or show it with {{json}}")
	}
	return "", fmt.Errorf("a %T cannot be printed", v)
}

// compare orders two texts, or two numbers.
func compare(a, b any) (int, error) {
	an, aok := number(a)
	bn, bok := number(b)
	switch {
	case aok && bok:
		x, errx := strconv.ParseInt(an, 10, 64)
		y, erry := strconv.ParseInt(bn, 10, 64)
		if errx == nil && erry == nil {
			return cmp.Compare(x, y), nil
		}
		f, errf := strconv.ParseFloat(an, 64)
		g, errg := strconv.ParseFloat(bn, 64)
		if errf != nil || errg != nil || math.IsNaN(f) || math.IsNaN(g) {
			return 0, fmt.Errorf("the numbers %.40s and %.40s cannot be compared", an, bn)
		}
		return cmp.Compare(f, g), nil
	case aok != bok:
		return 0, errors.New("a number is compared with something else: make a number of a text with {{number}}")
	}
	s, err := valueText(a)
	if err != nil {
		return 0, err
	}
	t, err := valueText(b)
	return cmp.Compare(s, t), err
}

// number returns the digits of a number.
func number(v any) (string, bool) {
	switch v.(type) {
	case int64, int, float64, digits:
		s, err := valueText(v)
		return s, err == nil
	}
	return "", false
}

// equal is the function eq: whether a is one of the others. Null is equal to
// null alone.
func equal(a any, others ...any) (bool, error) {
	if len(others) == 0 {
		return false, errors.New("eq needs two values")
	}
	for _, b := range others {
		if a == nil || b == nil {
			if a == nil && b == nil {
				return true, nil
			}
			continue
		}
		_, aBool := a.(bool)
		_, bBool := b.(bool)
		if aBool != bBool {
			continue
		}
		n, err := compare(a, b)
		if err != nil {
			return false, err
		}
		if n == 0 {
			return true, nil
		}
	}
	return false, nil
}

func ordered(holds func(int) bool) func(a, b any) (bool, error) {
	return func(a, b any) (bool, error) {
		n, err := compare(a, b)
		return err == nil && holds(n), err
	}
}

// toNumber is the function number.
func toNumber(v any) (any, error) {
	s, err := valueText(v)
	if err != nil {
		return nil, err
	}
	if s = strings.TrimSpace(s); !jsonNumber.MatchString(s) {
		return nil, fmt.Errorf("%.80q is no number", s)
	}
	return numberOf(s), nil
}

// item is the function index: like that of text/template, but nothing that is
// not there has a value.
func item(v any, keys ...any) (any, error) {
	for _, key := range keys {
		switch list := v.(type) {
		case map[string]any:
			name, err := valueText(key)
			if err != nil {
				return nil, err
			}
			next, ok := list[name]
			if !ok {
				return nil, fmt.Errorf("there is no %.80q", name)
			}
			v = next
		case []any:
			s, _ := number(key)
			i, err := strconv.Atoi(s)
			if err != nil || i < 0 || i >= len(list) {
				return nil, fmt.Errorf("a list of %d items has none at %.40v", len(list), key)
			}
			v = list[i]
		default:
			return nil, errors.New("index wants a mapping or a list")
		}
	}
	return v, nil
}

// has and get look for a member that may be missing.
func has(m map[string]any, key string) bool { _, ok := m[key]; return ok }
func get(m map[string]any, key string) any  { return m[key] }

// or is the function default: the other value in the place of null and of "".
func orElse(other, v any) any {
	if v == nil || v == "" {
		return other
	}
	return v
}

// sum is the function add, of integers.
func sum(a, b any) (int64, error) {
	s, _ := number(a)
	t, _ := number(b)
	m, errm := strconv.ParseInt(s, 10, 64)
	n, errn := strconv.ParseInt(t, 10, 64)
	if errm != nil || errn != nil {
		return 0, errors.New("add wants two integers: make a number of a text with {{number}}")
	}
	return m + n, nil
}
