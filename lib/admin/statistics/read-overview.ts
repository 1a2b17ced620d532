import { and, gt, isNull, or } from 'drizzle-orm';
import { allowlist } from '@/drizzle/schema';
import { checkHealth, type PartHealth } from '@/lib/admin/service/check-health';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { readOverview as contract } from '@/lib/contract/statistics';
import { locateMigrations } from '@/lib/db/migrate';
import { listWideProxies } from '@/lib/http/wide-proxies';
import { implement } from '@/lib/operation/operation';
import { createCounts, readSeries } from '@/lib/statistics/decision-series';
import { findStart } from '@/lib/statistics/step';
import { MINUTE } from '@/lib/units';

/** Summarizes health and recent decisions in one cheap read. */
export const readOverview = implement(contract, async (context) => {
  const { config, database, counters, breaker, statistics, rules, engine } = context.services;
  const monotonic = () => performance.now();
  const migrationsFolder = locateMigrations(config.directory);
  const health = await checkHealth({ database, counters, migrationsFolder, monotonic });
  const end = findStart(context.now, MINUTE);
  const [minute = createCounts()] = await readSeries(database, end - MINUTE, end, 60);
  const active = or(isNull(allowlist.expiresAt), gt(allowlist.expiresAt, context.now));
  const allowlisted = await database.drizzle.$count(allowlist, and(isNull(allowlist.removedAt), active));
  const { allowed, refused, bypassed, degraded, observed } = minute;
  return {
    at: formatTimestamp(context.now),
    health: {
      database: {
        kind: database.kind,
        ...buildPartAnswer(health.database),
        ok: health.database.ok && health.database_file.ok,
      },
      migrations: buildPartAnswer(health.migrations),
      counter_store: {
        kind: counters.kind,
        ...buildPartAnswer(health.counter_store),
        clock_skew_ms: Math.round(engine.clockSkew),
      },
      breaker: { state: breaker.state },
      statistics: { ok: statistics.failures === 0, failures: statistics.failures },
    },
    last_minute: { allowed, refused, bypassed, degraded, observed },
    widely_trusted: config.VERCEL ? [] : listWideProxies(config.SLUICE_TRUSTED_PROXIES),
    allowlisted,
    api_keys: (await rules.readFresh()).keysById.size,
  };
});

const buildPartAnswer = ({ ok, latency, cluster }: PartHealth) => ({
  ok,
  latency_ms: latency,
  ...(cluster === undefined ? {} : { cluster }),
});
