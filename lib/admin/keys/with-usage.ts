import { quotaUsages } from '@/lib/admin/keys/quota-usage';
import { type ApiKeyRow, toApiKey } from '@/lib/admin/keys/row';
import { toInstant, toInstantOrNull } from '@/lib/contract/fields/instant';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';
import type { QuotaUsage } from '@/lib/contract/quota';
import { StoreUnavailable } from '@/lib/counters/store';
import { monthAt, monthStart } from '@/lib/limiter/window';
import type { Services } from '@/lib/operation/services';

/** A key and when it was used last. */
export interface UsedApiKey {
  key: ApiKeyRow;
  lastUsedAt: number | null;
}

/**
 * Keys with what they have used this month. While the counters are out of reach the keys are shown without: they can
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
