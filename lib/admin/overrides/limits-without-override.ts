import type { MetLimit } from '@/lib/admin/effect/met-limits';
import { findLimitWithoutOverride, selectClassOverride } from '@/lib/admin/overrides/override-sentence';
import type { Policies } from '@/lib/contract/policies';
import type { Rules } from '@/lib/enforcement/rules';
import type { Millis } from '@/lib/units';

/** Lists the limits that a subject meets once its override is removed. @param policies after the change */
export function listLimitsWithoutOverride(
  rules: Rules,
  policies: Policies,
  override: Parameters<typeof selectClassOverride>[0] & {},
  now: Millis,
): MetLimit[] {
  const own = selectClassOverride(override);
  if (own === null) {
    const { limit_name: name = '' } = override;
    return (rules.limits.get(name)?.windows ?? []).map(({ limit }) => ({ name, limit }));
  }
  const wider = findLimitWithoutOverride(rules, own, own.identifier, now);
  if (wider === null) return [];
  const { limit } = wider ?? policies.classes[own.class][own.type === 'ip' ? 'ip' : 'user'];
  return [{ class: own.class, limit }];
}
