package replay

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// body checks the body of a request, or that there is none.
func (k *check) body() *fault {
	o, b, data := k.o, k.o.body, k.got.body
	contentType := k.got.header.Get("Content-Type")
	if b == nil || len(b.Content) == 0 {
		if len(data) > 0 && b == nil {
			return wrong("body", "the operation takes no body, yet %d bytes are sent", len(data))
		}
		return nil
	}
	if len(data) == 0 {
		if b.Required {
			return wrong("missing-body", "the required body is missing")
		}
		return nil
	}
	base, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return wrong("content-type", "the Content-Type %q: %v", contentType, err)
	}
	media, ok := mediaFor(b.Content, contentType, base)
	if !ok {
		return wrong("content-type", "the Content-Type %q is none of the body's: %s", contentType, names(b.Content))
	}
	if media == nil {
		media = &openapi3.MediaType{}
	}
	var values []any
	limit := ""
	switch kind := kindOf(base); kind {
	case "json":
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			return o.blameBody(wrong("body", "the body is no JSON: %v", err), media, nil)
		}
		values = []any{v}
	case "lines":
		values = []any{string(data)}
		if media.ItemSchema != nil {
			for line := range strings.Lines(string(data)) {
				var v any
				if err := json.Unmarshal([]byte(line), &v); err != nil {
					return wrong("body", "a line of the body is no JSON: %v", err)
				}
				if err := o.valid(media.ItemSchema, v); err != nil {
					return o.blameBody(wrong("body", "a line of the body: %v", short(err)), media, v)
				}
			}
		}
		limit = "openapi3filter has no decoder for lines of JSON"
	case "form":
		v, err := o.form(string(data), media)
		if err != nil {
			return wrong("encoding", "the form: %v", err)
		}
		values = []any{v}
		limit = formLimit(media)
	case "multipart":
		v, err := o.parts(data, params["boundary"], media)
		if err != nil {
			return wrong("multipart", "%v", err)
		}
		values = []any{v}
		if list, ok := v.([]any); ok && media.Schema == nil {
			for i, item := range list {
				if err := o.valid(media.ItemSchema, item); err != nil {
					return o.blameBody(wrong("body", "the part %d: %v", i+1, short(err)), media, v)
				}
			}
		}
		limit = multipartLimit(media)
	case "xml":
		if err := wellFormed(data); err != nil {
			return wrong("body", "the body is no XML: %v", err)
		}
		// XML has no reading as JSON that is exact without the "xml" of each
		// schema: that it is well-formed is what can be said.
		return nil
	case "yaml":
		v, err := parseTree(data)
		if err != nil {
			return wrong("body", "the body is no YAML: %v", err)
		}
		values = []any{v, string(data)}
		limit = "openapi3filter reads YAML of some media types only"
	default:
		values = []any{string(data)}
		values = append(values, readings(string(data))...)
		if media.Schema != nil && media.Schema.Value != nil && !media.Schema.Value.Type.Is("string") {
			limit = "openapi3filter takes text for a string only"
			// Bytes of a file, which a schema of another type says nothing about.
			if kind == "bytes" && isObject(media.Schema) {
				return nil
			}
		}
	}
	if media.Schema != nil {
		if err := o.anyValid(media.Schema, values); err != nil {
			return o.blameBody(wrong("body", "the body: %v", short(err)), media, values[0])
		}
	}
	if limit == "" && media.Schema != nil && len(values) > 0 && o.doc.IsOpenAPI31OrLater() {
		if _, added := given(media.Schema, values[0], 0); added {
			limit = "it asks for required members that are read-only, since 3.1"
		}
	}
	f := k.filtered("body", limit, func() error {
		return openapi3filter.ValidateRequestBody(k.ctx, k.input, b)
	})
	if f != nil && flaw(media.Schema) != "" {
		return o.blameBody(f, media, nil)
	}
	return f
}

func init() {
	// Media types that the filter has no decoder for are texts and files to it.
	openapi3filter.RegisterBodyDecoder("*/*", openapi3filter.FileBodyDecoder)
}

