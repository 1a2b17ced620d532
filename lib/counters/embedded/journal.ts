import { CachedCounters } from '@/lib/counters/embedded/cached-counters';
import {
  formatColumns,
  formatMonth,
  formatWindow,
  type JournalEnds,
  type JournalRow,
  type OnUnreadable,
} from '@/lib/counters/embedded/journal-rows';
import { JournaledWindow } from '@/lib/counters/embedded/journaled-window';
import { parseRow } from '@/lib/counters/embedded/parse-row';
import type { SettledIds } from '@/lib/counters/embedded/settled-ids';
import { formatSettled, type SettledList } from '@/lib/counters/embedded/settled-list';
import type { CounterSelection } from '@/lib/counters/store';
import type { ChangedCounter, Counter, LookedUpCounter } from '@/lib/limiter/counter';
import { EMPTY_SLIDING } from '@/lib/limiter/sliding-counter';
import { computeCalendarMonth } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/**
 * Reads and writes the rows of the journal, and caches the newest state of each counter. Every process on the file
 * appends its changes, and reads the rows of the others before it decides. So the cache is current within each
 * transaction that began with `catchUp`, and any counter missing here is in the tables.
 *
 * The cache may also contain counters from the tables. No process changes the tables without a journal row. Sweeps are
 * the only exemption: they delete counters that no window covers.
 */
export class Journal {
  /** States from journal rows and from the tables. */
  readonly cached: CachedCounters;
  #seen = 0;
  #units = 0;
  /** Value of `folded` at the last tidy. */
  #tidied = 0;

  /**
   * @param kept see `CachedCounters`
   * @param unpacked see `CachedCounters`
   * @param settled receives the ids of settlements
   */
  constructor(
    kept: number,
    unpacked: number | undefined,
    readonly settled: SettledIds,
    private readonly onUnreadable: OnUnreadable,
  ) {
    this.cached = new CachedCounters(kept, unpacked);
  }

  /** Newest position that was read. */
  get newestPosition(): number {
    return this.#seen;
  }

  /** UTF-16 units of the rows that are not folded. */
  get units(): number {
    return this.#units;
  }

  /**
   * Reads the rows that were appended since the last call. If rows were folded and deleted before they were read, as
   * while this process slept, their counters leave the cache. If the database went back, as after a restored backup,
   * the whole cache is dropped.
   * @param rowsAfter reads the rows after a position, in order
   */
  catchUp({ first, last }: JournalEnds, rowsAfter: (position: number) => Iterable<JournalRow>): void {
    if ((last ?? 0) < this.#seen || (first ?? 0) > this.#seen + 1) {
      this.cached.clear();
      this.settled.clear();
      this.#seen = (first ?? 1) - 1;
      this.#units = 0;
    }
    this.cached.folded = (first ?? 1) - 1;
    if (last === null || last === this.#seen) return;
    for (const row of rowsAfter(this.#seen)) this.#read(row);
  }

  /** Skips unreadable parts of a row. The previous state of their counters stays valid. */
  #read(row: JournalRow): void {
    const { position } = row;
    const { windows, months, forgotten, settled, isDamaged } = parseRow(row);
    if (isDamaged) this.onUnreadable('counter_journal', position);
    if (forgotten !== null) this.cached.forget(forgotten);
    for (const [key, seconds, counter] of windows)
      this.cached.keepWindow(this.cached.findWindow(key), key, counter, seconds, position);
    for (const [key, counter] of months) this.cached.keepMonth(key, counter, position);
    this.settled.keep(settled, position);
    this.#recordSeen(row);
  }

  #recordSeen({ position, windows, months, settled }: JournalRow): void {
    this.#seen = position;
    this.#units += (windows?.length ?? 0) + (months?.length ?? 0) + (settled?.length ?? 0);
  }

  /**
   * Looks up a counter.
   * @returns the cached state, which `recordAppended` changes in place; undefined if the tables must be read
   */
  find({ key, window }: LookedUpCounter, now: Millis): Counter | undefined {
    return window.kind === 'month'
      ? this.cached.findMonth(key, computeCalendarMonth(now, window.anchor))
      : this.cached.findWindow(key);
  }

  /**
   * Caches states that were read from the tables, if there is room. A window that the tables lack is cached as an empty
   * one.
   */
  cacheCounters(counters: readonly LookedUpCounter[]): void {
    for (const counter of counters) {
      const state = counter.stored ?? (counter.window.kind === 'sliding' ? EMPTY_SLIDING : undefined);
      if (state !== undefined && this.cached.hasRoomFor(state)) this.#keep(counter, state, 0);
    }
  }

  /** Creates the next row from these counters and settlements, or null without any. `recordAppended` caches it. */
  createRow(changed: readonly ChangedCounter[], settled: SettledList): JournalRow | null {
    let windows = '';
    let months = '';
    for (const { key, counter, window } of changed) {
      if (counter.kind === 'month') months += `${months && ','}${formatMonth(key, counter)}`;
      else if (window.kind === 'sliding') windows += `${windows && ','}${formatWindow(key, window.seconds, counter)}`;
    }
    const ids = formatSettled(settled);
    if (windows === '' && months === '' && ids === null) return null;
    return { position: this.#seen + 1, ...formatColumns(windows, months), forgotten: null, settled: ids };
  }

  /** Caches a row of `createRow` after it was committed. */
  recordAppended(row: JournalRow, changed: readonly ChangedCounter[], settled: SettledList): void {
    for (const counter of changed) this.#keep(counter, counter.counter, row.position);
    this.settled.keep(settled, row.position);
    this.#recordSeen(row);
  }

  /** Returns the states of these counters that the tables lack, as columns of a row. */
  listUnfolded(selection: CounterSelection): Pick<JournalRow, 'windows' | 'months'> {
    const { windows, months } = this.cached.listUnfolded(selection);
    return formatColumns(
      windows.map(([key, seconds, counter]) => formatWindow(key, seconds, counter)).join(','),
      months.map(([key, counter]) => formatMonth(key, counter)).join(','),
    );
  }

  /** Records that rows up to a position were folded and deleted. */
  recordFolded(position: number): void {
    this.cached.folded = Math.max(this.cached.folded, position);
  }

  /** Recounts after rows were folded by any process, see `CachedCounters.tidy`. */
  *tidy(): Iterable<void> {
    if (this.#tidied === this.cached.folded) return;
    this.#tidied = this.cached.folded;
    this.#units = 0;
    yield* this.settled.tidy(this.cached.folded);
    yield* this.cached.tidy();
  }

  #keep(counter: LookedUpCounter, state: Counter, position: number): void {
    const { key, window, stored } = counter;
    if (state.kind === 'month') this.cached.keepMonth(key, state, position);
    else if (window.kind === 'sliding') {
      const found = stored instanceof JournaledWindow ? stored : this.cached.findWindow(key);
      counter.stored = this.cached.keepWindow(found, key, state, window.seconds, position);
    }
  }
}
