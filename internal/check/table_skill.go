package check

import "github.com/apiskills/apiskills/framework"

// skillRules are about skills as a host reads them.
var skillRules = []Rule{
	{
		"skill-failed", framework.Error, Renderer, "A skill cannot be made",
		"A host that asks for the skill gets an error; listings leave it out.",
		"Report it with the operation's part of the document.",
	},
	{
		"skill-invalid", framework.Error, Renderer, "A SKILL.md breaks the Agent Skills specification",
		"Hosts refuse a skill whose frontmatter cannot be read, or whose name, description or metadata is not as the specification has it.",
		"With templates of your own, mend the frontmatter that they write. Otherwise report it.",
	},
	{
		"frontmatter-ambiguous", framework.Warning, Renderer, "Parsers of YAML read the frontmatter differently",
		"A value without quotes is a number, a date or a truth value to some parsers, so that two hosts see two skills.",
		"With templates of your own, quote the value. Otherwise report it.",
	},
	{
		"description-lead", framework.Warning, Renderer, "The description does not begin with the call",
		"Hosts shorten descriptions. Its first 120 characters carry method and path, as far as they fit, so that a skill can be told from its neighbours.",
		"Where an author's own description is in the place of the made one, name method and path early. Otherwise report it.",
	},
	{
		"skill-too-long", framework.Error, Renderer, "A SKILL.md has more than 500 lines",
		"The Agent Skills specification asks for at most 500 lines; what is more belongs into files that are read when they are needed.",
		"With templates of your own, move parts into references. Otherwise report it.",
	},
	{
		"skill-too-many-tokens", framework.Error, Renderer, "A SKILL.md has more than 5,000 tokens",
		"The Agent Skills specification asks for at most 5,000 tokens. They are estimated, at three bytes a token.",
		"With templates of your own, move parts into references. Otherwise report it.",
	},
	{
		"skill-long", framework.Note, Source, "A SKILL.md has more than 120 lines",
		"It is within the limits, but costs its reader more than most. The operation has many inputs, answers or words.",
		"Nothing has to be done. Shorter descriptions and fewer alternatives make a shorter skill.",
	},
	{
		"broken-link", framework.Error, Renderer, "A link leads to no file of its skill",
		"Who follows it gets an error in place of the details that it promises.",
		"With templates of your own, mend the link. Otherwise report it.",
	},
	{
		"unreachable-file", framework.Error, Renderer, "A file of a skill is linked from nowhere",
		"Nobody who begins at SKILL.md finds it.",
		"With templates of your own, link the file. Otherwise report it.",
	},
	{
		"unserved-skill", framework.Error, Renderer, "A skill names another that is not served",
		"Who follows the URI gets an error.",
		"Report it with the operation's part of the document.",
	},
	{
		"document-skill-uri", framework.Warning, Source, "A text of the document names a skill that is not served",
		"The text stands in a skill as the document has it, and its reader is sent to nothing.",
		"Correct the URI, or leave it out: skills of operations that belong together name each other by themselves.",
	},
	{
		"near-duplicate", framework.Warning, Source, "Two skills have almost the same description",
		"A host chooses a skill by its description. But for method and path these two say the same.",
		"Say in the summary or the description of each operation what it does that the other does not.",
	},
	{
		"replay-command", framework.Error, Renderer, "A command sends what the document does not accept",
		"With --replay the commands of the skills are run against a stand-in for the API, on this machine, and what arrives is held against the document.",
		"With templates of your own, mend the command. Otherwise report it with the operation's part of the document.",
	},
	{
		"replay-run", framework.Error, Renderer, "A command cannot be run",
		"With --replay the commands of the skills are run. This one is no plain call of curl, fails, or reaches no server of the document.",
		"With templates of your own, mend the command. Otherwise report it with the operation's part of the document.",
	},
	{
		"replay-document", framework.Warning, Source, "No command could send what the document asks for",
		"With --replay the commands of the skills are run, and what arrives is held against the document. The document contradicts itself here, or cannot be loaded as a whole.",
		"Correct what the message names.",
	},
}
