// Counts the operations and webhooks of OpenAPI documents with nothing of the product: prints, for each FILE,
// FILE<TAB>OPERATIONS<TAB>WEBHOOKS.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  const doc = text.trimStart().startsWith('{') ? JSON.parse(text) : parse(text, { maxAliasCount: -1, uniqueKeys: false, logLevel: 'silent' });
  console.log(`${file}\t${count(doc, doc.paths)}\t${count(doc, doc.webhooks)}`);
}

function count(doc, items) {
  let n = 0;
  for (const [key, value] of Object.entries(items ?? {})) {
    if (key.startsWith('x-')) continue;
    const item = resolve(doc, value);
    const methods = doc.swagger === undefined && !/^3\.[01]\b/.test(doc.openapi) ? [...METHODS, 'query'] : METHODS;
    n += methods.filter((m) => typeof item[m] === 'object' && item[m] !== null).length;
    if (methods.includes('query')) n += Object.keys(item.additionalOperations ?? {}).length;
  }
  return n;
}

/** The path item that value is, or that its $ref within the document names. */
function resolve(doc, value, depth = 0) {
  if (typeof value !== 'object' || value === null) return {};
  if (typeof value.$ref !== 'string' || !value.$ref.startsWith('#/') || depth > 8) return value;
  const target = value.$ref.slice(2).split('/').map((s) => decodeURIComponent(s).replaceAll('~1', '/').replaceAll('~0', '~')).reduce((at, key) => at?.[key], doc);
  return { ...resolve(doc, target, depth + 1), ...value };
}
