import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import { settings } from '@/drizzle/schema';
import { EmbeddedCounters } from '@/lib/counters/embedded/store';
import { RedisCounters } from '@/lib/counters/redis/store';
import { RemoteCounters } from '@/lib/counters/remote/store';
import type { CounterStore } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import { primaryRevision } from '@/lib/db/newest-revision';
import type { Millis } from '@/lib/units';

/** The row of `settings` that names this database, so that a Redis can tell it from another one. */
const INSTALLATION_SETTING = 'installation';

export interface OpenStoreOptions {
  /** Keeps the counters in Redis; in the database where it is undefined. */
  redisUrl: string | undefined;
  database: Database;
  /** Wall clock. Only the embedded store counts by it: Redis and a libSQL server have their own. */
  clock: () => Millis;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/**
 * Opens the counters in Redis, in the embedded file or on the libSQL server. A server that is down is no error: every
 * call fails until it is up.
 * @throws RedisUrlError, RedisUnsupported, DatabaseUnavailable
 */
export async function openStore({ redisUrl, database, clock, logger }: OpenStoreOptions): Promise<CounterStore> {
  if (redisUrl !== undefined) {
    return RedisCounters.open({
      url: redisUrl,
      logger,
      clock,
      newestRevision: async () => (await primaryRevision(database)).revision,
      installation: await installationOf(database, clock()),
    });
  }
  const wait = (milliseconds: Millis) => sleep(milliseconds);
  if (database.handle === null)
    return new RemoteCounters({ client: database.client, clock, wait, random: Math.random });
  return new EmbeddedCounters({
    database: database.handle,
    clock,
    monotonic: () => performance.now(),
    wait,
    random: Math.random,
  });
}

/** The id of a database, created once and stored in it, so that a copy or a restored backup has the same. */
async function installationOf(database: Database, now: Millis): Promise<string> {
  const existing = await readInstallation(database);
  if (existing !== null) return existing;
  const row = { name: INSTALLATION_SETTING, value: JSON.stringify(randomUUID()), updatedAt: now, revision: 0 };
  // Of several processes that start together, one creates it.
  await database.drizzle.insert(settings).values(row).onConflictDoNothing();
  return (await readInstallation(database)) ?? String(JSON.parse(row.value));
}

async function readInstallation({ drizzle }: Database): Promise<string | null> {
  const [row] = await drizzle.select().from(settings).where(eq(settings.name, INSTALLATION_SETTING));
  return row === undefined ? null : String(JSON.parse(row.value));
}
