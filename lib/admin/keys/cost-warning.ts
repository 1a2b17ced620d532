import { type LimitedKey, listKeyLimits } from '@/lib/admin/effect/met-limits';
import { describeUnpayableCosts } from '@/lib/admin/effect/unpayable-costs';
import type { Rules } from '@/lib/enforcement/rules';
import type { Millis } from '@/lib/units';

/** Warns of costs that an API key with these numbers can never pay. Null if there are none. */
export function describeKeyCosts(rules: Rules, now: Millis, key: LimitedKey): string | null {
  const limits = listKeyLimits(rules.policies, rules.limits.values(), key);
  return describeUnpayableCosts(rules.routeRules, limits, rules.findIncident(now)?.factor);
}
