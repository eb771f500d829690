// Command corpus prints what becomes of each document of a folder of real
// OpenAPI documents, as the Markdown of docs/corpus.md:
//
//	go run ./internal/corpus -dir DIR > docs/corpus.md
//
// DIR has a MANIFEST.tsv, whose columns are found by their names: file, below
// DIR, and bytes, its size with the files that it refers to. Those may be two
// folders above the document itself, where it is that deep below DIR.
//
// The operations are counted by internal/ledger, which shares nothing with the
// generator. What a skill says of its operation is checked there, too.
package main
