import { checkHealth, type PartHealth } from '@/lib/admin/service/check-health';
import { readMetrics as contract } from '@/lib/contract/service';
import { locateMigrations } from '@/lib/db/migrate';
import { implement } from '@/lib/operation/operation';

/** Returns the metrics in the Prometheus text format. */
export const readMetrics = implement(contract, async ({ services, now }) => {
  const { config, database, counters, statistics, breaker, rules, metrics } = services;
  const monotonic = () => performance.now();
  const migrationsFolder = locateMigrations(config.directory);
  const health = await checkHealth({ database, counters, breaker, migrationsFolder, monotonic });
  const pickPartStatus = ([part, { ok }]: [string, PartHealth]) => [part, ok] as const;
  const text = await metrics.scrape({
    decisions: statistics.listTotals(),
    limits: statistics.listLimitTotals().filter(({ name }) => rules.current.limits.has(name)),
    skipped: statistics.skippedCount,
    statisticsFailures: statistics.failures,
    breaker: breaker.state,
    lines: services.lines,
    revision: rules.current.revision,
    incident: rules.current.findIncident(now)?.mode ?? null,
    parts: Object.fromEntries(Object.entries(health).map(pickPartStatus)),
  });
  return new Response(text, {
    headers: { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
  });
});
