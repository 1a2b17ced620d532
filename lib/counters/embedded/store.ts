import type Libsql from 'libsql';
import { counterMonths, counterWindows } from '@/drizzle/counters-schema';
import { clearCounters, resetMonth, restoreRows } from '@/lib/counters/change-statements';
import { toCounterState } from '@/lib/counters/counter-state';
import { EmbeddedFold, type FoldSizes } from '@/lib/counters/embedded/fold';
import { Journal, type OnUnreadable } from '@/lib/counters/embedded/journal';
import type { JournalRow } from '@/lib/counters/embedded/journal-rows';
import { type Settled, selectSettled, selectSettledByReset, settle } from '@/lib/counters/embedded/settle-statements';
import { EmbeddedSweep } from '@/lib/counters/embedded/sweep';
import { EmbeddedTables } from '@/lib/counters/embedded/tables';
import {
  type Charge,
  type Commit,
  type CounterChange,
  type CounterRef,
  type CounterSelection,
  type CounterStore,
  StoreUnavailable,
} from '@/lib/counters/store';
import { isBusy } from '@/lib/db/errors';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';
import { emptyCounter, takeBackHits } from '@/lib/limiter/counter';
import { type ChangedCounter, Group, type LookedUpCounter } from '@/lib/limiter/evaluate-group';
import type { Attempt, Verdict } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

export interface EmbeddedCountersOptions {
  /**
   * The connection of the whole process, in WAL mode, with a short `busy_timeout` (it blocks the event loop: 10 ms).
   * The store never closes it.
   */
  database: Libsql.Database;
  /** Wall clock. */
  clock: () => Millis;
  /** In milliseconds. */
  monotonic: () => Millis;
  wait: (milliseconds: Millis) => Promise<void>;
  random: () => number;
  /** How long a call is repeated while other processes hold the write lock, in milliseconds; 2,000 by default. */
  busyDeadline?: Millis;
  /** Smaller ones, for tests. */
  foldSizes?: Partial<FoldSizes>;
  /** Windows that are remembered although the tables have them; a million by default. */
  remembered?: number;
  /** Windows that are kept as objects before others are packed; 16,000 by default. */
  unpacked?: number;
  onUnreadable?: OnUnreadable;
}

/**
 * Counters in the embedded libSQL file, through `libsql`'s synchronous calls. A group is one immediate transaction that
 * begins and ends within one turn of the event loop: read what other processes have journaled since the last one, and the
 * group's counters that this process does not know; evaluate; append what changed as one row of the journal; commit. So a
 * group writes a page or two, however many counters there are, and every process on the file decides by the same counters.
 * What was journaled is folded into the tables later (`EmbeddedFold`). Only waiting for another process's lock is
 * asynchronous.
 *
 * While no other process decides, a group is evaluated by what is cached and appended by a single statement, which does
 * nothing where the journal has a row more or the rules are others: then the transaction is made.
 */
export class EmbeddedCounters implements CounterStore {
  readonly kind = 'embedded';
  readonly #journal: Journal;
  readonly #tables: EmbeddedTables;
  readonly #fold: EmbeddedFold;
  readonly #sweep: EmbeddedSweep;
  /** Whether the last transaction found nothing that another process had journaled. */
  #isOnlyProcess = false;

