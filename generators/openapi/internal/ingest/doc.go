// Package ingest turns the bytes of an OpenAPI document into an index of its
// operations, and cuts from it, for one operation at a time, a small document
// that holds just what the operation reaches.
//
// [Load] reads a document once: it checks that the bytes are JSON (YAML is
// turned into JSON first) and notes where each operation and each component
// stands, as offsets into those bytes. Nothing is decoded, so a document costs
// its own size, that of its other files, and some two hundred bytes an operation. [Document.Small] decodes
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
// A document may consist of several files. [LoadFiles] reads them all, through
// [Files], and keeps them as it keeps the document; what an operation reaches in
// them becomes part of its small document, under names that do not depend on
// where the files are. A Swagger 2.0 document is indexed and cut as it is; its
// small documents are then converted to OpenAPI 3 by internal/swagger.
//
// What does not live here: the opening of files and what may be opened (the
// package fetches nothing; references out of reach are reported and left out), the
// names of skills, and anything about how an operation is rendered.
package ingest
