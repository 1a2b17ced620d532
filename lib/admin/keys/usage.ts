import { setImmediate } from 'node:timers/promises';
import { type ApiKeyRow, toApiKey } from '@/lib/admin/keys/row';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import { toInstant, toInstantOrNull } from '@/lib/contract/fields/instant';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';
import type { Policies } from '@/lib/contract/policies';
import type { QuotaUsage } from '@/lib/contract/quota';
import { type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import { quotaKey } from '@/lib/enforcement/plan';
import type { ApiKeyId } from '@/lib/ids';
import { monthAt, monthStart } from '@/lib/limiter/window';
import type { Services } from '@/lib/operation/services';

const CHUNK = 500;

/** What keys have used of their quotas this month, in the order of the keys. @throws StoreUnavailable */
export async function quotaUsages(
  counters: CounterStore,
  policies: Policies,
  keys: readonly { id: ApiKeyId; tier: QuotaTier }[],
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
        reset_at: toInstant(monthStart(monthAt(state.now) + 1)),
      });
    }
  }
  return usages;
}

/** `quotaUsages` for one key. @throws StoreUnavailable */
export async function quotaUsage(
  counters: CounterStore,
  policies: Policies,
  key: { id: ApiKeyId; tier: QuotaTier },
): Promise<QuotaUsage> {
  const [usage] = await quotaUsages(counters, policies, [key]);
  if (usage === undefined) throw new Error('The counter store left a counter out.');
  return usage;
}

/** A key and when it was used last. */
export interface UsedApiKey {
  key: ApiKeyRow;
  lastUsedAt: number | null;
}

/**
 * Keys with what they have used this month. While the counter store is down the keys come without usage: they can
 * still be managed then.
 */
export async function withUsage(
  services: Services,
  rows: readonly UsedApiKey[],
  now: number,
): Promise<ApiKeyWithUsage[]> {
  const { policies } = await services.rules.fresh();
  const usages = await usagesOrNull(services, policies, rows);
  return rows.map(({ key, lastUsedAt }, index) => {
    const usage = usages?.[index];
    return {
      ...toApiKey(key),
      usage: usage?.usage ?? null,
      limit: policies.tiers[key.tier],
      remaining: usage?.remaining ?? null,
      reset_at: usage?.reset_at ?? toInstant(monthStart(monthAt(now) + 1)),
      last_used_at: toInstantOrNull(lastUsedAt),
    };
  });
}

async function usagesOrNull(
  { counters }: Services,
  policies: Parameters<typeof quotaUsages>[1],
  rows: readonly UsedApiKey[],
): Promise<QuotaUsage[] | null> {
  try {
    return await quotaUsages(
      counters,
      policies,
      rows.map(({ key }) => key),
    );
  } catch (error) {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  }
}
