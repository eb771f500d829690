package openapi

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// random returns a source of randomness, and logs its seed if the test fails. To
// run a failure again, put the seed here.
func random(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the seed was %d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// renamed is the document under another file name, with the references of its
// other files to it.
func (d *docset) renamed(name string) *docset {
	c := d.clone()
	c.name = name
	var walk func(file string, v any)
	walk = func(file string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				if to, _ := d.target(file, ref); to == "" && !strings.HasPrefix(ref, "#") {
					v["$ref"] = strings.Replace(ref, d.name, name, 1)
				}
			}
			for _, e := range v {
				walk(file, e)
			}
		case []any:
			for _, e := range v {
				walk(file, e)
			}
		}
	}
	for file, v := range c.files {
		walk(file, v)
	}
	return c
}

func TestEverySpellingOfADocumentGivesTheSameBytes(t *testing.T) {
	for _, d := range smallDocsets(t) {
		t.Run(d.api, func(t *testing.T) {
			r := random(t)
			want := renderAll(t, d.generator(t, minified, 0))
			kinds := r.Perm(spellings)
			if testing.Short() {
				kinds = kinds[:2]
			}
			for _, kind := range kinds {
				for range 2 {
					s := newSpeller(r, kind)
					c := d.renamed([]string{"a.json", "b.yaml", "Ünlikely 12.yml"}[r.IntN(3)])
					sameSkills(t, s.name+" in "+c.name, renderAll(t, c.generator(t, s.spell, 0)), want)
				}
			}
		})
	}
}

// The budget decides what of a large document is shown: that must not depend on
// its spelling either.
func TestEverySpellingIsCutAtTheSamePlaces(t *testing.T) {
	for _, d := range smallDocsets(t) {
		t.Run(d.api, func(t *testing.T) {
			r := random(t)
			budgets := []int{400, 900, 2000}
			if testing.Short() {
				budgets = budgets[:1]
			}
			for _, budget := range budgets {
				want := renderAll(t, d.generator(t, minified, budget))
				for range 3 {
					s := newSpeller(r, r.IntN(spellings))
					sameSkills(t, fmt.Sprintf("%s at %d bytes", s.name, budget), renderAll(t, d.generator(t, s.spell, budget)), want)
				}
			}
		})
	}
}

func TestBytesDependNeitherOnTheOrderOfAccessNorOnProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, d := range smallDocsets(t) {
		t.Run(d.api, func(t *testing.T) {
			r := random(t)
			runtime.GOMAXPROCS(1)
			want := renderAll(t, d.generator(t, minified, 0))
			for _, processors := range []int{1, 2, 5} {
				runtime.GOMAXPROCS(processors)
				g := d.generator(t, minified, 0)
				list := paths(t, g, "")
				var wait sync.WaitGroup
				for range 4 {
					order := r.Perm(len(list))
					wait.Go(func() {
						for _, i := range order {
							s, err := g.Skill(context.Background(), list[i])
							if err != nil {
								t.Error(err)
								return
							}
							if got := contents(t, s); !maps.Equal(got, want[g.api+"/"+list[i]]) {
								t.Errorf("on %d processors %s differs", processors, list[i])
							}
						}
					})
				}
				wait.Wait()
			}
		})
	}
}

// realDocsets are documents of the corpus, and how many of their skills a test
// should look at.
func realDocsets(t testing.TB, f func(t *testing.T, d *docset)) func(t *testing.T) {
	return func(t *testing.T) {
		corpus(t, "github-api.json")
		for _, name := range []string{
			"github-api.json", "stripe.json", "kubernetes-swagger2.json", "slack-swagger2.json", "openai.yaml",
			"digitalocean/DigitalOcean-public.v2.yaml", "matrix-client-server/api/client-server/sync.yaml", "redocly-cafe-3.2.yaml",
		} {
			t.Run(name, func(t *testing.T) {
				file := filepath.Join(os.Getenv("APISKILLS_CORPUS"), filepath.FromSlash(name))
				f(t, readDocset(t, file, ""))
			})
		}
	}
}

func TestEverySpellingOfARealDocumentGivesTheSameBytes(t *testing.T) {
	realDocsets(t, func(t *testing.T, d *docset) {
		r := random(t)
		g := d.generator(t, minified, 0)
		list := append(sample(paths(t, g, ""), 60), g.guideName())
		want := renderAll(t, g, list...)
		kinds := []int{minifiedJSON, escapedJSON, blockYAML + r.IntN(spellings-blockYAML)}
		if len(canonical(d.files[""])) > 6<<20 { // writing YAML takes the test's library long
			kinds = kinds[:2]
		}
		for _, kind := range kinds {
			s := newSpeller(r, kind)
			other := d.generator(t, s.spell, 0)
			if got := paths(t, other, ""); !slices.Equal(got, paths(t, g, "")) {
				t.Fatalf("%s: other skills", s.name)
			}
			sameSkills(t, s.name, renderAll(t, other, list...), want)
		}
	})(t)
}
