import type { NamedMeter, PlannedMeter } from '@/lib/enforcement/planned-meter';
import type { Reading, SubjectKind, Window } from '@/lib/limiter/meter';
import type { Millis, Seconds } from '@/lib/units';

/** A limit, as the caller sees it. */
export interface LimitState<Subject extends string = SubjectKind> {
  subject: Subject;
  limit: number;
  used: number;
  remaining: number;
  /** When the full limit is available again, in Unix seconds. */
  reset: Seconds;
  /** The same time, in seconds from the decision. */
  resetAfter: Seconds;
  /** Length of the window. */
  window: Seconds;
  /** The named limit, and whether this is about its places in flight. */
  named?: NamedMeter;
}

/** Returns the length of a window. A month counts as 31 days, because its exact length does not matter here. */
export function measureWindow(window: Window): Seconds {
  return window.kind === 'month' ? 31 * 86_400 : window.seconds;
}

/** Returns the state of a meter after the decision. */
export function readLimit(meter: PlannedMeter, reading: Reading, now: Millis): LimitState {
  const state: LimitState = {
    subject: meter.subject,
    limit: reading.limit,
    used: reading.used,
    remaining: reading.remaining,
    reset: Math.ceil(reading.reset / 1000),
    resetAfter: Math.max(0, Math.ceil((reading.reset - now) / 1000)),
    window: measureWindow(meter.window),
  };
  if (meter.named !== undefined) state.named = meter.named;
  return state;
}

/**
 * Names the policy of a limit in `RateLimit-Policy` and `violated-policies`. The windows and the places of a named limit
 * are different policies.
 */
export function namePolicy({ subject, named, window }: LimitState): string {
  if (named === undefined) return subject;
  return named.isPlace ? `${named.name}:in-flight` : `${named.name}:${window}`;
}

/** Returns the limit with the least remaining. Among equals, the first wins. */
export function findTightest<S extends { remaining: number }>(states: Iterable<S>): S | null {
  let best: S | null = null;
  for (const state of states) {
    if (best === null || state.remaining < best.remaining) best = state;
  }
  return best;
}
