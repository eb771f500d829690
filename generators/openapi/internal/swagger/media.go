package swagger

import (
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// maxMediaTypes is how many media types one list may have.
const maxMediaTypes = 64

const (
	typeJSON      = "application/json"
	typeForm      = "application/x-www-form-urlencoded"
	typeMultipart = "multipart/form-data"
	typeBytes     = "application/octet-stream"
)

// mediaTypes returns the media types that an operation states as consumes or
// produces, else those of the document, else nil.
func (u *upgrader) mediaTypes(op object, k string) []string {
	for _, o := range []object{op, u.doc} {
		v, ok := o[k]
		if !ok || v == nil {
			continue
		}
		listed, ok := asTexts(v)
		if !ok {
			u.wrongType(k)
			continue
		}
		var out []string
		for _, s := range listed {
			if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
				out = append(out, s)
			}
			if len(out) == maxMediaTypes {
				u.note(framework.Warning, "size", "%s lists too many media types: the first %d are kept", k, maxMediaTypes)
				break
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// baseType returns a media type without its parameters, in lower case.
func baseType(mediaType string) string {
	base, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(base))
}

func isMultipart(mediaType string) bool { return strings.HasPrefix(baseType(mediaType), "multipart/") }

func isForm(mediaType string) bool {
	return baseType(mediaType) == typeForm || isMultipart(mediaType)
}

func filter(list []string, keep func(string) bool) []string {
	var out []string
	for _, s := range list {
		if keep(s) {
			out = append(out, s)
		}
	}
	return out
}

// typeFor returns the media type of what has that schema, where none is stated.
func typeFor(schema object) string {
	if schema["format"] == "binary" {
		return typeBytes
	}
	return typeJSON
}

// orElse returns list, or what stands in for an empty one.
func orElse(list []string, instead string) []string {
	if len(list) == 0 {
		return []string{instead}
	}
	return list
}

// formTypes returns the media types that form parameters are sent as. They
// describe forms and nothing else, and only a multipart form takes a file.
func (u *upgrader) formTypes(consumes []string, file bool) []string {
	keep, instead := isForm, typeForm
	if file {
		keep, instead = isMultipart, typeMultipart
	}
	forms := orElse(filter(consumes, keep), instead)
	others := filter(consumes, func(s string) bool { return !keep(s) && !strings.Contains(s, "*") })
	if len(others) > 0 {
		u.note(framework.Note, "form-types", "form parameters do not describe %s: the form is sent as %s",
			shorten(strings.Join(others, ", ")), shorten(strings.Join(forms, ", ")))
	}
	return forms
}
