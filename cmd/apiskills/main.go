package main

import "github.com/apiskills/apiskills/cmd/apiskills/command"

func main() {
	program := command.Program{
		Name:  "apiskills",
		Kinds: []command.Kind{command.OpenAPI(), command.Templates(), command.Folder()},
	}
	program.Main()
}
