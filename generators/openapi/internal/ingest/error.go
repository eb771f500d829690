package ingest

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Error says why a document cannot be used at all. Faults that cost less than
// the document are diagnostics.
type Error struct {
	// File is the document's name as the caller gave it.
	File string
	// Line and Column count from 1; Column counts characters. 0: not known.
	Line, Column int
	// Pointer is a JSON Pointer to the value at fault, or "".
	Pointer string
	// Msg says what is wrong, Hint what to do about it (or "").
	Msg, Hint string
}

// Error formats e as "FILE:LINE:COLUMN: msg; hint", without what is not known.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		b.WriteString(":" + strconv.Itoa(e.Line))
		if e.Column > 0 {
			b.WriteString(":" + strconv.Itoa(e.Column))
		}
	} else if e.Pointer != "" {
		b.WriteString("#" + e.Pointer)
	}
	b.WriteString(": " + e.Msg)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// position returns the line and column of an offset into data.
func position(data []byte, off int) (line, column int) {
	off = min(max(off, 0), len(data))
	before := data[:off]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte{'\n'}) + 1, utf8.RuneCount(before[start:]) + 1
}
