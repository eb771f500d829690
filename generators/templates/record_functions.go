package templates

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"text/template"
)

// recordFunctions is what the templates of a [Generator] can call. Values come
// as they are in the record; a function that makes Markdown of one says so by
// its type, and show makes it of all else.
var recordFunctions = template.FuncMap{
	showName:  show,
	stepName:  func() string { return "" },
	enterName: func() string { return entered },
	leaveName: func() string { return left },

	"inline": markdownFunc(func(s string) string { return Inline(Prose(s)) }),
	"text":   markdownFunc(func(s string) string { return Text(Prose(s)) }),
	"quote":  markdownFunc(func(s string) string { return Quote(Prose(s)) }),
	"cell":   markdownFunc(func(s string) string { return cellOf(flattenUpTo(Prose(s), maxSource), maxSource) }),
	"code":   markdownFunc(Code),
	"fence": func(language string, v any) (Markdown, error) {
		s, err := valueText(v)
		return Markdown(Fence(language, s)), err
	},
	"link": func(text any, dest string) (Markdown, error) {
		s, err := valueText(text)
		if err != nil {
			return "", err
		}
		s, err = Link(s, dest)
		return Markdown(s), err
	},
	"verbatim": func(v any) (noMarkdown, error) { s, err := valueText(v); return noMarkdown(s), err },

	"plain":    func(v any) (string, error) { s, err := valueText(v); return Plain(Prose(s), 0), err },
	"sentence": func(v any) (string, error) { s, err := valueText(v); return Sentences(Prose(s), 200), err },
	"sh":       func(v any) (noMarkdown, error) { s, err := valueText(v); return noMarkdown(ShellWord(s)), err },
	"slug":     func(v any) (string, error) { return withText(v, slugOf) },
	"lower":    stringFunc(strings.ToLower),
	"upper":    stringFunc(strings.ToUpper),
	"trim":     stringFunc(strings.TrimSpace),
	"urlquery": stringFunc(url.QueryEscape),
	"replace": func(old, with string, v any) (string, error) {
		return withText(v, func(s string) (string, error) { return bounded(s, old, with) })
	},
	"split": func(sep string, v any) ([]any, error) {
		s, err := valueText(v)
		if err != nil || s == "" {
			return nil, err
		}
		var out []any
		for part := range strings.SplitSeq(s, sep) {
			out = append(out, strings.TrimSpace(part))
		}
		return out, nil
	},
	"join": func(sep string, list []any) (string, error) {
		texts := make([]string, len(list))
		size := 0
		for i, v := range list {
			s, err := valueText(v)
			if err != nil {
				return "", err
			}
			if size += len(s) + len(sep); size > maxText {
				return "", errLong
			}
			texts[i] = s
		}
		return strings.Join(texts, sep), nil
	},
	"contains": func(part string, v any) (bool, error) { s, err := valueText(v); return strings.Contains(s, part), err },
	"hasPrefix": func(prefix string, v any) (bool, error) {
		s, err := valueText(v)
		return strings.HasPrefix(s, prefix), err
	},
	"hasSuffix": func(suffix string, v any) (bool, error) {
		s, err := valueText(v)
		return strings.HasSuffix(s, suffix), err
	},
	"json": jsonText,

	"default": orElse,
	"has":     has,
	"get":     get,
	"number":  toNumber,
	"add":     sum,

	// In the place of those of text/template.
	"index":   item,
	"eq":      equal,
	"ne":      func(a, b any) (bool, error) { same, err := equal(a, b); return !same, err },
	"lt":      ordered(func(n int) bool { return n < 0 }),
	"le":      ordered(func(n int) bool { return n <= 0 }),
	"gt":      ordered(func(n int) bool { return n > 0 }),
	"ge":      ordered(func(n int) bool { return n >= 0 }),
	"print":   func(args ...any) (string, error) { return printed("", args) },
	"println": func(args ...any) (string, error) { return printed("", append(args, "\n")) },
	"printf":  sprintf,
	"html": func(...any) (string, error) {
		return "", errors.New("html is not there: values are made fit for Markdown where they are printed")
	},
	"js": func(...any) (string, error) { return "", errors.New("js is not there: use json") },
}

var errLong = fmt.Errorf("the text is longer than %d MiB", maxText>>20)

func markdownFunc(f func(string) string) func(any) (Markdown, error) {
	return func(v any) (Markdown, error) {
		s, err := valueText(v)
		if err != nil {
			return "", err
		}
		return Markdown(f(s)), nil
	}
}

func stringFunc(f func(string) string) func(any) (string, error) {
	return func(v any) (string, error) {
		return withText(v, func(s string) (string, error) { return f(s), nil })
	}
}

func withText(v any, f func(string) (string, error)) (string, error) {
	s, err := valueText(v)
	if err != nil {
		return "", err
	}
	return f(s)
}

// bounded is strings.ReplaceAll of what does not become too long.
func bounded(s, old, with string) (string, error) {
	if n := strings.Count(s, old); len(s)+n*len(with) > maxText {
		return "", errLong
	}
	return strings.ReplaceAll(s, old, with), nil
}

// sprintf is printf. Numbers in a record's digits are texts to it.
func sprintf(format string, args ...any) (string, error) { return printed(format, args) }

// printed is fmt.Sprintf, or fmt.Sprint without spaces if there is no format.
// What it returns is a value like that of a record, whatever went into it.
func printed(format string, args []any) (string, error) {
	size := len(format)
	for i, a := range args {
		switch a := a.(type) {
		case int, int64, float64, bool:
			if format == "" {
				args[i], _ = valueText(a)
			}
		default:
			s, err := valueText(a)
			if err != nil {
				return "", err
			}
			size += len(s)
			args[i] = s
		}
	}
	if size > maxText {
		return "", errLong
	}
	if format == "" {
		var b strings.Builder
		for _, a := range args {
			b.WriteString(a.(string))
		}
		return b.String(), nil
	}
	if err := formatBound(format, args); err != nil {
		return "", err
	}
	s := fmt.Sprintf(format, args...)
	if len(s) > maxText {
		return "", errLong
	}
	return s, nil
}

// wide matches a verb of a format that is wider than anybody needs.
var wide = regexp.MustCompile(`%[-+# 0.\[\]0-9]*(?:\*|[0-9]{4})`)

// formatBound refuses a format that would make much more than it is given. It may be of
// a record, and package fmt makes all of a text before anybody sees its length.
func formatBound(format string, args []any) error {
	if wide.MatchString(format) {
		return errors.New("printf: a width has three digits at most, and is written out")
	}
	longest := 0
	for _, a := range args {
		if s, ok := a.(string); ok {
			longest = max(longest, len(s))
		}
	}
	if strings.Count(format, "%")*(4*longest+1000) > 16*maxText {
		return errLong
	}
	return nil
}

// jsonText is the function json: a value as JSON in several lines, the members
// of objects by name.
func jsonText(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return "", err
	}
	if b.Len() > maxText {
		return "", errLong
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// MarshalJSON writes the digits that n has.
func (n digits) MarshalJSON() ([]byte, error) { return []byte(n), nil }
