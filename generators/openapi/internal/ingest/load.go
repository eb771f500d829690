package ingest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/apiskills/apiskills/framework"
)

// MaxSize is the largest document that is taken, in bytes; for YAML also after
// its aliases are expanded.
const MaxSize = 256 << 20

// maxDiagnostics is how many diagnostics one document or one skill may have;
// a last one says how many more there were.
const maxDiagnostics = 500

// Load indexes an OpenAPI document in JSON or YAML (UTF-8, or UTF-16 with a byte
// order mark). file is its name: for messages, and to tell a reference to the
// document itself from one to another file. Load keeps data, which must not be
// changed afterwards.
//
// The error is an *[Error]: the bytes are no OpenAPI document, of a version that
// is not served, without any operation, or past a limit.
func Load(file string, data []byte) (*Document, error) { return LoadFiles(file, data, nil) }

// LoadFiles is Load for a document that may consist of several files: files reads
// those that its references name, all of them before LoadFiles returns. If it is
// nil there are none.
func LoadFiles(file string, data []byte, files Files) (*Document, error) {
	in, bad := read(file, data)
	if bad != nil {
		return nil, bad
	}
	return in.finish(files)
}

// JSON returns a text in JSON or YAML as one JSON value, read by the rules of
// [Load], and what was found on the way. It may be a part of data.
func JSON(file string, data []byte) ([]byte, []framework.Diagnostic, error) {
	in, bad := read(file, data)
	if bad != nil {
		return nil, nil, bad
	}
	return in.doc.bytes(in.doc.root), in.diags.all(), nil
}

// read makes a text JSON and indexes what stands in it.
func read(file string, data []byte) (*indexer, *Error) {
	d := &Document{File: file}
	if len(data) > MaxSize {
		return nil, d.unusable(fmt.Sprintf("the file has %d bytes, more than the limit of %d", len(data), MaxSize), "")
	}
	data, bad := toUTF8(file, data)
	if bad != nil {
		return nil, bad
	}
	start := 0
	for start < len(data) && strings.IndexByte(" \t\r\n", data[start]) >= 0 {
		start++
	}
	if start == len(data) {
		return nil, d.unusable("the file is empty", "an OpenAPI document in JSON or YAML is expected")
	}
	in := &indexer{doc: d, diags: diagnostics{file: file}}
	if c := data[start]; c == '{' || c == '[' {
		in.begin(data)
		if in.index(start) {
			return in, nil
		}
		line, column := position(data, in.s.errOff)
		syntax := &Error{File: file, Line: line, Column: column, Msg: "the JSON is broken: " + in.s.errMsg}
		if !isYAML(file) {
			return nil, syntax
		}
	}
	// What is no JSON is taken for YAML.
	in = &indexer{doc: d, diags: diagnostics{file: file}}
	y := yamlReader{file: file, diags: &in.diags}
	if data, bad = y.json(data); bad != nil {
		return nil, bad
	}
	in.begin(data)
	in.yaml = true
	if !in.index(0) {
		return nil, d.unusable("the YAML became broken JSON: "+in.s.errMsg, "")
	}
	return in, nil
}

func isYAML(file string) bool {
	ext := strings.ToLower(filepath.Ext(file))
	return ext == ".yaml" || ext == ".yml"
}

func (d *Document) unusable(msg, hint string) *Error {
	return &Error{File: d.File, Msg: msg, Hint: hint}
}

// toUTF8 returns the text of a file as UTF-8 without a byte order mark.
func toUTF8(file string, data []byte) ([]byte, *Error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		data = data[3:]
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	case len(data) >= 4 && data[0] != 0 && data[1] == 0 && data[3] == 0: // no text in UTF-8 has NULs there
		order = binary.LittleEndian
	case len(data) >= 4 && data[0] == 0 && data[1] != 0 && data[2] == 0:
		order = binary.BigEndian
	}
	if order != nil {
		units := make([]uint16, 0, len(data)/2)
		if order.Uint16(data) == 0xfeff {
			data = data[2:]
		}
		for ; len(data) >= 2; data = data[2:] {
			units = append(units, order.Uint16(data))
		}
		return []byte(string(utf16.Decode(units))), nil
	}
	if utf8.Valid(data) {
		return data, nil
	}
	off := 0
	for {
		r, n := utf8.DecodeRune(data[off:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		off += n
	}
	line, column := position(data, off)
	return nil, &Error{
		File: file, Line: line, Column: column,
		Msg:  fmt.Sprintf("the file is not UTF-8: invalid byte 0x%02x", data[off]),
		Hint: "save it as UTF-8",
	}
}

// diagnostics collects a bounded number of diagnostics.
type diagnostics struct {
	file string
	list []framework.Diagnostic
	more int
}

// full reports whether further diagnostics are only counted.
func (ds *diagnostics) full() bool { return len(ds.list) >= maxDiagnostics }

func (ds *diagnostics) add(sev framework.Severity, rule, ptr, format string, args ...any) {
	if ds.full() {
		ds.more++
		return
	}
	ds.list = append(ds.list, framework.Diagnostic{
		Severity: sev, Rule: rule, File: ds.file, Pointer: ptr, Message: fmt.Sprintf(format, args...),
	})
}

func (ds *diagnostics) all() []framework.Diagnostic {
	if ds.more > 0 {
		ds.list = append(ds.list, framework.Diagnostic{
			Severity: framework.Warning, Rule: "more-diagnostics", File: ds.file,
			Message: strconv.Itoa(ds.more) + " more were left out",
		})
		ds.more = 0
	}
	return ds.list
}
