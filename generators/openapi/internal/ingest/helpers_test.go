package ingest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

func mustLoad(t testing.TB, file, text string) *Document {
	t.Helper()
	doc, err := Load(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// find returns the operation "METHOD /path", or "METHOD name" of a webhook.
func find(t testing.TB, doc *Document, name string) *Operation {
	t.Helper()
	for i := range doc.Operations {
		if op := &doc.Operations[i]; op.Method+" "+op.Path+op.Webhook == name {
			return op
		}
	}
	t.Fatalf("no operation %q among %v", name, names(doc))
	return nil
}

func names(doc *Document) []string {
	var out []string
	for _, op := range doc.Operations {
		out = append(out, op.Method+" "+op.Path+op.Webhook)
	}
	return out
}

// small makes the small document of an operation, checks that it loads, and
// decodes it.
func small(t testing.TB, doc *Document, name string) (map[string]any, []framework.Diagnostic) {
	t.Helper()
	data, diags := doc.Small(find(t, doc, name), budget)
	if _, err := kinLoad(data); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, data)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v, diags
}

// at follows the keys of a path such as "components/schemas/Pet"; "~1" is a slash.
func at(v any, path string) any {
	for _, k := range strings.Split(path, "/") {
		switch c := v.(type) {
		case map[string]any:
			v = c[unescape(k)]
		case []any:
			i := index(k)
			if i < 0 || i >= len(c) {
				return nil
			}
			v = c[i]
		default:
			return nil
		}
	}
	return v
}

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func rules(diags []framework.Diagnostic) string {
	var out []string
	for _, d := range diags {
		out = append(out, d.Rule)
	}
	return strings.Join(out, " ")
}

// document wraps paths and components in the rest of a document.
func document(version, paths, components string) string {
	return `{"openapi":"` + version + `","info":{"title":"T","version":"1"},"paths":` + paths + `,"components":` + components + `}`
}

// withSchema is a document of which GET /a answers with a schema.
func withSchema(version, schema, components string) string {
	return document(version, `{"/a":{"get":{"responses":{"200":{"description":"ok","content":{"application/json":{"schema":`+schema+`}}}}}}}`, components)
}

const answer = "paths/~1a/get/responses/200/content/application~1json/schema"
