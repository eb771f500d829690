package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// A use is what a schema describes: which members of it need not be there, and
// whether formats count.
type use struct {
	direction string // "request", "response", or "" for either
	formats   bool
}

// maxSteps is how many references the check of one value may follow.
const maxSteps = 20_000

// schemas are those of a document, compiled as values get to them: each
// reference is a schema of its own, which is compiled when a value is held
// against it. A large document is never compiled whole.
type schemas struct {
	doc       *Document
	places    []place
	numbers   map[string]int // of places
	compilers map[use]*jsonschema.Compiler
	left      int // steps of this check
	active    []application
}

// An application is a schema being applied to a value.
type application struct {
	number int
	depth  int // of the value
}

// check returns why a value is not valid, and which part of it, or "". What
// cannot be known is valid.
func (d *Document) check(schema place, v any, u use) (reason string, at []string) {
	if d.schemas == nil {
		d.schemas = &schemas{doc: d, numbers: map[string]int{}, compilers: map[use]*jsonschema.Compiler{}}
	}
	s := d.schemas
	defer func() { // the validator is not made for whatever documents may have
		if r := recover(); r != nil {
			reason, at = "", nil
		}
	}()
	s.left = maxSteps
	compiled := s.compile(schema, u)
	if compiled == nil {
		return "", nil
	}
	s.active = append(s.active[:0], application{number: s.numbers[schema.String()]})
	err := compiled.Validate(v)
	if s.left <= 0 {
		return "", nil
	}
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		cause := deepest(invalid)
		return explain(cause), cause.InstanceLocation
	}
	return "", nil
}

var printer = message.NewPrinter(language.English)

// explain words what is wrong and where.
func explain(cause *jsonschema.ValidationError) string {
	text := cause.ErrorKind.LocalizedString(printer)
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + " ..."
	}
	if where := strings.Join(cause.InstanceLocation, "."); where != "" {
		return where + ": " + text
	}
	return text
}

// deepest returns the cause that lies deepest in the value, which is where the
// alternative that was meant got furthest.
func deepest(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return e
	}
	var found *jsonschema.ValidationError
	for _, cause := range e.Causes {
		if c := deepest(cause); found == nil || len(c.InstanceLocation) >= len(found.InstanceLocation) {
			found = c
		}
	}
	return found
}

const refKeyword = "x-ledger-ref"

// compile returns a schema, or nil if it is none that the validator takes.
func (s *schemas) compile(schema place, u use) *jsonschema.Schema {
	key := schema.String()
	n, ok := s.numbers[key]
	if !ok {
		n = len(s.places)
		s.places, s.numbers[key] = append(s.places, schema), n
	}
	c := s.compilers[u]
	if c == nil {
		c = jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft2020)
		c.UseRegexpEngine(compileRegexp)
		if u.formats {
			c.AssertFormat()
		}
		c.RegisterVocabulary(&jsonschema.Vocabulary{URL: "ledger:///references", Schema: anything, Compile: func(_ *jsonschema.CompilerContext, o map[string]any) (jsonschema.SchemaExt, error) {
			if number, ok := o[refKeyword].(string); ok {
				n, err := strconv.Atoi(number)
				return &deferred{s, n, u}, err
			}
			return nil, nil
		}})
		c.AssertVocabs()
		c.UseLoader(loader{s, u})
		s.compilers[u] = c
	}
	compiled, err := c.Compile("ledger:///" + strconv.Itoa(n))
	if err != nil {
		return nil
	}
	return compiled
}

// anything is what the compiler asks of a reference: it makes them itself.
var anything = jsonschema.NewCompiler().MustCompile("https://json-schema.org/draft/2020-12/meta/core")

// A loader makes the resources that a compiler asks for.
type loader struct {
	*schemas
	use use
}

func (l loader) Load(url string) (any, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(url, "ledger:///"))
	if err != nil || n < 0 || n >= len(l.places) {
		return nil, fmt.Errorf("no schema %s", url)
	}
	return l.convert(l.places[n], l.use, nil), nil
}

// A deferred is a reference that is followed when a value gets to it.
type deferred struct {
	schemas *schemas
	number  int
	use     use
}

func (r *deferred) Validate(ctx *jsonschema.ValidatorContext, v any) {
	s := r.schemas
	s.left--
	if s.left <= 0 || len(s.active) > 200 {
		s.left = 0
		return
	}
	at := len(ctx.ValueLocation())
	for i := len(s.active) - 1; i >= 0 && s.active[i].depth == at; i-- {
		if s.active[i].number == r.number {
			return // a schema that is itself says nothing
		}
	}
	s.active = append(s.active, application{r.number, at})
	defer func() { s.active = s.active[:len(s.active)-1] }()
	compiled := s.compile(s.places[r.number], r.use)
	if compiled == nil {
		return
	}
	if err := ctx.Validate(compiled, v, nil); err != nil {
		ctx.AddErr(err)
	}
}

// A pattern is one of a dialect that Go does not have: it matches everything.
type pattern string

func (p pattern) String() string          { return string(p) }
func (p pattern) MatchString(string) bool { return true }

func compileRegexp(s string) (jsonschema.Regexp, error) {
	if len(s) > 2000 {
		return pattern(s), nil
	}
	re, err := regexp.Compile(strings.NewReplacer(`\/`, "/", `\-`, `\-`).Replace(s))
	if err != nil {
		return pattern(s), nil
	}
	return re, nil
}

