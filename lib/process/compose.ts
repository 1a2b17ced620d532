import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { newAuthState } from '@/lib/auth/state';
import { type Config, secretsOf } from '@/lib/config';
import { groupsOf } from '@/lib/counters/batch-options';
import { Breaker } from '@/lib/counters/breaker';
import { LocalCounters } from '@/lib/counters/memory/store';
import { openStore } from '@/lib/counters/open';
import { guarded } from '@/lib/counters/with-breaker';
import type { Database } from '@/lib/db/database';
import { Engine } from '@/lib/enforcement/engine';
import { RulesCache } from '@/lib/enforcement/rules-cache';
import type { Millis } from '@/lib/limiter/meter';
import { secretHider } from '@/lib/logging/secret-hider';
import { libsqlState } from '@/lib/oauth/lab/libsql-state';
import type { Services } from '@/lib/operation/services';
import { bridge } from '@/lib/process/bridge.mjs';
import { Metrics } from '@/lib/statistics/metrics';
import { Recorder } from '@/lib/statistics/recorder';

/** What the services are made from. */
export interface ServiceParts {
  config: Config;
  /** With the newest schema. */
  database: Database;
  logger: Logger;
  authSecret: string;
  /** Wall clock. */
  clock: () => Millis;
  /** Never goes back. */
  monotonic: () => Millis;
}

/** Makes the services of a process, and reads the rules. @throws DatabaseUnavailable and what `openStore` throws */
export async function composeServices(parts: ServiceParts): Promise<Services> {
  const { config, database, logger, clock, monotonic } = parts;
  const store = await openStore({ config, database, clock, logger });
  const rules = new RulesCache(database, logger, config.SLUICE_POLICIES);
  const statistics = new Recorder({ database, logger, clock, hide: secretHider(secretsOf(config)) });
  const breaker = new Breaker({ monotonic });
  const metrics = new Metrics();
  const engine = new Engine({
    store,
    local: new LocalCounters({ clock }),
    breaker,
    rules,
    clock,
    record: (event) => statistics.record(event),
    groups: groupsOf(store.kind),
    ...(store.kind === 'redis' ? { freshen: rulesRefresher(rules, monotonic) } : {}),
    onStoreFailure: (error) => logger.warn({ err: error }, 'counter store down'),
    measures: {
      monotonic,
      decided: (seconds) => metrics.decided(seconds),
      groupDecided: (size) => metrics.groupDecided(size),
      storeFailed: () => metrics.storeFailed(),
    },
  });
  await rules.refresh();
  return {
    config,
    database,
    counters: guarded(store, breaker, monotonic),
    rules,
    engine,
    breaker,
    statistics,
    metrics,
    auth: newAuthState(database),
    labState: libsqlState(database.drizzle),
    logger,
    clock,
    randomBytes: (size) => randomBytes(size),
    authSecret: parts.authSecret,
    isStopping: () => bridge.isStopping === true,
  };
}

/** Longest wait for the rules while the counter store is down, in milliseconds. */
const REFRESH_WITHIN = 250;
/** Pause after the rules could not be read, in milliseconds. */
const REFRESH_PAUSE = 1_000;

/** Refreshes the rules from the database while Redis is down; bounded in time, never throws. */
function rulesRefresher(rules: RulesCache, monotonic: () => Millis): () => Promise<void> {
  let notBefore = 0;
  return async () => {
    if (monotonic() < notBefore) return;
    const read = rules.fresh().then(
      () => true,
      () => false,
    );
    if (!(await Promise.race([read, wait(REFRESH_WITHIN, false)]))) notBefore = monotonic() + REFRESH_PAUSE;
  };
}
