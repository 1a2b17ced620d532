import { setImmediate } from 'node:timers/promises';
import { quotaUsages } from '@/lib/admin/keys/usage';
import { effectivePolicies, storedPatch } from '@/lib/admin/limits/settings';
import type { ClientType, QuotaTier } from '@/lib/contract/fields/enumerations';
import { toInstant } from '@/lib/contract/fields/instant';
import { type Limit, mergePatch, type Policies } from '@/lib/contract/policies';
import { dryRunPolicies as contract, type DryRun, type DryRunLimit } from '@/lib/contract/policies-dry-run';
import { clientLimit, startOfMonth } from '@/lib/enforcement/plan';
import type { Rules } from '@/lib/enforcement/rules';
import { parseRange } from '@/lib/limiter/address';
import { ENDPOINT_CLASSES, type EndpointClass } from '@/lib/limiter/meter';
import { implement } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';
import { decisionSeries, sumOf } from '@/lib/statistics/decision-series';
import { type DemandSubject, PARTS, readDemand } from '@/lib/statistics/demand';
import { type Replayed, replayLimit, summed } from '@/lib/statistics/refusal-bounds';
import { HOUR, MINUTE, startOf } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

/** What comes before the hour that is counted, to fill the windows. */
export const WARM_UP = HOUR;
export const COUNT_FROM = (WARM_UP / MINUTE) * PARTS;

interface Replay {
  services: Services;
  rules: Rules;
  /** Start of the hour that is counted, and its end. */
  from: Millis;
  to: Millis;
  now: Millis;
  /** Demand that was read already: both client types share theirs with the tiers. */
  read: Map<string, ReturnType<typeof readDemand>>;
}

/** Says what changed policies would have refused of the last hour's traffic. Changes nothing. */
export const dryRunPolicies = implement(contract, async ({ services, now }, { body }): Promise<DryRun> => {
  const stored = await storedPatch(services);
  const before = effectivePolicies(services, stored);
  return replayPolicies(services, now, before, effectivePolicies(services, mergePatch(stored, body)));
});

/** What `after` would have refused of the last hour's traffic in place of `before`. */
export async function replayPolicies(
  services: Services,
  now: Millis,
  before: Policies,
  after: Policies,
): Promise<DryRun> {
  const { database } = services;
  const { limits: touched, others } = changedLimits(before, after);
  const to = startOf(now, MINUTE);
  const from = to - HOUR;
  const replay: Replay = { services, rules: await services.rules.fresh(), from, to, now, read: new Map() };
  const limits: DryRunLimit[] = [];
  for (const limit of touched) {
    const replayed = limit.subject === 'quota' ? quotaLimit(replay, limit) : slidingLimit(replay, limit);
    limits.push(await replayed);
    await setImmediate();
  }
  const points = await decisionSeries(database, from, to, 60);
  const { allowed, refused, degraded, observed } = sumOf(points);
  const first = points.find((point) => point.allowed + point.refused + point.degraded + point.observed > 0);
  return {
    from: toInstant(from),
    to: toInstant(to),
    known_from: first?.start ?? null,
    requests: allowed + refused + degraded + observed,
    refused,
    limits,
    in_force: together(limits.map(({ subject, in_force: refusals }) => ({ subject, refusals }))),
    changed: together(limits.map(({ subject, changed: refusals }) => ({ subject, refusals }))),
    not_replayed: others,
  };
}

function demandOf({ read, services, from, to }: Replay, subject: DemandSubject, scope: EndpointClass | 'all') {
  const name = `${subject}|${scope}`;
  const demand = read.get(name) ?? readDemand(services.database, subject, scope, from - WARM_UP, to);
  read.set(name, demand);
  return demand;
}

async function slidingLimit(replay: Replay, changed: SlidingLimit): Promise<DryRunLimit> {
  const scope = changed.subject === 'client' ? 'all' : changed.class;
  const demand = await demandOf(replay, changed.subject, scope);
  const concerned = [...demand.identifiers].filter(([identifier]) => isConcerned(replay, changed, identifier));
  const before = replayLimit(concerned, changed.before, COUNT_FROM);
  const after = replayLimit(concerned, changed.after, COUNT_FROM);
  return {
    ...answer(replay, changed, before, after),
    requests: concerned.reduce((sum, [, parts]) => sum + counted(parts), 0),
    requests_not_followed: counted(demand.others),
    history_short: Math.max(changed.before.window_seconds, changed.after.window_seconds) * 1_000 > WARM_UP,
  };
}

/** The policies decide nothing for identifiers with an override or an allowlist entry. */
function isConcerned({ rules, now }: Replay, changed: SlidingLimit, identifier: string): boolean {
  if (changed.subject === 'client') {
    const key = rules.key(identifier, now);
    return key !== undefined && changed.tiers.includes(key.tier) && changed.clientTypes.includes(key.clientType);
  }
  if (changed.subject === 'user') {
    return rules.allowedUser(identifier, now) === undefined && !rules.userOverride(identifier, changed.class, now);
  }
  const address = parseRange(identifier)?.first;
  if (address === undefined) return true;
  return rules.allowedAddress(address, now) === undefined && !rules.addressOverride(address, changed.class, now);
}

/**
 * A quota is one number a month: what a key used before the hour is what it has used now, less the hour. Keys that may
 * go over their quota are not concerned.
 */
