import { apiKeys } from '@/drizzle/schema';
import { computeNextMonth, computeOutlooks } from '@/lib/admin/keys/outlook';
import { type ApiKeyRow, buildApiKey } from '@/lib/admin/keys/row';
import { buildManagedMark } from '@/lib/admin/new-row';
import { formatTimestamp, formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';
import type { QuotaUsage } from '@/lib/contract/quota';
import { type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import { findQuotaCounter, hasAnchor } from '@/lib/enforcement/quota-counter';
import type { Rules } from '@/lib/enforcement/rules';
import { computeMonthEnd } from '@/lib/limiter/window';
import type { Services } from '@/lib/operation/services';
import { takeTurn } from '@/lib/take-turn';
import type { Millis } from '@/lib/units';

const CHUNK = 500;

/** Columns that determine the quota of a key. */
export const QUOTA_COLUMNS = {
  id: apiKeys.id,
  tier: apiKeys.tier,
  monthStartsOn: apiKeys.monthStartsOn,
  monthShift: apiKeys.monthShift,
};

export type QuotaKey = Pick<ApiKeyRow, 'id' | 'tier' | 'monthStartsOn' | 'monthShift'>;

/** Reads the quota usage of keys for their current month, in the order of the keys. @throws StoreUnavailable */
export async function readQuotaUsages(
  counters: CounterStore,
  rules: Rules,
  keys: readonly QuotaKey[],
  now: Millis,
): Promise<QuotaUsage[]> {
  const usages: QuotaUsage[] = [];
  for (let start = 0; start < keys.length; start += CHUNK) {
    if (start > 0) await takeTurn();
    const chunk = keys.slice(start, start + CHUNK);
    const states = await counters.read(chunk.map(findQuotaCounter));
    const calendarReset = formatTimestamp(computeMonthEnd(states[0]?.now ?? 0));
    for (const [index, key] of chunk.entries()) {
      const state = states[index];
      if (state === undefined) throw new Error('The counter store left a counter out.');
      const limit = rules.computeQuota(key, now);
      usages.push({
        api_key_id: key.id,
        tier: key.tier,
        usage: state.used,
        limit,
        remaining: Math.max(0, limit - state.used),
        reset_at: hasAnchor(key) ? formatTimestamp(computeNextMonth(key, state.now)) : calendarReset,
      });
    }
  }
  return usages;
}

/** Reads the quota usage of one key. @throws StoreUnavailable */
export async function readQuotaUsage(
  counters: CounterStore,
  rules: Rules,
  key: QuotaKey,
  now: Millis,
): Promise<QuotaUsage> {
  const [usage] = await readQuotaUsages(counters, rules, [key], now);
  if (usage === undefined) throw new Error('The counter store left a counter out.');
  return usage;
}

/** Reads quota usage like `readQuotaUsages`. Null while the counter store is down, so that keys stay manageable. */
export async function readQuotaUsagesOrNull(
  { rules, counters }: Services,
  keys: readonly QuotaKey[],
  now: Millis,
): Promise<QuotaUsage[] | null> {
  return readQuotaUsages(counters, await rules.readFresh(), keys, now).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  });
}

/** Adds the usage and the outlook of the current month to keys. Both are null while the counter store is down. */
export async function addUsage(
  services: Services,
  rows: readonly { key: ApiKeyRow; lastUsedAt: Millis | null }[],
  now: Millis,
): Promise<ApiKeyWithUsage[]> {
  const rules = await services.rules.readFresh();
  const keys = rows.map(({ key }) => key);
  const usages = await readQuotaUsagesOrNull(services, keys, now);
  const used = keys.flatMap((key, index) => {
    const usage = usages?.[index];
    return usage === undefined ? [] : [{ key, usage }];
  });
  const outlook = await computeOutlooks(services, used, now);
  return rows.map(({ key, lastUsedAt }, index) => {
    const {
      usage = null,
      remaining = null,
      reset_at = formatTimestamp(computeNextMonth(key, now)),
    } = usages?.[index] ?? {};
    return {
      ...buildApiKey(key),
      usage,
      limit: rules.computeQuota(key, now),
      granted: rules.sumGrants(key.id, now),
      remaining,
      reset_at,
      last_used_at: formatTimestampOrNull(lastUsedAt),
      runs_out_at: isEnded(key, now) ? null : formatTimestampOrNull(outlook[index]?.runsOutAt ?? null),
      ...buildManagedMark(key),
    };
  });
}

/** Checks whether a key is revoked or has expired. */
export function isEnded({ revokedAt, expiresAt }: Pick<ApiKeyRow, 'revokedAt' | 'expiresAt'>, now: Millis): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= now);
}
