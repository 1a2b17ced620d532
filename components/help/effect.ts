import type { DecisionExplanation } from '@/lib/contract/explain';

type RefusingSubject = DecisionExplanation['refused_by'][number];
type LimitedSubject = DecisionExplanation['subjects'][number]['subject'];

/** A change that might help, reduced to what affects the decision. */
export type HelpfulChange =
  | { kind: 'reset'; subject: LimitedSubject; limit_name?: string }
  | { kind: 'limit'; subject: LimitedSubject; limit: number }
  | { kind: 'bypass' }
  | { kind: 'quota'; more: number };

export interface ForeseenDecision {
  /** Predicted outcome. Null if the counters cannot be read. */
  allowed: boolean | null;
  /** Subjects that would still refuse the next request. */
  refusedBy: readonly RefusingSubject[];
}

/** Predicts the answer to the next such request after the change, from the current explanation. */
export function predictEffect(explanation: DecisionExplanation, change: HelpfulChange): ForeseenDecision {
  const { subjects, quota, cost, api_key: key, store } = explanation;
  if (!store.available) return { allowed: null, refusedBy: [] };
  const bypassed = change.kind === 'bypass' || subjects.some(({ bypass }) => bypass !== null);
  const refusedBy: RefusingSubject[] = [];
  let unknown = false;
  for (const { subject, limit, used, cost: own, limit_name: name } of bypassed ? [] : subjects) {
    const changed = 'subject' in change && change.subject === subject ? change : null;
    const concerned = changed !== null && (changed.kind === 'limit' || changed.limit_name === name);
    const after = {
      used: concerned && change.kind === 'reset' ? 0 : used,
      limit: concerned && change.kind === 'limit' ? change.limit : limit,
    };
    if (after.used === null) unknown = true;
    else if (after.used + own > after.limit && !refusedBy.includes(subject)) refusedBy.push(subject);
  }
  if (quota !== null) {
    const limit = quota.limit + (change.kind === 'quota' ? change.more : 0);
    if (quota.used === null) unknown = true;
    else if (quota.refuses && quota.used + cost > limit) refusedBy.push('quota');
  }
  const valid = key === null || key.valid;
  return { allowed: refusedBy.length > 0 || !valid ? false : unknown ? null : true, refusedBy };
}

const BY: Record<RefusingSubject, string> = {
  ip: 'the limit of the address',
  client: 'the limit of the client',
  user: 'the limit of the user',
  limit: 'a named limit',
  quota: 'the quota of the key',
};

/** Describes a prediction: `the next request would be allowed`. */
export function describeEffect({ allowed, refusedBy }: ForeseenDecision): string {
  if (allowed === null) return 'the counters cannot be read, so the effect is unknown';
  if (allowed) return 'the next request would be allowed';
  if (refusedBy.length === 0) return 'the next request would still be refused, because its API key is not valid';
  return `the next request would still be refused, by ${refusedBy.map((subject) => BY[subject]).join(' and ')}`;
}
