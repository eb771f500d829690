// A second host library, by another author and with another reading of the specification: it lists, reads and
// verifies skills, checks their limits and walks their directories.
//
// --expect: how many skills the listing must have.

import { isDeepStrictEqual } from 'node:util';
import { checkSkillLimits, getSkill, listSkills, manifestOf, readSkill, readSkillResource, serverSupportsDirectoryRead, serverSupportsSkills, walkDirectory } from '@olaservo/ext-skills/client';
import { args, connect, rootOf, spread } from './lib.mjs';

const options = args();
const { client, report } = await connect(options);
report.check(serverSupportsSkills(client) && serverSupportsDirectoryRead(client), 'the extension or directoryRead is not declared');

const entries = (await report.attempt('skills/list', () => listSkills(client))) ?? [];
report.count('listed', entries.length);
report.check(entries.length > 0, 'the listing is empty');
report.check(options.expect === undefined || entries.length === options.expect, `the listing has ${entries.length} skills, want ${options.expect}`);

for (const entry of spread(entries, options.sample)) {
  report.count('sampled');
  await report.attempt(entry.uri, async () => {
    const result = await getSkill(client, entry.uri);
    report.check(isDeepStrictEqual(result.skill ?? result, entry), `skills/get ${entry.uri} differs from the listing`);
    report.check(checkSkillLimits(entry).withinLimits !== false, `${entry.uri} is over the limits`);
    await readSkill(client, entry);
    const manifest = manifestOf(entry).map((r) => r.uri);
    for (const uri of manifest) {
      await readSkillResource(client, entry, uri);
      report.count('files');
    }
    const files = (await walkDirectory(client, rootOf(entry.uri))).map((child) => child.uri);
    report.check(isDeepStrictEqual(files.sort(), manifest.sort()), `the directories of ${entry.uri} differ from its manifest`);
  });
}
report.finish();
