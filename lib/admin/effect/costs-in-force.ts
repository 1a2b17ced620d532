import { listNamedLimit, listOwnLimits, listPolicyLimits } from '@/lib/admin/effect/met-limits';
import { describeUnpayableCosts } from '@/lib/admin/effect/unpayable-costs';
import type { Rules } from '@/lib/enforcement/rules';
import type { Millis } from '@/lib/units';

/** Warns of costs that a limit in force would never admit, with other route rules or another factor. */
export function describeCostsInForce(
  rules: Rules,
  now: Millis,
  {
    routeRules = rules.routeRules,
    factor = rules.findIncident(now)?.factor,
  }: { routeRules?: Rules['routeRules']; factor?: number | undefined },
): string | null {
  const named = [...rules.limits.values()].flatMap(listNamedLimit);
  const own = [...listOwnLimits(rules, now)].filter(({ name }) => name === undefined || rules.limits.has(name));
  const limits = [...listPolicyLimits(rules.policies), ...named, ...own];
  return describeUnpayableCosts(routeRules, limits, factor);
}