  constructor(private readonly options: EmbeddedCountersOptions) {
    const { clock, monotonic, wait, foldSizes: sizes, remembered = 1_000_000, unpacked } = options;
    const onUnreadable = options.onUnreadable ?? (() => undefined);
    this.#tables = new EmbeddedTables(options.database, onUnreadable);
    this.#journal = new Journal(remembered, unpacked, onUnreadable);
    this.#fold = new EmbeddedFold(this.#journal, this.#tables, {
      ...{ clock, monotonic, wait, sizes },
      transaction: (work) => this.#run(() => this.#transact(() => work())),
    });
    this.#sweep = new EmbeddedSweep(this.#tables, options);
  }

  /**
   * @throws RangeError as `evaluateGroup`
   * @throws StoreUnavailable when the file cannot be read or written, or stays locked beyond the deadline
   */
  commit(revision: number, attempts: readonly Attempt[]): Promise<Commit> {
    return this.#run((): Commit => {
      const now = this.options.clock();
      const verdicts = this.#isOnlyProcess ? this.#decideFromCache(revision, attempts, now) : null;
      const commit: Commit =
        verdicts === null ? this.#decide(revision, attempts, now) : { kind: 'decided', now, verdicts };
      this.#fold.begin();
      return commit;
    });
  }

  #decide(revision: number, attempts: readonly Attempt[], now: Millis): Commit {
    return this.#transactChange((present, change): Commit => {
      if (present !== revision) return { kind: 'stale', revision: present };
      const group = new Group(attempts);
      this.#journal.learn(this.#load(group.counters, now));
      const verdicts = group.evaluate(now);
      change(group.listChanged(now));
      return { kind: 'decided', now, verdicts };
    });
  }

  /**
   * The verdicts by what is cached of the journal; null where there is more of it, or the rules are others. What the tables
   * have is read before that is certain, which is no harm: they change only with the journal, except for what no window sees.
   */
  #decideFromCache(revision: number, attempts: readonly Attempt[], now: Millis): readonly Verdict[] | null {
    const journal = this.#journal;
    const group = new Group(attempts);
    const loaded = this.#load(group.counters, now);
    const verdicts = group.evaluate(now);
    const changed = group.listChanged(now);
    const row = journal.createRow(changed);
    const isPresent = row === null ? this.#tables.isPresent(journal.seen, revision) : this.#append(row, revision);
    if (!isPresent) return null;
    journal.learn(loaded);
    if (row !== null) journal.recordAppended(row, changed);
    return verdicts;
  }

  #append(row: JournalRow, revision: number): boolean {
    try {
      return this.#tables.appendToPresent(row, revision);
    } catch (error) {
      // Another process has the lock.
      this.#isOnlyProcess = false;
      throw error;
    }
  }

  read(counters: readonly CounterRef[]) {
    return this.#run(() => {
      const now = this.options.clock();
      const wanted = counters.map(({ key, window }): LookedUpCounter => ({ key, window, stored: undefined }));
      this.#transact(() => this.#load(wanted, now), 'begin');
      return wanted.map(({ key, window, stored }) => {
        return toCounterState(key, stored ?? emptyCounter(window, now), window, now);
      });
    });
  }

  listKeys(prefix: string, limit: number): Promise<string[]> {
    const list = () => {
      const now = this.options.clock();
      const cached = new Map(this.#journal.cached.keys(prefix, now));
      const stored = this.#tables.listKeys(prefix, limit + cached.size, now);
      const keys = [
        ...stored.filter((key) => !cached.has(key)),
        ...[...cached.keys()].filter((key) => cached.get(key)),
      ];
      return keys.sort().slice(0, limit);
    };
    return this.#run(() => this.#transact(list, 'begin'));
  }

  clear: CounterStore['clear'] = (selection, kept) => {
    const cleared = clearCounters([counterWindows, counterMonths], selection, kept);
    return this.#settleFirst(selectSettled(selection), selection, cleared);
  };

  resetUsage: CounterStore['resetUsage'] = (counter, kept) => {
    const selection = { keys: [counter.key] };
    return this.#settleFirst(selectSettled(selection), selection, resetMonth(counter, this.options.clock(), kept));
  };

  restore: CounterStore['restore'] = (seq) => {
    const selection = { keys: this.#tables.listClearedKeys(seq) };
    return this.#settleFirst(selectSettledByReset(seq), selection, restoreRows(seq));
  };

  refund(id: string, charges: readonly Charge[]): Promise<boolean> {
    return this.#run(() =>
      this.#transactChange((_revision, change) => {
        if (!this.#tables.rememberRefund(id, this.options.clock())) return false;
        const changed = new Map<string, ChangedCounter>();
        for (const { key, window, at, cost } of charges) {
          // By its own time: a month may have ended since.
          const wanted: LookedUpCounter = { key, window, stored: changed.get(key)?.counter };
          if (wanted.stored === undefined) this.#load([wanted], at);
          const { stored } = wanted;
          if (stored !== undefined) changed.set(key, { key, window, counter: takeBackHits(stored, window, at, cost) });
        }
        change([...changed.values()]);
        return true;
      }),
    );
  }

  /** The revision is read from the audit log in the same file. */
  async publish(_revision: number): Promise<void> {}

  /**
   * Looks at up to `budget` rows in short steps, from where the last call ended, and folds what was journaled long ago.
   * @throws StoreUnavailable
   */
  async sweep(budget: number): Promise<number> {
    await this.#fold.runWhenOld();
    return this.#sweep.run(budget);
  }

  /** Brings what is journaled into the tables, in short steps. @throws StoreUnavailable */
  fold(): Promise<void> {
    return this.#fold.run();
  }

  ping(): Promise<void> {
    return this.#run(() => this.#transact(() => this.#tables.readAndWrite()));
  }

  async close(): Promise<void> {}

  /** What was journaled is brought into the tables first, within the transaction of the change. */
  #settleFirst(settled: Settled, selection: CounterSelection, change: CounterChange): CounterChange {
    if (change.kind !== 'statements') return change;
    const cached = { upTo: this.#journal.seen, ...this.#journal.listUnfolded(selection) };
    return { kind: 'statements', statements: [...settle(settled, cached), ...change.statements] };
  }

  /** Looks counters up. @returns those that were not cached, as the tables have them */
  #load(counters: Iterable<LookedUpCounter>, now: Millis): readonly LookedUpCounter[] {
    const missing: LookedUpCounter[] = [];
    for (const counter of counters) {
      counter.stored = this.#journal.find(counter, now);
      if (counter.stored === undefined) missing.push(counter);
    }
    if (missing.length > 0) {
      const found = this.#tables.load(missing, now);
      for (const counter of missing) counter.stored = found.get(counter.key);
    }
    return missing;
  }

  /** A transaction in which the journal is cached to its end. @param work gets the revision of the rules */
  #transact<T>(work: (revision: number) => T, begin?: 'begin'): T {
    return this.#tables.transaction(() => {
      const { revision, ...ends } = this.#tables.state();
      const { seen } = this.#journal;
      this.#journal.catchUp(ends, (position) => this.#tables.readRowsAfter(position));
      this.#isOnlyProcess = this.#journal.seen === seen;
      return work(revision);
    }, begin);
  }

  /** The same, that may append one row. It is cached here once it was committed. */
  #transactChange<T>(work: (revision: number, change: (changed: readonly ChangedCounter[]) => void) => T): T {
    let commit = () => {};
    const result = this.#transact((revision) =>
      work(revision, (changed) => {
        const row = this.#journal.createRow(changed);
        if (row === null) return;
        this.#tables.append(row);
        commit = () => this.#journal.recordAppended(row, changed);
      }),
    );
    commit();
    return result;
  }

  /** The first try needs no promise but its own: more of them would cost a decision as much as its evaluation. */
  #run<T>(work: () => T): Promise<T> {
    const start = this.options.monotonic();
    try {
      return Promise.resolve(work());
    } catch (error) {
      return this.#retry(work, start, error);
    }
  }

  async #retry<T>(work: () => T, start: Millis, first: unknown): Promise<T> {
    const { monotonic, wait, random, busyDeadline = 2_000 } = this.options;
    const isLast = () => monotonic() - start >= busyDeadline;
    const pause = (tries: number) => 1 + random() * Math.min(16, 2 ** (tries + 1));
    try {
      if (!isBusy(first) || isLast()) throw first;
      await wait(pause(0));
      return await retryWhileBusy(work, { wait, pause: (attempt) => pause(attempt + 1), isLast });
    } catch (error) {
      if (error instanceof RangeError) throw error;
      const what = isBusy(error) ? 'stay locked by another process' : 'cannot be read or written';
      throw new StoreUnavailable(`The counters ${what}.`, { cause: error });
    }
  }
}
