import type { Meter, Reading, SubjectKind, Window } from '@/lib/limiter/meter';
import type { Millis, Seconds } from '@/lib/units';

/** A limit as the caller sees it. */
export interface LimitState<Subject extends string = SubjectKind> {
  subject: Subject;
  limit: number;
  used: number;
  remaining: number;
  /** When the full limit is available again, Unix seconds. */
  reset: Seconds;
  /** The same in seconds from the decision. */
  resetAfter: Seconds;
  /** Length of the window. */
  window: Seconds;
}

/** The longest month stands for all: the exact length does not matter. */
export function windowSeconds(window: Window): Seconds {
  return window.kind === 'month' ? 31 * 86_400 : window.seconds;
}

/** A meter as it stands after the decision. */
export function readLimit(meter: Meter, reading: Reading, now: Millis): LimitState {
  return {
    subject: meter.subject,
    limit: reading.limit,
    used: reading.used,
    remaining: reading.remaining,
    reset: Math.ceil(reading.reset / 1000),
    resetAfter: Math.max(0, Math.ceil((reading.reset - now) / 1000)),
    window: windowSeconds(meter.window),
  };
}
