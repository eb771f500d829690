package skillsmcp

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/apiskills/apiskills/framework"
)

func TestTemplatesOfTheAuthorComeAfterTheCatalogs(t *testing.T) {
	b := newServer(t, nil)
	b.mcp.AddResourceTemplate(mcp.NewResourceTemplate("note://{day}", "notes"),
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) { return nil, nil })
	for era, request := range map[string]call{"modern": {"resources/templates/list", ``, ""}, "empty cursor": {"resources/templates/list", `"cursor":""`, ""}} {
		w := httptest.NewRecorder()
		b.Handler().ServeHTTP(w, modern(request.method, request.members))
		var message struct {
			Result struct {
				ResourceTemplates []struct{ URITemplate string }
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &message); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range message.Result.ResourceTemplates {
			got = append(got, r.URITemplate)
		}
		if want := []string{"skill://shelf/books/{name}/SKILL.md", "note://{day}"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", era, got, want)
		}
	}
}

func TestCompletionOfAPromptIsMCPGos(t *testing.T) {
	b := newServer(t, nil)
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, modern("completion/complete", `"ref":{"type":"ref/prompt","name":"ask"},"argument":{"name":"a","value":""}`))
	var message struct {
		Result struct {
			Completion *struct{ Values []string }
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &message); err != nil || message.Result.Completion == nil {
		t.Errorf("%s, %v", w.Body, err)
	}
}

func TestResultsArePrivateWhereTheyDependOnTheCaller(t *testing.T) {
	c, err := framework.NewCatalog([]framework.Mount{{Prefix: "shelf", Generator: newShelf()}},
		&framework.Options{Logger: discard, Allow: func(context.Context, string) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	b := bind(t, c, nil)
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, modern("skills/list", ``))
	var message struct{ Result struct{ CacheScope string } }
	if err := json.Unmarshal(w.Body.Bytes(), &message); err != nil || message.Result.CacheScope != "private" {
		t.Errorf("%s, %v", w.Body, err)
	}
}
