package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// A Document is an OpenAPI document as kin-openapi reads it. It is safe for
// concurrent use.
type Document struct {
	file  string
	files *files
	whole *openapi3.T // nil if kin-openapi does not read it as a whole
	tree  map[string]any
	// err is why the document does not load as a whole.
	err error

	mu      sync.Mutex
	cut     map[string]*openapi3.T // by pointer, where it has to be cut
	literal map[string]bool        // "METHOD /path" of templates without parameters
}

// LoadOptions configure [Load]. The zero value and nil mean the defaults.
type LoadOptions struct {
	// Root is the folder within which references to other files are followed:
	// that of the document by default.
	Root string
}

// Load reads the original document: file is its path, data its bytes. A document
// that kin-openapi does not load as a whole is read operation by operation; one
// of Swagger 2.0 is converted. The error is for what is no document at all.
func Load(file string, data []byte, opts *LoadOptions) (*Document, error) {
	root := filepath.Dir(file)
	if opts != nil && opts.Root != "" {
		root = opts.Root
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	d := &Document{file: abs, files: &files{root: root, trees: map[string]any{}}, cut: map[string]*openapi3.T{}}
	if !swaggerMember.Match(data) {
		if d.whole, d.err = d.load(data); d.err == nil && !operationRefs(d.whole) {
			d.index()
			return d, nil
		}
		if d.whole = nil; d.err == nil {
			d.err = errors.New("operations are references")
		}
	}
	tree, err := parseTree(data)
	if err != nil {
		return nil, err
	}
	d.tree, _ = tree.(map[string]any)
	if d.tree == nil {
		return nil, errors.New("the document is no object")
	}
	d.files.trees[abs] = tree
	switch {
	case text(d.tree["swagger"]) != "" || d.tree["swagger"] != nil && d.tree["openapi"] == nil:
		if d.whole, err = convert(d.tree); err != nil {
			return nil, fmt.Errorf("converting Swagger 2.0: %w", err)
		}
	case d.err == nil: // "swagger" is a member somewhere inside
		if d.whole, d.err = d.load(data); d.err != nil || operationRefs(d.whole) {
			d.whole = nil
		}
	}
	d.index()
	return d, nil
}

// swaggerMember matches what may be the version of a document of Swagger 2.0,
// which the loader of OpenAPI 3 would take for an empty document.
var swaggerMember = regexp.MustCompile(`(?m)"swagger"\s*:|^swagger\s*:`)

// load has kin-openapi read a document, with the files that it refers to.
func (d *Document) load(data []byte) (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = true
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, u *url.URL) ([]byte, error) {
		if u.Scheme != "" && u.Scheme != "file" || u.Host != "" {
			return nil, fmt.Errorf("%s is no file of the document's folder", u)
		}
		return d.files.read(filepath.FromSlash(u.Path))
	}
	return loader.LoadFromDataWithPath(data, &url.URL{Path: filepath.ToSlash(d.file)})
}

// operationRefs reports whether operations are given by references, which
// kin-openapi passes over.
func operationRefs(doc *openapi3.T) bool {
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			if op.Extensions["$ref"] != nil {
				return true
			}
		}
	}
	return false
}

// Files are the files below a folder.
type files struct {
	root  string
	mu    sync.Mutex
	trees map[string]any
}

func (f *files) read(path string) ([]byte, error) {
	rel, err := filepath.Rel(f.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("%s: %w: outside the document's folder", path, fs.ErrPermission)
	}
	return os.ReadFile(path)
}

// tree returns the content of a file.
func (f *files) tree(path string) (any, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t, ok := f.trees[path]; ok {
		return t, nil
	}
	data, err := f.read(path)
	if err != nil {
		return nil, err
	}
	t, err := parseTree(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.trees[path] = t
	return t, nil
}

// index notes the path templates without parameters.
func (d *Document) index() {
	d.literal = map[string]bool{}
	if d.whole == nil {
		paths, _ := d.tree["paths"].(map[string]any)
		for path, item := range paths {
			members, _ := item.(map[string]any)
			for method := range members {
				d.literal[strings.ToUpper(method)+" "+path] = !strings.Contains(path, "{")
			}
		}
		return
	}
	for path, item := range d.whole.Paths.Map() {
		for method := range item.Operations() {
			d.literal[method+" "+path] = !strings.Contains(path, "{")
		}
	}
}

// An operation is one of the document's, with what applies to it.
type operation struct {
	doc    *openapi3.T
	item   *openapi3.PathItem
	op     *openapi3.Operation
	path   string // the template
	method string
	params []*openapi3.Parameter
	body   *openapi3.RequestBody
}

// operation finds an operation by what its skill says about it: pointer, method
// and path have to agree.
func (d *Document) operation(pointer, method, path string) (*operation, *fault) {
	tokens := strings.Split(pointer, "/")
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	if len(tokens) < 4 || tokens[0] != "" || tokens[1] != "paths" || unescape.Replace(tokens[2]) != path || !strings.EqualFold(unescape.Replace(tokens[len(tokens)-1]), method) {
		return nil, wrong("pointer", "the pointer %s is not that of %s %s", pointer, method, path)
	}
	doc := d.whole
	if doc == nil {
		var err error
		if doc, err = d.cutOperation(path, method); err != nil {
			return nil, &fault{InDocument, "does-not-load", fmt.Sprintf("%v (cut out: %v)", d.err, err)}
		}
	}
	item := doc.Paths.Value(path)
	if item == nil {
		return nil, wrong("pointer", "the document has no path %s", path)
	}
	op := item.GetOperation(method)
	if op == nil {
		return nil, wrong("pointer", "the document has no %s %s", method, path)
	}
	o := &operation{doc: doc, item: item, op: op, path: path, method: method}
	for _, ref := range item.Parameters {
		if ref != nil && ref.Value != nil && op.Parameters.GetByInAndName(ref.Value.In, ref.Value.Name) == nil {
			o.params = append(o.params, ref.Value)
		}
	}
	for _, ref := range op.Parameters {
		if ref != nil && ref.Value != nil {
			o.params = append(o.params, ref.Value)
		}
	}
	if op.RequestBody != nil {
		o.body = op.RequestBody.Value
	}
	return o, nil
}

// servers returns the servers that apply to the operation.
func (o *operation) servers() openapi3.Servers {
	list := o.doc.Servers
	switch {
	case o.op.Servers != nil && len(*o.op.Servers) > 0:
		list = *o.op.Servers
	case len(o.item.Servers) > 0:
		list = o.item.Servers
	}
	if len(list) == 0 {
		list = openapi3.Servers{{URL: "/"}}
	}
	return list
}

// ignored reports whether the specification has a parameter ignored: headers
// that are described elsewhere (OpenAPI 3.1.1, 4.8.12.2.1).
func ignored(p *openapi3.Parameter) bool {
	if p.In != openapi3.ParameterInHeader {
		return false
	}
	switch http.CanonicalHeaderKey(p.Name) {
	case "Accept", "Content-Type", "Authorization":
		return true
	}
	return false
}
