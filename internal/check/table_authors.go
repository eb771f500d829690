package check

import "github.com/apiskills/apiskills/framework"

// authorRules are about what authors say in x-skill, overlays and snippets.
var authorRules = []Rule{
	{
		"x-skill-member", framework.Warning, Source, "A member of an x-skill means nothing where it stands",
		"It may be misspelt. It was passed over, and the rest of the x-skill counts.",
		"Take one of the members that the message names.",
	},
	{
		"x-skill-type", framework.Warning, Source, "An x-skill, or a member of it, has the wrong type",
		"Names and texts are strings, hide is true or false, and x-skill is an object or false. What is something else counts as absent.",
		"Give it the type that the message names.",
	},
	{
		"x-skill-name", framework.Warning, Source, "A name or a group in an x-skill cannot be a part of a URI",
		"Such parts are made of lower-case letters, digits and single hyphens, at most 64 of them and 58 for the name of an API. The generated one was kept.",
		"Write it in that form.",
	},
	{
		"x-skill-description", framework.Warning, Source, "A description in an x-skill is empty or too long",
		"A skill's description has 1 to 1,024 characters. One that says nothing was passed over, one that is longer was cut.",
		"Say in a few sentences what the call does and when to use it; what is longer belongs in guidance.",
	},
	{
		"snippet-no-match", framework.Warning, Source, "A snippet is about nothing that is served",
		"Snippets are named after the skill or the group that they are for, which may have another name now, or may not be served.",
		"Rename the file, or remove it. The URIs that \"apiskills list\" prints have the names of groups and skills.",
	},
	{
		"snippet-unusable", framework.Warning, Source, "A snippet cannot be used",
		"Snippets are regular files of at most 64 KiB, in UTF-8, inside of their folder. This one is left out.",
		"Correct what the message names.",
	},
}