// convert makes of a schema one of JSON Schema 2020-12 that the validator
// takes: what is malformed is left out. The members that are left are those
// that the schemas beside it, in an allOf, leave out.
func (s *schemas) convert(p place, u use, left map[string]bool) any {
	if b, ok := p.value.(bool); ok {
		return b
	}
	o := p.object()
	out := object{}
	if ref, ok := o["$ref"].(string); ok {
		if target, err := s.doc.follow(p, ref); err == nil {
			key := target.String()
			n, known := s.numbers[key]
			if !known {
				n = len(s.places)
				s.places, s.numbers[key] = append(s.places, target), n
			}
			out[refKeyword] = strconv.Itoa(n)
		}
		if s.doc.before("1") {
			return out
		}
	}
	s.types(p, out)
	for _, k := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		if n, ok := o[k].(json.Number); ok {
			out[k] = n
		}
	}
	for exclusive, bound := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		if o[exclusive] == true && out[bound] != nil {
			out[exclusive] = out[bound]
			delete(out, bound)
		}
	}
	if n, ok := o["multipleOf"].(json.Number); ok {
		if f, err := n.Float64(); err == nil && f > 0 {
			out["multipleOf"] = n
		}
	}
	for _, k := range []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"} {
		if n, ok := o[k].(json.Number); ok {
			if i, err := n.Int64(); err == nil && i >= 0 {
				out[k] = n
			}
		}
	}
	if b, ok := o["uniqueItems"].(bool); ok {
		out["uniqueItems"] = b
	}
	if t, ok := o["pattern"].(string); ok {
		out["pattern"] = t
	}
	if f := p.get("format").text(); u.formats && slices.Contains(promised, f) {
		out["format"] = f
	}
	for _, k := range []string{"properties", "patternProperties", "dependentSchemas"} {
		members := p.get(k)
		if members.object() == nil {
			continue
		}
		converted := object{}
		for name := range members.object() {
			converted[name] = s.convert(members.get(name), u, nil)
		}
		out[k] = converted
	}
	for _, k := range []string{"additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "items", "unevaluatedProperties", "unevaluatedItems"} {
		m := p.get(k)
		if _, isBool := m.value.(bool); isBool || m.object() != nil {
			out[k] = s.convert(m, u, nil)
		}
	}
	hidden := s.hidden(p, u)
	maps.Copy(hidden, left)
	for _, k := range []string{"allOf", "anyOf", "oneOf", "prefixItems"} {
		var list []any
		for _, item := range p.get(k).items() {
			var inherited map[string]bool
			if k == "allOf" {
				inherited = hidden
			}
			list = append(list, s.convert(item, u, inherited))
		}
		switch {
		case len(list) == 0:
		case k == "oneOf" && p.get("discriminator").ok():
			// The discriminator says which one is meant where several would do.
			out["allOf"] = append(listed(out["allOf"]), object{"anyOf": list})
		default:
			out[k] = list
		}
	}
	if required := required(p, hidden); len(required) > 0 {
		out["required"] = required
	}
	if o["nullable"] == true || s.doc.swagger() && o["x-nullable"] == true {
		return object{"anyOf": []any{object{"type": "null"}, out}}
	}
	return out
}

func listed(v any) []any {
	list, _ := v.([]any)
	return list
}

// promised are the formats of which made samples are.
var promised = []string{
	"date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6",
	"uri", "uri-reference", "uri-template", "uuid",
}

var typeNames = []string{"string", "integer", "number", "boolean", "object", "array", "null"}

// types converts type, enum and const.
func (s *schemas) types(p place, out object) {
	switch t := p.object()["type"].(type) {
	case string:
		if slices.Contains(typeNames, t) {
			out["type"] = t
		}
	case []any:
		var list []any
		for _, name := range t {
			if n, ok := name.(string); ok && slices.Contains(typeNames, n) && !slices.Contains(list, name) {
				list = append(list, n)
			}
		}
		if len(list) > 0 && len(list) == len(t) {
			out["type"] = list
		}
	}
	if list, ok := p.object()["enum"].([]any); ok && len(list) > 0 {
		out["enum"] = list
	}
	if v, ok := p.object()["const"]; ok && !s.doc.before("1") {
		out["const"] = v
	}
}

// hidden returns the members that the direction leaves out.
func (s *schemas) hidden(p place, u use) map[string]bool {
	hidden := map[string]bool{}
	var walk func(p place, depth int)
	walk = func(p place, depth int) {
		if depth > 8 {
			return
		}
		properties := p.get("properties")
		for name := range properties.object() {
			property := properties.get(name)
			readOnly := s.doc.flag(property, "readOnly")
			writeOnly := s.doc.flag(property, "writeOnly")
			if readOnly && u.direction != "response" || writeOnly && u.direction != "request" {
				hidden[name] = true
			}
		}
		for _, part := range p.get("allOf").items() {
			if target := s.doc.quietly(part); target.ok() {
				walk(target, depth+1)
			}
		}
	}
	walk(p, 0)
	return hidden
}

// required returns the members required, but for the hidden ones.
func required(p place, hidden map[string]bool) []any {
	var list []any
	for _, item := range p.get("required").items() {
		if name, ok := item.value.(string); ok && !hidden[name] && !slices.Contains(list, item.value) {
			list = append(list, name)
		}
	}
	return list
}

// flag reports whether a schema, or what it refers to, has a true member.
func (d *Document) flag(p place, key string) bool {
	b, _ := d.lookup(p, key).value.(bool)
	return b
}
