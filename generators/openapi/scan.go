package openapi

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// The guide needs a few members of every operation. Decoding them all would
// cost more than everything else together, so these functions step over what
// nobody asked for. They read JSON that was checked before; if it is none
// after all they stop early.

// members calls f for each member of the JSON object raw until f returns
// false. value is a part of raw.
func members(raw []byte, f func(name string, value []byte) bool) {
	walk(raw, '{', func(key, value []byte) bool {
		if bytes.IndexByte(key, '\\') >= 0 {
			return f(text(key), value)
		}
		return f(string(key[1:len(key)-1]), value)
	})
}

// ordered is members in the order of the names. Of members given twice it calls f
// for the last. The order of a document's keys means nothing, so nothing may
// depend on it: where one member is chosen, or not all are looked at, they are
// taken in this order.
func ordered(raw []byte, f func(name string, value []byte) bool) {
	type entry struct {
		name  string
		value []byte
	}
	var list []entry
	members(raw, func(name string, value []byte) bool {
		list = append(list, entry{name, value})
		return true
	})
	slices.SortStableFunc(list, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	for i, e := range list {
		if i+1 < len(list) && list[i+1].name == e.name {
			continue
		}
		if !f(e.name, e.value) {
			return
		}
	}
}

// elements calls f for each element of the JSON array raw until f returns false.
func elements(raw []byte, f func(value []byte) bool) {
	walk(raw, '[', func(_, value []byte) bool { return f(value) })
}

func walk(raw []byte, open byte, f func(key, value []byte) bool) {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != open {
		return
	}
	for i++; ; {
		i = space(raw, i)
		if i >= len(raw) || raw[i] == '}' || raw[i] == ']' {
			return
		}
		var key []byte
		if open == '{' {
			end := skip(raw, i)
			if end < 0 || raw[i] != '"' || end-i < 2 {
				return
			}
			key = raw[i:end]
			i = space(raw, end)
			if i >= len(raw) || raw[i] != ':' {
				return
			}
			i = space(raw, i+1)
		}
		end := skip(raw, i)
		if end < 0 || !f(key, raw[i:end:end]) {
			return
		}
		i = space(raw, end)
		if i < len(raw) && raw[i] == ',' {
			i++
		}
	}
}

func space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// skip returns the end of the value at i, or -1.
func skip(raw []byte, i int) int {
	depth := 0
	for i < len(raw) {
		switch raw[i] {
		case '"':
			if i = skipString(raw, i); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ' ', '\n', '\t', '\r', ',', ':':
			if depth == 0 {
				return -1
			}
			i++
			continue
		default:
			for i < len(raw) && bytes.IndexByte([]byte(",]} \n\t\r:\"[{"), raw[i]) < 0 {
				i++
			}
		}
		if depth <= 0 {
			if depth < 0 {
				return -1
			}
			return i
		}
	}
	return -1
}

func skipString(raw []byte, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(raw[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := 0
		for raw[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// text returns the JSON string raw, or "" if it is something else.
func text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// member returns the member of that name of the object raw, or nil.
func member(raw []byte, name string) (value []byte) {
	members(raw, func(n string, v []byte) bool {
		if n == name {
			value = v
		}
		return value == nil
	})
	return value
}
