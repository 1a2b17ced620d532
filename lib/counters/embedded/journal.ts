import {
  columns,
  type JournalEnds,
  type JournalRow,
  monthText,
  windowText,
} from '@/lib/counters/embedded/journal-rows';
import { JournaledWindow } from '@/lib/counters/embedded/journaled-window';
import { KnownCounters } from '@/lib/counters/embedded/known-counters';
import { readSlotsList } from '@/lib/counters/slots-text';
import type { CounterSelection } from '@/lib/counters/store';
import type { Counter } from '@/lib/limiter/counter';
import type { ChangedCounter, LookedUpCounter } from '@/lib/limiter/evaluate-group';
import { EMPTY_SLIDING } from '@/lib/limiter/sliding-counter';
import { monthAt } from '@/lib/limiter/window';
import type { Millis, Seconds } from '@/lib/units';

/**
 * Reads and writes the rows of the journal, and keeps what they say of each counter (`known`). All processes on the file append what
 * they change and read what the others have appended before they decide, so what is known here is true within each
 * transaction that began with `catchUp`, and counters that are not known here are in the tables.
 *
 * Counters that the tables have as they are may be known as well: nobody changes the tables without a row that says so, but
 * for sweeps, which delete what no window sees any more.
 */
export class Journal {
  /** Not only what rows say, but also what the tables were found to have. */
  readonly known: KnownCounters;
  #seen = 0;
  #units = 0;
  /** What was folded when this was tidied last. */
  #tidied = 0;

  /** @param kept @param unpacked as of `KnownCounters` */
  constructor(kept: number, unpacked?: number) {
    this.known = new KnownCounters(kept, unpacked);
  }

  /** The newest position that is known. */
  get seen(): number {
    return this.#seen;
  }

  /** UTF-16 units of the rows that are not folded. */
  get units(): number {
    return this.#units;
  }

  /**
   * Reads what was appended since. What was folded and deleted before it was read, as while this process slept, is not
   * known any more; neither is anything once the database has gone back, as by a restored backup.
   * @param rowsAfter reads the rows after a position, in order
   */
  catchUp({ first, last }: JournalEnds, rowsAfter: (position: number) => Iterable<JournalRow>): void {
    if ((last ?? 0) < this.#seen || (first ?? 0) > this.#seen + 1) {
      this.known.clear();
      this.#seen = (first ?? 1) - 1;
      this.#units = 0;
    }
    this.known.folded = (first ?? 1) - 1;
    if (last === null || last === this.#seen) return;
    for (const row of rowsAfter(this.#seen)) this.#read(row);
  }

  #read({ position, windows, months, forgotten }: JournalRow): void {
    if (forgotten !== null) this.known.forget(JSON.parse(forgotten));
    if (windows !== null) {
      const read: Record<string, [seconds: Seconds, ...slots: unknown[]]> = JSON.parse(windows);
      for (const [key, [seconds, ...slots]] of Object.entries(read)) {
        this.known.keepWindow(this.known.window(key), key, readSlotsList(slots), seconds, position);
      }
    }
    if (months !== null) {
      const read: [string, number, number, number][] = JSON.parse(months);
      for (const [key, month, hits, floor] of read) {
        this.known.keepMonth(key, { kind: 'month', month, hits, floor }, position);
      }
    }
    this.#seen = position;
    this.#units += (windows?.length ?? 0) + (months?.length ?? 0);
  }

  /**
   * Looks a counter up.
   * @returns the cached state, which `appended` changes in place; undefined if the tables have to be asked
   */
  find({ key, window }: LookedUpCounter, now: Millis): Counter | undefined {
    return window.kind === 'month' ? this.known.month(key, monthAt(now, window.anchor)) : this.known.window(key);
  }

  /**
   * Caches the tables' state of counters that were missing, as far as there is room. A window that the tables do not have
   * is cached as an empty one.
   */
  learn(counters: readonly LookedUpCounter[]): void {
    for (const counter of counters) {
      const state = counter.stored ?? (counter.window.kind === 'sliding' ? EMPTY_SLIDING : undefined);
      if (state !== undefined && this.known.hasRoomFor(state)) this.#keep(counter, state, 0);
    }
  }

  /** The next row, with these counters; null without any. Nothing is known of it until `appended`. */
  rowOf(changed: readonly ChangedCounter[]): JournalRow | null {
    let windows = '';
    let months = '';
    for (const { key, counter, window } of changed) {
      if (counter.kind === 'month') months += `${months && ','}${monthText(key, counter)}`;
      else if (window.kind === 'sliding') windows += `${windows && ','}${windowText(key, window.seconds, counter)}`;
    }
    if (windows === '' && months === '') return null;
    return { position: this.#seen + 1, ...columns(windows, months), forgotten: null };
  }

  /** Remembers a row of `rowOf` that was committed. */
  appended({ position, windows, months }: JournalRow, changed: readonly ChangedCounter[]): void {
    for (const counter of changed) this.#keep(counter, counter.counter, position);
    this.#seen = position;
    this.#units += (windows?.length ?? 0) + (months?.length ?? 0);
  }

  /** What the tables do not have of these counters, as the columns of a row. */
  unfoldedOf(selection: CounterSelection): Pick<JournalRow, 'windows' | 'months'> {
    const { windows, months } = this.known.unfoldedOf(selection);
    return columns(
      windows.map(([key, seconds, counter]) => windowText(key, seconds, counter)).join(','),
      months.map(([key, counter]) => monthText(key, counter)).join(','),
    );
  }

  /** Takes note that rows up to a position are gone. */
  foldedUntil(position: number): void {
    this.known.folded = Math.max(this.known.folded, position);
  }

  /** Counts anew after rows were folded, here or by another process, see `KnownCounters.tidy`. */
  *tidy(): Iterable<void> {
    if (this.#tidied === this.known.folded) return;
    this.#tidied = this.known.folded;
    this.#units = 0;
    yield* this.known.tidy();
  }

  #keep(counter: LookedUpCounter, state: Counter, position: number): void {
    const { key, window, stored } = counter;
    if (state.kind === 'month') this.known.keepMonth(key, state, position);
    else if (window.kind === 'sliding') {
      const found = stored instanceof JournaledWindow ? stored : this.known.window(key);
      counter.stored = this.known.keepWindow(found, key, state, window.seconds, position);
    }
  }
}
