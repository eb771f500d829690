package schema

import "github.com/getkin/kin-openapi/openapi3"

// SerializeQuery returns the query string of one parameter as sent, without
// "?", such as "state=received,analysed": percent-encoded, a space as %20. It
// is empty where nothing is sent: null, an empty array or object.
//
// v is a *Value, or what encoding/json decodes to. An error says that the
// parameter's style has no form for such a value.
func SerializeQuery(p *openapi3.Parameter, v any) (string, error) { return "", nil }

// SerializePath returns the text that takes the place of "{name}" in a path.
func SerializePath(p *openapi3.Parameter, v any) (string, error) { return "", nil }

// SerializeHeader returns the value of a header, without its name.
func SerializeHeader(p *openapi3.Parameter, v any) (string, error) { return "", nil }

// SerializeCookie returns "name=value" as it stands in a Cookie header, or
// several of them joined by "; ".
func SerializeCookie(p *openapi3.Parameter, v any) (string, error) { return "", nil }

// SerializeForm returns an object as an application/x-www-form-urlencoded body,
// its members serialized as the encodings of the media type say.
func SerializeForm(mt *openapi3.MediaType, v any) (string, error) { return "", nil }
