import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { OnUnreadable } from '@/lib/counters/embedded/journal-rows';
import { EmbeddedCounters } from '@/lib/counters/embedded/store';
import { readInstallation } from '@/lib/counters/installation';
import type { RedisContact } from '@/lib/counters/redis/contact';
import { RedisCounters } from '@/lib/counters/redis/store';
import { RemoteCounters } from '@/lib/counters/remote/store';
import type { CounterStore } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import { readPrimaryRevision } from '@/lib/db/newest-revision';
import type { Millis } from '@/lib/units';

interface OpenStoreOptions {
  /** URL of Redis for the counters. Undefined if the database holds them. */
  redisUrl: string | undefined;
  database: Database;
  /** Id of the database, if it was read already. */
  installation?: string | undefined;
  /** Wall clock. Only the embedded store uses it, because Redis and a libSQL server have their own clocks. */
  clock: () => Millis;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** True if the platform freezes this process between calls. */
  canFreeze?: boolean;
  /** The connection to Redis, if it was made already. */
  contact?: RedisContact | undefined;
  /** Called for unreadable rows, which only the embedded store can detect. */
  onUnreadable?: OnUnreadable;
}

/**
 * Opens the counters in Redis, in the embedded file or on the libSQL server. A server that is down is no error: every
 * call fails until it is up.
 * @throws RedisUrlError, RedisUnsupported, DatabaseUnavailable
 */
export async function openStore(options: OpenStoreOptions): Promise<CounterStore> {
  const { redisUrl, database, clock, logger, onUnreadable, canFreeze = false } = options;
  if (redisUrl !== undefined) {
    return RedisCounters.open({
      url: redisUrl,
      logger,
      clock,
      canFreeze,
      contact: options.contact,
      newestRevision: async () => (await readPrimaryRevision(database)).revision,
      installation: options.installation ?? (await readInstallation(database, clock())),
    });
  }
  const shared = { clock, wait: (milliseconds: Millis) => sleep(milliseconds), random: Math.random };
  if (database.handle === null) return new RemoteCounters({ client: database.client, ...shared });
  const own = { monotonic: () => performance.now(), ...(onUnreadable === undefined ? {} : { onUnreadable }) };
  return new EmbeddedCounters({ database: database.handle, ...own, ...shared });
}