async function quotaLimit(replay: Replay, changed: QuotaLimit): Promise<DryRunLimit> {
  const demand = await demandOf(replay, 'client', 'all');
  const keys = [...demand.identifiers.keys()].flatMap((id) => {
    const key = replay.rules.key(id, replay.now);
    const strict = key?.tier === changed.tier && !(key.overageAllowed && key.tier !== 'free');
    return key !== undefined && strict ? [key] : [];
  });
  const usages = await quotaUsages(replay.services.counters, replay.rules, keys, replay.now);
  const hour = keys.map((key, index) => {
    const { id } = key;
    const asked = counted(demand.identifiers.get(id) ?? new Float64Array());
    const used = usages[index]?.usage ?? 0;
    const granted = replay.rules.granted(id, replay.now);
    return { id, asked, granted, before: replay.from < startOfMonth(key, replay.now) ? 0 : Math.max(0, used - asked) };
  });
  const over = (limit: number) => {
    const refused = hour.map(
      ({ id, asked, granted, before }) => [id, Math.min(asked, Math.max(0, before + asked - limit - granted))] as const,
    );
    return summed(refused.map(([id, count]) => [id, { atLeast: count, atMost: count }]));
  };
  return {
    ...answer(replay, changed, over(changed.before), over(changed.after)),
    requests: hour.reduce((sum, { asked }) => sum + asked, 0),
    requests_not_followed: counted(demand.others),
    history_short: false,
  };
}

function answer({ rules }: Replay, changed: ChangedLimit, before: Replayed, after: Replayed) {
  const isOfKeys = changed.subject === 'client' || changed.subject === 'quota';
  const nameOf = (id: string) => (isOfKeys ? (rules.keysById.get(id)?.name ?? null) : null);
  return {
    path: changed.path,
    subject: changed.subject,
    class: changed.subject === 'ip' || changed.subject === 'user' ? changed.class : null,
    in_force: before.refusals,
    changed: after.refusals,
    most_refused: after.most.map((most) => ({ ...most, api_key_name: nameOf(most.identifier) })),
  };
}

/** Requests of the hour that is counted. */
export function counted(parts: Float64Array): number {
  return parts.subarray(COUNT_FROM).reduce((sum, requests) => sum + requests, 0);
}

/**
 * What several limits refuse together. One request can be refused by more than one of them, so together they refuse at
 * least as much as the strictest subject does over its classes, and at most all that they refuse apart.
 */
function together(limits: readonly { subject: string; refusals: { at_least: number; at_most: number } }[]) {
  const bySubject = new Map<string, number>();
  let atMost = 0;
  for (const { subject, refusals } of limits) {
    bySubject.set(subject, (bySubject.get(subject) ?? 0) + refusals.at_least);
    atMost += refusals.at_most;
  }
  return { at_least: Math.max(0, ...bySubject.values()), at_most: atMost };
}

type SlidingLimit = { path: string; before: Limit; after: Limit } & (
  | { subject: 'ip' | 'user'; class: EndpointClass }
  | { subject: 'client'; tiers: readonly QuotaTier[]; clientTypes: readonly ClientType[] }
);
type QuotaLimit = { subject: 'quota'; path: string; tier: QuotaTier; before: number; after: number };
/** A limit of the policies that a change touches. */
type ChangedLimit = SlidingLimit | QuotaLimit;

const TIERS = ['free', 'starter', 'business', 'enterprise'] as const satisfies readonly QuotaTier[];
const CLIENT_TYPES = ['public', 'confidential'] as const satisfies readonly ClientType[];

/** What differs between two policies: the limits, and the names of everything else. */
function changedLimits(before: Policies, after: Policies): { limits: ChangedLimit[]; others: string[] } {
  const limits: ChangedLimit[] = [];
  const others: string[] = [];
  for (const name of ENDPOINT_CLASSES) {
    for (const subject of ['ip', 'user'] as const) {
      const pair = { before: before.classes[name][subject], after: after.classes[name][subject] };
      if (differ(pair)) limits.push({ subject, path: `classes.${name}.${subject}`, class: name, ...pair });
    }
    for (const other of ['on_store_failure', 'lease'] as const) {
      if (before.classes[name][other] !== after.classes[name][other]) others.push(`classes.${name}.${other}`);
    }
  }
  limits.push(...changedClientLimits(before, after));
  for (const tier of TIERS) {
    const pair = { before: before.tiers[tier], after: after.tiers[tier] };
    if (pair.before !== pair.after) limits.push({ subject: 'quota', path: `tiers.${tier}`, tier, ...pair });
  }
  if (differ({ before: before.global, after: after.global })) others.push('global');
  if (before.exceptions.longest_days !== after.exceptions.longest_days) others.push('exceptions.longest_days');
  return { limits, others };
}

/** A key counts under the rate of its tier, where that has one, else under the limit of its type. */
function changedClientLimits(before: Policies, after: Policies): ChangedLimit[] {
  const isRated = (tier: QuotaTier) => [before, after].some(({ tier_rates: rates }) => rates[tier] !== null);
  const limitsOf = (
    path: string,
    clientType: ClientType,
    tiers: readonly QuotaTier[],
    tier?: QuotaTier,
  ): ChangedLimit[] => {
    const key = tier === undefined ? null : { tier };
    const pair = { before: clientLimit(before, clientType, key), after: clientLimit(after, clientType, key) };
    return differ(pair) ? [{ subject: 'client', path, tiers, clientTypes: [clientType], ...pair }] : [];
  };
  const unrated = TIERS.filter((tier) => !isRated(tier));
  return CLIENT_TYPES.flatMap((type) => [
    ...limitsOf(`clients.${type}`, type, unrated),
    ...TIERS.filter(isRated).flatMap((tier) => limitsOf(`tier_rates.${tier}`, type, [tier], tier)),
  ]);
}

function differ({ before, after }: { before: Limit; after: Limit }): boolean {
  return before.limit !== after.limit || before.window_seconds !== after.window_seconds;
}
