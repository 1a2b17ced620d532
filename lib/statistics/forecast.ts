import { DAY } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

/** 80 % of a normal distribution lie within this many standard deviations. */
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

export interface UsageSoFar {
  remaining: number;
  now: Millis;
  /** When the next month of the quota begins. */
  resetsAt: Millis;
  /** Requests of the last whole days, seven at most, without days before the key existed. */
  days: readonly number[];
  /** Requests of the present day, and when it (or the key) began. */
  today: { requests: number; since: Millis };
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
export function outlook({ remaining, now, resetsAt, days, today }: UsageSoFar) {
  const k = days.length;
  const mean = meanPerDay({ count: k, requests: days.reduce((sum, requests) => sum + requests, 0) }, today, now);
  const before = (n: number): Millis | null => (now + n * DAY < resetsAt ? Math.round(now + n * DAY) : null);
  const intervalKnown = k >= 3;
  const nothing = { perDay: mean, runsOutAt: null, earliest: null, latest: null, intervalKnown };
  if (remaining <= 0 || mean <= 0) return nothing;
  const runsOutAt = before(remaining / mean);
  if (!intervalKnown) return { ...nothing, runsOutAt };
  const variance = days.reduce((sum, requests) => sum + (requests - mean) ** 2, 0) / (k - 1);
  const c = Z ** 2 * variance;
  const a = mean ** 2 - c / k;
  const b = 2 * mean * remaining + c;
  const root = Math.sqrt(Math.max(0, b ** 2 - 4 * a * remaining ** 2));
  return {
    ...nothing,
    runsOutAt,
    earliest: before((2 * remaining ** 2) / (b + root)),
    latest: a > 0 ? before((b + root) / (2 * a)) : null,
  };
}
