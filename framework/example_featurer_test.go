package framework_test

import (
	"context"
	"fmt"

	"github.com/apiskills/apiskills/framework"
)

// handbook is a table with a guide to its skills.
type handbook struct{ table }

func (handbook) Featured(context.Context) ([]string, error) { return []string{"kitchen-guide"}, nil }

// The guide is listed first, also where the others are not listed.
func ExampleFeaturer() {
	book := handbook{table{"bread/bake-bread", "kitchen-guide", "tea/brew-tea"}}
	for _, listing := range []framework.Listing{framework.ListAll, framework.ListGuide} {
		catalog, err := framework.NewCatalog(
			[]framework.Mount{{Prefix: "kitchen", Generator: book}},
			&framework.Options{Listing: listing})
		if err != nil {
			fmt.Println(err)
			return
		}
		page, err := catalog.List(context.Background(), "")
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, entry := range page.Entries {
			fmt.Println(listing, entry.URI)
		}
	}
	// Output:
	// all skill://kitchen/kitchen-guide/SKILL.md
	// all skill://kitchen/bread/bake-bread/SKILL.md
	// all skill://kitchen/tea/brew-tea/SKILL.md
	// guide skill://kitchen/kitchen-guide/SKILL.md
}
