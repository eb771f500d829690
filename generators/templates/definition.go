package templates

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"gopkg.in/yaml.v3"
)

// definitionFile is the name of the definition in a folder.
const definitionFile = "skills.yaml"

// Limits of a definition: its size in bytes, and what its lists may have.
const (
	maxDefinition = 1 << 20
	maxPatterns   = 1000
	maxMetadata   = 64
)

// A definition says which skills a folder makes of its records.
type definition struct {
	path, description expression
	metadata          []expression // ascending by line
	records           []*yaml.Node
	files             []pattern // of records
	ignore            []pattern
	featured          []pattern // paths
	defaults          map[string]any
}

// A pattern is a text of the definition, and where it stands.
type pattern struct {
	text string
	line int
}

// An expression is a template for a text on one line.
type expression struct {
	key  string // path, description, or metadataPrefix and a key of metadata
	text string
	line int // of the text's first line
}

const metadataPrefix = "metadata."

// readDefinition reads and checks the definition of a folder.
func readDefinition(fsys fs.FS) (*definition, error) {
	f, err := openRegular(fsys, definitionFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{File: definitionFile, Msg: "no such file: the folder of templates has one, which says where the records are and what path each skill has"}
	}
	if err != nil {
		return nil, fmt.Errorf("read the definition: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDefinition+1))
	if err != nil {
		return nil, fmt.Errorf("read the definition: %w", err)
	}
	return parseDefinition(data)
}

func parseDefinition(data []byte) (*definition, error) {
	if len(data) > maxDefinition {
		return nil, &Error{File: definitionFile, Msg: fmt.Sprintf("larger than %d MiB: have the records in files of their own", maxDefinition>>20)}
	}
	var doc yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		line, msg := yamlFault(err)
		return nil, &Error{File: definitionFile, Line: line, Msg: msg}
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, &Error{File: definitionFile, Msg: "has more than one document: remove the line ---"}
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, &Error{File: definitionFile, Line: 1, Msg: "is no mapping: it needs path and description at least"}
	}
	def := &definition{}
	seen := map[string]bool{}
	top := doc.Content[0].Content
	for i := 0; i < len(top); i += 2 {
		key, value := top[i], top[i+1]
		if seen[key.Value] {
			return nil, fault(key, "%.80q stands twice", key.Value)
		}
		seen[key.Value] = true
		if err := def.set(key, value); err != nil {
			return nil, err
		}
	}
	switch {
	case def.path.text == "":
		return nil, &Error{File: definitionFile, Line: 1, Msg: `path is missing: an expression such as "{{slug .team}}/{{slug .alert}}", whose last segment is the name of the skill`}
	case def.description.text == "":
		return nil, &Error{File: definitionFile, Line: 1, Msg: "description is missing: an expression that says what the skill does, and when to use it"}
	case !seen["records"] && !seen["files"]:
		return nil, &Error{File: definitionFile, Line: 1, Msg: "there are no records: list them at records, or the files that have them at files"}
	}
	return def, nil
}

func fault(n *yaml.Node, format string, args ...any) error {
	return &Error{File: definitionFile, Line: n.Line, Msg: fmt.Sprintf(format, args...)}
}

func (d *definition) set(key, value *yaml.Node) (err error) {
	switch key.Value {
	case "path":
		d.path, err = expressionOf(key.Value, value)
	case "description":
		d.description, err = expressionOf(key.Value, value)
	case "metadata":
		if value.Kind != yaml.MappingNode || len(value.Content) > 2*maxMetadata {
			return fault(value, "metadata is a mapping of at most %d names to expressions", maxMetadata)
		}
		seen := map[string]bool{}
		for i := 0; i < len(value.Content); i += 2 {
			name := value.Content[i]
			if !metadataKey.MatchString(name.Value) || seen[name.Value] {
				return fault(name, "the name %.80q of metadata stands twice, or is not in kebab-case", name.Value)
			}
			seen[name.Value] = true
			e, err := expressionOf(metadataPrefix+name.Value, value.Content[i+1])
			if err != nil {
				return err
			}
			d.metadata = append(d.metadata, e)
		}
	case "records":
		if value.Kind != yaml.SequenceNode {
			return fault(value, "records is a list of mappings; name files of records at files")
		}
		d.records = value.Content
	case "files":
		if d.files, err = patternsOf(key, value, true); err != nil {
			return err
		}
		for _, f := range d.files {
			if !fs.ValidPath(f.text) {
				return &Error{File: definitionFile, Line: f.line, Msg: fmt.Sprintf("%.80q is no path below this folder", f.text)}
			}
			if formatOf(f.text) == "" {
				return &Error{File: definitionFile, Line: f.line, Msg: fmt.Sprintf("%.80q: a file of records ends in .csv, .json, .ndjson, .jsonl, .yaml or .yml", f.text)}
			}
		}
	case "ignore":
		d.ignore, err = patternsOf(key, value, true)
	case "featured":
		d.featured, err = patternsOf(key, value, false)
	case "defaults":
		raw, err := recordOf(value)
		if err == nil {
			d.defaults, err = decodeJSON(raw)
		}
		if f := new(yamlError); errors.As(err, &f) {
			return &Error{File: definitionFile, Line: f.line, Msg: "defaults: " + f.msg}
		}
		if err != nil {
			return fault(value, "defaults: %v", err)
		}
	default:
		return fault(key, "unknown key %.80q; there are path, description, metadata, records, files, defaults, featured and ignore", key.Value)
	}
	return err
}

func expressionOf(key string, n *yaml.Node) (expression, error) {
	literal, err := scalar(n)
	if err != nil || !strings.HasPrefix(literal, `"`) || strings.TrimSpace(n.Value) == "" || strings.Contains(n.Value, "\x00") {
		return expression{}, fault(n, "%s is a text with expressions in double braces; quote it", key)
	}
	e := expression{key: key, text: n.Value, line: n.Line}
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		e.line++ // the text begins below the mark
	}
	return e, nil
}

