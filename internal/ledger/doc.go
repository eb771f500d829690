// Package ledger holds a document and the skills made of it against each other:
// what the document says of each operation has to stand in exactly one skill,
// at a file and line.
//
// It reads both sides itself: the raw JSON or YAML of the document, and the
// Markdown of the skills. It shares no code with the generators, so that a
// fault of theirs is not made twice and cancelled out.
//
// What lives elsewhere: whether a document is good, whether a skill follows the
// Agent Skills specification, and how findings are shown.
package ledger
