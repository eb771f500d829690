package openapi_test

import (
	"context"
	"fmt"

	"github.com/apiskills/apiskills/generators/openapi"
)

func ExampleNew() {
	document := `
openapi: 3.0.3
info: {title: Ferry, version: "1"}
servers: [{url: https://ferry.example}]
paths:
  /crossings:
    get:
      operationId: listCrossings
      tags: [Crossings]
      summary: List crossings
      responses: {"200": {description: Today's crossings}}
`
	g, err := openapi.New("ferry.yaml", []byte(document), nil)
	if err != nil {
		fmt.Println(err) // with file, line and column
		return
	}
	ctx := context.Background()
	for path := range g.Paths(ctx, "") {
		skill, err := g.Skill(ctx, path)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s/%s: %d files\n", g.API(), path, len(skill.Files))
	}
	// Output:
	// ferry/crossings/list-crossings: 1 files
	// ferry/ferry-guide: 3 files
}
