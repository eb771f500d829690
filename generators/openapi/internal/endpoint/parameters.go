package endpoint

import (
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/getkin/kin-openapi/openapi3"
)

// places are the places of parameters, in the order of the notation.
var places = []string{"path", "query", "querystring", "header", "cookie"}

// parameters merges the path's and the operation's parameters by name and
// place, the operation's winning, and sorts them: by place, then required
// first, then by name.
func (b *builder) parameters() []*openapi3.Parameter {
	type key struct{ in, name string }
	found := map[key]*openapi3.Parameter{}
	add := func(list openapi3.Parameters) {
		for _, ref := range list {
			if ref == nil || ref.Value == nil {
				continue
			}
			p := ref.Value
			k := key{p.In, p.Name}
			if p.In == "header" {
				k.name = strings.ToLower(p.Name)
				if k.name == "accept" {
					b.asks = b.acceptOf(p)
				}
				if k.name == "accept" || k.name == "content-type" || k.name == "authorization" {
					// OpenAPI says to ignore these: they follow from the media
					// types and the credentials.
					b.report(framework.Note, "ignored-header-parameter", b.op.Pointer, "the header parameter %q is ignored, as OpenAPI says", p.Name)
					continue
				}
			}
			if p.Name == "" || !slices.Contains(places, p.In) {
				b.report(framework.Warning, "unknown-parameter-place", b.op.Pointer, "the parameter %q in %q cannot be shown: its place is not known", p.Name, p.In)
				continue
			}
			found[k] = p
		}
	}
	if b.op.Item != nil {
		add(b.op.Item.Parameters)
	}
	add(b.op.Op.Parameters)

	for _, name := range b.pathNames() {
		if _, ok := found[key{"path", name}]; !ok {
			p := openapi3.NewPathParameter(name)
			p.Schema = openapi3.NewStringSchema().NewRef()
			found[key{"path", name}] = p
			b.undescribed = append(b.undescribed, name)
			b.report(framework.Warning, "undeclared-path-parameter", b.op.Pointer, "the document does not describe the path parameter %q; it is taken for a string", name)
		}
	}

	all := make([]*openapi3.Parameter, 0, len(found))
	for _, p := range found {
		if p.In == "path" && !strings.Contains(b.op.Path, "{"+p.Name+"}") && b.op.Path != "" && b.op.Webhook == "" {
			b.report(framework.Warning, "unused-path-parameter", b.op.Pointer, "the path has no {%s}: the parameter has no place in the URL", p.Name)
		}
		all = append(all, p)
	}
	sort.Slice(all, func(i, j int) bool {
		p, q := all[i], all[j]
		if p.In != q.In {
			return slices.Index(places, p.In) < slices.Index(places, q.In)
		}
		if required(p) != required(q) {
			return required(p)
		}
		return p.Name < q.Name
	})
	return all
}

// acceptOf returns the one value that the document gives an Accept that it
// describes as a parameter, as some do for the version of the API, or "".
func (b *builder) acceptOf(p *openapi3.Parameter) string {
	if p.Schema == nil || p.Schema.Value == nil {
		return ""
	}
	s := p.Schema.Value
	for _, v := range []any{s.Const, s.Default, p.Example, s.Example} {
		if text, ok := v.(string); ok && acceptable.MatchString(text) && len(text) <= 200 {
			return text
		}
	}
	if len(s.Enum) == 1 {
		if text, ok := s.Enum[0].(string); ok && acceptable.MatchString(text) && len(text) <= 200 {
			return text
		}
	}
	return ""
}

var acceptable = regexp.MustCompile(`^[\w.+*-]+/[\w.+*-]+( *[;,] *[\w.+*/=-]+)*$`)

// required: a parameter of the path always is.
func required(p *openapi3.Parameter) bool { return p.Required || p.In == "path" }

