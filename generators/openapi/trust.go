package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// ProseMode says how much of a document's prose the skills carry: summaries,
// descriptions, titles, and what its authors say to agents (x-skill). Names,
// addresses, types, values and samples are no prose: they are what a call is
// made of, and are there in each mode.
//
// The mode is part of the bytes of the skills and of nothing else. In each mode
// prose is parsed as Markdown and written anew, so that it cannot leave its
// place; the modes are about what a reader takes it for.
type ProseMode string

const (
	// ProseFull carries it all: in descriptions and headings, in cells of tables
	// under "The document says", after "# " in notation, and in blockquotes. What
	// the authors say to agents stands under its own heading.
	ProseFull ProseMode = "full"
	// ProseQuoted carries it only where every line is marked as a quotation: in
	// blockquotes and after "# " in notation. The descriptions, by which a host
	// chooses a skill before anybody reads it, and the headings are made of
	// method, path and names. What the authors say to agents is quoted too.
	ProseQuoted ProseMode = "quoted"
	// ProseNone carries no sentence of the document.
	ProseNone ProseMode = "none"
)

// proseMode returns the mode, which is ProseFull by default.
func proseMode(file string, m ProseMode) (ProseMode, error) {
	switch m {
	case "":
		return ProseFull, nil
	case ProseFull, ProseQuoted, ProseNone:
		return m, nil
	}
	return "", &Error{File: file, Msg: fmt.Sprintf("%.40q is no mode of prose", string(m)), Hint: "take full, quoted or none"}
}

// aside returns prose that stands outside of a quotation, as far as it may.
func (g *Generator) aside(s string) string {
	if g.prose != ProseFull {
		return ""
	}
	return s
}

// withoutProse returns the JSON of an OpenAPI document, or of an operation,
// with every text emptied that is prose. What is not JSON comes back as it is.
func withoutProse(raw []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw
	}
	emptyProse(v)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return raw
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// Members of the objects of OpenAPI and JSON Schema that are not objects of
// these in their turn.
var (
	// named are maps: their keys are names, whatever they look like.
	named = setOf("paths webhooks pathItems additionalOperations properties patternProperties $defs definitions schemas dependentSchemas dependencies responses headers content mediaTypes encoding requestBodies securitySchemes variables examples parameters callbacks")
	// values are data, or names of other things.
	values = setOf("example default enum const value dataValue serializedValue externalValue mapping security required dependentRequired $ref x-apiskills-missing x-replaced-by")
	// proses are prose, if they are strings.
	proses = setOf("description summary title $comment")
)

func setOf(s string) map[string]bool {
	m := map[string]bool{}
	for _, k := range strings.Fields(s) {
		m[k] = true
	}
	return m
}

// emptyProse empties the prose in an object of a document, or in a list of them.
func emptyProse(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			emptyProse(e)
		}
	case map[string]any:
		for k, e := range v {
			text, isText := e.(string)
			object, isObject := e.(map[string]any)
			switch {
			case values[k]:
			case proses[k]:
				v[k] = "" // a reference that somebody put there too
			case k == "x-skill" && isObject:
				delete(object, "description")
				delete(object, "guidance")
			case strings.HasPrefix(k, "x-") && isText:
				if strings.ContainsAny(text, " \t\n") {
					v[k] = ""
				}
			case strings.HasPrefix(k, "x-") && k != "x-webhooks":
				if _, list := e.([]any); list || isObject {
					delete(v, k)
				}
			case k == "scopes" && isObject:
				for scope := range object {
					object[scope] = ""
				}
			case k == "links" && isObject: // whose parameters and bodies are values
				for _, l := range object {
					if l, ok := l.(map[string]any); ok {
						l["description"] = ""
					}
				}
			case k == "examples" && !isObject: // of a schema
			case named[k] && isObject:
				for _, e := range object {
					if k == "callbacks" { // a map of maps
						if c, ok := e.(map[string]any); ok {
							for _, item := range c {
								emptyProse(item)
							}
						}
						continue
					}
					emptyProse(e)
				}
			default:
				emptyProse(e)
			}
		}
	}
}

// forget empties the meanings of scopes if the skills carry no prose.
func (f *flows) forget(m ProseMode) {
	if m != ProseNone {
		return
	}
	for _, flow := range []*flow{f.AuthorizationCode, f.ClientCredentials, f.DeviceAuthorization, f.Implicit, f.Password} {
		if flow != nil {
			for scope := range flow.Scopes {
				flow.Scopes[scope] = ""
			}
		}
	}
}
