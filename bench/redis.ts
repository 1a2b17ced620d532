import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { RedisServer, redisIsMissing } from '../tests/fixtures/redis-server';
import { type Contender, closedLoop, type Load, peerRedis, redisProcessorTime, sluiceRedis } from './redis-contenders';
import { formatThousands, median, table } from './rounds';

const CALLERS = [1, 8, 16, 64, 200, 500, 1_000];
const ROUNDS = 5;
const MILLISECONDS = 600;
/** Delay of each chunk in either direction, in milliseconds. */
const DELAY = 0.5;

/** Result of one contender in one round. */
interface Result {
  rate: number;
  /** Processor time per decision in µs, of this process and of the server. */
  own: number;
  server: number;
}

/** Goals relative to the peer: a multiple of its rate, and a share of its processor time. */
interface Goal {
  rate?: number;
  time?: number;
}

/**
 * Measures the counters in Redis against rate-limiter-flexible on the same server: over a network, and on the same
 * host.
 */
export async function run({ rounds = ROUNDS }: { rounds?: number } = {}): Promise<string> {
  if (redisIsMissing('bench redis')) return 'redis-server is not installed.';
  const server = await RedisServer.start({ port: 'free' });
  const relay = await startRelay(server.port ?? 0);
  try {
    const parts = [
      `Decisions a second, median of ${rounds} interleaved rounds; one process, one connection each, 1,000 subjects.`,
      'In brackets the processor time a decision in µs, of Node and of Redis, which is what a busy machine does not change much.',
    ];
    for (const meters of [1, 4] as const) {
      const load: Load = { subjects: 1_000, meters };
      const limits = meters === 1 ? 'One meter' : 'Four meters (address, client, user, quota)';
      const network = `**${limits}, through a relay that holds each packet for ${DELAY} ms in either direction**`;
      parts.push(network, await compare(relay.url, server.url, load, { rounds, goalFor }));
      parts.push(
        `**${limits}, on the same host**`,
        await compare(server.url, server.url, load, { rounds, goalFor: null }),
      );
    }
    return parts.join('\n\n');
  } finally {
    relay.stop();
    await server.stop();
  }
}

/** Starts a simulated network in its own process, so that its work is not counted for the contenders. */
async function startRelay(port: number): Promise<{ url: string; stop: () => void }> {
  const relay = spawn(process.execPath, ['bench/slow-relay.mjs', String(port), String(DELAY)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(relay.stdout, 'data');
  return { url: `redis://127.0.0.1:${String(line).trim()}`, stop: () => relay.kill() };
}

/** Both contenders wait for the network if there are few callers. */
function goalFor(callers: number): Goal {
  return {
    ...(callers <= 8 ? { rate: 0.95 } : {}),
    ...(callers >= 200 ? { rate: 2 } : {}),
    ...(callers >= 64 ? { time: 0.5 } : {}),
  };
}

async function compare(
  url: string,
  adminUrl: string,
  load: Load,
  { rounds, goalFor }: { rounds: number; goalFor: ((callers: number) => Goal) | null },
): Promise<string> {
  const contenders = [await sluiceRedis(url, load), peerRedis(url, load)];
  const admin = new Redis(adminUrl);
  const rows: string[][] = [];
  for (const callers of CALLERS) {
    const results = contenders.map((): Result[] => []);
    for (let round = 0; round <= rounds; round += 1) {
      for (const [i, contender] of contenders.entries()) {
        const result = await measure(contender, callers, admin);
        if (round > 0) results[i]?.push(result);
      }
    }
    const ratio = (value: (result: Result) => number) => {
      const [own = Number.NaN, peer = Number.NaN] = results.map((all) => median(all.map(value)));
      return own / peer;
    };
    const [rate, time] = [ratio((result) => result.rate), ratio(({ own, server }) => own + server)];
    const row = [formatThousands(callers), ...results.map(cell), `${rate.toFixed(2)} ×`, `${time.toFixed(2)} ×`];
    rows.push(goalFor === null ? row : [...row, verdict(goalFor(callers), rate, time)]);
  }
  admin.disconnect();
  for (const contender of contenders) await contender.close();
  const head = ['callers', ...contenders.map(({ name }) => name), 'rate, Sluice / peer', 'processor time'];
  return table(goalFor === null ? head : [...head, 'goal'], rows);
}

function verdict(goal: Goal, rate: number, time: number): string {
  const parts = [];
  if (goal.rate !== undefined) parts.push(`rate ${goal.rate} ×, ${rate >= goal.rate ? 'met' : '**missed**'}`);
  if (goal.time !== undefined) parts.push(`time ${goal.time} ×, ${time <= goal.time ? 'met' : '**missed**'}`);
  return parts.join('; ');
}

async function measure(contender: Contender, callers: number, admin: Redis): Promise<Result> {
  const before = await readProcessorTime(admin);
  const start = performance.now();
  const rate = await closedLoop(contender, callers, MILLISECONDS);
  const decided = (rate * (performance.now() - start)) / 1000;
  const after = await readProcessorTime(admin);
  return { rate, own: (after.own - before.own) / decided, server: (after.server - before.server) / decided };
}

/** Returns the processor time so far, in µs. */
async function readProcessorTime(admin: Redis): Promise<{ own: number; server: number }> {
  const { user, system } = process.cpuUsage();
  return { own: user + system, server: await redisProcessorTime(admin) };
}

function cell(results: readonly Result[]): string {
  const of = (name: keyof Result) => median(results.map((result) => result[name]));
  return `${formatThousands(of('rate'))} (${of('own').toFixed(1)} + ${of('server').toFixed(1)})`;
}
