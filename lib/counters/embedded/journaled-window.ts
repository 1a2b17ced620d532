import type { PlacedCounter } from '@/lib/limiter/evaluate-group';
import type { OlderSlots } from '@/lib/limiter/older-slots';
import type { Seconds } from '@/lib/units';

/**
 * A sliding window as it was journaled last. Changed in place: a new object for each decision would be copied by the
 * collector of garbage.
 */
export interface JournaledWindow {
  readonly kind: 'sliding';
  newest: number;
  latest: number;
  older: OlderSlots;
  seconds: Seconds;
  /** 0 where the tables have it, `FORGOTTEN` where it is not known any more. */
  position: number;
  /** The windows of candidates that stand beside it, as far as they were looked for. */
  beside: Beside | undefined;
  /** Where it is packed: then this is a copy for the present turn. `UNPACKED` where this is the window itself. */
  packed: number;
}

export const UNPACKED = -1;

/** What is remembered of the window of a candidate. */
export interface Beside {
  readonly candidate: string;
  readonly seconds: Seconds;
  /** Undefined where neither this process nor the tables have it, as of this many writes of others. */
  readonly window: JournaledWindow | undefined;
  readonly others: number;
  readonly next: Beside | undefined;
}

/** The position of a window that is not known any more. */
export const FORGOTTEN = -1;

/** Where the journal has a counter that was looked for in this turn, which may be a copy. */
export function placeOf(counter: Pick<PlacedCounter, 'place'> | undefined): JournaledWindow | undefined {
  return counter?.place as JournaledWindow | undefined;
}
