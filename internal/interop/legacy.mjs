// The client of the earlier official SDK, which knows nothing of the extension: the initialize handshake, and the
// extension's methods as plain requests. It compares list with get, verifies the files and the directories.
//
// --expect: how many skills the listing must have.

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { INVALID_PARAMS, Report, args, rootOf, spread } from './lib.mjs';

const options = args();
const report = new Report();
const client = new Client({ name: 'apiskills-interop', version: '1.0.0' });
await client.connect(
  options.url
    ? new StreamableHTTPClientTransport(new URL(options.url))
    : new StdioClientTransport({ command: options.command[0], args: options.command.slice(1), stderr: 'ignore' }),
);
const request = async (method, params) => {
  const result = await client.request({ method, params }, ResultSchema);
  for (const member of ['resultType', 'ttlMs', 'cacheScope']) report.check(!(member in result), `${method}: a legacy result has ${member}`);
  return result;
};

const entries = await pages('skills/list', {}, 'skills');
report.count('listed', entries.length);
report.check(entries.length > 0, 'the listing is empty');
report.check(options.expect === undefined || entries.length === options.expect, `the listing has ${entries.length} skills, want ${options.expect}`);

for (const entry of spread(entries, options.sample)) {
  report.count('sampled');
  const { skill } = await request('skills/get', { uri: entry.uri });
  report.check(isDeepStrictEqual(skill, entry), `skills/get ${entry.uri} differs from the listing`);
  for (const { uri, digest, size } of skill.resources) {
    const { contents } = await client.readResource({ uri });
    const bytes = contents[0].text === undefined ? Buffer.from(contents[0].blob, 'base64') : Buffer.from(contents[0].text, 'utf8');
    const own = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    report.count('files');
    report.check(contents.length === 1 && contents[0].uri === uri, `resources/read ${uri} gave ${contents[0].uri}`);
    report.check(own === digest && bytes.length === size, `${uri}: ${own}, ${bytes.length} bytes; the manifest has ${digest}, ${size} bytes`);
  }
  const files = (await walk(rootOf(entry.uri))).sort();
  report.check(isDeepStrictEqual(files, skill.resources.map((r) => r.uri).sort()), `the directories of ${entry.uri} differ from its manifest`);
}

const absent = `${rootOf(entries[0].uri)}-absent/SKILL.md`;
for (const method of ['skills/get', 'resources/read', 'resources/directory/read']) {
  await report.refused(`${method} ${absent}`, INVALID_PARAMS, absent, () => client.request({ method, params: { uri: absent } }, ResultSchema));
}
report.finish();

/** Every page of a paginated method, one cursor never asked twice. */
async function pages(method, params, member) {
  const items = [];
  const seen = new Set();
  for (let cursor; ; ) {
    const result = await request(method, cursor === undefined ? params : { ...params, cursor });
    items.push(...result[member]);
    cursor = result.nextCursor;
    if (cursor === undefined) return items;
    if (!report.check(!seen.has(cursor), `${method}: the cursor ${cursor} came twice`)) return items;
    seen.add(cursor);
  }
}

async function walk(directory) {
  report.count('directories');
  const files = [];
  for (const child of await pages('resources/directory/read', { uri: directory }, 'resources')) {
    if (child.mimeType === 'inode/directory') files.push(...(await walk(child.uri)));
    else files.push(child.uri);
  }
  return files;
}
