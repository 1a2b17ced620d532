import { CachedWindows, type Place } from '@/lib/counters/embedded/cached-windows';
import type { Unfolded } from '@/lib/counters/embedded/journal-rows';
import type { JournaledWindow } from '@/lib/counters/embedded/journaled-window';
import { ShardedMap } from '@/lib/counters/embedded/packed/sharded-map';
import type { CounterSelection } from '@/lib/counters/store';
import type { Counter, MonthCounter } from '@/lib/limiter/counter';
import { findExpiry, type SlidingCounter } from '@/lib/limiter/sliding-counter';
import { computeCalendarMonth } from '@/lib/limiter/window';
import type { Millis, Seconds } from '@/lib/units';

interface JournaledMonth {
  readonly counter: MonthCounter;
  readonly position: number;
}

/** Cached months that are kept although the tables contain them. */
const MOST_MONTHS = 50_000;

/**
 * The newest state of each cached counter, with the position of its journal row (0 if it was read from the tables).
 * Counters with a position after `folded` are *unfolded*: the tables do not contain their newest state.
 */
export class CachedCounters {
  /** Rows up to this position are in the tables, and are deleted. */
  folded = 0;
  readonly #windows: CachedWindows;
  /** A counter has several entries if rows of more than one month are cached. */
  readonly #months = new ShardedMap<readonly JournaledMonth[]>();
  #unfolded = 0;

  /**
   * @param kept cached windows that are kept although the tables contain them
   * @param unpacked see `CachedWindows`
   */
  constructor(
    private readonly kept: number,
    unpacked?: number,
  ) {
    this.#windows = new CachedWindows(unpacked);
  }

  /** Number of unfolded counters. */
  get unfoldedCount(): number {
    return this.#unfolded;
  }

  /** Returns the window, valid for the current event-loop turn. */
  findWindow(key: string): JournaledWindow | undefined {
    return this.#windows.get(key);
  }

  /** @param month number of the month, see `computeCalendarMonth` */
  findMonth(key: string, month: number): MonthCounter | undefined {
    return this.#months.get(key)?.find(({ counter }) => counter.month === month)?.counter;
  }

