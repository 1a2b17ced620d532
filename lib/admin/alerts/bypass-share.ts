import { and, desc, eq, gte, sql } from 'drizzle-orm';
import { allowlist, decisions, rollups } from '@/drizzle/schema';
import { openAlerts, reconcile } from '@/lib/admin/alerts/reconcile';
import { SWITCHED_OFF } from '@/lib/admin/alerts/switched-off';
import { createAlertWriter } from '@/lib/admin/alerts/writer';
import type { Database } from '@/lib/db/database';
import { formatNumber } from '@/lib/format-number';
import type { Services } from '@/lib/operation/services';
import { findStart } from '@/lib/statistics/step';
import { MINUTE, type Millis } from '@/lib/units';

const EVENT = 'bypass.share';
/** Part of the configured share at which an open alert is resolved, so that it does not open again and again. */
const RESOLVED_AT = 0.75;

/**
 * Raises an alert if a large part of the traffic bypasses the limits by the allowlist. The counts come from all
 * instances.
 */
export async function watchBypassShare(services: Services): Promise<void> {
  const { database } = services;
  const { settings, writer } = await createAlertWriter(services);
  const { enabled, percent, minutes, requests } = settings.bypass_share;
  const since = findStart(writer.now, MINUTE) - (minutes - 1) * MINUTE;
  const { total, bypassed } = enabled ? await countSince(database, since) : { total: 0, bypassed: 0 };
  const isOpen = (await openAlerts(database, EVENT)).length > 0;
  const least = isOpen ? percent * RESOLVED_AT : percent;
  const holds = total >= requests && bypassed * 100 >= least * total;
  const entry = holds ? await findBusiestEntry(database, since) : null;
  const share = Math.floor((bypassed / total) * 100);
  const most = entry === null ? '' : `, most by the allowlist entry ${entry}`;
  const counts = `${formatNumber(bypassed)} of ${formatNumber(total)}`;
  await reconcile(writer, {
    event: EVENT,
    alerts: holds
      ? [
          {
            event: EVENT,
            subject: 'bypasses',
            period: null,
            data: {
              summary: `${share}% of the requests bypassed the limits within ${minutes} minutes: ${counts}${most}.`,
              link: entry === null ? '/allowlist' : `/allowlist?q=${encodeURIComponent(entry)}`,
              ...{ percent: share, bypassed, requests: total, minutes, identifier: entry },
            },
          },
        ]
      : [],
    why: () => (enabled ? 'Less of the traffic bypasses the limits now.' : SWITCHED_OFF),
  });
}

async function countSince({ drizzle }: Database, since: Millis): Promise<{ total: number; bypassed: number }> {
  const { step, start, outcome, count } = rollups;
  const [sums] = await drizzle
    .select({
      total: sql<number>`coalesce(sum(${count}), 0)`,
      bypassed: sql<number>`coalesce(sum(case when ${outcome} = 'bypassed' then ${count} end), 0)`,
    })
    .from(rollups)
    .where(and(eq(step, 60), gte(start, since)));
  return sums ?? { total: 0, bypassed: 0 };
}

/** Finds the entry with most bypasses in the log, by its identifier. Null if it was removed. */
async function findBusiestEntry({ drizzle }: Database, since: Millis): Promise<string | null> {
  const { sourceId, source, at, count } = decisions;
  const [busiest] = await drizzle
    .select({ identifier: allowlist.identifier })
    .from(decisions)
    .innerJoin(allowlist, eq(allowlist.id, sourceId))
    .where(and(eq(source, 'allowlist'), gte(at, since)))
    .groupBy(sourceId)
    .orderBy(desc(sql`sum(${count})`))
    .limit(1);
  return busiest?.identifier ?? null;
}
