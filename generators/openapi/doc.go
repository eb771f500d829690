// Package openapi generates skills from an OpenAPI document: one for each
// operation and webhook, and a guide that finds the others.
//
// [New] indexes the document (see internal/ingest) and names its operations
// (internal/names); nothing is rendered before somebody asks. A skill is then
// made from a small document that has one operation and what it reaches: it is
// loaded with kin-openapi, described by internal/endpoint and internal/schema,
// and laid out by the templates package. If the small document cannot be
// loaded the skill is made of the operation's raw JSON and says so: an
// operation is never missing, and never takes a neighbour down.
//
// Two properties hold for every byte that is generated. It is a function of the
// document alone: not of the order of its keys, its indentation, its being JSON
// or YAML, its file name, the time, or which skill was asked for first. And it
// is local: a skill depends on its own operation, the components, servers and
// security that this reaches or inherits, and the address of an operation that
// it names, but on no neighbour. What is computed from several operations
// stands in the guide.
//
// What the authors of the API say themselves wins over what is generated:
// x-skill in the document (authors.go), overlays, which change the document
// before it is read (internal/overlay), and snippets, which stand beside it.
//
// The package reads its files once. It neither caches nor serves: that is the
// catalog's work.
package openapi
