package check

import "github.com/apiskills/apiskills/framework"

// folderRules are about folders of skills that are written by hand.
var folderRules = []Rule{
	{
		"file-of-no-skill", framework.Warning, Source, "A file is below no skill",
		"A file that lies over the skills of a document is one of the skill above it. This one has none, and is not served.",
		"Move it below the path of the skill that it is for, or add a SKILL.md.",
	},
	{
		"hidden-file", framework.Note, Source, "A file or folder has a name that begins with a dot",
		"Such names are for the tools of whoever writes skills. What has one is not served.",
		"Nothing has to be done. Rename what is to be served.",
	},
	{
		"invalid-file-name", framework.Error, Source, "A file or folder has a name that no resource can have",
		"The name would not come back as it was from a URI. What has it is not served.",
		"Rename it.",
	},
	{
		"invalid-skill-name", framework.Error, Source, "A folder with a SKILL.md has a name that no skill can have",
		"The folder's name is the skill's: at most 64 lower-case letters and digits with single hyphens between them. It is not served.",
		"Rename the folder, and the name in the frontmatter with it.",
	},
	{
		"irregular-file", framework.Warning, Source, "A symbolic link, a device or a pipe is not a file",
		"What it stands for can be outside of the folder, or never end. It is not opened, and not served.",
		"Put a copy of the file in its place.",
	},
	{
		"skill-file-case", framework.Warning, Source, "A file is nearly a SKILL.md",
		"Names are told apart by upper and lower case, so the file makes no skill of its folder.",
		"Rename it to SKILL.md.",
	},
	{
		"skill-without-folder", framework.Error, Source, "A SKILL.md is in no folder of its own",
		"The folder's name is the skill's, and this one has none. It is not served.",
		"Move it, with its files, into a folder that has the skill's name.",
	},
	{
		"too-deep", framework.Error, Source, "A file or folder is too deep",
		"URIs have a bounded number of segments. What is deeper is not served.",
		"Move it up.",
	},
	{
		"unreadable-folder", framework.Error, Source, "A folder cannot be read",
		"What is in it is not served.",
		"See to it that it can be read.",
	},
}

// recordRules are about folders of templates and their records.
var recordRules = []Rule{
	{
		"unusable-record", framework.Error, Source, "A record has no skill",
		"It cannot be read, or is too large. The other records are served.",
		"Correct the record on the line that the message names.",
	},
	{
		"record-path", framework.Error, Source, "A record has no path of a skill",
		"The expression at path fails for it, or what comes out of it is no path: segments with slashes between them, of which the last is of lower-case letters, digits and single hyphens. The record has no skill.",
		"Correct the record, or the expression.",
	},
	{
		"duplicate-path", framework.Error, Source, "Several records have one path",
		"None of them has a skill: a path that went to the first, or to the one that is left, would change its meaning.",
		"Have a field in path that tells them apart, or remove all but one.",
	},
	{
		"unusable-skill", framework.Error, Source, "A template fails for a record",
		"The skill cannot be made. Others of the same file may fail as this one does.",
		"Correct the template or the record that the message names.",
	},
	{
		"featured-not-found", framework.Warning, Source, "A featured skill is not there",
		"No record makes a skill of that path, so nothing of it is listed first.",
		"Correct the path under featured, or take it out.",
	},
}

// otherRules stand for those of generators that this table does not know.
var otherRules = []Rule{
	{
		otherRule, framework.Error, Source, "What the generator of another kind of document says",
		"Each kind of document has rules of its own. The message ends in the name of this one, and its severity is that of the finding.",
		"Correct what the message names.",
	},
}

const otherRule = "source"
