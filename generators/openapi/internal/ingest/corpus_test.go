package ingest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
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
			step := 1
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
