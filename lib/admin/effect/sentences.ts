import type { DryRun, DryRunLimit as Limit, Refusals } from '@/lib/contract/policies-dry-run';
import type { QuotaUsage } from '@/lib/contract/quota';
import { formatCount, formatNumber } from '@/lib/format-number';
import type { DecisionCounts } from '@/lib/statistics/decision-series';
import type { Replayed } from '@/lib/statistics/refusal-bounds';

const MOST_NAMED = 3;

/** Joins the sentences that are not null. Null if all are. */
export function joinSentences(...sentences: readonly (string | null)[]): string | null {
  return sentences.filter((sentence) => sentence !== null).join(' ') || null;
}

const formatBounds = ({ at_least: least, at_most: most }: DryRun['changed']) =>
  least === most ? formatNumber(least) : `${formatNumber(least)} to ${formatNumber(most)}`;

/** Describes the refusals of the last hour under changed policies, with one sentence for each limit that differs. */
export function formatReplay({ limits, not_replayed: others }: DryRun): string {
  const used = limits.filter(isUsed);
  const differing = used.filter(
    (limit) => formatBounds(limit.in_force) !== formatBounds(limit.changed) || describeExhaustedKeys(limit) !== '',
  );
  const ordered = [...differing, ...used.filter((limit) => !differing.includes(limit))];
  const rest = ordered.slice(MOST_NAMED).map(({ path }) => path);
  return [
    ...ordered.slice(0, MOST_NAMED).map(describeLimit),
    ...(rest.length === 0 ? [] : [`Not described here: ${rest.join(', ')}.`]),
    ...(limits.length > 0 && used.length === 0 ? ['In the last hour no request counted against what changes.'] : []),
    ...(others.length === 0 ? [] : [`Not replayed: ${others.join(', ')}.`]),
  ].join(' ');
}

const isUsed = (limit: Limit) =>
  limit.requests + limit.requests_not_followed > 0 || describeExhaustedKeys(limit) !== '';

function describeLimit(limit: Limit) {
  const { path, requests, requests_not_followed: unknown, in_force, changed, most_refused: most } = limit;
  const names = most.map(({ identifier, api_key_name: name }) => name ?? identifier);
  return [
    `${path}: refuses ${describeRefusals(requests, in_force, changed, names)}.`,
    describeExhaustedKeys(limit),
    unknown === 0 ? '' : ` Unknown for ${formatCount(unknown, 'unit')} more, of callers with few requests.`,
  ].join('');
}

/** Names keys that exhaust a changed quota. Empty if their number stays the same. */
function describeExhaustedKeys({ used_up: used }: Limit): string {
  if (used === undefined || used.changed === used.in_force) return '';
  const keys = `${formatNumber(used.changed)} instead of ${formatNumber(used.in_force)} keys`;
  const callers = used.changed === 0 ? '' : `: ${listFirstNames(used.most, used.changed)}`;
  const others = used.keys_left_out === 0 ? '' : ` Unknown for ${formatNumber(used.keys_left_out)} keys more.`;
  return ` Refused until their month ends: ${keys}${callers}.${others}`;
}

/**
 * Formats refusals: "60 to 80 instead of 0 of 210 units in the last hour: 203.0.113.7, 203.0.113.9 and 5 others", or "0
 * of 210 units in the last hour, as now".
 */
function describeRefusals(units: number, today: Refusals, changed: Refusals, names: readonly string[]): string {
  const callers = changed.identifiers.at_most === 0 ? '' : `: ${listFirstNames(names, changed.identifiers.at_most)}`;
  const [then, now] = [formatBounds(changed), formatBounds(today)];
  const ofUnits = `of ${formatCount(units, 'unit')} in the last hour`;
  return then === now ? `${then} ${ofUnits}, as now${callers}` : `${then} instead of ${now} ${ofUnits}${callers}`;
}

