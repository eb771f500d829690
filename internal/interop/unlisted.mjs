// Skills that no listing shows, against a server that lists its guides only: their URIs are taken out of the
// guides' files, read through the protocol, and a sample is got, read, verified and walked by URI alone.
//
// --expect: how many skills the guides must name.

import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { args, connect, spread } from './lib.mjs';
import { getSkill, readFiles, walkDirectories } from './skill.mjs';

const options = args();
const { client, report } = await connect(options);
const skills = new SkillsClient(client);

const listing = await report.attempt('skills/list', () => skills.list());
const listed = new Map((listing?.skills ?? []).map((s) => [s.uri, s]));
report.count('listed', listed.size);

// The instructions name the guides, so that a host finds them even where nothing is listed.
const named = skillURIs(client.getInstructions() ?? '');
report.check(named.size > 0, 'the instructions name no skill');
for (const uri of listed.keys()) report.check(named.has(uri), `the guide ${uri} is listed, but not named in the instructions`);

const found = new Set();
for (const uri of named) {
  const guide = await getSkill(skills, uri, listed.get(uri), report);
  if (guide === undefined) continue;
  report.count('guides');
  for (const bytes of (await readFiles(skills, guide, report)).values()) {
    for (const skill of skillURIs(Buffer.from(bytes).toString('utf8'))) found.add(skill);
  }
}
const unlisted = [...found].filter((uri) => !listed.has(uri) && !named.has(uri)).sort();
report.count('unlisted', unlisted.length);
report.check(unlisted.length > 0, 'the guides name no unlisted skill');
report.check(options.expect === undefined || unlisted.length === options.expect, `the guides name ${unlisted.length} unlisted skills, want ${options.expect}`);

for (const uri of spread(unlisted, options.sample)) {
  const skill = await getSkill(skills, uri, undefined, report);
  if (skill === undefined) continue;
  await readFiles(skills, skill, report);
  await walkDirectories(skills, skill, report);
}
report.finish();

function skillURIs(text) {
  return new Set(text.match(/\bskill:\/\/[a-z0-9._~%/-]+\/SKILL\.md\b/gi) ?? []);
}
