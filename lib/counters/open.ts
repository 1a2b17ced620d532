import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import { settings } from '@/drizzle/schema';
import type { Config } from '@/lib/config';
import { EmbeddedCounters } from '@/lib/counters/embedded/store';
import { RedisCounters } from '@/lib/counters/redis/store';
import { RemoteCounters } from '@/lib/counters/remote/store';
import type { CounterStore } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import { auditHead } from '@/lib/db/newest-revision';
import type { Millis } from '@/lib/units';

/** The row of `settings` that names this database, so that a store beside it can tell it from another one. */
const INSTALLATION_SETTING = 'installation';

export interface OpenStoreOptions {
  config: Pick<Config, 'REDIS_URL'>;
  database: Database;
  /** Wall clock. Only the embedded store counts by it: Redis and a libSQL server have their own. */
  clock: () => Millis;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/**
 * Opens the counter store that the configuration asks for: Redis, the embedded file or the libSQL server. A server that
 * cannot be reached is no error: the store fails every call until it can.
 * @throws RedisUrlError, RedisUnsupported, DatabaseUnavailable
 */
export async function openStore({ config, database, clock, logger }: OpenStoreOptions): Promise<CounterStore> {
  if (config.REDIS_URL !== undefined) {
    return RedisCounters.open({
      url: config.REDIS_URL,
      logger,
      clock,
      head: async () => (await auditHead(database)).newest,
      installation: await installationOf(database, clock()),
    });
  }
  const wait = (milliseconds: number) => sleep(milliseconds);
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

/** The id of a database: made once, and kept in it, so that a copy or a restored backup has the same. */
async function installationOf(database: Database, now: Millis): Promise<string> {
  const known = await installationIn(database);
  if (known !== null) return known;
  const row = { name: INSTALLATION_SETTING, value: JSON.stringify(randomUUID()), updatedAt: now, revision: 0 };
  // Of several processes that start together, one makes it.
  await database.drizzle.insert(settings).values(row).onConflictDoNothing();
  return (await installationIn(database)) ?? String(JSON.parse(row.value));
}

async function installationIn({ drizzle }: Database): Promise<string | null> {
  const [row] = await drizzle.select().from(settings).where(eq(settings.name, INSTALLATION_SETTING));
  return row === undefined ? null : String(JSON.parse(row.value));
}