/** Lists up to three names. Of more names it lists two and the number of the others. */
export function listFirstNames(names: readonly string[], count: number): string {
  const listed = count <= MOST_NAMED ? names.slice(0, MOST_NAMED) : names.slice(0, MOST_NAMED - 1);
  const others = Math.max(0, count - listed.length);
  const parts = others === 0 ? listed : [...listed, formatCount(others, 'other')];
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** Describes the refusals of the last hour if a factor scaled all limits. */
export function formatFactorRefusals(run: DryRun): string {
  const used = run.limits.filter((limit) => limit.requests + limit.requests_not_followed > 0);
  const limits = used.filter(({ in_force: today, changed }) => formatBounds(today) !== formatBounds(changed));
  if (limits.length > 0) return formatReplay({ ...run, limits });
  if (used.length === 0) return 'In the last hour no request counted against a limit.';
  const isKnown = used.every((limit) => limit.requests_not_followed === 0);
  return `It would have refused as many of the last hour's requests as today's limits.${isKnown ? '' : ' Unknown for callers with few requests.'}`;
}

/** Counts the refusals that observing would have let through. @param decided counts of the last hour */
export function formatObservable({ refused, reasons }: Pick<DecisionCounts, 'refused' | 'reasons'>): string {
  const others = (reasons.invalid_api_key ?? 0) + (reasons.service_unavailable ?? 0);
  const count = refused - others;
  if (count === 0) return 'In the last hour no limit and no quota refused a request.';
  return `${formatCount(count, 'request')} that limits and quotas refused in the last hour would have been let through.`;
}

/** Counts the observed requests that limits would have refused. @param observed number of requests in the last hour */
export function formatObserved(observed: number): string {
  if (observed === 0) return 'In the last hour nothing was let through that limits and quotas refuse.';
  return `${formatCount(observed, 'request')} that ${observed === 1 ? 'was' : 'were'} only observed in the last hour would have been refused.`;
}

/**
 * Says which writes a read-only incident would refuse.
 * @param classes requests of the last hour, and their top senders
 */
export function readOnlySentence(classes: readonly { class: string; requests: number; most: string[] }[]): string {
  const used = classes.filter(({ requests }) => requests > 0);
  if (used.length === 0) return 'In the last hour there was no request of the classes write and sensitive.';
  const parts = used.map(({ class: name, requests, most }) => {
    const named = most.slice(0, MOST_NAMED).join(', ');
    return `up to ${formatNumber(requests)} of the class ${name}${named === '' ? '' : ` (most of ${named})`}`;
  });
  return `Of the last hour's requests it would have refused ${parts.join(' and ')}: all but those that only read.`;
}

/** Describes the refusals of the last hour under another limit. @param units cost of their requests in the last hour */
export function formatLimitRefusals(units: number, today: Refusals, changed: Replayed): string {
  if (units === 0) return 'In the last hour it applied to no request.';
  const names = changed.most.map(({ identifier }) => identifier);
  return `Refuses ${describeRefusals(units, today, changed.refusals, names)}.`;
}

export const CLOSED_SENTENCE = 'Every request of it in this class is refused.';

/** Formats a date in UTC: "1 Dec". */
const formatDay = (timestamp: string) =>
  new Date(timestamp).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Says that a key has exhausted a new limit. @param until end of its month */
export function formatExhaustedLimit(usage: number, limit: number, until: string): string {
  const over = usage - limit;
  const what =
    over === 0
      ? `All ${formatNumber(limit)} requests of the new limit are used`
      : `${formatCount(over, 'request')} over the new limit`;
  return `${what}: refused until ${formatDay(until)}.`;
}

/** Describes the refusals of the last hour under another rate limit of a key. Null if it makes no difference. */
export function formatRateRefusals(units: number, today: Refusals, changed: Refusals): string | null {
  if (formatBounds(today) === formatBounds(changed)) return null;
  return `Its rate limit refuses ${formatBounds(changed)} instead of ${formatBounds(today)} of ${formatCount(units, 'unit')} in the last hour.`;
}

/**
 * States the end of a moved month, and its usage.
 * @param usage null while the counter store is down
 * @param unlimited whether the key may exceed its quota
 */
export function formatMovedMonth(
  today: string,
  end: string,
  usage: Pick<QuotaUsage, 'usage' | 'limit'> | null,
  unlimited: boolean,
): string {
  const ends = `Its running month ends at ${end}, instead of ${today}`;
  if (usage === null) return `${ends}; what it has used stays counted until then.`;
  const counted = `${formatNumber(usage.usage)} of its ${formatNumber(usage.limit)} requests are used and stay counted until then`;
  return `${ends}; ${counted}${usage.usage < usage.limit || unlimited ? '' : ', so it is refused until then'}.`;
}

/** Describes the refusals of logged requests that change class or cost. The log does not hold allowed requests. */
export function formatMovedRequests({ atLeast, names }: { atLeast: number; names: readonly string[] }): string {
  if (atLeast === 0)
    return 'Their limits then refuse none of these; allowed ones are not in the log and may be refused.';
  return `Their limits then refuse at least ${formatCount(atLeast, 'unit')} of these: ${listFirstNames(names, names.length)}; allowed ones are not in the log and may be refused too.`;
}

/**
 * Describes the effect of ending an allowlist entry. The log may hold only some of its requests.
 * @param passed number of requests that it let pass in the last hour
 * @param refused those that the limits would have refused, in units
 */
export function formatBypassEnd(passed: number, refused: { atLeast: number; names: readonly string[] }): string {
  if (passed === 0) return 'No request in the last hour bypassed limits by it.';
  const callers = refused.atLeast === 0 ? '' : `: ${listFirstNames(refused.names, refused.names.length)}`;
  const limits = `the limits refuse ${refused.atLeast === 0 ? 'none' : `at least ${formatNumber(refused.atLeast)}`} of them`;
  return `At least ${formatCount(passed, 'request')} of the last hour bypassed limits by it; ${limits}${callers}.`;
}

/** Other exemptions for the callers of an allowlist entry or an override. */
export interface Overlaps {
  /** Most specific allowlist entry that includes its callers. For an allowlist entry it is a wider one. */
  coveredBy: string | null;
  /** Most specific override of its class for a wider range. */
  within: string | null;
  /** Exemptions of its kind for narrower ranges, and the names of the first ones. */
  covers: { count: number; names: readonly string[] };
}

/**
 * Describes which callers a new allowlist entry lets pass, by the limited traffic of the last hour.
 * @param callers the callers that it concerns, with their requests by cost
 * @param about `unknown` is the cost of callers that are not counted one by one; `size` is null for a single caller
 */
export function formatAdmission(
  callers: readonly { identifier: string; units: number; refused: number }[],
  { unknown, size, overlaps }: { unknown: number; size: string | null; overlaps: Overlaps },
): string {
  const [units, refused] = (['units', 'refused'] as const).map((part) =>
    callers.reduce((sum, caller) => sum + caller[part], 0),
  );
  const names = [...callers].sort((a, b) => b.units - a.units).map(({ identifier }) => identifier);
  const named = size === null ? '' : `: ${listFirstNames(names, names.length)}`;
  const passed = formatNumber(units ?? 0);
  const traffic =
    callers.length === 0
      ? `In the last hour no limited request came from ${size === null ? 'it' : 'there'}.`
      : `Of the last hour's requests, ${passed} would pass without a limit; ${formatNumber(refused ?? 0)} of them ${refused === 1 ? 'was' : 'were'} refused${named}.`;
  return [
    ...(size === null ? [] : [`It covers ${size}.`]),
    traffic,
    ...(unknown === 0 ? [] : [`Unknown for ${formatCount(unknown, 'request')} more, of callers with few requests.`]),
    ...(overlaps.coveredBy === null
      ? []
      : [`It is within the entry ${overlaps.coveredBy}, which lets the same requests pass.`]),
    ...(overlaps.covers.count === 0
      ? []
      : [
          `It includes ${formatCount(overlaps.covers.count, 'narrower entry', 'narrower entries')}: ${listFirstNames(overlaps.covers.names, overlaps.covers.count)}.`,
        ]),
  ].join(' ');
}

/** Describes which other exemptions apply to the callers of an override. Null if there are none. */
export function formatOverrideOverlaps({ coveredBy, within, covers }: Overlaps): string | null {
  return joinSentences(
    coveredBy === null ? null : `The allowlist entry ${coveredBy} includes it, so it has no effect until that ends.`,
    within === null ? null : `It takes precedence over the override of ${within}.`,
    covers.count === 0
      ? null
      : `${formatCount(covers.count, 'narrower override takes', 'narrower overrides take')} precedence over it: ${listFirstNames(covers.names, covers.count)}.`,
  );
}

/**
 * Describes what a grant changes at once.
 * @param quota the key's usage and limit without the grant; null while the counter store is down
 * @param refused requests of the last hour that the quota refused, from the log
 */
export function formatGrant(
  quota: Pick<QuotaUsage, 'usage' | 'limit'> | null,
  requests: number,
  refused: number,
): string {
  const passed =
    refused === 0
      ? 'Its quota refused no request in the last hour.'
      : `Its quota refused at least ${formatCount(refused, 'request')} in the last hour; such requests pass until the grant is used up.`;
  if (quota === null) return passed;
  const [left, after] = [quota.limit - quota.usage, quota.limit + requests - quota.usage].map((count) =>
    Math.max(0, count),
  );
  return `${passed} It has ${formatNumber(after ?? 0)} instead of ${formatNumber(left ?? 0)} requests left.`;
}
