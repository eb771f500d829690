package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"gopkg.in/yaml.v3"
)

// strict has kin-openapi load and validate the document as a whole.
func (d *document) strict(ctx context.Context) {
	err := d.validate(ctx)
	var several openapi3.MultiError
	if !errors.As(err, &several) {
		several = openapi3.MultiError{err}
	}
	newer := d.newer()
	for _, err := range several {
		if err == nil || ctx.Err() != nil || slices.ContainsFunc(newer, func(r *regexp.Regexp) bool { return r.MatchString(err.Error()) }) {
			continue
		}
		d.add("openapi-invalid", d.Name, "", "%s", cut(err.Error()))
	}
}

var errNotRead = errors.New("the file was not read with the document")

func (d *document) validate(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("kin-openapi cannot read the document: %v", r)
		}
	}()
	loader := openapi3.NewLoader()
	loader.Context = ctx
	loader.IsExternalRefsAllowed = true
	// Nothing is opened: the files are those that the generator has read.
	const root = "/document/"
	location := &url.URL{Path: root + "openapi.json"}
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, u *url.URL) ([]byte, error) {
		if u.Scheme != "" || u.Host != "" {
			return nil, errNotRead
		}
		for name, data := range d.Files {
			if path.Join(root, name) == path.Clean(u.Path) {
				return data, nil
			}
		}
		return nil, errNotRead
	}
	var version struct {
		Swagger any `json:"swagger" yaml:"swagger"`
	}
	if err := yaml.Unmarshal(d.Data, &version); err == nil && version.Swagger != nil {
		doc2 := &openapi2.T{}
		data := d.Data
		if !json.Valid(data) {
			var v any
			if err := yaml.Unmarshal(data, &v); err != nil {
				return err
			}
			if data, err = json.Marshal(textKeys(v)); err != nil {
				return err
			}
		}
		if err := json.Unmarshal(data, doc2); err != nil {
			return err
		}
		doc, err := openapi2conv.ToV3WithLoader(doc2, loader, location)
		if err != nil {
			return err
		}
		// What the conversion has no style for is left as it stands.
		return doc.Validate(ctx, openapi3.EnableMultiError(), openapi3.DisableExamplesValidation(), openapi3.AllowExtraSiblingFields("collectionFormat"))
	}
	doc, err := loader.LoadFromDataWithPath(d.Data, location)
	if err != nil {
		return err
	}
	// Examples are checked elsewhere, by the direction in which they travel.
	options := []openapi3.ValidationOption{openapi3.EnableMultiError(), openapi3.DisableExamplesValidation()}
	if doc.IsOpenAPI31OrLater() {
		options = append(options, openapi3.AllowExtraSiblingFields(fields31...))
	}
	if strings.HasPrefix(doc.OpenAPI, "3.2") {
		options = append(options, openapi3.AllowExtraSiblingFields(fields32...))
	}
	return doc.Validate(ctx, options...)
}

// Members of OpenAPI 3.1 and 3.2 that kin-openapi (v0.153) takes for unknown
// ones, wherever it meets them.
var (
	fields31 = []string{"pathItems"}
	fields32 = []string{
		"$self", "mediaTypes", "defaultMapping", "deviceAuthorization", "deviceAuthorizationUrl", "oauth2MetadataUrl", "deprecated",
		"itemSchema", "itemEncoding", "prefixEncoding", "encoding", "dataValue", "serializedValue", "additionalOperations", "query",
		"summary", "parent", "kind", "name", "nodeType", "$ref",
	}
)

// newer31 and newer32 are refusals of what OpenAPI 3.1 and 3.2 allow, and the
// version before did not. Whether references lead anywhere is checked elsewhere.
var newer31 = []*regexp.Regexp{
	regexp.MustCompile(`expected fragment prefix '#/' in URI`),
}

var newer32 = []*regexp.Regexp{
	newer31[0],
	regexp.MustCompile(`no value or externalValue field$`), // it has a dataValue or a serializedValue
	regexp.MustCompile(`can't have 'in' value "querystring"`),
	regexp.MustCompile(`a short description of the response is required$`),
	regexp.MustCompile(`serialization method with style="cookie"`),
	regexp.MustCompile(`security scheme 'flow' is invalid: .*(?:deviceAuthorization|'authorizationUrl')`),
}

// newer returns what kin-openapi says of valid documents of a version that it
// does not know well.
func (d *document) newer() []*regexp.Regexp {
	var version struct {
		OpenAPI string `yaml:"openapi"`
	}
	switch yaml.Unmarshal(d.Data, &version); {
	case strings.HasPrefix(version.OpenAPI, "3.2"):
		return newer32
	case strings.HasPrefix(version.OpenAPI, "3.1"):
		return newer31
	}
	return nil
}

// textKeys makes texts of the keys of YAML that are none, such as a status.
func textKeys(v any) any {
	switch v := v.(type) {
	case map[any]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[fmt.Sprint(k)] = textKeys(e)
		}
		return out
	case map[string]any:
		for k, e := range v {
			v[k] = textKeys(e)
		}
	case []any:
		for i, e := range v {
			v[i] = textKeys(e)
		}
	}
	return v
}
