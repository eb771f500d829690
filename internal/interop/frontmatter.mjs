// One reading of the frontmatter: parsers of YAML 1.1 and 1.2 must give the JSON that the entry publishes.
//
// --expect: how many skills the listing must have.

import { isDeepStrictEqual } from 'node:util';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import * as jsYAML from 'js-yaml';
import { parse } from 'yaml';
import { args, connect, spread } from './lib.mjs';

const parsers = {
  'yaml as 1.2': (text) => parse(text, { version: '1.2' }),
  'yaml as 1.1': (text) => parse(text, { version: '1.1' }),
  'js-yaml core': (text) => jsYAML.load(text, { schema: jsYAML.CORE_SCHEMA }),
  'js-yaml as 1.1': (text) => jsYAML.load(text, { schema: jsYAML.YAML11_SCHEMA }),
};

const options = args();
const { client, report } = await connect(options);
const { skills: entries } = await new SkillsClient(client).list();
report.check(options.expect === undefined || entries.length === options.expect, `the listing has ${entries.length} skills, want ${options.expect}`);

for (const entry of spread(entries, options.sample)) {
  const { contents } = await client.readResource({ uri: entry.uri });
  const block = /^---\n([\s\S]*?\n)---\n/.exec(contents[0].text);
  if (!report.check(block !== null, `${entry.uri} has no frontmatter between exact "---" lines`)) continue;
  report.count('skills');
  for (const [name, parser] of Object.entries(parsers)) {
    const parsed = await report.attempt(`${entry.uri}: ${name}`, () => parser(block[1]));
    report.count('parsed');
    report.check(isDeepStrictEqual(plain(parsed), plain(entry.frontmatter)), `${entry.uri}: ${name} reads ${JSON.stringify(parsed)}, the entry has ${JSON.stringify(entry.frontmatter)}`);
  }
}
report.finish();

/** As JSON, but with a Date left visible as one: JSON would make it a string and hide the difference. */
function plain(value) {
  if (value instanceof Date) return { date: value.toISOString() };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]));
}
