// Command apiskills serves OpenAPI documents, and other sources, as Agent Skills over
// the Model Context Protocol, and lists, shows, checks and exports them.
//
//	apiskills serve openapi.yaml
//
// "apiskills help" has the commands. All of it is in package command; this is the list
// of the generators in this build. One with a generator of your own looks the same, as
// examples/sqlschema shows.
package main
