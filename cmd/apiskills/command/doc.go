// Package command is the command apiskills as a package, for builds of it that have
// generators of their own:
//
//	func main() {
//		program := command.Program{
//			Name:  "wikiskills",
//			Kinds: []command.Kind{wiki.Kind(), command.OpenAPI()},
//		}
//		program.Main()
//	}
//
// A [Kind] opens one kind of source: it has a name, typed options and a function that
// returns a framework.Generator. [NewKind] makes one. Such a build has every command
// (serve, list, show, check, export and the others), the configuration file, the flags and
// the environment, with sources of its kinds beside OpenAPI documents:
//
//	wikiskills serve wiki:https://wiki.example --option space=ops
//
// or, in apiskills.yaml,
//
//	documents:
//	  - kind: wiki
//	    path: https://wiki.example
//	    name: ops
//	    options: {space: ops}
//
// Data goes to standard output, everything else to standard error. The exit status is 0 if
// all went well, 1 if the work failed, and 2 for wrong usage and for input that cannot be
// used.
//
// This is the composition root: the only place that knows the configuration, the
// generators and the MCP binding together. What skills are, how they are made and how they
// travel lives in the packages framework, generators and skillsmcp.
package command
