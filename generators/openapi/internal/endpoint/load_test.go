package endpoint

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// load returns the operations and webhooks of a document that kin-openapi
// loads whole, in the order of their pointers.
func load(t testing.TB, api string, data []byte) []*Operation {
	t.Helper()
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(data)
	if err != nil {
		t.Fatalf("load %s: %v", api, err)
	}
	var ops []*Operation
	byID := map[string]*Operation{}
	add := func(item *openapi3.PathItem, path, webhook string) {
		for method, o := range item.Operations() {
			raw, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			group := "default"
			if len(o.Tags) > 0 {
				group = slug(o.Tags[0])
			}
			name := slug(o.OperationID)
			if name == "" {
				name = slug(method + " " + path + webhook)
			}
			pointer := "/paths/" + pointerEscape(path)
			if webhook != "" {
				group, pointer = "webhooks", "/webhooks/"+pointerEscape(webhook)
			}
			op := &Operation{
				API: api, Group: group, Name: name, URI: func(group, name string) string { return "skill://" + api + "/" + group + "/" + name + "/SKILL.md" },
				GuideURI: "skill://" + api + "/" + api + "-guide/SKILL.md", GroupFile: "references/" + group + ".md",
				Method: method, Path: path, Webhook: webhook, OperationID: o.OperationID, Pointer: pointer + "/" + strings.ToLower(method),
				File: api + ".yaml", Doc: doc, Item: item, Op: o, Raw: raw,
			}
			op.Target = func(id, ref string) (Target, bool) {
				if o, ok := byID[id]; ok {
					return Target{URI: o.URI(o.Group, o.Name), Method: o.Method, Path: o.Path}, true
				}
				return Target{}, false
			}
			ops = append(ops, op)
			if o.OperationID != "" {
				byID[o.OperationID] = op
			}
		}
	}
	for path, item := range doc.Paths.Map() {
		add(item, path, "")
	}
	for name, item := range doc.Webhooks {
		add(item, "", name)
	}
	sort.Slice(ops, func(i, j int) bool { return ops[i].Pointer < ops[j].Pointer })
	return ops
}

func pointerEscape(s string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(s)
}

func slug(s string) string {
	s = strings.Join(words(s), "-")
	if len(s) > 64 {
		s = strings.Trim(s[:64], "-")
	}
	return s
}

// find returns the operation of that method and path, or that webhook.
func find(t testing.TB, ops []*Operation, name string) *Operation {
	t.Helper()
	i := slices.IndexFunc(ops, func(o *Operation) bool { return o.Method+" "+o.Path == name || "webhook "+o.Webhook == name })
	if i < 0 {
		t.Fatalf("no operation %s", name)
	}
	return ops[i]
}

// render returns the files of the skill by name, and the diagnostics.
func render(t testing.TB, op *Operation) (map[string]string, []framework.Diagnostic) {
	t.Helper()
	e, diags := View(op)
	files, err := templates.Default().RenderEndpoint(e)
	if err != nil {
		t.Fatalf("render %s %s%s: %v", op.Method, op.Path, op.Webhook, err)
	}
	out := map[string]string{}
	for _, f := range files {
		out[f.Name] = string(f.Content)
	}
	return out, diags
}

// corpus returns a document of the corpus, or skips the test.
func corpus(t testing.TB, file string) []byte {
	t.Helper()
	dir := os.Getenv("APISKILLS_CORPUS")
	if dir == "" {
		t.Skip("APISKILLS_CORPUS is not set")
	}
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Skip(err)
	}
	return data
}
