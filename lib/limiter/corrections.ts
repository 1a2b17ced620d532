import { type ChangedCounter, correctHits, createEmptyCounter, type LookedUpCounter } from '@/lib/limiter/counter';
import type { Window } from '@/lib/limiter/meter';
import { computeCalendarMonth } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** Hits of an attempt in one counter, at a time of the store. */
export interface Charge {
  readonly key: string;
  readonly window: Window;
  readonly at: Millis;
  /** Hits that were counted. */
  readonly cost: number;
  /** Hits that were really used. 0 by default, which is a refund. */
  readonly used?: number;
}

/** A counter, while settlements correct its charges. */
class CorrectedCounter implements ChangedCounter {
  /** Set by the store before the charges are applied. */
  stored: LookedUpCounter['stored'] = undefined;
  counter: ChangedCounter['counter'];
  isChanged = false;

  /** @param time a time in the month of the counter; any time for a window */
  constructor(
    readonly key: string,
    readonly window: Window,
    readonly time: Millis,
  ) {
    this.counter = createEmptyCounter(window, time);
  }
}

/**
 * Corrections of counters by settlements, in order. A month that has ended since the attempt is not the counter of the
 * present month, despite the same key.
 */
export class Corrections {
  /** Counters at the present time, without duplicates, for the store to look up. */
  readonly present: CorrectedCounter[] = [];
  /** Months that have ended, to look up at their `time`. */
  readonly past: CorrectedCounter[] = [];
  readonly #byPlace = new Map<string, CorrectedCounter>();
  /** The counter of each charge. */
  readonly #corrected: CorrectedCounter[] = [];

  constructor(
    private readonly charges: readonly Charge[],
    private readonly now: Millis,
  ) {
    for (const charge of charges) this.#corrected.push(this.#add(charge));
  }

  #add({ key, window, at, cost, used = 0 }: Charge): CorrectedCounter {
    // Unused hits are taken back from the month of the charge. Additional hits are counted now.
    const time = used < cost ? at : this.now;
    const place = findPlace(key, window, time);
    const existing = this.#byPlace.get(place);
    if (existing !== undefined) return existing;
    const counter = new CorrectedCounter(key, window, time);
    this.#byPlace.set(place, counter);
    const isPresent =
      window.kind === 'sliding' ||
      computeCalendarMonth(time, window.anchor) === computeCalendarMonth(this.now, window.anchor);
    (isPresent ? this.present : this.past).push(counter);
    return counter;
  }

  /** Corrects the counters that the store has looked up. @returns those that have changed */
  apply(): readonly ChangedCounter[] {
    // A store that keeps one month of a key writes the present one last.
    const counters = [...this.past, ...this.present];
    for (const counter of counters) counter.counter = counter.stored ?? counter.counter;
    for (const [i, charge] of this.charges.entries()) {
      const counter = this.#corrected[i] as CorrectedCounter;
      const corrected = correctHits(counter.counter, counter.window, charge, this.now);
      counter.isChanged ||= corrected !== counter.counter;
      counter.counter = corrected;
    }
    return counters.filter(({ isChanged }) => isChanged);
  }

  /** Returns the corrected state of a counter at the present time. Undefined if it has not changed. */
  find(key: string, window: Window): ChangedCounter | undefined {
    const counter = this.#byPlace.get(findPlace(key, window, this.now));
    return counter?.isChanged ? counter : undefined;
  }
}

function findPlace(key: string, window: Window, time: Millis): string {
  return window.kind === 'month' ? `${key} ${computeCalendarMonth(time, window.anchor)}` : key;
}
