import type { HEALTH_PARTS } from '@/lib/contract/service';
import type { Breaker } from '@/lib/counters/breaker';
import type { CounterStore } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import { countMigrations } from '@/lib/db/migrate';
import { runWithTimeout } from '@/lib/db/run-with-timeout';

export type HealthPart = (typeof HEALTH_PARTS)[number];

/** Health of a part, and the duration of its check, in milliseconds. */
export interface PartHealth {
  ok: boolean;
  latency: number;
  /** True if the counters are in a Redis Cluster. */
  cluster?: true;
}

interface HealthOptions {
  database: Database;
  counters: Pick<CounterStore, 'ping' | 'isCluster'>;
  /** Optional. The counter store counts as down while this breaker blocks calls to it. */
  breaker?: Pick<Breaker, 'retryIn'>;
  migrationsFolder: string;
  /** Monotonic clock, in milliseconds. */
  monotonic: () => number;
  /** Longest check of one part, in milliseconds. */
  deadline?: number;
}

/** Checks all parts concurrently. A part that does not answer in time counts as down. */
export async function checkHealth(options: HealthOptions): Promise<Record<HealthPart, PartHealth>> {
  const { database, counters, migrationsFolder, breaker, monotonic, deadline = 1_000 } = options;
  const ask = async (question: () => Promise<unknown>): Promise<PartHealth> => {
    const start = monotonic();
    const answer = runWithTimeout(question(), deadline, () => new Error('The part takes too long.'));
    const ok = await answer.then(
      (result) => result !== false,
      () => false,
    );
    return { ok, latency: Math.round((monotonic() - start) * 100) / 100 };
  };
  const [databaseHealth, databaseFile, migrations, counterStore] = await Promise.all([
    ask(() => database.client.execute('select 1')),
    ask(async () => database.isInPlace()),
    ask(() => countMigrations(database, migrationsFolder).then(({ applied, known }) => applied === known)),
    ask(() => counters.ping().then(() => breaker === undefined || breaker.retryIn === 0)),
  ]);
  return {
    database: databaseHealth,
    database_file: databaseFile,
    migrations,
    counter_store: { ...counterStore, ...(counters.isCluster === true ? { cluster: true } : {}) },
  };
}
