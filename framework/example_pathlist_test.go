package framework_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/apiskills/apiskills/framework"
)

// A register is greetings that can be enumerated.
type register struct{ greetings }

func (r register) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return framework.PathList(slices.Sorted(maps.Keys(r.greetings))).Paths(ctx, after)
}

var _ framework.Lister = register{}

// The paths of a map, after "greet-mars".
func ExamplePathList() {
	r := register{greetings{"greet-moon": "the moon", "greet-world": "the world", "greet-mars": "Mars"}}
	for path, err := range r.Paths(context.Background(), "greet-mars") {
		fmt.Println(path, err)
	}
	// Output:
	// greet-moon <nil>
	// greet-world <nil>
}
