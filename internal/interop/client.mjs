// The official host client over the whole catalog: walks every page of skills/list at the default page cap,
// compares a sample of entries with skills/get, reads and verifies all their files, walks their directories,
// checks resources/list and the levels above the skills against the listing, and that what is not served is refused.
//
// --expect: how many skills the listing must have.

import { SkillsClient, DIRECTORY_MIME_TYPE } from '@modelcontextprotocol/client/ext/skills';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { INVALID_PARAMS, args, connect, duplicates, each, rootOf, spread } from './lib.mjs';
import { checkManifestResource, getSkill, readFiles, walkDirectories } from './skill.mjs';

const options = args();
const { client, report } = await connect(options);
const skills = new SkillsClient(client);
report.check(skills.supported, 'the server does not declare the skills extension');
report.check(skills.directoryRead, 'the server does not declare directoryRead');

const listing = await report.attempt('skills/list', () => skills.list());
if (listing === undefined) report.finish();
const entries = listing.skills;
report.count('listed', entries.length);
report.check(entries.length > 0, 'the listing is empty');
report.check(options.expect === undefined || entries.length === options.expect, `the listing has ${entries.length} skills, want ${options.expect}`);
report.check(duplicates(entries.map((e) => e.uri)).length === 0, `listed twice: ${duplicates(entries.map((e) => e.uri)).slice(0, 5)}`);

await checkResourcesList();
await checkDirectoriesAbove();
await each(spread(entries, options.sample), async (entry) => {
  report.count('sampled');
  const skill = await getSkill(skills, entry.uri, entry, report);
  if (skill === undefined) return;
  report.check(Array.isArray(skill.resources), `${skill.uri} publishes no digests`);
  if (!Array.isArray(skill.resources)) return;
  await readFiles(skills, skill, report);
  await walkDirectories(skills, skill, report);
});
await checkRefusals();
report.finish();

/** resources/list shows the SKILL.md of each listed skill, in the listing's order. */
async function checkResourcesList() {
  const result = await report.attempt('resources/list', () => client.listResources());
  if (result === undefined) return;
  const manifests = result.resources.filter((r) => r.uri.endsWith('/SKILL.md'));
  report.count('resources', manifests.length);
  report.check(manifests.length === entries.length, `resources/list has ${manifests.length} SKILL.md resources, skills/list ${entries.length} skills`);
  for (const [i, resource] of manifests.entries()) {
    const same = report.check(resource.uri === entries[i]?.uri, `resources/list has ${resource.uri} where skills/list has ${entries[i]?.uri}`);
    if (!same) return;
    checkManifestResource(resource, entries[i], report);
  }
}

/** The levels above the skills lead to every listed skill. */
async function checkDirectoriesAbove() {
  const roots = new Set(entries.map((e) => rootOf(e.uri)));
  const found = new Set();
  const queue = [...new Set(entries.map((e) => e.uri.split('/').slice(0, 3).join('/')))].filter((uri) => !roots.has(uri));
  while (queue.length > 0) {
    const directory = queue.shift();
    const result = await report.attempt(`resources/directory/read ${directory}`, () => skills.readDirectory(directory));
    for (const child of result?.resources ?? []) {
      report.check(child.mimeType === DIRECTORY_MIME_TYPE, `${directory}, a level above the skills, lists ${child.uri} as ${child.mimeType}`);
      const above = [...roots].some((root) => root.startsWith(`${child.uri}/`));
      if (roots.has(child.uri)) found.add(child.uri);
      else if (above) queue.push(child.uri);
    }
  }
  // A skill of a single segment has no level above it: skill:// itself is no directory.
  const lost = [...roots].filter((root) => root.split('/').length > 3 && !found.has(root));
  report.check(lost.length === 0, `no directory leads to ${lost.length} of the listed skills, such as ${lost[0]}`);
  report.count('found from above', found.size);
}

/** What is not served is refused with -32602, and the message tells what. */
async function checkRefusals() {
  const uri = entries[0].uri;
  const root = rootOf(uri);
  const get = (u) => skills.get(u);
  const read = (u) => client.readResource({ uri: u });
  const directory = (u) => client.request({ method: 'resources/directory/read', params: { uri: u } }, ResultSchema);
  const table = [
    [get, `${root}-absent/SKILL.md`],
    [get, root],
    [get, `${root}/references/absent.md`],
    [get, 'skill://absent/absent/SKILL.md'],
    [get, `${root}/%2e%2e/SKILL.md`],
    [get, uri.replace('/SKILL.md', '%2FSKILL.md')],
    [get, `${uri}?x=1`],
    [get, `${uri}/`],
    [get, uri.replace('SKILL.md', 'skill.md')],
    [read, `${root}/absent.md`],
    [read, `${root}-absent/SKILL.md`],
    [read, root],
    [read, `${root}//SKILL.md`],
    [read, `${root}/..%2f..%2fSKILL.md`],
    [directory, `${root}-absent`],
    [directory, `${root}/absent`],
    [directory, uri],
    [directory, `${root}/`],
  ];
  for (const [call, refused] of table) {
    const what = `${call.name} ${refused}`;
    await report.refused(what, INVALID_PARAMS, refused, () => call(refused));
  }
  for (const method of ['skills/list', 'resources/list', 'resources/directory/read']) {
    const params = { cursor: 'forged', ...(method === 'resources/directory/read' && { uri: root }) };
    await report.refused(`${method} with a forged cursor`, INVALID_PARAMS, 'cursor', () => client.request({ method, params }, ResultSchema));
  }
}