// serialize returns a value of the parameter as it travels: what replaces the
// template in a path, "name=value" in a query or a cookie, the value of a
// header.
func (b *builder) serialize(p *openapi3.Parameter, v any) string {
	var s string
	var err error
	switch p.In {
	case "path":
		s, err = schema.SerializePath(p, v)
	case "query":
		s, err = schema.SerializeQuery(p, v)
	case "querystring": // OpenAPI 3.2: all of the query
		if v := schema.ValueOf(v); v.IsObject() || v.IsArray() {
			return escape(v.Compact(), "", false)
		} else {
			return escape(v.Text(), "", false)
		}
	case "header":
		s, err = schema.SerializeHeader(p, v)
	case "cookie":
		s, err = schema.SerializeCookie(p, v)
	}
	if err != nil {
		if !slices.Contains(b.guessed, p.Name) {
			b.guessed = append(b.guessed, p.Name)
			b.report(framework.Warning, "parameter-style", b.op.Pointer, "the %s parameter %q cannot be sent as its style says, and is shown as JSON: %v", p.In, p.Name, err)
		}
		s = escape(schema.ValueOf(v).Compact(), "", false)
		if p.In == "query" || p.In == "cookie" {
			s = escape(p.Name, "", false) + "=" + s
		}
	}
	return s
}

// sample returns a value of the parameter, reporting what was wrong with the
// document's own.
func (b *builder) sample(p *openapi3.Parameter) *schema.Example {
	x := schema.ParameterSample(p, b.sampling(nil))
	b.faults(x, p.In+" parameter "+p.Name)
	return x
}

func (b *builder) faults(x *schema.Example, what string) {
	for _, f := range x.Faults {
		where := what
		if f.Where != "" {
			where += ", " + f.Where
		}
		b.report(framework.Warning, f.Rule, b.op.Pointer, "%s: %s", where, f.Message)
	}
}

// parameterLines returns the lines of one parameter, at the level under the
// heading of its place.
func (b *builder) parameterLines(p *openapi3.Parameter) []string {
	block := schema.DescribeParameter(p, b.commented(nil))
	line := "  " + memberName(p.Name)
	if required(p) {
		line += "*"
	}
	line += ": " + block.Type
	if s := b.shownSample(p); s != "" {
		line += "  => " + s
	}
	if block.Comment != "" {
		line += "  # " + block.Comment
	}
	lines := []string{line}
	for _, l := range block.Lines {
		lines = append(lines, "  "+l)
	}
	b.enums(block, p.Name)
	return lines
}

// given reports whether the document gives an example of the parameter.
func given(p *openapi3.Parameter) bool {
	if p.Example != nil || len(p.Examples) > 0 {
		return true
	}
	return p.Schema != nil && p.Schema.Value != nil && (p.Schema.Value.Example != nil || len(p.Schema.Value.Examples) > 0)
}

// composite reports whether the form in which a value is sent does not follow
// from its type alone.
func composite(p *openapi3.Parameter) bool {
	if len(p.Content) > 0 || p.AllowReserved {
		return true
	}
	if p.Schema == nil || p.Schema.Value == nil {
		return false
	}
	s := p.Schema.Value
	if p.In == "path" && p.Style != "" && p.Style != "simple" {
		return true
	}
	return s.Type.Includes("array") || s.Type.Includes("object") || len(s.Properties) > 0 || s.Items != nil
}

// shownSample returns the sample for a parameter's line: where the document
// gives one, and where the form of the value is not obvious from its type.
func (b *builder) shownSample(p *openapi3.Parameter) string {
	composite, given := composite(p), given(p)
	switch {
	case p.In == "path" && !composite:
		return "" // the command has it
	case p.In == "header" && fixed(p):
	case !composite && !given:
		return ""
	}
	x := b.sample(p)
	if !composite && x.Origin != schema.FromDocument && !fixed(p) {
		return ""
	}
	v := x.Value
	if composite && x.Origin != schema.FromDocument {
		switch {
		case v.IsArray():
			if two := schema.ParameterSample(p, b.sampling(&schema.SampleOptions{Items: 2})); two.Valid {
				v = two.Value
			}
		case v.IsObject():
			if full := schema.ParameterSample(p, b.sampling(&schema.SampleOptions{Full: true})); full.Valid {
				v = full.Value
			}
		}
	}
	s := b.serialize(p, v)
	if s == "" || len(s) > 300 {
		return ""
	}
	if p.In == "header" {
		s = p.Name + ": " + s
	}
	return singleLine(s)
}
