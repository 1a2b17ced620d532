import { readKeyLimits, writeKeyLimits } from '@/lib/admin/keys/row';
import type { Snapshot } from '@/lib/admin/state/snapshot';

/**
 * Leaves out references of rules to removed named limits, because they have no effect. A document that named them could
 * not be applied. The rows keep it, for the case that the removal is undone.
 * @param exists returns whether a named limit exists
 */
export function leaveOutRemoved(
  { routeRules, keys, overrides }: Snapshot,
  exists: (name: string) => boolean,
): Pick<Snapshot, 'routeRules' | 'keys' | 'overrides'> {
  return {
    routeRules: routeRules.map((rule) => {
      const { limits: named = [], ...others } = rule;
      const limits = named.filter(({ name }) => exists(name));
      return limits.length === 0 ? others : { ...rule, limits };
    }),
    keys: keys.map((key) => {
      if (key.limits === null) return key;
      const limits = Object.entries(readKeyLimits(key)).filter(([name]) => exists(name));
      return { ...key, limits: writeKeyLimits(Object.fromEntries(limits)) };
    }),
    overrides: overrides.filter(({ limitName }) => limitName === '' || exists(limitName)),
  };
}
