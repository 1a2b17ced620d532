import { LRUCache } from 'lru-cache';
import { buildCounterState } from '@/lib/counters/counter-state';
import {
  type Commit,
  type CounterRef,
  type CounterStore,
  type KeptReset,
  NO_SETTLEMENTS,
  type Settlement,
} from '@/lib/counters/store';
import { Corrections } from '@/lib/limiter/corrections';
import { type ChangedCounter, createEmptyCounter, sumCounters } from '@/lib/limiter/counter';
import { Group } from '@/lib/limiter/evaluate-group';
import type { Attempt } from '@/lib/limiter/meter';
import { findExpiry } from '@/lib/limiter/sliding-counter';
import { computeCalendarMonth } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

type StoredCounter = Omit<ChangedCounter, 'key'>;

/**
 * Counters in the memory of this process: the fallback while the store is down, and a store for tests. It has no
 * revision, so no commit is ever `stale`.
 */
export class MemoryCounters implements CounterStore {
  readonly kind = 'local';
  #allocated: LRUCache<string, StoredCounter> | undefined;
  /** Counters that resets have cleared, by the numbers of their audit records. */
  readonly #kept = new Map<number, { until: Millis; counters: Map<string, StoredCounter> }>();

  /** Settlements by id, with the time until which they are remembered. */
  readonly #settled = new Map<string, Millis>();

  /** @param options `maximumKeys` limits the counters, 100,000 by default; the least recently used is dropped first */
  constructor(private readonly options: { clock: () => Millis; maximumKeys?: number }) {}

  /** Allocates the counters on first use. They take room for all keys at once, and most processes never fall back. */
  get #counters(): LRUCache<string, StoredCounter> {
    this.#allocated ??= new LRUCache({ max: this.options.maximumKeys ?? 100_000 });
    return this.#allocated;
  }

  /** @throws RangeError like `evaluateGroup` */
  async commit(
    _revision: number,
    attempts: readonly Attempt[],
    settlements: readonly Settlement[] = NO_SETTLEMENTS,
  ): Promise<Commit> {
    const now = this.options.clock();
    const settled = settlements.map((settlement) => this.#remember(settlement, now));
    const charges = settlements.flatMap((settlement, i) => (settled[i] ? settlement.charges : []));
    const corrections = new Corrections(charges, now);
    const group = new Group(attempts, corrections);
    for (const counter of [...corrections.present, ...corrections.past, ...group.counters])
      counter.stored = this.#counters.get(counter.key)?.counter;
    const verdicts = group.evaluate(now);
    for (const { key, counter, window } of group.listChangedCounters(now)) this.#counters.set(key, { counter, window });
    return { kind: 'decided', now, verdicts, settled };
  }

  /** Remembers a settlement. @returns false if its id is remembered already */
  #remember({ id, keptFor }: Settlement, now: Millis): boolean {
    if ((this.#settled.get(id) ?? 0) > now) return false;
    this.#settled.set(id, now + keptFor);
    return true;
  }

  async read(counters: readonly CounterRef[]) {
    const now = this.options.clock();
    return counters.map(({ key, window }) => {
      return buildCounterState(key, this.#counters.peek(key)?.counter ?? createEmptyCounter(window, now), window, now);
    });
  }

  async listKeys(prefix: string, limit: number): Promise<string[]> {
    const now = this.options.clock();
    const visible = [...this.#counters].filter(([key, stored]) => key.startsWith(prefix) && isVisible(stored, now));
    const keys = visible.map(([key]) => key).sort();
    return keys.slice(0, limit);
  }

  clear: CounterStore['clear'] = (selection, kept) => {
    const isSelected = (key: string) => 'prefix' in selection && key.startsWith(selection.prefix);
    const run = async () => {
      const keys = 'keys' in selection ? selection.keys : [...this.#counters.keys()].filter(isSelected);
      for (const key of keys) {
        const stored = this.#counters.get(key);
        if (stored === undefined) continue;
        this.#keep(kept, key, stored);
        this.#counters.delete(key);
      }
    };
    return { kind: 'action', run };
  };

  resetUsage: CounterStore['resetUsage'] = ({ key }, kept) => {
    const run = async () => {
      const stored = this.#counters.get(key);
      if (stored?.counter.kind !== 'month') return;
      const { hits, floor } = stored.counter;
      this.#keep(kept, key, { ...stored, counter: { ...stored.counter, hits: 0, floor: floor - hits } });
      this.#counters.set(key, { ...stored, counter: { ...stored.counter, floor: hits } });
    };
    return { kind: 'action', run };
  };

  restore: CounterStore['restore'] = (seq) => {
    const run = async () => {
      for (const [key, { counter, window }] of this.#kept.get(seq)?.counters ?? []) {
        const present = this.#counters.get(key)?.counter;
        this.#counters.set(key, { window, counter: present === undefined ? counter : sumCounters(present, counter) });
      }
      this.#kept.delete(seq);
    };
    return { kind: 'action', run };
  };

  #keep(kept: KeptReset | undefined, key: string, stored: StoredCounter): void {
    if (kept === undefined) return;
    const { until, counters } = this.#kept.get(kept.seq) ?? { until: kept.until, counters: new Map() };
    this.#kept.set(kept.seq, { until, counters: counters.set(key, stored) });
  }

  async publish(_revision: number): Promise<void> {}

  /** Deletes expired counters among the `budget` least recently used ones. */
  async sweep(budget: number): Promise<number> {
    const now = this.options.clock();
    for (const [seq, { until }] of this.#kept) if (until <= now) this.#kept.delete(seq);
    for (const [id, until] of this.#settled) if (until <= now) this.#settled.delete(id);
    const expired: string[] = [];
    let seen = 0;
    for (const key of this.#counters.rkeys()) {
      if (++seen > budget) break;
      const stored = this.#counters.peek(key);
      if (stored !== undefined && !isVisible(stored, now)) expired.push(key);
    }
    for (const key of expired) this.#counters.delete(key);
    return expired.length;
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {
    this.#counters.clear();
  }
}

/** Returns whether the window covers hits of the counter, now or later. */
function isVisible({ counter, window }: StoredCounter, now: Millis): boolean {
  if (counter.kind === 'month')
    return window.kind === 'month' && counter.month >= computeCalendarMonth(now, window.anchor);
  return window.kind === 'sliding' && findExpiry(counter, window.seconds) > now;
}
