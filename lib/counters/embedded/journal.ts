import { CandidateWindows } from '@/lib/counters/embedded/candidate-windows';
import {
  columns,
  type JournalEnds,
  type JournalRow,
  monthText,
  type Unfolded,
  windowText,
} from '@/lib/counters/embedded/journal-rows';
import { type JournaledWindow, placeOf, UNPACKED } from '@/lib/counters/embedded/journaled-window';
import { KnownWindows, type Place } from '@/lib/counters/embedded/known-windows';
import { ShardedMap } from '@/lib/counters/embedded/sharded-map';
import { readSlotsList } from '@/lib/counters/slots-text';
import type { CounterSelection } from '@/lib/counters/store';
import type { Counter, MonthCounter } from '@/lib/limiter/counter';
import { isOfCandidate } from '@/lib/limiter/counter-key';
import type { ChangedCounter, PlacedCounter } from '@/lib/limiter/evaluate-group';
import { EMPTY_SLIDING, type SlidingCounter, slidingExpires } from '@/lib/limiter/sliding-counter';
import { monthAt } from '@/lib/limiter/window';
import type { Millis, Seconds } from '@/lib/units';

interface JournaledMonth {
  readonly counter: MonthCounter;
  readonly position: number;
}

/** A counter that is looked up, and what is stored of it. */
export interface WantedCounter extends PlacedCounter {
  stored: Counter | undefined;
}

/** Months that are remembered although the tables have them. */
const MOST_MONTHS = 50_000;

/**
 * What this process knows of the journal: the newest state of each counter in it. All processes on the file append what
 * they change and read what the others have appended before they decide, so what is known here is true within each
 * transaction that began with `catchUp`, and counters that are not known here are in the tables.
 *
 * Counters that the tables have as they are may be known as well: nobody changes the tables without a row that says so, but
 * for sweeps, which delete what no window sees any more.
 */
export class Journal {
  readonly #windows: KnownWindows;
  readonly #candidates = new CandidateWindows();
  /** Several where rows of more than one month are known. */
  readonly #months = new ShardedMap<readonly JournaledMonth[]>();
  #seen = 0;
  #folded = 0;
  #unfolded = 0;
  #units = 0;
  /** What was folded when this was tidied last. */
  #tidied = 0;

  /** @param kept windows that are remembered although the tables have them, as long as no more are known in all */
  constructor(
    private readonly kept: number,
    unpacked?: number,
  ) {
    this.#windows = new KnownWindows(unpacked);
  }

  /** The newest position that is known. */
  get seen(): number {
    return this.#seen;
  }

  /** Rows up to this position are in the tables, and are gone. */
  get folded(): number {
    return this.#folded;
  }

