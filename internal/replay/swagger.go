package replay

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
)

var swaggerMethods = []string{"get", "put", "post", "delete", "options", "head", "patch"}

// convert makes OpenAPI 3 of Swagger 2.0. The conversion is kin-openapi's; what
// it gets wrong, or refuses the whole document for, is mended before and after,
// each by the rule of the specification of Swagger 2.0 that says so.
func convert(tree map[string]any) (*openapi3.T, error) {
	tree = clone(tree).(map[string]any)
	walk(tree, func(m map[string]any) {
		if items, ok := m["items"].([]any); ok {
			// A list of schemas, one for each place, is JSON Schema, not Swagger.
			m["items"] = map[string]any{}
			if len(items) == 1 {
				m["items"] = items[0]
			}
		}
	})
	resolve := func(v any) map[string]any {
		m, _ := v.(map[string]any)
		if name, ok := strings.CutPrefix(text(m["$ref"]), "#/parameters/"); ok {
			all, _ := tree["parameters"].(map[string]any)
			m, _ = all[name].(map[string]any)
		}
		return m
	}
	// csv is the default of arrays, which the conversion forgets.
	walk(tree, func(m map[string]any) {
		if text(m["type"]) == "array" && text(m["in"]) == "query" && m["collectionFormat"] == nil {
			m["collectionFormat"] = "csv"
		}
	})
	type form struct {
		path, method string
		explode      map[string]bool
	}
	var forms []form
	paths, _ := tree["paths"].(map[string]any)
	for path, v := range paths {
		item, _ := v.(map[string]any)
		shared, _ := item["parameters"].([]any)
		for _, method := range swaggerMethods {
			op, ok := item[method].(map[string]any)
			if !ok {
				continue
			}
			own, _ := op["parameters"].([]any)
			var formData, bodies []int
			file := false
			arrays := map[string]bool{}
			for i, v := range own {
				switch p := resolve(v); text(p["in"]) {
				case "formData":
					formData = append(formData, i)
					file = file || text(p["type"]) == "file"
					if text(p["type"]) == "array" {
						arrays[text(p["name"])] = text(p["collectionFormat"]) == "multi"
					}
				case "body":
					bodies = append(bodies, i)
				}
			}
			for _, v := range shared {
				if text(resolve(v)["in"]) == "formData" {
					formData = append(formData, -1)
				}
			}
			// A payload is one or the other: the body, if there are both, and
			// the first of two bodies.
			drop := []int{}
			if len(bodies) > 0 {
				drop = append(append(drop, bodies[1:]...), formData...)
			}
			if len(drop) > 0 {
				var kept []any
				for i, p := range own {
					if !slices.Contains(drop, i) {
						kept = append(kept, p)
					}
				}
				op["parameters"] = kept
			}
			if len(formData) == 0 || len(bodies) > 0 {
				continue
			}
			// Form parameters are sent as a form, whatever is said to be consumed.
			consumes, ok := op["consumes"].([]any)
			if !ok {
				consumes, _ = tree["consumes"].([]any)
			}
			var kept []any
			for _, c := range consumes {
				if s := text(c); strings.HasPrefix(s, "multipart/") || strings.HasPrefix(s, "application/x-www-form-urlencoded") && !file {
					kept = append(kept, c)
				}
			}
			if len(kept) == 0 {
				kept = []any{"application/x-www-form-urlencoded"}
				if file {
					kept = []any{"multipart/form-data"}
				}
			}
			op["consumes"] = kept
			forms = append(forms, form{path, strings.ToUpper(method), arrays})
		}
	}
	data, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	var doc2 openapi2.T
	if err := json.Unmarshal(data, &doc2); err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = false
	doc, err := openapi2conv.ToV3WithLoader(&doc2, loader, &url.URL{Path: "swagger.json"})
	if err != nil {
		return nil, err
	}
	for _, f := range forms {
		item := doc.Paths.Value(f.path)
		if item == nil || item.GetOperation(f.method) == nil {
			continue
		}
		body := item.GetOperation(f.method).RequestBody
		if body == nil || body.Value == nil {
			continue
		}
		for _, media := range body.Value.Content {
			for name, explode := range f.explode {
				if media.Encoding == nil {
					media.Encoding = map[string]*openapi3.Encoding{}
				}
				media.Encoding[name] = &openapi3.Encoding{Style: "form", Explode: &explode}
			}
			if media.Schema != nil && media.Schema.Value != nil && len(media.Schema.Value.Required) > 0 {
				body.Value.Required = true
			}
		}
	}
	return doc, nil
}
