// A host that walks a catalog behind a balancer while replicas are killed and moved to another version of the
// document. Between the pages it tells the test, over --control, how far it is, and the test does the rest.
//
// Prints one JSON object: uris (as listed, in order), read, drifted (entries that did not fit what was read, which
// sent the host back to skills/get), pages.

import { SkillsClient, SkillVerificationError } from '@modelcontextprotocol/client/ext/skills';
import { parseArgs } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { MODERN, each, spread } from './lib.mjs';

const { values } = parseArgs({
  options: { url: { type: 'string' }, control: { type: 'string' }, sample: { type: 'string' }, always: { type: 'string', multiple: true, default: [] } },
});
const client = new Client({ name: 'apiskills-replicas', version: '1.0.0' }, { versionNegotiation: { mode: { pin: MODERN } } });
await client.connect(new StreamableHTTPClientTransport(new URL(values.url)));
const skills = new SkillsClient(client);
const out = { uris: [], read: 0, drifted: 0, pages: 0 };

/** Tells the test how far the host is, and waits for what it does about that. */
async function reached(point) {
  const response = await fetch(`${values.control}/${point}`, { method: 'POST' });
  if (!response.ok) throw new Error(`${point}: ${await response.text()}`);
}

/**
 * Reads a skill whole. What does not verify is never used: the entry is got anew, and what it does not share with
 * the one before is read again. A file that verified stays good as long as an entry has its digest.
 */
async function readWhole(entry) {
  const verified = new Set();
  // Each turn gets the entry from one replica and reads from others, which may have another version.
  for (let turn = 0; turn < 50; turn++) {
    try {
      for (const { uri, digest } of entry.resources) {
        if (verified.has(uri + digest)) continue;
        const file = await skills.read(entry, uri, { cacheMode: 'refresh' });
        if (!file.verified) throw new Error(`${uri} was not verified`);
        verified.add(uri + digest);
      }
      out.read++;
      return;
    } catch (error) {
      // A file of the old version may be gone in the new one: that is told as a resource that is not there.
      if (!(error instanceof SkillVerificationError) && error?.code !== -32602) throw error;
      out.drifted++;
      entry = (await skills.get(entry.uri, { cacheMode: 'refresh' })).skill;
    }
  }
  throw new Error(`${entry.uri} never verified`);
}

const entries = [];
let cursor;
let reading = Promise.resolve();
do {
  // The pages are asked for one by one: the client's own walk would leave no room for the test between them.
  const page = cursor === undefined ? await client.request({ method: 'skills/list', params: {} }, ResultSchema) : await skills.list({ cursor });
  entries.push(...page.skills);
  cursor = page.nextCursor;
  out.pages++;
  // Reads of this page are in flight while the test acts and the next page is asked for.
  const sample = page.skills.filter((e) => values.always.includes(e.uri)).concat(spread(page.skills, Number(values.sample)));
  const before = reading;
  reading = (async () => {
    await before;
    await each([...new Set(sample)], readWhole);
  })();
  reading.catch(() => {}); // it is awaited below
  await reached(`page/${out.pages}`);
} while (cursor !== undefined);
await reading;
out.uris = entries.map((e) => e.uri);
await reached('walked');
// With the replicas as they are now, entries of before a change are read too.
await each(entries.filter((e) => values.always.includes(e.uri)), readWhole);
process.stdout.write(JSON.stringify(out), () => process.exit(0)); // not before all is written
