import { setTimeout as sleep } from 'node:timers/promises';
import { desc } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Config } from '@/lib/config';
import { EmbeddedCounters } from '@/lib/counters/embedded';
import { RedisCounters } from '@/lib/counters/redis';
import { RemoteCounters } from '@/lib/counters/remote';
import type { CounterStore } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/limiter/meter';
import { audit } from '../../drizzle/schema';

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
 * @throws RedisUrlError, RedisUnsupported
 */
export async function openStore({ config, database, clock, logger }: OpenStoreOptions): Promise<CounterStore> {
  if (config.REDIS_URL !== undefined) {
    return RedisCounters.open({ url: config.REDIS_URL, logger, clock, head: () => newestRevision(database) });
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

async function newestRevision({ drizzle }: Database): Promise<number> {
  const [head] = await drizzle.select({ seq: audit.seq }).from(audit).orderBy(desc(audit.seq)).limit(1);
  return head?.seq ?? 0;
}
