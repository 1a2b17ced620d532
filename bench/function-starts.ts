import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { RedisServer, redisIsMissing } from '../tests/fixtures/redis-server';
import { SqldServer, sqldIsMissing } from '../tests/fixtures/sqld-server';
import { UpstashServer } from '../tests/fixtures/upstash-server';
import { BARE_PATH } from './next-app';
import { median, table } from './rounds';
import { TOKEN } from './server-environment';

const STARTS = 11;

interface FunctionStart {
  status: number;
  /** First answer after the start of the process, in ms. */
  first: number;
  /** Processor time until then, in ms. */
  cpu: number;
}

/**
 * Measures how long a function of a platform takes to start and to answer its first check, with an existing database on
 * a server and Redis, both without network. The starts alternate with those of a route of Next that does nothing else.
 * @param bare folder of that application
 */
export async function measureFunctionStarts(bare: string): Promise<string> {
  const suite = 'the start of functions';
  if ([redisIsMissing(suite), sqldIsMissing(suite)].includes(true)) return '';
  const [sqld, redis] = await Promise.all([SqldServer.start(), RedisServer.start({ port: 'free' })]);
  const rest = await UpstashServer.start(redis.url);
  const own = {
    ...{ VERCEL: '1', DATABASE_URL: sqld.url, AUTH_SECRET: 'a secret of all functions of this measurement' },
    ...{ SLUICE_ADMIN_TOKEN: TOKEN, SLUICE_ADMIN_PASSWORD: TOKEN, SLUICE_LOG_LEVEL: 'error' },
  };
  const functions = [
    { name: 'a bare route handler of Next', folder: bare, path: BARE_PATH, env: {} },
    {
      name: '`POST /v1/check`, Redis over a socket',
      folder: '.',
      path: '/v1/check',
      env: { ...own, REDIS_URL: redis.url },
    },
    { name: '`POST /v1/check`, Redis over HTTP', folder: '.', path: '/v1/check', env: { ...own, ...rest.env } },
  ];
  const starts = functions.map((): FunctionStart[] => []);
  try {
    // The first starts create the database, and load the scripts.
    for (let round = 0; round <= STARTS; round += 1) {
      for (const [index, { folder, path, env }] of functions.entries()) {
        const { stdout } = await promisify(execFile)(process.execPath, [resolve('bench/function-start.mjs'), path], {
          cwd: folder,
          env: { PATH: process.env.PATH, ...env } as unknown as NodeJS.ProcessEnv,
        });
        const start = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as FunctionStart;
        if (start.status !== 200) throw new Error(`The first request got ${start.status}.`);
        if (round > 0) starts[index]?.push(start);
      }
    }
  } finally {
    await rest.stop();
    await Promise.all([redis.stop(), sqld.stop()]);
  }
  const rows = functions.map(({ name }, index) => {
    const of = (field: 'first' | 'cpu') =>
      `${Math.round(median((starts[index] ?? []).map((start) => start[field])))} ms`;
    return [name, of('first'), of('cpu'), index === 0 ? '' : '400 ms'];
  });
  return [
    `First answer of a function, from the start of its process; median of ${STARTS} interleaved starts.`,
    table(['', 'first answer', 'processor time until then', 'goal on two quiet cores'], rows),
  ].join('\n\n');
}
