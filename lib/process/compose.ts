import { randomBytes, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { claimCounters } from '@/lib/admin/counter-store/claim';
import { createAuthState } from '@/lib/auth/state';
import type { Config } from '@/lib/config/config';
import { listSecrets } from '@/lib/config/secrets';
import { fenceStore } from '@/lib/counters/active-store';
import { Breaker, guardStore } from '@/lib/counters/breaker';
import { groupOptions } from '@/lib/counters/group-commit';
import { Leases } from '@/lib/counters/leases';
import { MemoryCounters } from '@/lib/counters/memory/store';
import { openStore } from '@/lib/counters/open';
import type { RedisContact } from '@/lib/counters/redis/contact';
import { type Database, observeDatabase } from '@/lib/db/database';
import { convertDatabaseError, DatabaseUnavailable } from '@/lib/db/errors';
import type { DatabaseCall } from '@/lib/db/observed-client';
import { runWithTimeout } from '@/lib/db/run-with-timeout';
import { Engine } from '@/lib/enforcement/engine';
import { findNewestRevision } from '@/lib/enforcement/read-rule-rows';
import { ResetLog } from '@/lib/enforcement/reset-log';
import { RulesCache } from '@/lib/enforcement/rules-cache';
import { Settlements } from '@/lib/enforcement/settlements';
import { LineGate } from '@/lib/logging/line-gate';
import { DATABASE_OUTAGE, OutageLog, STORE_OUTAGE } from '@/lib/logging/outage-log';
import { createSecretHider } from '@/lib/logging/redact';
import { UnreadableRows } from '@/lib/logging/unreadable-rows';
import { createLibsqlState } from '@/lib/oauth/lab/libsql-state';
import { createLabIdentity } from '@/lib/oauth/lab/signing-key';
import type { Services } from '@/lib/operation/services';
import { bridge } from '@/lib/process/bridge';
import type { StartState } from '@/lib/process/read-start-state';
import { STORED_CONTENTS } from '@/lib/process/stored-contents';
import type { SettledUse } from '@/lib/statistics/limit-tally';
import { Metrics } from '@/lib/statistics/metrics';
import { Recorder } from '@/lib/statistics/recorder';
import type { Tracing } from '@/lib/tracing/tracing';
import type { Millis } from '@/lib/units';
import packageJson from '@/package.json';

interface ServiceParts {
  config: Config;
  /** Database with the newest schema. */
  database: Database;
  logger: Logger;
  /** Line limit of the logger. */
  lines?: LineGate;
  tracing?: Tracing | undefined;
  /** Values that were read from the database already. Others are read when they are needed. */
  state?: Pick<StartState, 'installation' | 'activeStore' | 'first'>;
  /** The connection to Redis, if it was made before `state` was read. */
  contact?: RedisContact | undefined;
  authSecret: string;
  /** Wall clock. */
  clock: () => Millis;
  /** Clock in milliseconds that never goes back. */
  monotonic: () => Millis;
}

/**
 * Creates the services of a process, and reads the rules. @throws DatabaseUnavailable and the errors of `openStore` and
 * `claimCounters`
 */
export async function composeServices(parts: ServiceParts): Promise<Services> {
  const { config, logger, clock, monotonic } = parts;
  const unreadable = new UnreadableRows(logger);
  const opened = await openStore({
    ...{ redisUrl: config.REDIS_URL, database: parts.database, clock, logger, canFreeze: config.VERCEL },
    ...{ installation: parts.state?.installation, contact: parts.contact },
    onUnreadable: (table, row) => unreadable.reportRow(table, row),
  });
  const metrics = new Metrics({
    version: packageJson.version,
    database: parts.database.kind,
    counters: opened.kind,
  });
  const databaseOutage = new OutageLog({ logger, monotonic, lines: DATABASE_OUTAGE });
  const storeOutage = new OutageLog({ logger, monotonic, lines: STORE_OUTAGE });
  const database = observeDatabase(
    parts.database,
    createObserver({ metrics, monotonic, outage: databaseOutage, tracing: parts.tracing }),
    {
      contents: STORED_CONTENTS,
      onUnreadable: (table, row, error) => unreadable.reportRow(table, row, error),
    },
  );
  const rules = new RulesCache(database, logger, config.SLUICE_POLICIES, unreadable);
  const claimed = claimCounters({
    ...{ database: parts.database, clock, redisUrl: config.REDIS_URL },
    store: opened,
    newId: randomUUID,
    ...(parts.state === undefined ? {} : { known: parts.state.activeStore }),
  });
  const first = parts.state?.first;
  const [place] = await Promise.all([claimed, rules.refresh(first?.rules)]).catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  // A replica cannot prove that Redis holds the newest revision.
  if (first === undefined) opened.prepare?.(rules.current.revision);
  else if (first.isFromPrimary) opened.prepare?.(findNewestRevision(first.rules));
  const store = fenceStore(opened, place, () => rules.current.activeStore);
  const statistics = new Recorder({ database, logger, clock, hide: createSecretHider(listSecrets(config)) });
  const breaker = new Breaker({ monotonic });
  const labState = createLibsqlState(database.drizzle);
  const random = (size: number) => randomBytes(size);
  // An instance on Vercel can be frozen after any request, together with its permits. So it takes none.
  const leasing = config.VERCEL ? undefined : store.leasing;
  const leases = leasing && new Leases({ leasing, monotonic, clock });
  const engine = new Engine({
    store,
    ...(leases === undefined ? {} : { leases }),
    local: new MemoryCounters({ clock }),
    breaker,
    rules,
    clock,
    record: (event) => statistics.record(event),
    groups: groupOptions(store),
    ...(parts.tracing === undefined ? {} : { tracing: parts.tracing }),
    ...(store.kind === 'remote' ? {} : { refreshRules: createRulesRefresher(rules, monotonic) }),
    onStoreFailure: (error) => storeOutage.recordFailure(error),
    metrics: {
      monotonic,
      recordDecisions: (seconds, decisions) => metrics.recordDecisions(seconds, decisions),
      groupDecided: (size) => metrics.groupDecided(size),
      storeCalled: (seconds) => {
        metrics.storeCalled(seconds);
        storeOutage.recordSuccess();
      },
      storeFailed: () => metrics.storeFailed(),
    },
  });
  const auth = createAuthState(database, () => rules.current);
  // More pages of rules may have been read since, with other tokens.
  if (first !== undefined && findNewestRevision(first.rules) === rules.current.revision)
    auth.tokens.remember(first.tokens);
  const counters = guardStore(store, breaker, monotonic);
  const storeClock = () => clock() + engine.clockSkew;
  const recordSettled = (at: Millis, uses: readonly SettledUse[]) => statistics.recordSettled(at, uses);
  const sealing = { randomBytes: random, authSecret: parts.authSecret };
  return {
    config,
    database,
    counters,
    rules,
    engine,
    leases,
    settlements: new Settlements({
      ...{ engine, resets: new ResetLog(database), clock: storeClock, ...sealing },
      record: recordSettled,
    }),
    breaker,
    statistics,
    metrics,
    auth,
    labState,
    labIdentity: createLabIdentity({ state: labState, now: clock, random }),
    logger,
    tracing: parts.tracing,
    lines: parts.lines ?? new LineGate(),
    clock,
    randomBytes: random,
    authSecret: parts.authSecret,
    isStopping: () => bridge.isStopping === true,
  };
}

interface ObserverParts {
  metrics: Metrics;
  monotonic: () => Millis;
  outage: OutageLog;
  tracing: Tracing | undefined;
}

/** Measures and traces each call of the database, and detects when it goes down and comes back. */
function createObserver({ metrics, monotonic, outage, tracing }: ObserverParts) {
  return async <T>(call: DatabaseCall, run: () => Promise<T>): Promise<T> => {
    const { operation } = call;
    const start = monotonic();
    try {
      const answer = await (tracing === undefined ? run() : tracing.database(call, run));
      metrics.recordDatabaseCall(operation, (monotonic() - start) / 1000);
      outage.recordSuccess(operation === 'write');
      return answer;
    } catch (error) {
      if (convertDatabaseError(error) instanceof DatabaseUnavailable) {
        metrics.recordDatabaseFailure(operation);
        outage.recordFailure(error, operation === 'write');
      }
      throw error;
    }
  };
}

/**
 * Refreshes the rules while the counters are down but the database is readable: with counters in Redis, or in a file
 * that is locked by another process or on a full disk. Waits 250 ms at most. Pauses for a second after a failure. Never
 * throws.
 */
function createRulesRefresher(rules: RulesCache, monotonic: () => Millis): () => Promise<void> {
  const createTimeoutError = () => new DatabaseUnavailable('The rules could not be read in time.');
  let notBefore = 0;
  return async () => {
    if (monotonic() < notBefore) return;
    await runWithTimeout(rules.readFresh(), 250, createTimeoutError).catch(() => {
      notBefore = monotonic() + 1_000;
    });
  };
}
