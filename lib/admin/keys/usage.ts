import { setImmediate } from 'node:timers/promises';
import { type ApiKeyRow, toApiKey } from '@/lib/admin/keys/row';
import { toInstant, toInstantOrNull } from '@/lib/contract/fields/instant';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';
import type { Policies } from '@/lib/contract/policies';
import type { QuotaUsage } from '@/lib/contract/quota';
import { type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import { quotaKey } from '@/lib/enforcement/plan';
import { monthAt, monthStart } from '@/lib/limiter/window';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

const CHUNK = 500;

type QuotaKey = Pick<ApiKeyRow, 'id' | 'tier'>;

/** What keys have used of their quotas this month, in the order of the keys. @throws StoreUnavailable */
export async function quotaUsages(
  counters: CounterStore,
  policies: Policies,
  keys: readonly QuotaKey[],
): Promise<QuotaUsage[]> {
  const usages: QuotaUsage[] = [];
  for (let start = 0; start < keys.length; start += CHUNK) {
    if (start > 0) await setImmediate();
    const chunk = keys.slice(start, start + CHUNK);
    const states = await counters.read(chunk.map((key) => ({ key: quotaKey(key.id), window: { kind: 'month' } })));
    for (const [index, key] of chunk.entries()) {
      const state = states[index];
      if (state === undefined) throw new Error('The counter store left a counter out.');
      const limit = policies.tiers[key.tier];
      usages.push({
        api_key_id: key.id,
        tier: key.tier,
        usage: state.used,
        limit,
        remaining: Math.max(0, limit - state.used),
        reset_at: toInstant(nextMonth(state.now)),
      });
    }
  }
  return usages;
}

/** `quotaUsages` for one key. @throws StoreUnavailable */
export async function quotaUsage(counters: CounterStore, policies: Policies, key: QuotaKey): Promise<QuotaUsage> {
  const [usage] = await quotaUsages(counters, policies, [key]);
  if (usage === undefined) throw new Error('The counter store left a counter out.');
  return usage;
}

/**
 * Keys with what they have used this month. While the counter store is down the keys come without usage: they can
 * still be managed then.
 */
export async function withUsage(
  { counters, rules }: Services,
  rows: readonly { key: ApiKeyRow; lastUsedAt: Millis | null }[],
  now: Millis,
): Promise<ApiKeyWithUsage[]> {
  const { policies } = await rules.fresh();
  const keys = rows.map(({ key }) => key);
  const usages = await quotaUsages(counters, policies, keys).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  });
  return rows.map(({ key, lastUsedAt }, index) => {
    const { usage = null, remaining = null, reset_at = toInstant(nextMonth(now)) } = usages?.[index] ?? {};
    const limit = policies.tiers[key.tier];
    return { ...toApiKey(key), usage, limit, remaining, reset_at, last_used_at: toInstantOrNull(lastUsedAt) };
  });
}

function nextMonth(now: Millis): Millis {
  return monthStart(monthAt(now) + 1);
}
