import type { Redis } from 'ioredis';
import { freePort } from '../tests/fixtures/free-port';
import { RedisServer } from '../tests/fixtures/redis-server';
import { EXACTNESS_HEAD, exactnessCells, worst } from './arrivals';
import { type HttpServer, startServer } from './http-server';
import type { Rule } from './limiters';
import { closedLoop, redisProcessorTime } from './redis-contenders';
import { type RedisLimiter, redisLimiters } from './redis-limiters';
import { formatThousands, median, table } from './rounds';

const CALLERS = [1, 64];
const SUBJECTS = 1_000;
const MILLISECONDS = 600;
/** Never reached, because an admission costs more than a refusal. */
const NO_LIMIT: Rule = { limit: 1_000_000_000, seconds: 60 };

interface Result {
  rate: number;
  /** Processor time per decision in µs: of this process, and of Redis and what is in front of it. */
  own: number;
  rest: number;
}

/** Measures the libraries on one Redis. @param plays how often the arrivals are repeated */
export async function libraries(rule: Rule, rounds: number, plays: number): Promise<string> {
  const server = await RedisServer.start();
  const port = await freePort();
  const shim = await startServer(['bench/upstash-rest.mjs', server.url, String(port)], port, '/', {}, 'anywhere');
  const fast = await redisLimiters(server.url, shim.origin, NO_LIMIT);
  const exact = await redisLimiters(server.url, shim.origin, rule);
  try {
    const speeds: Result[][] = [];
    for (const callers of CALLERS) speeds.push(await measureSpeeds(fast, callers, rounds, shim, server.admin));
    const exactness = await Promise.all(exact.map((limiter) => worst(limiter, rule, plays)));
    const head = CALLERS.flatMap((callers) => [
      `decisions/s, ${callers === 1 ? 'one caller' : `${callers} callers`}`,
      'Sluice / it',
    ]);
    return table(
      ['', ...head, ...EXACTNESS_HEAD],
      fast.map(({ name }, i) => {
        const cells = speeds.flatMap((results) => {
          const [sluice, result] = [results[0], results[i]];
          if (sluice === undefined || result === undefined) return [];
          const { rate, own, rest } = result;
          const cell = `${formatThousands(rate)} (${own.toFixed(0)} + ${rest.toFixed(0)})`;
          return [cell, i === 0 ? '' : `${(sluice.rate / rate).toFixed(2)} ×`];
        });
        return [name, ...cells, ...exactnessCells(exactness[i])];
      }),
    );
  } finally {
    for (const limiter of [...fast, ...exact]) await limiter.close();
    await shim.stop();
    await server.stop();
  }
}

/** Returns the medians of the limiters, which run in turn. The first round warms up. */
async function measureSpeeds(
  limiters: readonly RedisLimiter[],
  callers: number,
  rounds: number,
  shim: HttpServer,
  admin: Redis,
): Promise<Result[]> {
  const results = limiters.map((): Result[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [i, limiter] of limiters.entries()) {
      const result = await measureSpeed(limiter, callers, shim, admin);
      if (round > 0) results[i]?.push(result);
    }
  }
  return results.map((all) => {
    const of = (name: keyof Result) => median(all.map((result) => result[name]));
    return { rate: of('rate'), own: of('own'), rest: of('rest') };
  });
}

async function measureSpeed(limiter: RedisLimiter, callers: number, shim: HttpServer, admin: Redis): Promise<Result> {
  const { name, admits, close, overHttp = false } = limiter;
  let decided = 0;
  const decide = async () => {
    decided += 1;
    if (!(await admits(`client-${Math.floor(Math.random() * SUBJECTS)}`))) throw new Error(`${name} refused.`);
  };
  const rest = async () => (await redisProcessorTime(admin)) + (overHttp ? shim.cpu() * 1_000_000 : 0);
  const restBefore = await rest();
  const ownBefore = process.cpuUsage();
  const rate = await closedLoop({ name, decide, close }, callers, MILLISECONDS);
  const { user, system } = process.cpuUsage(ownBefore);
  return { rate, own: (user + system) / decided, rest: ((await rest()) - restBefore) / decided };
}
