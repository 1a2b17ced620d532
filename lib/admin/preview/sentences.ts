import type { DryRun, DryRunLimit as Limit } from '@/lib/contract/policies-dry-run';
import type { QuotaUsage } from '@/lib/contract/quota';
import type { DecisionCounts } from '@/lib/statistics/decision-series';

const MOST_NAMED = 3;

/** A number as people read it. */
export const words = (count: number) => count.toLocaleString('en');
const unitsOf = (count: number) => `${words(count)} ${count === 1 ? 'unit' : 'units'}`;
const span = ({ at_least: least, at_most: most }: DryRun['changed']) =>
  least === most ? words(least) : `${words(least)} to ${words(most)}`;

/** What changed policies would have refused of the last hour's traffic: a sentence for each limit that would differ. */
export function replaySentence({ limits, not_replayed: others }: DryRun): string {
  const used = limits.filter((limit) => limit.requests + limit.requests_not_followed > 0);
  const differing = used.filter(({ in_force: today, changed }) => span(today) !== span(changed));
  const told = [...differing, ...used.filter((limit) => !differing.includes(limit))];
  const rest = told.slice(MOST_NAMED).map(({ path }) => path);
  return [
    ...told.slice(0, MOST_NAMED).map(sentenceOf),
    ...(rest.length === 0 ? [] : [`Not told here: ${rest.join(', ')}.`]),
    ...(limits.length > 0 && used.length === 0 ? ['In the last hour no request counted against what changes.'] : []),
    ...(others.length === 0 ? [] : [`Not replayed: ${others.join(', ')}.`]),
  ].join(' ');
}

function sentenceOf({ path, requests, requests_not_followed: unknown, in_force: today, changed, most_refused }: Limit) {
  const named = most_refused.slice(0, MOST_NAMED).map(({ identifier, api_key_name: name }) => name ?? identifier);
  return [
    `${path}: the last hour's requests cost ${unitsOf(requests)}, of which it would have refused ${span(changed)}`,
    named.length === 0 ? '' : ` (most of ${named.join(', ')})`,
    `; today's limit: ${span(today)}.`,
    unknown === 0 ? '' : ` Unknown for ${unitsOf(unknown)} more, of callers with few requests.`,
  ].join('');
}

/** What all limits times a factor would have refused of the last hour's traffic. */
export function factorSentence(run: DryRun): string {
  const used = run.limits.filter((limit) => limit.requests + limit.requests_not_followed > 0);
  const limits = used.filter(({ in_force: today, changed }) => span(today) !== span(changed));
  if (limits.length > 0) return replaySentence({ ...run, limits });
  if (used.length === 0) return 'In the last hour no request counted against a limit.';
  const isKnown = used.every((limit) => limit.requests_not_followed === 0);
  return `Of the last hour's requests it would have refused as many as today's limits.${isKnown ? '' : ' Unknown for callers with few requests.'}`;
}

/** Limits that refuse nobody. @param decided in the last hour */
export function observeSentence({ refused, reasons }: Pick<DecisionCounts, 'refused' | 'reasons'>): string {
  const others = (reasons.invalid_api_key ?? 0) + (reasons.service_unavailable ?? 0);
  const count = refused - others;
  if (count === 0) return 'In the last hour no limit and no quota refused a request.';
  return `${requestsOf(count)} that limits and quotas refused in the last hour would have been let through.`;
}

/** Limits that refuse again. @param observed requests of the last hour */
export function letThroughSentence(observed: number): string {
  if (observed === 0) return 'In the last hour nothing was let through that limits and quotas refuse.';
  return `${requestsOf(observed)} that ${observed === 1 ? 'was' : 'were'} only observed in the last hour would have been refused.`;
}

/** Writes that are refused. @param classes of each the last hour's requests, and who sent most */
export function readOnlySentence(classes: readonly { class: string; requests: number; most: string[] }[]): string {
  const used = classes.filter(({ requests }) => requests > 0);
  if (used.length === 0) return 'In the last hour there was no request of the classes write and sensitive.';
  const parts = used.map(({ class: name, requests, most }) => {
    const named = most.slice(0, MOST_NAMED).join(', ');
    return `up to ${words(requests)} of the class ${name}${named === '' ? '' : ` (most of ${named})`}`;
  });
  return `Of the last hour's requests it would have refused ${parts.join(' and ')}: all but those that only read.`;
}

const requestsOf = (count: number) => `${words(count)} ${count === 1 ? 'request' : 'requests'}`;

/** What another limit would have refused of those that it is for. @param units what their requests cost */
export function limitSentence(units: number, today: DryRun['changed'], changed: DryRun['changed']): string {
  if (units === 0) return 'In the hour up to the last whole minute nobody that it is for has asked.';
  return `The last hour's requests that it is for cost ${unitsOf(units)}, of which it would have refused ${span(changed)}; today's limit: ${span(today)}.`;
}

export const CLOSED_SENTENCE = 'Every request of it in this class is refused.';

/** A key that has used more than it may. */
export function usedUpSentence(usage: number, limit: number): string {
  return `It has used ${words(usage)} of the ${words(limit)} requests a month that it may then make: the next is refused.`;
}

/**
 * A month that ends at another time, with what it has counted.
 * @param usage null while the counter store is down @param unlimited whether it may go over its quota
 */
export function movedMonthSentence(
  today: string,
  end: string,
  usage: Pick<QuotaUsage, 'usage' | 'limit'> | null,
  unlimited: boolean,
): string {
  const ends = `Its running month ends at ${end}, instead of ${today}`;
  if (usage === null) return `${ends}; what it has used stays counted until then.`;
  const counted = `${words(usage.usage)} of its ${words(usage.limit)} requests are used and stay counted until then`;
  return `${ends}; ${counted}${usage.usage < usage.limit || unlimited ? '' : ', so it is refused until then'}.`;
}

/** A credential that ends. @param lastUse null where it was never used */
export function revocationSentence(lastUse: string | null): string {
  return lastUse === null ? 'It was never used.' : `Requests with it get 401; it was last used at ${lastUse}.`;
}

/** A key with the name of one that was revoked. */
export function returnSentence(revokedAt: string): string {
  return `A key of this name was revoked at ${revokedAt}; this is another one, with a secret of its own.`;
}

/** An allowlist entry that ends. @param bypassed requests in the log of the last hour, which may hold a part of them */
export function endOfBypassSentence(bypassed: number): string {
  if (bypassed === 0) return 'No request in the last hour passed by it.';
  return `At least ${requestsOf(bypassed)} of the last hour passed by it; the limits would hold.`;
}
