// Command corpus prints what becomes of each document of a folder of real
// OpenAPI documents, as the Markdown of docs/corpus.md:
//
//	go run ./internal/corpus -dir DIR > docs/corpus.md
//
// DIR has a MANIFEST.tsv, whose columns are found by their names: file, below
// DIR, and bytes, its size with the files that it refers to. Those may be two
// folders above the document itself, where it is that deep below DIR.
//
// What a document says is read here a second time, by code that is as plain as
// it can be and shares nothing with the generator (walk.go): the table and the
// tests, which check every skill of every document, compare the two.
package main
