import { listPolicyLimits } from '@/lib/admin/effect/met-limits';
import { describeUnpayableCosts } from '@/lib/admin/effect/unpayable-costs';
import type { Policies } from '@/lib/contract/policies';
import type { Rules } from '@/lib/enforcement/rules';
import type { Millis } from '@/lib/units';

/** Warns of costs that changed policies would never admit. Null if there are none. */
export function describePolicyCosts(rules: Rules, now: Millis, changed: Policies): string | null {
  return describeUnpayableCosts(rules.routeRules, listPolicyLimits(changed), rules.findIncident(now)?.factor);
}
