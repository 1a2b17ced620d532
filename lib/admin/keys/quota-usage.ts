import { setImmediate } from 'node:timers/promises';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import { toInstant } from '@/lib/contract/fields/instant';
import type { Policies } from '@/lib/contract/policies';
import type { QuotaUsage } from '@/lib/contract/quota';
import type { CounterStore } from '@/lib/counters/store';
import { quotaKey } from '@/lib/enforcement/plan';
import { monthAt, monthStart } from '@/lib/limiter/window';

const CHUNK = 500;

/** What keys have used of their quotas this month, in the order of the keys. @throws StoreUnavailable */
export async function quotaUsages(
  counters: CounterStore,
  policies: Policies,
  keys: readonly { id: string; tier: QuotaTier }[],
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
  key: { id: string; tier: QuotaTier },
): Promise<QuotaUsage> {
  const [usage] = await quotaUsages(counters, policies, [key]);
  if (usage === undefined) throw new Error('The counter store left a counter out.');
  return usage;
}
