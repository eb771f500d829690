package replay

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// A check is one request held against its operation.
type check struct {
	ctx   context.Context
	o     *operation
	plan  *plan
	call  *call
	got   *arrival
	path  map[string]string // parameters, as sent
	query []*pair
	input *openapi3filter.RequestValidationInput
	// together are, by scheme, those whose credential travels in the same header.
	together map[string][]string
}

// check returns why the document does not accept a request, or nil.
func (d *Document) check(ctx context.Context, o *operation, p *plan, c *call, got *arrival) *fault {
	if got.method != o.method {
		return wrong("method", "the method is %s, want %s", got.method, o.method)
	}
	rawPath, rawQuery, _ := strings.Cut(got.uri, "?")
	params, ok := o.route(p.servers, rawPath)
	if !ok {
		return wrong("path", "the path %s is none of %s at a server of the document", rawPath, o.path)
	}
	if f := d.elsewhere(o, p, rawPath); f != nil {
		return f
	}
	k := &check{ctx: ctx, o: o, plan: p, call: c, got: got, path: params}
	var err error
	if k.query, err = pairs(rawQuery); err != nil {
		return wrong("query", "%v", err)
	}
	if err := k.prepare(rawQuery); err != nil {
		return wrong("request", "%v", err)
	}
	for _, step := range []func() *fault{k.templateQuery, k.credentials, k.parameters, k.undeclared, k.body} {
		if f := step(); f != nil {
			return f
		}
	}
	return nil
}

// elsewhere reports a path that is that of another operation: templates without
// parameters come before those with (OpenAPI 3.1.1, 4.8.8.2).
func (d *Document) elsewhere(o *operation, p *plan, rawPath string) *fault {
	if !strings.Contains(o.path, "{") {
		return nil
	}
	path, err := url.PathUnescape(rawPath)
	if err != nil {
		return wrong("path", "%v", err)
	}
	for i := range len(path) {
		if path[i] == '/' && d.literal[o.method+" "+path[i:]] {
			other := *o
			other.path = path[i:]
			if _, ok := other.route(p.servers, rawPath); ok {
				return wrong("other-path", "the path %s is that of another operation, %s", rawPath, other.path)
			}
		}
	}
	return nil
}

// prepare makes the request for the filter, anew from what arrived.
func (k *check) prepare(rawQuery string) error {
	u, err := url.ParseRequestURI(k.got.uri)
	if err != nil {
		return err
	}
	u.Scheme, u.Host = "http", "api.invalid"
	r, err := http.NewRequestWithContext(k.ctx, k.got.method, u.String(), bytes.NewReader(k.got.body))
	if err != nil {
		return err
	}
	r.Header = k.got.header.Clone()
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(k.got.body)), nil }
	decoded := map[string]string{}
	for name, raw := range k.path {
		if decoded[name], err = url.PathUnescape(raw); err != nil {
			return err
		}
	}
	k.input = &openapi3filter.RequestValidationInput{
		Request: r, PathParams: decoded,
		Route: &routers.Route{Spec: k.o.doc, PathItem: k.o.item, Operation: k.o.op, Path: k.o.path, Method: k.o.method},
		Options: &openapi3filter.Options{
			MultiError: true, SkipSettingDefaults: true, RejectWhenRequestBodyNotSpecified: true, AuthenticationFunc: k.authenticate,
		},
	}
	return nil
}

// templateQuery takes out the query that is part of the path template.
func (k *check) templateQuery() *fault {
	_, _, query := k.o.template()
	want, err := pairs(query)
	if err != nil {
		return nil // no query that anybody could send
	}
	for _, w := range want {
		i := slices.IndexFunc(k.query, func(p *pair) bool {
			return !p.taken && p.name == w.name && (p.value == w.value || strings.Contains(w.value, "{"))
		})
		if i < 0 {
			return wrong("path", "the query has no %s=%s, which the path template has", w.name, w.value)
		}
		if k.o.parameter("query", w.name) == nil {
			k.query[i].taken = true
		}
	}
	return nil
}

