// What the drivers share: arguments, a connection to the server under test, and a report.

import { parseArgs } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const MODERN = '2026-07-28';
export const INVALID_PARAMS = -32602;

// Every driver takes: --url URL, or the command of a stdio server after "--".
const common = {
  url: { type: 'string' },
  era: { type: 'string', default: 'modern' },
  sample: { type: 'string', default: '200' }, // skills to read whole, spread over the catalog
  expect: { type: 'string' }, // skills that must be found; its meaning is the driver's
};

export function args() {
  const { values, positionals } = parseArgs({ options: common, allowPositionals: true });
  if ((values.url === undefined) === (positionals.length === 0)) {
    console.error('usage: DRIVER [--era modern|legacy] [--sample N] [--expect N] (--url URL | -- COMMAND [ARG...])');
    process.exit(2);
  }
  return {
    url: values.url,
    command: positionals,
    era: values.era,
    sample: Number(values.sample),
    expect: values.expect === undefined ? undefined : Number(values.expect),
  };
}

/** A connected client of the official SDK, and a report that also checks every result's envelope. */
export async function connect({ url, command, era }) {
  const options = era === 'modern' ? { versionNegotiation: { mode: { pin: MODERN } } } : {};
  const client = new Client({ name: 'apiskills-interop', version: '1.0.0' }, options);
  const transport = url
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command: command[0], args: command.slice(1), stderr: 'ignore' });
  const report = new Report();
  await client.connect(transport);
  watchEnvelopes(transport, era, report);
  const version = client.getNegotiatedProtocolVersion();
  report.check((version === MODERN) === (era === 'modern'), `asked for the ${era} era, negotiated ${version}`);
  return { client, report };
}

// The methods whose results carry the caching members on the modern era. The specification asks them of the
// first three; the official client refuses a directory read without them too.
const CACHEABLE = new Set(['skills/list', 'skills/get', 'resources/read', 'resources/list', 'resources/directory/read']);

/** Checks, below the client and so before it drops or fills in anything, the members that differ between the eras. */
function watchEnvelopes(transport, era, report) {
  const sent = new Map();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (message.id !== undefined && CACHEABLE.has(message.method)) sent.set(message.id, message);
    return send(message, options);
  };
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const request = sent.get(message.id);
    if (request !== undefined && message.result !== undefined) {
      sent.delete(message.id);
      report.counts.results = (report.counts.results ?? 0) + 1;
      const { resultType, ttlMs, cacheScope, contents } = message.result;
      const where = `${request.method} ${request.params?.uri ?? ''}`;
      if (era === 'modern') {
        report.check(resultType === 'complete', `${where}: resultType is ${resultType}`);
        report.check(Number.isInteger(ttlMs) && ttlMs >= 0, `${where}: ttlMs is ${ttlMs}`);
        report.check(cacheScope === 'public' || cacheScope === 'private', `${where}: cacheScope is ${cacheScope}`);
      } else {
        for (const member of ['resultType', 'ttlMs', 'cacheScope']) {
          report.check(!(member in message.result), `${where}: a legacy result has ${member}`);
        }
      }
      if (request.method === 'resources/read') {
        report.check(contents?.length === 1 && contents[0].uri === request.params.uri, `${where}: contents are of ${contents?.[0]?.uri}`);
      }
    }
    return receive(message, extra);
  };
}

/** Counts what was checked; failures are kept, and the run stops at the tenth. */
export class Report {
  counts = {};
  failures = [];

  count(what, n = 1) {
    this.counts[what] = (this.counts[what] ?? 0) + n;
  }

  check(ok, message) {
    if (ok) return true;
    this.failures.push(message);
    if (this.failures.length >= 10) this.finish();
    return false;
  }

  /** Runs f and keeps what it throws as a failure of what. */
  async attempt(what, f) {
    try {
      return await f();
    } catch (error) {
      this.check(false, `${what}: ${error?.message ?? error}`);
      return undefined;
    }
  }

  /** Checks that f is refused with code, and that the message tells what was refused. */
  async refused(what, code, mention, f) {
    this.count('refusals');
    try {
      await f();
    } catch (error) {
      this.check(error?.code === code, `${what}: error ${error?.code} (${error?.message}), want ${code}`);
      this.check(String(error?.message).includes(mention), `${what}: the message does not mention ${mention}: ${error?.message}`);
      return;
    }
    this.check(false, `${what}: accepted, want error ${code}`);
  }

  finish() {
    for (const failure of this.failures) console.error(`FAIL ${failure}`);
    console.log(JSON.stringify(this.counts));
    process.exit(this.failures.length === 0 ? 0 : 1);
  }
}

/** Up to n items of list, evenly spread, the first and the last among them. */
export function spread(list, n) {
  if (list.length <= n) return list;
  if (n === 1) return [list[0]];
  return Array.from({ length: n }, (_, i) => list[Math.round((i * (list.length - 1)) / (n - 1))]);
}

/** Calls f for each item of list, several at a time. */
export async function each(list, f, width = 8) {
  const rest = list[Symbol.iterator]();
  const worker = async () => {
    for (const item of rest) await f(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** The directory of a skill: its SKILL.md's URI without "/SKILL.md". */
export function rootOf(uri) {
  return uri.slice(0, -'/SKILL.md'.length);
}

/** Each string that occurs more than once. */
export function duplicates(strings) {
  const seen = new Set();
  return strings.filter((s) => seen.size === seen.add(s).size);
}
