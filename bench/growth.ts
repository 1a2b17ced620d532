import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Redis } from 'ioredis';
import { RedisCounters } from '../lib/counters/redis/store';
import { migrate } from '../lib/db/migrate';
import { openDatabase } from '../lib/db/open-database';
import { buildCounterKey } from '../lib/limiter/counter-key';
import type { Attempt, Window } from '../lib/limiter/meter';
import { RedisServer, redisIsMissing } from '../tests/fixtures/redis-server';
import { plot, type Series } from './plot';
import { formatThousands, median, table } from './rounds';
import { runInFolder } from './run-in-folder';
import { embeddedCounters } from './tables';

const LIVE = [1_000, 100_000, 1_000_000];
const WAITING = 50;
const LIMIT = 1_000_000_000;
const MINUTE: Window = { kind: 'sliding', seconds: 60 };
const MEBIBYTE = 2 ** 20;

/** Measures the embedded store and Redis with a growing number of counters. */
export async function run(): Promise<string> {
  const counters: string[][] = [];
  for (const live of LIVE) counters.push(await measureEmbedded(live));
  const redis = await measureRedis();
  const drawn: Series[] = [
    { name: 'Redis', points: redis.rates },
    {
      name: 'embedded file',
      points: counters.map(([live = '', rate = '']) => [parseThousands(live), parseThousands(rate)]),
    },
  ];
  const svg = plot(
    `Decisions a second, ${WAITING} in a group`,
    'live identifiers',
    drawn.filter(({ points }) => points.length > 0),
  );
  writeFileSync('docs/performance.svg', svg);
  return [
    `**Counters on the embedded file.** Live identifiers, each with a window; decisions about random ones of them, ${WAITING} at once, median of 5 rounds of 1 s. The other turns are those of the event loop while a whole pass of the sweep walks through all of them (half of them expired).`,
    table(
      [
        'live identifiers',
        'decisions a second',
        'longest turn while deciding',
        'memory of the process grew by',
        'file',
        'bytes a counter',
        'sweep of all',
        'median turn',
        'longest turn',
      ],
      counters,
    ),
    redis.text,
    'Drawn into `docs/performance.svg`.',
  ].join('\n\n');
}

/** Inverse of `formatThousands`. */
function parseThousands(text: string): number {
  return Number(text.replaceAll(',', ''));
}

async function measureEmbedded(live: number): Promise<string[]> {
  return runInFolder(async (folder) => {
    const path = join(folder, 'sluice.db');
    const database = openDatabase({
      url: `file:${path}`,
      monotonic: () => performance.now(),
      wait,
      random: Math.random,
      checkpoints: {
        failed: (error) => {
          throw error;
        },
      },
    });
    await migrate(database, 'drizzle', 0);
    const { handle } = database;
    if (handle === null) throw new Error('The file is embedded.');
    collect();
    const before = process.memoryUsage().rss;
    let now = Date.now();
    const store = embeddedCounters(handle, { clock: () => now });
    const decide = async (attempts: Attempt[]) => {
      if ((await store.commit(0, attempts)).kind !== 'decided') throw new Error('The revision does not move here.');
    };
    // Every identifier occurs once, in groups of a thousand. A multiplicative walk makes the order differ from that of
    // the keys.
    for (let i = 0; i < live; i += 1_000) {
      await decide(Array.from({ length: 1_000 }, (_, j) => attempt(((i + j) * 611_953) % live)));
    }
    // A running fold covers only earlier journal rows, so a second one folds the rest.
    for (let fold = 0; fold < 2; fold += 1) await store.fold();
    handle.exec('pragma wal_checkpoint(truncate)');
    const rates: number[] = [];
    const deciding = monitorEventLoopDelay({ resolution: 1 });
    deciding.enable();
    for (let round = 0; round <= 5; round += 1) {
      const start = performance.now();
      let decided = 0;
      while (performance.now() - start < 1_000) {
        await nextTurn();
        await decide(Array.from({ length: WAITING }, () => attempt(Math.floor(Math.random() * live))));
        decided += WAITING;
      }
      if (round > 0) rates.push((decided / (performance.now() - start)) * 1_000);
    }
    deciding.disable();
    await store.fold();
    collect();
    const grown = process.memoryUsage().rss - before;
    handle.exec('pragma wal_checkpoint(truncate)');
    const { size } = statSync(path);
    handle.exec('update counter_windows set expires = 1 where length(key) % 2 = 0');
    handle.exec('pragma wal_checkpoint(truncate)');
    now += 1;
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const start = performance.now();
    await store.sweep(Number.MAX_SAFE_INTEGER);
    const swept = performance.now() - start;
    delay.disable();
    const row = [
      formatThousands(live),
      formatThousands(median(rates)),
      `${(deciding.max / 1e6).toFixed(0)} ms`,
      `${(grown / MEBIBYTE).toFixed(0)} MiB`,
      `${(size / MEBIBYTE).toFixed(1)} MiB`,
      `${(size / live).toFixed(0)}`,
      `${(swept / 1_000).toFixed(1)} s`,
      `${(delay.percentile(50) / 1e6).toFixed(1)} ms`,
      `${(delay.max / 1e6).toFixed(0)} ms`,
    ];
    database.close();
    return row;
  });
}

