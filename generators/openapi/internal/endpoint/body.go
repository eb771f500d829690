package endpoint

import (
	"mime"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/apiskills/apiskills/generators/openapi/internal/schema"
	"github.com/getkin/kin-openapi/openapi3"
)

// A form is the way in which a media type is written and sent.
type form int

const (
	jsonForm      form = iota
	urlForm            // application/x-www-form-urlencoded
	multipartForm      // multipart/*
	textForm           // text that is no JSON
	binaryForm
)

// A mediaType is one entry of a content map.
type mediaType struct {
	name  string // as the document has it, on one line
	sent  string // what Content-Type says: a wildcard made concrete
	form  form
	media *openapi3.MediaType
}

// A body is what the operation takes.
type body struct {
	required bool
	says     string
	types    []mediaType // the best first
}

func (b *builder) requestBody() *body {
	ref := b.op.Op.RequestBody
	if ref == nil || ref.Value == nil || len(ref.Value.Content) == 0 {
		return nil
	}
	types := mediaTypes(ref.Value.Content)
	if !ref.Value.Required && !slices.ContainsFunc(types, func(t mediaType) bool { return !holdsNothing(t.media) }) {
		return nil // some documents give each operation a body, if only an empty one
	}
	return &body{required: ref.Value.Required, says: ref.Value.Description, types: types}
}

// holdsNothing reports whether a body can only be an object without members.
func holdsNothing(m *openapi3.MediaType) bool {
	if m.Schema == nil || m.Schema.Value == nil {
		return false
	}
	s := m.Schema.Value
	return s.Type.Is("object") && len(s.Properties) == 0 && s.AdditionalProperties.Has != nil && !*s.AdditionalProperties.Has &&
		len(s.AllOf)+len(s.OneOf)+len(s.AnyOf)+len(s.PatternProperties) == 0 && s.Example == nil && m.Example == nil && len(m.Examples) == 0
}

// mediaTypes sorts a content map: JSON first, then its relatives, forms, and
// the rest by name.
func mediaTypes(content openapi3.Content) []mediaType {
	var types []mediaType
	for name, media := range content {
		if media == nil {
			media = &openapi3.MediaType{}
		}
		t := mediaType{name: oneLine(name), media: media}
		t.sent, t.form = formOf(t.name, media)
		t.media = t.ofItems()
		types = append(types, t)
	}
	rank := func(t mediaType) int {
		base, _, _ := strings.Cut(t.name, ";")
		switch {
		case base == "application/json" && !strings.Contains(t.name, ";"):
			return 0
		case base == "application/json":
			return 1
		case base == "application/merge-patch+json":
			return 2
		case base == "application/json-patch+json" && !isArray(t.media.Schema):
			return 3 // a JSON Patch is an array: this schema is that of the others
		case t.form == jsonForm && !strings.Contains(t.name, "*"):
			return 2
		case t.form == multipartForm:
			return 3
		case t.form == urlForm:
			return 4
		case t.form == jsonForm:
			return 5
		case strings.HasPrefix(base, "text/event-stream"):
			return 8
		case t.form == textForm:
			return 6
		}
		return 7
	}
	sort.Slice(types, func(i, j int) bool {
		if a, b := rank(types[i]), rank(types[j]); a != b {
			return a < b
		}
		return types[i].name < types[j].name
	})
	return types
}

// ofItems returns the media type with a schema where the document describes the
// items of a sequence alone (OpenAPI 3.2): that of one piece where it comes in
// lines or events, else that of an array of them.
func (t mediaType) ofItems() *openapi3.MediaType {
	if t.media.Schema != nil || t.media.ItemSchema == nil {
		return t.media
	}
	m := *t.media
	m.Schema = m.ItemSchema
	if !t.isLines() && !t.isEvents() {
		list := openapi3.NewArraySchema()
		list.Items = m.ItemSchema
		m.Schema = list.NewRef()
	}
	return &m
}

