import type { Policies } from '@/lib/contract/policies';
import type { CompiledRule } from '@/lib/enforcement/classify';
import { scaleLimit } from '@/lib/enforcement/incident';
import type { EndpointClass } from '@/lib/limiter/meter';

const MOST_NAMED = 3;

/** The limits that apply to requests of a class. */
export interface MetLimits {
  /** Finds the lowest limit. @param name the class @returns null if no limit applies to it */
  lowest(name: EndpointClass): number | null;
}

/**
 * Collects the limits and quotas of the policies.
 * @param factor of the incident in force, which does not scale quotas
 */
export function collectPolicyLimits({ classes, clients, tiers, tier_rates: rates }: Policies, factor = 1): MetLimits {
  const ofClients = [clients.public.limit, clients.confidential.limit, ...Object.values(rates)];
  return {
    lowest: (name) => {
      const { ip, user } = classes[name];
      const scaled = [ip.limit, user.limit, ...ofClients].map((limit) => scaleLimit(limit ?? 0, factor));
      const open = [...scaled, ...Object.values(tiers)].filter((limit) => limit > 0);
      return open.length === 0 ? null : Math.min(...open);
    },
  };
}

/** Wraps the quota of one API key, which applies to every class. */
export function wrapQuotaLimit(quota: number): MetLimits {
  return { lowest: () => (quota > 0 ? quota : null) };
}

/** Wraps the limit of an override, which applies to its class only. @param factor of the incident in force */
export function wrapOverrideLimit(
  { class: own = null, limit = 0 }: { class?: EndpointClass | null | undefined; limit?: number | undefined },
  factor = 1,
): MetLimits {
  return { lowest: (name) => (name === own && limit > 0 ? scaleLimit(limit, factor) : null) };
}

/**
 * Warns of route rules whose cost exceeds a limit of their class: that limit can never admit their requests.
 * Skips limits of 0, which close a class on purpose. Null if there is no such rule.
 */
export function describeUnpayableCosts(rules: readonly CompiledRule[], limits: MetLimits): string | null {
  const unpayable = rules.flatMap(({ rule: { method, path, class: name, cost = 1 } }) => {
    const limit = limits.lowest(name);
    return limit !== null && cost > limit
      ? [`${method ?? '*'} ${path ?? '*'} costs ${cost}, the limit is ${limit}`]
      : [];
  });
  if (unpayable.length === 0) return null;
  const more = unpayable.length > MOST_NAMED ? `, and ${unpayable.length - MOST_NAMED} more` : '';
  return `Warning: requests that cost more than a limit are never admitted: ${unpayable.slice(0, MOST_NAMED).join('; ')}${more}.`;
}