function attempt(i: number): Attempt {
  const address = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
  return {
    cost: 1,
    meters: [{ subject: 'ip', key: buildCounterKey('ip', address, 'read', MINUTE), limit: LIMIT, window: MINUTE }],
  };
}

async function measureRedis(): Promise<{ text: string; rates: [number, number][] }> {
  if (redisIsMissing('bench growth')) return { text: 'redis-server is not installed.', rates: [] };
  const server = await RedisServer.start();
  const quiet = () => undefined;
  const logger = { info: quiet, warn: quiet, error: quiet };
  const clock = () => Date.now();
  const store = await RedisCounters.open({
    url: server.url,
    logger,
    clock,
    newestRevision: async () => 0,
    installation: 'bench',
    commandTimeout: 20_000,
  });
  const admin = new Redis(server.url);
  try {
    const rows: string[][] = [];
    let filled = 0;
    const empty = await readUsedMemory(admin);
    for (const live of LIVE) {
      for (; filled < live; filled += 1_000) {
        await store.commit(
          0,
          Array.from({ length: 1_000 }, (_, j) => attempt1h(filled + j)),
        );
      }
      const rates: number[] = [];
      for (let round = 0; round <= 5; round += 1) {
        const start = performance.now();
        let decided = 0;
        while (performance.now() - start < 600) {
          await store.commit(
            0,
            Array.from({ length: WAITING }, () => attempt1h(Math.floor(Math.random() * live))),
          );
          decided += WAITING;
        }
        if (round > 0) rates.push((decided / (performance.now() - start)) * 1_000);
      }
      const bytes = (await readUsedMemory(admin)) - empty;
      const begun = performance.now();
      await store.listKeys('nobody|', 1);
      const scan = performance.now() - begun;
      rows.push([
        formatThousands(live),
        formatThousands(median(rates)),
        `${(bytes / MEBIBYTE).toFixed(0)} MiB`,
        `${(bytes / live).toFixed(0)}`,
        `${scan.toFixed(0)} ms`,
      ]);
    }
    const head = [
      'live identifiers',
      'decisions a second',
      'memory of Redis',
      'bytes a counter',
      'walk over all keys (`SCAN`)',
    ];
    const text = `**Counters in Redis**, unix socket, one group of ${WAITING} after the other (two are on their way in the product).\n\n${table(head, rows)}`;
    return { text, rates: rows.map(([live = '', rate = '']) => [parseThousands(live), parseThousands(rate)]) };
  } finally {
    admin.disconnect();
    await store.close();
    await server.stop();
  }
}

/** Builds an attempt like `attempt`, in a window that outlasts the benchmark. */
function attempt1h(i: number): Attempt {
  const window: Window = { kind: 'sliding', seconds: 3_600 };
  const address = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
  return {
    cost: 1,
    meters: [{ subject: 'ip', key: buildCounterKey('ip', address, 'read', window), limit: LIMIT, window }],
  };
}

async function readUsedMemory(admin: Redis): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await admin.info('memory'))?.[1] ?? Number.NaN);
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
