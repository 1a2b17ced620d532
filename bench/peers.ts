import { loadavg } from 'node:os';
import { redisIsMissing } from '../tests/fixtures/redis-server';
import { ARRIVALS_IN_WORDS } from './arrivals';
import { libraries } from './peer-libraries';
import { servers } from './peer-servers';

/** Rule for judging exactness: 20 a second, which nginx can express. */
const RULE = { limit: 100, seconds: 5 };
const ROUNDS = 5;
const PLAYS = 3;

/** Compares other limiters for the same work on the same machine in one run: speed and exactness. */
export async function run({ rounds = ROUNDS }: { rounds?: number } = {}): Promise<string> {
  const { limit, seconds } = RULE;
  const load = loadavg()[0] ?? Number.NaN;
  const parts = [
    `Medians of ${rounds} interleaved rounds; load of the machine ${load.toFixed(1)} before.`,
    `Exactness is that of a limit of ${limit} in ${seconds} s, the worst of ${PLAYS} plays of these arrivals: ${ARRIVALS_IN_WORDS}. ` +
      `*Most in a window*: how many were admitted within one interval of ${seconds} s. *Refused although there was room*: fewer than ${limit} had been admitted in the ${seconds} s before. Both count what is certain whenever within its call a request was decided. Sluice gives room back at most a sixtieth of a window late, ${Math.round((seconds * 1_000) / 60)} ms here.`,
  ];
  if (redisIsMissing('bench peers, libraries')) parts.push('**redis-server is not installed: no libraries.**');
  else {
    parts.push(
      '**Libraries on one local Redis** (unix socket, one meter, 1,000 subjects, nobody refused). In brackets µs of processor a decision: of the process that asks, and of Redis with what stands before it. ' +
        "@upstash/ratelimit is made for Redis over HTTP: *over HTTP* goes through a server of ours that speaks Upstash's REST API in front of the same Redis, *on the socket* hands the same commands to Redis without it. " +
        "Its scripts lose a flag that only Upstash's Redis knows; it keeps its own settings, among them a cache that goes on refusing a client until the window ends, without asking. " +
        '@unkey/ratelimit is missing: it has no algorithm of its own, but asks the API of api.unkey.com, which cannot run here.',
      await libraries(RULE, rounds, PLAYS),
    );
  }
  parts.push(...(await servers(RULE, rounds, PLAYS)));
  return parts.join('\n\n');
}
