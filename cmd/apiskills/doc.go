// Command apiskills serves OpenAPI documents as Agent Skills over the Model
// Context Protocol, and lists, shows and exports them.
//
//	apiskills serve openapi.yaml
//
// "apiskills help" has the commands. Data goes to standard output, everything
// else to standard error. The exit status is 0 if all went well, 1 if the work
// failed, and 2 for wrong usage and for input that cannot be used.
//
// This is the composition root: the only place that knows the configuration,
// the generators and the MCP binding together. The registry of generators is a
// list (sources.go). What skills are, how they are made and how they travel
// lives in the packages below.
package main
