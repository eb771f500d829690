package framework

import (
	"context"
	"iter"
	"slices"
	"testing"
)

type summarizing struct{ *memory }

func (g summarizing) Summaries(ctx context.Context) iter.Seq2[Summary, error] {
	return func(yield func(Summary, error) bool) {
		for p, err := range g.Paths(ctx, "") {
			if !yield(Summary{p, "about " + p}, err) {
				return
			}
		}
	}
}

func TestSummariesAreThoseOfTheSkillsTheCallerMaySee(t *testing.T) {
	c := catalog(t, &Options{Allow: allowByPrefix},
		Mount{"x", summarizing{memoryOf("a", "in/hidden", "secret")}}, Mount{"x/in", memoryOf("one")}, Mount{"plain", memoryOf("b")})
	var got []Summary
	for s, err := range c.Summaries(as(t, "x/a", "x/in", "plain")) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, s)
	}
	if want := []Summary{{"plain/b", ""}, {"x/a", "about a"}, {"x/in/one", ""}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
