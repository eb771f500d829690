// Package templates lays skills out. It has two roles.
//
// # A generator of its own
//
// [Load] reads a folder of templates and makes one skill of each record that its
// definition, skills.yaml, lists or names files of:
//
//	files: alerts.csv                          # .csv, .json, .ndjson, .jsonl, .yaml; patterns too
//	path: "{{slug .team}}/{{slug .alert}}"     # the last segment is the skill's name
//	description: "Judges {{.alert}}. Use when it fires."
//	metadata: {team: "{{.team}}"}              # what says nothing is left out
//	defaults: {severity: ticket}               # for fields that a record lacks
//	featured: [platform/start-here]            # listed first
//	ignore: ["*.go", README.md]                # no files of a skill
//
// Records can be in the definition too, as a list at records. SKILL.md.tmpl is
// the text of the skill after its frontmatter, which is written from path,
// description and metadata. Another file that ends in .tmpl makes the file of
// that name without the ending, unless it says nothing for a record; all else
// is copied. Files and folders whose names begin with a dot are left alone.
//
// The dot of a template is the record. A field that a record lacks is an error,
// and so is null where it is printed: {{has . "x"}}, {{get . "x"}} and {{default
// "none" .x}} ask first. Numbers keep the digits that they have in the record,
// those of CSV are texts ({{number .x}}), and dates are texts.
//
// Nobody vouches for the text of a record. What an action prints is made fit for
// the place that the template has it at: one line of Markdown that is nothing
// but words, emphasis and code in text, a cell in the row of a table, a word of
// a shell's command line in a block of bash, the value itself in other code, an
// encoded piece of a URL in the destination of a link. A value that cannot be
// made fit, as one with a backtick between backticks, is an error of its record.
// So a template calls a function only for another form: text, quote, code, fence
// and link make Markdown, verbatim gives a block of bash a whole command. The
// literal text of templates and the files that are copied are trusted.
//
// A record with a fault has no skill and a [framework.Diagnostic] that says why;
// the others are served. Records of one path have no skill, none of them: a path
// that went to the first, or to the one that is left, would change its meaning.
//
// Of a record in a file nothing is kept but its path and place, at most 128 bytes
// together with a path of common length. It is read again for its skill, and
// compared. Records in YAML and in the definition are kept whole. There may be
// 1,000,000 records of 1 MiB each, in 1,000 files; YAML's have at most 4 MiB, the
// definition and a template 1 MiB, a skill 512 files, 16 MiB and 250,000 steps of
// its templates.
//
// # The text of skills of operations
//
// For the openapi generator it has an embedded set of text/templates for the
// skill of an operation and for the guide of an API, and the views that they
// print ([Set], [Endpoint], [Guide]). What a view says is decided by whoever
// makes it; this package decides how it looks, splits what is too large for a
// file, and keeps the limits of SKILL.md.
//
// # Text that is safe where it stands
//
// Both rest on the functions that make text safe for the place it is printed
// at. Three kinds of text meet in a file, and their types keep them apart.
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
package templates
