import type { ClientType, QuotaTier } from '@/lib/contract/fields/enumerations';
import type { Limit, Policies } from '@/lib/contract/policies';
import { findClientLimit } from '@/lib/enforcement/class-limits';
import { ENDPOINT_CLASSES, type EndpointClass } from '@/lib/limiter/meter';

export type SlidingLimit = { path: string; before: Limit; after: Limit } & (
  | { subject: 'ip' | 'user'; class: EndpointClass }
  | { subject: 'client'; tiers: readonly QuotaTier[]; clientTypes: readonly ClientType[] }
);
export type QuotaLimit = { subject: 'quota'; path: string; tier: QuotaTier; before: number; after: number };
/** A limit that a change of the policies touches. */
export type ChangedLimit = SlidingLimit | QuotaLimit;

export const TIERS = ['free', 'starter', 'business', 'enterprise'] as const satisfies readonly QuotaTier[];
const CLIENT_TYPES = ['public', 'confidential'] as const satisfies readonly ClientType[];

/**
 * Compares two policies. Returns the limits that differ, and the names of all other differences.
 * @param isTouched selects the limits of windows; by default those that differ
 */
export function findChangedLimits(
  before: Policies,
  after: Policies,
  isTouched: (pair: { before: Limit; after: Limit }) => boolean = differ,
): { limits: ChangedLimit[]; others: string[] } {
  const limits: ChangedLimit[] = [];
  const others: string[] = [];
  for (const name of ENDPOINT_CLASSES) {
    for (const subject of ['ip', 'user'] as const) {
      const pair = { before: before.classes[name][subject], after: after.classes[name][subject] };
      if (isTouched(pair)) limits.push({ subject, path: `classes.${name}.${subject}`, class: name, ...pair });
    }
    for (const other of ['on_store_failure', 'lease'] as const) {
      if (before.classes[name][other] !== after.classes[name][other]) others.push(`classes.${name}.${other}`);
    }
  }
  limits.push(...findChangedClientLimits(before, after, isTouched));
  for (const tier of TIERS) {
    const pair = { before: before.tiers[tier], after: after.tiers[tier] };
    if (pair.before !== pair.after) limits.push({ subject: 'quota', path: `tiers.${tier}`, tier, ...pair });
  }
  if (differ({ before: before.global, after: after.global })) others.push('global');
  for (const name of ['longest_days', 'allow_everyone'] as const)
    if (before.exceptions[name] !== after.exceptions[name]) others.push(`exceptions.${name}`);
  return { limits, others };
}

/**
 * Compares client limits. A key counts under the rate of its tier, if there is one, else under the limit of its type.
 */
function findChangedClientLimits(before: Policies, after: Policies, isTouched: typeof differ): ChangedLimit[] {
  const hasRate = (tier: QuotaTier) => [before, after].some(({ tier_rates: rates }) => rates[tier] !== null);
  const listChangedLimits = (
    path: string,
    clientType: ClientType,
    tiers: readonly QuotaTier[],
    tier?: QuotaTier,
  ): ChangedLimit[] => {
    const key = tier === undefined ? null : { tier };
    const pair = {
      before: findClientLimit(before, clientType, key).limit,
      after: findClientLimit(after, clientType, key).limit,
    };
    return isTouched(pair) ? [{ subject: 'client', path, tiers, clientTypes: [clientType], ...pair }] : [];
  };
  const unrated = TIERS.filter((tier) => !hasRate(tier));
  return CLIENT_TYPES.flatMap((type) => [
    ...listChangedLimits(`clients.${type}`, type, unrated),
    ...TIERS.filter(hasRate).flatMap((tier) => listChangedLimits(`tier_rates.${tier}`, type, [tier], tier)),
  ]);
}

function differ({ before, after }: { before: Limit; after: Limit }): boolean {
  return before.limit !== after.limit || before.window_seconds !== after.window_seconds;
}