func names(content openapi3.Content) string {
	var out []string
	for name := range content {
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// mediaFor returns the media type of a content map that a Content-Type is one
// of: itself, else without its parameters, else a range.
func mediaFor(content openapi3.Content, full, base string) (*openapi3.MediaType, bool) {
	if m, ok := content[full]; ok {
		return m, true
	}
	best, found := -1, (*openapi3.MediaType)(nil)
	for name, m := range content {
		for name := range strings.SplitSeq(name, ",") { // a list, in the wild
			b, _, err := mime.ParseMediaType(name)
			if err != nil {
				b = strings.ToLower(strings.TrimSpace(name))
			}
			rank := -1
			switch top, _, _ := strings.Cut(base, "/"); b {
			case base:
				rank = 2
			case top + "/*":
				rank = 1
			case "*/*", "*":
				rank = 0
			}
			if rank > best {
				best, found = rank, m
			}
		}
	}
	return found, best >= 0
}

func kindOf(base string) string {
	switch {
	case base == "application/jsonl", base == "application/x-ndjson", base == "application/jsonlines", base == "application/json-seq", base == "application/x-jsonlines":
		return "lines"
	case base == "application/json", base == "text/json", strings.HasSuffix(base, "+json"):
		return "json"
	case base == "application/x-www-form-urlencoded":
		return "form"
	case strings.HasPrefix(base, "multipart/"):
		return "multipart"
	case strings.HasSuffix(base, "/xml"), strings.HasSuffix(base, "+xml"):
		return "xml"
	case strings.HasSuffix(base, "yaml"):
		return "yaml"
	case strings.HasPrefix(base, "text/"):
		return "text"
	}
	return "bytes"
}

func wellFormed(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	elements := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if elements == 0 {
				return errors.New("it has no element")
			}
			return nil
		}
		if err != nil {
			return err
		}
		if _, ok := token.(xml.StartElement); ok {
			elements++
		}
	}
}

// form reads a form as an object, by the encodings of its media type.
func (o *operation) form(raw string, media *openapi3.MediaType) (any, error) {
	all, err := pairs(raw)
	if err != nil {
		return nil, err
	}
	if media == nil {
		media = &openapi3.MediaType{}
	}
	refs := []*openapi3.SchemaRef{media.Schema}
	object := map[string]any{}
	for _, s := range alternatives(media.Schema) {
		for name, ref := range s.Properties {
			if _, done := object[name]; done {
				continue
			}
			st := style{name: "form", explode: true, form: true, json: true}
			if e := media.Encoding[name]; e != nil {
				st.json = e.Style == "" && e.Explode == nil
				st.reserved = e.AllowReserved
				if e.Style != "" {
					st.name = e.Style
				}
				if st.explode = st.name == "form"; e.Explode != nil {
					st.explode = *e.Explode
				}
			}
			v, found, err := o.formMember(all, name, st, ref)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if !found {
				continue
			}
			object[name] = v
		}
	}
	for _, p := range all {
		if p.taken {
			continue
		}
		if !encoded(p.raw, "+") {
			return nil, fmt.Errorf("the value %q is not percent-encoded", p.raw)
		}
		object[p.name] = o.read(p.value, property(refs, p.name))
	}
	return object, nil
}

// formMember returns the reading of a member that its schema takes, else the
// first.
func (o *operation) formMember(all []*pair, name string, st style, ref *openapi3.SchemaRef) (any, bool, error) {
	// A member is not spread over the form: that would make it unknown whose
	// the names are.
	values, found, err := o.fromPairs(only(all, name), name, st, ref)
	if err != nil || !found || len(values) == 0 {
		return nil, found, err
	}
	for _, v := range values {
		if o.valid(ref, v) == nil {
			return v, true, nil
		}
	}
	return values[0], true, nil
}

func only(all []*pair, name string) []*pair {
	var out []*pair
	for _, p := range all {
		if p.name == name || strings.HasPrefix(p.name, name+"[") {
			out = append(out, p)
		}
	}
	return out
}

