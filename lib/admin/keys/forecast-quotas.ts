import { PACE_DAYS } from '@/lib/admin/keys/outlook';
import { readQuotaUsages } from '@/lib/admin/keys/usage';
import { formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import { forecastQuotas as contract, type Forecast, MOST_FORECASTS } from '@/lib/contract/forecasts';
import type { QuotaUsage } from '@/lib/contract/quota';
import { hasAnchor } from '@/lib/enforcement/quota-counter';
import type { GrantRecord, KeyRecord, Rules } from '@/lib/enforcement/rules';
import { computeCalendarMonth, computeStartOfMonth } from '@/lib/limiter/window';
import { implement } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';
import { forecastQuota } from '@/lib/statistics/forecast';
import { countRequests, type KeyDay, readKeyDays, sumAllowedByKey } from '@/lib/statistics/key-days';
import { findStart } from '@/lib/statistics/step';
import { DAY, type Millis } from '@/lib/units';

const DEFAULT_THRESHOLD = 80;
/** Share of the threshold that selects a key. It is below 1, because the daily counts are written with a delay. */
const SLACK = 0.9;

interface ForecastQuery {
  api_key?: string | undefined;
  threshold?: number | undefined;
}

/** Lists keys near the end of their quota, and when each exhausts it. */
export const forecastQuotas = implement(contract, ({ services, now }, { query }) =>
  computeQuotaForecasts(services, now, query),
);

/**
 * Forecasts quotas.
 * @param query `threshold` in percent, 80 by default
 * @throws StoreUnavailable, DatabaseUnavailable
 */
export async function computeQuotaForecasts(
  services: Services,
  now: Millis,
  query: ForecastQuery,
): Promise<Forecast[]> {
  const { database, counters, rules } = services;
  const present = await rules.readFresh();
  const { keysById } = present;
  const selectedKey = query.api_key === undefined ? undefined : keysById.get(query.api_key);
  if (query.api_key !== undefined && selectedKey === undefined) return [];
  const threshold = selectedKey === undefined ? (query.threshold ?? DEFAULT_THRESHOLD) / 100 : 0;
  const near =
    selectedKey === undefined ? await findKeysNearThreshold(services, now, present, threshold) : [selectedKey];
  const usages = await readQuotaUsages(counters, present, near, now);
  const reached = near.flatMap((key, index) => {
    const usage = usages[index];
    return usage !== undefined && usage.usage >= threshold * usage.limit
      ? [{ ...key, usage, grants: present.listGrants(key.id, now) }]
      : [];
  });
  const ids = reached.map((key) => key.id);
  const today = findStart(now, DAY);
  const days = await readKeyDays(database, ids, today - PACE_DAYS * DAY);
  const created = await countRequests(database, ids, today, today);
  return reached
    .map((key) => forecastKeyQuota(key, days.get(key.id) ?? [], created.get(key.id)?.createdAt ?? 0, now))
    .sort((a, b) => b.used_percent - a.used_percent);
}

/** Finds keys near the threshold by their daily counts, the nearest first. */
async function findKeysNearThreshold(
  services: Services,
  now: Millis,
  rules: Rules,
  threshold: number,
): Promise<KeyRecord[]> {
  const allowed = await sumAllowedByKey(services.database, computeStartOfMonth(computeCalendarMonth(now)));
  const anchored = [...rules.keysById.values()].filter(hasAnchor);
  // The error of a day is harmless here. A moved month runs longer, so the sum starts a calendar month earlier.
  if (anchored.length > 0) {
    const since = await sumAllowedByKey(services.database, computeStartOfMonth(computeCalendarMonth(now) - 1));
    for (const { id } of anchored) allowed.set(id, since.get(id) ?? 0);
  }
  const computeUsedShare = (key: KeyRecord) => {
    const limit = rules.computeQuota(key, now);
    return limit === 0 ? 1 : (allowed.get(key.id) ?? 0) / limit;
  };
  return [...rules.keysById.values()]
    .map((key) => ({ key, share: computeUsedShare(key) }))
    .filter(({ share }) => share >= threshold * SLACK)
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST_FORECASTS)
    .map(({ key }) => key);
}

/** Forecasts one key by the whole days since its creation, at most seven. */
function forecastKeyQuota(
  { id, name, tier, overageAllowed, usage, grants }: KeyRecord & { usage: QuotaUsage; grants: readonly GrantRecord[] },
  days: readonly KeyDay[],
  created: Millis,
  now: Millis,
): Forecast {
  const today = findStart(now, DAY);
  const allowedOn = new Map(days.map(({ day, allowed }) => [day, allowed]));
  const pace = Array.from({ length: PACE_DAYS }, (_, index) => today - (PACE_DAYS - index) * DAY);
  const whole = pace.filter((day) => day >= findStart(created, DAY)).map((day) => allowedOn.get(day) ?? 0);
  const { limit, remaining, reset_at } = usage;
  const { perDay, runsOutAt, earliest, latest, intervalKnown } = forecastQuota({
    remaining,
    now,
    resetsAt: Date.parse(reset_at),
    days: whole,
    today: { requests: allowedOn.get(today) ?? 0, since: Math.max(today, created) },
    grants,
  });
  return {
    api_key_id: id,
    name,
    tier,
    usage: usage.usage,
    limit,
    remaining,
    used_percent: limit === 0 ? 100 : Math.round((usage.usage / limit) * 1_000) / 10,
    overage_allowed: overageAllowed,
    resets_at: reset_at,
    per_day: Math.round(perDay * 100) / 100,
    days_observed: whole.length,
    runs_out_at: formatTimestampOrNull(runsOutAt),
    earliest: formatTimestampOrNull(earliest),
    latest: formatTimestampOrNull(latest),
    interval_known: intervalKnown,
    exhausted: remaining === 0,
    ends_with_grant: runsOutAt !== null && grants.some(({ until }) => until === runsOutAt),
  };
}
