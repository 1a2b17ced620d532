import type { RouteRules, RuleLimit } from '@/lib/contract/route-rules';

/** A cost of 1 is the default. */
const omitCost = ({ cost = 1, ...limit }: RuleLimit): RuleLimit => ({ ...limit, ...(cost === 1 ? {} : { cost }) });

/** Converts rules for the API: a cost of 1 and counting all requests are defaults, so they are omitted. */
export function omitDefaults(rules: RouteRules): RouteRules {
  return rules.map(({ cost = 1, counts = 'all', limits = [], ...rule }) => ({
    ...rule,
    ...(cost === 1 ? {} : { cost }),
    ...(counts === 'all' ? {} : { counts }),
    ...(limits.length === 0 ? {} : { limits: limits.map(omitCost) }),
  }));
}
