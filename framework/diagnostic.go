package framework

import (
	"strconv"
	"strings"
)

// A Severity says how much a Diagnostic matters.
type Severity string

// The severities. An Error lost something of the source, a Warning may
// surprise, a Note is for information.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// A Diagnostic is a fault of a source or of a skill that did not stop the work.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	// Rule is a short stable id in kebab-case, as in "duplicate-operation-id".
	Rule string `json:"rule"`
	// Skill is the path of the skill concerned, relative to the mount, or "". A
	// Diagnoser sets it; of what Skill.Diagnostics has the Catalog does.
	Skill string `json:"skill,omitempty"`
	// File, Line and Pointer locate the fault: the source's name as the user gave
	// it, the line in it, from 1, or 0 if it is not known, and a JSON Pointer into it.
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	// Message says what is wrong and what was done about it.
	Message string `json:"message"`
}

// String formats d as "file:line#pointer: severity: message (rule)", without what
// is empty. A line without a file is left out.
func (d Diagnostic) String() string {
	var b strings.Builder
	if d.File != "" || d.Pointer != "" {
		b.WriteString(d.File)
		if d.File != "" && d.Line > 0 {
			b.WriteString(":" + strconv.Itoa(d.Line))
		}
		if d.Pointer != "" {
			b.WriteString("#" + d.Pointer)
		}
		b.WriteString(": ")
	}
	if d.Severity != "" {
		b.WriteString(string(d.Severity) + ": ")
	}
	b.WriteString(d.Message)
	if d.Rule != "" {
		b.WriteString(" (" + d.Rule + ")")
	}
	return b.String()
}