func formOf(name string, media *openapi3.MediaType) (sent string, f form) {
	base := strings.ToLower(strings.TrimSpace(name))
	if b, _, err := mime.ParseMediaType(name); err == nil {
		base = b
	} else if i := strings.IndexByte(base, ';'); i >= 0 {
		base = base[:i]
	}
	binary := media.Schema != nil && isFile(media.Schema, 0)
	switch {
	case strings.Contains(base, "*"):
		switch {
		case base == "multipart/*":
			return "multipart/form-data", multipartForm
		case base == "text/*":
			return "text/plain", textForm
		case base == "image/*":
			return "image/png", binaryForm
		case base == "audio/*":
			return "audio/mpeg", binaryForm
		case base == "video/*":
			return "video/mp4", binaryForm
		case binary || media.Schema == nil:
			return "application/octet-stream", binaryForm
		}
		return "application/json", jsonForm
	case base == "application/json" || base == "text/json" || strings.HasSuffix(base, "+json"):
		return name, jsonForm
	case base == "application/x-www-form-urlencoded":
		return name, urlForm
	case strings.HasPrefix(base, "multipart/"):
		return name, multipartForm
	case binary:
		return name, binaryForm
	case strings.HasPrefix(base, "text/"), strings.HasSuffix(base, "+xml"), base == "application/xml", strings.HasSuffix(base, "yaml"),
		base == "application/graphql", base == "application/javascript", base == "application/sql", base == "application/jwt", mediaType{name: base}.isLines():
		return name, textForm
	case strings.HasSuffix(base, "json"):
		return name, jsonForm
	}
	return name, binaryForm
}

// isFile reports whether a schema is that of bytes: in 3.0 a string of the
// format binary, in 3.1 a content type without an encoding.
func isFile(ref *openapi3.SchemaRef, depth int) bool {
	if ref == nil || ref.Value == nil || depth > 8 {
		return false
	}
	s := ref.Value
	switch {
	case s.Type.Includes("file"):
		return true
	case s.Type.Includes("string") || s.Type == nil:
		if s.Format == "binary" || s.ContentMediaType != "" && s.ContentEncoding == "" {
			return true
		}
	}
	for _, sub := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		if isFile(sub, depth+1) {
			return true
		}
	}
	return false
}

// fileName names a file that the user has, by the media type it is sent as.
func fileName(stem, mediaType string) (name, sent string) {
	types := strings.Split(mediaType, ",")
	sent = strings.TrimSpace(types[0])
	if sent == "" || strings.Contains(sent, "*") {
		switch {
		case strings.HasPrefix(sent, "image/"):
			sent = "image/png"
		case strings.HasPrefix(sent, "audio/"):
			sent = "audio/mpeg"
		case strings.HasPrefix(sent, "video/"):
			sent = "video/mp4"
		case strings.HasPrefix(sent, "text/"):
			sent = "text/plain"
		default:
			sent = "application/octet-stream"
		}
	}
	base, _, _ := strings.Cut(sent, ";")
	ext := extension(strings.ToLower(strings.TrimSpace(base)))
	clean := strings.ReplaceAll(strings.ToLower(envName(stem)), "_", "-")
	if clean == "" {
		clean = "file"
	}
	return clean + "." + ext, sent
}

var shortSubtype = regexp.MustCompile(`^[a-z][a-z0-9]{1,4}$`)

// extension returns the ending of a file's name: the usual one of the media
// type, else its subtype if that could be one, as in application/epub+zip.
func extension(mediaType string) string {
	if ext, ok := extensions[mediaType]; ok {
		return ext
	}
	_, subtype, _ := strings.Cut(mediaType, "/")
	subtype, _, _ = strings.Cut(strings.TrimPrefix(subtype, "x-"), "+")
	if shortSubtype.MatchString(subtype) {
		return subtype
	}
	return "bin"
}

var extensions = map[string]string{
	"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", "image/svg+xml": "svg", "image/tiff": "tiff",
	"application/pdf": "pdf", "application/zip": "zip", "application/gzip": "gz", "application/x-gzip": "gz", "application/x-tar": "tar",
	"audio/mpeg": "mp3", "audio/wav": "wav", "audio/ogg": "ogg", "video/mp4": "mp4", "video/mpeg": "mpeg",
	"text/plain": "txt", "text/markdown": "md", "text/javascript": "js", "application/javascript": "js", "application/jsonlines": "jsonl", "application/x-ndjson": "ndjson",
	"image/x-icon": "ico", "image/vnd.microsoft.icon": "ico", "audio/x-wav": "wav", "audio/mp4": "m4a", "audio/midi": "mid", "video/quicktime": "mov",
	"application/msword": "doc", "application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt", "application/x-yaml": "yaml",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
}

