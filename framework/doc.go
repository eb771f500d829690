// Package framework turns a source into Agent Skills, one at a time, when
// somebody asks for them, and serves them as the Skills extension of the Model
// Context Protocol describes (io.modelcontextprotocol/skills).
//
// # Writing a generator
//
// A [Generator] has one method: it returns the [Skill] at a path, or an error
// wrapping [ErrNotFound]. A skill is a list of files with a SKILL.md among
// them, whose YAML frontmatter has the skill's name and description:
//
//	func (g greetings) Skill(ctx context.Context, path string) (*framework.Skill, error) {
//		who, ok := g[path]
//		if !ok {
//			return nil, fmt.Errorf("greeting %q: %w", path, framework.ErrNotFound)
//		}
//		text := fmt.Sprintf("---\nname: %s\ndescription: Greets %s.\n---\nSay hello to %s.\n", path, who, who)
//		return &framework.Skill{Files: []framework.File{framework.TextFile("SKILL.md", text)}}, nil
//	}
//
// Everything else is optional. A generator that can enumerate its skills is a
// [Lister] (a sorted [PathList] is one); without it skills are served by URI
// alone. A [Featurer] names the skills to begin with, a [Watcher] tells when
// the source changed, a [Diagnoser] reports its faults, a [Templater] has
// clients complete the segments of its paths, a [Summarizer] has them searched.
// Wrappers implement [Unwrapper] and keep the abilities of what they wrap; [As]
// finds them.
//
// What the generator has to keep:
//
//   - the last segment of a path is the name in the frontmatter, at most 64
//     lower-case letters, digits and single hyphens;
//   - the same source gives the same bytes, whatever was asked before, unless
//     Skill.Dynamic says that content is made when it is read;
//   - at most 512 files and 16 MiB a skill, those of nested skills included;
//   - all of it may be called concurrently.
//
// The [Catalog] checks this and keeps faults to the skill that has them: a
// skill that fails is left out of the listing and answers with an error, and
// the others are served.
//
// # Composing generators
//
// [FromFS] makes skills of a folder that somebody wrote by hand. [Filter] leaves
// skills out, [Overlay] lays the skills of one generator over those of another,
// [OverlayFS] hand-written files over generated ones, and [WithTimeout] bounds the
// calls of one. Each keeps the abilities that it can answer for.
//
// # Serving
//
// A [Catalog] mounts generators below prefixes, and answers for URIs of the form
// skill://<prefix>/<path>/<file>. It parses the frontmatter, computes digests,
// and keeps both within byte budgets. *Served* is every skill of every
// generator; *listed* is what skills/list shows of them, by [Options.Listing].
//
// A directory is not something a generator makes: the directories follow from
// the paths and file names. A nested skill is one whose path continues the path
// of another; its files belong to the enclosing skill's manifest as well.
//
// What lives elsewhere: the wire protocol in package skillsmcp below this one,
// generators in the generators folder.
package framework
