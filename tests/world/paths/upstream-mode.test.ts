import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { classify } from '@/lib/enforcement/classify';
import { isOwnRoute } from '@/lib/enforcement/own-routes';
import { compareStrictness } from '@/lib/enforcement/usual-class';
import { close, listen } from '../../fixtures/listen';
import { type Product, startProduct } from '../../fixtures/product';
import { type WireAnswer, wire } from '../../fixtures/wire';
import { corpus } from './corpus';
import { RULES } from './handlers';

const CLASSES = ['auth', 'sensitive', 'write', 'read', 'lab'] as const;
/** The limit of a class names it in the answer. */
const limitOf = (index: number) => 1_000_001 + index;
const POLICIES = {
  classes: Object.fromEntries(
    CLASSES.map((name, index) => [name, { ip: { limit: limitOf(index), window_seconds: 60 } }]),
  ),
  global: { limit: 1_000_000, window_seconds: 60 },
};

/** Paths and fields that Next.js uses internally. */
const OF_NEXT = ['/login', '/api/admin/x', '/files/a/b', '/public/home'].flatMap((path) => [
  ...[`${path}.rsc`, `${path}.prefetch.rsc`, `${path}.segments/x.segment.rsc`, `${path}.json`, `${path}/index`],
  ...[`/_next/data/x${path}.json`, `/_next/data/${readFileSync('.next/BUILD_ID', 'utf8')}${path}.json`, `/en${path}`],
  ...[`${path}?_rsc=1`, `${path}?nxtPid=1`, `/_next/..${path}`, `/_next/static/../..${path}`, `/v1/../${path}`],
  ...[`/healthz/..${path}`, `/_next/image?url=${path}`, `/docs/..${path}`, `/docs/%2e%2e${path}`],
]);
const FIELDS: Record<string, string>[] = [
  { 'x-nextjs-data': '1' },
  { rsc: '1', 'next-router-prefetch': '1', 'next-router-state-tree': '%5B%22%22%2C%7B%7D%5D', 'next-url': '/login' },
  ...['x-matched-path', 'x-invoke-path', 'x-middleware-rewrite', 'x-now-route-matches', 'x-original-url'].map(
    (name) => ({ [name]: '/public/home' }),
  ),
];

/** Answers with the target that it got. */
const upstream = createServer((request, response) => {
  request.resume();
  response.end(`target ${request.url}`);
});
const products = new Map<string, Product>();
let upstreamPort: number;
const ENTRIES = ['server.mjs', 'next start'] as const;

beforeAll(async () => {
  upstreamPort = await listen(upstream);
  const origin = `http://127.0.0.1:${upstreamPort}`;
  for (const entry of ENTRIES) {
    const product = await startProduct({
      entry,
      env: { SLUICE_UPSTREAM: origin, SLUICE_POLICIES: JSON.stringify(POLICIES) },
    });
    products.set(entry, product);
    const rules = RULES.map(({ rule }) => rule);
    expect((await product.admin('PUT', '/v1/admin/route-rules', rules)).status).toBe(200);
  }
});
afterAll(async () => {
  for (const product of products.values()) await product.stop();
  await close(upstream);
});

/** Sends targets byte for byte, a few at a time. */
async function sendAll(
  entry: string,
  targets: readonly string[],
  headers: Record<string, string> = {},
): Promise<[target: string, answer: WireAnswer][]> {
  const send = wire(products.get(entry)?.port ?? 0);
  return Promise.all(
    targets.map(
      async (target): Promise<[string, WireAnswer]> => [
        target,
        await send({ method: 'GET', target, headers: { Host: 'a.example', ...headers } }),
      ],
    ),
  );
}

/** The target that the upstream got; undefined if it got none. */
const arrivedAt = ({ body }: WireAnswer) => /^target (.*)$/.exec(body)?.[1];

/** What is wrong with how a request was counted that reached the upstream; null if nothing is. */
function faultOf(target: string, answer: WireAnswer): string | null {
  const arrived = arrivedAt(answer);
  if (arrived === undefined) return null;
  const counted = CLASSES.find((_, index) => String(limitOf(index)) === answer.headers['x-ratelimit-limit']);
  const owed = classify(RULES, 'GET', parsePath(arrived)).class;
  if (counted !== undefined && compareStrictness(counted, owed) <= 0) return null;
  return `${target} reached ${arrived} (${owed}) and was counted as ${counted}`;
}

describe.each(ENTRIES)('what reaches an upstream behind %s was counted by the rule of its path', (entry) => {
  it('in every spelling', async () => {
    const answers = await sendAll(entry, corpus());
    expect(answers.filter((each) => arrivedAt(each[1]) !== undefined).length).toBeGreaterThan(300);
    expect(answers.map((each) => faultOf(...each)).filter((fault) => fault !== null)).toEqual([]);
  });

  it('whatever path or field of Next.js it names', async () => {
    for (const fields of [{}, ...FIELDS]) {
      const answers = await sendAll(entry, OF_NEXT, fields);
      expect(answers.map((each) => faultOf(...each)).filter((fault) => fault !== null)).toEqual([]);
      const revealing = answers.filter(([, { headers }]) => JSON.stringify(headers).includes(String(upstreamPort)));
      expect(revealing.map(([target, { headers }]) => [target, headers])).toEqual([]);
      const data = answers.filter(([target]) => target.startsWith('/_next/data'));
      expect(new Set(data.map(([, { status }]) => status))).toEqual(new Set([404]));
    }
  });
});

it('server.mjs changes no byte of a target', async () => {
  const foreign = corpus().filter((target) => !isOwnRoute(parsePath(target)));
  const answers = await sendAll('server.mjs', foreign);
  const changed = answers.filter(([target, { status, body }]) => status === 200 && body !== `target ${target}`);
  expect(changed.map(([target, { body }]) => [target, body])).toEqual([]);
});

/** The rows of the table in `docs/upstream.md`: what was sent, and what Next.js alone does with it. */
const ROWS = readFileSync('docs/upstream.md', 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, sent, outcome] = /^\| `(\/[^`]*)` \| (.*) \|$/.exec(line) ?? [];
    return sent === undefined || outcome === undefined ? [] : [[sent, outcome] as const];
  });

describe('docs/upstream.md is right about', () => {
  it('the paths that Next.js alone changes', async () => {
    expect(ROWS.length).toBeGreaterThan(10);
    const answers = await sendAll(
      'next start',
      ROWS.map(([sent]) => sent),
    );
    const outcomes = answers.map(([sent, answer]) => {
      const arrived = arrivedAt(answer);
      const { location } = answer.headers;
      if (arrived !== undefined) return [sent, arrived === sent ? 'unchanged' : `\`${arrived}\``];
      return [sent, location === undefined ? String(answer.status) : `${answer.status} to \`${location}\``];
    });
    expect(outcomes).toEqual(ROWS);
  });

  it('server.mjs, which forwards them unchanged', async () => {
    const foreign = ROWS.map(([sent]) => sent).filter((sent) => !isOwnRoute(parsePath(sent)));
    for (const [sent, answer] of await sendAll('server.mjs', foreign)) expect(arrivedAt(answer)).toBe(sent);
  });
});
