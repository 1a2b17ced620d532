import type { DryRun } from '@/lib/contract/policies-dry-run';

const MOST_NAMED = 3;

const words = (count: number) => count.toLocaleString('en');
const span = ({ at_least: least, at_most: most }: DryRun['changed']) =>
  least === most ? words(least) : `${words(least)} to ${words(most)}`;

/** What other policies would have refused of the last hour's traffic. */
export function replaySentence({ requests, in_force: today, changed, limits, not_replayed: others }: DryRun): string {
  const hit = limits.flatMap(({ most_refused: most }) => most.map(({ identifier }) => identifier));
  const named = [...new Set(hit)].slice(0, MOST_NAMED).join(', ');
  return [
    `Of the last hour's ${words(requests)} requests it would have refused ${span(changed)}`,
    ` (the limits in force: ${span(today)})`,
    named === '' ? '' : `, most of them from ${named}`,
    '.',
    others.length === 0 ? '' : ` Not replayed: ${others.join(', ')}.`,
  ].join('');
}

/** What another limit would have refused of those that it is for. */
export function limitSentence(requests: number, today: DryRun['changed'], changed: DryRun['changed']): string {
  if (requests === 0) return 'In the hour up to the last whole minute nobody that it is for has asked.';
  return `Of the last hour's ${words(requests)} requests that it is for, it would have refused ${span(changed)} (the limit in force: ${span(today)}).`;
}

export const CLOSED_SENTENCE = 'Every request of it in this class is refused.';

/** A key that has used more than it may. */
export function usedUpSentence(usage: number, limit: number): string {
  return `It has used ${words(usage)} of the ${words(limit)} requests a month that it may then make: the next is refused.`;
}

/** A credential that ends. @param lastUse null where it was never used */
export function revocationSentence(lastUse: string | null): string {
  return lastUse === null ? 'It was never used.' : `Requests with it get 401; it was last used at ${lastUse}.`;
}

/** An allowlist entry that ends. @param bypassed requests in the log of the last hour, which may hold a part of them */
export function endOfBypassSentence(bypassed: number): string {
  if (bypassed === 0) return 'No request in the last hour passed by it.';
  return `At least ${words(bypassed)} ${bypassed === 1 ? 'request' : 'requests'} of the last hour passed by it; the limits would hold.`;
}
