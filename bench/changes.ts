import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { ADMIN_TOKEN, type Product, startProduct } from '../tests/fixtures/product';
import { median, table } from './rounds';

const WRITERS = 16;
const ROUNDS = 5;
const SECONDS = 4;
/** Goals: changes a second, and ms of a page at p99. */
const GOALS = { rate: 300, page: 500 };
const CLOCK_TICKS = 100;

/**
 * Measures changes through the admin API by writers that wait for each answer, while a page of the console is opened.
 */
export async function run({ rounds = ROUNDS }: { rounds?: number } = {}): Promise<string> {
  const product = await startProduct();
  try {
    const measured = { changes: [] as Round[], besidePages: [] as Round[], empty: [] as Round[] };
    const quiet: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const alone = await pages(product, SECONDS / 2);
      const empty = await load(product, () => ['GET', '/healthz']);
      const changes = await load(product, change);
      const opened: number[] = [];
      const besidePages = await load(product, change, opened);
      if (round === 0) continue;
      quiet.push(...alone);
      measured.empty.push(empty);
      measured.changes.push(changes);
      measured.besidePages.push(besidePages);
      beside.push(...opened);
    }
    const row = (name: string, of: Round[], goal: string) => {
      const p = (share: number) =>
        `${Math.round(
          percentile(
            of.flatMap(({ times }) => times),
            share,
          ),
        )} ms`;
      const rate = median(of.map((each) => each.rate));
      const core = median(of.map((each) => each.perCore));
      return [name, rate.toFixed(0), core.toFixed(0), p(0.5), p(0.99), goal];
    };
    const page = (name: string, times: number[], goal: string) => [
      name,
      String(times.length),
      `${Math.round(percentile(times, 0.5))} ms`,
      `${Math.round(percentile(times, 0.99))} ms`,
      `${Math.round(Math.max(...times))} ms`,
      goal,
    ];
    const ratio = median(
      measured.changes.map(({ perCore }, i) => perCore / (measured.empty[i]?.perCore ?? Number.NaN)),
    );
    return [
      `${WRITERS} writers, each waits for its answer; ${rounds} rounds of ${SECONDS} s in turn. A core-second is one of the server's processor time.`,
      table(
        ['', 'a second', 'a core-second', 'p50', 'p99', 'goal'],
        [
          row('`POST /v1/admin/rate-limit/allowlist`', measured.changes, `${GOALS.rate} a second`),
          row('the same, while pages are opened', measured.besidePages, ''),
          row('`GET /healthz`, an empty route', measured.empty, ''),
        ],
      ),
      `A change beside an empty route, by core-seconds: ${ratio.toFixed(2)} × of its requests.`,
      table(
        ['`GET /sign-in`', 'opened', 'p50', 'p99', 'longest', 'goal of p99'],
        [page('nothing else', quiet, ''), page(`beside ${WRITERS} writers`, beside, `${GOALS.page} ms`)],
      ),
    ].join('\n\n');
  } finally {
    await product.stop();
  }
}

interface Round {
  rate: number;
  perCore: number;
  times: number[];
}

let made = 0;
function change(): [method: string, path: string, body: string] {
  made += 1;
  const identifier = `10.${(made >> 16) & 255}.${(made >> 8) & 255}.${made & 255}`;
  return ['POST', '/v1/admin/rate-limit/allowlist', JSON.stringify({ type: 'ip', identifier, reason: 'bench' })];
}

/** @param opened receives the times of concurrently opened pages; without it none is opened */
async function load(
  product: Product,
  next: () => [method: string, path: string, body?: string],
  opened?: number[],
): Promise<Round> {
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
  const begun = performance.now();
  const spent = processorTime(product);
  const times: number[] = [];
  const until = begun + SECONDS * 1_000;
  const writer = async () => {
    while (performance.now() < until) {
      const asked = performance.now();
      const [method, path, body] = next();
      const status = await send(product, agent, method, path, body);
      if (status !== 200 && status !== 201) throw new Error(`${path} answered ${status}.`);
      times.push(performance.now() - asked);
    }
  };
  const page = opened === undefined ? undefined : pages(product, SECONDS);
  await Promise.all(Array.from({ length: WRITERS }, writer));
  const elapsed = (performance.now() - begun) / 1_000;
  const cores = processorTime(product) - spent;
  if (page !== undefined) opened?.push(...(await page));
  agent.destroy();
  return { rate: times.length / elapsed, perCore: times.length / cores, times };
}

/** Opens the page repeatedly and returns the times in ms. */
async function pages(product: Product, seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  for (const until = performance.now() + seconds * 1_000; performance.now() < until; await wait(20)) {
    const asked = performance.now();
    await send(product, agent, 'GET', '/sign-in');
    times.push(performance.now() - asked);
  }
  agent.destroy();
  return times;
}

function send(product: Product, agent: Agent, method: string, path: string, body?: string): Promise<number> {
  const headers = {
    Authorization: `Bearer ${ADMIN_TOKEN}`,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const asked = request(`${product.origin}${path}`, { agent, method, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

/** Returns user and system time of all threads in seconds (proc(5)). */
function processorTime(product: Product): number {
  const stat = readFileSync(`/proc/${product.process.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
