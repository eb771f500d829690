package bookshop

import (
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

func load(t *testing.T) *openapi3.T {
	t.Helper()
	data, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestDocumentIsValid includes the examples: each must fit its schema.
func TestDocumentIsValid(t *testing.T) {
	err := load(t).Validate(t.Context(),
		openapi3.IsOpenAPI31OrLater(),
		openapi3.EnableExamplesValidation(),
		openapi3.EnableSchemaDefaultsValidation(),
		openapi3.EnableSchemaFormatValidation(),
	)
	if err != nil {
		t.Fatal(err)
	}
}

// TestDocumentHasWhatItIsFor fails when an edit removes one of the
// constructs that the document exists to show.
func TestDocumentHasWhatItIsFor(t *testing.T) {
	doc := load(t)
	has := map[string]bool{}
	styles := map[string]bool{}
	operations := 0

	for _, item := range doc.Paths.Map() {
		has["server of a path"] = has["server of a path"] || len(item.Servers) > 0
		has["parameter of a path"] = has["parameter of a path"] || len(item.Parameters) > 0
		for _, op := range item.Operations() {
			operations++
			mark := func(name string, ok bool) { has[name] = has[name] || ok }
			mark("operation without operationId", op.OperationID == "")
			mark("operationId over 64 characters", len(op.OperationID) > 64)
			mark("deprecated operation with a successor", op.Deprecated && op.Extensions["x-replaced-by"] != nil)
			mark("guidance by the authors", op.Extensions["x-skill"] != nil)
			mark("server of an operation", op.Servers != nil)
			mark("callback", len(op.Callbacks) > 0)
			mark("external documentation", op.ExternalDocs != nil)
			if s := op.Security; s != nil {
				mark("public operation", len(*s) == 0)
				for _, set := range *s {
					mark("optional credentials", len(set) == 0)
					mark("alternative credentials", len(*s) > 1 && len(set) > 0)
					mark("combined credentials", len(set) > 1)
				}
			}
			for _, p := range append(op.Parameters, item.Parameters...) {
				styles[p.Value.In+" "+p.Value.Style] = true
				mark("parameter with a media type", p.Value.Content != nil)
				mark("parameter in "+p.Value.In, true)
			}
			if op.RequestBody != nil {
				for mediaType := range op.RequestBody.Value.Content {
					mark("request "+mediaType, true)
				}
			}
			for status, r := range op.Responses.Map() {
				mark("answer "+status, true)
				mark("link", len(r.Value.Links) > 0)
				for mediaType := range r.Value.Content {
					mark("answer "+mediaType, true)
				}
				for header := range r.Value.Headers {
					mark("header "+header, true)
				}
			}
			if d := op.Description; strings.Contains(d, "```") && strings.Contains(d, "|---|") && strings.Contains(d, "<p>") {
				has["prose with a fence, a table and HTML"] = true
			}
		}
	}
	if operations != 25 || len(doc.Webhooks) != 2 {
		t.Errorf("%d operations and %d webhooks, want 25 and 2", operations, len(doc.Webhooks))
	}
	for _, want := range []string{
		"server of a path", "server of an operation", "parameter of a path", "parameter with a media type",
		"parameter in path", "parameter in query", "parameter in header", "parameter in cookie",
		"operation without operationId", "operationId over 64 characters", "deprecated operation with a successor",
		"guidance by the authors", "external documentation", "callback", "link", "prose with a fence, a table and HTML",
		"public operation", "optional credentials", "alternative credentials", "combined credentials",
		"request application/json", "request application/merge-patch+json", "request application/x-www-form-urlencoded",
		"request multipart/form-data", "request image/png",
		"answer application/pdf", "answer application/x-ndjson", "answer text/event-stream", "answer text/plain",
		"answer application/problem+json", "answer 202", "answer 204", "answer 304", "answer 5XX", "answer default",
		"header ETag", "header Link", "header Location", "header Retry-After", "header RateLimit-Remaining",
	} {
		if !has[want] {
			t.Errorf("the document has no %s", want)
		}
	}
	for _, want := range []string{"query deepObject", "query pipeDelimited", "query spaceDelimited", "query form", "path matrix"} {
		if !styles[want] {
			t.Errorf("the document has no parameter in %s", want)
		}
	}
	if doc.Paths.Find("/books/{book_id}").Get.OperationID != "getBook" || doc.Paths.Find("/isbn/{isbn}").Get.OperationID != "get_book" {
		t.Error("the document has no two operations of one name in kebab-case")
	}
	category := doc.Components.Schemas["Category"].Value
	if category.Properties["children"].Value.Items.Value != category {
		t.Error("the document has no recursive schema")
	}
}
