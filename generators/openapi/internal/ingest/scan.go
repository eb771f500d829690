package ingest

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth is how deep arrays and objects may nest in a document. It is what
// encoding/json allows.
const maxDepth = 10_000

// A scanner checks JSON and finds where values end. It allocates nothing per
// value: the kind of each open container is one bit.
//
// Offsets are positions in data. The methods that advance return -1 once the
// text is no JSON; errOff and errMsg then say where and why.
type scanner struct {
	data   []byte
	file   uint16                  // which file of the document the spans are of
	refs   *[]uint32               // collects where the value of each "$ref" and "mapping" begins, unless nil
	open   [maxDepth/64 + 1]uint64 // bit set: the container at that depth is an object
	errOff int
	errMsg string
}

// span returns the span of what was found between two offsets.
func (s *scanner) span(start, end int) span {
	return span{uint32(start), uint32(max(end, 0)), s.file}
}

func (s *scanner) fail(off int, msg string) int {
	s.errOff, s.errMsg = off, msg
	return -1
}

const (
	spaces = 0x2020202020202020
	ones   = 0x0101010101010101
	highs  = 0x8080808080808080
)

// space returns the offset of the first byte at or after i that is no white space.
func (s *scanner) space(i int) int {
	d := s.data
	for i < len(d) {
		switch d[i] {
		case ' ':
			// Indented documents are mostly runs of spaces.
			for i+8 <= len(d) && binary.LittleEndian.Uint64(d[i:]) == spaces {
				i += 8
			}
			for i < len(d) && d[i] == ' ' {
				i++
			}
		case '\n', '\r', '\t':
			i++
		default:
			return i
		}
	}
	return i
}

// str returns the offset after the string whose opening quote is at i.
func (s *scanner) str(i int) int {
	d := s.data
	start := i
	i++
	for {
		// Eight bytes at a time up to a quote, a backslash or a control character.
		// A borrow can only mark bytes above the first true mark.
		for i+8 <= len(d) {
			w := binary.LittleEndian.Uint64(d[i:])
			q, b := w^0x2222222222222222, w^0x5c5c5c5c5c5c5c5c
			m := ((q-ones)&^q | (b-ones)&^b | (w-spaces)&^w) & highs
			if m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		if i >= len(d) {
			return s.fail(start, "string is not closed")
		}
		switch c := d[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i+1 >= len(d) {
				return s.fail(start, "string is not closed")
			}
			switch d[i+1] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				i += 2
			case 'u':
				for k := i + 2; k < i+6; k++ {
					if k >= len(d) || !isHex(d[k]) {
						return s.fail(i, `\u needs four hexadecimal digits`)
					}
				}
				i += 6
			default:
				return s.fail(i, "unknown escape in string")
			}
		case c < ' ':
			return s.fail(i, "control character in string")
		default:
			i++
		}
	}
}

func isHex(c byte) bool {
	return c-'0' < 10 || c|0x20-'a' < 6
}

func isDigit(c byte) bool { return c-'0' < 10 }

// number returns the offset after the number that begins at i.
func (s *scanner) number(i int) int {
	d := s.data
	start := i
	digits := func() bool {
		n := i
		for i < len(d) && isDigit(d[i]) {
			i++
		}
		return i > n
	}
	if d[i] == '-' {
		i++
	}
	if i < len(d) && d[i] == '0' {
		i++
	} else if !digits() {
		return s.fail(start, "invalid number")
	}
	if i < len(d) && d[i] == '.' {
		i++
		if !digits() {
			return s.fail(start, "invalid number")
		}
	}
	if i < len(d) && d[i]|0x20 == 'e' {
		i++
		if i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		if !digits() {
			return s.fail(start, "invalid number")
		}
	}
	return i
}

func (s *scanner) literal(i int, word string) int {
	if len(s.data)-i < len(word) || string(s.data[i:i+len(word)]) != word {
		return s.fail(i, "invalid value")
	}
	return i + len(word)
}

// scalar returns the offset after the string, number or literal that begins at i.
func (s *scanner) scalar(i int) int {
	if i >= len(s.data) {
		return s.fail(i, "unexpected end")
	}
	switch c := s.data[i]; {
	case c == '"':
		return s.str(i)
	case c == '-' || isDigit(c):
		return s.number(i)
	case c == 't':
		return s.literal(i, "true")
	case c == 'f':
		return s.literal(i, "false")
	case c == 'n':
		return s.literal(i, "null")
	case c == ',' || c == '}' || c == ']':
		return s.fail(i, "a value is missing")
	case c == '\'':
		return s.fail(i, "strings need double quotes")
	}
	return s.fail(i, "unexpected character")
}

