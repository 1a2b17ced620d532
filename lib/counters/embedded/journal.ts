import { CachedCounters } from '@/lib/counters/embedded/cached-counters';
import {
  formatMonth,
  formatWindow,
  type JournalEnds,
  type JournalRow,
  toColumns,
} from '@/lib/counters/embedded/journal-rows';
import { JournaledWindow } from '@/lib/counters/embedded/journaled-window';
import { parseRow } from '@/lib/counters/embedded/parse-row';
import type { CounterSelection } from '@/lib/counters/store';
import type { Counter } from '@/lib/limiter/counter';
import type { ChangedCounter, LookedUpCounter } from '@/lib/limiter/evaluate-group';
import { EMPTY_SLIDING } from '@/lib/limiter/sliding-counter';
import { monthAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** Is told which row of which table cannot be read. */
export type OnUnreadable = (table: string, row: string | number) => void;

/**
 * Reads and writes the rows of the journal, and caches the newest state of each counter. All processes on the file append
 * their changes, and read the rows of the others before they decide. So the cache is current within each transaction that
 * began with `catchUp`, and counters that are missing here are in the tables.
 *
 * Counters that are in the tables may be cached as well: no process changes the tables without a row that says so, but
 * for sweeps, which delete what no window sees any more.
 */
export class Journal {
  /** Not only what rows say, but also what the tables were found to have. */
  readonly cached: CachedCounters;
  #seen = 0;
  #units = 0;
  /** What was folded when this was tidied last. */
  #tidied = 0;

  /** @param kept @param unpacked as of `CachedCounters` */
  constructor(
    kept: number,
    unpacked: number | undefined,
    private readonly onUnreadable: OnUnreadable,
  ) {
    this.cached = new CachedCounters(kept, unpacked);
  }

  /** The newest position that was read. */
  get seen(): number {
    return this.#seen;
  }

  /** UTF-16 units of the rows that are not folded. */
  get units(): number {
    return this.#units;
  }

  /**
   * Reads what was appended since. What was folded and deleted before it was read, as while this process slept, is not
   * cached any more; neither is anything once the database has gone back, as by a restored backup.
   * @param rowsAfter reads the rows after a position, in order
   */
  catchUp({ first, last }: JournalEnds, rowsAfter: (position: number) => Iterable<JournalRow>): void {
    if ((last ?? 0) < this.#seen || (first ?? 0) > this.#seen + 1) {
      this.cached.clear();
      this.#seen = (first ?? 1) - 1;
      this.#units = 0;
    }
    this.cached.folded = (first ?? 1) - 1;
    if (last === null || last === this.#seen) return;
    for (const row of rowsAfter(this.#seen)) this.#read(row);
  }

  /** What cannot be read of a row is left out; what its counters were before still holds. */
  #read(row: JournalRow): void {
    const { position } = row;
    const { windows, months, forgotten, isDamaged } = parseRow(row);
    if (isDamaged) this.onUnreadable('counter_journal', position);
    if (forgotten !== null) this.cached.forget(forgotten);
    for (const [key, seconds, counter] of windows)
      this.cached.keepWindow(this.cached.window(key), key, counter, seconds, position);
    for (const [key, counter] of months) this.cached.keepMonth(key, counter, position);
    this.#seen = position;
    this.#units += (row.windows?.length ?? 0) + (row.months?.length ?? 0);
  }

  /**
   * Looks a counter up.
   * @returns the cached state, which `recordAppended` changes in place; undefined if the tables have to be asked
   */
  find({ key, window }: LookedUpCounter, now: Millis): Counter | undefined {
    return window.kind === 'month' ? this.cached.month(key, monthAt(now, window.anchor)) : this.cached.window(key);
  }

  /**
   * Caches the tables' state of counters that were missing, as far as there is room. A window that the tables do not have
   * is cached as an empty one.
   */
  learn(counters: readonly LookedUpCounter[]): void {
    for (const counter of counters) {
      const state = counter.stored ?? (counter.window.kind === 'sliding' ? EMPTY_SLIDING : undefined);
      if (state !== undefined && this.cached.hasRoomFor(state)) this.#keep(counter, state, 0);
    }
  }

  /** Creates the next row from these counters; null without any. It is cached by `recordAppended`. */
  createRow(changed: readonly ChangedCounter[]): JournalRow | null {
    let windows = '';
    let months = '';
    for (const { key, counter, window } of changed) {
      if (counter.kind === 'month') months += `${months && ','}${formatMonth(key, counter)}`;
      else if (window.kind === 'sliding') windows += `${windows && ','}${formatWindow(key, window.seconds, counter)}`;
    }
    if (windows === '' && months === '') return null;
    return { position: this.#seen + 1, ...toColumns(windows, months), forgotten: null };
  }

  /** Caches a row of `createRow` that was committed. */
  recordAppended({ position, windows, months }: JournalRow, changed: readonly ChangedCounter[]): void {
    for (const counter of changed) this.#keep(counter, counter.counter, position);
    this.#seen = position;
    this.#units += (windows?.length ?? 0) + (months?.length ?? 0);
  }

  /** Returns the states of these counters that the tables do not have, as the columns of a row. */
  listUnfolded(selection: CounterSelection): Pick<JournalRow, 'windows' | 'months'> {
    const { windows, months } = this.cached.listUnfolded(selection);
    return toColumns(
      windows.map(([key, seconds, counter]) => formatWindow(key, seconds, counter)).join(','),
      months.map(([key, counter]) => formatMonth(key, counter)).join(','),
    );
  }

  /** Records that rows up to a position were folded and deleted. */
  recordFolded(position: number): void {
    this.cached.folded = Math.max(this.cached.folded, position);
  }

  /** Counts again after rows were folded, here or by another process, see `CachedCounters.tidy`. */
  *tidy(): Iterable<void> {
    if (this.#tidied === this.cached.folded) return;
    this.#tidied = this.cached.folded;
    this.#units = 0;
    yield* this.cached.tidy();
  }

  #keep(counter: LookedUpCounter, state: Counter, position: number): void {
    const { key, window, stored } = counter;
    if (state.kind === 'month') this.cached.keepMonth(key, state, position);
    else if (window.kind === 'sliding') {
      const found = stored instanceof JournaledWindow ? stored : this.cached.window(key);
      counter.stored = this.cached.keepWindow(found, key, state, window.seconds, position);
    }
  }
}
