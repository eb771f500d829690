package main

import (
	"github.com/apiskills/apiskills/cmd/apiskills/command"
	"github.com/apiskills/apiskills/examples/sqlschema"
)

func main() {
	program := command.Program{
		Name: "sqlskills",
		// The first is the kind of sources that name none: "sqlskills list shop.db".
		Kinds: []command.Kind{sqlschema.Kind(), command.OpenAPI()},
	}
	program.Main()
}