// parameters checks each parameter by this package's reading and by the filter's.
func (k *check) parameters() *fault {
	for _, p := range k.o.params {
		if ignored(p) || !slices.Contains(parameterPlaces, p.In) || p.In == "path" && !strings.Contains(k.o.path, "{"+p.Name+"}") {
			continue // it has no place in a request
		}
		f := k.parameter(p)
		if f == nil {
			f = k.filtered("parameter "+p.In+" "+p.Name, cmp.Or(parameterLimit(p), k.decodedLimit(p)), func() error {
				return openapi3filter.ValidateParameter(k.ctx, k.input, p)
			})
		}
		if f != nil {
			return k.o.blame(f, p)
		}
	}
	return nil
}

// parameterPlaces are those that a request has.
var parameterPlaces = []string{"path", "query", "querystring", "header", "cookie"}

// decodedLimit says why the filter cannot read this value of a parameter, or "".
func (k *check) decodedLimit(p *openapi3.Parameter) string {
	switch {
	case p.In == openapi3.ParameterInPath && shapeOf(p.Schema) != scalar && strings.Contains(k.path[p.Name], "%"):
		return "it takes the values of paths apart after they are decoded"
	case p.In == openapi3.ParameterInCookie && strings.Contains(strings.Join(k.got.header["Cookie"], ";"), "%"):
		return "it does not decode the values of cookies"
	case p.In == openapi3.ParameterInQuery && shapeOf(p.Schema) == object && styleOf(p).name == "form" && styleOf(p).explode && !p.Required &&
		!slices.ContainsFunc(k.query, func(q *pair) bool { return p.Schema.Value.Properties[q.name] != nil }):
		return "it takes an exploded object that is not there for an empty one"
	}
	return ""
}

func (k *check) parameter(p *openapi3.Parameter) *fault {
	o := k.o
	where := p.In + " parameter " + p.Name
	var values []any
	var found bool
	var err error
	ref := p.Schema
	st := styleOf(p)
	content, media := contentOf(p)
	if media != nil {
		ref = media.Schema
	}
	text := ""
	switch p.In {
	case "path":
		var raw string
		if raw, found = k.path[p.Name]; found && media == nil {
			values, err = o.fromPath(p, raw)
		} else if found {
			text, err = url.PathUnescape(raw)
		}
	case "query":
		if media == nil {
			values, found, err = o.fromPairs(k.query, p.Name, st, ref)
			break
		}
		for _, q := range k.query {
			if q.name == p.Name {
				q.taken, found, text = true, true, q.value
				if !encoded(q.raw, "") {
					err = fmt.Errorf("the value %q is not percent-encoded", q.raw)
				}
			}
		}
	case "querystring": // OpenAPI 3.2: the whole query
		found = len(k.query) > 0
		for _, q := range k.query {
			q.taken = true
		}
		_, rawQuery, _ := strings.Cut(k.got.uri, "?")
		if media == nil || strings.HasPrefix(content, "application/x-www-form-urlencoded") {
			var v any
			if v, err = o.form(rawQuery, media); err == nil {
				values = []any{v}
			}
			media = nil
		} else {
			text, err = url.QueryUnescape(rawQuery)
		}
	case "header":
		var list []string
		list, found = k.got.header[http.CanonicalHeaderKey(p.Name)]
		if text = strings.Join(list, ","); found && media == nil {
			values = o.fromHeader(text, st, ref)
		}
	case "cookie":
		if media == nil {
			values, found, err = o.fromPairs(k.cookies(), p.Name, style{name: "form", explode: st.explode, reserved: true}, ref)
			break
		}
		for _, c := range k.cookies() {
			if c.name == p.Name {
				found, text = true, c.value
			}
		}
	default:
		return nil
	}
	switch {
	case err != nil:
		return wrong("encoding", "%s: %v", where, err)
	case !found && p.Required:
		return wrong("missing-parameter", "the required %s is missing", where)
	case !found:
		return nil
	case media != nil:
		values = []any{text}
		if base, _, _ := mime.ParseMediaType(content); kindOf(base) == "json" {
			var v any
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				return wrong("parameter", "%s is no JSON: %v", where, err)
			}
			values = []any{v}
		}
	}
	if err := o.anyValid(ref, values); err != nil {
		return wrong("parameter", "%s: %v", where, short(err))
	}
	return nil
}