// parts turns an object into the arguments of a multipart form: text, then
// JSON, then files. The order means nothing to HTTP, but servers that stream a
// file want to know about it first. It returns the files the user must have.
//
// JSON stands between double quotes inside the argument, since curl ends an
// unquoted value at the first ";".
func (b *builder) parts(t mediaType, value *schema.Value) (args, files []string) {
	type part struct {
		order int
		arg   string
	}
	var parts []part
	add := func(order int, option, arg string) {
		parts = append(parts, part{order, option + " " + quote(arg)})
	}
	if value.IsArray() && !strings.HasPrefix(t.sent, "multipart/form-data") {
		return unnamedParts(t, value)
	}
	for _, m := range value.Members() {
		property := member(t.media.Schema, m.Name)
		contentType := ""
		if e := t.media.Encoding[m.Name]; e != nil {
			contentType = oneLine(e.ContentType)
		}
		items := []*schema.Value{m.Value}
		element := property
		if m.Value.IsArray() && property != nil && property.Value != nil && property.Value.Items != nil {
			items, element = m.Value.Items(), property.Value.Items
			if isFile(element, 0) && len(items) == 0 {
				items = []*schema.Value{nil}
			}
		}
		name := singleLine(m.Name)
		for i, item := range items {
			stem := m.Name
			if len(items) > 1 {
				stem += "-" + strconv.Itoa(i+1)
			}
			switch {
			case isFile(element, 0):
				declared := contentType
				if declared == "" {
					declared = oneLine(element.Value.ContentMediaType)
				}
				file, sent := fileName(stem, declared)
				if declared == "" {
					sent = "" // curl takes it from the file's name
				} else {
					sent = ";type=" + sent
				}
				add(3, "-F", name+"=@"+file+sent)
				if !slices.Contains(files, file) {
					files = append(files, file)
				}
			case item.IsObject() || item.IsArray() || strings.Contains(contentType, "json"):
				sent := "application/json"
				if contentType != "" {
					_, sent = fileName(stem, contentType)
				}
				add(2, "-F", name+"="+formQuote(item.Line())+";type="+sent)
			case contentType != "" && !strings.HasPrefix(contentType, "text/plain"):
				_, sent := fileName(stem, contentType)
				add(1, "-F", name+"="+formQuote(item.Text())+";type="+sent)
			default:
				add(1, "--form-string", name+"="+item.Text())
			}
		}
	}
	sort.SliceStable(parts, func(i, j int) bool { return parts[i].order < parts[j].order })
	for _, p := range parts {
		args = append(args, p.arg)
	}
	return args, files
}

// unnamedParts turns an array into the arguments of a multipart body that is no
// form: its parts are in order and have no names.
func unnamedParts(t mediaType, value *schema.Value) (args, files []string) {
	for i, item := range value.Items() {
		element, declared := itemOf(t.media.Schema, i), itemType(t.media, i)
		switch {
		case isFile(element, 0) || declared != "" && !strings.Contains(declared, "json") && !strings.HasPrefix(declared, "text/"):
			if declared == "" && element.Value != nil {
				declared = oneLine(element.Value.ContentMediaType)
			}
			file, sent := fileName("part-"+strconv.Itoa(i+1), declared)
			args, files = append(args, "-F "+quote("=@"+file+";type="+sent)), append(files, file)
		case item.IsObject() || item.IsArray() || strings.Contains(declared, "json"):
			sent := "application/json"
			if declared != "" {
				_, sent = fileName("part", declared)
			}
			args = append(args, "-F "+quote("="+formQuote(item.Line())+";type="+sent))
		default:
			sent := "text/plain"
			if declared != "" {
				_, sent = fileName("part", declared)
			}
			args = append(args, "-F "+quote("="+formQuote(item.Text())+";type="+sent))
		}
	}
	return args, files
}

