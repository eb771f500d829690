package openapi

import (
	"hash/fnv"
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skilltest"
)

// TestBookshopKeepsTheRules runs the conformance kit over the bookshop.
func TestBookshopKeepsTheRules(t *testing.T) {
	skilltest.Run(t, func(t testing.TB) framework.Generator {
		g, err := Load(t.Context(), "../../examples/bookshop/openapi.yaml", nil)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}, "bookshop-guide", "books/update-book")
}

// TestCorpusKeepsTheRules runs the conformance kit over documents from the field, at once
// as many as there are processors: over some two dozen skills of each, since the kit makes
// each skill a dozen times, and over GitHub's without a filter.
func TestCorpusKeepsTheRules(t *testing.T) {
	for i, name := range corpusNames(t) {
		if testing.Short() && i%4 != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skilltest.Run(t, func(t testing.TB) framework.Generator {
				g := loadCorpus(t, name)
				n := uint32(len(paths(t, g, "")) / 24)
				if n < 2 || name == "github-api.json" {
					return g
				}
				return framework.Filter(g, func(path string) bool {
					sum := fnv.New32a()
					sum.Write([]byte(path))
					return sum.Sum32()%n == 0 || path == g.guideName()
				})
			})
		})
	}
}
