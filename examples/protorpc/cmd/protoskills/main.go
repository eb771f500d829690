// Protoskills serves the RPCs of .proto files as Agent Skills.
package main

import (
	"github.com/apiskills/apiskills/cmd/apiskills/command"
	"github.com/apiskills/apiskills/examples/protorpc"
)

func main() {
	program := command.Program{
		Name:  "protoskills",
		Kinds: []command.Kind{protorpc.Kind(), command.OpenAPI(), command.Folder()},
	}
	program.Main()
}
