import type { NewAlert } from '@/lib/admin/alerts/events';
import { openAlerts, reconcile } from '@/lib/admin/alerts/reconcile';
import { parseAlertData } from '@/lib/admin/alerts/row';
import { SWITCHED_OFF } from '@/lib/admin/alerts/switched-off';
import { createAlertWriter } from '@/lib/admin/alerts/writer';
import { readQuotaUsages } from '@/lib/admin/keys/usage';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { QuotaUsage } from '@/lib/contract/quota';
import { findQuotaCounter } from '@/lib/enforcement/quota-counter';
import type { KeyRecord } from '@/lib/enforcement/rules';
import { formatNumber } from '@/lib/format-number';
import { computeCalendarMonth, computeStartOfMonth } from '@/lib/limiter/window';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

const EVENT = 'quota.threshold';

type KeyMonths = Pick<KeyRecord, 'id' | 'monthStartsOn' | 'monthShift'>;

/** Names the month of a key by its first day: `2026-11`. */
export function nameQuotaMonth(key: KeyMonths, now: Millis): string {
  return formatTimestamp(computeStartOfMonth(computeCalendarMonth(now, findQuotaCounter(key).window.anchor))).slice(
    0,
    7,
  );
}

/**
 * Names the month of a usage, by its end. The clock of the counter store determines it, which may differ from the clock
 * of this process.
 */
export const nameUsageMonth = (key: KeyMonths, resetAt: string): string => nameQuotaMonth(key, Date.parse(resetAt) - 1);

const MONTH = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Builds the alert for a key that reached a share of its quota. @param threshold in percent */
export function buildThresholdAlert(
  { key, usage }: { key: KeyRecord; usage: QuotaUsage },
  threshold: number,
): NewAlert {
  const { name } = key;
  const month = nameUsageMonth(key, usage.reset_at);
  const end = Date.parse(usage.reset_at);
  const which = key.monthStartsOn === 1 ? MONTH.format(end - 1) : `the month until ${DATE.format(end)}`;
  const used = `${formatNumber(usage.usage)} of ${formatNumber(usage.limit)} requests`;
  return {
    event: EVENT,
    subject: `api_key:${usage.api_key_id}`,
    period: `${month} ${threshold}%`,
    data: {
      summary: `The key ${name} has reached ${threshold}% of its quota of ${which}: ${used}.`,
      link: `/keys/${usage.api_key_id}`,
      ...{ api_key_id: usage.api_key_id, api_key_name: name, threshold_percent: threshold, month },
      ...{ usage: usage.usage, limit: usage.limit },
    },
  };
}

/** Resolves alerts of keys that are below their threshold again, after a new month, a grant, a tier or a reset. */
export async function resolveThresholds(services: Services): Promise<void> {
  const { database, counters, rules } = services;
  const open = await openAlerts(database, EVENT);
  if (open.length === 0) return;
  const { settings, writer } = await createAlertWriter(services);
  const { now } = writer;
  const present = await rules.readFresh();
  const concerned = open.map((row) => ({ row, data: parseAlertData(row.data) }));
  const ids = new Set(concerned.map(({ data }) => String(data.api_key_id)));
  const keys = [...ids].flatMap((id) => present.keysById.get(id) ?? []);
  const usages = await readQuotaUsages(counters, present, keys, now);
  const usageOf = new Map(usages.map((usage) => [String(usage.api_key_id), usage]));
  const why = new Map(
    concerned.map(({ row, data }) => {
      const usage = usageOf.get(String(data.api_key_id));
      if (!settings.quota_threshold.enabled) return [row.id, SWITCHED_OFF];
      const key = present.keysById.get(String(data.api_key_id));
      if (usage === undefined || key === undefined) return [row.id, 'The key is gone.'];
      if (data.month !== nameUsageMonth(key, usage.reset_at)) return [row.id, 'A new month has begun.'];
      if (usage.usage * 100 >= Number(data.threshold_percent) * usage.limit) return [row.id, null];
      const { usage: used, limit } = usage;
      return [row.id, `It has used ${formatNumber(used)} of ${formatNumber(limit)} requests now.`];
    }),
  );
  await reconcile(writer, { event: EVENT, alerts: [], why: ({ id }) => why.get(id) ?? null });
}
