package endpoint

import (
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
	"github.com/apiskills/apiskills/generators/openapi/internal/names"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// load returns the operations and webhooks of a document, each with its small
// document, as the generator makes them.
func load(t testing.TB, api string, data []byte) []*Operation {
	t.Helper()
	return slices.Collect(operations(t, api, data))
}

// operations is load for documents whose operations do not fit into memory
// together.
func operations(t testing.TB, api string, data []byte) iter.Seq[*Operation] {
	t.Helper()
	doc, err := ingest.Load(api+".yaml", data)
	if err != nil {
		t.Fatalf("load %s: %v", api, err)
	}
	table := names.Table(api, doc.Operations)
	uri := func(group, name string) string { return "skill://" + api + "/" + group + "/" + name + "/SKILL.md" }
	operation := func(i int) *Operation {
		o := &doc.Operations[i]
		op := &Operation{
			API: api, Group: table[i].Group, Name: table[i].Name, URI: uri,
			GuideURI: "skill://" + api + "/" + api + "-guide/SKILL.md",
			Method:   o.Method, Path: o.Path, Webhook: o.Webhook, OperationID: o.OperationID, Pointer: o.Pointer,
			File: doc.File, Raw: doc.Raw(o), Author: author(doc.Raw(o)),
			Target: func(id, ref string) (Target, bool) {
				t, ok := doc.OperationByID(id)
				if !ok {
					t, ok = doc.OperationByPointer(ref)
				}
				if !ok {
					return Target{}, false
				}
				n := table[slices.IndexFunc(doc.Operations, func(o ingest.Operation) bool { return o.Pointer == t.Pointer })]
				return Target{URI: uri(n.Group, n.Name), Method: t.Method, Path: t.Path}, true
			},
		}
		small, _ := doc.Small(o, 32<<10)
		loaded, err := openapi3.NewLoader().LoadFromData(small)
		if err != nil {
			op.Degraded = "kin-openapi cannot load it"
			t.Logf("%s %s%s: %v", o.Method, o.Path, o.Webhook, err)
			return op
		}
		op.Doc = loaded
		if op.Item = loaded.Webhooks[o.Webhook]; o.Webhook == "" {
			op.Item = loaded.Paths.Value(o.Path)
		}
		op.Op = op.Item.GetOperation(o.Method)
		return op
	}
	return func(yield func(*Operation) bool) {
		for i := range doc.Operations {
			if !yield(operation(i)) {
				return
			}
		}
	}
}

// author returns what an operation says of itself in x-skill.
func author(raw []byte) (a Author) {
	var o struct {
		Skill Author `json:"x-skill"`
	}
	if json.Unmarshal(raw, &o) == nil {
		a = o.Skill
	}
	return a
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

// slug is an API's name after its file.
func slug(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	return names.Slug(name)
}
