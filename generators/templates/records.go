package templates

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Limits of records, in bytes.
const (
	maxRecord  = 1 << 20
	maxRecords = 1_000_000
	maxYAML    = 4 << 20 // of a file of records in YAML, which is held whole
	maxHeader  = 1000    // columns of CSV
	minWindow  = 64 << 10
)

// ErrChanged is wrapped by the error for a skill whose record is not in its
// file any more where it was when the generator was made.
var ErrChanged = errors.New("the file of records has changed since it was read: load the folder again")

// A source is a file of records, or the definition with those in it.
type source struct {
	name   string
	format string   // the extension; "" for the definition
	header []string // of CSV
	kept   [][]byte // records of YAML, as JSON
}

// A record is where the record of one skill is.
type record struct {
	offset int64 // of the record in its file; of a kept one, its number
	sum    uint64
	length int32
	line   int32 // from 1
	source int32
}

// formats are the extensions of files of records.
var formats = map[string]string{".csv": "csv", ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson", ".yaml": "yaml", ".yml": "yaml"}

func formatOf(name string) string { return formats[strings.ToLower(path.Ext(name))] }

// seed is of this process: sums are kept no longer.
var seed = maphash.MakeSeed()

// decode returns the fields of a record.
func (s *source) decode(raw []byte) (map[string]any, error) {
	if s.format == "csv" {
		return decodeCSV(s.header, raw)
	}
	return decodeJSON(raw)
}

// found is called for each record of a file. raw is valid until it returns.
// fault is what is wrong with the record; line is the fault's if there is no
// record to it.
type found func(r record, raw []byte, fault error) error

// scan reads a file of records once.
func (s *source) scan(ctx context.Context, fsys fs.FS, visit found) error {
	f, err := openRegular(fsys, s.name)
	if err != nil {
		return err
	}
	defer f.Close()
	if s.format == "yaml" {
		return s.scanYAML(f, visit)
	}
	w := &window{r: f, line: 1}
	if err := w.skipMark(); err != nil {
		return err
	}
	var split splitter
	switch s.format {
	case "csv":
		split = &rows{}
	case "ndjson":
		split = &lines{}
	default:
		split = &array{}
	}
	return w.each(ctx, split, func(r record, raw []byte, fault error) error {
		if s.format != "csv" || s.header != nil {
			return visit(r, raw, fault)
		}
		if fault == nil {
			s.header, fault = decodeHeader(raw)
		}
		if fault == nil && len(s.header) > maxHeader {
			fault = fmt.Errorf("%d columns, more than the limit of %d", len(s.header), maxHeader)
		}
		if fault == nil {
			return nil
		}
		if err := visit(r, raw, fmt.Errorf("the header cannot be used, and so nothing of the file: %w", fault)); err != nil {
			return err
		}
		return errStop
	})
}

// errStop ends a scan whose fault was reported.
var errStop = errors.New("stop")

// read returns the fields of a record that was found before.
func (s *source) read(ctx context.Context, open opener, r record) (map[string]any, error) {
	if s.kept != nil {
		return s.decode(s.kept[r.offset])
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, done, err := open(s.name)
	if err != nil {
		return nil, err
	}
	defer done()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < r.offset+int64(r.length) {
		return nil, ErrChanged
	}
	raw := make([]byte, r.length)
	switch err := readAt(f, raw, r.offset); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, ErrChanged
	case err != nil:
		return nil, err
	case maphash.Bytes(seed, raw) != r.sum:
		return nil, ErrChanged
	}
	return s.decode(raw)
}

// An opener opens a file of records. done is called when it was read.
type opener func(name string) (f fs.File, done func(), err error)

// readAt fills b from a file that nobody has read from, or that can be read
// from anywhere.
func readAt(f fs.File, b []byte, offset int64) error {
	switch f := f.(type) {
	case io.ReaderAt:
		_, err := f.ReadAt(b, offset)
		if errors.Is(err, io.EOF) && len(b) == 0 {
			err = nil
		}
		return err
	case io.Seeker:
		if _, err := f.Seek(offset, io.SeekStart); err != nil {
			return err
		}
	default:
		if _, err := io.CopyN(io.Discard, f, offset); err != nil {
			return err
		}
	}
	_, err := io.ReadFull(f, b)
	return err
}

// openRegular opens a file that is one: no directory, device or pipe.
func openRegular(fsys fs.FS, name string) (fs.File, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", name)
	}
	if err != nil {
		return nil, cmp.Or(err, f.Close())
	}
	return f, nil
}

// A window is the part of a file that a splitter looks at.
type window struct {
	r          io.Reader
	buf        []byte
	start, end int // of what is not passed over yet in buf
	eof        bool
	offset     int64 // of buf[start] in the file
	line       int32
}

// fill reads some more of the file.
func (w *window) fill() error {
	if w.start > 0 {
		w.end = copy(w.buf, w.buf[w.start:w.end])
		w.start = 0
	}
	if w.end == len(w.buf) {
		w.buf = append(w.buf, make([]byte, max(len(w.buf), minWindow))...)
	}
	for range 100 {
		n, err := w.r.Read(w.buf[w.end:])
		w.end += n
		if errors.Is(err, io.EOF) {
			w.eof = true
			return nil
		}
		if err != nil || n > 0 {
			return err
		}
	}
	return io.ErrNoProgress
}

func (w *window) advance(n int) {
	w.line += int32(bytes.Count(w.buf[w.start:w.start+n], []byte("\n")))
	w.start += n
	w.offset += int64(n)
}

// skipMark passes over a byte order mark.
func (w *window) skipMark() error {
	for w.end < 3 && !w.eof {
		if err := w.fill(); err != nil {
			return err
		}
	}
	if bytes.HasPrefix(w.buf[:w.end], []byte("\xef\xbb\xbf")) {
		w.start, w.offset = 3, 3
	}
	return nil
}

// each calls visit for each record that split finds.
func (w *window) each(ctx context.Context, split splitter, visit found) error {
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		data := w.buf[w.start:w.end]
		p := split.next(data, w.eof)
		switch {
		case p.stop != nil:
			err := visit(record{line: w.line, offset: w.offset}, nil, p.stop)
			return cmp.Or(err, errStop)
		case p.found:
			raw := data[p.start:p.end]
			r := record{offset: w.offset + int64(p.start), line: w.line, length: int32(len(raw)), sum: maphash.Bytes(seed, raw)}
			if err := visit(r, raw, p.fault); err != nil {
				return err
			}
		case p.advance == 0 && w.eof:
			return nil
		case p.advance == 0:
			if err := w.fill(); err != nil {
				return err
			}
		}
		w.advance(p.advance)
	}
}
