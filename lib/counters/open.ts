import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { EmbeddedCounters } from '@/lib/counters/embedded/store';
import { installationOf } from '@/lib/counters/installation';
import { RedisCounters } from '@/lib/counters/redis/store';
import { RemoteCounters } from '@/lib/counters/remote/store';
import type { CounterStore } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import { primaryRevision } from '@/lib/db/newest-revision';
import { UnreadableRows } from '@/lib/logging/unreadable-rows';
import type { Millis } from '@/lib/units';

interface OpenStoreOptions {
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
  const shared = { clock, wait: (milliseconds: Millis) => sleep(milliseconds), random: Math.random };
  if (database.handle === null) return new RemoteCounters({ client: database.client, ...shared });
  const unreadable = new UnreadableRows(logger);
  return new EmbeddedCounters({
    database: database.handle,
    monotonic: () => performance.now(),
    onUnreadable: (table, row) => unreadable.found(table, row),
    ...shared,
  });
}
