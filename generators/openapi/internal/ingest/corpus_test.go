package ingest

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// budget is what the generator asks for by default.
const budget = 32 << 10

// corpus returns the bytes of a document of the corpus, or skips the test.
func corpus(t testing.TB, name string) []byte {
	dir := os.Getenv("APISKILLS_CORPUS")
	if dir == "" {
		t.Skip("APISKILLS_CORPUS does not name a folder with documents")
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Skip(err)
	}
	return data
}

// kinLoad loads a small document the way the generator does.
func kinLoad(data []byte) (*openapi3.T, error) { return openapi3.NewLoader().LoadFromData(data) }

func TestCorpusEverySmallDocumentLoads(t *testing.T) {
	for _, name := range []string{
		"github-api.json", "stripe.json", "openai.yaml", "box.json", "discord.json", "notion.json",
		"twilio-api-v2010.json", "kubernetes-core-v1.json", "docker-engine-3.2.yaml", "adyen-checkout-v71.yaml",
		"museum.yaml", "petstore-v3.yaml", "readme-api-3.1.json", "scalar-galaxy-3.1.yaml", "oai-webhook-3.1.yaml",
		"oai-uspto.yaml", "qdrant.json", "pagerduty.json", "redocly-cafe-3.2.yaml", "aws-s3.yaml", "aws-ec2.yaml",
		"google-compute-v1.yaml", "stackexchange.yaml", "xkcd.yaml", "digitalocean/DigitalOcean-public.v2.yaml",
		"matrix-client-server/api/client-server/sync.yaml",
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := Load(name, corpus(t, name))
			if err != nil {
				t.Fatal(err)
			}
			var sizes []int
			var makes, loads []time.Duration
			rules := map[string]int{}
			for _, dg := range doc.Diagnostics {
				rules[dg.Rule]++
			}
			// Skills of all of them are made by the tests of the corpus as a whole.
			step := 1 + len(doc.Operations)/150
			if testing.Short() {
				step = 1 + len(doc.Operations)/20
			}
			for i := 0; i < len(doc.Operations); i += step {
				op := &doc.Operations[i]
				t0 := time.Now()
				small, diags := doc.Small(op, budget)
				t1 := time.Now()
				k, err := kinLoad(small)
				t2 := time.Now()
				if err != nil {
					t.Errorf("%s: %v", op.Pointer, err)
					continue
				}
				if !json.Valid(small) {
					t.Errorf("%s: not JSON", op.Pointer)
				}
				if again, _ := doc.Small(op, budget); !bytes.Equal(again, small) {
					t.Errorf("%s: two small documents differ", op.Pointer)
				}
				var item *openapi3.PathItem
				if op.Webhook != "" {
					item = k.Webhooks[op.Webhook]
				} else {
					item = k.Paths.Value(op.Path)
				}
				if item == nil || len(item.Operations()) != 1 {
					t.Errorf("%s: the small document has not exactly its operation", op.Pointer)
				}
				for _, dg := range diags {
					rules[dg.Rule]++
				}
				sizes = append(sizes, len(small))
				makes, loads = append(makes, t1.Sub(t0)), append(loads, t2.Sub(t1))
			}
			slices.Sort(sizes)
			slices.Sort(makes)
			slices.Sort(loads)
			n := len(sizes)
			if n == 0 {
				return
			}
			t.Logf("%d operations; size p50 %d p95 %d max %d; Small p50 %v p95 %v; kin p50 %v p95 %v; diagnostics %v",
				len(doc.Operations), sizes[n/2], sizes[n*95/100], sizes[n-1],
				makes[n/2], makes[n*95/100], loads[n/2], loads[n*95/100], rules)
		})
	}
}

// Without a budget a small document gives the operation that a whole load gives.
func TestCorpusSmallEqualsTheWholeLoad(t *testing.T) {
	for name, step := range map[string]int{
		"github-api.json": 10, "stripe.json": 120, "box.json": 3, "discord.json": 3, "notion.json": 1, "qdrant.json": 1,
		"twilio-api-v2010.json": 1, "kubernetes-core-v1.json": 5, "museum.yaml": 1, "petstore-v3.yaml": 1, "adyen-checkout-v71.yaml": 4,
	} {
		t.Run(name, func(t *testing.T) {
			data := corpus(t, name)
			whole, err := kinLoad(data)
			if err != nil {
				t.Skip(err)
			}
			doc, err := Load(name, data)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(doc.Operations); i += step {
				op := &doc.Operations[i]
				small, _ := doc.Small(op, 1<<30)
				k, err := kinLoad(small)
				if err != nil {
					t.Fatalf("%s: %v", op.Pointer, err)
				}
				want, got := whole.Paths.Value(op.Path), k.Paths.Value(op.Path)
				if op.Webhook != "" {
					want, got = whole.Webhooks[op.Webhook], k.Webhooks[op.Webhook]
				}
				c := comparison{seen: map[[2]*openapi3.Schema]bool{}}
				c.parameters(got.Parameters, want.Parameters)
				c.operation(got.GetOperation(op.Method), want.GetOperation(op.Method))
				if c.diff != "" {
					t.Errorf("%s: %s", op.Pointer, c.diff)
				}
			}
		})
	}
}

