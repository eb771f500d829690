// Package skilltest checks that a generator keeps what package framework asks of
// it, for the tests of those who write one. It is to [framework.Generator] what
// testing/fstest is to file systems.
//
// # Use
//
// Most generators are tested by one call:
//
//	func TestRunbooks(t *testing.T) {
//		skilltest.Run(t, func(t testing.TB) framework.Generator {
//			return runbooks.Open("testdata/runbooks")
//		}, "mail/restart-mail", "wiki/restart-wiki")
//	}
//
// The function returns a generator of the same source each time that it is called.
// The paths are those of skills that must be there, as the names are that
// fstest.TestFS takes: they keep a generator that has no skills at all from being
// one without faults. A generator that is no Lister is checked by them alone.
//
// [Run] fails the test once for each fault, with the path, the file, what is wrong
// and what to do:
//
//	mail/restart-mail: SKILL.md: the name in the frontmatter is "restart", but the last segment of the path is "restart-mail"; let them be the same (name)
//
// The word at the end is the rule. Run the test with -race as well: the generator
// is called from several goroutines. [TestGenerator] does the same for one
// generator without a testing.TB and returns the faults as an error, in which
// errors.As and errors.Join's Unwrap find each [Fault]. If the source can change
// while it is served, add a test with [TestSnapshots].
//
// # Work
//
// All paths are walked, up to a million, but only some skills are made: those given,
// up to 48 that are featured, and 48 of the others, evenly spread, the first and the
// last among them. Each is made six times or so, and 16 of them more often: at once,
// and under contexts that end in their midst. Of each rule the first ten
// faults are reported, and the others counted. The same generator gives the same
// report.
//
// Abilities are looked for with [framework.As], so wrappers are tested as a catalog
// sees them. What a catalog checks is asked of a catalog, so that a skill without a
// fault here is not refused there.
//
// Nothing waits for a clock, but for calls that do not return. In a
// testing/synctest bubble a generator may wait as long as it likes.
//
// # Rules
//
//   - panic: No call panics, whatever the path. Only panics of the goroutine that
//     was called are caught.
//   - hang: Each call returns: within a minute, and before the context of the test
//     ends. The first that does not ends the test.
//   - expected-path: The paths given to the test are served, and listed if the
//     generator is a Lister.
//   - path: Each path has valid segments, and the name of a skill as the last: 1 to
//     64 lower-case letters, digits and single hyphens.
//   - paths-failed: Paths yields no error. What cannot be read is left out, and
//     reported as a diagnostic.
//   - paths-order: Paths yields each path once, in ascending bytewise order.
//   - paths-repeat: An iteration can be ranged over twice, and yields the same
//     paths while skills are made.
//   - paths-break: An iteration that was broken off does not call yield again.
//   - paths-after: Paths begins after any path, also one that is not there, and
//     yields all that follow. It is tried after up to 2,048 paths.
//   - unserved: Each path that is listed makes a skill. Where the source is at
//     fault it is a poorer one.
//   - unlisted: Each path that makes a skill is listed, if the generator is a
//     Lister.
//   - not-found: The error for an unknown path wraps framework.ErrNotFound,
//     whatever the path: fs.ErrNotExist alone does not count, nor a nil skill with
//     a nil error.
//   - hostile-path: No skill is made for what cannot be its path: dot segments,
//     empty segments, NUL, escapes, another case. A path is looked up as it is.
//   - content: Each file has a Content, which does not fail.
//   - skill-md: A skill has a file SKILL.md.
//   - frontmatter: SKILL.md begins with frontmatter that keeps to the Agent Skills
//     specification, as framework.ParseFrontmatter checks it.
//   - frontmatter-ambiguous: All YAML parsers read the frontmatter alike. Quote
//     words for booleans, dates, and numbers with colons or leading zeros.
//   - name: The name in the frontmatter is the last segment of the path.
//   - file-name: A file has a valid relative path for a name. It is not the
//     SKILL.md of a nested skill: that one has a path of its own.
//   - file-twice: No two files of a skill have the same name.
//   - file-clash: No file has the name of a directory of other files.
//   - media-type: A media type has the form type/subtype, or is empty.
//   - limits: A skill has at most 512 files and 16 MiB, those of nested skills
//     included.
//   - nested-files: The files of a skill are not in the place of a skill that is
//     nested in it.
//   - nested-unlisted: Only a Lister has nested skills.
//   - links: A relative link in a Markdown file leads to a file or directory of the
//     skill, or of one that it encloses or is nested in. Links to other skills are
//     whole URIs. Files up to 1 MiB are read.
//   - determinism: A skill has the same files and bytes whenever it is made or
//     read, unless it is dynamic.
//   - order: Its bytes do not depend on what was asked before, nor those of a file
//     on which others were read.
//   - concurrency: Its bytes are the same when several goroutines ask. Under the
//     race detector this finds data races too.
//   - instances: Another generator of the same source gives the same paths and
//     bytes. Only Run can check this.
//   - shared-bytes: Who writes to the bytes that Content returned does not change
//     what others read.
//   - reused-buffer: The bytes that Content returned stay as they are when others
//     are read.
//   - version: Equal versions of one path stand for equal bytes, in all instances
//     and whatever the source was changed to.
//   - dynamic-frontmatter: The frontmatter of a dynamic skill is the same at each
//     read.
//   - cancellation: A call whose context has ended returns, with the right answer
//     or an error, which is not ErrNotFound. An iteration that is cut short yields
//     an error.
//   - cancellation-kept: A call whose context ended leaves nothing behind: the next
//     one succeeds. Content succeeds when the context of Skill has ended.
//   - featured: Featured does not fail, and names skills that are served, each
//     once, in the same order each time.
//   - templates: Templates does not fail. A catalog takes each template, its name
//     is its own, and some path that is listed has its form.
//   - summaries: Summaries does not fail, yields the paths that Paths does, in the
//     same order, and ends where it is broken off.
//   - diagnostics: A diagnostic has a known severity, a rule in kebab-case and a
//     message, and its skill, if any, is served. Diagnostics yields the same each
//     time, and ends where it is broken off.
//   - watch: Watch returns when its context ends, and not before.
//   - catalog: A catalog with the generator takes each skill, and has the same
//     bytes. It calls with contexts of its own, without the values of the caller's.
//   - snapshot: A skill that was made before the source changed keeps its bytes.
//     Only TestSnapshots checks this and the next rule.
//   - unchanged: What is to change the source changes a skill.
package skilltest
