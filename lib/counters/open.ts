import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '@/lib/config';
import { EmbeddedCounters } from '@/lib/counters/embedded';
import { type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import type { Millis } from '@/lib/limiter/meter';

export interface OpenStoreOptions {
  config: Pick<Config, 'REDIS_URL'>;
  database: Database;
  /** Wall clock. Only the embedded store counts by it: Redis and a libSQL server have their own. */
  clock: () => Millis;
  logger: Logger;
}

/** Opens the counter store that the configuration asks for: Redis, the embedded file or the libSQL server. */
export async function openStore({ config, database, clock }: OpenStoreOptions): Promise<CounterStore> {
  if (config.REDIS_URL !== undefined) throw new StoreUnavailable('Counters in Redis are not there yet.');
  if (database.handle === null) throw new StoreUnavailable('Counters on a libSQL server are not there yet.');
  return new EmbeddedCounters({
    database: database.handle,
    clock,
    monotonic: () => performance.now(),
    wait: (milliseconds) => sleep(milliseconds),
    random: Math.random,
  });
}
