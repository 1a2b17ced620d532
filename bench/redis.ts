import { Redis } from 'ioredis';
import { RedisServer, redisIsMissing } from '../tests/fixtures/redis-server';
import { type Contender, closedLoop, type Load, peerRedis, redisProcessorTime, sluiceRedis } from './redis-contenders';
import { median, table, thousands } from './rounds';

const CALLERS = [1, 8, 16, 64, 200, 500, 1_000];
const ROUNDS = 5;
const MILLISECONDS = 600;

/** The result of one contender in one round. */
interface Result {
  rate: number;
  /** Processor time per decision, µs, of this process and of the server. */
  own: number;
  server: number;
}

/** The counters in Redis, beside rate-limiter-flexible on the same server, on a unix socket. */
export async function run(): Promise<string> {
  if (redisIsMissing('bench redis')) return 'redis-server is not installed.';
  const server = await RedisServer.start();
  try {
    return [
      `Decisions a second, median of ${ROUNDS} interleaved rounds; one process, one connection each, 1,000 subjects, unix socket.`,
      'In brackets the processor time a decision in µs, of Node and of Redis, which is what a busy machine does not change much.',
      await byCallers(server.url, { subjects: 1_000, meters: 1 }),
      await byCallers(server.url, { subjects: 1_000, meters: 4 }),
    ].join('\n\n');
  } finally {
    await server.stop();
  }
}

async function byCallers(url: string, load: Load): Promise<string> {
  const contenders = [await sluiceRedis(url, load), peerRedis(url, load)];
  const admin = new Redis(url);
  const rows: string[][] = [];
  for (const callers of CALLERS) {
    const results = contenders.map((): Result[] => []);
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [i, contender] of contenders.entries()) {
        const result = await measure(contender, callers, admin);
        if (round > 0) results[i]?.push(result);
      }
    }
    const rates = results.map((all) => median(all.map(({ rate }) => rate)));
    const [own = Number.NaN, peer = Number.NaN] = rates;
    const goal = callers === 1 ? 0.9 : 1.5;
    const verdict = own / peer >= goal ? 'met' : '**missed**';
    rows.push([thousands(callers), ...results.map(cell), `${(own / peer).toFixed(2)} ×`, `${goal} ×, ${verdict}`]);
  }
  admin.disconnect();
  for (const contender of contenders) await contender.close();
  const title = load.meters === 1 ? 'One meter' : 'Four meters (address, client, user, quota)';
  const head = ['callers', ...contenders.map(({ name }) => name), 'Sluice / peer', 'goal'];
  return `**${title}, by how many ask at once**\n\n${table(head, rows)}`;
}

async function measure(contender: Contender, callers: number, admin: Redis): Promise<Result> {
  const before = await used(admin);
  const start = performance.now();
  const rate = await closedLoop(contender, callers, MILLISECONDS);
  const decided = (rate * (performance.now() - start)) / 1000;
  const after = await used(admin);
  return { rate, own: (after.own - before.own) / decided, server: (after.server - before.server) / decided };
}

/** Processor time so far, µs. */
async function used(admin: Redis): Promise<{ own: number; server: number }> {
  const { user, system } = process.cpuUsage();
  return { own: user + system, server: await redisProcessorTime(admin) };
}

function cell(results: readonly Result[]): string {
  const of = (name: keyof Result) => median(results.map((result) => result[name]));
  return `${thousands(of('rate'))} (${of('own').toFixed(1)} + ${of('server').toFixed(1)})`;
}
