// Package overlay applies OpenAPI Overlays, versions 1.0 and 1.1, to a
// document in canonical JSON. It reads overlay files, holds them against the
// specification, and changes the document action by action; it knows nothing of
// OpenAPI, of operations or of skills.
//
// Queries are parsed, and their filters evaluated, by theory/jsonpath, which
// passes the compliance suite of RFC 9535. The actions are applied here. The
// libraries that do both want the document as a tree of YAML nodes, which costs
// a large document several times its size, bring models of OpenAPI with them,
// and bound neither the work of a query nor what an action makes of a document.
// What is left is small: to walk a query with an account of the steps, and a
// merge.
//
// Where the versions of the specification differ the newer one holds for both,
// but for copy, which 1.0 does not have: an array is concatenated with an array,
// and takes anything else as one more element. A null in the document gives way
// to any value. What the specification calls incompatible is an error. The
// member extends is not looked at: the user says which document an overlay is for.
package overlay
