import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { manyKeys } from '../tests/fixtures/many-keys';
import { type Product, startProduct } from '../tests/fixtures/product';
import { table, thousands } from './rounds';

const KEYS = 100_000;
const PARALLEL = 4;
const MEBIBYTE = 2 ** 20;

const LISTS = [
  ['GET /v1/admin/rate-limit/quotas', '/v1/admin/rate-limit/quotas'],
  ['GET /v1/admin/rate-limit/allowlist', '/v1/admin/rate-limit/allowlist'],
  ['GET /v1/admin/api-keys, as CSV', '/v1/admin/api-keys?format=csv'],
] as const;

/** What answers of 100,000 rows cost the process that gives them. Linux only: it reads `/proc`. */
export async function run(): Promise<string> {
  const rows: string[][] = [];
  for (const [name, path] of LISTS) rows.push([name, ...(await measure(path))]);
  return [
    `${PARALLEL} at once, each of ${thousands(KEYS)} rows, to readers that take them as fast as they come; a server of its own for each line. Memory is the resident set, sampled every 10 ms.`,
    table(
      ['list', 'idle', 'peak', 'above idle', 'one answer', 'all of them took', '`/healthz` meanwhile, longest'],
      rows,
    ),
  ].join('\n\n');
}

async function measure(path: string): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  await manyKeys(directory, KEYS);
  const product = await startProduct({ directory });
  try {
    // The first page compiles what is used and fills the caches that stay.
    await product.admin('GET', `${path}${path.includes('?') ? '&' : '?'}limit=1`).then((answer) => answer.text());
    await wait(3_000);
    const idle = residentSet(product);
    let peak = idle;
    const sampler = setInterval(() => {
      peak = Math.max(peak, residentSet(product));
    }, 10);
    const done = new AbortController();
    const longest = probe(product, done.signal);
    const begun = performance.now();
    const sizes = await Promise.all(Array.from({ length: PARALLEL }, () => sizeOf(product, path)));
    const took = performance.now() - begun;
    done.abort();
    clearInterval(sampler);
    const mebibytes = (bytes: number) => `${Math.round(bytes / MEBIBYTE)} MiB`;
    return [
      mebibytes(idle),
      mebibytes(peak),
      mebibytes(peak - idle),
      mebibytes(sizes[0] ?? 0),
      `${(took / 1_000).toFixed(1)} s`,
      `${Math.round(await longest)} ms`,
    ];
  } finally {
    await product.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Bytes of an answer; nothing of it is kept. */
async function sizeOf(product: Product, path: string): Promise<number> {
  const answer = await product.admin('GET', path);
  if (answer.status !== 200 || answer.body === null) throw new Error(`${path} answered ${answer.status}.`);
  let size = 0;
  for await (const part of answer.body) size += part.byteLength;
  return size;
}

/** How long others wait for the process, in milliseconds. */
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

/** In bytes. */
function residentSet(product: Product): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${product.process.pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) * 1024;
}
