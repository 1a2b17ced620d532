import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { RedisServer, redisIsMissing } from '../tests/fixtures/redis-server';
import type { Round, RoundResult } from './leases-instance';
import { formatThousands, median, table } from './rounds';

const INSTANCES = 4;
const CALLERS = [1, 8, 64, 200];
const LEASES = [null, 100, 1_000, 10_000];
const MILLISECONDS = 1_000;
const GOAL = 5;

/** Totals of all instances in one round. */
interface Together {
  rate: number;
  /** Processor time per decision in µs, of the instances and of Redis. */
  own: number;
  server: number;
}

/** Measures a hot address that four instances share on one Redis, with and without leases. */
export async function run({ rounds = 5 }: { rounds?: number } = {}): Promise<string> {
  if (redisIsMissing('bench leases')) return 'redis-server is not installed.';
  const server = await RedisServer.start();
  const admin = new Redis(server.url);
  const children = Array.from({ length: INSTANCES }, () =>
    fork('bench/leases-process.mjs', [server.url], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  );
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    // The first round with few callers makes too few decisions to compile the code, so it is warmed up here.
    for (const lease of LEASES) await play(children, admin, { lease, callers: 64, milliseconds: MILLISECONDS });
    const rows: string[][] = [];
    for (const callers of CALLERS) {
      const seen = LEASES.map((): Together[] => []);
      for (let round = 0; round <= rounds; round += 1) {
        for (const [i, lease] of LEASES.entries()) {
          const together = await play(children, admin, { lease, callers, milliseconds: MILLISECONDS });
          if (round > 0) seen[i]?.push(together);
        }
      }
      const results = seen.map((own) => ({
        rate: median(own.map(({ rate }) => rate)),
        own: median(own.map((each) => each.own)),
        server: median(own.map((each) => each.server)),
      }));
      const without = results[0]?.rate ?? Number.NaN;
      for (const [i, { rate, own, server: cost }] of results.entries()) {
        const times = rate / without;
        const goal = i === 0 ? '' : times >= GOAL ? 'met' : '**missed**';
        rows.push([
          formatThousands(callers),
          LEASES[i] == null ? 'none' : formatThousands(LEASES[i] ?? 0),
          formatThousands(rate),
          i === 0 ? '' : `${times.toFixed(1)} ×`,
          goal,
          own.toFixed(1),
          cost.toFixed(2),
        ]);
      }
    }
    const head = [
      'callers each',
      'lease',
      'decisions/s',
      'ratio',
      `goal ${GOAL} ×`,
      'µs of an instance',
      'µs of Redis',
    ];
    return `One address, ${INSTANCES} instances (engine, without HTTP) on one Redis over a unix socket, median of ${rounds} interleaved rounds. Processor time is a decision's.\n\n${table(head, rows)}`;
  } finally {
    for (const child of children) child.kill();
    admin.disconnect();
    await server.stop();
  }
}

async function play(children: readonly ChildProcess[], admin: Redis, round: Round): Promise<Together> {
  const before = await readProcessorTime(admin);
  const begun = performance.now();
  const results = await Promise.all(children.map((child) => ask(child, round)));
  const elapsed = performance.now() - begun;
  const decided = results.reduce((sum, result) => sum + result.decided, 0);
  const own = results.reduce((sum, result) => sum + result.own, 0);
  return {
    rate: (decided / elapsed) * 1_000,
    own: own / decided,
    server: ((await readProcessorTime(admin)) - before) / decided,
  };
}

async function ask(child: ChildProcess, round: Round): Promise<RoundResult> {
  const answer = once(child, 'message');
  child.send(round);
  const [result] = await answer;
  return result;
}

/** Returns the processor time of Redis in µs. */
async function readProcessorTime(admin: Redis): Promise<number> {
  const info = await admin.info('cpu');
  const seconds = ['used_cpu_sys', 'used_cpu_user'].map((name) =>
    Number(new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]),
  );
  return seconds.reduce((sum, each) => sum + each, 0) * 1_000_000;
}
