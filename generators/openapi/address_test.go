package openapi

import (
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
)

// No path is so long that its operation is lost; and what is cut is no address.
func TestOperationWithAPathTooLongToShowIsServedWithoutACommand(t *testing.T) {
	for _, path := range []string{
		"/" + strings.Repeat("x", ingest.MaxAddress),
		"/{id}/" + strings.Repeat("é", 50_000),
	} {
		g, err := New("long.json", []byte(`{"openapi":"3.0.3","info":{"title":"Long","version":"1"},"servers":[{"url":"https://h.example"}],
			"paths":{"/a":{"get":{"responses":{}}},"`+path+`":{"delete":{"operationId":"far","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],
			"responses":{"204":{"description":"gone"}}}}}}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := framework.NewCatalog([]framework.Mount{{Prefix: g.API(), Generator: g}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		skills := 0
		for p, err := range c.Paths(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			e, err := c.Get(t.Context(), c.URI(p))
			if err != nil {
				t.Fatal(err)
			}
			skills++
			for _, r := range e.Resources {
				if r.Size > 15_000 {
					t.Errorf("%s has %d bytes", r.URI, r.Size)
				}
			}
			if strings.HasSuffix(p, "/far") {
				content, err := c.Read(t.Context(), e.URI)
				if err != nil {
					t.Fatal(err)
				}
				if text := string(content.Bytes); strings.Contains(text, "curl") || !strings.Contains(text, "204") || !strings.Contains(text, "too long") {
					t.Errorf("the skill is:\n%s", text)
				}
			}
		}
		if skills != 3 {
			t.Errorf("%d skills", skills)
		}
	}
}
