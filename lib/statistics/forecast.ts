import { DAY } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

/** 80% of a normal distribution lie within this many standard deviations. */
const Z = 1.2816;
/** A rate over less than an hour is computed as if it were an hour. */
const SHORTEST_TODAY = DAY / 24;

/** Requests a day: the mean of whole days, or of the present day where there is no whole one yet. */
export function meanPerDay(
  wholeDays: { count: number; requests: number },
  today: { requests: number; since: Millis },
  now: Millis,
): number {
  if (wholeDays.count > 0) return wholeDays.requests / wholeDays.count;
  return (today.requests * DAY) / Math.max(now - today.since, SHORTEST_TODAY);
}

/** What is added to a limit until a moment. */
export interface EndingGrant {
  requests: number;
  until: Millis;
}

/**
 * When a quota is used up although some of it ends before the month does.
 * @param runsOutAt when a remainder of more than 0 is used up, counted from now; null if not before the month ends
 */
export function withEndings(
  remaining: number,
  grants: readonly EndingGrant[],
  now: Millis,
  resetsAt: Millis,
  runsOutAt: (remaining: number) => Millis | null,
): Millis | null {
  const endings = grants.filter(({ until }) => until < resetsAt).sort((a, b) => a.until - b.until);
  let left = remaining;
  let from = now;
  for (const { requests, until } of [...endings, { requests: 0, until: Number.POSITIVE_INFINITY }]) {
    const at = left <= 0 ? from : runsOutAt(left);
    if (at !== null && at < until) return Math.max(at, from);
    left -= requests;
    from = until;
  }
  return null;
}

export interface UsageSoFar {
  remaining: number;
  now: Millis;
  /** When the next month of the quota begins. */
  resetsAt: Millis;
  /** Requests of the last whole days, seven at most, without days before the key existed. */
  days: readonly number[];
  /** Requests of the present day, and when it (or the key) began. */
  today: { requests: number; since: Millis };
  /** What of the limit ends by itself; none by default. */
  grants?: readonly EndingGrant[];
}

/**
 * When a quota is used up at the rate of the last days (`perDay`); `runsOutAt` and its bounds are null when it lasts
 * until it resets.
 *
 * The days are taken as independent draws with mean m and standard deviation s, both estimated from k days. What is used
 * in n days then has the mean n m and the variance s² (n + n²/k): the days' own spread, and that of the estimated mean.
 * Where that band crosses what remains, the interval begins and ends; both are roots of
 * (m² - c/k) n² - (2 m R + c) n + R² = 0 with c = z² s². Weekdays and trends are not modelled.
 */
export function outlook({ remaining, now, resetsAt, days, today, grants = [] }: UsageSoFar) {
  const k = days.length;
  const mean = meanPerDay({ count: k, requests: days.reduce((sum, requests) => sum + requests, 0) }, today, now);
  const before = (n: number): Millis | null => (now + n * DAY < resetsAt ? Math.round(now + n * DAY) : null);
  const intervalKnown = k >= 3;
  const nothing = { perDay: mean, runsOutAt: null, earliest: null, latest: null, intervalKnown };
  if (remaining <= 0) return nothing;
  const over = (runsOut: (left: number) => Millis | null) => withEndings(remaining, grants, now, resetsAt, runsOut);
  if (mean <= 0) {
    const at = over(() => null);
    return { ...nothing, runsOutAt: at, earliest: at, latest: at };
  }
  const runsOutAt = over((left) => before(left / mean));
  if (!intervalKnown) return { ...nothing, runsOutAt };
  const variance = days.reduce((sum, requests) => sum + (requests - mean) ** 2, 0) / (k - 1);
  const c = Z ** 2 * variance;
  const a = mean ** 2 - c / k;
  const roots = (left: number) => {
    const b = 2 * mean * left + c;
    return { b, root: Math.sqrt(Math.max(0, b ** 2 - 4 * a * left ** 2)) };
  };
  const earliest = (left: number) => {
    const { b, root } = roots(left);
    return before((2 * left ** 2) / (b + root));
  };
  const latest = (left: number) => {
    const { b, root } = roots(left);
    return a > 0 ? before((b + root) / (2 * a)) : null;
  };
  return { ...nothing, runsOutAt, earliest: over(earliest), latest: over(latest) };
}
