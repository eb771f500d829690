// The checks of one skill, for the drivers that hold a SkillsClient.

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { DIRECTORY_MIME_TYPE } from '@modelcontextprotocol/client/ext/skills';
import { rootOf } from './lib.mjs';

/** Gets the skill at uri and, where its list entry is given, checks that the two are equal. */
export async function getSkill(skills, uri, listed, report) {
  const got = await report.attempt(`skills/get ${uri}`, () => skills.get(uri));
  if (got === undefined) return undefined;
  report.count('got');
  report.check(got.skill.uri === uri, `skills/get ${uri} gave ${got.skill.uri}`);
  if (listed !== undefined) {
    report.check(isDeepStrictEqual(got.skill, listed), `skills/get ${uri} differs from the listing:\n  ${JSON.stringify(got.skill)}\n  ${JSON.stringify(listed)}`);
  }
  return got.skill;
}

/** Reads every file of the skill, verified by the client and a second time here. Returns URI -> bytes. */
export async function readFiles(skills, skill, report) {
  const files = new Map();
  for (const { uri, digest, size } of skill.resources) {
    const file = await report.attempt(`resources/read ${uri}`, () => skills.read(skill, uri));
    if (file === undefined) continue;
    report.count('files');
    const own = `sha256:${createHash('sha256').update(file.bytes).digest('hex')}`;
    report.check(file.verified, `${uri} was not verified`);
    report.check(own === digest && file.bytes.length === size, `${uri}: ${own}, ${file.bytes.length} bytes; the manifest has ${digest}, ${size} bytes`);
    files.set(uri, file.bytes);
  }
  return files;
}

/** Walks the skill's directories and compares what they list with the manifest: no file more, none less. */
export async function walkDirectories(skills, skill, report) {
  const sizes = new Map(skill.resources.map((r) => [r.uri, r.size]));
  const found = [];
  const queue = [rootOf(skill.uri)];
  while (queue.length > 0) {
    const directory = queue.shift();
    const result = await report.attempt(`resources/directory/read ${directory}`, () => skills.readDirectory(directory));
    if (result === undefined) return;
    report.count('directories');
    report.check(result.resources.length > 0, `${directory} is an empty directory`);
    for (const child of result.resources) {
      report.check(child.uri.startsWith(`${directory}/`) && !child.uri.slice(directory.length + 1).includes('/'), `${directory} lists ${child.uri}, which is no direct child`);
      if (child.mimeType === DIRECTORY_MIME_TYPE) {
        queue.push(child.uri);
        continue;
      }
      found.push(child.uri);
      report.check(child.size === undefined || child.size === sizes.get(child.uri), `${directory}: ${child.uri} has size ${child.size}, the manifest says ${sizes.get(child.uri)}`);
      if (child.uri === skill.uri) checkManifestResource(child, skill, report);
    }
  }
  for (const uri of found) report.check(sizes.has(uri), `${uri} is in a directory of ${skill.uri}, not in its manifest`);
  for (const uri of sizes.keys()) report.check(found.includes(uri), `${uri} is in the manifest of ${skill.uri}, in none of its directories`);
  report.check(new Set(found).size === found.length, `the directories of ${skill.uri} list a file twice`);
}

/** Checks the resource metadata of a SKILL.md, wherever it is listed ("Resource Metadata"). */
export function checkManifestResource(resource, skill, report) {
  const { name, description } = skill.frontmatter;
  report.check(resource.mimeType === 'text/markdown', `${resource.uri} is listed as ${resource.mimeType}`);
  report.check(resource.name === name, `${resource.uri} is listed with the name ${resource.name}, its frontmatter has ${name}`);
  report.check(resource.description === description, `${resource.uri} is listed with another description than its frontmatter has`);
}
