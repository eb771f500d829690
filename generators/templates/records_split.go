package templates

import (
	"bytes"
	"errors"
	"fmt"
)

// A piece is what a splitter found at the beginning of what is left of a file.
type piece struct {
	advance    int // bytes to go on by; 0 asks for more
	start, end int // of a record in the bytes passed over, if there is one
	found      bool
	fault      error // of the record
	stop       error // the rest of the file cannot be read
}

// A splitter finds the records of a format, and passes over those that are
// larger than maxRecord without ever being given more than that and some.
type splitter interface {
	// next returns the next piece of data, which begins where the last one
	// ended. end reports that the file ends with it.
	next(data []byte, end bool) piece
}

var errTooLong = fmt.Errorf("the record is larger than %d KiB", maxRecord>>10)

// lines are the records of NDJSON.
type lines struct{ long bool } // within a line that is too long

func (l *lines) next(data []byte, end bool) piece {
	i := bytes.IndexByte(data, '\n')
	if i < 0 && !end && len(data) <= maxRecord && !l.long {
		return piece{}
	}
	p := piece{advance: i + 1, end: i}
	if i < 0 {
		p.advance, p.end = len(data), len(data)
	}
	if !l.long {
		p.found = len(bytes.TrimSpace(data[:p.end])) > 0
		if p.end > maxRecord {
			p.fault = errTooLong
		}
	}
	l.long = i < 0
	return p
}

// rows are those of CSV, the header among them.
type rows struct{ first lines }

// next finds the end of a row as package encoding/csv does. A row whose
// quotation marks are wrong ends with its first line.
func (r *rows) next(data []byte, end bool) piece {
	if r.first.long {
		return r.first.next(data, end)
	}
	quoted, start := false, true // within quotation marks, at the start of a cell
	for i := 0; i < len(data); i++ {
		c := data[i]
		if i > maxRecord {
			return r.firstLine(data, end, errTooLong)
		}
		switch {
		case quoted && c == '"':
			if i+1 == len(data) && !end {
				return piece{}
			}
			next := byte('\n')
			if i+1 < len(data) {
				next = data[i+1]
			}
			switch next {
			case '"':
				i++
			case ',', '\n', '\r':
				quoted = false
			default:
				return r.firstLine(data, end, errors.New("no row of CSV: a quotation mark is missing, or there is one too many; within quotation marks it is written twice"))
			}
		case quoted:
		case c == '"' && start:
			quoted, start = true, false
		case c == '\n':
			return piece{advance: i + 1, end: i + 1, found: len(bytes.TrimSuffix(data[:i], []byte("\r"))) > 0}
		default:
			start = c == ','
		}
	}
	switch {
	case !end:
		return piece{}
	case quoted:
		return r.firstLine(data, end, errors.New("no row of CSV: a quotation mark is not closed"))
	}
	return piece{advance: len(data), end: len(data), found: len(bytes.TrimSuffix(data, []byte("\r"))) > 0}
}

// firstLine passes over the first line of a row with a fault.
func (r *rows) firstLine(data []byte, end bool, fault error) piece {
	p := r.first.next(data, end)
	if p.advance > 0 {
		p.found, p.fault = true, fault
	}
	return p
}

// array finds the elements of an array in JSON, or the only object.
type array struct {
	inside, done bool // the array has begun; all that counts was read
	after        bool // an element came last, and not a comma
	// Of an element that is too long to be kept.
	long          bool
	depth         int
	text, escaped bool
}

const jsonSpace = " \t\r\n"

func (e *array) next(data []byte, end bool) piece {
	if e.long {
		return e.skip(data, end)
	}
	space := len(data) - len(bytes.TrimLeft(data, jsonSpace))
	switch {
	case space > 0:
		return piece{advance: space}
	case len(data) == 0 && end && e.inside && !e.done:
		return piece{stop: errors.New("the array is not closed: the file is cut short")}
	case len(data) == 0 && end && !e.done:
		return piece{stop: errors.New("the file is empty: without records it is []")}
	case len(data) == 0:
		return piece{}
	}
	switch c := data[0]; {
	case e.done:
		return piece{stop: errors.New("something follows the array; one record a line is the format of files that end in .ndjson")}
	case !e.inside && c == '[':
		e.inside = true
		return piece{advance: 1}
	case !e.inside && c != '{':
		return piece{stop: errors.New("this is neither an array of objects nor an object")}
	case e.inside && c == ']':
		e.done = true
		return piece{advance: 1}
	case e.inside && c == ',' && e.after:
		e.after = false
		return piece{advance: 1}
	case c == '}':
		return piece{stop: errors.New("there is a bracket too many")}
	case e.inside && c == ',':
		return piece{advance: 1, found: true, fault: errors.New("there is nothing between two commas")}
	case e.after:
		return piece{stop: errors.New("a comma is missing after the record before")}
	}
	s := array{}
	for i, c := range data {
		if i > maxRecord {
			e.long, e.after = true, true
			e.depth, e.text, e.escaped = s.depth, s.text, s.escaped
			return piece{advance: i, found: true, fault: errTooLong}
		}
		if s.read(c) {
			if s.depth == 0 && (c == '}' || c == ']') && i > 0 { // its own bracket
				i++
			}
			e.after, e.done = true, !e.inside
			return piece{advance: i, end: len(bytes.TrimRight(data[:i], jsonSpace)), found: true}
		}
	}
	if end {
		e.after, e.done = true, true
		return piece{advance: len(data), end: len(data), found: true, fault: errors.New("the record is not closed: the file is cut short")}
	}
	return piece{}
}

// read takes in one byte and reports whether an element ends with it or before
// it.
func (e *array) read(c byte) bool {
	switch {
	case e.escaped:
		e.escaped = false
	case e.text:
		e.escaped = c == '\\'
		e.text = c != '"'
	case c == '"':
		e.text = true
	case c == '{' || c == '[':
		e.depth++
	case c == '}' || c == ']':
		e.depth--
		return e.depth <= 0
	case c == ',':
		return e.depth == 0
	}
	return false
}

// skip passes over what is left of an element that is too long.
func (e *array) skip(data []byte, end bool) piece {
	for i, c := range data {
		if !e.read(c) {
			continue
		}
		if e.depth == 0 && c != ',' {
			i++ // its own bracket
		}
		e.long, e.done = false, !e.inside
		if i == 0 {
			return e.next(data, end)
		}
		return piece{advance: i}
	}
	return piece{advance: len(data)}
}