// A comparison looks for the first difference between two loaded operations, in
// what an answer depends on: not in prose and examples, which are cut.
type comparison struct {
	at   []string
	diff string
	seen map[[2]*openapi3.Schema]bool
}

func (c *comparison) in(name string, f func()) {
	c.at = append(c.at, name)
	f()
	c.at = c.at[:len(c.at)-1]
}

func (c *comparison) same(name string, got, want any) {
	if c.diff == "" && toJSON(got) != toJSON(want) {
		c.diff = strings.Join(c.at, "/") + " " + name + ": " + toJSON(got) + ", want " + toJSON(want)
	}
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (c *comparison) operation(got, want *openapi3.Operation) {
	c.same("id", got.OperationID, want.OperationID)
	c.same("tags", got.Tags, want.Tags)
	c.same("deprecated", got.Deprecated, want.Deprecated)
	c.same("summary", got.Summary, want.Summary)
	c.parameters(got.Parameters, want.Parameters)
	c.same("has a body", got.RequestBody != nil, want.RequestBody != nil)
	if want.RequestBody != nil && c.diff == "" {
		c.same("required", got.RequestBody.Value.Required, want.RequestBody.Value.Required)
		c.content(got.RequestBody.Value.Content, want.RequestBody.Value.Content)
	}
	c.same("statuses", got.Responses.Keys(), want.Responses.Keys())
	for _, status := range want.Responses.Keys() {
		g, w := got.Responses.Value(status), want.Responses.Value(status)
		if c.diff != "" || g == nil || w == nil {
			return
		}
		c.in(status, func() {
			c.same("headers", keys(g.Value.Headers), keys(w.Value.Headers))
			for name, h := range w.Value.Headers {
				if gh := g.Value.Headers[name]; gh != nil {
					c.in(name, func() { c.schema(gh.Value.Schema, h.Value.Schema) })
				}
			}
			c.same("links", keys(g.Value.Links), keys(w.Value.Links))
			c.content(g.Value.Content, w.Value.Content)
		})
	}
}

func (c *comparison) parameters(got, want openapi3.Parameters) {
	c.same("parameters", len(got), len(want))
	for i := range want {
		if c.diff != "" {
			return
		}
		g, w := got[i].Value, want[i].Value
		c.in(w.Name, func() {
			c.same("parameter", []any{g.Name, g.In, g.Required, g.Style, g.Explode, g.Deprecated}, []any{w.Name, w.In, w.Required, w.Style, w.Explode, w.Deprecated})
			c.schema(g.Schema, w.Schema)
			c.content(g.Content, w.Content)
		})
	}
}

func (c *comparison) content(got, want openapi3.Content) {
	c.same("media types", keys(got), keys(want))
	for name, w := range want {
		if g := got[name]; g != nil {
			c.in(name, func() {
				c.schema(g.Schema, w.Schema)
				c.same("encoding", keys(g.Encoding), keys(w.Encoding))
			})
		}
	}
}

func (c *comparison) schema(got, want *openapi3.SchemaRef) {
	if c.diff != "" || got == nil && want == nil {
		return
	}
	if got == nil || want == nil || got.Value == nil || want.Value == nil {
		c.same("schema is there", got != nil && got.Value != nil, want != nil && want.Value != nil)
		return
	}
	g, w := got.Value, want.Value
	if c.seen[[2]*openapi3.Schema{g, w}] {
		return
	}
	c.seen[[2]*openapi3.Schema{g, w}] = true
	facts := func(s *openapi3.Schema) []any {
		enum := s.Enum
		if s.Extensions[omittedKey] != nil || len(toJSON(enum)) > maxEnum {
			enum = nil
		}
		return []any{
			s.Type, s.Format, s.Pattern, enum, s.Const, s.Required, s.Nullable, s.ReadOnly, s.WriteOnly, s.Deprecated,
			s.Min, s.Max, s.MultipleOf, s.MinLength, s.MaxLength, s.MinItems, s.MaxItems, s.MinProps, s.MaxProps, s.UniqueItems,
			s.AdditionalProperties.Has, s.Always, keys(s.Properties), keys(s.PatternProperties), len(s.AllOf), len(s.AnyOf), len(s.OneOf), len(s.PrefixItems),
			s.ExclusiveMin, s.ExclusiveMax, s.Extensions[stubKey],
		}
	}
	c.same("schema", facts(g), facts(w))
	for name, p := range w.Properties {
		c.in(name, func() { c.schema(g.Properties[name], p) })
	}
	for i, lists := range [][2]openapi3.SchemaRefs{{g.AllOf, w.AllOf}, {g.AnyOf, w.AnyOf}, {g.OneOf, w.OneOf}, {g.PrefixItems, w.PrefixItems}} {
		for k := range lists[1] {
			if c.diff == "" {
				c.in([]string{"allOf", "anyOf", "oneOf", "prefixItems"}[i]+itoa(k), func() { c.schema(lists[0][k], lists[1][k]) })
			}
		}
	}
	c.in("items", func() { c.schema(g.Items, w.Items) })
	c.in("not", func() { c.schema(g.Not, w.Not) })
	c.in("additionalProperties", func() { c.schema(g.AdditionalProperties.Schema, w.AdditionalProperties.Schema) })
}