func (o *operation) anyValid(ref *openapi3.SchemaRef, values []any) error {
	if ref == nil {
		return nil
	}
	var first error
	if len(values) == 0 {
		return errors.New("it has no reading")
	}
	for _, v := range values {
		err := o.valid(ref, v)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

func contentOf(p *openapi3.Parameter) (string, *openapi3.MediaType) {
	for name, m := range p.Content {
		if m == nil {
			m = &openapi3.MediaType{}
		}
		return name, m
	}
	return "", nil
}

func (o *operation) fromHeader(s string, st style, ref *openapi3.SchemaRef) []any {
	refs := []*openapi3.SchemaRef{ref}
	out := readings(s)
	parts := strings.Split(s, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if st.explode {
		object := map[string]any{}
		for _, part := range parts {
			if k, v, ok := strings.Cut(part, "="); ok {
				object[k] = o.read(v, property(refs, k))
			}
		}
		out = append(out, object)
	}
	return append(out, o.listed(parts, refs)...)
}

// cookies returns the cookies as they were sent. Their values may be
// percent-encoded or not.
func (k *check) cookies() []*pair {
	var out []*pair
	for _, line := range k.got.header["Cookie"] {
		for part := range strings.SplitSeq(line, ";") {
			name, raw, _ := strings.Cut(strings.TrimSpace(part), "=")
			p := &pair{name: name, raw: raw, value: raw}
			if v, err := url.PathUnescape(raw); err == nil {
				p.value = v
			}
			if n, err := url.PathUnescape(name); err == nil {
				p.name = n
			}
			out = append(out, p)
		}
	}
	return out
}

// Headers that curl sends by itself, or that say what the body is.
var plainHeaders = []string{"Accept", "Content-Type", "Content-Length", "Expect", "Host", "User-Agent", "Authorization", "Cookie", "Connection", "Accept-Encoding", "Transfer-Encoding"}

// undeclared reports what the document knows nothing of.
func (k *check) undeclared() *fault {
	for _, q := range k.query {
		if !q.taken && !k.o.schemeUses("query", q.name) {
			return wrong("undeclared", "the query has %s, which is no parameter", q.name)
		}
	}
	for name := range k.got.header {
		if len(k.call.sigv4) > 0 && strings.HasPrefix(name, "X-Amz-") {
			continue // what a signature needs besides itself
		}
		if !slices.Contains(plainHeaders, name) && k.o.parameter("header", name) == nil && !k.o.schemeUses("header", name) {
			return wrong("undeclared", "the header %s is no parameter", name)
		}
	}
	for _, c := range k.cookies() {
		exploded := slices.ContainsFunc(k.o.params, func(p *openapi3.Parameter) bool { return p.In == "cookie" && styleOf(p).explode && isObject(p.Schema) })
		if k.o.parameter("cookie", c.name) == nil && !k.o.schemeUses("cookie", c.name) && !exploded {
			return wrong("undeclared", "the cookie %s is no parameter", c.name)
		}
	}
	return nil
}

// filtered asks the filter for its opinion of what this package accepts. Where
// the filter is known to decode less than the specification has, limit says why,
// and its refusal counts for nothing; elsewhere the two must agree.
func (k *check) filtered(what, limit string, f func() error) (out *fault) {
	defer func() {
		if r := recover(); r != nil && limit == "" {
			out = wrong("filter", "%s: openapi3filter panics: %v", what, r)
		}
	}()
	err := f()
	if err == nil || limit != "" {
		return nil
	}
	return wrong("filter", "%s: %v", what, short(err))
}

// short is an error on one line, cut.
func short(err error) error {
	s := strings.Join(strings.Fields(err.Error()), " ")
	if i := strings.Index(s, " Schema: {"); i > 0 {
		s = s[:i]
	}
	if len(s) > 300 {
		s = s[:300] + "..."
	}
	return errors.New(s)
}
