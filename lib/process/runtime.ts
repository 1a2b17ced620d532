import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { bootstrap } from '@/lib/admin/members/bootstrap';
import { AUTH_SECRET_FILE, authSecret } from '@/lib/auth/auth-secret';
import { type Config, isEmbedded, parseConfig, type UnknownVariable, unknownVariables } from '@/lib/config';
import { Breaker } from '@/lib/counters/breaker';
import { GROUP_OPTIONS } from '@/lib/counters/group-commit';
import { MemoryCounters } from '@/lib/counters/memory/store';
import { openStore } from '@/lib/counters/open';
import { withBreaker } from '@/lib/counters/with-breaker';
import { filePath, openDatabase } from '@/lib/db/database';
import { DatabaseUnavailable } from '@/lib/db/errors';
import { migrate, readMigrations } from '@/lib/db/migrate';
import { MIGRATIONS_FOLDER } from '@/lib/db/migrations-folder';
import { reachServer } from '@/lib/db/reach-server';
import { withTimeout } from '@/lib/db/with-timeout';
import { Engine } from '@/lib/enforcement/engine';
import { RulesCache } from '@/lib/enforcement/rules-cache';
import { makeLogger } from '@/lib/logging/logger';
import { ownSecretHider } from '@/lib/logging/own-secrets';
import { libsqlState } from '@/lib/oauth/lab/libsql-state';
import type { Services } from '@/lib/operation/services';
import { forgetSingleton, singleton } from '@/lib/process/singleton';
import { metrics } from '@/lib/statistics/metrics';
import { Recorder } from '@/lib/statistics/recorder';

/** The services of this process; made at the first call, and again after a call that failed. */
export function runtime(): Promise<Services> {
  return singleton('runtime', () => {
    // biome-ignore lint/style/noProcessEnv: read here, once; `server.mjs` has put the `.env` files into it.
    const environment = process.env;
    const starting = start(parseConfig(environment), unknownVariables(environment));
    starting.catch(() => forgetSingleton('runtime'));
    return starting;
  });
}

async function start(config: Config, unknown: readonly UnknownVariable[]): Promise<Services> {
  const clock = () => Date.now();
  const logger = makeLogger(config);
  for (const { name, meant } of unknown)
    logger.warn(`${name} is no variable of Sluice${meant === null ? '' : `; ${meant} is`}`);
  const path = isEmbedded(config) ? filePath(config.DATABASE_URL) : null;
  const database = openDatabase({
    url: config.DATABASE_URL,
    authToken: config.DATABASE_AUTH_TOKEN,
    monotonic: () => performance.now(),
    wait: (milliseconds) => wait(milliseconds),
    random: Math.random,
    companion: AUTH_SECRET_FILE,
  });
  if (path === null) await reachServer(database, { url: config.DATABASE_URL, wait });
  const applied = await migrate(database, MIGRATIONS_FOLDER, clock());
  const isFirst = applied.length === readMigrations(MIGRATIONS_FOLDER).length;
  if (isFirst) process.stdout.write(`Made the database ${path ?? 'on the server'}.\n`);
  else if (applied.length > 0) logger.info({ migrations: applied }, 'database migrated');

  const store = await openStore({ redisUrl: config.REDIS_URL, database, clock, logger });
  const rules = new RulesCache(database, logger, config.SLUICE_POLICIES);
  const statistics = new Recorder({ database, logger, clock, hide: ownSecretHider(config) });
  const breaker = new Breaker({ monotonic: () => performance.now() });
  const counters = withBreaker(store, breaker, () => performance.now());
  const measured = metrics();
  const engine = new Engine({
    store,
    local: new MemoryCounters({ clock }),
    breaker,
    rules,
    clock,
    record: (event) => statistics.record(event),
    groups: GROUP_OPTIONS[store.kind],
    ...(store.kind === 'redis' ? { refreshRules: boundedRefresh(rules) } : {}),
    onStoreFailure: (error) => logger.warn({ err: error }, 'counter store is down'),
    metrics: {
      monotonic: () => performance.now(),
      decided: (seconds) => measured.decided(seconds),
      groupDecided: (size) => measured.groupDecided(size),
      storeFailed: () => measured.storeFailed(),
    },
  });
  const services: Services = {
    config,
    database,
    counters,
    rules,
    engine,
    breaker,
    statistics,
    labState: libsqlState(database.drizzle),
    logger,
    clock,
    randomBytes: (size) => randomBytes(size),
    authSecret: await authSecret(config, path === null ? null : dirname(path)),
  };
  await rules.refresh();
  await announceOwner(services);
  return services;
}

/** Command timeout of the rules while the counters are down, in milliseconds. */
const RULES_TIMEOUT = 250;
/** Pause after the rules could not be read, in milliseconds. */
const RULES_RETRY_AFTER = 1_000;

/** Refreshes the rules from the database while Redis is down, in bounded time. Never throws. */
function boundedRefresh(rules: RulesCache): () => Promise<void> {
  let notBefore = 0;
  const late = () => new DatabaseUnavailable('The rules could not be read in time.');
  return async () => {
    if (performance.now() < notBefore) return;
    await withTimeout(rules.fresh(), RULES_TIMEOUT, late).catch(() => {
      notBefore = performance.now() + RULES_RETRY_AFTER;
    });
  };
}

/** The first start makes the first owner and prints the credentials, once. */
async function announceOwner(services: Services): Promise<void> {
  const owner = await bootstrap(services);
  if (owner === null) return;
  const lines = ['', 'The first owner of this Sluice:', `  e-mail    ${owner.email}`];
  lines.push(
    owner.password === null ? '  password  the one in SLUICE_ADMIN_PASSWORD' : `  password  ${owner.password}`,
  );
  lines.push('Shown this once. Sign in at /sign-in and change it there.', '', '');
  process.stdout.write(lines.join('\n'));
}
