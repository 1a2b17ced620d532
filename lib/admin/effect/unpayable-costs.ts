import type { Policies } from '@/lib/contract/policies';
import type { CompiledRule } from '@/lib/enforcement/classify';
import { scaleLimit } from '@/lib/enforcement/incident';
import type { EndpointClass } from '@/lib/limiter/meter';

const MOST_NAMED = 3;

/** The limits that a request of a class can meet. */
export interface MetLimits {
  /** The lowest of them. @param name the class @returns null if the class has no limit that counts here */
  lowest(name: EndpointClass): number | null;
}

/** The limits of the policies, quotas among them. @param factor of the incident in force, which leaves quotas alone */
export function limitsOfPolicies({ classes, clients, tiers, tier_rates: rates }: Policies, factor = 1): MetLimits {
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

/** The quota of one API key, which counts in every class. */
export function limitOfQuota(quota: number): MetLimits {
  return { lowest: () => (quota > 0 ? quota : null) };
}

/** The limit of an override, for its class alone. @param factor of the incident in force */
export function limitOfOverride({ class: own, limit }: { class: EndpointClass; limit: number }, factor = 1): MetLimits {
  return { lowest: (name) => (name === own && limit > 0 ? scaleLimit(limit, factor) : null) };
}

/**
 * Warns of route rules whose cost is above a limit of their class: no request of theirs can be admitted where that
 * limit applies. A limit of 0 closes a class on purpose and is left out. Null if there is no such rule.
 */
export function unpayableSentence(rules: readonly CompiledRule[], limits: MetLimits): string | null {
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
