import { COUNT_FROM, LastHourDemand, sumLastHour, WARM_UP } from '@/lib/admin/effect/last-hour';
import { listPolicyLimits } from '@/lib/admin/effect/met-limits';
import { describeCosts } from '@/lib/admin/effect/unpayable-costs';
import { readQuotaUsages } from '@/lib/admin/keys/usage';
import {
  type ChangedLimit,
  findChangedLimits,
  type QuotaLimit,
  type SlidingLimit,
  TIERS,
} from '@/lib/admin/policies/changed-limits';
import { computeEffectivePolicies, readStoredPatch } from '@/lib/admin/policies/in-force';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { type Limit, mergePatch, type Policies } from '@/lib/contract/policies';
import { dryRunPolicies as contract, type DryRun, type DryRunLimit } from '@/lib/contract/policies-dry-run';
import type { QuotaUsage } from '@/lib/contract/quota';
import { scaleLimit } from '@/lib/enforcement/incident';
import { findMonthStart } from '@/lib/enforcement/quota-counter';
import type { KeyRecord, OverrideRecord, Rules } from '@/lib/enforcement/rules';
import { parseRange } from '@/lib/limiter/address';
import { isOfApiKeys } from '@/lib/limiter/meter';
import { implement } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';
import { readSeries, sumCounts } from '@/lib/statistics/decision-series';
import { type Replayed, replayLimit, sumBounds } from '@/lib/statistics/refusal-bounds';
import { findStart } from '@/lib/statistics/step';
import { takeTurn } from '@/lib/take-turn';
import { HOUR, MINUTE, type Millis } from '@/lib/units';

/** Most keys of a tier whose usage is read. */
const MOST_KEYS = 10_000;

/** Factors that two incidents apply to all limits of windows. 1 without an incident. */
interface Factors {
  before: number;
  after: number;
}

interface Replay {
  services: Services;
  rules: Rules;
  /** Start of the counted hour. `to` is its end. */
  from: Millis;
  to: Millis;
  now: Millis;
  /** Null if the policies change. */
  factors: Factors | null;
  /** Both client types share it with the tiers. */
  demand: LastHourDemand;
}

/** Replays the last hour's traffic under changed policies, and reports the refusals. Changes nothing. */
export const dryRunPolicies = implement(contract, async ({ services, now }, { body }): Promise<DryRun> => {
  const stored = await readStoredPatch(services);
  const before = computeEffectivePolicies(services, stored);
  const after = computeEffectivePolicies(services, mergePatch(stored, body));
  const run = await replayPolicies(services, now, before, after);
  const warning = describeCosts(await services.rules.readFresh(), now, listPolicyLimits(after));
  return warning === null ? run : { ...run, warning };
});

/** Replays the last hour's traffic under two policies, and compares the refusals. */
export function replayPolicies(services: Services, now: Millis, before: Policies, after: Policies): Promise<DryRun> {
  return replayLimits(services, now, findChangedLimits(before, after), null);
}

/** Replays the last hour's traffic under the factors of two incidents, which also scale overrides. */
export async function replayFactors(services: Services, now: Millis, factors: Factors): Promise<DryRun> {
  const { policies } = await services.rules.readFresh();
  const [before, after] = [scalePolicies(policies, factors.before), scalePolicies(policies, factors.after)];
  return replayLimits(
    services,
    now,
    findChangedLimits(before, after, () => true),
    factors,
  );
}

/** Scales the limits of windows by a factor, as decisions do. */
function scalePolicies(policies: Policies, factor: number): Policies {
  const scaled = structuredClone(policies);
  const { classes, clients, tier_rates: rates } = scaled;
  for (const limit of [...Object.values(classes).flatMap(({ ip, user }) => [ip, user]), ...Object.values(clients)]) {
    limit.limit = scaleLimit(limit.limit, factor);
  }
  for (const tier of TIERS) rates[tier] = rates[tier] === null ? null : scaleLimit(rates[tier], factor);
  return scaled;
}

