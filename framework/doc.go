// Package framework turns a source into Agent Skills, one at a time, when
// somebody asks for them, and serves them as the Skills extension of the Model
// Context Protocol describes (io.modelcontextprotocol/skills).
//
// A [Generator] knows a source: a database, a wiki, a folder, an API. The
// [Catalog] knows skills: it lists, pages, checks, digests and caches them.
// Package skillsmcp, below this one, knows the protocol. This page is for those
// who write a generator.
//
// # The smallest generator
//
// A generator has one method. It returns the [Skill] at a path, or an error
// wrapping [ErrNotFound]. A skill is a list of files with a SKILL.md among them,
// whose YAML frontmatter has the skill's name and description:
//
//	// greetings is a generator of one skill per greeting.
//	type greetings map[string]string
//
//	func (g greetings) Skill(_ context.Context, path string) (*framework.Skill, error) {
//		who, ok := g[path]
//		if !ok {
//			return nil, fmt.Errorf("greeting %q: %w", path, framework.ErrNotFound)
//		}
//		head, err := framework.FormatFrontmatter(path, "Greets "+who+".", nil)
//		if err != nil {
//			return nil, err
//		}
//		return framework.TextSkill(map[string]string{"SKILL.md": head + "\nSay hello to " + who + ".\n"}), nil
//	}
//
// What it has to keep:
//
//   - the last segment of a path is the name in the frontmatter: 1 to 64
//     lower-case letters and digits with single hyphens between them ([ValidName]);
//   - the same source gives the same bytes, whatever was asked before, on each
//     machine: people approve the digests of a skill, and each change of one asks
//     them again. So there is no time, no map order and no temporary path in them;
//   - a *Skill is a snapshot, which keeps giving the same bytes when the source
//     changes;
//   - all of it may be called concurrently.
//
// [FormatFrontmatter] writes the frontmatter with everything quoted that one YAML
// parser reads otherwise than another. A description says what the skill is for
// and when to use it: it is all that an agent sees before it decides.
//
// # Files
//
// A [File] has a name below the skill's directory and a function that returns its
// bytes. Directories follow from the names. There are at most 512 files and 16 MiB
// in a skill ([MaxResources], [MaxTotalBytes]).
//
// A text that is quickly made can be made in Skill; then the *Skill is a snapshot
// without effort, and a hash of the text is a right [Skill.Version]. Skill is called
// anew after [Options.MaxAge], only to learn whether something changed, and whenever
// bytes are read that were not kept. So what is dear (a large file, a call for each)
// belongs into Content, with a Version that is known without it: while that stays, no
// Content is called for the entry. Otherwise the Catalog calls each once, for the
// digest.
//
// # Links
//
// A file names others of its skill relatively, as in [the steps](references/steps.md),
// and other skills by their whole URIs, skill://shop/orders/add-order/SKILL.md. A
// generator does not know where it is mounted: who makes it tells it the base of its
// URIs, the scheme and the prefix. In a build of the command that is Source.URI.
//
// # Text of others
//
// What comes from the source is data, and must not end the place that it stands in.
// Package generators/templates has functions that see to it in Markdown: Code, CodeCell
// (in a table) and Fence for values; Inline, Cell and Quote for prose, and Plain, for
// a description. [FormatFrontmatter] and [QuoteYAML] do in YAML.
//
// # Listing
//
// A generator that can enumerate its skills is a [Lister]. Without that they are
// served to those who know their URIs, and appear in no listing and no directory.
// A [PathList] is a Lister for paths that are in memory; embed it, or call it:
//
//	func (r register) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
//		return framework.PathList(slices.Sorted(maps.Keys(r.greetings))).Paths(ctx, after)
//	}
//
// Abilities such as this one are found by their methods, so a line
//
//	var _ framework.Lister = register{}
//
// is worth having: it tells of a method that is misspelt.
//
// *Served* is every skill of a generator; *listed* is what skills/list shows of
// them. Where there are many, [Options.Listing] lists only those that a [Featurer]
// names, as a rule a guide to the others, which gives their URIs. A [Templater]
// has clients complete the segments of paths, a [Summarizer] has skills searched
// without making them.
//
// # Nested skills
//
// A path that continues that of another skill is nested in it: "deploy/rollback"
// in "deploy". Return both as skills of their own. The Catalog adds the files of
// the inner one to the manifest of the outer one, and holds both together to the
// limits. An inner one that is dynamic makes the entry of the outer one dynamic, and
// one that fails fails it. Only the skills of a Lister can be nested, since a manifest
// is complete.
//
// # Versions
//
// [Skill.Version] saves rendering: while it is the same, the Catalog keeps the
// digests it has. It may be a revision, a hash, a time of modification; it must
// change whenever a byte of a file does, also when the program that renders it is
// another. Leave it empty if the source has nothing of the kind.
//
// # Dynamic skills
//
// Where content is made at the moment of a read (the state of a queue, the incidents
// of today) set [Skill.Dynamic]. Such a skill has no digests, nobody can approve
// its content in advance, and hosts may decline it. Its frontmatter must be the
// same at each read. What can be static is better static.
//
// Each read of a file calls Skill anew, and the Content of that file alone; no bytes
// are kept. The entry is kept as that of another skill is. To make it, SKILL.md alone
// is read, also for a listing: what is dear or often another belongs into a file
// beside it. A page of a listing with one dynamic skill is not to be cached by
// clients (its ttlMs is 0).
//
// # Changes
//
// The Catalog asks again for a skill after [Options.MaxAge], one minute by default.
// A [Watcher] knows better: while it watches, the Catalog keeps what it has until it
// is told of a change, and clients hear of that at once.
//
// # Diagnostics
//
// A source has faults. Where one concerns a skill, make a poorer skill and say so
// in [Skill.Diagnostics]; a skill that fails is left out of listings. What is known
// without making skills is for a [Diagnoser].
//
// # Errors
//
// An error of Skill that does not wrap ErrNotFound means that the source failed.
// It is logged and costs the other skills nothing; callers hear that there was an
// internal error, and no more. A panic is such an error, and so is a call that does
// not return within [Options.SkillTimeout]: honour the context. A skill that breaks
// a rule is an error that wraps [ErrInvalidSkill].
//
// An error of the making of an entry, ErrNotFound too, is given again for two
// seconds without a call of Skill, or for a minute if it wraps
// context.DeadlineExceeded, but not after a Watcher told of a change, of whatever
// skill. An error of a read of dynamic content is not remembered.
//
// # Composition
//
// A [Mount] places a generator below a prefix, and a [Catalog] has any number of
// mounts. [FromFS] makes skills of a folder that somebody wrote by hand. [Filter]
// leaves skills out, [Overlay] lays the skills of one generator over those of
// another, [OverlayFS] hand-written files over generated ones, and [WithTimeout]
// bounds the calls of one. Each keeps the abilities that it can answer for. A wrapper
// of your own is an [Unwrapper]; one of two generators is not, and has a method As
// alone, as in the second example of [As].
//
// # Testing
//
// Package framework/skilltest holds a generator to everything on this page, by one
// call in a test.
//
// # Serving
//
// [NewCatalog] makes a catalog of mounts. It answers for URIs of the form
// skill://<prefix>/<path>/<file>, keeps what it makes within byte budgets, and keeps
// faults to the skill that has them. [Options.Allow] shows each caller its own part.
// Package skillsmcp serves a catalog over HTTP and stdio, beside your own tools,
// prompts and resources; [Catalog.FS] is the whole of it as files.
//
// The folder examples of the module has programs to begin with: minimal, one file;
// livestatus, which is dynamic; embedding, in a server that is there already.
package framework
