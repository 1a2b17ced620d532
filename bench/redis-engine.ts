import { Breaker } from '../lib/counters/breaker';
import { groupOptions } from '../lib/counters/group-commit';
import { Leases, SWEEP_EVERY } from '../lib/counters/leases';
import { MemoryCounters } from '../lib/counters/memory/store';
import { RedisCounters } from '../lib/counters/redis/store';
import { Engine } from '../lib/enforcement/engine';
import type { Rules } from '../lib/enforcement/rules';
import type { RulesCache } from '../lib/enforcement/rules-cache';
import type { Millis } from '../lib/units';

interface RedisEngineOptions {
  url: string;
  /** Rules that never change. */
  rules: Rules;
  commandTimeout?: Millis;
  /** Whether it leases permits. */
  leases?: boolean;
  onStoreFailure: (error: unknown) => void;
}

const quiet = () => undefined;

/** Creates an instance without HTTP and without a database: the engine, with its counters in Redis. */
export async function openRedisEngine(options: RedisEngineOptions): Promise<Engine> {
  const { url, rules, commandTimeout, leases = false, onStoreFailure } = options;
  const monotonic = () => performance.now();
  const store = await RedisCounters.open({
    ...{ url, clock: Date.now, newestRevision: async () => 0, installation: 'without a database' },
    logger: { info: quiet, warn: quiet, error: quiet },
    ...(commandTimeout === undefined ? {} : { commandTimeout }),
  });
  const leasing = leases ? new Leases({ leasing: store.leasing, monotonic, clock: Date.now }) : undefined;
  if (leasing !== undefined) setInterval(() => leasing.sweep(), SWEEP_EVERY);
  return new Engine({
    ...{ store, onStoreFailure, clock: Date.now, record: quiet, groups: groupOptions(store) },
    ...(leasing === undefined ? {} : { leases: leasing }),
    local: new MemoryCounters({ clock: Date.now }),
    breaker: new Breaker({ monotonic }),
    rules: { current: rules, refresh: async () => rules, readFresh: async () => rules } as unknown as RulesCache,
  });
}
