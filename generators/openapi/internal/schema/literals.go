package schema

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// text makes a string: by format, by pattern, or of the name.
func (m *maker) text(sh *shape, u use) *Value {
	if sh.len.min > maxText || sh.len.max >= 0 && sh.len.max < sh.len.min {
		m.fault("sample-invalid", "no sample is made of minLength and maxLength as they are")
		return nil
	}
	least := int(sh.len.min)
	fits := func(s string) bool {
		n := int64(utf8.RuneCountInString(s))
		if n < sh.len.min || sh.len.max >= 0 && n > sh.len.max {
			return false
		}
		for _, p := range sh.patterns {
			if re, err := m.compile(p); err != nil || !re.MatchString(s) {
				return false
			}
		}
		return true
	}
	if s := byFormat(sh.format, u.nth); s != "" && fits(s) {
		return &Value{s}
	}
	name := resize(placeholder(u.name, u.nth), least, sh.len.max)
	if len(sh.patterns) == 0 {
		return &Value{name}
	}
	for _, p := range sh.patterns {
		s, err := match(p, least, u.nth)
		if err != nil {
			m.fault("pattern-unsupported", "no text could be made that matches "+regex(p)+": "+err.Error())
			continue
		}
		for _, s := range []string{s, resize(s, least, sh.len.max)} {
			if fits(s) {
				return &Value{s}
			}
		}
	}
	if s := byFormat(sh.format, u.nth); s != "" {
		return &Value{s}
	}
	if fits(name) {
		return &Value{name}
	}
	if s := strings.ToLower(name); fits(s) {
		return &Value{s}
	}
	return &Value{name}
}

// resize pads or cuts s to a length in characters.
func resize(s string, least int, most int64) string {
	if n := utf8.RuneCountInString(s); n < least {
		pad := "X"
		if r, _ := utf8.DecodeLastRuneInString(s); 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			pad = string(r)
		}
		s += strings.Repeat(pad, least-n)
	}
	if r := []rune(s); most >= 0 && int64(len(r)) > most {
		s = string(r[:most])
	}
	return s
}

// placeholder is the name of a value in capitals, which says to a reader what
// to put there.
func placeholder(name string, nth int) string {
	var b strings.Builder
	small := false
	for _, r := range name {
		switch {
		case 'a' <= r && r <= 'z':
			b.WriteRune(r - 'a' + 'A')
		case 'A' <= r && r <= 'Z':
			if small {
				b.WriteByte('_')
			}
			b.WriteRune(r)
		case '0' <= r && r <= '9':
			b.WriteRune(r)
		default:
			if s := b.String(); s != "" && !strings.HasSuffix(s, "_") {
				b.WriteByte('_')
			}
		}
		small = 'a' <= r && r <= 'z'
		if b.Len() > 64 {
			break
		}
	}
	s := strings.Trim(b.String(), "_")
	if s == "" {
		s = "VALUE"
	}
	if nth > 0 {
		s += strconv.Itoa(nth + 1)
	}
	return s
}

// singular is the name of an item of an array of that name.
func singular(name string) string {
	switch {
	case strings.HasSuffix(name, "ies") && len(name) > 4:
		return name[:len(name)-3] + "y"
	case strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss") && len(name) > 2:
		return name[:len(name)-1]
	}
	return name
}

// byFormat returns a value of a format, or "". Addresses are those reserved for
// documentation (RFC 2606, RFC 5737, RFC 3849).
func byFormat(format string, nth int) string {
	n := nth % 9
	switch format {
	case "date-time":
		return "2026-01-0" + strconv.Itoa(n+1) + "T00:00:00Z"
	case "date":
		return "2026-01-0" + strconv.Itoa(n+1)
	case "time":
		return "0" + strconv.Itoa(n) + ":00:00Z"
	case "duration":
		return "P" + strconv.Itoa(n+1) + "D"
	case "email", "idn-email":
		if n > 0 {
			return "user" + strconv.Itoa(n+1) + "@example.com"
		}
		return "user@example.com"
	case "hostname", "idn-hostname":
		if n > 0 {
			return "host" + strconv.Itoa(n+1) + ".example.com"
		}
		return "example.com"
	case "ipv4", "ip":
		return "192.0.2." + strconv.Itoa(n+1)
	case "ipv6":
		return "2001:db8::" + strconv.Itoa(n+1)
	case "uri", "url", "iri", "uri-reference", "iri-reference":
		if n > 0 {
			return "https://example.com/" + strconv.Itoa(n+1)
		}
		return "https://example.com/"
	case "uri-template":
		return "https://example.com/{id}"
	case "uuid":
		return "00000000-0000-4000-8000-00000000000" + strconv.Itoa(n)
	case "byte", "base64", "base64url":
		return [...]string{"AAAA", "AAAB", "AAAC", "AAAD", "AAAE", "AAAF", "AAAG", "AAAH", "AAAI"}[n]
	case "json-pointer":
		return "/" + strconv.Itoa(n)
	case "regex":
		return "^.{" + strconv.Itoa(n) + "}"
	case "int32", "int64", "decimal":
		return strconv.Itoa(n)
	}
	return ""
}

// makeNumber makes the nth number: from the lower bound upwards, else from the
// upper one downwards if that is below zero.
func makeNumber(sh *shape, integer bool, nth int) *Value {
	step := 1.0
	if len(sh.steps) > 0 && sh.steps[0] > 0 {
		step = sh.steps[0]
	}
	v := 0.0
	switch {
	case sh.lo.set && sh.lo.value < 0 && (!sh.hi.set || sh.hi.value > 0 || sh.hi.value == 0 && !sh.hi.exclusive):
		// zero is between the bounds
	case sh.lo.set:
		v = sh.lo.value
		if integer {
			v = math.Ceil(v)
		}
		if sh.lo.exclusive && v == sh.lo.value {
			v += 1
			if !integer && sh.hi.set && (v > sh.hi.value || v == sh.hi.value && sh.hi.exclusive) {
				v = (sh.lo.value + sh.hi.value) / 2
			}
		}
	case sh.hi.set && (sh.hi.value < 0 || sh.hi.value == 0 && sh.hi.exclusive):
		v = sh.hi.value
		if integer {
			v = math.Floor(v)
		}
		if sh.hi.exclusive && v == sh.hi.value {
			v -= 1
		}
		step = -step
	}
	if len(sh.steps) > 0 && sh.steps[0] > 0 {
		q := v / sh.steps[0]
		if step < 0 {
			q = math.Floor(q)
		} else {
			q = math.Ceil(q - 1e-9)
		}
		v = q * sh.steps[0]
		if sh.lo.set && sh.lo.exclusive && v <= sh.lo.value {
			v += step
		}
	}
	next := v + float64(nth)*step
	if sh.lo.set && next < sh.lo.value || sh.hi.set && (next > sh.hi.value || next == sh.hi.value && sh.hi.exclusive) {
		next = v
	}
	return &Value{numberOf(next)}
}
