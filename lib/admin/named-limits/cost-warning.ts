import { listNamedLimit, listOwnLimits } from '@/lib/admin/effect/met-limits';
import { describeUnpayableCosts } from '@/lib/admin/effect/unpayable-costs';
import type { StoredNamedLimit } from '@/lib/contract/fields/named-limit';
import type { Rules } from '@/lib/enforcement/rules';
import type { Millis } from '@/lib/units';

/**
 * Warns of costs that a new or changed named limit would never admit. Numbers of keys and of subjects for a removed limit
 * of its name apply to it.
 */
export function describeLimitCosts(rules: Rules, now: Millis, limit: StoredNamedLimit): string | null {
  const own = [...listOwnLimits(rules, now)].filter(({ name }) => name === limit.name);
  const limits = [...listNamedLimit(limit), ...own];
  return describeUnpayableCosts(rules.routeRules, limits, rules.findIncident(now)?.factor);
}