async function replayLimits(
  services: Services,
  now: Millis,
  { limits: touched, others }: ReturnType<typeof findChangedLimits>,
  factors: Factors | null,
): Promise<DryRun> {
  const { database } = services;
  const to = findStart(now, MINUTE);
  const from = to - HOUR;
  const demand = new LastHourDemand({ services, now });
  const replay: Replay = { services, rules: await services.rules.readFresh(), from, to, now, factors, demand };
  const limits: DryRunLimit[] = [];
  for (const limit of touched) {
    const effect = limit.subject === 'quota' ? replayQuotaLimit(replay, limit) : replaySlidingLimit(replay, limit);
    limits.push(await effect);
    await takeTurn();
  }
  const points = await readSeries(database, from, to, 60);
  const { allowed, refused, degraded, observed } = sumCounts(points);
  const first = points.find((point) => point.allowed + point.refused + point.degraded + point.observed > 0);
  return {
    from: formatTimestamp(from),
    to: formatTimestamp(to),
    known_from: first?.start ?? null,
    requests: allowed + refused + degraded + observed,
    refused,
    limits,
    in_force: boundTogether(limits.map(({ subject, in_force: refusals }) => ({ subject, refusals }))),
    changed: boundTogether(limits.map(({ subject, changed: refusals }) => ({ subject, refusals }))),
    not_replayed: others,
  };
}

async function replaySlidingLimit(replay: Replay, changed: SlidingLimit): Promise<DryRunLimit> {
  const scope = changed.subject === 'client' ? 'all' : changed.class;
  const demand = await replay.demand.read(changed.subject, scope);
  const limits = new Map([...demand.identifiers.keys()].map((id) => [id, findLimits(replay, changed, id)]));
  const concerned = [...demand.identifiers].filter(([identifier]) => limits.get(identifier) != null);
  const replayRequests = (which: 'before' | 'after') =>
    replayLimit(concerned, (identifier) => limits.get(identifier)?.[which] ?? changed[which], COUNT_FROM);
  const [before, after] = [replayRequests('before'), replayRequests('after')];
  return {
    ...answer(replay, changed, before, after),
    requests: concerned.reduce((sum, [, parts]) => sum + sumLastHour(parts), 0),
    requests_not_followed: sumLastHour(demand.others),
    history_short: Math.max(changed.before.window_seconds, changed.after.window_seconds) * 1_000 > WARM_UP,
  };
}

/** Finds the limits of an identifier before and after the change. Null if the change does not affect it. */
function findLimits({ rules, now, factors }: Replay, changed: SlidingLimit, identifier: string) {
  if (changed.subject === 'client') {
    const key = rules.findKeyById(identifier, now);
    const isOfIt =
      key !== undefined && changed.tiers.includes(key.tier) && changed.clientTypes.includes(key.clientType);
    return isOfIt ? changed : null;
  }
  if (changed.subject === 'user') {
    if (rules.findAllowedUser(identifier, now) !== undefined) return null;
    return scaleOverride(changed, rules.findUserOverride(identifier, changed.class, now), factors);
  }
  const address = parseRange(identifier)?.first;
  if (address === undefined) return changed;
  if (rules.findAllowedAddress(address, now) !== undefined) return null;
  return scaleOverride(changed, rules.findAddressOverride(address, changed.class, now), factors);
}

/** Scales an override by the factors. Null if the policies change, because an override replaces them. */
function scaleOverride(changed: SlidingLimit, override: OverrideRecord | undefined, factors: Factors | null) {
  if (override === undefined) return changed;
  if (factors === null) return null;
  const { limit, windowSeconds: window_seconds } = override;
  const scaleByFactor = (factor: number): Limit => ({ limit: scaleLimit(limit, factor), window_seconds });
  return { before: scaleByFactor(factors.before), after: scaleByFactor(factors.after) };
}
/**
 * Replays a quota, which is one number a month. The usage before the hour is the current usage minus the hour.
 * Skips keys with overage.
 */
