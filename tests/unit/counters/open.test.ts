import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { settings } from '@/drizzle/schema';
import { openStore } from '@/lib/counters/open';
import { RedisUrlError } from '@/lib/counters/redis/redis-url';
import type { Database } from '@/lib/db/database';
import { type MigratedDatabase, migratedDatabase } from '../../fixtures/migrated-database';

const START = Date.UTC(2026, 10, 21, 12);
const quiet = () => undefined;
const logger = { info: quiet, warn: quiet, error: quiet };
let file: MigratedDatabase;

beforeEach(async () => {
  file = await migratedDatabase();
});
afterEach(() => file[Symbol.dispose]());

const open = (database: Database, url?: string) => {
  return openStore({ redisUrl: url, database, clock: () => START, logger });
};
const installations = () => file.database.drizzle.select().from(settings).where(eq(settings.name, 'installation'));

it('takes the file, the server or Redis, as the configuration says', async () => {
  const embedded = await open(file.database);
  expect(embedded.kind).toBe('embedded');
  expect(await embedded.commit(0, [])).toEqual({ kind: 'decided', now: START, verdicts: [], settled: [] });
  expect((await open({ ...file.database, handle: null })).kind).toBe('remote');
  expect(await installations()).toEqual([]);
  // Nobody listens there: the store opens, and fails until somebody does.
  const redis = await open(file.database, '/nowhere/redis.sock');
  expect(redis.kind).toBe('redis');
  await expect(redis.ping()).rejects.toThrow('Redis is');
  await redis.close();
  await expect(open(file.database, 'http://cache')).rejects.toThrow(RedisUrlError);
});

it('gives the database a name of its own, once, before it shares a Redis with others', async () => {
  for (const store of await Promise.all([1, 2, 3].map(() => open(file.database, '/nowhere/redis.sock')))) {
    await store.close();
  }
  const [row, ...others] = await installations();
  expect(others).toEqual([]);
  expect(row).toMatchObject({ updatedAt: START, revision: 0 });
  expect(JSON.parse(row!.value)).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  await (await open(file.reopen(), '/nowhere/redis.sock')).close();
  expect(await installations()).toEqual([row]);
});
