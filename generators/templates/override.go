package templates

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// trialTime is how long all templates together may take with their samples,
// which is some milliseconds as a rule. A variable for tests.
var trialTime = 10 * time.Second

// An Error is a fault of a template or of a definition.
type Error struct {
	File string // its name, as in "endpoint.md.tmpl"
	Line int    // from 1; 0 if no line is to blame
	Msg  string
}

// Error formats e as "endpoint.md.tmpl:3: function "inlin" not defined".
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return e.File + ": " + e.Msg
}

// Override returns the built-in set with the templates of a directory in place
// of those of the same name. It fails for a file that has no such name, for one
// that cannot be parsed, and for one that fails on a sample that has everything,
// or nothing: then the error is an [*Error]. Files whose names begin with a dot
// are passed over.
func Override(dir fs.FS) (*Set, error) {
	known, err := fs.Glob(embedded, "*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("list templates: %w", err)
	}
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") && !slices.Contains(known, name) {
			return nil, &Error{File: name, Msg: "no template has this name; there are " + strings.Join(known, ", ")}
		}
	}
	s, err := Parse(embedded, dir)
	if err == nil {
		err = s.tryInTime()
	}
	if e := new(Error); errors.As(err, &e) {
		return nil, e
	}
	return s, err
}

var location = regexp.MustCompile(`(?s)^template: ([^:\s]+):(\d+)(?::\d+)?: (.*)$`)

// located makes an error of text/template an *Error, if it says where it is.
func located(err error) error {
	m := location.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	line, _ := strconv.Atoi(m[2])
	return &Error{File: m[1], Line: line, Msg: m[3]}
}

// tryInTime is try with a deadline. A template that is not done by then is left
// behind: nothing can end it.
func (s *Set) tryInTime() error {
	done := make(chan error, 1)
	go func() { done <- s.try() }()
	select {
	case err := <-done:
		return err
	case <-time.After(trialTime):
		return fmt.Errorf("a template does not end: not done with its samples after %v", trialTime)
	}
}

// try executes every template on samples.
func (s *Set) try() error {
	var files []endpointFile
	add := func(data any, templates ...string) {
		for _, t := range templates {
			files = append(files, endpointFile{t, t, data})
		}
	}
	for _, full := range []bool{true, false} {
		operation, webhook := sample[Endpoint](full), sample[Endpoint](full)
		operation.Webhook, webhook.Webhook = "", "sample"
		webhook.ProseFirst, webhook.Receive = false, new(Table)
		for _, e := range []*Endpoint{&operation, &webhook} { // a skill has these at least
			e.Name, e.Description = "sample", "A sample."
		}
		add(&operation, "endpoint.md.tmpl")
		add(&webhook, "endpoint.md.tmpl", "endpoint_webhook.md.tmpl")
		reference, group := sample[Reference](full), sample[GroupFile](full)
		add(&reference, "endpoint_reference.md.tmpl")
		add(&group, "guide_group.md.tmpl")
		long, short := sample[Guide](full), sample[Guide](full)
		for _, g := range []*Guide{&long, &short} {
			g.Name, g.Description = "sample-guide", "A sample."
		}
		short.LongText, short.LongFlows, short.LongIndex, short.Compact = false, false, false, false
		add(&long, "guide.md.tmpl", "guide_credentials.md.tmpl", "guide_description.md.tmpl", "guide_index.md.tmpl", "guide_notation.md.tmpl")
		add(&short, "guide.md.tmpl")
	}
	out, err := s.render(files)
	for _, f := range out {
		if skill := f.Name == "endpoint.md.tmpl" || f.Name == "guide.md.tmpl"; skill && !bytes.HasPrefix(f.Content, []byte("---\n")) {
			return &Error{File: f.Name, Line: 1, Msg: "the skill does not begin with its frontmatter; call {{front .Name .Description .Metadata}} before all else"}
		}
	}
	return err
}

// sample returns a value whose fields are all set, lists having two elements
// and texts being different, or none of them. No type holds itself.
func sample[T any](full bool) (v T) {
	if n := 0; full {
		fill(reflect.ValueOf(&v).Elem(), &n)
	}
	return v
}

func fill(v reflect.Value, n *int) {
	switch v.Kind() {
	case reflect.String:
		*n++
		v.SetString("sample-" + strconv.Itoa(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	}
}