// itemOf returns the schema of an item of an array.
func itemOf(ref *openapi3.SchemaRef, i int) *openapi3.SchemaRef {
	switch {
	case ref == nil || ref.Value == nil:
		return nil
	case i < len(ref.Value.PrefixItems):
		return ref.Value.PrefixItems[i]
	}
	return ref.Value.Items
}

// itemType returns the media type that a part without a name is sent as, "" if
// the document does not say.
func itemType(media *openapi3.MediaType, i int) string {
	said, _ := media.Extensions["itemEncoding"].(map[string]any)
	if list, _ := media.Extensions["prefixEncoding"].([]any); i < len(list) {
		said, _ = list[i].(map[string]any)
	}
	s, _ := said["contentType"].(string)
	return oneLine(s)
}

// formQuote quotes the content of a form part for curl, which would take a
// ";", a leading "@" or "<" in it for its own.
func formQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(singleLine(s)) + `"`
}

// member returns the schema of an object's member, looked for in allOf, too.
func member(ref *openapi3.SchemaRef, name string) *openapi3.SchemaRef {
	return members(ref)[name]
}

// members returns the members of an object, those of its parts included.
func members(ref *openapi3.SchemaRef) map[string]*openapi3.SchemaRef {
	found := map[string]*openapi3.SchemaRef{}
	budget := 200
	var walk func(ref *openapi3.SchemaRef, depth int)
	walk = func(ref *openapi3.SchemaRef, depth int) {
		if budget--; ref == nil || ref.Value == nil || depth > 12 || budget < 0 {
			return
		}
		for name, p := range ref.Value.Properties {
			if _, ok := found[name]; !ok && p != nil {
				found[name] = p
			}
		}
		for _, s := range ref.Value.AllOf {
			walk(s, depth+1)
		}
		if len(found) == 0 {
			for _, s := range slices.Concat(ref.Value.OneOf, ref.Value.AnyOf) {
				walk(s, depth+1)
			}
		}
	}
	walk(ref, 0)
	return found
}

// isJSON reports whether a media type carries JSON.
func (t mediaType) isJSON() bool { return t.form == jsonForm }

// bodySample returns the body that the command sends.
func (b *builder) bodySample(t mediaType) *schema.Example {
	x := schema.MediaTypeSample(t.media, schema.Request, b.sampling(nil))
	long := len(x.Value.String()) > b.limits.example || t.form == jsonForm && strings.Count(x.Value.String(), "\n") >= b.limits.sample
	if x.Valid && x.Origin == schema.Made || long {
		// What is not required stays away from a command that may be run as it
		// is, but a form of no parts at all cannot be sent.
		smaller := schema.Sample(t.media.Schema, schema.Request, b.sampling(&schema.SampleOptions{NonEmpty: t.form == multipartForm, Form: t.form == urlForm}))
		if smaller.Valid && (len(smaller.Value.String()) < len(x.Value.String()) || x.Origin == schema.Made) {
			if x.Origin == schema.FromDocument && t.form == jsonForm {
				b.ownExample = x.Value
			}
			x.Value, x.Origin, x.Name, x.Valid, x.Unsure = smaller.Value, smaller.Origin, smaller.Name, smaller.Valid, smaller.Unsure
		}
	}
	b.faults(x, "request body "+t.name)
	return orOwn(x, t.media)
}

// orOwn returns the document's own example in place of a made one that is not
// valid: where neither is, its author knows better.
func orOwn(x *schema.Example, media *openapi3.MediaType) *schema.Example {
	if x.Valid || x.Origin == schema.FromDocument {
		return x
	}
	if media.Example != nil {
		return &schema.Example{Value: schema.ValueOf(media.Example), Origin: schema.FromDocument}
	}
	for _, name := range sortedKeys(media.Examples) {
		if ref := media.Examples[name]; ref != nil && ref.Value != nil && ref.Value.Value != nil {
			return &schema.Example{Value: schema.ValueOf(ref.Value.Value), Origin: schema.FromDocument, Name: name}
		}
	}
	return x
}

// isArray reports whether a schema is that of an array.
func isArray(ref *openapi3.SchemaRef) bool {
	return ref != nil && ref.Value != nil && (ref.Value.Items != nil || ref.Value.Type.Includes("array"))
}