// parts reads a multipart body as an object: each part by its schema, and by the
// media type that it has, which must be one that its encoding allows.
func (o *operation) parts(data []byte, boundary string, media *openapi3.MediaType) (any, error) {
	refs := []*openapi3.SchemaRef{media.Schema}
	var unnamed []any
	r := multipart.NewReader(bytes.NewReader(data), boundary)
	sent := map[string][]any{}
	for n := 0; ; n++ {
		part, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			if n == 0 {
				return nil, errors.New("the form has no parts")
			}
			break
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		name := part.FormName()
		if name == "" {
			if !sequence(media) {
				return nil, errors.New("a part has no name")
			}
			v, err := unnamedPart(part, content, media, len(unnamed))
			if err != nil {
				return nil, err
			}
			unnamed = append(unnamed, v)
			continue
		}
		schemas := property(refs, name)
		each := items(schemas)
		contentType := part.Header.Get("Content-Type")
		base, _, _ := mime.ParseMediaType(contentType)
		if e := media.Encoding[name]; e != nil && e.ContentType != "" {
			allowed := openapi3.Content{}
			for c := range strings.SplitSeq(e.ContentType, ",") {
				allowed[strings.TrimSpace(c)] = nil
			}
			sentAs := base
			if sentAs == "" {
				sentAs = "text/plain" // RFC 7578, 4.4
			}
			if _, ok := mediaFor(allowed, contentType, sentAs); !ok {
				return nil, fmt.Errorf("the part %s is sent as %q, its encoding says %s", name, contentType, e.ContentType)
			}
		}
		var v any
		switch {
		case kindOf(base) == "json" && part.FileName() == "":
			if err := json.Unmarshal(content, &v); err != nil {
				return nil, fmt.Errorf("the part %s is no JSON: %v", name, err)
			}
		case part.FileName() != "" || base != "" && base != "text/plain":
			v = string(content)
		default:
			v = o.read(string(content), append(each, schemas...))
			// An object or an array is JSON by default (OpenAPI 3.1.1, 4.8.15.1.1).
			if len(schemas) > 0 && o.anyValidRef(schemas, v) != nil && o.anyValidRef(each, v) != nil {
				return nil, fmt.Errorf("the part %s, sent as text: %v", name, short(o.anyValidRef(schemas, v)))
			}
		}
		sent[name] = append(sent[name], v)
	}
	if len(unnamed) > 0 {
		if len(sent) > 0 {
			return nil, errors.New("some parts have names, and some have none")
		}
		return unnamed, nil
	}
	object := map[string]any{}
	for name, values := range sent {
		schemas := property(refs, name)
		if len(values) == 1 && (len(schemas) == 0 || o.anyValidRef(schemas, values[0]) == nil) {
			object[name] = values[0]
			continue
		}
		// Several parts of one name, or one, are an array. An array that is
		// delimited by its encoding is one part.
		object[name] = values
		if e := media.Encoding[name]; e != nil && e.Explode != nil && !*e.Explode && len(values) == 1 {
			if s, ok := values[0].(string); ok {
				object[name] = o.listed(strings.Split(s, ","), schemas)[0]
			}
		}
		if len(values) == 1 && o.anyValidRef(schemas, object[name]) != nil {
			object[name] = values[0]
		}
	}
	return object, nil
}

// sequence reports whether a multipart body is parts in order, without names.
func sequence(media *openapi3.MediaType) bool {
	return media.Schema == nil && media.ItemSchema != nil || shapeOf(media.Schema) == array
}

// unnamedPart reads the part at an index of a sequence.
func unnamedPart(part *multipart.Part, content []byte, media *openapi3.MediaType, i int) (any, error) {
	sentAs, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type"))
	encoding, _ := media.Extensions["itemEncoding"].(map[string]any)
	if list, _ := media.Extensions["prefixEncoding"].([]any); i < len(list) {
		encoding, _ = list[i].(map[string]any)
	}
	if want, _ := encoding["contentType"].(string); want != "" {
		allowed := openapi3.Content{}
		for c := range strings.SplitSeq(want, ",") {
			allowed[strings.TrimSpace(c)] = nil
		}
		if _, ok := mediaFor(allowed, sentAs, sentAs); !ok {
			return nil, fmt.Errorf("the part %d is sent as %q, its encoding says %s", i+1, sentAs, want)
		}
	}
	if kindOf(sentAs) == "json" {
		var v any
		if err := json.Unmarshal(content, &v); err != nil {
			return nil, fmt.Errorf("the part %d is no JSON: %v", i+1, err)
		}
		return v, nil
	}
	return string(content), nil
}

func (o *operation) anyValidRef(refs []*openapi3.SchemaRef, v any) error {
	err := errors.New("no schema takes it")
	for _, ref := range refs {
		if err = o.valid(ref, v); err == nil {
			return nil
		}
	}
	return err
}
