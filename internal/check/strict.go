package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"

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
	for _, err := range several {
		if err == nil || ctx.Err() != nil {
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
			if data, err = json.Marshal(v); err != nil {
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
		return doc.Validate(ctx, openapi3.EnableMultiError())
	}
	doc, err := loader.LoadFromDataWithPath(d.Data, location)
	if err != nil {
		return err
	}
	return doc.Validate(ctx, openapi3.EnableMultiError())
}
