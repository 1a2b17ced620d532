import { createClient } from '@libsql/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { embeddedCounters } from '@/bench/tables';
import { createLink } from '@/lib/counters/redis/create-link';
import { RedisCounters } from '@/lib/counters/redis/store';
import { RemoteCounters } from '@/lib/counters/remote/store';
import type { CounterRef, CounterStore } from '@/lib/counters/store';
import { copySnapshot } from '@/lib/counters/transfer/counter-snapshot';
import { openFileSnapshot } from '@/lib/counters/transfer/file-snapshot';
import { openRedisSnapshot } from '@/lib/counters/transfer/redis-snapshot';
import { openServerSnapshot } from '@/lib/counters/transfer/server-snapshot';
import { migrate } from '@/lib/db/migrate';
import { buildCounterPrefix, formatWindow } from '@/lib/limiter/counter-key';
import { createMonths } from '@/lib/limiter/month-anchor';
import { createSliding } from '@/lib/limiter/sliding-counter';
import { computeCalendarMonth, computeSlot } from '@/lib/limiter/window';
import { migratedDatabase } from '../../fixtures/migrated-database';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { SqldServer, sqldIsMissing } from '../../fixtures/sqld-server';
import { UpstashServer } from '../../fixtures/upstash-server';

/** The longest there is: its slots are a day and a half, so that none leaves the window while the test runs. */
const LONGEST = { kind: 'sliding', seconds: 7_776_000 } as const;
const MONTH = { kind: 'month' } as const;
const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe.skipIf(redisIsMissing('integration/counter-store') || sqldIsMissing('integration/counter-store'))(
  'counters copied from store to store',
  () => {
    it.each(['a socket', 'HTTP'])('are the same in each, with Redis over %s', async (way) => {
      const file = await migratedDatabase();
      onTestFinished(() => file[Symbol.dispose]());
      const back = await migratedDatabase();
      onTestFinished(() => back[Symbol.dispose]());
      const redis = await RedisServer.start();
      onTestFinished(() => redis.stop());
      const rest = await UpstashServer.start(redis.url);
      onTestFinished(() => rest.stop());
      const { url } = way === 'HTTP' ? rest : redis;
      const sqld = await SqldServer.start();
      onTestFinished(() => sqld.stop());
      const server = sqld.open();
      onTestFinished(() => server.close());
      await migrate(server, 'drizzle', 0);

      // More than a step of each snapshot: windows with up to 61 slots, months with a history.
      const now = Date.now();
      const newest = computeSlot(now, LONGEST.seconds);
      const random = (most: number) => Math.floor(Math.random() * most);
      const windows = Array.from({ length: 600 }, (_, i) => {
        const hits = [1 + random(9), ...Array.from({ length: random(61) }, () => random(3)), 1];
        return {
          key: buildCounterPrefix('limit', `subject ${i}`, 'l1') + formatWindow(LONGEST, i % 2 === 1),
          counter: createSliding(newest - random(3), hits.slice(0, 61)),
        };
      });
      const months = Array.from({ length: 700 }, (_, i) =>
        [0, 1, 2].map((age) => ({
          key:
            i % 2 === 0
              ? `quota|key-${i}|month`
              : buildCounterPrefix('limit', `subject ${i}`, 'l1') + formatWindow(createMonths(15, 0)),
          counter: {
            kind: 'month' as const,
            month: computeCalendarMonth(now) - age,
            hits: 100 + i,
            floor: i % 7 === 0 ? 60 : 0,
          },
        })),
      ).flat();
      await openFileSnapshot(file.database.client).write({ windows, months });

      const connection = await createLink({ url, logger: QUIET, commandTimeout: 60_000 });
      expect(await connection.open()).toBe(true);
      onTestFinished(() => connection.close());
      const snapshots = [
        openFileSnapshot(file.database.client),
        openRedisSnapshot(connection),
        openServerSnapshot(server.client),
        openFileSnapshot(back.database.client),
      ] as const;
      // Whatever was there before is gone.
      await snapshots[1].write({
        windows: [{ key: 'ip|old|read|7776000', counter: createSliding(newest, [5]) }],
        months: [],
      });
      for (const [from, to] of [
        [snapshots[0], snapshots[1]],
        [snapshots[1], snapshots[2]],
        [snapshots[2], snapshots[3]],
      ] as const) {
        expect(await copySnapshot(from, to)).toBe(windows.length + months.length);
      }

      const { handle } = file.database;
      const { handle: other } = back.database;
      if (handle === null || other === null) throw new Error('They are files.');
      const clock = () => now;
      const shared = { clock, wait: async () => undefined, random: Math.random };
      const inRedis = await RedisCounters.open({
        ...{ url, logger: QUIET, clock, newestRevision: async () => 0, installation: 'test' },
        commandTimeout: 60_000,
      });
      onTestFinished(() => inRedis.close());
      const stores: CounterStore[] = [
        embeddedCounters(handle, { clock }),
        inRedis,
        new RemoteCounters({ client: server.client, ...shared, timeout: 60_000 }),
        embeddedCounters(other, { clock }),
      ];
      const refs: CounterRef[] = [
        ...windows.map(({ key }) => ({ key, window: LONGEST })),
        ...months.map(({ key }) => ({ key, window: MONTH })),
        { key: 'ip|old|read|7776000', window: LONGEST },
      ];
      const [first, ...others] = await Promise.all(
        stores.map(async (store) =>
          (await store.read(refs)).map(({ key, slots, used }) => ({
            key,
            slots,
            used: store.kind === 'remote' ? 0 : used,
          })),
        ),
      );
      const slotsOf = (states: typeof first) => states?.map(({ key, slots }) => ({ key, slots }));
      for (const states of others) expect(slotsOf(states)).toEqual(slotsOf(first));
      expect(
        await redis.admin.eval(
          "local n = 0 for _, k in ipairs(redis.call('KEYS', '*')) do if redis.call('PTTL', k) < 0 then n = n + 1 end end return n",
          0,
        ),
      ).toBe(0);
      const history = 'select key, month, hits, floor from counter_months order by key, month';
      const rows = async (url: string) =>
        (await createClient({ url }).execute(history)).rows.map((row) => Array.from(row));
      expect(await rows(`file:${back.path}`)).toEqual(await rows(`file:${file.path}`));
    });
  },
);
