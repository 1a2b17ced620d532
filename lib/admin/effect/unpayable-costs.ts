import type { MetLimit } from '@/lib/admin/effect/met-limits';
import type { CompiledRule } from '@/lib/enforcement/classify';
import { scaleLimit } from '@/lib/enforcement/incident';
import type { Rules } from '@/lib/enforcement/rules';
import type { EndpointClass } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

const MOST_NAMED = 3;

/**
 * Warns of route rules whose cost exceeds a limit: that limit can never admit their requests.
 * Skips limits of 0, which refuse everything on purpose. Null if there is no such rule.
 * @param factor of the incident in force, which does not scale quotas
 */
export function describeUnpayableCosts(
  rules: readonly CompiledRule[],
  limits: Iterable<MetLimit>,
  factor = 1,
): string | null {
  const lowest = findLowest(limits, factor);
  const unpayable = rules.flatMap(({ rule: { method, path, class: name, cost = 1, limits: named = [] } }) => {
    const limit = Math.min(lowest.ofClass(name), lowest.ofClass('all'));
    const costs = named.map((own) => {
      return { cost: own.cost ?? 1, under: ` under ${own.name}`, limit: lowest.ofNamed(own.name) };
    });
    return [{ cost, under: '', limit }, ...costs]
      .filter((each) => each.cost > each.limit)
      .map((each) => `${method ?? '*'} ${path ?? '*'} costs ${each.cost}${each.under}, the limit is ${each.limit}`);
  });
  if (unpayable.length === 0) return null;
  const more = unpayable.length > MOST_NAMED ? `, and ${unpayable.length - MOST_NAMED} more` : '';
  return `Warning: requests that cost more than a limit are never admitted: ${unpayable.slice(0, MOST_NAMED).join('; ')}${more}.`;
}

/** Warns of costs that limits would never admit, with the route rules and the incident in force or with others. */
export function describeCosts(
  rules: Rules,
  now: Millis,
  limits: Iterable<MetLimit>,
  { routeRules = rules.routeRules, factor = rules.findIncident(now)?.factor }: OtherRules = {},
): string | null {
  return describeUnpayableCosts(routeRules, limits, factor);
}

/** What a change puts in the place of the rules in force. */
interface OtherRules {
  routeRules?: Rules['routeRules'];
  factor?: number | undefined;
}

/** Finds the lowest limits, those of all classes too. Infinity if there is none. */
function findLowest(limits: Iterable<MetLimit>, factor: number) {
  const classes = new Map<string, number>();
  const names = new Map<string, number>();
  for (const { class: ofClass, name, limit, isQuota } of limits) {
    const [lowest, of] = name === undefined ? [classes, ofClass ?? 'all'] : [names, name];
    const scaled = isQuota === true ? limit : scaleLimit(limit, factor);
    if (scaled > 0 && scaled < (lowest.get(of) ?? Infinity)) lowest.set(of, scaled);
  }
  return {
    ofClass: (name: EndpointClass | 'all') => classes.get(name) ?? Infinity,
    ofNamed: (name: string) => names.get(name) ?? Infinity,
  };
}
