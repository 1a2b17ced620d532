import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { manyKeys } from '../tests/fixtures/many-keys';
import { ADMIN_TOKEN, type Product, startProduct } from '../tests/fixtures/product';
import { formatThousands, table } from './rounds';
import { runInFolder } from './run-in-folder';

const KEYS = 100_000;
const PARALLEL = 4;
const STALLED = 32;
const MEBIBYTE = 2 ** 20;
/** Heap limit in MiB. Without it V8 lets garbage accumulate, which the figures would then show. */
const HEAP = 512;

const LISTS = [
  ['GET /v1/admin/rate-limit/quotas', '/v1/admin/rate-limit/quotas'],
  ['GET /v1/admin/rate-limit/allowlist', '/v1/admin/rate-limit/allowlist'],
  ['GET /v1/admin/api-keys, as CSV', '/v1/admin/api-keys?format=csv'],
] as const;

/** Measures what answers of 100,000 rows cost the server process. Linux only, because it reads `/proc`. */
export async function run(): Promise<string> {
  const rows: string[][] = [];
  for (const [name, path] of LISTS) rows.push([name, ...(await measure(path))]);
  const stalled: string[][] = [];
  for (const [name, path] of LISTS) stalled.push([name, ...(await measureStalled(path))]);
  return [
    `${PARALLEL} at once, each of ${formatThousands(KEYS)} rows, to readers that take them as fast as they come; a server of its own for each line, whose heap is bounded to ${HEAP} MiB (\`--max-old-space-size\`) as in a small container. Memory is the resident set, sampled every 10 ms.`,
    table(
      ['list', 'idle', 'peak', 'above idle', 'one answer', 'all of them took', 'longest `/healthz` during that'],
      rows,
    ),
    `${STALLED} at once, to readers that take the head of the answer and nothing more.`,
    table(['list', 'idle', 'held', 'above idle', 'all heads after'], stalled),
  ].join('\n\n');
}

const mebibytes = (bytes: number) => `${Math.round(bytes / MEBIBYTE)} MiB`;

/** Starts an idle server on a database of `KEYS` rows that has answered once. */
async function idleServer<T>(path: string, work: (product: Product, idle: number) => Promise<T>): Promise<T> {
  return runInFolder(async (directory) => {
    await manyKeys(directory, KEYS);
    const product = await startProduct({ directory, env: { NODE_OPTIONS: `--max-old-space-size=${HEAP}` } });
    try {
      // The first page compiles code and fills caches.
      await product.admin('GET', `${path}${path.includes('?') ? '&' : '?'}limit=1`).then((answer) => answer.text());
      await wait(3_000);
      return await work(product, residentSet(product));
    } finally {
      await product.stop();
    }
  });
}

function measureStalled(path: string): Promise<string[]> {
  return idleServer(path, async (product, idle) => {
    const begun = performance.now();
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    const head = () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        get(`${product.origin}${path}`, { headers }, resolve).on('error', reject);
      });
    const answers = await Promise.all(Array.from({ length: STALLED }, head));
    const took = performance.now() - begun;
    await wait(3_000);
    const held = residentSet(product);
    for (const answer of answers) answer.destroy();
    return [mebibytes(idle), mebibytes(held), mebibytes(held - idle), `${(took / 1_000).toFixed(1)} s`];
  });
}

function measure(path: string): Promise<string[]> {
  return idleServer(path, async (product, idle) => {
    let peak = idle;
    const sampler = setInterval(() => {
      peak = Math.max(peak, residentSet(product));
    }, 10);
    const done = new AbortController();
    const longest = probe(product, done.signal);
    const begun = performance.now();
    const sizes = await Promise.all(Array.from({ length: PARALLEL }, () => measureSize(product, path)));
    const took = performance.now() - begun;
    done.abort();
    clearInterval(sampler);
    return [
      mebibytes(idle),
      mebibytes(peak),
      mebibytes(peak - idle),
      mebibytes(sizes[0] ?? 0),
      `${(took / 1_000).toFixed(1)} s`,
      `${Math.round(await longest)} ms`,
    ];
  });
}

/** Returns the size of an answer in bytes, without storing it. */
async function measureSize(product: Product, path: string): Promise<number> {
  const answer = await product.admin('GET', path);
  if (answer.status !== 200 || answer.body === null) throw new Error(`${path} answered ${answer.status}.`);
  let size = 0;
  for await (const part of answer.body) size += part.byteLength;
  return size;
}

/** Returns the longest wait of other requests, in ms. */
async function probe(product: Product, signal: AbortSignal): Promise<number> {
  let longest = 0;
  while (!signal.aborted) {
    const asked = performance.now();
    await fetch(`${product.origin}/healthz`).then((answer) => answer.text());
    longest = Math.max(longest, performance.now() - asked);
    await wait(20);
  }
  return longest;
}

/** Returns the resident set in bytes. */
function residentSet(product: Product): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${product.process.pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) * 1024;
}