  /** Counters that the tables do not have as they are. */
  get unfolded(): number {
    return this.#unfolded;
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
      this.#candidates.othersWrote();
      this.#windows.clear();
      this.#months.clear();
      this.#seen = (first ?? 1) - 1;
      this.#unfolded = 0;
      this.#units = 0;
    }
    this.#folded = (first ?? 1) - 1;
    if (last === null || last === this.#seen) return;
    for (const row of rowsAfter(this.#seen)) this.#read(row);
  }

  #read({ position, windows, months, forgotten }: JournalRow): void {
    if (forgotten !== null) this.#forget(JSON.parse(forgotten));
    if (windows !== null) {
      const read: Record<string, [seconds: Seconds, ...slots: unknown[]]> = JSON.parse(windows);
      for (const [key, [seconds, ...slots]] of Object.entries(read)) {
        if (isOfCandidate(key)) this.#candidates.othersWrote();
        this.#keepWindow(this.#windows.get(key), key, readSlotsList(slots), seconds, position);
      }
    }
    if (months !== null) {
      const read: [string, number, number, number][] = JSON.parse(months);
      for (const [key, month, hits, floor] of read) {
        this.#keepMonth(key, { counter: { kind: 'month', month, hits, floor }, position });
      }
    }
    this.#seen = position;
    this.#units += (windows?.length ?? 0) + (months?.length ?? 0);
  }

  /**
   * Looks for a counter, after the one that it stands beside.
   * @returns what is known, which `appended` changes in place; undefined where the tables have to be asked
   */
  find(counter: WantedCounter, now: Millis): Counter | undefined {
    const { key, window } = counter;
    if (window.kind === 'sliding') {
      const remembered = this.#candidates.find(counter, window.seconds);
      if (remembered === null) return EMPTY_SLIDING;
      const known = remembered ?? this.#windows.get(key);
      if (known !== undefined && remembered === undefined) this.#candidates.remember(counter, window.seconds, known);
      counter.place = known;
      return known;
    }
    const months = this.#months.get(key);
    if (months === undefined) return undefined;
    const month = monthAt(now, window.anchor);
    return months.find(({ counter }) => counter.month === month)?.counter;
  }

  /**
   * Remembers what the tables have of counters that were not known, also that they have nothing of a window, as far as
   * there is room.
   */
  learn(counters: readonly WantedCounter[]): void {
    for (const counter of counters) {
      const { window, stored, candidate, beside } = counter;
      if (stored === undefined && candidate !== undefined && placeOf(beside)?.packed === UNPACKED) {
        if (window.kind === 'sliding') this.#candidates.remember(counter, window.seconds, undefined);
        continue;
      }
      const state = stored ?? (window.kind === 'sliding' ? EMPTY_SLIDING : undefined);
      if (state !== undefined && this.#excessOf(state) < 0) this.#keep(counter, state, 0);
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

  /** Keys with this prefix, and whether a window still sees what is known of them. */
  *keys(prefix: string, now: Millis): Iterable<[key: string, isSeen: boolean]> {
    for (const key of this.#windowsWith(prefix)) {
      const window = this.#windows.get(key);
      if (window !== undefined) yield [key, slidingExpires(window, window.seconds) > now];
    }
    const month = monthAt(now);
    for (const [key, months] of this.#months) {
      if (key.startsWith(prefix)) yield [key, months.some(({ counter }) => counter.month === month)];
    }
  }

  /** What the tables do not have of these counters, as the columns of a row. */
  unfoldedOf(selection: CounterSelection): Pick<JournalRow, 'windows' | 'months'> {
    const keys = 'keys' in selection ? selection.keys : this.#keysWith(selection.prefix);
    const { windows, months } = this.toFold([...new Set(keys)], this.#seen);
    return columns(
      windows.map(([key, seconds, counter]) => windowText(key, seconds, counter)).join(','),
      months.map(([key, counter]) => monthText(key, counter)).join(','),
    );
  }

  /**
   * The places of all that was journaled up to a position and is not in the tables; null for each other counter, so that
   * whoever asks can pause after so many. What is journaled meanwhile has later positions.
   */
  *unfoldedPlaces(until: number): Iterable<Place | null> {
    for (const window of this.#windows.walk()) {
      yield this.#isUnfolded(window) && window.position <= until ? window.place : null;
    }
    for (const [key, months] of this.#months) {
      yield months.some((month) => this.#isUnfolded(month) && month.position <= until) ? key : null;
    }
  }

  /** The key of a place. What became of it since is as if it had been journaled later. */
  keyAt(place: Place): string {
    return this.#windows.keyAt(place);
  }

  /** What the tables lack of these counters, of what was journaled up to a position: later rows say what came later. */
  toFold(keys: readonly string[], until: number): Unfolded {
    const windows: [string, Seconds, SlidingCounter][] = [];
    const months: [string, MonthCounter][] = [];
    for (const key of keys) {
      const window = this.#windows.get(key);
      if (window !== undefined && this.#isUnfolded(window) && window.position <= until) {
        windows.push([key, window.seconds, counterOf(window)]);
      }
      for (const month of this.#months.get(key) ?? []) {
        if (this.#isUnfolded(month) && month.position <= until) months.push([key, month.counter]);
      }
    }
    return { windows, months };
  }

  /** Takes note that rows up to a position are gone. */
  foldedUntil(position: number): void {
    this.#folded = Math.max(this.#folded, position);
  }

  /** Forgets what `toFold` has brought into the tables, as far as too many counters are known. */
  release(keys: readonly string[], until: number): void {
    for (const key of keys) {
      const window = this.#excessOfWindows > 0 ? this.#windows.get(key) : undefined;
      if (window !== undefined && window.position <= until) this.#dropWindow(key, window);
      const months = this.#excessOfMonths > 0 ? this.#months.get(key) : undefined;
      if (months?.every(({ position }) => position <= until)) this.#dropMonths(key, months);
    }
  }

  /**
   * Counts anew after rows were folded, here or by another process, and forgets what the tables have where it is too much.
   * Yields after each counter, so that whoever runs it can pause; what is journaled meanwhile may be counted twice.
   */
  *tidy(): Iterable<void> {
    if (this.#tidied === this.#folded) return;
    this.#tidied = this.#folded;
    this.#unfolded = 0;
    this.#units = 0;
    let excess = this.#excessOfWindows;
    for (const step of this.#windows.walk()) {
      if (this.#isUnfolded(step)) this.#unfolded += 1;
      else if (excess-- > 0) this.#forgetWindow(step.key);
      yield;
    }
    excess = this.#excessOfMonths;
    for (const [key, months] of this.#months) {
      const unfolded = months.filter((month) => this.#isUnfolded(month)).length;
      this.#unfolded += unfolded;
      if (unfolded === 0 && excess-- > 0) this.#months.delete(key);
      yield;
    }
    yield* this.#windows.pack(this.#folded);
  }

  #excessOf({ kind }: Counter): number {
    return kind === 'month' ? this.#excessOfMonths : this.#excessOfWindows;
  }

  /** Windows that are known beyond those that may be kept. */
  get #excessOfWindows(): number {
    return this.#windows.size - this.kept;
  }

  get #excessOfMonths(): number {
    return this.#months.size - Math.min(this.kept, MOST_MONTHS);
  }

  #isUnfolded({ position }: { position: number }): boolean {
    return position > this.#folded;
  }

  #keep(counter: PlacedCounter, state: Counter, position: number): void {
    const { key, window } = counter;
    if (state.kind === 'month') this.#keepMonth(key, { counter: state, position });
    else if (window.kind === 'sliding') {
      const known = placeOf(counter) ?? this.#windows.get(key);
      const kept = this.#keepWindow(known, key, state, window.seconds, position);
      if (kept === known) return;
      counter.place = kept;
      this.#candidates.remember(counter, window.seconds, kept);
    }
  }

  #keepWindow(
    known: JournaledWindow | undefined,
    key: string,
    { newest, latest, older }: SlidingCounter,
    seconds: Seconds,
    position: number,
  ): JournaledWindow {
    if (position > this.#folded && (known === undefined || !this.#isUnfolded(known))) this.#unfolded += 1;
    if (known === undefined) return this.#windows.add(key, { newest, latest, older, seconds, position });
    const isBusy = known.newest === newest && position > 0;
    known.newest = newest;
    known.latest = latest;
    known.older = older;
    known.seconds = seconds;
    known.position = position;
    this.#windows.changed(key, known, isBusy);
    return known;
  }

  #keepMonth(key: string, month: JournaledMonth): void {
    const known = this.#months.get(key) ?? [];
    const same = known.find(({ counter }) => counter.month === month.counter.month);
    if (this.#isUnfolded(month) && (same === undefined || !this.#isUnfolded(same))) this.#unfolded += 1;
    this.#months.set(key, [month, ...known.filter((other) => other !== same)]);
  }

  /** The tables have these, as they are. */
  #forget(selection: CounterSelection): void {
    this.#candidates.othersWrote();
    const keys = 'keys' in selection ? selection.keys : [...this.#keysWith(selection.prefix)];
    for (const key of keys) {
      this.#forgetWindow(key);
      const months = this.#months.get(key);
      if (months !== undefined) this.#dropMonths(key, months);
    }
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

  *#keysWith(prefix: string): Iterable<string> {
    yield* this.#windowsWith(prefix);
    for (const [key] of this.#months) if (key.startsWith(prefix)) yield key;
  }

  *#windowsWith(prefix: string): Iterable<string> {
    for (const step of this.#windows.walk()) if (step.startsWith(prefix)) yield step.key;
  }
}

function counterOf({ newest, latest, older }: JournaledWindow): SlidingCounter {
  return { kind: 'sliding', newest, latest, older };
}
