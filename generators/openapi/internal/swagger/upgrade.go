package swagger

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
)

// Upgrade turns a Swagger 2.0 document of one path with one operation, and the
// definitions that it reaches, into an OpenAPI 3.0.3 document in canonical JSON
// (compact, members sorted by name) that kin-openapi loads. Definitions become
// components.schemas under their names; parameters and responses that are
// references are replaced by what they lead to. Servers stand at the root: those
// of the operation's schemes where it has its own.
//
// The diagnostics say what had to be mended and what is lost. Their pointers lead
// into the Swagger document; their file is not set. An error means that there is
// no OpenAPI document to be had.
func Upgrade(small []byte) (v3 []byte, diags []framework.Diagnostic, err error) {
	doc, err := decode(small)
	if err != nil {
		return nil, nil, fmt.Errorf("swagger: %w", err)
	}
	u := newUpgrader(doc)
	out, err := u.upgrade()
	if err == nil {
		v3, err = encode(out)
	}
	if err != nil {
		return nil, u.diags, fmt.Errorf("swagger: %w", err)
	}
	return v3, u.diags, nil
}

// An upgrader converts one document.
type upgrader struct {
	diagnoser
	doc         object
	definitions object

	depth    int                 // of schemas around the current one
	subtypes map[string][]string // by the definition in their allOf; nil until it is needed
	refs     map[string]object   // what references to schemas became
	extra    []extraSchema       // still to become components
	names    map[string]bool     // of those that were found

	hidden  []object // schemas by the number of the placeholder that the converter sees
	inlined int      // what is left of maxInlined
	spread  int      // what is left of maxSpread
}

func newUpgrader(doc object) *upgrader {
	definitions, _ := doc["definitions"].(object)
	return &upgrader{
		doc: doc, definitions: definitions,
		refs: map[string]object{}, names: map[string]bool{},
		inlined: maxInlined, spread: maxSpread,
	}
}

func (u *upgrader) upgrade() (object, error) {
	path, item, err := only(u.doc["paths"])
	if err != nil {
		return nil, fmt.Errorf("paths: %w", err)
	}
	method := ""
	for _, k := range sorted(item) {
		if !methods[k] {
			continue
		}
		if method != "" {
			return nil, errors.New("the path item has more than one operation")
		}
		method = k
	}
	op, ok := item[method].(object)
	if !ok {
		return nil, errors.New("the path item has no operation")
	}

	c := u.operation(path, method, item, op)
	u.path = u.path[:0]
	out, err := convert(object{
		"paths":               object{path: c.item},
		"securityDefinitions": u.securityDefinitions(),
		"security":            u.requirements(u.doc, "security"),
	}, len(u.hidden))
	if err != nil {
		return nil, err
	}
	u.finishSecurity(out)
	if err := c.finish(out); err != nil {
		return nil, err
	}
	components := child(out, "components")
	delete(components, "schemas")
	if schemas := u.components(); len(schemas) > 0 {
		components["schemas"] = schemas
	}
	if len(components) == 0 {
		delete(out, "components")
	}
	u.path = u.path[:0]
	if servers := u.servers(op); len(servers) > 0 {
		out["servers"] = servers
	}
	out["info"] = info(u.doc)
	return out, nil
}

// methods are the operations that a path item may have. Trace came with OpenAPI
// 3, yet is served if somebody has it.
var methods = map[string]bool{
	"get": true, "put": true, "post": true, "delete": true,
	"options": true, "head": true, "patch": true, "trace": true,
}

// only returns the only member of paths.
func only(v any) (name string, item object, err error) {
	paths, ok := v.(object)
	if !ok {
		return "", nil, errors.New("not an object")
	}
	for k, v := range paths {
		if isExtension(k) {
			continue
		}
		if item != nil {
			return "", nil, errors.New("more than one path")
		}
		if item, ok = v.(object); !ok {
			return "", nil, errors.New("the path item is no object")
		}
		name = k
	}
	if item == nil {
		return "", nil, errors.New("no path")
	}
	return name, item, nil
}

func info(doc object) object {
	out := object{"title": "API", "version": "0"}
	from, _ := doc["info"].(object)
	for k := range out {
		if s, ok := asText(from[k]); ok {
			out[k] = s
		}
	}
	return out
}

// child returns the object that is the member k of o, which it adds if there is
// none.
func child(o object, k string) object {
	c, ok := o[k].(object)
	if !ok {
		c = object{}
		o[k] = c
	}
	return c
}

// hide keeps a schema from the converter, and returns the reference that stands
// for it there.
func (u *upgrader) hide(schema object) object {
	u.hidden = append(u.hidden, schema)
	return object{"$ref": "#/definitions/" + strconv.Itoa(len(u.hidden)-1)}
}

// shown returns the schema that a reference by hide stands for.
func (u *upgrader) shown(v any) (object, bool) {
	o, _ := v.(object)
	ref, _ := o["$ref"].(string)
	n, ok := strings.CutPrefix(ref, "#/components/schemas/")
	i, err := strconv.Atoi(n)
	if !ok || err != nil || i < 0 || i >= len(u.hidden) {
		return nil, false
	}
	return u.hidden[i], true
}

var errExternal = errors.New("references to other documents are not followed")

// convert passes a Swagger document with so many placeholders for schemas through
// kin-openapi's converter.
func convert(doc object, placeholders int) (v3 object, err error) {
	defer func() {
		// The converter panics where it did not expect what it finds.
		if r := recover(); r != nil {
			v3, err = nil, fmt.Errorf("openapi2conv: %v", r)
		}
	}()
	doc["swagger"] = "2.0"
	doc["info"] = object{"title": "API", "version": "0"}
	definitions := make(object, placeholders)
	for i := range placeholders {
		definitions[strconv.Itoa(i)] = object{}
	}
	doc["definitions"] = definitions
	data, err := encode(doc)
	if err != nil {
		return nil, err
	}
	var v2 openapi2.T
	if err := json.Unmarshal(data, &v2); err != nil {
		return nil, fmt.Errorf("openapi2: %w", err)
	}
	loader := openapi3.NewLoader()
	loader.ReadFromURIFunc = func(*openapi3.Loader, *url.URL) ([]byte, error) { return nil, errExternal }
	t, err := openapi2conv.ToV3WithLoader(&v2, loader, nil)
	if err != nil {
		return nil, fmt.Errorf("openapi2conv: %w", err)
	}
	if data, err = t.MarshalJSON(); err != nil {
		return nil, fmt.Errorf("openapi2conv: %w", err)
	}
	return decode(data)
}