// key reads a member's name at i and the colon after it. It returns the span of
// the name with its quotes, and the offset of the value.
func (s *scanner) key(i int) (name span, value int) {
	if i >= len(s.data) {
		return name, s.fail(i, "unexpected end")
	}
	if s.data[i] != '"' {
		if s.data[i] == '}' {
			return name, s.fail(i, "comma before the end of an object")
		}
		return name, s.fail(i, "a member name in double quotes is missing")
	}
	end := s.str(i)
	if end < 0 {
		return name, -1
	}
	colon := s.space(end)
	if colon >= len(s.data) || s.data[colon] != ':' {
		return name, s.fail(colon, "a colon is missing")
	}
	value = s.space(colon + 1)
	if s.refs != nil && (s.data[i+1] == '$' || s.data[i+1] == 'm' || s.data[i+1] == '\\') {
		if raw := s.data[i:end]; keyIs(raw, "$ref") || keyIs(raw, "mapping") {
			*s.refs = append(*s.refs, uint32(value))
		}
	}
	return s.span(i, end), value
}

// value returns the offset after the value that begins at i, which lies inside
// depth containers.
func (s *scanner) value(i, depth int) int {
	d := s.data
	base := depth
	for {
		// A value begins at i.
		if i < len(d) && (d[i] == '{' || d[i] == '[') {
			if depth >= maxDepth {
				return s.fail(i, "nested too deeply")
			}
			object := d[i] == '{'
			bit := uint64(1) << (depth & 63)
			if object {
				s.open[depth>>6] |= bit
			} else {
				s.open[depth>>6] &^= bit
			}
			depth++
			i = s.space(i + 1)
			switch {
			case i < len(d) && d[i] == '}' && object, i < len(d) && d[i] == ']' && !object:
				i++
				depth--
			case object:
				if _, i = s.key(i); i < 0 {
					return -1
				}
				continue
			default:
				continue
			}
		} else if i = s.scalar(i); i < 0 {
			return -1
		}
		// A value has ended at i.
		for {
			if depth == base {
				return i
			}
			i = s.space(i)
			if i >= len(d) {
				return s.fail(i, "unexpected end")
			}
			object := s.open[(depth-1)>>6]&(1<<((depth-1)&63)) != 0
			c := d[i]
			if c == ',' {
				i = s.space(i + 1)
				if object {
					if _, i = s.key(i); i < 0 {
						return -1
					}
				}
				break
			}
			if object && c == '}' || !object && c == ']' {
				i++
				depth--
				continue
			}
			if object {
				return s.fail(i, "a comma or the end of the object is missing")
			}
			return s.fail(i, "a comma or the end of the array is missing")
		}
	}
}

// members calls f for each member of the object that begins at i, with the name
// (quotes included) and the offset of the value; f returns the offset after the
// value, or -1. members returns the offset after the object.
func (s *scanner) members(i int, f func(name span, value int) int) int {
	i = s.space(i + 1)
	if i < len(s.data) && s.data[i] == '}' {
		return i + 1
	}
	for {
		name, v := s.key(i)
		if v < 0 {
			return -1
		}
		if i = f(name, v); i < 0 {
			return -1
		}
		i = s.space(i)
		switch {
		case i >= len(s.data):
			return s.fail(i, "unexpected end")
		case s.data[i] == '}':
			return i + 1
		case s.data[i] != ',':
			return s.fail(i, "a comma or the end of the object is missing")
		}
		i = s.space(i + 1)
	}
}

// elements calls f for each element of the array that begins at i, as members
// does for an object.
func (s *scanner) elements(i int, f func(index, value int) int) int {
	i = s.space(i + 1)
	if i < len(s.data) && s.data[i] == ']' {
		return i + 1
	}
	for n := 0; ; n++ {
		if i = f(n, i); i < 0 {
			return -1
		}
		i = s.space(i)
		switch {
		case i >= len(s.data):
			return s.fail(i, "unexpected end")
		case s.data[i] == ']':
			return i + 1
		case s.data[i] != ',':
			return s.fail(i, "a comma or the end of the array is missing")
		}
		i = s.space(i + 1)
	}
}
