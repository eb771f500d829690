package schema

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// loadCorpus loads a document of the corpus, or skips the test.
func loadCorpus(t testing.TB, file string) *openapi3.T {
	t.Helper()
	dir := os.Getenv("APISKILLS_CORPUS")
	if dir == "" {
		t.Skip("APISKILLS_CORPUS is not set")
	}
	doc, err := openapi3.NewLoader().LoadFromFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatalf("load %s: %v", file, err)
	}
	return doc
}

// eachBody calls f for every request and response body of a document.
func eachBody(doc *openapi3.T, f func(where string, mt *openapi3.MediaType, d Direction)) {
	content := func(where string, c openapi3.Content, d Direction) {
		for _, mt := range slices.Sorted(maps.Keys(c)) {
			if c[mt] != nil {
				f(where+" "+mt, c[mt], d)
			}
		}
	}
	paths := doc.Paths.Map()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		ops := paths[path].Operations()
		for _, method := range slices.Sorted(maps.Keys(ops)) {
			op := ops[method]
			if op.RequestBody != nil && op.RequestBody.Value != nil {
				content(method+" "+path, op.RequestBody.Value.Content, Request)
			}
			responses := op.Responses.Map()
			for _, status := range slices.Sorted(maps.Keys(responses)) {
				if r := responses[status].Value; r != nil {
					content(method+" "+path+" "+status, r.Content, Response)
				}
			}
		}
	}
}

func TestCorpusSamplesValidateAndLinesAreBounded(t *testing.T) {
	for _, file := range strings.Fields(corpusFiles()) {
		t.Run(file, func(t *testing.T) {
			doc := loadCorpus(t, file)
			var total, valid, kin, example int
			faults := map[string]int{}
			var slow time.Duration
			var slowest string
			begin := time.Now()
			ops := map[string]bool{}
			eachBody(doc, func(where string, mt *openapi3.MediaType, d Direction) {
				f := strings.Fields(where)
				ops[f[0]+f[1]] = true
				start := time.Now()
				b := Describe(mt.Schema, d, &Options{MaxLines: 200, Schemas: doc.Components.Schemas})
				var samples []*Example
				for _, full := range []bool{false, true} {
					samples = append(samples, MediaTypeSample(mt, d, &SampleOptions{Full: full, Minimal: !full, Schemas: doc.Components.Schemas}))
				}
				if took := time.Since(start); took > slow {
					slow, slowest = took, where
				}
				if len(b.Lines) > 200 {
					t.Errorf("%s: %d lines", where, len(b.Lines))
				}
				for _, l := range append(slices.Clone(b.Lines), "  body: "+b.Type) {
					if len(l) > 8000 {
						t.Errorf("%s: %d bytes: %.100q", where, len(l), l)
					}
					if err := checkLine(l); err != nil {
						t.Errorf("%s: %.300q is not in the grammar: %v", where, l, err)
					}
				}
				for _, e := range samples {
					total++
					if e.Valid {
						valid++
					}
					for _, x := range e.Faults {
						if x.Rule == "example-invalid" {
							example++
							continue
						}
						faults[where+": "+x.Where+": "+x.Message]++
					}
					if mt.Schema == nil || mt.Schema.Value == nil {
						kin++
						continue
					}
					as := openapi3.VisitAsRequest()
					if d == Response {
						as = openapi3.VisitAsResponse()
					}
					err := mt.Schema.Value.VisitJSON(e.Value.Any(), as)
					if err != nil && doc.IsOpenAPI31OrLater() {
						// The fast mode does not know const; this one does.
						err = mt.Schema.Value.VisitJSON(e.Value.Any(), openapi3.EnableJSONSchema2020())
					}
					if err == nil {
						kin++
					} else if e.Valid {
						faults[where+": kin: "+fmt.Sprintf("%.300s", strings.ReplaceAll(err.Error(), "\n", " "))]++
					}
				}
			})
			t.Logf("%d operations with bodies, %d samples: %.2f %% valid, %.2f %% to VisitJSON; %d examples of the document refused; %v in all, slowest %v (%s)",
				len(ops), total, pct(valid, total), pct(kin, total), example, time.Since(begin).Round(time.Millisecond), slow, slowest)
			if testing.Verbose() {
				list := slices.Collect(maps.Keys(faults))
				sort.Strings(list)
				for _, f := range list[:min(len(list), 40)] {
					t.Log(f)
				}
			}
			if pct(valid, total) < 99 {
				t.Errorf("%.2f %% of the samples are valid, want 99", pct(valid, total))
			}
		})
	}
}

func corpusFiles() string {
	if f := os.Getenv("APISKILLS_CORPUS_FILES"); f != "" {
		return f
	}
	return "petstore-v3.yaml discord.json openai.yaml"
}

func pct(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// BenchmarkOperation describes and samples every body of one operation of
// GitHub, as rendering its skill does.
func BenchmarkOperation(b *testing.B) {
	doc := loadCorpus(b, "github-api.json")
	for _, path := range []string{"/repos/{owner}/{repo}/issues", "/repos/{owner}/{repo}/pulls/{pull_number}", "/gists"} {
		b.Run(path, func(b *testing.B) {
			item := doc.Paths.Value(path)
			one := &openapi3.T{Paths: openapi3.NewPaths(openapi3.WithPath(path, &openapi3.PathItem{Get: item.Get}))}
			b.ReportAllocs()
			for b.Loop() {
				eachBody(one, func(_ string, mt *openapi3.MediaType, d Direction) {
					Describe(mt.Schema, d, &Options{MaxLines: 60, Schemas: doc.Components.Schemas})
					MediaTypeSample(mt, d, nil)
				})
			}
		})
	}
}
