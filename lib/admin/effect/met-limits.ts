import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import type { LimitWindow } from '@/lib/contract/fields/named-limit';
import type { Policies } from '@/lib/contract/policies';
import { findClientLimit } from '@/lib/enforcement/class-limits';
import type { KeyRecord, Rules } from '@/lib/enforcement/rules';
import { ENDPOINT_CLASSES, type EndpointClass } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/** A limit that a request can meet, before an incident scales it. */
export interface MetLimit {
  /** Undefined for all classes, or for a named limit. */
  class?: EndpointClass | undefined;
  /** Name of a named limit. */
  name?: string | undefined;
  limit: number;
  /** True for a quota, which incidents do not scale. */
  isQuota?: true;
}

type Windows = readonly Pick<LimitWindow, 'limit'>[];

/** A named limit. Its places are missing, because they cost 1. */
interface NamedLimit {
  readonly name: string;
  readonly windows: Windows;
  readonly tiers: Readonly<Partial<Record<QuotaTier, Windows>>>;
}

/** Lists the limits and quotas of the policies. */
export function listPolicyLimits({ classes, clients, tiers, tier_rates: rates }: Policies): MetLimit[] {
  return [
    ...ENDPOINT_CLASSES.flatMap((name) =>
      [classes[name].ip, classes[name].user].map(({ limit }) => ({ class: name, limit })),
    ),
    ...[clients.public.limit, clients.confidential.limit, ...Object.values(rates)].map((limit) => ({
      limit: limit ?? 0,
    })),
    ...Object.values(tiers).map((limit) => ({ limit, isQuota: true as const })),
  ];
}

/** Lists the windows of a named limit, with those of tiers. */
export function listNamedLimit({ name, windows, tiers }: NamedLimit): MetLimit[] {
  return [windows, ...Object.values(tiers)].flat().map(({ limit }) => ({ name, limit }));
}

/** An override of a class or of a named limit, as an answer or a document shows it. */
interface ShownOverride {
  class?: EndpointClass | null | undefined;
  limit_name?: string | undefined;
  limit?: number | undefined;
  windows?: Windows | undefined;
}

/** Lists the limits that an override gives its subject. */
export function listOverrideLimits({
  class: own,
  limit_name: name,
  limit = 0,
  windows = [],
}: ShownOverride): MetLimit[] {
  return own == null ? windows.map((window) => ({ name, limit: window.limit })) : [{ class: own, limit }];
}

/** An API key, with the numbers that its limits depend on. */
export interface LimitedKey extends Pick<KeyRecord, 'tier' | 'clientType' | 'overageAllowed'> {
  /** Windows of the key, by limit name. */
  readonly limits?: Readonly<Record<string, Windows>> | null | undefined;
  /** Requests that grants add to its quota. */
  readonly granted: number;
}

/** Lists the limits of an API key that depend on the key: its quota, its rate, and numbers of named limits. */
export function listKeyLimits(policies: Policies, named: Iterable<NamedLimit>, key: LimitedKey): MetLimit[] {
  const { tier, clientType, overageAllowed, limits, granted } = key;
  const rate = findClientLimit(policies, clientType, { tier }).limit.limit;
  const isUnlimited = overageAllowed && tier !== 'free';
  const windows = [...named].flatMap(({ name, tiers }) => {
    const own = limits != null && Object.hasOwn(limits, name) ? limits[name] : tiers[tier];
    return (own ?? []).map(({ limit }) => ({ name, limit }));
  });
  return [{ limit: rate }, { limit: isUnlimited ? 0 : policies.tiers[tier] + granted, isQuota: true }, ...windows];
}

/** Lists the limits of an API key under the rules in force. */
export function listLimitsOfKey(rules: Rules, key: LimitedKey): MetLimit[] {
  return listKeyLimits(rules.policies, rules.limits.values(), key);
}

/** Lists every limit in force, without the quotas and the rates of keys. */
export function listLimitsInForce(rules: Rules, now: Millis): MetLimit[] {
  const named = [...rules.limits.values()].flatMap(listNamedLimit);
  const own = [...listOwnLimits(rules, now)].filter(({ name }) => name === undefined || rules.limits.has(name));
  return [...listPolicyLimits(rules.policies), ...named, ...own];
}

/** Lists the limits that are set for single subjects: active overrides, and windows of API keys. */
export function* listOwnLimits(rules: Rules, now: Millis): Generator<MetLimit> {
  const isActive = ({ expiresAt }: { expiresAt: Millis | null }) => expiresAt === null || expiresAt > now;
  for (const name of ENDPOINT_CLASSES)
    for (const override of rules.overriddenRanges[name].values())
      if (isActive(override)) yield { class: name, limit: override.limit };
  for (const [of, override] of rules.overriddenUsers) {
    const name = ENDPOINT_CLASSES.find((each) => of.startsWith(`${each}|`));
    if (isActive(override)) yield { class: name, limit: override.limit };
  }
  for (const [of, { windows, ...override }] of rules.overriddenSubjects) {
    const [name] = of.split('|');
    if (isActive(override)) for (const { limit } of windows ?? []) yield { name, limit };
  }
  for (const { limits, ...key } of rules.keysById.values())
    if (isActive(key))
      for (const [name, windows] of Object.entries(limits ?? {}))
        for (const { limit } of windows) yield { name, limit };
}
