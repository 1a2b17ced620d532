import { DAY, type Millis } from '@/lib/units';

/** 80% of a normal distribution lie within this many standard deviations. */
const Z = 1.2816;
/** Shortest time that a rate of the present day is computed over. */
const SHORTEST_TODAY = DAY / 24;

/**
 * Returns requests per day: the mean of the whole days, or the rate of the present day if there is no whole one yet.
 */
export function computeMean(
  wholeDays: { count: number; requests: number },
  today: { requests: number; since: Millis },
  now: Millis,
): number {
  if (wholeDays.count > 0) return wholeDays.requests / wholeDays.count;
  return (today.requests * DAY) / Math.max(now - today.since, SHORTEST_TODAY);
}

/** A temporary increase of a limit. */
export interface EndingGrant {
  requests: number;
  until: Millis;
}

/**
 * Returns when a quota runs out if some grants end before the month does.
 * @param runsOutAt returns when a remainder above 0 is used up, counted from now, or null if it lasts until the month
 * ends
 */
export function findExhaustion(
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
  /** Requests of the last whole days, at most seven, without days before the key existed. */
  days: readonly number[];
  /** Requests of the present day, and the time when the day (or the key) began. */
  today: { requests: number; since: Millis };
  /** Parts of the limit that expire. None by default. */
  grants?: readonly EndingGrant[];
}

/**
 * Estimates when a quota runs out at the rate of the last days (`perDay`). `runsOutAt` and its bounds are null if the
 * quota lasts until it resets.
 *
 * The days are independent draws with mean m and standard deviation s, both estimated from k days. The usage of n days
 * then has the mean n m and the variance s² (n + n²/k): the spread of the days, plus that of the estimated mean. The
 * interval begins and ends where that band crosses the remaining quota. Both ends are roots of (m² - c/k) n² - (2 m R +
 * c) n + R² = 0 with c = z² s². Weekdays and trends are not modelled.
 */
export function forecastQuota({ remaining, now, resetsAt, days, today, grants = [] }: UsageSoFar) {
  const k = days.length;
  const mean = computeMean({ count: k, requests: days.reduce((sum, requests) => sum + requests, 0) }, today, now);
  const computeTimeBeforeReset = (n: number): Millis | null =>
    now + n * DAY < resetsAt ? Math.round(now + n * DAY) : null;
  const intervalKnown = k >= 3;
  const nothing = { perDay: mean, runsOutAt: null, earliest: null, latest: null, intervalKnown };
  if (remaining <= 0) return nothing;
  const findExhaustionOver = (runsOut: (left: number) => Millis | null) =>
    findExhaustion(remaining, grants, now, resetsAt, runsOut);
  if (mean <= 0) {
    const at = findExhaustionOver(() => null);
    return { ...nothing, runsOutAt: at, earliest: at, latest: at };
  }
  const runsOutAt = findExhaustionOver((left) => computeTimeBeforeReset(left / mean));
  if (!intervalKnown) return { ...nothing, runsOutAt };
  const variance = days.reduce((sum, requests) => sum + (requests - mean) ** 2, 0) / (k - 1);
  const c = Z ** 2 * variance;
  const a = mean ** 2 - c / k;
  const computeRoots = (left: number) => {
    const b = 2 * mean * left + c;
    return { b, root: Math.sqrt(Math.max(0, b ** 2 - 4 * a * left ** 2)) };
  };
  const computeEarliest = (left: number) => {
    const { b, root } = computeRoots(left);
    return computeTimeBeforeReset((2 * left ** 2) / (b + root));
  };
  const computeLatest = (left: number) => {
    const { b, root } = computeRoots(left);
    return a > 0 ? computeTimeBeforeReset((b + root) / (2 * a)) : null;
  };
  return {
    ...nothing,
    runsOutAt,
    earliest: findExhaustionOver(computeEarliest),
    latest: findExhaustionOver(computeLatest),
  };
}
