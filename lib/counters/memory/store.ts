import { LRUCache } from 'lru-cache';
import { counterState } from '@/lib/counters/counter-state';
import type { Commit, CounterChange, CounterSelection, CounterState, CounterStore } from '@/lib/counters/store';
import { type Counter, emptyCounter } from '@/lib/limiter/counter';
import { type ChangedCounter, judge } from '@/lib/limiter/evaluate-group';
import type { Attempt, Window } from '@/lib/limiter/meter';
import { slidingExpires } from '@/lib/limiter/sliding-counter';
import { monthAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

export interface LocalCountersOptions {
  clock: () => Millis;
  /** How many counters are kept at most, 100,000 by default; the one that was used least recently goes first. */
  maximumKeys?: number;
}

/**
 * Counters in the memory of this process: what is left when the store is out of reach, and a store for tests. It knows
 * no epoch: the rules are those that the caller has.
 */
export class LocalCounters implements CounterStore {
  readonly kind = 'local';
  readonly #clock: () => Millis;
  readonly #counters: LRUCache<string, ChangedCounter>;

  constructor({ clock, maximumKeys = 100_000 }: LocalCountersOptions) {
    this.#clock = clock;
    this.#counters = new LRUCache({ max: maximumKeys });
  }

  /** @throws RangeError for an attempt that `judge` cannot judge */
  async commit(_epoch: number, attempts: readonly Attempt[]): Promise<Commit> {
    const now = this.#clock();
    const held = new Map<string, Counter>();
    for (const { key } of attempts.flatMap(({ meters }) => meters)) {
      const known = this.#counters.get(key);
      if (known) held.set(key, known.counter);
    }
    const { verdicts, changed } = judge(attempts, now, held);
    for (const [key, { counter, window }] of changed) this.#counters.set(key, { counter, window });
    return { kind: 'decided', now, verdicts };
  }

  async read(counters: readonly { key: string; window: Window }[]): Promise<CounterState[]> {
    const now = this.#clock();
    return counters.map(({ key, window }) => {
      return counterState(key, this.#counters.peek(key)?.counter ?? emptyCounter(window, now), window, now);
    });
  }

  async keys(prefix: string, limit: number): Promise<string[]> {
    const now = this.#clock();
    const present = [...this.#counters.entries()].filter(
      ([key, held]) => key.startsWith(prefix) && isVisible(held, now),
    );
    return present
      .map(([key]) => key)
      .sort()
      .slice(0, limit);
  }

  clear(selection: CounterSelection): CounterChange {
    const selected = (key: string) => 'prefix' in selection && key.startsWith(selection.prefix);
    return {
      kind: 'action',
      run: async () => {
        const keys = 'keys' in selection ? selection.keys : [...this.#counters.keys()].filter(selected);
        for (const key of keys) this.#counters.delete(key);
      },
    };
  }

  forgive(key: string): CounterChange {
    return {
      kind: 'action',
      run: async () => {
        const held = this.#counters.get(key);
        if (held?.counter.kind !== 'month') return;
        this.#counters.set(key, { ...held, counter: { ...held.counter, floor: held.counter.hits } });
      },
    };
  }

  async publish(_epoch: number): Promise<void> {}

  /** Looks at the `budget` counters that were used least recently. */
  async sweep(budget: number): Promise<number> {
    const now = this.#clock();
    const oldest: string[] = [];
    for (const key of this.#counters.rkeys()) {
      if (oldest.length >= budget) break;
      oldest.push(key);
    }
    const dead = oldest.filter((key) => {
      const held = this.#counters.peek(key);
      return held !== undefined && !isVisible(held, now);
    });
    for (const key of dead) this.#counters.delete(key);
    return dead.length;
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {
    this.#counters.clear();
  }
}

/** Whether its window still sees something of the counter, or will. */
function isVisible({ counter, window }: ChangedCounter, now: Millis): boolean {
  if (counter.kind === 'month') return counter.month >= monthAt(now);
  return window.kind === 'sliding' && slidingExpires(counter, window.seconds) > now;
}
