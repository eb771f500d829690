// Package ingest turns the bytes of an OpenAPI document into an index of its
// operations, and cuts from it, for one operation at a time, a small document
// that holds just what the operation reaches.
//
// [Load] reads a document once: it checks that the bytes are JSON (YAML is
// turned into JSON first) and notes where each operation and each component
// stands, as offsets into those bytes. Nothing is decoded, so a document costs
// its own size and some two hundred bytes an operation. [Document.Small] decodes
// what one operation needs, when it is asked for.
//
// A small document is canonical: keys are sorted, white space is gone and
// strings have one spelling, so that re-indenting a file, shuffling its keys or
// turning JSON into YAML changes none of them, and an edit changes those of the
// operations that reach it. It is mended: a value that its place in the
// specification does not allow is converted or dropped, with a diagnostic, so
// that one bad node does not cost the operation. And it is bounded: see
// [Document.Small] for what happens past the budget.
//
// What does not live here: the reading of files (the package opens nothing and
// fetches nothing; references to elsewhere are reported and left out), the names
// of skills, and anything about how an operation is rendered.
package ingest