// patternsOf reads a text or a list of texts.
func patternsOf(key, value *yaml.Node, glob bool) ([]pattern, error) {
	nodes := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		nodes = value.Content
	}
	if len(nodes) > maxPatterns {
		return nil, fault(value, "%s has more than %d items", key.Value, maxPatterns)
	}
	var out []pattern
	for _, n := range nodes {
		literal, err := scalar(n)
		if err != nil || !strings.HasPrefix(literal, `"`) || n.Value == "" {
			return nil, fault(n, "%s is a list of texts", key.Value)
		}
		if _, err := path.Match(n.Value, ""); glob && err != nil {
			return nil, fault(n, "%.80q is no pattern: an opening bracket is not closed", n.Value)
		}
		out = append(out, pattern{n.Value, n.Line})
	}
	return out, nil
}

// sources returns the files of records that the patterns of the definition
// find, each once, in the order of the patterns.
func (d *definition) sources(fsys fs.FS) ([]source, error) {
	var out []source
	seen := map[string]bool{definitionFile: true}
	for _, p := range d.files {
		names, err := fs.Glob(fsys, p.text)
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", p.text, err)
		}
		if len(names) == 0 {
			if f, err := openRegular(fsys, p.text); err == nil {
				_ = f.Close()
			} else if !errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(p.text, `*?[\`) {
				return nil, fmt.Errorf("open the records: %w", err)
			}
			return nil, &Error{File: definitionFile, Line: p.line, Msg: fmt.Sprintf("there is no file %s", p.text)}
		}
		for _, name := range names {
			if !seen[name] {
				seen[name] = true
				out = append(out, source{name: name, format: formatOf(name)})
			}
		}
		if len(out) > maxPatterns {
			return nil, &Error{File: definitionFile, Line: p.line, Msg: fmt.Sprintf("more than %d files of records: have several records in one file", maxPatterns)}
		}
	}
	return out, nil
}

// ignores reports whether a file or folder is left alone. A pattern without a
// slash is of a name, in any folder.
func (d *definition) ignores(name string) bool {
	for _, p := range d.ignore {
		what := name
		if !strings.Contains(p.text, "/") {
			what = path.Base(name)
		}
		if ok, _ := path.Match(p.text, what); ok {
			return true
		}
	}
	return false
}

// valueTemplate is the name of an expression's template. No file has it.
func (e *expression) valueTemplate() string { return "=" + e.key }

// parse adds the expression to a set.
func (e *expression) parse(w *placer) error {
	name := e.valueTemplate()
	t, err := template.New(name).Funcs(recordFunctions).Parse(e.text)
	if err != nil {
		return e.locate(err)
	}
	for _, t := range t.Templates() {
		if t.Name() != name {
			return &Error{File: definitionFile, Line: e.line, Msg: "a template cannot be defined in an expression"}
		}
		w.sources[name] = t.Tree
	}
	return e.locate(w.rewriteFile(name, inValue))
}

// startedAt is where the parser found the beginning of what has no end.
var startedAt = regexp.MustCompile(` started at =[^:]+:([0-9]+)$`)

// locate makes the lines of an error those of the definition.
func (e *expression) locate(err error) error {
	if err == nil {
		return nil
	}
	err = recordFault(err)
	if f := new(Error); errors.As(err, &f) && f.File == e.valueTemplate() {
		if m := startedAt.FindStringSubmatch(f.Msg); m != nil {
			f.Msg = f.Msg[:len(f.Msg)-len(m[0])]
			f.Line, _ = strconv.Atoi(m[1])
		}
		return &Error{File: definitionFile, Line: e.line + max(f.Line-1, 0), Msg: e.key + ": " + f.Msg}
	}
	return err
}