  /** Returns whether a counter that the tables contain may be cached. */
  hasRoomFor({ kind }: Counter): boolean {
    return (kind === 'month' ? this.#excessMonths : this.#excessWindows) < 0;
  }

  /** @param cached the window, if it is cached @returns the window, valid for the current event-loop turn */
  keepWindow(
    cached: JournaledWindow | undefined,
    key: string,
    { newest, latest, older }: SlidingCounter,
    seconds: Seconds,
    position: number,
  ): JournaledWindow {
    if (position > this.folded && (cached === undefined || !this.#isUnfolded(cached))) this.#unfolded += 1;
    if (cached === undefined) return this.#windows.add(key, { newest, latest, older, seconds, position });
    const isBusy = cached.newest === newest && position > 0;
    cached.newest = newest;
    cached.latest = latest;
    cached.older = older;
    cached.seconds = seconds;
    cached.position = position;
    this.#windows.recordChange(key, cached, isBusy);
    return cached;
  }

  keepMonth(key: string, counter: MonthCounter, position: number): void {
    const month = { counter, position };
    const cached = this.#months.get(key) ?? [];
    const same = cached.find((other) => other.counter.month === counter.month);
    if (this.#isUnfolded(month) && (same === undefined || !this.#isUnfolded(same))) this.#unfolded += 1;
    this.#months.set(key, [month, ...cached.filter((other) => other !== same)]);
  }

  /** Drops counters whose newest state is in the tables. */
  forget(selection: CounterSelection): void {
    const keys = 'keys' in selection ? selection.keys : [...this.#listKeys(selection.prefix)];
    for (const key of keys) {
      this.#forgetWindow(key);
      const months = this.#months.get(key);
      if (months !== undefined) this.#dropMonths(key, months);
    }
  }

  /** Drops everything, because the tables may have been replaced. */
  clear(): void {
    this.#windows.clear();
    this.#months.clear();
    this.#unfolded = 0;
  }

  /** Yields the cached keys with this prefix, and whether a window still covers any of their hits. */
  *iterateKeys(prefix: string, now: Millis): Iterable<[key: string, isSeen: boolean]> {
    for (const key of this.#listWindows(prefix)) {
      const window = this.#windows.get(key);
      if (window !== undefined) yield [key, findExpiry(window, window.seconds) > now];
    }
    const month = computeCalendarMonth(now);
    for (const [key, months] of this.#months) {
      if (key.startsWith(prefix)) yield [key, months.some(({ counter }) => counter.month === month)];
    }
  }

  /** Returns the states of these counters that the tables lack. */
  listUnfolded(selection: CounterSelection): Unfolded {
    const keys = 'keys' in selection ? selection.keys : this.#listKeys(selection.prefix);
    return this.selectToFold([...new Set(keys)], Number.POSITIVE_INFINITY);
  }

  /**
   * Yields the places of all counters that were journaled up to a position and are not in the tables. For every other
   * counter it yields null, so that the caller can pause. Rows journaled concurrently have later positions.
   */
  *listUnfoldedPlaces(until: number): Iterable<Place | null> {
    for (const window of this.#windows.walk()) {
      yield this.#isUnfolded(window) && window.position <= until ? window.place : null;
    }
    for (const [key, months] of this.#months) {
      yield months.some((month) => this.#isUnfolded(month) && month.position <= until) ? key : null;
    }
  }

  /** Returns the key of a place. If the counter has changed since the walk, it counts as journaled later. */
  readPlaceKey(place: Place): string {
    return this.#windows.keyAt(place);
  }

  /**
   * Returns the states of these counters that the tables lack, without counters that were journaled after the position.
   */
  selectToFold(keys: readonly string[], until: number): Unfolded {
    const windows: [string, Seconds, SlidingCounter][] = [];
    const months: [string, MonthCounter][] = [];
    for (const key of keys) {
      const window = this.#windows.get(key);
      if (window !== undefined && this.#isUnfolded(window) && window.position <= until) {
        windows.push([key, window.seconds, buildCounter(window)]);
      }
      for (const month of this.#months.get(key) ?? []) {
        if (this.#isUnfolded(month) && month.position <= until) months.push([key, month.counter]);
      }
    }
    return { windows, months };
  }

  /** Drops counters that `selectToFold` returned and the tables now contain, as long as too many are cached. */
  release(keys: readonly string[], until: number): void {
    for (const key of keys) {
      const window = this.#excessWindows > 0 ? this.#windows.get(key) : undefined;
      if (window !== undefined && window.position <= until) this.#dropWindow(key, window);
      const months = this.#excessMonths > 0 ? this.#months.get(key) : undefined;
      if (months?.every(({ position }) => position <= until)) this.#dropMonths(key, months);
    }
  }

  /**
   * Recounts the unfolded counters after rows were folded. If too many counters are cached, evicts those that the
   * tables contain. Yields after each counter, so that the caller can pause. Rows journaled concurrently may be counted
   * twice.
   */
  *tidy(): Iterable<void> {
    this.#unfolded = 0;
    let excess = this.#excessWindows;
    for (const step of this.#windows.walk()) {
      if (this.#isUnfolded(step)) this.#unfolded += 1;
      else if (excess-- > 0) this.#forgetWindow(step.key);
      yield;
    }
    excess = this.#excessMonths;
    for (const [key, months] of this.#months) {
      const unfolded = months.filter((month) => this.#isUnfolded(month)).length;
      this.#unfolded += unfolded;
      if (unfolded === 0 && excess-- > 0) this.#months.delete(key);
      yield;
    }
    yield* this.#windows.pack(this.folded);
  }

  /** Number of cached windows above the maximum. */
  get #excessWindows(): number {
    return this.#windows.size - this.kept;
  }

  get #excessMonths(): number {
    return this.#months.size - Math.min(this.kept, MOST_MONTHS);
  }

  #isUnfolded({ position }: { position: number }): boolean {
    return position > this.folded;
  }

  #forgetWindow(key: string): void {
    const window = this.#windows.get(key);
    if (window !== undefined) this.#dropWindow(key, window);
  }

  #dropWindow(key: string, window: JournaledWindow): void {
    if (this.#isUnfolded(window)) this.#unfolded -= 1;
    this.#windows.delete(key, window);
  }

  #dropMonths(key: string, months: readonly JournaledMonth[]): void {
    for (const month of months) if (this.#isUnfolded(month)) this.#unfolded -= 1;
    this.#months.delete(key);
  }

  *#listKeys(prefix: string): Iterable<string> {
    yield* this.#listWindows(prefix);
    for (const [key] of this.#months) if (key.startsWith(prefix)) yield key;
  }

  *#listWindows(prefix: string): Iterable<string> {
    for (const step of this.#windows.walk()) if (step.startsWith(prefix)) yield step.key;
  }
}

function buildCounter({ newest, latest, older }: JournaledWindow): SlidingCounter {
  return { kind: 'sliding', newest, latest, older };
}