async function replayQuotaLimit(replay: Replay, changed: QuotaLimit): Promise<DryRunLimit> {
  const demand = await replay.demand.read('client', 'all');
  const strict = [...replay.rules.keysById.values()].filter(
    ({ id, tier, overageAllowed }) =>
      tier === changed.tier &&
      !(overageAllowed && tier !== 'free') &&
      replay.rules.findKeyById(id, replay.now) !== undefined,
  );
  // Keys with requests in the hour come first, so that the cut drops only keys without any.
  const asking = strict.filter(({ id }) => demand.identifiers.has(id));
  const keys = [...asking, ...strict.filter(({ id }) => !demand.identifiers.has(id))].slice(0, MOST_KEYS);
  const usages = await readQuotaUsages(replay.services.counters, replay.rules, keys, replay.now);
  const hour = keys.map((key, index) => {
    const { id } = key;
    const asked = sumLastHour(demand.identifiers.get(id) ?? new Float64Array());
    const used = usages[index]?.usage ?? 0;
    const granted = replay.rules.sumGrants(id, replay.now);
    return {
      id,
      asked,
      granted,
      before: replay.from < findMonthStart(key, replay.now) ? 0 : Math.max(0, used - asked),
    };
  });
  const computeRefusalsUnder = (limit: number) => {
    const refused = hour.map(
      ({ id, asked, granted, before }) => [id, Math.min(asked, Math.max(0, before + asked - limit - granted))] as const,
    );
    return sumBounds(refused.map(([id, count]) => [id, { atLeast: count, atMost: count }]));
  };
  return {
    ...answer(replay, changed, computeRefusalsUnder(changed.before), computeRefusalsUnder(changed.after)),
    requests: hour.reduce((sum, { asked }) => sum + asked, 0),
    requests_not_followed: sumLastHour(demand.others),
    history_short: false,
    used_up: countExhaustedKeys(changed, keys, usages, replay, strict.length - keys.length),
  };
}

/** Counts the keys that are refused until their month ends, even without requests in the last hour. */
function countExhaustedKeys(
  changed: QuotaLimit,
  keys: readonly KeyRecord[],
  usages: readonly QuotaUsage[],
  { rules, now }: Replay,
  leftOut: number,
): DryRunLimit['used_up'] {
  const findExhaustedKeys = (limit: number) =>
    keys.flatMap(({ id, name }, index) => {
      const left = limit + rules.sumGrants(id, now) - (usages[index]?.usage ?? 0);
      return left <= 0 ? [{ name, left }] : [];
    });
  const after = findExhaustedKeys(changed.after).sort((a, b) => a.left - b.left);
  return {
    ...{
      keys: keys.length,
      keys_left_out: leftOut,
      in_force: findExhaustedKeys(changed.before).length,
      changed: after.length,
    },
    most: after.slice(0, 10).map(({ name }) => name),
  };
}

function answer({ rules }: Replay, changed: ChangedLimit, before: Replayed, after: Replayed) {
  const findKeyName = (id: string) => (isOfApiKeys(changed.subject) ? (rules.keysById.get(id)?.name ?? null) : null);
  return {
    path: changed.path,
    subject: changed.subject,
    class: changed.subject === 'ip' || changed.subject === 'user' ? changed.class : null,
    in_force: before.refusals,
    changed: after.refusals,
    most_refused: after.most.map((most) => ({ ...most, api_key_name: findKeyName(most.identifier) })),
  };
}

/**
 * Bounds the refusals of several limits together.
 * Several limits can refuse the same request. The minimum is the sum over the classes of the strictest subject; the
 * maximum is the sum of all limits.
 */
function boundTogether(limits: readonly { subject: string; refusals: { at_least: number; at_most: number } }[]) {
  const bySubject = new Map<string, number>();
  let atMost = 0;
  for (const { subject, refusals } of limits) {
    bySubject.set(subject, (bySubject.get(subject) ?? 0) + refusals.at_least);
    atMost += refusals.at_most;
  }
  return { at_least: Math.max(0, ...bySubject.values()), at_most: atMost };
}
