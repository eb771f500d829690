// One reading of the frontmatter: parsers of YAML 1.1 and 1.2 must give the JSON that the entry publishes.
//
// FILE is a JSON array of { uri, file, frontmatter }: a skill, its SKILL.md and the frontmatter of its entry.

import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import * as jsYAML from 'js-yaml';
import { parse } from 'yaml';
import { Report } from './lib.mjs';

const parsers = {
  'yaml as 1.2': (text) => parse(text, { version: '1.2' }),
  'yaml as 1.1': (text) => parse(text, { version: '1.1' }),
  'js-yaml core': (text) => jsYAML.load(text, { schema: jsYAML.CORE_SCHEMA }),
  'js-yaml as 1.1': (text) => jsYAML.load(text, { schema: jsYAML.YAML11_SCHEMA }),
};

const report = new Report();
for (const { uri, file, frontmatter } of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  const block = /^---\n([\s\S]*?\n)---\n/.exec(readFileSync(file, 'utf8'));
  if (!report.check(block !== null, `${uri} has no frontmatter between exact "---" lines`)) continue;
  report.count('skills');
  const want = plain(frontmatter);
  for (const [name, parser] of Object.entries(parsers)) {
    const parsed = await report.attempt(`${uri}: ${name}`, () => parser(block[1]));
    report.count('parsed');
    report.check(isDeepStrictEqual(plain(parsed), want), `${uri}: ${name} reads ${JSON.stringify(parsed)}, the entry has ${JSON.stringify(frontmatter)}`);
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
