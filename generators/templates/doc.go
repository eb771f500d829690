// Package templates lays skills out: an embedded set of text/templates for the
// skill of an operation and for the guide of an API, the views that they
// print, and the functions that make text safe for the place it is printed at.
//
// Three kinds of text meet in a file, and their types keep them apart.
// [Markdown] is what this program wrote. [Prose] is what the author of a
// document wrote: Markdown, HTML, or an attempt at something else. A plain
// string is a value, such as a path, a URL or a sample.
//
// Prose has four places: a heading or table cell ([Inline], [Cell]), the words
// after "# " in a line of notation ([Comment]), a description ([Plain],
// [Sentences]) and a blockquote ([Quote]). In each it is parsed as Markdown,
// its HTML is read away, hidden characters go, and what is left is written
// anew with every character escaped that could begin a construct, so that no
// text can end the place it stands in. Values have [Code], [Fence], [ShellWord]
// and framework.QuoteYAML. Templates call the same functions by short names; a Prose
// that a template prints as it is comes out as Inline.
//
// [Inspect] and [Suspicious] look for what in a text is not meant for readers of
// documentation. They warn; what keeps a text in its place is the above.
//
// What a view says is decided by whoever makes it (see the openapi generator);
// this package decides how it looks, splits what is too large for a file, and
// keeps the limits of SKILL.md.
package templates
