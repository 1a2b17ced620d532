import { rebuildRequest } from '@/components/links/explain-question';
import { formatQuestion, buildExplainHref as questionHref } from '@/components/links/question-url';
import type { LimitedIdentity } from '@/components/links/target';
import type { LoggedDecision } from '@/lib/contract/decisions';
import type { EndpointClass } from '@/lib/limiter/meter';
import { DAY, HOUR, MINUTE } from '@/lib/units';

/** Time ranges that the list of decisions offers. */
export const RANGES = ['15m', '1h', '24h', '7d', '30d'] as const;
export type Range = (typeof RANGES)[number];

const OUTCOMES = ['refused', 'bypassed', 'degraded', 'observed'] as const;

/** Length of each range in milliseconds, and of a bar of its chart in seconds. */
export const RANGE_STEPS: Readonly<Record<Range, { length: number; step: number }>> = {
  '15m': { length: 15 * MINUTE, step: 60 },
  '1h': { length: HOUR, step: 60 },
  '24h': { length: DAY, step: 1_800 },
  '7d': { length: 7 * DAY, step: 10_800 },
  '30d': { length: 30 * DAY, step: 86_400 },
};

/**
 * Returns start and end of a range in milliseconds. The end is rounded up to a step, so that it changes once per step,
 * and so that charts of the same range on different pages count the same decisions.
 */
export function findRangeSpan(range: Range, now: number): { from: number; to: number } {
  const { length, step } = RANGE_STEPS[range];
  const to = Math.ceil(now / (step * 1000)) * step * 1000;
  return { from: to - length, to };
}

interface DecisionsView {
  range: Range;
  /** Chosen bar: its start `from` in milliseconds, its length `step` in seconds. */
  bar?: { from: number; step: number };
  class?: EndpointClass;
  outcome?: (typeof OUTCOMES)[number];
  reason?: string;
  /** Subject that the decision counted against. Used with `identifier`. */
  subject?: string;
  ip?: string;
  user_id?: string;
  api_key_id?: string;
  identifier?: string;
  /** Search text, and the grouping of the rows. */
  q?: string;
  by?: string;
  limit_subject?: string;
  limit_name?: string;
}

/** Links to the list of decisions, filtered to those that a figure elsewhere counts. */
export function buildDecisionsHref({ range, bar, ...filters }: DecisionsView): string {
  const query = new URLSearchParams({ range });
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, value);
  if (bar) {
    query.set('from', new Date(bar.from).toISOString());
    query.set('to', new Date(bar.from + bar.step * 1000).toISOString());
  }
  return `/decisions?${query}`;
}

/** Query parameter that filters the list by caller, per type. */
export const IDENTITY_FILTERS = {
  ip: 'ip',
  user_id: 'user_id',
  api_key: 'api_key_id',
  client_id: 'identifier',
  subject: 'limit_subject',
} as const;

/** Links to the decisions about a caller. */
export function buildCallerDecisionsHref({ type, identifier }: LimitedIdentity, range: Range): string {
  return buildDecisionsHref({ range, [IDENTITY_FILTERS[type]]: identifier });
}

/** Links from a legend to its decisions, or those of a named limit. Null for allowed requests, which are counted but not logged. */
export function findSeriesHref(key: string, range: Range, limitName?: string): string | null {
  if (key === 'allowed') return null;
  const ofLimit = limitName === undefined ? {} : { limit_name: limitName };
  return buildDecisionsHref({ range, ...ofLimit, ...findSeriesFilter(key) });
}

/** Returns the filters of a chart's series: its outcome, or the refusals of its reason. */
export function findSeriesFilter(key: string): Pick<DecisionsView, 'outcome' | 'reason' | 'subject'> {
  // Named limits share the error code of addresses.
  if (key === 'limit_refusals') return { outcome: 'refused', subject: 'limit' };
  if (key === 'rate_limit_exceeded') return { outcome: 'refused', reason: key, subject: 'ip' };
  const outcome = OUTCOMES.find((name) => name === key);
  return outcome === undefined ? { outcome: 'refused', reason: key } : { outcome };
}

/** Links to the explanation of how the same request would be decided now. */
export function buildDecisionExplainHref(decision: LoggedDecision): string {
  return questionHref(formatQuestion(rebuildRequest(decision)));
}
